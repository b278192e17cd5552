"""What has to be said beside the verdict: where photos were counted and why, and how coarsely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.globe import Place
from elsewhere.job.planning.hiding import Hiding
from elsewhere.job.planning.truths import Width, hidden_name
from elsewhere.job.planning.watches import Watch, neighbours
from elsewhere.job.planning.wishes import Wishes
from elsewhere.job.posted.values import Posted
from elsewhere.job.seen import Seen
from elsewhere.protect.plan import Plan, Status
from elsewhere.words import counted, listed, shortened

TOGETHER = (
    "what is promised is of the shared photos together: no plan could also keep each of them from "
    "giving the place away alone"
)
ALONE = (
    "each shared photo alone was to keep the place out of the first guesses, too; without that "
    "(--no-each-photo) more may be shared"
)
SHOWN = 3
"""So many names of photos are enough to see what is meant."""
NEARLY_ALL = 0.8
"""Whoever has to withhold such a share of the photos may rather ask for less."""


def notes(
    seen: Seen,
    places: Places,
    chosen: Hiding,
    watched: Sequence[Watch],
    *,
    width: Width,
    prior: Place | None = None,
    groups: Sequence[Sequence[int]] = (),
    posted: Posted,
) -> tuple[str, ...]:
    """All notes, each a sentence."""
    told = [*places.notes, *chosen.notes]
    told += _counted(seen, places, chosen, width)
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


def asking_less(
    plan: Plan, wishes: Wishes, hidden: Sequence[AlbumPlace], photos: int
) -> Iterator[str]:
    """What to ask for instead, where there is no plan or nearly all photos go."""
    chosen = [number for number in plan.withheld if number not in plan.promise.drop]
    nothing = plan.status == Status.INFEASIBLE
    if not nothing and len(chosen) < NEARLY_ALL * photos:
        return
    ways = ["fewer hidden places (such as --hide home)"] if len(hidden) > 1 else []
    wide = wishes.hide_level in {"region", "country"}
    ways.append("a narrower --hide-level" if wide else "a smaller --radius")
    if wishes.prior is not None:
        ways.append("a wider --prior, or none")
    if wishes.budget is not None:
        ways.append("a larger --budget")
    elif wishes.top is not None and wishes.top > 1:
        ways.append(f"a smaller --top (such as --top {max(1, wishes.top // 2)})")
    what = "to share anything" if nothing else "nearly all photos go: to share more"
    yield f"{what}, ask for less: {', '.join(ways[:-1])}{' or ' if ways[:-1] else ''}{ways[-1]}"


def _counted(seen: Seen, places: Places, chosen: Hiding, width: Width) -> Iterator[str]:
    """Which photos count where, beyond their positions."""
    late = [n for place in places.places for n in place.by_time]
    if late:
        yield f"{_photos(seen, late)} placed by time only, beside photos with a position"
    if places.unplaced and len(places.places) + len(places.unplaced) > 1:
        one = len(places.unplaced) == 1
        names = _names(seen, places.unplaced)
        who = f"{counted(len(places.unplaced), 'photo')} ({names}) {'has' if one else 'have'}"
        yield (
            f"{who} neither a position nor a usable time, and {'counts' if one else 'count'} in "
            "every hidden place"
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


def _around(place: AlbumPlace, width: Width) -> str:
    name = hidden_name(place, width)
    return f"around {name}" if name == place.label else f"with {name}"


def _coarse(watched: Sequence[Watch], seen: Seen) -> Iterator[str]:
    """Where a cell is larger than what should be hidden."""
    for watch in watched:
        if watch.zone.note:
            by = f" for {seen.attacks[watch.attack].called}" if len(seen.attacks) > 1 else ""
            yield f"{watch.hides}{by}: {watch.zone.note}"


def _photos(seen: Seen, numbers: Sequence[int]) -> str:
    verb = "is" if len(numbers) == 1 else "are"
    return f"{counted(len(numbers), 'photo')} ({_names(seen, numbers)}) {verb}"


def _names(seen: Seen, numbers: Sequence[int]) -> str:
    return shortened([seen.photos[n].id for n in numbers], SHOWN)
