"""What a report is made of: values only. `service/report.py` fills them in.

Every number of a report is here, so the page can be tested without photos, scorers or solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from elsewhere.audit import Audit, Guess, Leaking
from elsewhere.globe.coordinates import Box
from elsewhere.values.outcome import MeasuredTrips
from elsewhere.values.versions import Edit, picture_lost


class PhotoState(StrEnum):
    """What becomes of a photo."""

    SHARED = "shared"
    EDITED = "shared edited"
    WITHHELD = "withheld"
    PUBLIC = "already public"
    AUDITED = "seen"
    """Only looked at: no plan was made."""


@dataclass(frozen=True)
class EditedPicture:
    """How a photo goes out that is not shared as it is."""

    edit: Edit
    preview: bytes = b""
    """A small JPEG of it as it goes out; empty where there is none to show."""
    gain: float | None = None
    """Its share as edited, in nats."""

    @property
    def lost(self) -> float:
        """The share of the picture that is gone."""
        return float(picture_lost(self.edit))


@dataclass(frozen=True)
class PhotoPicture:
    """One photo as the report shows it."""

    name: str
    state: PhotoState
    preview: bytes = b""
    """A small JPEG; empty where there is none to show."""
    gain: float | None = None
    """Its share in nats; a negative one gives the place away, and the page turns the sign."""
    note: str = ""
    """Why it had to stay or go, its new name; may be empty."""
    edited: EditedPicture | None = None
    """How it goes out, where it is edited."""
    texts: tuple[ReadText, ...] = ()
    """What is written on it."""


@dataclass(frozen=True)
class ReadText:
    """One line of text on a photo."""

    text: str
    """In quotes; or that it was not read."""
    meaning: str = ""
    """What it may mean, and how sure that is; empty where it says nothing."""
    telling: bool = False
    """Whether it names a place near what is hidden."""


@dataclass(frozen=True)
class AttackerView:
    """One hidden place as one attacker sees it, before and after."""

    before: Audit
    after: Audit | None = None
    """Of the shared and public photos; None where there are none, and without a plan."""
    decoys: tuple[Guess, ...] = ()
    """The cells that outrank the place afterwards, the furthest ahead first."""
    zone: tuple[Box, ...] = ()
    """The ground of the zone; empty where it is not known."""
    scope: str = ""
    """Which photos are added up: "the whole album"."""
    target: str = "within 25 km"
    """Where a guess is right, in the words of what is hidden: "within 25 km", "in Portugal"."""
    radius_km: float | None = 25.0
    """None for a cell, a city or a country: then the page shows the zone's probability."""
    positions: tuple[tuple[float, float], ...] = ()
    """Where circles of the audit's radius are hidden; empty where the zone is outlined."""


_MAX_BOUND = 1000


@dataclass(frozen=True)
class FrontierStep:
    """One number of withheld photos."""

    withheld: int
    protected: int
    """The place is not among this many first guesses."""
    bound: int
    """No plan that withholds as few protects more."""
    lost: Fraction | None = None
    """What is lost at most, in photos, where photos have versions."""

    @property
    def loss(self) -> float:
        """What is lost, in photos: those withheld, and parts of those that are edited."""
        return self.withheld if self.lost is None else float(self.lost)

    @property
    def proved(self) -> bool:
        """Whether nothing better exists."""
        return self.protected == self.bound

    @property
    def bounded(self) -> bool:
        """Whether the bound says anything: of places it may be the number of all cells."""
        return self.bound <= _MAX_BOUND


@dataclass(frozen=True)
class FrontierSteps:
    """What each number of withheld photos buys."""

    steps: tuple[FrontierStep, ...]
    greedy: tuple[tuple[float, int], ...] = ()
    """The paper's baseline beside it: photos withheld, protected-k."""
    plan_point: tuple[float, int] | None = None
    """The plan: photos withheld, protected-k."""
    requested_top: int | None = None
    """The k that was asked for."""
    used_top: int | None = None
    """The k that the plan was made for, at least the one asked for; None under a budget."""


@dataclass(frozen=True)
class Explanation:
    """One withheld photo in words."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class AttackerAccuracy:
    """Whom the promise is against."""

    name: str
    cells: int | None
    """None where its cells are fine: it guesses places."""
    accuracy: Mapping[str, Mapping[int, float]]
    """By continent, and "" for everywhere: by distance in km, how often the first guess for a
    single photo is nearer. Empty where nobody measured it."""
    continents: tuple[str, ...] = ()
    """The continents that the hidden places lie in."""
    note: str = ""


@dataclass(frozen=True)
class SkippedReason:
    """A file that is not in the album."""

    name: str
    reason: str


@dataclass(frozen=True)
class Contents:
    """All of a report."""

    album: str
    verdict: str
    """One sentence."""
    holds: bool | None
    """Whether there is a plan that keeps the promise; None where only an audit was made."""
    state: str
    """The same in a few words."""
    photos: tuple[PhotoPicture, ...]
    """In the album's order."""
    numbers: tuple[str, ...] = ()
    """What was measured and what the models believe, a sentence each."""
    measured: MeasuredTrips | None = None
    """How often a guess is near for such albums."""
    notes: tuple[str, ...] = ()
    """Sentences beside the verdict."""
    views: tuple[AttackerView, ...] = ()
    """Those that are shown in full."""
    other_views: tuple[AttackerView, ...] = ()
    """Other attackers and scopes, of which only the numbers are shown."""
    frontier: FrontierSteps | None = None
    explanation: Explanation | None = None
    limits: tuple[str, ...] = ()
    """What the promise does not cover, a sentence each."""
    attackers: tuple[AttackerAccuracy, ...] = ()
    leaks: tuple[Leaking, ...] = ()
    skipped: tuple[SkippedReason, ...] = ()
    command: str = ""
    """The command that made the report, as it was typed."""
    origin: Mapping[str, str] | None = None
    """With what it was made: the version, the copy, the certificate."""
