"""The check: does a plan keep its promise? Proved anew, exactly, with no help from the solver.

From the promise and the scores alone, `prove` works out in whole numbers which rivals hold once the
plan's photos are withheld, and compares that with everything the plan says. That no better plan
exists is the solver's proof and not repeated. But the plan that withholds only what must go is
tried too, and a claim that it contradicts ("optimal", "infeasible", a bound) is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from elsewhere.checker.facts import AlbumFacts, CheckedView, ascending, validate_promise
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    >>> verdict = Verdict((PlanProblem(ProblemKind.COST, found=2, wanted=3),))
    >>> verdict.holds, bool(verdict)
    (False, False)
    >>> print(verdict)
    The plan does not hold: the plan costs 3, not 2.
    """

    problems: tuple[PlanProblem, ...] = ()
    """Each thing that is wrong; its `str` is a clause. Empty when all is right."""
    of_a_plan: bool = True
    """False for a plan that says there is none: that claim is the solver's, and not repeated."""

    @property
    def holds(self) -> bool:
        """Whether everything that the plan says is true."""
        return not self.problems

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self.holds and not self.of_a_plan:
            return "There is no plan, by the solver's proof, which was not repeated."
        if self.holds:
            proved = "its photos, rivals and numbers were proved again, exactly"
            return f"The plan holds: {proved}; the bound is the solver's."
        return f"The plan does not hold: {'; '.join(map(str, self.problems))}."


def prove(plan: Plan, promise: Promise, scores: Sequence[Scores]) -> Verdict:
    """Prove anew that `plan` keeps `promise` for these scores, one `Scores` for each attacker."""
    problems = []
    if plan.promise != promise:
        names = Promise.__dataclass_fields__
        other = [name for name in names if getattr(plan.promise, name) != getattr(promise, name)]
        problems.append(
            PlanProblem(ProblemKind.OTHER_PROMISE, found=other[0] if other else "its kind")
        )
    problems += wrong_shape(promise, scores, promise.photos)
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=False)):
        same_shape = (table.photos, table.cells) == (promise.photos, against.cells)
        if same_shape and table.digest != against.scores:
            problems.append(PlanProblem(ProblemKind.OTHER_SCORES, number))
        if table.scorer and against.scorer and table.scorer != against.scorer:
            problems.append(PlanProblem(ProblemKind.OTHER_SCORER, number))
    problems = problems or list(validate_promise(promise))
    if not problems:
        album = AlbumFacts(promise, scores)
        if plan.status in (Status.OPTIMAL, Status.FEASIBLE):
            problems = list(wrong_photos(plan, promise))
            if not problems:
                problems = list(_wrong_plan(plan, album))
        else:
            problems = list(_wrong_refusal(plan, album))
        if plan.status not in tuple(Status):
            problems.append(PlanProblem(ProblemKind.STATUS, found=plan.status))
    return Verdict(tuple(problems), plan.status in (Status.OPTIMAL, Status.FEASIBLE))


def wrong_shape(promise: Promise, scores: Sequence[Scores], photos: int) -> Iterator[PlanProblem]:
    """Why these are not the scores of so many photos, a table for each attacker."""
    if len(scores) != len(promise.against):
        yield PlanProblem(
            ProblemKind.ATTACKER_COUNT, found=len(scores), wanted=len(promise.against)
        )
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=False)):
        if (table.photos, table.cells) != (photos, against.cells):
            found, wanted = f"{table.photos} × {table.cells}", f"{photos} × {against.cells}"
            yield PlanProblem(ProblemKind.SCORES_SHAPE, number, found=found, wanted=wanted)


def wrong_photos(plan: Plan, promise: Promise) -> Iterator[PlanProblem]:
    """Why the photos that the plan withholds and keeps are not a division of the album."""
    views, attackers = len(plan.views), len(promise.against)
    for name, photos in (("withheld", plan.withheld), ("kept", plan.kept)):
        if not ascending(photos, promise.photos):
            yield PlanProblem(ProblemKind.PHOTOS, found=name)
    if sorted(plan.withheld + plan.kept) != list(range(promise.photos)):
        yield PlanProblem(ProblemKind.OTHER_ALBUM)
    if not plan.kept:
        yield PlanProblem(ProblemKind.NOTHING_KEPT)
    if views != attackers:
        yield PlanProblem(ProblemKind.VIEW_COUNT, found=views, wanted=attackers)
    if attackers > 1 and not plan.several:
        yield PlanProblem(ProblemKind.SEVERAL)


def _wrong_plan(plan: Plan, album: AlbumFacts) -> Iterator[PlanProblem]:
    """What is wrong with the plan for an album that it divides properly."""
    promise, kept, cost = album.promise, set(plan.kept), album.cost(plan.withheld)
    yield from wrong_division(plan, promise, cost)
    yield from (problem for photo, problem in album.revealing.items() if photo in kept)
    views = album.views(plan.kept)
    for number, (view, checked) in enumerate(zip(plan.views, views, strict=True)):
        yield from wrong_view(number, view, checked, promise.against[number].top)
    # would the plan fail, or protect less, if no probability of zero decided anything?
    without = [0 if checked.zero else len(checked.held) for checked in views]
    if promise.budget is None:
        pairs = zip(promise.against, without, strict=True)
        rests_on_zero = any(a.top is not None and count < a.top for a, count in pairs)
    else:
        rests_on_zero = min(without) < min(len(checked.held) for checked in views)
    if plan.rests_on_zero != rests_on_zero:
        yield PlanProblem(ProblemKind.RESTS_ON_ZERO, found="" if plan.rests_on_zero else "not ")
    bound, optimal = plan.bound, plan.status == Status.OPTIMAL
    if not isinstance(bound, int | Fraction):
        yield PlanProblem(ProblemKind.BOUND_INEXACT, found=bound)
        return
    reached = min(len(checked.held) for checked in views)
    if promise.budget is None:
        if bound > cost:
            yield PlanProblem(ProblemKind.BOUND_ABOVE_COST, found=bound, wanted=cost)
        elif optimal and bound < cost:
            yield PlanProblem(ProblemKind.BOUND_BELOW_COST, found=bound, wanted=cost)
    elif bound < reached:
        yield PlanProblem(ProblemKind.BOUND_BELOW_REACHED, found=bound, wanted=reached)
    elif optimal and bound > reached:
        yield PlanProblem(ProblemKind.BOUND_ABOVE_REACHED, found=bound, wanted=reached)
    yield from _beaten(plan, album, views)


