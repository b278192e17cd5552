"""The check: does a plan keep its promise? Proved anew, exactly, with no help from the solver.

From the promise and the scores alone, `prove` works out in whole numbers which rivals hold once the
plan's photos are withheld and the others shared in the plan's versions, and compares that with
everything the plan says. That no better plan exists is checked where a proof of it is given
(`optimality`). In any case the plan that withholds only what must go, and shares the rest in the
cheapest versions, is tried too, and a claim that it contradicts ("optimal", "infeasible", a bound)
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from elsewhere.checker.facts import (
    AlbumFacts,
    CheckedCircles,
    CheckedView,
    ascending,
    validate_promise,
    with_groups,
)
from elsewhere.checker.optimality import prove_optimal
from elsewhere.checker.places import wrong_rivals
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.promise import Against, HiddenCircles, Promise
from elsewhere.values.proof import Proof
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
    """False for a plan that says there is none."""
    none_better: bool = False
    """Whether a proof that no plan is better was given, and checked too."""

    @property
    def holds(self) -> bool:
        """Whether everything that the plan says is true."""
        return not self.problems

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        if self.holds and not self.of_a_plan:
            if self.none_better:
                return "There is no plan: checked, exactly."
            return "There is no plan, by the solver's proof, which was not repeated."
        if self.holds:
            proved = "its photos, rivals and numbers were proved again, exactly"
            bound = "the bound is the solver's"
            if self.none_better:
                bound = "no plan is better than its bound: checked too"
            return f"The plan holds: {proved}; {bound}."
        return f"The plan does not hold: {'; '.join(map(str, self.problems))}."


def prove(
    plan: Plan, promise: Promise, scores: Sequence[Scores], proof: Proof | None = None
) -> Verdict:
    """Prove anew that `plan` keeps `promise` for these scores, one `Scores` for each attacker.

    And that no plan is better than its bound, where a proof of that is given.
    """
    problems = []
    if plan.promise != promise:
        names = Promise.__dataclass_fields__
        other = [name for name in names if getattr(plan.promise, name) != getattr(promise, name)]
        problems.append(
            PlanProblem(ProblemKind.OTHER_PROMISE, found=other[0] if other else "its kind")
        )
    problems += wrong_shape(promise, scores, promise.rows)
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=False)):
        same_shape = (table.photos, table.cells) == (promise.rows, against.cells)
        if same_shape and table.digest != against.scores:
            problems.append(PlanProblem(ProblemKind.OTHER_SCORES, number))
        if table.scorer and against.scorer and table.scorer != against.scorer:
            problems.append(PlanProblem(ProblemKind.OTHER_SCORER, number))
    problems = problems or list(validate_promise(promise))
    if not problems:
        needs = [against.top or 0 for against in promise.against]
        if promise.budget is not None and len(plan.views) == len(needs):
            needs = [view.protected_k for view in plan.views]
        album = AlbumFacts(promise, scores, needs, plan.shared)
        if plan.status in (Status.OPTIMAL, Status.FEASIBLE):
            problems = list(wrong_photos(plan, promise))
            if not problems:
                problems = list(_wrong_plan(plan, album))
        else:
            problems = list(_wrong_refusal(plan, album))
        if plan.status not in tuple(Status):
            problems.append(PlanProblem(ProblemKind.STATUS, found=plan.status))
    if proof is not None and not problems:
        problems = list(prove_optimal(plan, proof, scores))
    is_plan = plan.status in (Status.OPTIMAL, Status.FEASIBLE)
    return Verdict(tuple(problems), is_plan, none_better=proof is not None and not problems)


def wrong_shape(promise: Promise, scores: Sequence[Scores], rows: int) -> Iterator[PlanProblem]:
    """Why these are not scores of so many rows, a table for each attacker."""
    if len(scores) != len(promise.against):
        yield PlanProblem(
            ProblemKind.ATTACKER_COUNT, found=len(scores), wanted=len(promise.against)
        )
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=False)):
        if against.circles is not None and table.points is None:
            yield PlanProblem(ProblemKind.POINTS, number)
        if (table.photos, table.cells) != (rows, against.cells):
            found, wanted = f"{table.photos} × {table.cells}", f"{rows} × {against.cells}"
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
    wanted = () if promise.versions is None else plan.kept
    in_order = ascending(plan.choices, promise.rows)
    if not in_order or tuple(promise.photo_of[row] for row in plan.choices) != wanted:
        yield PlanProblem(ProblemKind.CHOICES)
    if views != attackers:
        yield PlanProblem(ProblemKind.VIEW_COUNT, found=views, wanted=attackers)
    if attackers > 1 and not plan.several:
        yield PlanProblem(ProblemKind.SEVERAL)


def _wrong_plan(plan: Plan, album: AlbumFacts) -> Iterator[PlanProblem]:
    """What is wrong with the plan for an album that it divides properly."""
    promise = album.promise
    shared = plan.shared
    cost = album.cost(plan.withheld, shared)
    yield from wrong_division(plan, promise, cost)
    yield from (problem for row, problem in album.revealing.items() if row in set(shared))
    views = album.views(shared)
    for number, view in enumerate(plan.views):
        yield from wrong_view(album, number, view, shared, views[number])
    # would the plan fail, or protect less, if no probability of zero decided anything?
    without = [0 if checked.zero else checked.count for checked in views]
    if promise.budget is None:
        pairs = zip(promise.against, without, strict=True)
        rests_on_zero = any(a.top is not None and count < a.top for a, count in pairs)
    else:
        rests_on_zero = min(without) < min(checked.count for checked in views)
    if plan.rests_on_zero != rests_on_zero:
        yield PlanProblem(ProblemKind.RESTS_ON_ZERO, found="" if plan.rests_on_zero else "not ")
    bound, optimal = plan.bound, plan.status == Status.OPTIMAL
    if not isinstance(bound, int | Fraction):
        yield PlanProblem(ProblemKind.BOUND_INEXACT, found=bound)
        return
    reached = min(checked.count for checked in views)
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
    if promise.budget is not None and promise.versions is not None:
        if cost > promise.budget:
            yield PlanProblem(ProblemKind.OVER_COST, found=cost, wanted=promise.budget)
    elif promise.budget is not None and len(withheld) > promise.budget:
        yield PlanProblem(ProblemKind.OVER_BUDGET, found=len(withheld), wanted=promise.budget)
    if plan.cost != cost or not isinstance(plan.cost, int | Fraction):
        yield PlanProblem(ProblemKind.COST, found=plan.cost, wanted=cost)


def wrong_view(
    album: AlbumFacts,
    attacker: int,
    view: View,
    shared: Sequence[int],
    checked: CheckedView | CheckedCircles,
) -> Iterator[PlanProblem]:
    """What is wrong with what the plan says of one attacker."""
    against, count = album.promise.against[attacker], checked.count
    top = against.top
    if isinstance(checked, CheckedCircles):
        yield from checked.problems
        if view.protected_k != album.needs[attacker]:
            wanted = view.protected_k
            yield PlanProblem(ProblemKind.OTHER_COUNT, attacker, found=count, wanted=wanted)
        elif not checked.problems and against.circles is not None:
            rows = album.rows(attacker, album.seen(attacker, shared))
            exponent = against.circles.exponent
            yield from wrong_rivals(
                rows, *album.hidden(attacker), view, exponent=exponent, attacker=attacker
            )
        return
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


def _beaten(
    plan: Plan, album: AlbumFacts, views: Sequence[CheckedView | CheckedCircles]
) -> Iterator[PlanProblem]:
    """Whether withholding only what must go contradicts the bound, or a plan's optimality."""
    kept = album.all_but_forced
    cheapest = album.cheapest_rows(kept)
    if views and cheapest is not None and set(plan.shared) == set(cheapest):
        return
    if cheapest is None:
        return
    least, bound = album.cost(album.forced, cheapest), plan.bound
    if album.promise.budget is None and bound <= least:
        return  # whatever is seen then
    seen = album.fulfilling_views(kept)
    if seen is None:
        return
    reached = min(checked.count for checked in seen)
    if album.promise.budget is None:
        if bound > least:
            yield PlanProblem(ProblemKind.CHEAPER, found=bound, wanted=least)
    elif bound < reached:
        yield PlanProblem(ProblemKind.FURTHER, found=bound, wanted=reached)
    elif plan.status == Status.OPTIMAL:
        # a budget is spent for the smallest protected-k, then their sum, then a low cost
        best, planned = [c.count for c in seen], [c.count for c in views]
        if (min(best), sum(best), -least) > (min(planned), sum(planned), -plan.cost):
            yield PlanProblem(ProblemKind.BETTER)


