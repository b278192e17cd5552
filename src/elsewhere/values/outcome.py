"""What came of a person's wishes for an album, in names and numbers.

`messages` makes the sentences: the verdict, why there is no plan, what to ask for instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.photo_text import TextCheck
from elsewhere.values.plan import Plan, Status
from elsewhere.values.versions import Edit
from elsewhere.values.wishes import Wishes


def largest_secret_top(top: int) -> int:
    """The largest k that may be drawn in secret where a top is asked for: 12/5 of it.

    >>> [largest_secret_top(top) for top in (1, 2, 5, 10)]
    [2, 4, 12, 24]
    """
    return 12 * top // 5


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
class MeasuredTrips:
    """Of real trips, how many have a guess within a radius among the attacker's first five.

    Each is 6 to 35 photos of one source, by attackers that were fitted without that source. The
    names are those of docs/results.md, "Trips", which has the intervals; a test compares them.
    """

    radius_km: float
    before: Mapping[str, int]
    """By attacker, with everything shared."""
    after: Mapping[str, int] | None = None
    """By attacker, with a plan by the default wishes; None where that was not measured."""
    knowing: tuple[int, int, int] | None = None
    """By somebody who learned from such plans, by somebody without any photo, and of how many: the
    trips that have such a plan and lose photos by it."""
    trips: int = 129
    first: int = 5
    photos: tuple[int, int] = (6, 35)
    """The fewest and the most photos of a trip."""


MEASURED = (
    MeasuredTrips(10.0, {"embedded": 44, "DINOv2": 16, "look-up": 28}),
    MeasuredTrips(
        25.0,
        {"embedded": 51, "DINOv2": 20, "look-up": 32},
        {"embedded": 0, "DINOv2": 2, "look-up": 5},
        (22, 5, 87),
    ),
    MeasuredTrips(50.0, {"embedded": 67, "DINOv2": 23, "look-up": 37}),
    MeasuredTrips(100.0, {"embedded": 79, "DINOv2": 28, "look-up": 45}),
)
"""`elsewhere-lab run trips` measures them. Plans ask the first attacker and none of the others. The
defaults were chosen on these trips."""


def measured_trips(
    radius_km: float, photos: int, wishes: Wishes | None = None, *, usual: bool = True
) -> MeasuredTrips | None:
    """What was measured at a radius of albums of so many photos; None where nothing was.

    Plans were measured by the default wishes. Without a plan, or of one that is not `usual`, it is
    only what is found with everything shared.
    """
    found = next((each for each in MEASURED if each.radius_km == radius_km), None)
    if found is None or not found.photos[0] <= photos <= found.photos[1]:
        return None
    if wishes is None:
        return replace(found, after=None)
    default = Wishes()
    same = wishes.each_photo is not False and all(
        getattr(wishes, name) == getattr(default, name)
        for name in (
            *("top", "budget", "hide", "hide_level", "radius_km", "margin", "exact_top", "prior"),
            *("keep", "values", "stars", "bursts", "edits", "max_loss", "rectangles", "as_is"),
        )
    )
    if not same:
        return None
    return found if usual else replace(found, after=None)


@dataclass(frozen=True)
class PlaceNumbers:
    """How far one model finds one hidden place, before a plan and after it."""

    place: str
    model: str
    """As people call it."""
    radius_km: float | None
    """How near a guess must be; None where the model guesses coarse cells."""
    probability_before: float
    """What the model gives the place with everything shared: within the radius of its photos."""
    probability_after: float | None
    """The same from what is shared by the plan; None without a plan or a shared photo."""
    rank_before: int
    """The first of its places that is that near; above `rank_limit`, none of so many is."""
    rank_limit: int | None
    whole: bool = False
    """Whether a whole region or country is hidden, and not only what lies around photos."""
    resolution_km: float = 0.0
    """Where the model cannot tell places of the radius apart here, how far apart it can; else 0."""


@dataclass(frozen=True)
class KeyNumbers:
    """The few numbers that audit, verdict, report, app and JSON lead with, each named apart."""

    places: tuple[PlaceNumbers, ...]
    measured: MeasuredTrips | None = None
    """How often a guess is near for such albums; None where nobody measured it."""
    proved_top: int | None = None
    """None of the models' first so many places is that near: proved; None without a plan."""
    withheld: int = 0
    """How many photos the plan withholds, beside those that the user drops."""

    @property
    def by_ease(self) -> tuple[str, ...]:
        """The hidden places, the most easily found with everything shared first."""
        ease: dict[str, tuple[int, float]] = {}
        for each in self.places:
            found = (each.rank_before, -each.probability_before)
            ease[each.place] = min(found, ease.get(each.place, found))
        return tuple(sorted(ease, key=ease.__getitem__))


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
    home: str = ""
    """The place that is taken for home, where home alone stays hidden."""
    photos: tuple[int, ...] = ()
    """The photos to let go of."""
    amount: float = 0
    """The budget or the radius."""
    mentioned: bool = True
    """Whether a list names it: not where the reasons do, or another of its kind does."""
    shared: int | None = None
    """How many photos it would share; None where nobody tried or that was not found out."""
    withheld: int | None = None
    """How many it would withhold, beside those that the user drops; None without a plan."""
    tried: bool = False
    """Whether it was planned, by the same draw of the secret top."""

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
    """Those that share more, the best first, then those of which that was not found out; None where
    nobody tried them."""


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
    prices: tuple[Alternative, ...] = ()
    """What each part of the wishes costs: how many photos would be shared without it. Of several
    hidden places also what each costs alone: home first, then the most easily found."""
    blocked: Blocked | None = None
    """Where the posted photos alone break the promise: which, and what to take down."""
    refuted: int = 0
    """Where no plan was found: how many choices of photos there are, if all of them were tried and
    each still tells a model what is hidden; else 0."""
    telling: tuple[int, ...] = ()
    """Photos that stay although each tells the place alone: pinned or posted, and exempt."""
    text: TextCheck | None = None
    """What reading the photos' text came to; None where it was not read."""

    @property
    def edits(self) -> Mapping[str, Edit]:
        """How photos are edited that the plan does not share as they are, by name."""
        return {}

    @property
    def radius_km(self) -> float | None:
        """The radius of the places that are promised to be wrong; None where any model's cells
        are too coarse for that."""
        circles = [against.circles for against in self.plan.promise.against]
        if not circles or None in circles:
            return None
        return min(hidden.radius_km for hidden in circles if hidden is not None)

    @property
    def infeasible(self) -> bool:
        """Whether it is proved that there is no plan."""
        return self.plan.status == Status.INFEASIBLE

    @property
    def dropped(self) -> int:
        """How many photos the user drops; those that are withheld for readable text are not."""
        read = sum(len(n.photos) for n in self.notes if n.kind is NoteKind.TELLING_TEXT)
        return len({*self.plan.withheld} & {*self.plan.promise.drop}) - read

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
    cells: int | None
    """How many cells the model guesses; None where it guesses places."""
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
    rank_limit: int | None = None
    """So many places were looked at; a rank above it is none."""
    radius_km: float | None = None
    """How large places are; None where the model guesses cells."""
