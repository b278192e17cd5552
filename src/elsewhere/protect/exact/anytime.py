"""Closing the gap between a bound and a plan, so that stopping early still says something.

First the whole gap is searched at once, improving the plan on the way: that is quickest where the
first plan is nearly the best. Where it takes too long, yes-or-no questions in between raise the
bound and lower the plan by turns, each with a share of the work that grows.
"""

from __future__ import annotations

from typing import Protocol

from elsewhere.protect.exact.search import Limits

FIRST_SHARE = 200_000
SHARE = 2_000


class Attempt(Protocol):
    """Look for a value of at most `cutoff`; with `decide`, stop at the first."""

    def __call__(self, cutoff: int, share: Limits, decide: bool) -> tuple[bool, int]:
        """Whether the search came to its end, and the least value known."""


def close_gap(low: int, high: int, attempt: Attempt, limits: Limits) -> tuple[int, int]:
    """Narrow [low, high] until both meet or the limits are met; `high` is a value that is known.

    Every attempt that came to its end without reaching its cutoff proves low ≥ cutoff + 1.
    """
    share = FIRST_SHARE
    fraction = 1.0
    while low < high and not limits.spent():
        cutoff = high - 1 if fraction >= 1.0 else low + int(fraction * (high - 1 - low))
        part = Limits(limits.deadline, min(limits.work, limits.done + share), limits.done)
        finished, value = attempt(cutoff, part, fraction < 1.0)
        limits.done = part.done
        if value <= cutoff:
            high = min(high, value)
            if finished and fraction >= 1.0:
                return high, high
            continue
        if finished:
            low = cutoff + 1
            fraction = min(1.0, fraction * 1.5) if fraction < 1.0 else fraction
            continue
        # not decided: ask an easier question, then give each more time
        if fraction >= 1.0:
            fraction, share = 0.6, SHARE
        elif fraction > 0.05 and cutoff > low:
            fraction /= 2
        else:
            fraction, share = 0.6, share * 2
    return low, high
