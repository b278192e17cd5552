"""Values to sentences, for terminal, page and report alike. Nothing here decides anything.

verdict   what a plan means, or why there is none
advice    what to ask for instead
page      what only the app's page shows
notes     what a person should know beside a plan or an audit
next_photo  why one photo may or may not be posted now
numbers   ranks, probabilities, fractions and signed shares as people read them
report    what the private report says
surface   where a sentence is read
verification   what `verify` says of a copy
"""

from elsewhere.messages.advice import advice
from elsewhere.messages.next_photo import next_reason
from elsewhere.messages.notes import coarse_cells, note, notes, report_warning
from elsewhere.messages.plan import cells_verdict
from elsewhere.messages.surface import Surface, capitalized
from elsewhere.messages.verdict import accuracy, infeasibility, secret_top, threat_name, verdict

__all__ = [
    "Surface",
    "accuracy",
    "advice",
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
