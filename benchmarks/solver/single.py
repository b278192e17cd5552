"""Top-1 in O(MN log N): the special case of the paper that is not hard.

To put one rival ahead of the truth with the fewest photos left out, leave out those with the
smallest gain for it first. So try every rival, and take the cheapest. Only for one attacker, one
true cell and photos worth the same; there it is exact, and serves as an oracle for the solver.

(The paper's Algorithm 1, as printed, never counts its d up and tests > 0 where its text has ≥ 0;
here d starts at none left out and ties count as the problem says.)
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.greedy import ROUNDING
from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Floats, Ints, Problem, Solution, holds


def solve(problem: Problem) -> Solution:
    """The fewest photos to leave out so that some rival holds; proved.

    >>> from elsewhere.solver.problem import plain
    >>> rows = np.log([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    >>> answer = solve(plain(rows, truth=0, need=1))
    >>> answer.status, answer.cost, answer.kept.tolist()
    ('optimal', 2, [False, False, True])
    """
    attacker = _accept(problem)
    free = np.flatnonzero(problem.fixed == FREE)
    pinned = bool((problem.fixed == IN).any())
    limit = len(free) if pinned else len(free) - 1
    best: Ints | None = None
    soonest = _fewest(problem, attacker, free, limit)
    for at in np.argsort(soonest, kind="stable").tolist():
        ceiling = limit if best is None else len(best) - 1
        if soonest[at] > ceiling:
            break
        first = range(int(soonest[at]), ceiling + 1)
        out = _cheapest(problem, attacker, free, int(attacker.rivals[at]), first)
        if out is not None:
            best = out
    forced = int((problem.fixed == OUT).sum())
    weight = int(problem.weights[0])
    if best is None:
        return Solution("infeasible", None, 0, (forced + len(free)) * weight)
    kept = problem.fixed != OUT
    kept[best] = False
    cost = (forced + len(best)) * weight
    return Solution("optimal", kept, cost, cost)


def _accept(problem: Problem) -> Attacker:
    attacker = problem.attackers[0]
    if len(problem.attackers) != 1 or len(attacker.zone) != 1:
        raise InputError("single solves for one attacker and one true cell; use the exact solver")
    if problem.budget is not None or attacker.need != 1:
        raise InputError("single solves top=1 alone; use the exact solver")
    if problem.units != problem.photos or len(set(problem.weights.tolist())) != 1:
        raise InputError(
            "single needs photos that are worth the same and go alone; use the exact solver"
        )
    return attacker


def _fewest(problem: Problem, attacker: Attacker, free: Ints, limit: int) -> Floats:
    """For each rival, how many go at the least, from float sums that doubt in its favour."""
    bank = attacker.scores.astype(np.float64)
    zone = int(attacker.zone[0])
    used = problem.fixed != OUT
    seen = used if attacker.sees is None else used & attacker.sees
    finite = np.isfinite(bank[seen]).all() and (
        attacker.offset is None or np.isfinite(attacker.offset).all()
    )
    rivals = len(attacker.rivals)
    if not finite or limit < 0:
        return np.zeros(rivals)
    with np.errstate(over="ignore", invalid="ignore"):
        gains = bank[:, attacker.rivals] - bank[:, [zone]] - attacker.shift
        size = np.abs(bank[:, attacker.rivals]) + np.abs(bank[:, [zone]]) + abs(attacker.shift)
        gains[~seen], size[~seen] = 0.0, 0.0
        constant = np.full(rivals, -attacker.lead)
        scale = size.sum(axis=0) + abs(attacker.lead)
        if attacker.offset is not None:
            constant += attacker.offset[attacker.rivals] - attacker.offset[zone]
            scale += np.abs(attacker.offset[attacker.rivals]) + abs(attacker.offset[zone])
        constant += gains[problem.fixed == IN].sum(axis=0)
        ordered = np.sort(gains[free], axis=0)
        left = np.cumsum(ordered[::-1], axis=0)[::-1]  # left[d]: the sum when d have gone
        sums = np.vstack([left, np.zeros((1, rivals))])[: limit + 1] + constant
        doubt = ROUNDING * (4 * len(bank) + 8) * scale
    if not (np.isfinite(sums).all() and np.isfinite(doubt).all()):
        return np.zeros(rivals)
    perhaps = sums >= -doubt
    return np.where(perhaps.any(axis=0), perhaps.argmax(axis=0), inf)


def _cheapest(
    problem: Problem, attacker: Attacker, free: Ints, rival: int, numbers: range
) -> Ints | None:
    """Which photos go so that `rival` holds, by exact gains; None if no number of them does."""
    zone = int(attacker.zone[0])
    kept = problem.fixed != OUT
    seen = np.ones(len(kept), bool) if attacker.sees is None else attacker.sees

    def gain(photo: int) -> Fraction | float:
        if not seen[photo]:
            return Fraction(0)
        ahead, behind = float(attacker.scores[photo, rival]), float(attacker.scores[photo, zone])
        if ahead == -inf and (problem.strict or behind > -inf):
            return -inf  # while this photo stays, the rival is impossible
        if behind == -inf:
            return inf  # while this photo stays, the truth is
        return Fraction(ahead) - Fraction(behind) - Fraction(attacker.shift)

    ordered = sorted(free.tolist(), key=gain)
    for gone in numbers:
        kept[ordered[:gone]] = False
        if holds(attacker, kept, rival, strict=problem.strict):
            return np.array(ordered[:gone], np.intp)
    return None
