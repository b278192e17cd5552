"""Numbers in sentences: none without how sure it is, and no advice that the number does not carry.

Shares of collections have a Wilson interval, which is honest where none or all of them hold; means
have ± 1.96 standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from elsewhere_lab.values import Number

_Z = 1.96


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of so many.

    >>> [round(end, 2) for end in wilson(0.0, 10)]
    [0.0, 0.28]
    """
    if count == 0 or math.isnan(share):
        return 0.0, 1.0
    spread = _Z**2 / count
    middle = (share + spread / 2) / (1 + spread)
    reach = _Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, middle - reach), min(1.0, middle + reach)


def percent(number: Number) -> str:
    """A share of collections, with its interval and of how many.

    >>> percent(Number("R-16", "holds", 0.5, 0.05, 100))
    '50 % (40 to 60 %, n = 100)'
    """
    if not number.count:
        return "none to tell of (n = 0)"
    low, high = wilson(number.ours, number.count)
    return f"{number.ours:.0%} ({low * 100:.0f} to {high:.0%}, n = {number.count})".replace(
        "%", " %"
    )


def amount(number: Number, *, sign: bool = False) -> str:
    """A mean with its error.

    >>> amount(Number("R-16", "withheld", 0.482, 0.011, 40))
    '0.48 ± 0.02'
    """
    shown = f"{number.ours:+.2f}" if sign else f"{number.ours:.2f}"
    return shown if math.isnan(number.error) else f"{shown} ± {_Z * number.error:.2f}"


def apart(one: Number, other: Number) -> bool:
    """Whether two shares differ by more than chance: their intervals do not touch.

    >>> apart(Number("", "", 0.9, 0, 100), Number("", "", 0.5, 0, 100))
    True
    """
    first, second = sorted((wilson(n.ours, n.count) for n in (one, other)), key=lambda i: i[0])
    return first[1] < second[0]


def found(numbers: Sequence[Number], line: str) -> dict[str, Number]:
    """One line's numbers by column, those that there are."""
    return {n.column: n for n in numbers if n.line == line and n.count and not math.isnan(n.ours)}
