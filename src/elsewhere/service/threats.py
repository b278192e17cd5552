"""The joint problem of an album: for each scorer and each hidden place, who adds up what.

Each scorer watches a hidden place twice: over its own photos and over the whole album. Its own are
those taken there, those of unknown place, and those of other places taken inside what is hidden.

Rivals are the cells outside every hidden zone: a hidden place is never another one's decoy, a
public place may be. What the audience knows already (`prior`) leaves only the cells that touch that
country, region or town, as rivals and as truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError
from elsewhere.globe import Zone, place as find_place, zone_of_cells, zone_of_place
from elsewhere.scorers import ScorerInfo
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.selection import at, cells_of, hidden_name, hidden_zone, inside
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import HideScope, Wishes


@dataclass(frozen=True)
class Threat:
    """One attacker of the joint problem: one scorer × one hidden place × one scope."""

    model: int
    """Which of the album's models."""
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
    scored: ScoredAlbum,
    places: Places,
    hidden: Sequence[AlbumPlace],
    wishes: Wishes,
    posted: Posted,
) -> tuple[Threat, ...]:
    """All threats, model by model, place by place, own photos first."""
    count, width = len(scored.photos), wishes.width
    positions = {n: known.position for n, known in enumerate(posted.metadata, count)}
    known = {n: position for n, position in positions.items() if position is not None}
    own_photos = []
    for place in hidden:
        near = inside(place, width, list(known.values()))
        own = {*place.photos, *places.unplaced}
        own.update(n for n, is_near in zip(known, near, strict=True) if is_near)
        own.update(n for n in positions if n not in known)
        for other in places.places:  # photos of another place, taken inside what is hidden
            metadata = {n: scored.photos[n].metadata for n in other.photos}
            located = {n: m.position for n, m in metadata.items() if m.position is not None}
            near = inside(place, width, list(located.values()))
            own.update(n for n, is_near in zip(located, near, strict=True) if is_near)
            if near.any():
                own.update(other.by_time)
        own_photos.append(tuple(sorted(own)))
    threats = []
    for number, model in enumerate(scored.models):
        zones, rivals = zones_and_rivals(model.spec, model.about, hidden, wishes)
        for place, zone, photos in zip(hidden, zones, own_photos, strict=True):
            name = hidden_name(place, width)
            everything = len(photos) == count + len(posted.ids)
            if photos and not everything:
                threats.append(
                    Threat(number, place, False, zone, photos, True, rivals, name, width)
                )
            threats.append(Threat(number, place, True, zone, None, everything, rivals, name, width))
    return tuple(threats)


def threat_scores(
    scored: ScoredAlbum, threats: Sequence[Threat], posted: Posted
) -> tuple[Scores, ...]:
    """The scores of each threat, with what is posted already behind them."""
    by_model = [posted.append_to(model.scores, n) for n, model in enumerate(scored.models)]
    return tuple(by_model[threat.model] for threat in threats)


def check_top(top: int | None, limit: int) -> None:
    """Refuse a top that there are not enough rivals for, in terms of places."""
    if top is not None and top > limit:
        raise InputError(
            f"top {top} is out of reach: outside what is hidden there are only "
            f"{limit} cells that could be guessed instead"
        )


def zones_and_rivals(
    spec: str, about: ScorerInfo, hidden: Sequence[AlbumPlace], wishes: Wishes
) -> tuple[list[Zone], tuple[int, ...]]:
    """What is hidden of each place in a scorer's cells, and the rivals outside all of it.

    Known from the places alone, before any photo is scored. A prior limits both to its own cells.
    Fewer rivals than the top asks for are refused.
    """
    cells = cells_of(spec, about)
    zones = [hidden_zone(cells, place, wishes.width) for place in hidden]
    possible = np.ones(cells.count, bool)
    if wishes.prior is not None:
        prior = find_place(wishes.prior)
        possible[:] = False
        possible[zone_of_place(cells, prior).cells] = True
        for number, place in enumerate(hidden):
            if not at(place, prior):
                raise InputError(
                    f"{place.label} does not lie in {prior.label}: what the audience knows already "
                    "must hold every hidden place"
                )
            inside_zone = zones[number].cells
            zones[number] = zone_of_cells(cells, inside_zone[possible[inside_zone]].tolist())
    for zone in zones:
        possible[zone.cells] = False
    rivals = tuple(np.flatnonzero(possible).tolist())
    if not rivals:
        raise InputError(
            f"what is hidden covers every cell of {model_name(spec)} that could be guessed "
            "instead: hide less widely, or fewer places"
        )
    check_top(wishes.top, len(rivals))
    return zones, rivals
