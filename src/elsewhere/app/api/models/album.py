"""What lies on the table, as the page is told."""

from __future__ import annotations

from elsewhere.app.api.models.base import Chance, PhotoState, Told


class Place(Told):
    """A place of the album."""

    label: str
    lat: float
    lon: float
    photos: list[int]
    by_time: list[int]
    hidden: bool


class Photo(Told):
    """One photo on the table."""

    n: int
    id: str
    width: int
    height: int
    thumb: str
    """A link that works for ten minutes; GET /api/photos gives fresh ones."""
    share: float | None = None
    """Nats: what is negative gives the place away, what is positive hides it."""
    own_rank: int | None = None
    """Where the place stands by this photo alone."""
    place: str | None = None
    posted: bool = False
    state: PhotoState = "seen"


class Left(Told):
    """A file that is not on the table, and why."""

    name: str
    kind: str
    reason: str
    lost: bool
    """Whether somebody may miss it."""


class Nothing(Told):
    """What was found where no photo could be read."""

    title: str
    sentence: str
    files: list[Left]
    """Every file that was met, with its reason."""


class Scorer(Told):
    """An attacker."""

    word: str
    cells: int


class Album(Told):
    """What lies on the table."""

    name: str
    photos: list[Photo]
    left: list[Left]
    scorers: list[Scorer]


class Guess(Told):
    """A cell as an attacker names it."""

    cell: int
    name: str
    lat: float | None
    lon: float | None
    p: Chance


class PhotoDetails(Told):
    """One photo, looked at closely."""

    photo: Photo
    picture: str
    """A link to a larger rendition."""
    guesses: list[Guess]
    """Its own likeliest places."""
    own_p: Chance | None
    alone: str
    """Where it puts what is hidden by itself, in words; empty where nothing is."""
    changes: list[str]
    """What it changes, in words."""
    leaks: list[tuple[str, str]]
    time: str | None
    rating: int | None


class Folders(Told):
    """A folder and the folders in it."""

    path: str
    parent: str | None
    folders: list[str]
    photos: int
    """How many files in it are called like photos."""


class Link(Told):
    """A link that works for ten minutes."""

    url: str


class Choices(Told):
    """What can be chosen from."""

    scorers: list[str]
    margins: dict[str, str]
    """By name, what each stands for."""
    levels: list[str]
    home: str
    """The folder that the path chooser begins in."""
    example: str
    """The folder of the example album, which anybody may try."""
    not_covered: str
    """What no promise covers, in one line: said wherever somebody is about to post."""


class Session(Told):
    """What it gets for it."""

    secret: str
    version: str
