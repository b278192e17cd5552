"""One withheld photo explained in words, every number computed: what it alone would do.

Of the withheld photos the one is chosen that lifts its place most when it is added to what is
shared. Ranks are those of the audit; the comparison with a decoy is what the attacker says of this
photo alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from elsewhere.audit.ranks import Floats, rank
from elsewhere.globe import cell_names
from elsewhere.report.contents import Explained
from elsewhere.report.numbers import ordinal
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.posted.values import Posted
from elsewhere.service.reporting.album_audit import world
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import cells_of
from elsewhere.values.wording import counted

_MILLION = 1e6


@dataclass(frozen=True)
class _Lift:
    """What one photo does to one watch."""

    photo: int
    number: int
    """Of the watch."""
    before: int | None
    """The rank without it; None where no other photo is shared."""
    after: int

    @property
    def size(self) -> float:
        """How many times nearer to the top: from 40th to 3rd is more than from 400th to 300th.

        Where no other photo is shared there is nothing to be lifted from, which says less.
        """
        return self.before / self.after if self.before is not None else 0.0


def explain_photo(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, numbers: Iterable[int]
) -> Explained | None:
    """One withheld photo in words; None where nothing is withheld. `numbers` are watches."""
    plan = album_plan.plan
    candidates = [n for n in plan.withheld if n not in plan.promise.drop] or list(plan.withheld)
    lifts = [
        lift for number in numbers for lift in _lifts(seen, album_plan, posted, number, candidates)
    ]
    if not lifts:
        return None
    best = max(lifts, key=lambda lift: (lift.size, -lift.photo))
    name = seen.photos[best.photo].id
    return Explained(name, tuple(_sentences(seen, album_plan, posted, best)))


def _lifts(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, number: int, photos: Sequence[int]
) -> list[_Lift]:
    watch = album_plan.watches[number]
    values, zone = _values(seen, album_plan, posted, number), watch.zone.cells
    sees = set(watch.sees if watch.sees is not None else range(len(values)))
    shared = [n for n in album_plan.plan.kept if n in sees]
    before = rank(values[shared], zone) if shared else None
    return [
        _Lift(photo, number, before, rank(values[[*shared, photo]], zone))
        for photo in photos
        if photo in sees
    ]


def _values(seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, number: int) -> Floats:
    """The rows that a watch adds up, without the cells that its audience rules out."""
    watch = album_plan.watches[number]
    scores = posted.behind(seen.attacks[watch.attack].scores, watch.attack)
    values = scores.values.astype(np.float64)
    cells = world(album_plan.watches, watch)
    if cells is not None:
        ruled_out = np.ones(values.shape[1], dtype=bool)
        ruled_out[list(cells)] = False
        values[:, ruled_out] = -np.inf
    return values


def _sentences(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, lift: _Lift
) -> Iterable[str]:
    watch = album_plan.watches[lift.number]
    attack, label = seen.attacks[watch.attack], watch.hides
    values, zone = _values(seen, album_plan, posted, lift.number), watch.zone.cells
    sees = set(watch.sees if watch.sees is not None else range(len(values)))
    shared = sum(n in sees for n in album_plan.plan.kept)
    if lift.before is None:
        alone = ordinal(lift.after)
        yield f"No other photo of {label} is shared; this one alone would put it {alone}."
        return
    photos = counted(shared, "shared photo")
    if lift.after < lift.before:
        yield (
            f"It alone lifts {label} from {ordinal(lift.before)} to {ordinal(lift.after)}: from "
            f"the {photos} {attack.called} has it {ordinal(lift.before)} of {attack.about.cells}, "
            f"and with this one added {ordinal(lift.after)}."
        )
    else:
        yield (
            f"From the {photos} {attack.called} has {label} {ordinal(lift.before)}, and with this "
            f"one added {ordinal(lift.after)}, which is too near for what was asked."
        )
    yield f"By itself it puts {label} {ordinal(rank(values[[lift.photo]], zone))}."
    yield from _against_decoys(seen, album_plan, lift, values)


def _against_decoys(
    seen: ScoredAlbum, album_plan: AlbumPlan, lift: _Lift, values: Floats
) -> Iterable[str]:
    """The decoy that this photo speaks against most."""
    watch, view = album_plan.watches[lift.number], album_plan.plan.views[lift.number]
    decoys = list(view.rivals[: album_plan.wishes.top])
    if not decoys:
        return
    row = values[lift.photo]
    truth = float(row[watch.zone.cells].max())
    worst = min(decoys, key=lambda cell: (row[cell], cell))
    gap = truth - float(row[worst])
    if not math.isfinite(gap) or gap < math.log(1.5):
        return
    times = math.exp(min(gap, 50.0))
    told = f"{times:.1f}" if times < 10 else f"{times:,.0f}" if times < _MILLION else "a million"
    more = "more than " if times >= _MILLION else ""
    decoy = cell_names(cells_of(seen.attacks[watch.attack]))[worst]
    yield (
        f"To that attacker it looks {more}{told} times as much like {watch.hides} as like "
        f"{decoy}, one of the decoys."
    )
