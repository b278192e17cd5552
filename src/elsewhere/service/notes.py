"""Where a model is sure of another place than the one that the user said: perhaps it was a slip.

What is typed is believed, and a promise about the wrong place is kept easily: the model does not
find it, for the photos are of somewhere else. A name that two towns have, or a wrong country, would
then pass for good news. Positions in the files are not doubted: a model may be wrong of those.

Kept pictures that show hardly anything although the promise leans on them.

A model has an opinion of a plain grey screen, too, and may take it for anywhere else: the planner
then keeps it as a decoy. People who guess are not fooled, and leave it out. Whether it should stay
is for the user to say; here it is only named.

What has to be said beside the verdict: where photos were counted and why, and how coarsely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere.album import Photo
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.globe import Place, cell_names
from elsewhere.globe.distance import distance_km
from elsewhere.scorers.calibration import combine_rows
from elsewhere.service.places import PlaceSelection, hidden_name, hidden_names
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.service.threats import Threat, neighbours
from elsewhere.values.plan import Plan
from elsewhere.values.wishes import HideScope, Wishes
from elsewhere.values.wording import apart_only, counted, listed, shortened

SURE = 0.5
FAR_KM = 750.0


def place_mismatches(seen: ScoredAlbum, watched: Sequence[Threat]) -> Iterator[str]:
    """A note for each place that was told, from whose photos a model is sure of one far away."""
    in_files = {photo.metadata.position for photo in seen.photos}
    for watch in watched:
        place, attack = watch.place, seen.attacks[watch.attack]
        cells = attack.about.globe
        if not watch.own or cells is None or (place.lat, place.lon) in in_files:
            continue
        own = range(len(seen.photos)) if watch.sees is None else watch.sees
        rows = attack.scores.values[[n for n in own if n < len(seen.photos)]]
        if not len(rows):
            continue
        belief = combine_rows(rows, attack.about.exponents)
        best = int(np.argmax(belief))
        sure, away = float(np.exp(belief[best])), distance_km(cells, place.lat, place.lon)[best]
        if sure > SURE and away > FAR_KM and best not in watch.zone:
            yield (
                f"{attack.called} places these photos near {cell_names(cells)[best]} "
                f"({100 * sure:.0f} %), {away:,.0f} km from {place.label}: see whether they were "
                "taken where you said (--at)"
            )


LEAST = 0.03
"""Bytes per pixel of a rendition: a grey screen takes about half of that, even a sunset or a bird
before a plain wall twice as much."""
FOREMOST = 3
"""So many of a watch's kept photos carry its promise most."""


def low_detail_notes(
    seen: ScoredAlbum, watched: Sequence[Threat], plan: Plan, posted: Posted, top: int | None
) -> Iterator[str]:
    """A note for each such photo; `top` is the one asked for, so that the secret one stays so."""
    kept = posted.fresh(plan.kept, len(seen.photos))
    plain = {number for number in kept if shows_little(seen.photos[number])}
    if not plain:
        return
    found: set[int] = set()
    for watch, view in zip(watched, plan.views, strict=True):
        numbers = [n for n in plan.kept if watch.sees is None or n in watch.sees]
        rivals = list(view.rivals[:top])
        if not numbers or not rivals or plain.isdisjoint(numbers):
            continue
        rows = posted.behind(seen.attacks[watch.attack].scores, watch.attack).values[numbers]
        rows = np.maximum(rows.astype(np.float64), -1e6)  # what is ruled out stays a number
        gains = (rows[:, rivals] - rows[:, watch.zone.cells].max(axis=1, keepdims=True)).sum(axis=1)
        first = np.argsort(-gains, kind="stable")[:FOREMOST]
        found |= plain & {numbers[place] for place in first.tolist() if gains[place] > 0}
    for number in sorted(found):
        name = seen.photos[number].id
        yield (
            f"{name} shows hardly anything, yet the promise leans on it: an attacker may leave it "
            f"out; you may drop it (--drop {name})"
        )


def shows_little(photo: Photo) -> bool:
    """Whether a picture is all but plain, by how few bytes it takes."""
    rendition = photo.rendition
    return rendition.size < LEAST * rendition.width * rendition.height


