"""Albums made up as plain values: photos that no file holds, seen by scorers that do not exist.

`photo` makes one photo from what is known of it, `seen` an album from photos and score rows, and
`trip` a whole one: photos of towns of the real globe, with scores as a model might give them. The
simulator's worlds have no map; here the prototypes of its cells vary smoothly over the globe, so
that neighbouring cells look alike and a zone is as hard to hide as it is in earnest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere import messages
from elsewhere.album import Album, Metadata, Photo, Recipe, Rendition, SkippedFile
from elsewhere.album.renditions import Spool
from elsewhere.globe import Cells, between_km, place
from elsewhere.globe.coordinates import unit_vector
from elsewhere.scorers import ScorerInfo
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.values.notes import Note
from elsewhere.values.scores import Scores
from elsewhere_lab.simulator import KINDS, World

SPOOL = Spool()
"""Where the contents of made-up photos lie: a few bytes each, which are no picture."""
NOON = datetime(2024, 5, 1, 12)


def photo(
    name: str,
    position: tuple[float, float] | None = None,
    time: datetime | None = None,
    rating: int | None = None,
) -> Photo:
    """One photo, as far as places and plans look at it."""
    content = name.encode()
    digest, start = sha256(content).hexdigest(), SPOOL.put(content)
    rendition = Rendition(digest, 4, 3, len(content), SPOOL, start)
    return Photo(name, Path(name), rendition, Metadata(position, time, rating))


def attack(
    rows: ArrayLike, ids: Sequence[str], word: str = "made-up", **about: object
) -> ModelScores:
    """One scorer's view; its cells are the default ones unless `globe` says otherwise."""
    cells = about.pop("globe", Cells.paper())
    assert cells is None or isinstance(cells, Cells)
    grid, points = ("", None) if cells is None else (cells.fingerprint, cells.points)
    fine = points if cells is not None and cells.fine else None
    scores = Scores(rows, ids, scorer=f"print of {word}", grid=grid, points=fine)
    known = ScorerInfo(
        word,
        f"print of {word}",
        scores.cells,
        scores.grid,
        cells,
        **about,  # type: ignore[arg-type]
    )
    return ModelScores(word, known, scores)


def seen(
    photos: Sequence[Photo], *rows: ArrayLike | ModelScores, left: Sequence[SkippedFile] = ()
) -> ScoredAlbum:
    """An album of these photos; each of `rows` is (photos, cells), for one scorer."""
    ids = [one.id for one in photos]
    attacks = [
        one if isinstance(one, ModelScores) else attack(one, ids, f"made-up {number}")
        for number, one in enumerate(rows)
    ]
    album = Album(tuple(photos), tuple(left), Recipe(), SPOOL)
    return ScoredAlbum(album, tuple(photos), tuple(attacks), tuple(left))


@cache
def globe_like_world(seed: int = 0) -> World:
    """The simulator's world "w1" on the real globe: what looks alike lies near."""
    rng = np.random.default_rng(seed)
    p = KINDS["w1"]
    where = unit_vector(*Cells.paper().centres)

    def smooth(km: float) -> NDArray[np.float64]:
        """Random vectors, one a cell, that change over distances of about so many km."""
        waves = np.cos(where @ rng.normal(scale=6371 / km, size=(3, 400)) + rng.uniform(0, 7, 400))
        return np.asarray(waves @ rng.normal(scale=(2 / 400 / p.d) ** 0.5, size=(400, p.d)))

    own = rng.normal(scale=p.d**-0.5, size=(len(where), p.d))
    prototypes = p.alpha * smooth(2500) + p.delta * smooth(400) + p.beta * own
    nothing = np.zeros(len(where), np.intp)
    return World(p, prototypes, nothing, nothing)


@dataclass(frozen=True)
class Stay:
    """Some photos taken in one town on one day."""

    town: str
    photos: int
    day: int
    """Days after the first of May."""
    spread_km: float = 5.0


def trip(stays: Sequence[Stay], *, scorers: int = 1, seed: int = 0, lost: int = 0) -> ScoredAlbum:
    """An album of several stays, ten minutes between photos, positions around each town.

    The last `lost` photos have neither a position nor a time; they were taken at the first stay.
    """
    rng = np.random.default_rng(seed)
    world, cells = globe_like_world(), Cells.paper()
    photos: list[Photo] = []
    banks = []
    for number, stay in enumerate([*stays, Stay(stays[0].town, lost, 0)] if lost else stays):
        town = place(stay.town)
        start = NOON + timedelta(days=stay.day) - timedelta(minutes=5 * stay.photos)
        for shot in range(stay.photos):
            name = f"IMG_{len(photos):04}.jpg"
            north, east = rng.normal(scale=stay.spread_km / 2 / 111, size=2)
            where = town.lat + float(north), town.lon + float(east / np.cos(np.radians(town.lat)))
            when = start + timedelta(minutes=10 * shot)
            photos.append(photo(name, where, when) if number < len(stays) else photo(name))
        cell = cells.locate(town.lat, town.lon)
        views = world.views(cell, stay.photos, rng, attackers=scorers, common=0.3)
        banks.append(np.stack(views))
    rows = np.concatenate(banks, axis=1)
    return seen(photos, *rows)


def on_leaves(
    *photos: tuple[tuple[float, float] | None, dict[tuple[float, float], float]],
    word: str = "embedded",
    **about: object,
) -> ScoredAlbum:
    """An album as a model with fine cells sees it: positions, and hills of belief around places."""
    lats, lons = Cells.leaves().points
    rows = np.zeros((len(photos), Cells.leaves().count), dtype=np.float32)
    for number, (_, beliefs) in enumerate(photos):
        for (lat, lon), height in beliefs.items():
            km = between_km(lats, lons, lat, lon)
            rows[number] += height * np.exp(-((km / 15) ** 2) / 2)
    rows -= np.log(np.exp(rows).sum(axis=1, keepdims=True))
    files = [photo(f"{number}.jpg", position) for number, (position, _) in enumerate(photos)]
    ids = [one.id for one in files]
    return seen(files, attack(rows, ids, word, globe=Cells.leaves(), **about))


def texts(notes: Sequence[Note]) -> tuple[str, ...]:
    """The notes as the terminal says them."""
    return tuple(messages.note(note) for note in notes)
