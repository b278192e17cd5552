"""Why numbers differ from the paper's: every one that does gets a sentence.

The simulator was fitted to some sixty numbers with a dozen parameters, and no setting was found
that reaches all of them. What it trades off is written here once, by table and line; numbers that
are off by no more than their own noise are named as such.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from elsewhere.lab.tables import MARK
from elsewhere.lab.values import Number

_ALBUMS = (
    "the paper's albums are people's own, ours a model of them with four parameters (scenes, "
    "likeness, spread, plainness) for eleven numbers"
)
REASONS: tuple[tuple[str, str, str], ...] = (
    ("accuracy", "Albums", _ALBUMS),
    ("fewest", "Albums", _ALBUMS),
    ("budget", "Albums optimal", _ALBUMS),
    (
        "budget",
        "Albums greedy",
        f"{_ALBUMS}; in ours the photo with the highest score for the truth is more often also the "
        "one that does most for it, so greedy comes close to the best plan",
    ),
    (
        "budget",
        "greedy",
        "the simulator cannot move greedy and optimal apart at will: settings in which greedy "
        "comes less far lose the optimal rows, which were given precedence",
    ),
    (
        "budget",
        "optimal",
        "collections of one size differ more among each other in the paper than here; its mean is "
        "carried by the few collections whose truth can be pushed below rank 100",
    ),
    (
        "fewest",
        "",
        "the fit trades the shares withheld (which more distinct cells raise) against how far down "
        "the truth can be pushed (which they lower)",
    ),
    (
        "accuracy",
        "",
        "the fit trades single photos against collections: photos that say less alone would leave "
        "sixteen of them too easy to protect",
    ),
)
"""(experiment, end or beginning of the line, why); the first that fits is taken."""


def reasons(experiment: str, numbers: Sequence[Number]) -> list[str]:
    """One sentence for each group of numbers that differ, naming them.

    >>> reasons("accuracy", [Number("Albums", "top-1", 0.5, 0.001, 99, 0.2, 0.02)])[0][:34]
    '† Albums top-1 (0.50, paper 0.20):'
    """
    groups: dict[str, list[str]] = {}
    for number in numbers:
        if number.differs:
            groups.setdefault(_why(experiment, number), []).append(_named(number))
    return [f"{MARK} {', '.join(who)}: {why}." for why, who in groups.items()]


def _why(experiment: str, number: Number) -> str:
    assert number.paper is not None and number.within is not None
    beyond = abs(number.ours - number.paper) - number.within
    if math.isnan(number.error) or beyond <= 2 * number.error:
        return "beyond the tolerance by less than two standard errors, which a larger scale decides"
    for table, part, why in REASONS:
        if table == experiment and (number.line.endswith(part) or number.line.startswith(part)):
            return why
    return "no reason is known"


def _named(number: Number) -> str:
    return f"{number.line} {number.column} ({number.ours:.2f}, paper {number.paper:.2f})"
