"""What to ask for instead, where there is no plan or nearly all photos go.

Only what was not refuted is suggested: no smaller top where not even top 1 can be had, no smaller
radius where one cell is all that is hidden, and the pin where a pin is to blame. Whether any of it
helps is found out by planning it (`planning.evaluate_alternatives`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere.album.places import AlbumPlace
from elsewhere.service.threats import Threat
from elsewhere.values.outcome import Alternative, Change, Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes, margin

NEARLY_ALL = 0.8
"""A plan that withholds such a share of the photos comes with advice."""
NARROWER = {"country": "region", "region": "city"}
"""The next level down; below a city, and around a place, a radius is smaller."""
NEAR_KM = 5.0
"""A neighbourhood: the smallest radius worth asking for."""


def suggest_alternatives(
    plan: Plan,
    wishes: Wishes,
    hidden: Sequence[AlbumPlace],
    threats: Sequence[Threat],
    *,
    reasons: Reasons | None,
    photos: int,
) -> tuple[Alternative, ...]:
    """All that is left to try; none where the plan is as good as it is."""
    if plan.status == Status.INFEASIBLE:
        return tuple(_where_nothing_is_shared(wishes, hidden, threats, reasons or Reasons()))
    chosen = [number for number in plan.withheld if number not in plan.promise.drop]
    if not plan.found or len(chosen) < NEARLY_ALL * photos:
        return ()
    return tuple(_where_nearly_all_go(wishes, hidden, threats))


def _where_nothing_is_shared(
    wishes: Wishes, hidden: Sequence[AlbumPlace], threats: Sequence[Threat], reasons: Reasons
) -> Iterator[Alternative]:
    for photo in reasons.sufficient:
        yield Alternative(Change.UNPIN, photos=(photo,), mentioned=False)
    if reasons.pins and not reasons.sufficient:
        yield Alternative(Change.UNPIN, photos=reasons.pins, mentioned=False)
    if reasons.drops:
        yield Alternative(Change.TAKE_BACK, photos=reasons.drops, mentioned=False)
    if wishes.budget is not None:
        if reasons.forced and not reasons.every_photo:
            yield Alternative(Change.BUDGET, amount=reasons.forced)
        return
    assert wishes.top is not None
    # where pins are to blame all else is beside the point, unless it is known to help
    reachable = reasons.reachable_top
    top = reachable
    if top is None and wishes.top > 1 and not reasons.pins:
        top = wishes.top // 2
    if top:
        yield Alternative(Change.TOP, top=top)
    if reasons.pins:
        return
    if margin(wishes.margin).theta:
        bare = reasons.bare_top
        if bare is None or bare >= wishes.top:
            yield Alternative(Change.MARGIN)
        elif bare > (reachable or 0):
            yield Alternative(Change.MARGIN, top=bare)
    blocked = {threats[number].place.label for number in reasons.blocking}
    if len(hidden) > 1:
        names = [place.label for place in hidden if place.label not in blocked]
        for number, name in enumerate(names):
            yield Alternative(Change.HIDE, name=name, mentioned=not number)
    yield from _narrower(wishes, [threats[number] for number in reasons.blocking] or threats)
    if wishes.each_photo:
        yield Alternative(Change.EACH_PHOTO)


def _where_nearly_all_go(
    wishes: Wishes, hidden: Sequence[AlbumPlace], threats: Sequence[Threat]
) -> Iterator[Alternative]:
    if len(hidden) > 1:
        yield Alternative(Change.HIDE)
    yield from _narrower(wishes, threats)
    if wishes.budget is not None:
        yield Alternative(Change.BUDGET)
    elif wishes.top is not None and wishes.top > 1:
        yield Alternative(Change.TOP, top=wishes.top // 2)


def _narrower(wishes: Wishes, threats: Sequence[Threat]) -> Iterator[Alternative]:
    """Less wide, where more than one cell is hidden, and an audience that knows less."""
    if wishes.hide_level != "cell" and any(len(threat.zone) > 1 for threat in threats):
        level = NARROWER.get(wishes.hide_level or "")
        if level is not None:
            yield Alternative(Change.LEVEL, name=level)
        elif wishes.radius_km:
            near = NEAR_KM if wishes.radius_km > NEAR_KM else 0
            yield Alternative(Change.RADIUS, amount=near)
    if wishes.prior is not None:
        yield Alternative(Change.PRIOR)
