"""The value Next: whether one photo may be posted now, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Answer(StrEnum):
    """What to do with a photo now."""

    KEEP = "keep"
    """Post it: the promise holds with it."""
    WAIT = "wait"
    """Not yet: the best plan keeps it, but others must be out before it, or go out with it."""
    WITHHOLD = "withhold"
    """Never, as things stand: the best plan does without it, or no plan can keep it."""


class NextReason(StrEnum):
    """Why a photo may or may not be posted now."""

    ALREADY_PUBLIC = "already public"
    DROPPED = "dropped"
    TELLING_TEXT = "telling text"
    REVEALS_ALONE = "reveals alone"
    HOLDS = "holds"
    HOLDS_AND_IS_BEST = "holds and is best"
    HOLDS_AT_A_COST = "holds at a cost"
    HOLDS_PERHAPS_AT_A_COST = "holds, perhaps at a cost"
    HOLDS_REST_UNKNOWN = "holds, rest unknown"
    PUBLIC_BREAKS = "public breaks"
    NEVER_HOLDS = "never holds"
    LATER_UNKNOWN = "later unknown"
    COSTS_MORE = "costs more"
    AFTER_OTHERS = "after others"
    WITH_OTHERS = "with others"
    EDITED = "edited"


@dataclass(frozen=True)
class Next:
    """The answer for one photo; `messages.next_reason` makes the sentence."""

    answer: Answer
    photos: tuple[int, ...]
    """The photo, and those that go with it; ascending."""
    why: NextReason
    ids: tuple[str, ...]
    """The names of all photos."""
    before: tuple[int, ...] = ()
    """Where it must wait: photos to post before it, in this order, each step keeping the
    promise."""
    together: tuple[int, ...] = ()
    """Where no such order is known: photos that would have to go out with it, all at once."""
    more: int | Fraction = 0
    """What keeping it costs beyond the best plan, in the photos' values."""
    public: int = 0
    """How many photos are public already."""
    weighted: bool = False
    """Whether the photos have values of their own."""
