"""From the house's values to what the page is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from elsewhere.album import Photo
from elsewhere.app.api import models
from elsewhere.app.sessions import sentences
from elsewhere.app.sessions.answers import PlannedAnswer
from elsewhere.app.sessions.beliefs import guess, guesses
from elsewhere.app.sessions.jobs import left_of
from elsewhere.app.sessions.planning import PlanningSession
from elsewhere.app.sessions.suggestions import suggestions_for
from elsewhere.example import ALBUM
from elsewhere.scorers.calibration import together
from elsewhere.service import ScoredAlbum
from elsewhere.service.planning.alternatives import describe as told_ways
from elsewhere.service.reporting.limitations import limitations
from elsewhere.service.reporting.metadata_leaks import metadata_leaks
from elsewhere.service.reporting.write_report import album_name

ON_THE_MAP = 30


def plan_of(entry: PlannedAnswer) -> models.Plan | None:
    """A plan for the page; what it reaches is told, the k that was drawn for it is not."""
    if entry.plan is None:
        return None
    plan, wishes, seen = entry.plan.plan, entry.plan.wishes, entry.seen
    rivals: list[models.Guess] = []
    if plan.views and entry.plan.watches:
        cells = seen.attacks[entry.plan.watches[0].attack].about.globe
        # under a budget as many as are usually asked for
        most = wishes.top or 5
        rivals = [guess(cell, cells, 0.0) for cell in plan.views[0].rivals[:most]]
    photos = len(seen.photos)
    # where there is no plan, buttons say it
    advice = list(told_ways(plan, entry.plan.ways)) if plan.found else []
    return models.Plan(
        version=entry.version,
        status=plan.status.value,
        proved=entry.proved,
        withheld=list(plan.withheld),
        kept=[n for n in plan.kept if n < photos],
        cost=float(plan.cost),
        bound=float(plan.bound),
        verdict=sentences.plain(entry.plan.verdict),
        explanation="" if plan.found else sentences.plain(sentences.why_not(entry.plan)),
        notes=[sentences.plain(note) for note in entry.plan.notes if note not in advice],
        advice=" ".join(sentences.plain(note) for note in advice),
        ways=suggestions_for(entry),
        uncovered=_uncovered(entry),
        protected_k=plan.protected_k if plan.found else 0,
        rivals=rivals,
        headline=sentences.headline(entry),
        proof=sentences.proof(entry),
        against=sentences.against(entry),
    )


def _uncovered(entry: PlannedAnswer) -> list[str]:
    plan = entry.plan
    if plan is None or not plan.plan.found or plan.empty:
        return []
    return [sentences.plain(one) for one in limitations(entry.seen, plan, entry.posted)]


def answer_of(
    desk: PlanningSession, entry: PlannedAnswer, job: models.Job | None = None
) -> models.Answer:
    """The answer to a wish."""
    looks, plan = entry.looks, entry.plan
    found = plan is not None and plan.plan.found
    return models.Answer(
        wishes=entry.wishes,
        plan=plan_of(entry),
        places=places_of_entry(entry),
        states=states(entry),
        shares=[] if looks is None else looks.shares(plan),
        audit_after=looks.after(plan.plan.kept) if looks and plan and found else [],
        job=job,
        undo=desk.ways,
    )


def places_of_entry(entry: PlannedAnswer) -> list[models.Place]:
    """The album's places, the hidden ones marked."""
    hidden = {one.label for one in entry.plan.hidden} if entry.plan else set()
    return [
        models.Place(
            label=one.label,
            lat=one.lat,
            lon=one.lon,
            photos=list(one.photos),
            by_time=list(one.by_time),
            hidden=one.label in hidden,
        )
        for one in entry.places.places
    ]


