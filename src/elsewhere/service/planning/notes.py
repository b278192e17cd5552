"""What has to be said beside the verdict: where photos were counted and why, and how coarsely."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.globe import Place
from elsewhere.service.planning.hidden_zones import HideScope, hidden_name, hidden_names
from elsewhere.service.planning.place_mismatch import place_mismatches
from elsewhere.service.planning.place_selection import PlaceSelection
from elsewhere.service.posted.values import Posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.service.threats import Threat, neighbours
from elsewhere.service.wishes import Wishes
from elsewhere.values.wording import apart_only, counted, listed, shortened

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
