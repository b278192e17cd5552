"""One photo of an album at a time: the answer for it, and a plan that shares just it.

The plan for the whole album says which photos are worth waiting for; what is public already is
pinned in it. Its secret k is drawn the same way each time the same place is asked about: somebody
who asks again must not get a smaller k, and with it another answer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from elsewhere.album.places import Places
from elsewhere.errors import InputError
from elsewhere.service.ledger.entries import Ledger
from elsewhere.service.next_photo.answers import PATIENCE, Answer, Next, OneByOne
from elsewhere.service.photo_selection import matching
from elsewhere.service.planning.hidden_zones import hidden_names
from elsewhere.service.planning.plan_album import AlbumPlan, plan_album
from elsewhere.service.posted.values import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.verdict import accuracy
from elsewhere.service.wishes import Wishes
from elsewhere.solver.api import solve_promise
from elsewhere.solver.exact import Limits
from elsewhere.solver.requests import Request
from elsewhere.values.wording import listed


@dataclass(frozen=True)
class NextPhoto:
    """What to do with one photo of an album now."""

    told: Next
    names: tuple[str, ...]
    """The photo, and those that go with it."""
    before: tuple[str, ...]
    """Photos to post first, in this order."""
    together: tuple[str, ...]
    """Photos that would have to go out with it, all at once."""
    album: AlbumPlan
    """The best plan for all of the album, as things stand."""
    alone: AlbumPlan | None
    """Where it may be posted and is not out yet: the plan that shares it and nothing else."""


def next_photo(
    seen: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    photo: str,
    *,
    posted: Posted = NOTHING_POSTED,
    ledger: Ledger | None = None,
) -> NextPhoto:
    """May `photo`, a name in the album or a path, be posted now?"""
    if wishes.budget is not None or wishes.top is None:
        raise InputError("one photo at a time needs a top: a budget says nothing of a step")
    number = _numbered(seen, photo)
    draw = None if ledger is None else _steady(ledger, places, wishes)
    best = plan_album(seen, places, wishes, posted=posted, draw=draw)
    tables = tuple(
        posted.behind(seen.attacks[watch.attack].scores, watch.attack) for watch in best.watches
    )
    asked = Request(best.plan.promise, tables, several=True)
    public = posted.pinned(len(seen.photos))
    posting = OneByOne(asked, public, best=best.plan if best.plan.found else None)
    told = posting.ask(number)
    ids = tables[0].ids
    alone = None
    if told.answer is Answer.KEEP and not set(told.photos) <= set(public):
        alone = _alone(asked, {*public, *told.photos}, best, seen)
    names, before, together = (
        tuple(ids[n] for n in some) for some in (told.photos, told.before, told.together)
    )
    return NextPhoto(told, names, before, together, best, alone)


def _numbered(seen: ScoredAlbum, photo: str) -> int:
    """The photo that a name or a path means."""
    path = Path(photo)
    if path.is_file():
        for number, one in enumerate(seen.photos):
            if one.path.exists() and path.samefile(one.path):
                return number
        for out in seen.left:
            if out.path.exists() and path.samefile(out.path):
                raise InputError(f"{out.name} is not in the album: {out.reason}")
    found = matching([photo], [one.id for one in seen.photos], "photo", seen.left)
    if len(found) > 1:
        names = listed([seen.photos[n].id for n in list(found)[:3]])
        raise InputError(f"{photo!r} could be {names}: name one of them in full")
    return next(iter(found))


def _steady(ledger: Ledger, places: Places, wishes: Wishes) -> Random:
    labels = sorted(place.label for place in places.places)
    return ledger.steady("\n".join([str(wishes.top), *wishes.hide, *labels]))


def _alone(asked: Request, out: set[int], best: AlbumPlan, seen: ScoredAlbum) -> AlbumPlan:
    """The plan in which nothing is out but what is public and this photo; proved as every plan."""
    promise = asked.promise
    rest = [n for n in range(promise.photos) if n not in out]
    only = replace(promise, keep=tuple(sorted(out)), drop=tuple(rest))
    limits = Limits(deadline=time.monotonic() + PATIENCE, work=float("inf"))
    plan = solve_promise(replace(asked, promise=only), limits)
    assert plan.found
    said = _verdict(best, seen)
    return replace(best, plan=replace(plan, explanation=said), verdict=said)


def _verdict(best: AlbumPlan, seen: ScoredAlbum) -> str:
    who = listed([attack.called for attack in seen.attacks])
    where = listed(hidden_names(best.hidden, best.wishes.width))
    do, its = ("does", "its") if len(seen.attacks) == 1 else ("do", "their")
    good = accuracy(best.hidden, seen.attacks, best.wishes)
    return (
        f"With this photo out beside what is public, {who}{good} {do} not have {where} among "
        f"{its} first {best.wishes.top} guesses; a better model may."
    )
