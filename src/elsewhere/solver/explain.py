"""The sentences under a plan."""

from __future__ import annotations

from fractions import Fraction

from elsewhere.solver.problem import Answer
from elsewhere.values.plan import Status
from elsewhere.values.promise import Promise
from elsewhere.values.wording import counted


def number_text(value: int | Fraction) -> str:
    """A value as people write it.

    >>> number_text(Fraction(5, 2)), number_text(Fraction(4)), number_text(Fraction(1, 3))
    ('2.5', '4', '1/3')
    """
    exact = Fraction(value)
    if exact.denominator == 1:
        return str(exact.numerator)
    short = f"{float(exact):.12g}"
    return short if Fraction(short) == exact else str(exact)


def explain_plan(promise: Promise, answer: Answer, withheld: int, protected: int) -> str:
    """What a plan does, and how far that is proved."""
    proved = answer.status == Status.OPTIMAL
    share = f"{withheld} of {counted(promise.photos, 'photo')}"
    if promise.budget is None:
        everything = f"all {promise.photos} photos" if promise.photos > 1 else "the one photo"
        what = f"Withhold {share}" if withheld else f"Share {everything}"
        worth = "" if promise.values is None else f" (worth {number_text(answer.cost)})"
        tops = [a.top or 0 for a in promise.against]
        out = f"the truth is not among the top {tops[0]}"
        if len(set(tops)) > 1:
            out = f"the truth is not among the attackers' top {', '.join(map(str, tops))}"
        if not withheld:
            return f"{what}: {out} as it is."
        if proved:
            best = "no smaller set would do" if promise.values is None else "none is worth less"
            return f"{what}{worth}: {out}, and {best}."
        return (
            f"{what}{worth}: {out}; stopped early, so a better plan may exist, "
            f"but none below {number_text(answer.bound)}."
        )
    rank = "ranks" if protected == 1 else "rank"
    what = f"Withhold {share}: {counted(protected, 'cell')} then {rank} above the truth"
    if proved:
        return f"{what}, and no plan within {promise.budget} does better."
    if answer.bound == protected:
        return (
            f"{what}, and no plan within {promise.budget} protects more; "
            "whether one does so at less cost was not proved."
        )
    return f"{what}; stopped early, a better plan may reach {number_text(answer.bound)}."


def explain_unknown(promise: Promise) -> str:
    """Neither plan nor proof."""
    return (
        f"Stopped early: no plan for {counted(promise.photos, 'photo')} was found and none was "
        "ruled out; allow more time or work."
    )
