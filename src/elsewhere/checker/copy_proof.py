"""The promise proved on the kept photos alone: all that a stranger needs who has only the copy.

What is withheld has no row here, and needs none: a rival holds or does not by the kept photos'
scores. The scores are new ones, of the bytes as they were exported, so they decide; that they are
the plan's own to the last bit is not asked. Where they are, every number of the plan's views must
be right too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.checker.facts import AlbumFacts, validate_promise
from elsewhere.checker.proof import Verdict, wrong_division, wrong_photos, wrong_shape, wrong_view
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores


def prove_kept(plan: Plan, scores: Sequence[Scores], *, unchanged: bool) -> Verdict:
    """Prove on new scores of the kept photos, in the plan's order, that the plan's promise holds.

    One `Scores` for each attacker. `unchanged` says that they are the plan's own rows, bit by bit.
    """
    promise, photos = plan.promise, len(plan.kept)
    problems = [*validate_promise(promise)] or [*wrong_photos(plan, promise)]
    if problems:
        return Verdict(tuple(problems))
    values = promise.values or [Fraction(1)] * promise.photos
    cost = sum((values[photo] for photo in plan.withheld), Fraction(0))
    problems = [*wrong_division(plan, promise, cost)]
    if plan.status not in (Status.OPTIMAL, Status.FEASIBLE):
        problems.append(PlanProblem(ProblemKind.NOT_A_PLAN, found=plan.status))
    # the bound is the solver's proof, but it must not contradict the plan
    reached = plan.cost if promise.budget is None else plan.protected_k
    beyond = plan.bound > reached if promise.budget is None else plan.bound < reached
    if beyond or (plan.status == Status.OPTIMAL and plan.bound != reached):
        problems.append(PlanProblem(ProblemKind.BOUND, found=plan.bound, wanted=reached))
    wrong_scores = [*wrong_shape(promise, scores, photos)]
    if wrong_scores:
        return Verdict((*problems, *wrong_scores))
    # the promise with the kept photos numbered anew
    numbers = {photo: number for number, photo in enumerate(plan.kept)}
    tops = []
    renumbered = []
    for against, view, table in zip(promise.against, plan.views, scores, strict=True):
        # under a budget no top was asked for: what the plan says it protects is the promise
        tops.append(view.protected_k if against.top is None else against.top)
        sees = against.sees
        sees = None if sees is None else tuple(numbers[p] for p in sees if p in numbers)
        renumbered.append(replace(against, scores=table.digest, top=tops[-1], sees=sees))
    facts = AlbumFacts(Promise(photos, tuple(renumbered), strict=promise.strict), scores)
    problems += facts.revealing.values()
    for number, checked in enumerate(facts.views(range(photos))):
        held = len(checked.held)
        if unchanged:
            problems += wrong_view(number, plan.views[number], checked, promise.against[number].top)
        elif held < tops[number]:
            problems.append(
                PlanProblem(ProblemKind.TOO_FEW, number, found=held, wanted=tops[number])
            )
    return Verdict(tuple(problems))


def count_ahead(scores: Scores, truth: Sequence[int], *, strict: bool = False) -> int:
    """How many other cells come before the truth by the plain sum of all rows, exactly.

    A tie counts as before, unless `strict`.
    """
    against = Against(scores.digest, scores.scorer, scores.cells, tuple(truth), None)
    facts = AlbumFacts(Promise(scores.photos, (against,), strict=strict), [scores])
    return len(facts.views(range(scores.photos))[0].held)
