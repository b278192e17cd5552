"""What came of a person's wishes for an album, in names and numbers.

`messages` makes the sentences: the verdict, why there is no plan, what to ask for instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from elsewhere.values.notes import Note
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes

MAX_TOP_FACTOR = 3
"""The secret top is at most so many times the one asked for."""


@dataclass(frozen=True)
class Accuracy:
    """How often a model is right about single photos in a part of the world."""

    model: str
    km: float
    """How far off a guess may be."""
    share: float
    region: str
    level: str = ""
    """The region or country that is to be guessed, where that is wider than the radius."""


@dataclass(frozen=True)
class Reasons:
    """Why no plan keeps a promise; photos and threats by number."""

    forced: int = 0
    """So many photos must go whatever the plan."""
    every_photo: bool = False
    """Whether all photos must go."""
    best_top: int | None = None
    """A top that can be had; None where no plan was found."""
    best_top_known: bool = False
    """Whether no larger top, or none at all, can be had."""
    bare_top: int | None = None
    """A top that can be had without a margin; 0 where none can, None where that is not known."""
    blocking: tuple[int, ...] = ()
    """The threats that cannot be met even alone."""
    each_alone: bool | None = True
    """Whether every threat could be met alone; None where that was not found out in time."""
    pins: tuple[int, ...] | None = ()
    """The kept photos that are in the way; None where that was not found out in time."""
    sufficient: tuple[int, ...] = ()
    """Those of them that it is enough to give up, each alone."""
    sufficient_known: bool = False
    pinned: int = 0
    """How many photos the user keeps."""
    posted: int = 0
    """How many photos are public already."""
    drops: tuple[int, ...] = ()
    """The dropped photos, where it could be done if they were free."""

    @property
    def reachable_top(self) -> int | None:
        """A top that can be had, 0 where none can; None where nobody knows."""
        if self.best_top is None:
            return 0 if self.best_top_known else None
        return self.best_top if self.best_top or self.best_top_known else None


@dataclass(frozen=True)
class Blocked:
    """A promise that the posted photos break on their own. All photos by number."""

    by: tuple[int, ...]
    """Posted photos that are in the way together; without any one of them, these are not."""
    down: tuple[int, ...] | None
    """Posted photos that it is enough to take down; None where even that does not help, or where
    what does was not found out (`sure`)."""
    fewest: bool = False
    """Whether it is proved that no fewer will do."""
    withheld: tuple[int, ...] = ()
    """Photos of the album that must then still be withheld."""
    sure: bool = True
    """Whether it was found out what to take down, or that nothing helps."""


class Change(StrEnum):
    """What an alternative changes in the wishes."""

    UNPIN = "unpin"
    TAKE_BACK = "take back"
    TOP = "top"
    MARGIN = "margin"
    HIDE = "hide"
    LEVEL = "level"
    RADIUS = "radius"
    PRIOR = "prior"
    BUDGET = "budget"
    EACH_PHOTO = "each photo"


@dataclass(frozen=True)
class Alternative:
    """One thing that could be asked for instead."""

    change: Change
    top: int | None = None
    """The top that goes with it, where it is a smaller one."""
    name: str = ""
    """The place that alone stays hidden, or the next level."""
    photos: tuple[int, ...] = ()
    """The photos to let go of."""
    amount: float = 0
    """The budget or the radius."""
    mentioned: bool = True
    """Whether a list names it: not where the reasons do, or another of its kind does."""
    shared: int | None = None
    """How many photos it would share; None where nobody tried or the time ran out."""

    def applied(self, wishes: Wishes) -> Wishes | None:
        """The wishes with this change; None where the user has to choose."""
        match self.change:
            case Change.TOP:
                return replace(wishes, top=self.top)
            case Change.MARGIN:
                return replace(wishes, margin="none", top=self.top or wishes.top)
            case Change.HIDE:
                return replace(wishes, hide=(self.name or "home",))
            case Change.LEVEL:
                return replace(wishes, hide_level=self.name)
            case Change.RADIUS:
                return replace(wishes, radius_km=float(self.amount))
            case Change.PRIOR:
                return replace(wishes, prior=None)
            case Change.EACH_PHOTO:
                return replace(wishes, each_photo=False)
            case Change.BUDGET if self.amount:
                return replace(wishes, budget=int(self.amount))
        return None


@dataclass(frozen=True)
class Advice:
    """What to ask for instead; without alternatives, that asking for less does not help."""

    alternatives: tuple[Alternative, ...] = ()
    helpful: tuple[Alternative, ...] | None = None
    """Those that share more, the best first; None where nobody tried them."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A plan for an album, or why there is none, and what a person should know beside it."""

    plan: Plan
    """Over the photos of the album, then the posted ones; one attacker per threat. Its numbers
    give the secret top away: not for printing."""
    wishes: Wishes
    hidden_names: tuple[str, ...]
    """What is hidden: places, or the regions or countries that they lie in."""
    public_names: tuple[str, ...] = ()
    """The places of the album that are not hidden."""
    models: tuple[str, ...]
    """The models as people call them."""
    accuracy: tuple[Accuracy, ...] = ()
    ids: tuple[str, ...]
    """The names of the album's photos, then of the posted ones."""
    photos: int
    """How many photos the album has."""
    newly_shared: int
    """How many of them the plan keeps and are not public already."""
    posted_count: int = 0
    """How many photos are public already, in the album and beyond it."""
    one_photo: bool = False
    """Whether the plan is about one photo more, beside what is public."""
    notes: tuple[Note, ...] = ()
    advice: Advice | None = None
    """What to ask for instead, where there is no plan or nearly all photos go."""
    blocked: Blocked | None = None
    """Where the posted photos alone break the promise: which, and what to take down."""

    @property
    def infeasible(self) -> bool:
        """Whether it is proved that there is no plan."""
        return self.plan.status == Status.INFEASIBLE

    @property
    def empty(self) -> bool:
        """Whether it promises nothing: within a small budget a place may stay the first guess."""
        return self.plan.found and not self.plan.protected_k


@dataclass(frozen=True)
class PhotoEffect:
    """What one withheld photo would do to one place, as one model sees it."""

    photo: str
    place: str
    model: str
    cells: int
    shared: int
    """How many shared photos the model adds up."""
    rank_without: int | None
    """From the shared photos; None where none is shared."""
    rank_with: int
    """From the shared photos and this one."""
    rank_alone: int
    decoy: str = ""
    """The decoy that this photo speaks against most; empty where it does so against none."""
    ratio: float = 1.0
    """How many times as much the photo looks like the place as like the decoy."""
