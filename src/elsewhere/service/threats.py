"""The joint problem of an album: for each scorer and each hidden place, who adds up what.

A hidden place is watched twice by each scorer: over its own photos, as somebody does who can tell
them from the others, and over the whole album. Its own are those taken there, those that nobody
knows the place of, and those of other places that were taken inside what is hidden.

Rivals are the cells outside every hidden zone. A hidden place is never another one's decoy: Lisbon
pushed out in favour of Porto protects nobody where both are hidden. Public places may be decoys.
What the audience knows already (`prior`) makes the world smaller: only cells that touch that
country, region or town count, as rivals and as truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError
from elsewhere.globe import Cells, Place, Zone, place as called, zone_of_cells, zone_of_place
from elsewhere.scorers import ScorerInfo
from elsewhere.service.places import at, hidden_name, hidden_zone, inside
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum, model_name
from elsewhere.values.wishes import HideScope, Wishes


@dataclass(frozen=True)
class Threat:
    """One attacker of the joint problem: one scorer × one hidden place × one scope."""

    model: int
    """Which of `seen.models`."""
    place: AlbumPlace
    whole: bool
    """Whether the whole album is added up, or only the place's own photos and the unplaced."""
    zone: Zone
    """The truth: what must stay out of the top, in this scorer's cells."""
    sees: tuple[int, ...] | None
    """The photos that are added up, those already posted behind the album's; None for all."""
    own: bool = False
    """Whether these are the place's own photos; the whole album may be just them."""
    rivals: tuple[int, ...] = ()
    """The cells that may come before the place: outside every hidden zone."""
    hidden_name: str = ""
    """What is hidden, by name: the place, or the region or country that it lies in."""
    width: HideScope = field(default_factory=HideScope)
    """How widely it is hidden."""


def find_threats(
    seen: ScoredAlbum,
    places: Places,
    hidden: Sequence[AlbumPlace],
    width: HideScope,
    *,
    prior: Place | None = None,
    posted: Posted,
) -> tuple[Threat, ...]:
    """All watches, scorer by scorer, place by place, own photos first."""
    total = len(seen.photos) + len(posted.ids)
    own = [_own(seen, places, place, width, posted) for place in hidden]
    made = []
    for number, attack in enumerate(seen.models):
        zones, rivals = _zones(attack.spec, attack.about, hidden, width, prior)
        for place, zone, mine in zip(hidden, zones, own, strict=True):
            name = hidden_name(place, width)
            everything = len(mine) == total
            if mine and not everything:
                made.append(Threat(number, place, False, zone, mine, True, rivals, name, width))
            made.append(Threat(number, place, True, zone, None, everything, rivals, name, width))
    return tuple(made)


def outside(
    scorers: Sequence[tuple[str, ScorerInfo]], hidden: Sequence[AlbumPlace], wishes: Wishes
) -> None:
    """Refuse what leaves too few rivals: known from the places alone, before any photo is scored.

    `scorers` are words with what their scorers say of themselves.
    """
    prior = None if wishes.prior is None else called(wishes.prior)
    for word, about in scorers:
        _, rivals = _zones(word, about, hidden, wishes.width, prior)
        check_top(wishes.top, len(rivals))


def check_top(top: int | None, most: int) -> None:
    """Refuse a top that there are not enough rivals for, in words of places."""
    if top is not None and top > most:
        raise InputError(
            f"top {top} is out of reach: outside what is hidden there are only "
            f"{most} cells that could be guessed instead"
        )


def cells_of(attack: ModelScores) -> Cells:
    """The cells that a scorer's columns stand for."""
    return _cells(attack.spec, attack.about)


def _cells(word: str, about: ScorerInfo) -> Cells:
    if about.globe is None:
        raise InputError(
            f"the scorer {word} does not say which cells its columns stand for, so no place "
            "can be found among them: give it its cells, or use another scorer"
        )
    return about.globe


def _zones(
    word: str,
    about: ScorerInfo,
    hidden: Sequence[AlbumPlace],
    width: HideScope,
    prior: Place | None,
) -> tuple[list[Zone], tuple[int, ...]]:
    """What is hidden of each place in a scorer's cells, and the rivals outside all of it."""
    cells = _cells(word, about)
    world = np.ones(cells.count, bool)
    if prior is not None:
        world[:] = False
        world[zone_of_place(cells, prior).cells] = True
    zones = [_zone(cells, place, width, world, prior) for place in hidden]
    free = world.copy()
    for zone in zones:
        free[zone.cells] = False
    rivals = tuple(np.flatnonzero(free).tolist())
    if not rivals:
        raise InputError(
            f"what is hidden covers every cell of {model_name(word)} that could be guessed "
            "instead: hide less widely, or fewer places"
        )
    return zones, rivals


def _zone(
    cells: Cells, place: AlbumPlace, width: HideScope, world: np.ndarray, prior: Place | None
) -> Zone:
    """The truth of a place, as far as the audience thinks it possible."""
    found = hidden_zone(cells, place, width)
    if prior is None:
        return found
    if not at(place, prior):
        raise InputError(
            f"{place.label} does not lie in {prior.label}: what the audience knows already must "
            "hold every hidden place"
        )
    return zone_of_cells(cells, found.cells[world[found.cells]].tolist())


def _own(
    seen: ScoredAlbum, places: Places, place: AlbumPlace, width: HideScope, posted: Posted
) -> tuple[int, ...]:
    """The photos that speak of a place, by number."""
    mine = {*place.photos, *places.unplaced}
    mine.update(neighbours(seen, places, place, width))
    count = len(seen.photos)
    where = {n: known.position for n, known in enumerate(posted.metadata, count)}
    known = {n: position for n, position in where.items() if position is not None}
    near = inside(place, width, list(known.values()))
    mine.update(n for n, there in zip(known, near, strict=True) if there)
    mine.update(n for n in where if n not in known)
    return tuple(sorted(mine))


def neighbours(
    seen: ScoredAlbum, places: Places, place: AlbumPlace, width: HideScope
) -> tuple[int, ...]:
    """Photos of the album's other places that were taken inside what is hidden of this one."""
    found: set[int] = set()
    for other in places.places:
        if other.label == place.label:
            continue
        where = {
            n: position
            for n in other.photos
            if (position := seen.photos[n].metadata.position) is not None
        }
        near = inside(place, width, list(where.values()))
        there = [n for n, is_near in zip(where, near, strict=True) if is_near]
        found.update(there)
        if there:
            found.update(other.by_time)
    return tuple(sorted(found))