def _wrong_refusal(plan: Plan, album: AlbumFacts) -> Iterator[PlanProblem]:
    """What is wrong with a plan that says that there is none, or that none was found."""
    carries = plan.withheld or plan.kept or plan.views or plan.choices
    if carries or plan.cost != 0 or plan.rests_on_zero:
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
    if promise.versions is not None:
        cost += sum((promise.versions[row].cost for row in plan.choices), Fraction(0))
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
    kept, tops = _promise_of_kept(plan, scores)
    facts = AlbumFacts(kept, scores, shared=range(photos))
    problems += facts.revealing.values()
    for number, checked in enumerate(facts.views(range(photos))):
        if unchanged:
            view = plan.views[number]
            problems += wrong_view(facts, number, view, range(photos), checked)
        elif isinstance(checked, CheckedCircles):
            problems += checked.problems
        elif checked.count < tops[number]:
            problems.append(
                PlanProblem(ProblemKind.TOO_FEW, number, found=checked.count, wanted=tops[number])
            )
    return Verdict(tuple(problems))


def _promise_of_kept(plan: Plan, scores: Sequence[Scores]) -> tuple[Promise, list[int]]:
    """A plan's promise with the kept photos numbered anew, and its tops."""
    promise, numbers = plan.promise, {photo: number for number, photo in enumerate(plan.kept)}
    tops = []
    renumbered = []
    for against, view, table in zip(promise.against, plan.views, scores, strict=True):
        # under a budget no top was asked for: what the plan says it protects is the promise
        tops.append(view.protected_k if against.top is None else against.top)
        sees = against.sees
        sees = None if sees is None else tuple(numbers[p] for p in sees if p in numbers)
        renumbered.append(replace(against, scores=table.digest, top=tops[-1], sees=sees))
    pinned = sorted(with_groups(promise, promise.keep))
    exempt = tuple(numbers[photo] for photo in pinned if photo in numbers)
    kept = Promise(len(plan.kept), tuple(renumbered), keep=exempt, strict=promise.strict)
    return kept, tops


