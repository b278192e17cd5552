"""The joint problem of an album: for each scorer and each hidden place, who adds up what.

Each scorer watches a hidden place twice: over its own photos and over the whole album. Its own are
those taken there, those of unknown place, and those of other places taken inside what is hidden.

Where a scorer's cells are fine, places are hidden by circles (`HiddenCircles`), all of them from
each attacker. Where they are coarse, the cells around a place are hidden, and rivals are the cells
outside every hidden zone: a hidden place is never another one's decoy, a public place may be. What
the audience knows already (`prior`) leaves only the cells that touch that country, region or town.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError
from elsewhere.globe import Zone, place as find_place, zone_of_cells, zone_of_place
from elsewhere.scorers import ScorerInfo
from elsewhere.scorers.protocol import exponent
from elsewhere.service.album_versions import AlbumVersions
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.selection import (
    at,
    cells_of,
    hidden_name,
    hidden_positions,
    hidden_zone,
    inside,
)
from elsewhere.service.text_rows import add_texts, hidden_cells
from elsewhere.values.promise import MAX_RADIUS_KM, HiddenCircles
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
    """The place in this scorer's cells: what must stay out of the top, where no circles are."""
    sees: tuple[int, ...] | None
    """The photos that are added up, those already posted behind the album's; None for all."""
    own: bool = False
    """Whether these are the place's own photos; the whole album may be just them."""
    rivals: tuple[int, ...] | None = None
    """The cells that may come before the place: outside every hidden zone. With circles, those that
    the audience thinks possible; None for all."""
    circles: HiddenCircles | None = None
    """All hidden places, where the scorer's cells are fine enough."""
    hidden_name: str = ""
    """What is hidden, by name: the place, or the region or country that it lies in."""
    width: HideScope = field(default_factory=HideScope)
    """How widely it is hidden."""

    @property
    def whole_area(self) -> bool:
        """Whether a whole region or country is hidden, and not only what lies around photos."""
        return self.place.area is not None or self.width.level in {"region", "country"}

    @property
    def resolution_km(self) -> float:
        """Where circles are finer than the cell around the place, how wide that is; else 0."""
        if self.circles is None or self.zone.widest_cell_km <= 2 * self.circles.radius_km:
            return 0.0
        return self.zone.widest_cell_km


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
        circles = hidden_circles(model.about, hidden, width, count + len(posted.ids))
        for place, zone, photos in zip(hidden, zones, own_photos, strict=True):
            everything = len(photos) == count + len(posted.ids)
            whole = Threat(
                model=number,
                place=place,
                whole=True,
                zone=zone,
                sees=None,
                own=everything,
                rivals=rivals,
                circles=circles,
                hidden_name=hidden_name(place, width),
                width=width,
            )
            if photos and not everything:
                own_exponent = min(1.0, exponent(model.about.exponents, len(photos)))
                own_circles = circles and replace(circles, exponent=own_exponent)
                threats.append(
                    replace(whole, whole=False, sees=photos, own=True, circles=own_circles)
                )
            threats.append(whole)
    return tuple(threats)


def hidden_circles(
    about: ScorerInfo, hidden: Sequence[AlbumPlace], width: HideScope, photos: int
) -> HiddenCircles | None:
    """All hidden places as circles for a scorer; None where its cells are too coarse.

    Of a region or country every cell in it is hidden, by its point.
    """
    if about.points is None or about.globe is None or width.level == "cell":
        return None
    found: set[tuple[float, float]] = set()
    for place in hidden:
        found.update(hidden_positions(about.globe, place, width))
    if width.radius_km > MAX_RADIUS_KM:
        raise InputError(
            f"places are hidden within {MAX_RADIUS_KM:g} km at most, not within "
            f"{width.radius_km:g} km: hide a whole region or country instead"
        )
    calibrated = min(1.0, exponent(about.exponents, photos))
    return HiddenCircles(tuple(sorted(found)), width.radius_km, calibrated)


def threat_scores(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    posted: Posted,
    versions: AlbumVersions | None = None,
) -> tuple[Scores, ...]:
    """The scores of each threat, with what is posted already behind them.

    One row for each photo, or for each of its versions; what its text says counts too.
    """
    by_model = []
    for number, model in enumerate(scored.models):
        scores = model.scores if versions is None else versions.expand(model.scores, number)
        own = [threat for threat in threats if threat.model == number]
        if own and scored.texts and model.about.globe is not None:
            hidden = hidden_cells(
                model.about.globe, own[0].circles, [threat.zone.cells for threat in own]
            )
            scores = add_texts(scores, scored, model.about.globe, hidden, versions)
        by_model.append(posted.append_to(scores, number))
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
) -> tuple[list[Zone], tuple[int, ...] | None]:
    """What is hidden of each place in a scorer's cells, and the rivals outside all of it.

    Known from the places alone, before any photo is scored. A prior limits both to its own cells.
    Fewer rivals than the top asks for are refused. Where places are hidden by circles, the rivals
    are the cells that the prior leaves, None without one.
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
    if about.points is not None and wishes.hide_level != "cell":
        cells_left = None if wishes.prior is None else tuple(np.flatnonzero(possible).tolist())
        return zones, cells_left
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
