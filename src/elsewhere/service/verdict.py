"""What a plan means, in one honest sentence.

A promise names the attackers that it is against, how good they are, and that a better one may
exist; the word "safe" does not occur. No k is named but the one asked for: the one really used is
secret. Where nothing needs withholding, the sentence says so of the model, not of the photos.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.album.places import AlbumPlace
from elsewhere.globe import ground
from elsewhere.globe.places import continent
from elsewhere.service.places import hidden_names
from elsewhere.service.scored_album import ModelScores
from elsewhere.service.secret_top import TIMES
from elsewhere.solver.explain import number_text
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import counted, listed

_SCALE = {"city": 25.0, "region": 200.0, "country": 750.0}
"""How far off a guess may be to be right about one, in km, as such models are measured."""


def verdict(
    plan: Plan,
    wishes: Wishes,
    hidden: Sequence[AlbumPlace],
    attacks: Sequence[ModelScores],
    *,
    photos: int,
    fresh: int,
) -> str:
    """One sentence on a plan, found or not.

    `photos` are those of the album, `fresh` those of them that the plan keeps and that are not
    out already.
    """
    names, who = hidden_names(hidden, wishes.width), listed([a.called for a in attacks])
    where = listed(names)
    if plan.status == Status.INFEASIBLE:
        return f"Nothing can be shared: {cannot(wishes, hidden, attacks)}."
    if plan.status == Status.UNKNOWN:
        return (
            f"Nothing is shared: the time ran out before a plan that hides {where} from {who} was "
            "found or ruled out; allow more time."
        )
    if not fresh:
        return _nothing_new(plan, wishes, where, who)
    better = "a better model may find it" if len(names) == 1 else "a better model may find them"
    how_good = accuracy(hidden, attacks, wishes)
    needed = [n for n in plan.withheld if n not in plan.promise.drop]
    if wishes.budget is not None:
        return _within_budget(plan, where, f"{who}{how_good}", photos, better)
    do = "does" if len(attacks) == 1 else "do"
    out = f"{where} among {_its(attacks)} first {wishes.top} guesses"
    if not needed:
        dropped = " beyond what you drop" if plan.withheld else ""
        return (
            f"Nothing needs withholding{dropped}: from these photos {who}{how_good} {do} not have "
            f"{out}; {better}."
        )
    share = f"{len(needed)} of {counted(photos, 'photo')}"
    gone = len(plan.withheld) - len(needed)
    beyond = f" beyond the {gone} that you drop" if gone else ""
    return (
        f"With {share} withheld{beyond}, {who}{how_good} {do} not have {out}; "
        f"{_least(plan, wishes)}, and {better}."
    )


def cannot(wishes: Wishes, hidden: Sequence[AlbumPlace], attacks: Sequence[ModelScores]) -> str:
    """What cannot be had, without the end of the sentence."""
    where = listed(hidden_names(hidden, wishes.width))
    who = listed([attack.called for attack in attacks])
    wish = _top(wishes) if wishes.budget is None else f"a budget of {wishes.budget}"
    among = "" if wishes.prior is None else f" among the places of {wishes.prior} alone"
    return f"{where} cannot be hidden from {who} with {wish}{among}"


def _nothing_new(plan: Plan, wishes: Wishes, where: str, who: str) -> str:
    """Every photo that is kept is out already: there is a plan, and nothing to share by it."""
    if plan.status != Status.OPTIMAL:
        return (
            "Nothing more is shared: every photo that the best plan found keeps is out already, "
            "and the time ran out before a better one was found or ruled out; allow more time."
        )
    if wishes.budget is not None:
        return (
            f"Nothing more is shared: every photo that may be kept is out already, for {where} "
            f"comes furthest down for {who} with all others withheld."
        )
    return (
        f"Nothing more can be shared: every photo that may be kept is out already, and no plan "
        f"with another one hides {where} from {who}{_drawn(wishes)}."
    )


def _within_budget(plan: Plan, where: str, who: str, photos: int, better: str) -> str:
    share = f"{len(plan.withheld)} of {counted(photos, 'photo')}"
    k = plan.protected_k
    if not k:
        most = f"at most {plan.promise.budget} of {counted(photos, 'photo')}"
        if plan.status == Status.OPTIMAL:
            return (
                f"Withholding {most} cannot hide {where}: the first guess of {who} may be right; "
                "allow more."
            )
        return (
            f"No plan that withholds {most} and hides {where} was found in time: the first guess "
            f"of {who} may be right; allow more."
        )
    best = "no plan within the budget does better"
    if plan.status != Status.OPTIMAL:
        best = f"a plan within the budget might reach {number_text(plan.bound)}"
    return (
        f"With {share} withheld, {counted(k, 'other place')} or more come before {where} for "
        f"{who}; {best}, and {better}."
    )


def _least(plan: Plan, wishes: Wishes) -> str:
    """How far it is proved that so many must go."""
    if plan.status == Status.OPTIMAL:
        fewest = "it is the fewest" if plan.promise.values is None else "it is the least loss"
        return f"{fewest} that will do{_drawn(wishes)}"
    what = number_text(plan.bound)
    if plan.promise.values is None:
        what += " photo" if plan.bound == 1 else " photos"
    else:
        what = f"a worth of {what}"
    return f"stopped early, at least {what} must go{_drawn(wishes)}"


def accuracy(hidden: Sequence[AlbumPlace], attacks: Sequence[ModelScores], wishes: Wishes) -> str:
    """How often the scorers are right in this part of the world, in brackets; empty if unknown."""
    measured = [attack for attack in attacks if attack.about.accuracy]
    if not measured:
        return ""
    # who said only in which region or country it was has all of that hidden
    areas = [place.area.kind for place in hidden if place.area is not None]
    kinds = [kind for kind in (wishes.hide_level, *areas) if kind in _SCALE]
    widest = max(kinds, key=_SCALE.__getitem__, default=None)
    radius, close = wishes.radius_km, "within {} km"
    if widest is not None and _SCALE[widest] >= radius:
        radius, close = _SCALE[widest], f"about the {widest}, within {{}} km,"
    codes = {ground(place.lat, place.lon, "country")[0].code for place in hidden}
    parts = sorted({continent(code) for code in codes})
    told = []
    for attack in measured:
        table = attack.about.accuracy
        name = f"{attack.called} " if len(attacks) > 1 else ""
        for part in parts:
            shares, where = (table[part], part) if part in table else (table[""], "the world")
            km = min((km for km in shares if km >= radius), default=max(shares))
            told.append(
                f"{name}right {close.format(km)} for {_percent(shares[km])} of single photos in "
                f"{where}"
            )
    return f" ({'; '.join(dict.fromkeys(told))})" if told else ""


def _percent(share: float) -> str:
    return "fewer than 1 %" if share < 0.005 else f"{100 * share:.0f} %"


def _its(attacks: Sequence[ModelScores]) -> str:
    return "its" if len(attacks) == 1 else "their"


def _drawn(wishes: Wishes) -> str:
    """That the k is secret, where it is."""
    if wishes.exact_top:
        return ""
    assert wishes.top is not None
    return f" for a top drawn in secret from {wishes.top} to {TIMES * wishes.top}"


def _top(wishes: Wishes) -> str:
    return f"top {wishes.top}"
