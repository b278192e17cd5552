"""Values to sentences, for terminal, page and report alike. Nothing here decides anything.

verdict        what a plan means, or why there is none
notes          what a person should know beside a plan or an audit, and what to ask for instead
page           what only the app's page shows
next_photo     why one photo may or may not be posted now
report         what the private report says
verification   what `verify` says of a copy
phrases        ranks, probabilities and shares as people read them, and where a sentence is read
"""

from elsewhere.messages.next_photo import next_reason
from elsewhere.messages.notes import advice, coarse_cells, note, notes, report_warning
from elsewhere.messages.phrases import Surface, as_sentence, capitalized
from elsewhere.messages.verdict import (
    accuracy,
    cells_verdict,
    infeasibility,
    secret_top,
    threat_name,
    verdict,
)

__all__ = [
    "Surface",
    "accuracy",
    "advice",
    "as_sentence",
    "capitalized",
    "cells_verdict",
    "coarse_cells",
    "infeasibility",
    "next_reason",
    "note",
    "notes",
    "report_warning",
    "secret_top",
    "threat_name",
    "verdict",
]
