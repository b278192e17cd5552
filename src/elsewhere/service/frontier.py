"""What each number of withheld photos would buy for an album, with greedy beside it.

The same joint problem as the plan's, over all budgets. It is a picture in the report and not a
promise: where time runs out, points stay open and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import CheckError, InputError
from elsewhere.report.contents import FrontierStep, FrontierSteps
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import checked_points
from elsewhere.service.threats import threat_scores
from elsewhere.solver import greedy as baseline
from elsewhere.solver.circle_plans import greedy_steps
from elsewhere.solver.greedy import counts, unit_order
from elsewhere.solver.plans import read_limits
from elsewhere.solver.problem import OUT
from elsewhere.solver.reductions import Contradiction, cost_scale, reduce
from elsewhere.solver.requests import Request
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores


def album_frontier(
    scored: ScoredAlbum, album_plan: AlbumPlan, *, patience: float
) -> FrontierSteps | None:
    """The frontier around an album's plan; None where the wishes leave no choice at all."""
    plan, promise = album_plan.plan, album_plan.plan.promise
    scores = threat_scores(scored, album_plan.threats, album_plan.posted, album_plan.versions)
    greedy = greedy_frontier(promise, scores)
    lost = len(plan.withheld) if promise.versions is None else float(plan.cost)
    try:
        found = tuple(steps(album_plan, scores, greedy, patience=patience))
    except InputError:
        return None
    return FrontierSteps(
        found,
        greedy,
        (lost, plan.protected_k) if plan.found else None,
        album_plan.wishes.top if promise.budget is None else None,
        album_plan.top,
    )


def steps(
    album_plan: AlbumPlan,
    scores: Sequence[Scores],
    greedy: Sequence[tuple[float, int]],
    *,
    patience: float,
    stopped: Callable[[], bool] | None = None,
) -> Iterator[FrontierStep]:
    """Step by step, each as soon as it is solved; InputError where there is no choice at all.

    Where photos have versions, there is a step for each loss that buys more.

    `scores` are the plan's `threat_scores`, `greedy` their `greedy_frontier`.
    """
    plan, promise = album_plan.plan, album_plan.plan.promise
    versions = promise.versions is not None
    lost: int | Fraction = plan.cost if versions else len(plan.withheld)
    half: int | Fraction = promise.photos // 2
    if versions:
        half = sum(promise.values or [Fraction(1)] * promise.photos, Fraction(0)) / 2
    against = tuple(replace(attacker, top=None) for attacker in promise.against)
    any_budget = replace(promise, against=against, budget=0)
    limits = replace(read_limits(patience, None), stopped=stopped)
    found = checked_points(
        Request(any_budget, tuple(scores), several=True),
        # beyond the plan, and never further than half of the photos
        max(lost, min(half, 2 * lost + 6)),
        limits,
    )
    known = [*greedy, *([(lost, plan.protected_k)] if plan.found else [])]
    for point in found:
        # beyond what is proved, greedy's plan or the album's own may be better
        others = max((k for n, k in known if n <= point.budget), default=0)
        if others > point.bound:  # exactly counted, all of them: one must be wrong
            raise CheckError(
                f"a plan that withholds {point.budget} photos is better than what was proved to be "
                "the best: please report this"
            )
        withheld = len(point.plan.withheld) if versions else int(point.budget)
        reached = max(point.plan.protected_k, others)
        loss = Fraction(point.budget) if versions else None
        yield FrontierStep(withheld, reached, point.bound, loss)


def loss_in_photos(album_plan: AlbumPlan, cost: int | Fraction) -> float | None:
    """What a cost is in photos of average value, as a budget counts where photos have versions.

    None where they have none: a budget is a number of withheld photos then.
    """
    promise, photos = album_plan.plan.promise, album_plan.photos
    if promise.versions is None:
        return None
    values = (promise.values or [Fraction(1)] * photos)[:photos]
    return float(Fraction(cost) * photos / sum(values, Fraction(0)))


def greedy_reach(greedy: Sequence[tuple[float, int]], step: FrontierStep) -> int | None:
    """What greedy protects at a step, where it withholds no more photos, or loses no more."""
    if step.lost is None:
        return dict(greedy).get(step.withheld)
    return max((k for lost, k in greedy if lost <= step.lost), default=None)


def greedy_frontier(promise: Promise, scores: Sequence[Scores]) -> tuple[tuple[float, int], ...]:
    """The paper's baseline on the same problem: photos withheld, protected-k, one after another.

    Where circles are hidden, what tells most of them goes first. Where photos have versions, what
    is lost instead of photos withheld; for promises about cells there is none then.
    """
    wide = replace(promise, budget=promise.photos)
    try:
        reduction = reduce(wide, scores)
    except Contradiction:
        return ()
    problem = reduction.problem
    if reduction.circles:
        scale = cost_scale(promise)
        with np.errstate(all="ignore"):
            return tuple(
                (int(problem.sizes[~kept].sum()), k)
                if problem.versions is None
                else (float(problem.cost(kept, shared) / scale), k)
                for kept, shared, k in greedy_steps(reduction)
            )
    if problem.versions is not None:
        return ()
    kept = problem.fixed != OUT
    gone = int(problem.sizes[~kept].sum())
    found: list[tuple[float, int]] = []
    with np.errstate(all="ignore"):
        for unit in [-1, *unit_order(problem).tolist()]:
            if unit >= 0:
                if kept.sum() == 1:
                    break
                kept[unit] = False
                gone += int(problem.sizes[unit])
            found.append((gone, min(counts(problem, kept))))
    return tuple(found)


def greedy_needs(greedy: Sequence[tuple[float, int]], top: int) -> float | None:
    """How many photos greedy withholds until it reaches a top, on its stairs; None where never.

    >>> greedy_needs([(0, 0), (1, 3), (2, 2), (3, 5)], 3), greedy_needs([(0, 0), (1, 3)], 4)
    (1, None)
    """
    return next((gone for gone, reached in greedy if reached >= top), None)


def greedy_withholds(scored: ScoredAlbum, album_plan: AlbumPlan) -> tuple[int, ...] | None:
    """The photos that greedy withholds for a plan's promise, by number; None where it has no plan.

    Leaving out, one after the other, what most gives the place away is what anybody would do: shown
    beside a plan, it says what the exact answer saves. Without photos already posted.
    """
    scores = threat_scores(scored, album_plan.threats, NOTHING_POSTED, album_plan.versions)
    reduction = reduce(album_plan.plan.promise, scores)
    problem = reduction.problem
    kept = None
    if reduction.circles:
        need = max(against.top or 0 for against in reduction.promise.against)
        with np.errstate(all="ignore"):
            kept = next((kept for kept, _, k in greedy_steps(reduction) if k >= need), None)
    else:
        kept = baseline.solve(problem).kept
    if kept is None:
        return None
    return tuple(np.flatnonzero(~kept[problem.unit_of_photo()]).tolist())
