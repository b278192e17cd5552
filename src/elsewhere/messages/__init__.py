"""Values to sentences, for terminal, page and report alike. Nothing here decides anything.

verdict        what a plan means, or why there is none
notes          what a person should know beside a plan or an audit, and what to ask for instead
page           what only the app's page shows
key_numbers    the few numbers that every surface leads with
clean          a clean copy that hides no place
next_photo     why one photo may or may not be posted now
report         what the private report says
photo_text     what the text of a photo may say
verification   what `verify` says of a copy
phrases        ranks, probabilities and shares as people read them, and where a sentence is read
"""

from elsewhere.messages.clean import NOT_HIDDEN, clean_offer
from elsewhere.messages.key_numbers import key_numbers, rank_text, short_rank, why_withheld
from elsewhere.messages.next_photo import next_reason
from elsewhere.messages.notes import (
    advice,
    coarse_cells,
    dropped_keys,
    dropped_rules,
    foremost_notes,
    left_out,
    note,
    notes,
    place_prices,
    prices,
    report_warning,
)
from elsewhere.messages.photo_text import text_check
from elsewhere.messages.phrases import Surface, as_sentence, capitalized, edit_kind
from elsewhere.messages.verdict import (
    accuracy,
    cells_verdict,
    infeasibility,
    secret_top,
    threat_name,
    verdict,
)

__all__ = [
    "NOT_HIDDEN",
    "Surface",
    "accuracy",
    "advice",
    "as_sentence",
    "capitalized",
    "cells_verdict",
    "clean_offer",
    "coarse_cells",
    "dropped_keys",
    "dropped_rules",
    "edit_kind",
    "foremost_notes",
    "infeasibility",
    "key_numbers",
    "left_out",
    "next_reason",
    "note",
    "notes",
    "place_prices",
    "prices",
    "rank_text",
    "report_warning",
    "secret_top",
    "short_rank",
    "text_check",
    "threat_name",
    "verdict",
    "why_withheld",
]
