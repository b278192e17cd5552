"""What to ask for instead, where there is no plan or nearly all photos go.

Only ways that were not refuted are told: no smaller top where not even top 1 can be had, no
smaller radius where one cell is all that is hidden, and the pin where a pin is to blame. Each way
is a value, so that a door can offer it as something to click; the options of the command line
stand in brackets, and doors that have none leave the brackets out (`without_options`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from elsewhere.album.places import AlbumPlace
from elsewhere.service.infeasibility import Reasons
from elsewhere.service.threats import Threat
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes, margin

NEARLY_ALL = 0.8
"""Whoever has to withhold such a share of the photos may rather ask for less."""
NARROWER = {"country": "region", "region": "city"}
"""The next level down; below a city, and around a place, a radius is smaller."""
NEAR_KM = 5.0
"""A neighbourhood: the smallest radius worth asking for."""
Kind = Literal[
    "unpin", "take back", "top", "margin", "hide", "level", "radius", "prior", "budget", "each"
]


@dataclass(frozen=True)
class Alternative:
    """One thing that could be asked for instead."""

    kind: Kind
    words: str = ""
    """For a list of ways; empty where the reasons for there being no plan name it already."""
    top: int | None = None
    """The top that goes with it, where it is a smaller one."""
    name: str = ""
    """The place that alone stays hidden, or the next level."""
    photos: tuple[int, ...] = ()
    """The photos to let go of."""
    amount: float = 0
    """The budget or the radius."""


def suggest(
    plan: Plan,
    wishes: Wishes,
    hidden: Sequence[AlbumPlace],
    watched: Sequence[Threat],
    *,
    reasons: Reasons,
    photos: int,
) -> tuple[Alternative, ...]:
    """All that is left to try; none where the plan is as good as it is."""
    if plan.status == Status.INFEASIBLE:
        return (*_letting_go(plan, reasons), *_rest(wishes, hidden, watched, reasons))
    chosen = [number for number in plan.withheld if number not in plan.promise.drop]
    if not plan.found or len(chosen) < NEARLY_ALL * photos:
        return ()
    return tuple(_milder(wishes, hidden, watched))


def describe(plan: Plan, found: Sequence[Alternative]) -> Iterator[str]:
    """The ways in one sentence."""
    named = [way.words for way in found if way.words]
    if not named:
        return
    nothing = plan.status == Status.INFEASIBLE
    what = "to share anything" if nothing else "nearly all photos go: to share more"
    yield f"{what}, ask for less: {', '.join(named[:-1])}{' or ' if named[:-1] else ''}{named[-1]}"


def without_options(sentence: str) -> str:
    """A sentence for people who type no options.

    >>> without_options("ask for a smaller top (such as --top 2) or no margin (--margin none)")
    'ask for a smaller top or no margin'
    """
    return re.sub(r" \([^()]*--[a-z][^()]*\)", "", sentence)


def _letting_go(plan: Plan, reasons: Reasons) -> Iterator[Alternative]:
    """Of pinned and dropped photos, where these are in the way."""
    for photo in reasons.enough:
        yield Alternative("unpin", photos=(photo,))
    if reasons.pins and not reasons.enough:
        yield Alternative("unpin", photos=reasons.pins)
    if reasons.drops:
        yield Alternative("take back", photos=plan.promise.drop)


def _rest(
    wishes: Wishes, hidden: Sequence[AlbumPlace], watched: Sequence[Threat], reasons: Reasons
) -> Iterator[Alternative]:
    if wishes.budget is not None:
        if reasons.forced:
            more = f"a larger budget (--budget {reasons.forced})"
            yield Alternative("budget", more, amount=reasons.forced)
        return
    assert wishes.top is not None
    blamed = bool(reasons.pins)  # then all else is beside the point, unless it is known to help
    best = reasons.best
    if best is None and wishes.top > 1 and not blamed:
        best = wishes.top // 2
    if best:
        yield Alternative("top", f"a smaller top (such as --top {best})", top=best)
    if blamed:
        return
    yield from _without_margin(wishes, reasons)
    alone = _not_blocked(hidden, watched, reasons)
    if len(hidden) > 1 and alone:
        fewer = f'fewer hidden places (such as --hide "{alone[0]}")'
        for number, name in enumerate(alone):
            yield Alternative("hide", "" if number else fewer, name=name)
    blocked = [watched[number] for number in reasons.blocking] or watched
    yield from _narrower(wishes, blocked)
    yield from _knowing_less(wishes)
    if wishes.each_photo:
        yield Alternative("each", "a promise of the photos together only (--no-each-photo)")


def _without_margin(wishes: Wishes, reasons: Reasons) -> Iterator[Alternative]:
    assert wishes.top is not None
    if not margin(wishes.margin).theta:
        return
    bare = reasons.bare
    if bare is None or bare >= wishes.top:
        yield Alternative("margin", "no margin (--margin none)")
    elif bare > (reasons.best or 0):
        words = f"no margin and a smaller top (--margin none --top {bare})"
        yield Alternative("margin", words, top=bare)


def _not_blocked(
    hidden: Sequence[AlbumPlace], watched: Sequence[Threat], reasons: Reasons
) -> list[str]:
    """The places that might be hidden alone."""
    stuck = {watched[number].place.label for number in reasons.blocking}
    return [place.label for place in hidden if place.label not in stuck]


def _narrower(wishes: Wishes, watched: Sequence[Threat]) -> Iterator[Alternative]:
    """Less wide, where more than one cell is hidden: nothing is finer than a cell."""
    if wishes.hide_level == "cell" or all(len(watch.zone) < 2 for watch in watched):
        return
    level = NARROWER.get(wishes.hide_level or "")
    if level is not None:
        yield Alternative("level", "a narrower level (--hide-level)", name=level)
    elif wishes.radius_km > NEAR_KM:
        yield Alternative("radius", "a smaller radius (--radius)", amount=NEAR_KM)
    elif wishes.radius_km:
        yield Alternative("radius", "a smaller radius (--radius)")


def _knowing_less(wishes: Wishes) -> Iterator[Alternative]:
    if wishes.prior is not None:
        yield Alternative("prior", "that the audience knows less (a wider --prior, or none)")


def _milder(
    wishes: Wishes, hidden: Sequence[AlbumPlace], watched: Sequence[Threat]
) -> Iterator[Alternative]:
    """What may leave more to share; nobody has looked."""
    if len(hidden) > 1:
        yield Alternative("hide", "fewer hidden places (such as --hide home)")
    yield from _narrower(wishes, watched)
    yield from _knowing_less(wishes)
    if wishes.budget is not None:
        yield Alternative("budget", "a smaller budget (--budget)")
    elif wishes.top is not None and wishes.top > 1:
        top = wishes.top // 2
        yield Alternative("top", f"a smaller top (such as --top {top})", top=top)
