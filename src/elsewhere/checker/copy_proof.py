"""The promise proved on the kept photos alone: all that a stranger needs who has only the copy.

What is withheld has no row here, and needs none: a rival holds or does not by the kept photos'
scores. The scores are new ones, of the bytes as they were exported, so they decide; that they are
the plan's own to the last bit is not asked. Where they are, every number of the plan's views must
be right too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.checker.facts import AlbumFacts, validate_promise
from elsewhere.checker.proof import (
    Verdict,
    wrong_division,
    wrong_photos,
    wrong_shape,
    wrong_view,
)
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import Problem, ProblemKind
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores


def prove_kept(plan: Plan, scores: Sequence[Scores], *, unchanged: bool) -> Verdict:
    """Prove on new scores of the kept photos, in the plan's order, that the plan's promise holds.

    One `Scores` for each attacker. `unchanged` says that they are the plan's own rows, bit by bit.
    """
    promise = plan.promise
    problems = [*validate_promise(promise)] or [*wrong_photos(plan, promise)]
    if not problems:
        values = promise.values or [Fraction(1)] * promise.photos
        cost = sum((values[photo] for photo in plan.withheld), Fraction(0))
        problems = [*wrong_division(plan, promise, cost)]
        if plan.status not in (Status.OPTIMAL, Status.FEASIBLE):
            problems.append(Problem(ProblemKind.NOT_A_PLAN, found=plan.status))
        # the bound is the solver's proof, but it must not contradict the plan
        reached = plan.cost if promise.budget is None else plan.protected_k
        beyond = plan.bound > reached if promise.budget is None else plan.bound < reached
        if beyond or (plan.status == Status.OPTIMAL and plan.bound != reached):
            problems.append(Problem(ProblemKind.BOUND, found=plan.bound, wanted=reached))
        problems += [*wrong_shape(promise, scores, len(plan.kept))] or [
            *_broken(plan, scores, unchanged)
        ]
    return Verdict(tuple(problems))


def count_ahead(scores: Scores, truth: Sequence[int], *, strict: bool = False) -> int:
    """How many other cells come before the truth by the plain sum of all rows, exactly.

    A tie counts as before, unless `strict`.
    """
    against = Against(scores.digest, scores.scorer, scores.cells, tuple(truth), None)
    facts = AlbumFacts(Promise(scores.photos, (against,), strict=strict), [scores])
    return len(facts.views(range(scores.photos))[0].held)


def _broken(plan: Plan, scores: Sequence[Scores], unchanged: bool) -> Iterator[Problem]:
    """Where the promise does not hold on these scores, with the kept photos numbered anew.

    Under a budget no top was asked for: what the plan says it protects is then the promise.
    """
    numbers = {photo: number for number, photo in enumerate(plan.kept)}
    against = []
    for one, view, table in zip(plan.promise.against, plan.views, scores, strict=True):
        sees = None if one.sees is None else tuple(numbers[p] for p in one.sees if p in numbers)
        top = view.protected_k if one.top is None else one.top
        against.append(replace(one, scores=table.digest, top=top, sees=sees))
    promise = Promise(len(plan.kept), tuple(against), strict=plan.promise.strict)
    facts = AlbumFacts(promise, scores)
    yield from facts.revealing.values()
    for number, checked in enumerate(facts.views(range(len(plan.kept)))):
        held, top = len(checked.held), against[number].top or 0
        if unchanged:
            asked = plan.promise.against[number].top
            yield from wrong_view(number, plan.views[number], checked, asked)
        elif held < top:
            yield Problem(ProblemKind.TOO_FEW, number, found=held, wanted=top)
