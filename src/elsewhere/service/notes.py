"""What a person should know beside a plan or an audit, as values; `messages.note` words them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere.album import Photo
from elsewhere.album.places import Places
from elsewhere.globe import cell_names, place as find_place
from elsewhere.globe.areas import distance_km
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.places import PlaceSelection, hidden_name
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat, neighbours
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.plan import Plan
from elsewhere.values.wishes import HideScope, Wishes
from elsewhere.values.wording import apart_only

SURE = 0.5
FAR_KM = 750.0


def place_mismatches(seen: ScoredAlbum, threats: Sequence[Threat]) -> Iterator[Note]:
    """A note for each place that was told, from whose photos a model is sure of one far away."""
    in_files = {photo.metadata.position for photo in seen.photos}
    for threat in threats:
        place, model = threat.place, seen.models[threat.model]
        cells = model.about.globe
        if not threat.own or cells is None or (place.lat, place.lon) in in_files:
            continue
        own = range(len(seen.photos)) if threat.sees is None else threat.sees
        rows = model.scores.values[[n for n in own if n < len(seen.photos)]]
        if not len(rows):
            continue
        belief = combine_rows(rows, model.about.exponents)
        best = int(np.argmax(belief))
        sure, away = float(np.exp(belief[best])), distance_km(cells, place.lat, place.lon)[best]
        if sure > SURE and away > FAR_KM and best not in threat.zone:
            yield Note(
                NoteKind.OTHER_PLACE,
                model=model.display_name,
                places=(cell_names(cells)[best], place.label),
                share=sure,
                km=float(away),
            )


LEAST = 0.03
"""Bytes per pixel of a rendition: a grey screen takes about half of that, even a sunset or a bird
before a plain wall twice as much."""
FOREMOST = 3
"""So many of a threat's kept photos carry its promise most."""


def low_detail_notes(
    seen: ScoredAlbum, threats: Sequence[Threat], plan: Plan, posted: Posted, top: int | None
) -> Iterator[Note]:
    """A note for each such photo; `top` is the one asked for, so that the secret one stays so."""
    kept = posted.newly_shared(plan.kept, len(seen.photos))
    plain = {number for number in kept if shows_little(seen.photos[number])}
    if not plain:
        return
    found: set[int] = set()
    for threat, view in zip(threats, plan.views, strict=True):
        numbers = [n for n in plan.kept if threat.sees is None or n in threat.sees]
        rivals = list(view.rivals[:top])
        if not numbers or not rivals or plain.isdisjoint(numbers):
            continue
        rows = posted.append_to(seen.models[threat.model].scores, threat.model).values[numbers]
        rows = np.maximum(rows.astype(np.float64), -1e6)  # what is ruled out stays a number
        truth = rows[:, threat.zone.cells].max(axis=1, keepdims=True)
        gains = (rows[:, rivals] - truth).sum(axis=1)
        first = np.argsort(-gains, kind="stable")[:FOREMOST]
        found |= plain & {numbers[place] for place in first.tolist() if gains[place] > 0}
    for number in sorted(found):
        yield Note(NoteKind.LOW_DETAIL, photos=(seen.photos[number].id,))


def shows_little(photo: Photo) -> bool:
    """Whether a picture is all but plain, by how few bytes it takes."""
    rendition = photo.rendition
    return rendition.size < LEAST * rendition.width * rendition.height


def plan_independent_notes(
    seen: ScoredAlbum,
    places: Places,
    chosen: PlaceSelection,
    threats: Sequence[Threat],
    *,
    wishes: Wishes,
    posted: Posted,
    groups: Sequence[Sequence[int]] = (),
) -> tuple[Note, ...]:
    """What to know of the album, its places and the models, whatever the plan."""
    notes = [*place_mismatches(seen, threats), *places.notes, *chosen.notes]
    notes += _location_notes(seen, places, chosen, wishes.width)
    notes += _coarse_cells(threats, seen)
    if wishes.prior is not None:
        notes.append(Note(NoteKind.PRIOR, places=(find_place(wishes.prior).label,)))
    if groups:
        photos = sum(map(len, groups))
        notes.append(Note(NoteKind.BURSTS, count=len(groups), photo_count=photos))
    return tuple(dict.fromkeys([*notes, *posted.notes]))


def _location_notes(
    seen: ScoredAlbum, places: Places, chosen: PlaceSelection, width: HideScope
) -> Iterator[Note]:
    """Which photos count where, beyond their positions."""
    names = apart_only([photo.id for photo in seen.photos])
    by_time = tuple(names[n] for place in places.places for n in place.by_time)
    if by_time:
        yield Note(NoteKind.PLACED_BY_TIME, photos=by_time)
    if places.unplaced and len(places.places) + len(places.unplaced) > 1:
        yield Note(NoteKind.UNPLACED, photos=tuple(names[n] for n in places.unplaced))
    labels = {place.label for place in chosen.hidden}
    for place in chosen.hidden:
        near = set(neighbours(seen, places, place, width))
        public = [
            other.label
            for other in places.places
            if other.label not in labels and near.intersection(other.photos)
        ]
        if public:
            name = hidden_name(place, width)
            yield Note(NoteKind.PUBLIC_INSIDE, places=(name, place.label, *public))


def _coarse_cells(threats: Sequence[Threat], seen: ScoredAlbum) -> Iterator[Note]:
    """Where cells are larger than what should be hidden: one note a model."""
    for number, model in enumerate(seen.models):
        coarse = [w for w in threats if w.model == number and w.zone.widest_cell_km]
        if coarse:
            yield Note(
                NoteKind.COARSE_CELLS,
                places=tuple(dict.fromkeys(threat.hidden_name for threat in coarse)),
                model=model.display_name if len(seen.models) > 1 else "",
                km=max(threat.zone.widest_cell_km for threat in coarse),
                radius_km=coarse[0].zone.radius_km,
            )
