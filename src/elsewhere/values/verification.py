"""What came of holding a copy against its certificate, as values that strangers may see.

Nothing here holds the secret k: of the check's problems only the kind, the place, the model and
the photo remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from elsewhere.values.photo_text import Clue
from elsewhere.values.plan import Plan
from elsewhere.values.problems import Attack, ProblemKind


@dataclass(frozen=True)
class TriedAttacks:
    """What was tried on the kept photos that no promise is about."""

    model: str
    radius_km: float
    places: int
    """How many of an attack's first places count; the excluder strikes out as many."""
    tried: tuple[Attack, ...]
    hits: tuple[Attack, ...]
    """Those that have something hidden among these places."""


class CopyProblemKind(Enum):
    """Why a copy does not keep its promise."""

    NOT_A_COPY = auto()
    ADDED = auto()
    ADDED_UNREADABLE = auto()
    ADDED_TWICE = auto()
    RENAMED = auto()
    UNREADABLE = auto()
    CHANGED = auto()
    SWAPPED = auto()
    MISSING = auto()
    TOO_LARGE = auto()
    NOT_BARE = auto()
    NOT_SCORED = auto()
    OTHER_CELLS = auto()
    OTHER_PLACES = auto()
    TOO_FEW = auto()
    OTHER_RIVALS = auto()
    ALONE = auto()
    FALSE_PLAN = auto()
    GIVEN_AWAY = auto()
    NOTHING_PROMISED = auto()


@dataclass(frozen=True)
class CopyProblem:
    """One thing that is wrong with a copy or its certificate."""

    kind: CopyProblemKind
    file: str = ""
    other: str = ""
    """The certified file that `file` was, or whose photo it holds."""
    place: str = ""
    model: str = ""
    whole: bool = True
    """Whether the attacker adds up the whole album, or the place's own photos."""
    first: int = 0
    """The k that was asked for, never the one that is kept secret."""
    radius_km: float = 0.0
    """How large the model's places are; 0 where it has cells."""
    plan: ProblemKind | None = None
    """What the certificate's plan says that is not true."""
    detail: str = ""
    """The sentence of the error that was met."""


class CopyNoteKind(Enum):
    """What is not wrong but has to be said."""

    MOVED = auto()
    OTHER_BITS = auto()
    LOOKED_UP = auto()
    FOUND = auto()
    OTHER_HITS = auto()
    TELLING_TEXT = auto()
    TEXT_NOT_READ = auto()
    NO_TELLING_TEXT = auto()
    NO_TEXT_NEAR = auto()


@dataclass(frozen=True)
class CopyNote:
    """One thing that has to be said of a copy; `about` is a model, a place, a path or a file."""

    kind: CopyNoteKind
    about: str
    tried: TriedAttacks | None = None
    """What was tried, where that is what the note is about."""
    clue: Clue | None = None
    """What can be read on a file and names a place near what is hidden."""
    km: float = 0.0
    """How near that is."""
    unread: int = 0
    """Lines of text that were found and not read."""


class ConditionKind(Enum):
    """What a promise rests on. The first ones make it say less."""

    POSTED = auto()
    PRIOR = auto()
    PART = auto()
    TIES = auto()
    NO_MAP = auto()
    LABEL = auto()
    POSSIBLE = auto()
    SMALL_PLACES = auto()
    FINE_CELLS = auto()
    CELLS_BESIDE = auto()
    WEAKER_MODEL = auto()
    NOTHING_PROMISED = auto()
    EXEMPT = auto()
    OWN_PHOTOS = auto()
    EACH_PHOTO = auto()
    NOT_EACH_PHOTO = auto()
    COARSE = auto()
    RIVALS = auto()
    MARGIN = auto()
    LEAD = auto()
    STRICT = auto()
    COST = auto()
    BUDGET = auto()
    PINNED = auto()
    DROPPED = auto()
    GROUPS = auto()
    VALUES = auto()


WEAKENING = frozenset(
    (
        ConditionKind.POSTED,
        ConditionKind.PRIOR,
        ConditionKind.PART,
        ConditionKind.TIES,
        ConditionKind.NO_MAP,
        ConditionKind.LABEL,
        ConditionKind.POSSIBLE,
        ConditionKind.SMALL_PLACES,
        ConditionKind.FINE_CELLS,
        ConditionKind.CELLS_BESIDE,
        ConditionKind.WEAKER_MODEL,
        ConditionKind.NOTHING_PROMISED,
        ConditionKind.EXEMPT,
    )
)
"""With one of these the promise says less than that the models do not find the place here."""


@dataclass(frozen=True)
class Condition:
    """One thing that the promise rests on."""

    kind: ConditionKind
    place: str = ""
    """Empty where it is about the whole promise."""
    model: str = ""
    count: float = 0
    total: float = 0
    detail: str = ""

    @property
    def weakens(self) -> bool:
        """Whether the promise says less because of it."""
        return self.kind in WEAKENING


@dataclass(frozen=True)
class Claim:
    """What was proved of one hidden place against one model."""

    place: str
    model: str
    cells: tuple[int, ...]
    """The cells that the proof is about; none where it is about circles."""
    names: tuple[str, ...]
    """Their names; empty where the model has no map."""
    first: int
    """So many guesses come before the place."""
    asked: bool
    """Whether somebody asked for that number, or it is how far down a budget pushed the place."""
    radius_km: float = 0.0
    """How large places are where they are circles: none of the first is so near; 0 for cells."""
    position: tuple[float, float] = (0.0, 0.0)
    """Where the place is, where places are circles."""
    others: int = 0
    """How many more positions are hidden with it."""
    whole: bool = False
    """Whether the place is a region or country, all of which is hidden."""


@dataclass(frozen=True)
class CopyGuess:
    """What a model guesses from the files alone, as they are."""

    place: str
    model: str
    names: tuple[str, ...]
    """Its first guesses."""
    first: int
    found: bool
    """Whether the hidden place is among the first so many, or one of them is near it."""
    radius_km: float = 0.0
    """How large its places are; 0 where they are cells."""
    whole: bool = False
    """Whether the place is a region or country, all of which is hidden."""


@dataclass(frozen=True)
class Verification:
    """What came of it: true when the copy keeps the certificate's promise."""

    problems: tuple[CopyProblem, ...] = ()
    """Each thing that is wrong; empty when all is right."""
    notes: tuple[CopyNote, ...] = ()
    conditions: tuple[Condition, ...] = ()
    """All that the promise rests on."""
    claims: tuple[Claim, ...] = ()
    """What was proved; empty where something is wrong."""
    guesses: tuple[CopyGuess, ...] = ()
    """What the models guess from the files alone, where they were scored."""
    attacks: tuple[TriedAttacks, ...] = ()
    """What else was tried on the kept photos, where the promise is about circles."""
    files: int = 0
    """How many files the certificate names."""
    reproved: int = 0
    """Against how many views the promise was proved: models × hidden places × scopes."""
    none_better: bool | None = None
    """Whether it was checked that no plan is better than the certificate's, or than its bound;
    None where that was not asked for."""
    plan: Plan | None = None
    """The certificate's plan, where that was checked."""

    def __bool__(self) -> bool:
        return not self.problems
