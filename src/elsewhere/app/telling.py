"""From the house's values to what the page is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from elsewhere.app import contract
from elsewhere.app.desk import Desk, Entry
from elsewhere.app.looks import guess, guesses
from elsewhere.job import Seen
from elsewhere.job.showing.leaking import leaking
from elsewhere.job.showing.reporting import album_name
from elsewhere.posterior import together
from elsewhere.report.words import ordinal
from elsewhere.words import counted, listed

ON_THE_MAP = 30


def plan_of(seen: Seen, entry: Entry) -> contract.Plan | None:
    """A plan for the page: nothing in it tells the secret k."""
    if entry.plan is None:
        return None
    plan, wishes = entry.plan.plan, entry.plan.wishes
    rivals: list[contract.Guess] = []
    if plan.views and entry.plan.watches:
        cells = seen.attacks[entry.plan.watches[0].attack].about.globe
        # under a budget as many as are usually asked for
        most = wishes.top or 5
        rivals = [guess(cell, cells, 0.0) for cell in plan.views[0].rivals[:most]]
    photos = len(seen.photos)
    return contract.Plan(
        version=entry.version,
        status=plan.status.value,
        proved=entry.proved,
        withheld=list(plan.withheld),
        kept=[n for n in plan.kept if n < photos],
        cost=float(plan.cost),
        bound=float(plan.bound),
        verdict=entry.plan.verdict,
        explanation="" if plan.found else plan.explanation,
        notes=list(entry.plan.notes),
        protected_k=_promised(entry),
        rivals=rivals,
    )


def _promised(entry: Entry) -> int:
    assert entry.plan is not None
    if not entry.plan.plan.found:
        return 0
    top = entry.plan.wishes.top
    return entry.plan.plan.protected_k if top is None else top


def answer_of(desk: Desk, entry: Entry, job: contract.Job | None = None) -> contract.Answer:
    """The answer to a wish."""
    looks, plan = entry.looks, entry.plan
    found = plan is not None and plan.plan.found
    return contract.Answer(
        wishes=entry.wishes,
        plan=plan_of(desk.seen, entry),
        places=places_of_entry(entry),
        states=states(desk.seen, entry),
        shares=[] if looks is None else looks.shares(plan),
        audit_after=looks.after(plan.plan.kept) if looks and plan and found else [],
        job=job,
        undo=desk.ways,
    )


def places_of_entry(entry: Entry) -> list[contract.Place]:
    """The album's places, the hidden ones marked."""
    hidden = {one.label for one in entry.plan.hidden} if entry.plan else set()
    return [
        contract.Place(
            label=one.label,
            lat=one.lat,
            lon=one.lon,
            photos=list(one.photos),
            by_time=list(one.by_time),
            hidden=one.label in hidden,
        )
        for one in entry.places.places
    ]


def states(seen: Seen, entry: Entry) -> list[contract.PhotoState]:
    """What becomes of each photo."""
    plan = entry.plan
    pinned: dict[str, contract.PhotoState] = {
        **dict.fromkeys(entry.wishes.keep, "kept"),
        **dict.fromkeys(entry.wishes.drop, "dropped"),
    }
    withheld = set(plan.plan.withheld) if plan else set()
    found = plan is not None and plan.plan.found
    rest: list[contract.PhotoState] = [
        "seen" if not found else "withheld" if n in withheld else "shared"
        for n in range(len(seen.photos))
    ]
    return [pinned.get(photo.id, rest[n]) for n, photo in enumerate(seen.photos)]


def photos_of(seen: Seen, entry: Entry, thumb: Callable[[int], str]) -> list[contract.Photo]:
    """The photos on the table; `thumb` gives the link to one's picture."""
    looks = entry.looks
    shares = looks.shares(entry.plan) if looks else [None] * len(seen.photos)
    ranks = looks.own_ranks if looks else [None] * len(seen.photos)
    place_of = {n: one.label for one in entry.places.places for n in one.photos}
    out = set(entry.posted.already)
    return [
        contract.Photo(
            n=n,
            id=photo.id,
            width=photo.rendition.width,
            height=photo.rendition.height,
            thumb=thumb(n),
            share=shares[n],
            own_rank=ranks[n],
            place=place_of.get(n),
            posted=n in out,
            state=state,
        )
        for n, (photo, state) in enumerate(zip(seen.photos, states(seen, entry), strict=True))
    ]


def album_of(
    seen: Seen, photos: Sequence[contract.Photo], left: Sequence[contract.Left]
) -> contract.Album:
    """The album as it lies on the table."""
    return contract.Album(
        name=album_name(seen),
        photos=list(photos),
        left=list(left),
        scorers=[
            contract.Scorer(word=attack.word, cells=attack.about.cells) for attack in seen.attacks
        ],
    )


def audit_of(seen: Seen, entry: Entry) -> contract.Audit:
    """What the album gives away as it is."""
    leaks = [
        contract.Leak(kind=one.kind, photos=len(one.photos), examples=list(one.examples))
        for one in leaking(seen.photos)
    ]
    attack = seen.attacks[0]
    likely = together(attack.scores.values, attack.about.exponents)
    best = guesses(np.exp(likely), attack.about.globe, 5)
    photos = counted(len(seen.photos), "photo")
    if entry.looks is None:
        verdict = f"From these {photos} {attack.called} guesses {best[0].name}."
        return contract.Audit(verdict=verdict, views=[], leaks=leaks, guesses=best)
    views = entry.looks.before
    mine: dict[str, contract.View] = {}
    for view in views:
        if view.scorer == attack.word:
            mine.setdefault(view.place, view)
    told = [f"{view.place} {ordinal(view.rank)}" for view in mine.values()]
    verdict = (
        f"From these {photos} {attack.called} finds {listed(told)} of {attack.about.cells} places."
    )
    return contract.Audit(verdict=verdict, views=views, leaks=leaks)


def belief_of(seen: Seen, entry: Entry, number: int) -> contract.Belief:
    """What one watch believes before and after; without places, what the first scorer does."""
    looks, plan = entry.looks, entry.plan
    if looks is None or plan is None:
        attack = seen.attacks[0]
        likely = together(attack.scores.values, attack.about.exponents)
        first = guesses(np.exp(likely), attack.about.globe, ON_THE_MAP)
        return contract.Belief(
            watch=0, watches=[], place=None, before=first, after=[], rank_before=None,
            rank_after=None, zone=[], rivals=[],
        )  # fmt: skip
    number = min(number, len(looks.watches) - 1)
    watch = looks.watches[number]
    cells = seen.attacks[watch.attack].about.globe
    kept = plan.plan.kept if plan.plan.found else None
    before, after = looks.likely(number, None), None
    if kept is not None:
        after = looks.likely(number, kept)
    views = looks.view(number, None), looks.view(number, kept) if kept is not None else None
    held = plan.plan.views[number].rivals if plan.plan.views else ()
    boxes = [
        (float(south), float(west), float(north), float(east))
        for cell in watch.zone.cells.tolist()
        for south, west, north, east in (cells.boxes_of(cell) if cells is not None else ())
    ]
    return contract.Belief(
        watch=number,
        watches=looks.names,
        place=watch.place.label,
        before=[] if before is None else guesses(before, cells, ON_THE_MAP),
        after=[] if after is None else guesses(after, cells, ON_THE_MAP),
        rank_before=None if views[0] is None else views[0].rank,
        rank_after=None if views[1] is None else views[1].rank,
        zone=boxes,
        rivals=[
            guess(cell, cells, 0.0 if after is None else float(after[cell]))
            for cell in held[: plan.wishes.top or 5]
        ],
    )
