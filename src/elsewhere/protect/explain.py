"""The sentences under a plan, and why there is none when there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.protect.exact import Instance, Limits, solve
from elsewhere.protect.plan import Status
from elsewhere.protect.problem import Answer
from elsewhere.protect.promise import Promise
from elsewhere.protect.reductions import Contradiction, reduce
from elsewhere.protect.views import views
from elsewhere.scores import Scores

PATIENCE = 4_000
"""Work spent on each question about an infeasible promise."""


def number(value: int | Fraction) -> str:
    """A value as people write it.

    >>> number(Fraction(5, 2)), number(Fraction(4)), number(Fraction(1, 3))
    ('2.5', '4', '1/3')
    """
    exact = Fraction(value)
    if exact.denominator == 1:
        return str(exact.numerator)
    short = f"{float(exact):.12g}"
    return short if Fraction(short) == exact else str(exact)


def count(amount: int, thing: str) -> str:
    """An amount with its noun.

    >>> count(1, "photo"), count(3, "photo")
    ('1 photo', '3 photos')
    """
    return f"{amount} {thing}" if amount == 1 else f"{amount} {thing}s"


def explain_plan(promise: Promise, answer: Answer, withheld: int, protected: int) -> str:
    """What a plan does, and how far that is proved."""
    proved = answer.status == Status.OPTIMAL
    share = f"{withheld} of {count(promise.photos, 'photo')}"
    if promise.budget is None:
        what = f"Withhold {share}" if withheld else f"Share all {count(promise.photos, 'photo')}"
        worth = "" if promise.values is None else f" (worth {number(answer.cost)})"
        tops = sorted({a.top or 0 for a in promise.against})
        out = f"the truth is not among the top {'/'.join(map(str, tops))}"
        if not withheld:
            return f"{what}: {out} as it is."
        if proved:
            best = "no smaller set would do" if promise.values is None else "none is worth less"
            return f"{what}{worth}: {out}, and {best}."
        return (
            f"{what}{worth}: {out}; stopped early, so a better plan may exist, "
            f"but none below {number(answer.bound)}."
        )
    rank = "ranks" if protected == 1 else "rank"
    what = f"Withhold {share}: {count(protected, 'cell')} then {rank} above the truth"
    if proved:
        return f"{what}, and no plan within {promise.budget} does better."
    return f"{what}; stopped early, a better plan may reach {number(answer.bound)}."


def explain_unknown(promise: Promise) -> str:
    """Neither plan nor proof."""
    return (
        f"Stopped early: no plan for {count(promise.photos, 'photo')} was found and none was "
        "ruled out; allow more time or work."
    )


def explain_infeasible(
    promise: Promise, scores: Sequence[Scores], ids: Sequence[str], contradiction: str = ""
) -> str:
    """Which wishes are in the way, which attacker blocks, and the best top that can be had."""
    if contradiction:
        return f"No plan can do this: {contradiction}."
    if len(promise.drop) == promise.photos:
        return "No plan can do this: every photo is dropped, and at least one must be kept."
    if promise.budget is not None:
        forced = _forced_out(promise, scores)
        return (
            f"No plan can do this: {count(forced, 'photo')} must go, "
            f"but the budget is {promise.budget}."
        )
    parts = ["No plan can do this."]
    if len(promise.against) > 1:
        blocking = [
            i
            for i, one in enumerate(promise.against)
            if _feasible(replace(promise, against=(one,)), [scores[i]]) is False
        ]
        if blocking:
            names = " and ".join(str(i) for i in blocking)
            parts.append(f"Attacker {names} alone cannot be satisfied.")
        else:
            parts.append("Each attacker alone could be satisfied, but not all together.")
    best = _best_top(promise, scores)
    if best is not None:
        parts.append(f"The best top that can be had is {best}.")
    pins = _blocking_pins(promise, scores)
    if pins:
        listed = ", ".join(ids[i] for i in pins)
        one = len(pins) == 1
        parts.append(
            f"Kept {'photo' if one else 'photos'} {listed} {'is' if one else 'are together'} "
            f"in the way: let {'it' if one else 'one of them'} go."
        )
    elif promise.keep:
        parts.append("The kept photos are not the reason: without them it cannot be done either.")
    return " ".join(parts)


def _answer(promise: Promise, scores: Sequence[Scores]) -> Answer | None:
    try:
        return solve(reduce(promise, scores).problem, Limits(work=PATIENCE))
    except Contradiction:
        return None


def _feasible(promise: Promise, scores: Sequence[Scores]) -> bool | None:
    """Whether a promise can be fulfilled; None when that was not found out."""
    answer = _answer(promise, scores)
    if answer is None or answer.status == Status.INFEASIBLE:
        return False
    return None if answer.status == Status.UNKNOWN else True


def _best_top(promise: Promise, scores: Sequence[Scores]) -> str | None:
    """The largest k that can be had for all attackers, with the same pins."""
    against = tuple(replace(a, top=None) for a in promise.against)
    try:
        chain = reduce(replace(promise, against=against, budget=promise.photos), scores)
    except Contradiction:
        return None
    instance = Instance(chain.problem)
    answer = solve(instance, Limits(work=PATIENCE))
    if answer.kept is None:
        return None
    reached = min(view.protected_k for view in views(instance, answer.kept)[0])
    return str(reached) if answer.bound == reached else f"{reached} or more"


def _blocking_pins(promise: Promise, scores: Sequence[Scores]) -> list[int]:
    """A minimal set of pins that makes the promise impossible; empty if they are not the reason."""
    if not promise.keep or _feasible(replace(promise, keep=()), scores) is False:
        return []
    needed = list(promise.keep)
    for pin in promise.keep:
        fewer = tuple(p for p in needed if p != pin)
        if _feasible(replace(promise, keep=fewer), scores) is False:
            needed.remove(pin)
    return needed


def _forced_out(promise: Promise, scores: Sequence[Scores]) -> int:
    problem = reduce(promise, scores).problem
    return int(problem.sizes[problem.fixed < 0].sum())
