"""What the page may ask for: nothing that nobody expects is taken."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from elsewhere.app.api.models.base import Asked, Level, Name, Names, Order, Text


class Opening(Asked):
    """What the page knows when it is opened."""

    token: Annotated[str, Field(max_length=200)]


class OpenAlbum(Asked):
    """Folders and photos to lay on the table."""

    paths: Annotated[list[Name], Field(min_length=1, max_length=100)]
    scorers: Annotated[list[Text], Field(min_length=1, max_length=8)] | None = None
    """Those that the server was started with, unless told."""


class Wishes(Asked):
    """What the person wants, as a whole; as the options of `elsewhere protect`."""

    top: Annotated[int, Field(ge=1, le=100_000)] | None = 5
    """Not among so many first guesses; null where a budget is given."""
    budget: (
        Annotated[int, Field(ge=0, le=1_000_000)] | Annotated[str, Field(max_length=20)] | None
    ) = None
    """Instead: withhold at most so many photos, or "10%"."""
    at: Annotated[list[Text], Field(max_length=20)] = []
    """Where the album was taken, where its files do not say."""
    hide: Annotated[list[Text], Field(min_length=1, max_length=100)] = ["all"]
    hide_level: Level | None = None
    radius_km: Annotated[float, Field(ge=0, le=20_040, allow_inf_nan=False)] = 25.0
    margin: Annotated[str, Field(max_length=20)] = "careful"
    """none, careful, paranoid, or nats per photo as text."""
    each_photo: bool = True
    """Where that can be had; the plan says so where it cannot."""
    bursts: bool = False
    prior: Text | None = None
    stars: bool = False
    exact_top: bool = False
    keep: Annotated[list[Name], Field(max_length=20_000)] = []
    """Pinned photos, by id."""
    drop: Annotated[list[Name], Field(max_length=20_000)] = []
    posted: Annotated[list[Name], Field(max_length=20_000)] = []
    """Photos of the album that are public already: counted, never withheld, not written again."""
    scorers: Annotated[list[Text], Field(min_length=1, max_length=8)] = ["embedded"]
    """Those that are new are asked about the photos first: the answer is then a job."""


class Export(Asked):
    """Where the copy goes."""

    version: Annotated[int, Field(ge=0)]
    """The plan that the person saw (`plan.version`): no other one is written."""
    target: Annotated[str, Field(min_length=1, max_length=4096)]
    private: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    order: Order = "shuffled"
    names: Names = "neutral"
    remember: bool = False
