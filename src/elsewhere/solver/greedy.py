"""The paper's baseline: leave out the photos that most give the place away, one by one.

Photos go in descending order of their score for the truth, and the top k is tested after each one,
from none left out. Under a budget d the d highest go, whether that helps or not.

What the paper leaves open: the score of a zone is the log of the summed probabilities of its cells;
of several attackers, the sum over those that see the photo; of a group, the mean. Equal scores go
in the order of the photos. Values are ignored. A photo with versions starts as its cheapest one and
goes on to the next dearer one with a lower score before it is left out. Rows should be
log-probabilities: unlike for every other solver here, a constant added to a row changes the plan.

Baselines serve as oracles for the solver, so they count holding rivals on their own.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.problem import (
    FREE,
    IN,
    OUT,
    Floats,
    Ints,
    Mask,
    Problem,
    Solution,
    holds,
)

ROUNDING = float(np.finfo(np.float64).eps)


def counts(problem: Problem, kept: Mask, shared: Mask | None = None) -> tuple[int, ...]:
    """How many rivals of each attacker hold when exactly the units `kept` stay.

    With versions, `shared` are the rows that are shared of them.

    >>> from elsewhere.solver.problem import plain
    >>> problem = plain(np.array([[0.0, -1.0, 0.0], [0.0, -2.0, -3.0]]), truth=0, need=1)
    >>> counts(problem, np.array([True, True])), counts(problem, np.array([True, False]))
    ((0,), (1,))
    """
    photos = kept[problem.unit_of] if shared is None else shared
    result = []
    for attacker in problem.attackers:
        seen = photos if attacker.sees is None else photos & attacker.sees
        rows = attacker.scores[seen].astype(np.float64)
        columns = np.append(attacker.rivals, attacker.zone)
        with np.errstate(over="ignore", invalid="ignore"):
            total = rows.sum(axis=0)
            size = np.abs(rows).sum(axis=0)
            if attacker.offset is not None:
                total = total + attacker.offset
                size = size + np.abs(attacker.offset)
            fixed_size = abs(attacker.shift) * len(rows) + abs(attacker.lead)
            threshold = attacker.shift * len(rows) + attacker.lead
            # a row is a sum of about 2 · photos + 4 terms, added up in some order
            unit = ROUNDING * (2 * len(rows) + 8)
            error = unit * (size[attacker.rivals] + size[attacker.zone].max() + fixed_size)
            slack = total[attacker.rivals] - total[attacker.zone].max() - threshold
        # inf or NaN (a zero probability, an overflow) is never clear
        finite = np.isfinite(total[columns]).all() and np.isfinite(error).all()
        clear = (np.abs(slack) > error) if finite else np.zeros(len(slack), bool)
        holding = clear & (slack > 0)
        for at in np.flatnonzero(~clear).tolist():
            rival = int(attacker.rivals[at])
            holding[at] = holds(attacker, photos, rival, strict=problem.strict)
        result.append(int(holding.sum()))
    return tuple(result)


def is_plan(problem: Problem, kept: Mask, shared: Mask | None = None) -> bool:
    """Whether `kept` respects fixed units, keeps one at least, and meets the needs or budget."""
    if not kept.any() or not kept[problem.fixed == IN].all() or kept[problem.fixed == OUT].any():
        return False
    if problem.versions is not None:
        if shared is None or (shared & ~problem.versions.allowed).any():
            return False
        each = np.bincount(problem.versions.photo_of[shared], minlength=problem.photos)
        if (each != kept[problem.unit_of_photo()]).any():
            return False
        if problem.budget is not None:
            return cost(problem, kept, shared) <= problem.budget
    if problem.budget is not None:
        return int(problem.sizes[~kept].sum()) <= problem.budget
    found = counts(problem, kept, shared)
    return all(n >= a.need for n, a in zip(found, problem.attackers, strict=True))


def cost(problem: Problem, kept: Mask, shared: Mask | None = None) -> int:
    """The weight left out, and what the versions shared cost."""
    return problem.cost(kept, kept[problem.unit_of] if shared is None else shared)


def trivial_bound(problem: Problem) -> int:
    """A bound that needs no proof: the weight fixed out, or the number of rivals."""
    if problem.budget is None:
        return int(problem.weights[problem.fixed == OUT].sum())
    return min(len(attacker.rivals) for attacker in problem.attackers)


def solve(problem: Problem) -> Solution:
    """The greedy plan; `feasible` at best, for nothing is proved.

    >>> from elsewhere.solver.problem import plain
    >>> rows = np.log([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    >>> solve(plain(rows, truth=0, need=1)).kept.tolist()
    [False, False, True]
    """
    if problem.versions is not None:
        return _solve_with_versions(problem)
    kept = problem.fixed != OUT
    sizes, bound = problem.sizes, trivial_bound(problem)
    withheld = int(sizes[~kept].sum())
    if not kept.any() or (problem.budget is not None and withheld > problem.budget):
        return Solution("infeasible", None, 0, bound)
    order = iter(unit_order(problem).tolist())
    if problem.budget is None:
        while not is_plan(problem, kept):
            unit = next(order, None)
            if unit is None or kept.sum() == 1:
                return Solution("unknown", None, 0, bound)
            kept[unit] = False
    else:
        for unit in order:
            if kept.sum() > 1 and withheld + sizes[unit] <= problem.budget:
                kept[unit] = False
                withheld += int(sizes[unit])
    shared = kept[problem.unit_of]
    return Solution("feasible", kept, cost(problem, kept), bound, shared=shared)


def _solve_with_versions(problem: Problem) -> Solution:
    """The greedy plan over versions: the photo that most gives the place away changes next."""
    versions = problem.versions
    assert versions is not None
    bound = trivial_bound(problem)
    kept, unit_of = problem.fixed != OUT, problem.unit_of_photo()
    truth = row_scores(problem)
    # each photo's allowed rows, in the order in which they are tried
    later: list[list[int]] = [[] for _ in range(problem.photos)]
    for row in np.lexsort((versions.costs, versions.photo_of)).tolist():
        own = later[versions.photo_of[row]]
        if versions.allowed[row] and (not own or truth[row] < truth[own[-1]]):
            own.append(row)
    shared = np.zeros(problem.rows, bool)
    shared[[later[photo].pop(0) for photo in np.flatnonzero(kept[unit_of]).tolist()]] = True
    if not kept.any() or (problem.budget is not None and not is_plan(problem, kept, shared)):
        return Solution("infeasible", None, 0, bound)
    settled = np.zeros(problem.photos, bool)  # can neither change nor be left out
    while problem.budget is not None or not is_plan(problem, kept, shared):
        rows = np.flatnonzero(shared)
        rows = rows[~settled[versions.photo_of[rows]]]
        if not len(rows):
            if problem.budget is not None:
                break
            return Solution("unknown", None, 0, bound)
        row = int(rows[truth[rows].argmax()])
        photo = int(versions.photo_of[row])
        unit = int(unit_of[photo])
        next_kept, next_shared = kept.copy(), shared.copy()
        if later[photo]:
            next_shared[row], next_shared[later[photo].pop(0)] = False, True
        elif problem.fixed[unit] == FREE and kept.sum() > 1:
            next_kept[unit] = False
            next_shared[problem.unit_of == unit] = False
        else:
            settled[photo] = True
            continue
        if problem.budget is None or is_plan(problem, next_kept, next_shared):
            kept, shared = next_kept, next_shared
        elif next_kept[unit]:  # too dear, as are its later versions
            later[photo].clear()
        else:
            settled[photo] = True
    return Solution("feasible", kept, cost(problem, kept, shared), bound, shared=shared)


def unit_order(problem: Problem) -> Ints:
    """The free units, the one that most gives the place away first."""
    score = row_scores(problem)
    units = np.bincount(problem.unit_of, weights=score, minlength=problem.units)
    mean = units / np.maximum(np.bincount(problem.unit_of, minlength=problem.units), 1)
    ranked = np.argsort(-mean, kind="stable")
    return np.asarray(ranked[problem.fixed[ranked] == FREE])


def row_scores(problem: Problem) -> Floats:
    """(rows,) the log-probability of the zone in each row, over the attackers that see it."""
    score = np.zeros(problem.rows)
    for attacker in problem.attackers:
        own = attacker.scores[:, attacker.zone].astype(np.float64)
        truth = own[:, 0]
        if own.shape[1] > 1:
            highest = own.max(axis=1)
            finite = np.where(np.isfinite(highest), highest, 0.0)
            with np.errstate(divide="ignore"):
                truth = np.log(np.exp(own - finite[:, None]).sum(axis=1)) + finite
        seen = np.ones(problem.rows, bool) if attacker.sees is None else attacker.sees
        score[seen] += truth[seen]
    return score
