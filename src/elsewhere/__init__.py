"""elsewhere: share the photos, not the place.

Given what an attacker's model says of each photo, `protect` finds the provably smallest set of
photos to withhold so that the true place is not among the attacker's top guesses, `frontier` shows
what each number of withheld photos buys, `check` re-proves a plan independently, and `audit` says
what the attacker infers from the photos as they are.
"""

from elsewhere.audit import Audit, audit
from elsewhere.errors import CheckError, ElsewhereError, FileError, InputError
from elsewhere.protect.checking.proof import Verdict
from elsewhere.protect.frontier import Frontier, Point, frontier
from elsewhere.protect.plan import Plan, Status, View
from elsewhere.protect.promise import Against, Promise
from elsewhere.protect.protecting import check, protect
from elsewhere.score_files import read_scores, write_scores
from elsewhere.scores import Scores

__version__ = "0.1.0"

__all__ = [
    "Against",
    "Audit",
    "CheckError",
    "ElsewhereError",
    "FileError",
    "Frontier",
    "InputError",
    "Plan",
    "Point",
    "Promise",
    "Scores",
    "Status",
    "Verdict",
    "View",
    "audit",
    "check",
    "frontier",
    "protect",
    "read_scores",
    "write_scores",
]