def states(entry: PlannedAnswer) -> list[models.PhotoState]:
    """What becomes of each photo."""
    plan, photos = entry.plan, entry.seen.photos
    pinned: dict[str, models.PhotoState] = {
        **dict.fromkeys(entry.wishes.keep, "kept"),
        **dict.fromkeys(entry.wishes.drop, "dropped"),
        **dict.fromkeys((photos[n].id for n in entry.posted.already), "posted"),
        **dict.fromkeys(entry.wishes.posted, "posted"),
    }
    withheld = set(plan.plan.withheld) if plan else set()
    found = plan is not None and plan.plan.found
    rest: list[models.PhotoState] = [
        "seen" if not found else "withheld" if n in withheld else "shared"
        for n in range(len(photos))
    ]
    return [pinned.get(photo.id, rest[n]) for n, photo in enumerate(photos)]


def photos_of(
    entry: PlannedAnswer, thumb: Callable[[Photo], str], only: int | None = None
) -> list[models.Photo]:
    """The photos on the table, or one of them; `thumb` gives the link to one's picture."""
    looks, photos = entry.looks, entry.seen.photos
    shares = looks.shares(entry.plan) if looks else [None] * len(photos)
    ranks = looks.own_ranks if looks else [None] * len(photos)
    place_of = {n: one.label for one in entry.places.places for n in one.photos}
    out = set(entry.posted.already)
    return [
        models.Photo(
            n=n,
            id=photo.id,
            width=photo.rendition.width,
            height=photo.rendition.height,
            thumb=thumb(photo),
            share=shares[n],
            own_rank=ranks[n],
            place=place_of.get(n),
            posted=n in out,
            state=state,
        )
        for n, (photo, state) in enumerate(zip(photos, states(entry), strict=True))
        if only is None or n == only
    ]


def album_of(entry: PlannedAnswer, photos: Sequence[models.Photo]) -> models.Album:
    """The album as it lies on the table."""
    seen = entry.seen
    return models.Album(
        name=_called(seen),
        photos=list(photos),
        left=[left_of(one) for one in seen.left],
        scorers=[
            models.Scorer(word=attack.word, cells=attack.about.cells) for attack in seen.attacks
        ],
    )


def _called(seen: ScoredAlbum) -> str:
    """What an album is called here: the example's folder says nothing."""
    example = seen.album.folders == (ALBUM,)
    return "The example album" if example else album_name(seen)


def audit_of(entry: PlannedAnswer) -> models.Audit:
    """What the album gives away as it is."""
    leaks = [
        models.Leak(kind=one.kind, photos=len(one.photos), examples=list(one.examples))
        for one in metadata_leaks(entry.seen.photos)
    ]
    if entry.looks is not None:
        verdict = sentences.found(entry, "")
        return models.Audit(verdict=verdict, views=entry.looks.before, leaks=leaks)
    attack = entry.seen.attacks[0]
    likely = together(attack.scores.values, attack.about.exponents)
    best = guesses(np.exp(likely), attack.about.globe, 5)
    verdict = sentences.found(entry, best[0].name)
    return models.Audit(verdict=verdict, views=[], leaks=leaks, guesses=best)


def belief_of(entry: PlannedAnswer, number: int | None) -> models.Belief:
    """What one watch believes before and after; without places, what the first scorer does.

    Where none is asked for it is the first that sees anything of what would be shared.
    """
    looks, plan, seen = entry.looks, entry.plan, entry.seen
    if looks is None or plan is None:
        attack = seen.attacks[0]
        likely = together(attack.scores.values, attack.about.exponents)
        first = guesses(np.exp(likely), attack.about.globe, ON_THE_MAP)
        return models.Belief(
            watch=0, watches=[], place=None, hides=None, before=first, after=[],
            rank_before=None, rank_after=None, zone=[], rivals=[],
        )  # fmt: skip
    kept = plan.plan.kept if plan.plan.found else None
    if number is None:
        every = range(len(looks.watches))
        number = next((one for one in every if looks.view(one, kept) is not None), 0)
    number = min(number, len(looks.watches) - 1)
    watch = looks.watches[number]
    cells = seen.attacks[watch.attack].about.globe
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
    return models.Belief(
        watch=number,
        watches=looks.names,
        place=watch.place.label,
        hides=watch.hides,
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
