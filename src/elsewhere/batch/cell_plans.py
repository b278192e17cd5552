"""Plans for scores without a map: the truth is cells, and nothing is known of places."""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.batch.album_rows import Rows
from elsewhere.batch.settings import Settings
from elsewhere.errors import InputError
from elsewhere.service.photo_selection import budget_of, select_pinned
from elsewhere.service.planning.presets import margin
from elsewhere.service.planning.secret_top import candidate_tops, silent, solve_with_secret_top
from elsewhere.service.wishes import Wishes
from elsewhere.solver.api import read_limits, solve_promise
from elsewhere.solver.explain import number_text
from elsewhere.solver.requests import read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted

_MAPPED = ("hide", "radius_km", "hide_level", "prior", "stars", "bursts")
"""Wishes that need to know where or when photos were taken."""


def plan_cells(rows: Rows, scores: Scores, wishes: Wishes, settings: Settings) -> tuple[Plan, str]:
    """The plan, and one sentence on it; the k is drawn as for any album."""
    assert rows.truth is not None
    for name in _MAPPED:
        if getattr(wishes, name) != getattr(Wishes(), name):
            raise InputError(f"the wish {name} needs a place, but the truth is given as cells")
    keep, drop = select_pinned(wishes.keep, wishes.drop, rows.ids)
    budget = None if wishes.budget is None else budget_of(wishes.budget, len(rows.ids))
    asked = read_request(
        scores,
        list(rows.truth),
        top=wishes.top if budget is None else None,
        budget=budget,
        keep=keep,
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=wishes.values,
        each_photo=(wishes.top or 5) if wishes.each_photo else False,
        strict=wishes.strict,
    )
    limits = read_limits(None, settings.work_limit)
    if budget is not None:
        plan = solve_promise(asked, limits, None, silent)
    else:
        least = asked.promise.against[0].top
        assert least is not None
        most = scores.cells - len(rows.truth)
        tries = candidate_tops(least, most, settings.draw(rows.album))
        tops = iter([least]) if wishes.exact_top else tries
        plan, _ = solve_with_secret_top(asked, least, tops, limits, explain=silent)
    return plan, _verdict(plan, rows.truth, wishes, len(rows.ids))


def _verdict(plan: Plan, truth: Sequence[int], wishes: Wishes, photos: int) -> str:
    """One sentence; it names no k but the one that was asked for."""
    what = f"cell {truth[0]}" if len(truth) == 1 else f"the zone of {len(truth)} cells"
    wish = f"top {wishes.top}" if wishes.budget is None else f"a budget of {wishes.budget}"
    if plan.status == Status.INFEASIBLE:
        return f"Nothing can be shared: {what} cannot be hidden from these scores with {wish}."
    if plan.status == Status.UNKNOWN:
        return f"Nothing is shared: the work ran out before a plan that hides {what} was found."
    share = f"{len(plan.withheld)} of {counted(photos, 'photo')}"
    if wishes.budget is not None:
        k = plan.protected_k
        if not k:
            return f"Nothing is shared: with {wish} withheld, {what} may stay the first guess."
        return f"With {share} withheld, {counted(k, 'other cell')} or more come before {what}."
    least = "no smaller set would do for the top that was drawn"
    if plan.status != Status.OPTIMAL:
        least = f"stopped early, at least {number_text(plan.bound)} must go"
    return f"With {share} withheld, {what} is not among the first {wishes.top} guesses; {least}."