def find_exempt(plan: Plan, scores: Sequence[Scores]) -> list[frozenset[int]]:
    """For each attacker the photos that tell him a hidden place alone, kept because they must stay.

    Of a plan that `prove_kept` finds nothing wrong with, on the same scores.
    """
    kept, _ = _promise_of_kept(plan, scores)
    found = []
    for against, table in zip(kept.against, scores, strict=True):
        alone = Promise(kept.photos, (against,), strict=kept.strict)
        telling = AlbumFacts(alone, [table], shared=range(kept.photos))
        found.append(frozenset(plan.kept[row] for row in kept.keep if row in telling.revealing))
    return found


def count_ahead(scores: Scores, truth: Sequence[int], *, strict: bool = False) -> int:
    """How many other cells come before the truth by the plain sum of all rows, exactly.

    A tie counts as before, unless `strict`.
    """
    against = Against(scores.digest, scores.scorer, scores.cells, tuple(truth), None)
    facts = AlbumFacts(Promise(scores.photos, (against,), strict=strict), [scores])
    return facts.views(range(scores.photos))[0].count


def keeps_away(scores: Scores, circles: HiddenCircles, first: int) -> bool:
    """Whether it is proved that none of the first circles of all rows is near something hidden."""
    against = Against(scores.digest, scores.scorer, scores.cells, (), first, circles=circles)
    facts = AlbumFacts(Promise(scores.photos, (against,)), [scores])
    return facts.views(range(scores.photos))[0].count >= first