TOGETHER = (
    "what is promised is of the shared photos together: no plan could also keep each of them from "
    "giving the place away alone"
)
ALONE = (
    "each shared photo alone was to keep the place out of the first guesses, too; without that "
    "(--no-each-photo) more may be shared"
)
_WIDE = re.compile(r"the cell here is ([\d.]+) km across, more than ([\d.]+) km: .*")
"""What the globe says of a zone whose cells are wider than what should be hidden."""
SHOWN = 3
"""So many names of photos are enough to see what is meant."""


def notes(
    seen: ScoredAlbum,
    places: Places,
    chosen: PlaceSelection,
    watched: Sequence[Threat],
    *,
    width: HideScope,
    prior: Place | None = None,
    groups: Sequence[Sequence[int]] = (),
    posted: Posted,
    coarse: bool = True,
) -> tuple[str, ...]:
    """All notes, each a sentence; without the `coarse` cells, where a page tells of each anyway."""
    told = [*place_mismatches(seen, watched), *places.notes, *chosen.notes]
    told += _counted(seen, places, chosen, width)
    if coarse:
        told += _coarse(watched, seen)
    if prior is not None:
        told.append(f"the audience is taken to know {prior.label}: only cells there count")
    if groups:
        many = sum(map(len, groups))
        told.append(
            f"{many} photos are {counted(len(groups), 'burst')}, each kept or withheld whole"
        )
    told += posted.notes
    return tuple(dict.fromkeys(told))


def nothing_helps(
    hidden: Sequence[AlbumPlace], wishes: Wishes, attacks: Sequence[ModelScores]
) -> str:
    """Where all that could be asked for instead was refuted."""
    where = listed(hidden_names(hidden, wishes.width))
    who = listed([attack.called for attack in attacks])
    return f"asking for less does not help: {who} finds {where} from any of these photos"


def _counted(
    seen: ScoredAlbum, places: Places, chosen: PlaceSelection, width: HideScope
) -> Iterator[str]:
    """Which photos count where, beyond their positions."""
    late = [n for place in places.places for n in place.by_time]
    if late:
        yield f"{_photos(seen, late)} placed by time only, beside photos with a position"
    if places.unplaced and len(places.places) + len(places.unplaced) > 1:
        one = len(places.unplaced) == 1
        names = _names(seen, places.unplaced)
        who = f"{counted(len(places.unplaced), 'photo')} ({names})"
        yield (
            f"{who} could be placed neither by a position nor by {'its' if one else 'their'} time, "
            f"and {'counts' if one else 'count'} in every hidden place"
        )
    labels = {place.label for place in chosen.hidden}
    for place in chosen.hidden:
        near = neighbours(seen, places, place, width)
        public = [
            other.label
            for other in places.places
            if other.label not in labels and set(other.photos) & set(near)
        ]
        if public:
            lies = "lies" if len(public) == 1 else "lie"
            yield (
                f"{listed(public)} {lies} in what is hidden {_around(place, width)}: photos taken "
                "there count as its own"
            )


def _around(place: AlbumPlace, width: HideScope) -> str:
    name = hidden_name(place, width)
    return f"around {name}" if name == place.label else f"with {name}"


def _coarse(watched: Sequence[Threat], seen: ScoredAlbum) -> Iterator[str]:
    """Where cells are larger than what should be hidden: one line, however many places."""
    found: dict[int, dict[str, str]] = {}
    for watch in watched:
        if watch.zone.note:
            found.setdefault(watch.attack, {})[watch.hides] = watch.zone.note
    for attack, coarse in found.items():
        by = f" for {seen.attacks[attack].called}" if len(seen.attacks) > 1 else ""
        widths = [_WIDE.fullmatch(note) for note in coarse.values()]
        known = [(float(width[1]), width[2]) for width in widths if width is not None]
        if len(coarse) == 1 or len(known) < len(coarse):
            yield from (f"{hides}{by}: {note}" for hides, note in coarse.items())
        else:
            yield (
                f"{listed(list(coarse))}{by}: the cells here are up to {max(known)[0]:g} km "
                f"across, more than {known[0][1]} km: what is hidden is whole cells"
            )


def _photos(seen: ScoredAlbum, numbers: Sequence[int]) -> str:
    verb = "is" if len(numbers) == 1 else "are"
    return f"{counted(len(numbers), 'photo')} ({_names(seen, numbers)}) {verb}"


def _names(seen: ScoredAlbum, numbers: Sequence[int]) -> str:
    called = apart_only([photo.id for photo in seen.photos])
    return shortened([called[n] for n in numbers], SHOWN)