def wrong_division(plan: Plan, promise: Promise, cost: int | Fraction) -> Iterator[PlanProblem]:
    """Why the photos withheld are not what pins, groups and budget allow, or cost what is said."""
    withheld, kept = set(plan.withheld), set(plan.kept)
    for photo in sorted(withheld.intersection(promise.keep)):
        yield PlanProblem(ProblemKind.PINNED_WITHHELD, photo=photo)
    for photo in sorted(kept.intersection(promise.drop)):
        yield PlanProblem(ProblemKind.DROPPED_KEPT, photo=photo)
    for group in promise.groups:
        if 0 < len(withheld.intersection(group)) < len(group):
            yield PlanProblem(ProblemKind.GROUP_PARTED, found=", ".join(map(str, group)))
    if promise.budget is not None and len(withheld) > promise.budget:
        yield PlanProblem(ProblemKind.OVER_BUDGET, found=len(withheld), wanted=promise.budget)
    if plan.cost != cost or not isinstance(plan.cost, int | Fraction):
        yield PlanProblem(ProblemKind.COST, found=plan.cost, wanted=cost)


def wrong_view(
    attacker: int, view: View, checked: CheckedView, top: int | None
) -> Iterator[PlanProblem]:
    """What is wrong with what the plan says of one attacker."""
    count = len(checked.held)
    if view.protected_k != count:
        yield PlanProblem(ProblemKind.OTHER_COUNT, attacker, found=count, wanted=view.protected_k)
    if view.rivals != checked.held:
        false = sorted(set(view.rivals) - set(checked.held))
        missing = sorted(set(checked.held) - set(view.rivals))
        if false:
            yield PlanProblem(ProblemKind.FALSE_RIVAL, attacker, found=false[0])
        if missing:
            yield PlanProblem(ProblemKind.MISSING_RIVAL, attacker, found=missing[0])
        if not false and not missing:
            yield PlanProblem(ProblemKind.RIVAL_ORDER, attacker)
    if top is not None and count < top:
        yield PlanProblem(ProblemKind.TOO_FEW, attacker, found=count, wanted=top)
        return
    slack = checked.slack(count if top is None else top)
    if view.slack != slack:
        yield PlanProblem(ProblemKind.SLACK, attacker, found=view.slack, wanted=slack)


def _beaten(plan: Plan, album: AlbumFacts, views: Sequence[CheckedView]) -> Iterator[PlanProblem]:
    """Whether withholding only what must go contradicts the bound, or a plan's optimality."""
    kept = album.all_but_forced
    if views and len(kept) == len(plan.kept):
        return
    seen = album.fulfilling_views(kept)
    if seen is None:
        return
    least, bound = album.cost(album.forced), plan.bound
    reached = min(len(checked.held) for checked in seen)
    if album.promise.budget is None:
        if bound > least:
            yield PlanProblem(ProblemKind.CHEAPER, found=bound, wanted=least)
    elif bound < reached:
        yield PlanProblem(ProblemKind.FURTHER, found=bound, wanted=reached)
    elif plan.status == Status.OPTIMAL:
        # a budget is spent for the smallest protected-k, then their sum, then a low cost
        best, planned = [len(c.held) for c in seen], [len(c.held) for c in views]
        if (min(best), sum(best), -least) > (min(planned), sum(planned), -plan.cost):
            yield PlanProblem(ProblemKind.BETTER)


def _wrong_refusal(plan: Plan, album: AlbumFacts) -> Iterator[PlanProblem]:
    """What is wrong with a plan that says that there is none, or that none was found."""
    if plan.withheld or plan.kept or plan.views or plan.cost != 0 or plan.rests_on_zero:
        yield PlanProblem(ProblemKind.EMPTY_CARRIES, found=plan.status)
    if plan.status == Status.INFEASIBLE:
        if plan.bound != 0:
            yield PlanProblem(ProblemKind.EMPTY_BOUND, found=plan.status)
        for kept, what in (
            (album.all_but_forced, "withholding only what must go"),
            (album.pinned, "keeping only what must stay"),
        ):
            if album.fulfilling_views(kept) is not None:
                yield PlanProblem(ProblemKind.NOT_INFEASIBLE, found=what)
                return
    else:
        yield from _beaten(plan, album, ())


def prove_kept(plan: Plan, scores: Sequence[Scores], *, unchanged: bool) -> Verdict:
    """Prove on new scores of the kept photos, in the plan's order, that the plan's promise holds.

    This is all that a stranger needs who has only the copy: a rival holds or does not by the kept
    photos' scores. One `Scores` for each attacker, of the bytes as exported. `unchanged` says that
    they are the plan's own rows, bit by bit; then every number of the plan's views must be right.
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
