"""The sentences under a plan for score files: what it does, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.messages.numbers import number_text
from elsewhere.values.outcome import Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import counted, shortened


def explain_plan(plan: Plan) -> str:
    """What a plan does, and how far that is proved; or that none was found in time."""
    promise, withheld = plan.promise, len(plan.withheld)
    if plan.status == Status.UNKNOWN:
        return (
            f"Stopped early: no plan for {counted(promise.photos, 'photo')} was found and none was "
            "ruled out; allow more time or work."
        )
    proved = plan.status == Status.OPTIMAL
    what = f"Withhold {withheld} of {counted(promise.photos, 'photo')}"
    if promise.budget is not None:
        rank = "ranks" if plan.protected_k == 1 else "rank"
        what = f"{what}: {counted(plan.protected_k, 'cell')} then {rank} above the truth"
        if proved:
            return f"{what}, and no plan within {promise.budget} does better."
        if plan.bound == plan.protected_k:
            return (
                f"{what}, and no plan within {promise.budget} protects more; "
                "whether one does so at less cost was not proved."
            )
        return f"{what}; stopped early, a better plan may reach {number_text(plan.bound)}."
    tops = [against.top or 0 for against in promise.against]
    top = f"the top {tops[0]}"
    if len(set(tops)) > 1:
        top = f"the attackers' top {', '.join(map(str, tops))}"
    if not withheld:
        photos = f"all {promise.photos} photos" if promise.photos > 1 else "the one photo"
        return f"Share {photos}: the truth is not among {top} as it is."
    worth = "" if promise.values is None else f" (worth {number_text(plan.cost)})"
    if proved:
        best = "no smaller set would do" if promise.values is None else "none is worth less"
        return f"{what}{worth}: the truth is not among {top}, and {best}."
    return (
        f"{what}{worth}: the truth is not among {top}; stopped early, so a better plan may exist, "
        f"but none below {number_text(plan.bound)}."
    )


def explain_infeasible(promise: Promise, reasons: Reasons, ids: Sequence[str]) -> str:
    """Why there is no plan: attackers by number, photos by name."""
    if reasons.every_photo:
        return "No plan can do this: every photo must go, and at least one must be kept."
    if promise.budget is not None:
        return (
            f"No plan can do this: {counted(reasons.forced, 'photo')} must go, "
            f"but the budget is {promise.budget}."
        )
    parts = ["No plan can do this."]
    if reasons.blocking:
        attackers = " and ".join(map(str, reasons.blocking))
        parts.append(f"Attacker {attackers} alone cannot be satisfied.")
    elif len(promise.against) > 1 and reasons.each_alone:
        parts.append("Each attacker alone could be satisfied, but not all together.")
    elif len(promise.against) > 1:
        parts.append("Which attacker is in the way was not found out in time.")
    parts.append(best_top(reasons))
    if promise.keep:
        parts.append(_pins(reasons, ids))
    if reasons.drops:
        drops = ", ".join(ids[photo] for photo in reasons.drops)
        parts.append(f"It could be done if {drops} need not be dropped.")
    return " ".join(part for part in parts if part)


def best_top(reasons: Reasons) -> str:
    """The best top that can be had; empty where there is none whatever the top."""
    top = reasons.best_top
    if top is None:
        if reasons.best_top_known:
            return ""
        return "The best top that can be had was not found out in time."
    if not reasons.best_top_known:
        return f"The best top that can be had is {top} or more."
    return f"The best top that can be had is {top}." if top else "Not even top 1 can be had."


def _pins(reasons: Reasons, ids: Sequence[str]) -> str:
    if reasons.pins is None:
        return "Whether the kept photos are the reason was not found out in time."
    if not reasons.pins:
        return "The kept photos are not the reason: without them it cannot be done either."
    names = shortened([ids[photo] for photo in reasons.pins])
    # there may be other such sets, so that letting go of one photo need not be enough
    if len(reasons.pins) == 1:
        return f"Kept photo {names} is in the way: it, at least, must go."
    return f"Kept photos {names} are together in the way: one of them, at least, must go."


def cells_verdict(plan: Plan, truth: Sequence[int], wishes: Wishes, photos: int) -> str:
    """What a plan means where the truth is cells; it names no k but the one asked for."""
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
