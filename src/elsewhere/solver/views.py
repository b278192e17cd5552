"""What each attacker sees of the kept photos: the rivals that hold, in order, and the slack."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from elsewhere.solver.arithmetic import row_slack
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.problem import Attacker, Floats, Ints, Mask, Problem
from elsewhere.values.plan import View


def views(instance: Instance, kept: Mask) -> tuple[tuple[View, ...], bool]:
    """One view for each attacker, and whether the plan rests on a probability of zero."""
    problem = instance.problem
    left_out = ~kept[instance.free]
    photos = kept[problem.unit_of]
    holding = instance.holding(left_out)
    ahead = instance.slacks(instance.sums(left_out.astype(np.float64)))
    result = []
    without_zero = [0] * len(problem.attackers)
    for a, attacker in enumerate(problem.attackers):
        mine = np.flatnonzero((instance.attacker_of == a) & holding)
        impossible = _impossible(attacker, photos)
        doubt = float(instance.error_bound[mine].max(initial=0.0))
        order = _in_order(attacker, photos, instance.cell_of[mine], ahead[mine], doubt)
        if impossible.all():  # every rival is infinitely far ahead
            order = np.argsort(instance.cell_of[mine])
        cells = instance.cell_of[mine][order]
        last = (attacker.need if problem.budget is None else len(cells)) - 1
        slack = math.inf
        if 0 <= last < len(cells):
            slack = _lead(attacker, photos, int(cells[last]), impossible)
        if not impossible.any():
            without_zero[a] = len(cells)
        result.append(View(len(cells), tuple(cells.tolist()), slack))
    return tuple(result), _too_few(problem, without_zero, result)


def _too_few(problem: Problem, without_zero: list[int], seen: list[View]) -> bool:
    """Whether the promise would fail if rows that a zero decides did not hold."""
    if problem.budget is not None:
        return min(without_zero) < min(view.protected_k for view in seen)
    return any(n < a.need for n, a in zip(without_zero, problem.attackers, strict=True))


def _impossible(attacker: Attacker, photos: Mask) -> Mask:
    """Which cells of the zone some kept photo (or the prior) gives probability zero."""
    seen = photos if attacker.sees is None else photos & attacker.sees
    gone: Mask = np.isneginf(attacker.bank[np.ix_(seen, attacker.zone)]).any(axis=0)  # type: ignore[assignment]
    if attacker.offset is not None:
        gone = gone | np.isneginf(attacker.offset[attacker.zone])
    return gone


def _lead(attacker: Attacker, photos: Mask, rival: int, impossible: Mask) -> float:
    """How far a rival is ahead of the zone's best possible cell, correctly rounded."""
    rows = [row_slack(attacker, photos, rival, z) for z in attacker.zone[~impossible].tolist()]
    return min(rows, default=math.inf)


def _in_order(attacker: Attacker, photos: Mask, cells: Ints, ahead: Floats, doubt: float) -> Ints:
    """Furthest ahead first; near-ties by exact column sums, real ties by cell."""
    order = np.lexsort((cells, -ahead))
    if len(order) < 2:
        return order
    gap = ahead[order[:-1]] - ahead[order[1:]]
    close = ~(gap > 2 * doubt)
    if not close.any():
        return order
    starts = np.flatnonzero(np.concatenate([[True], ~close]))
    ends = np.append(starts[1:], len(order))
    seen = photos if attacker.sees is None else photos & attacker.sees

    def total(i: int) -> Fraction:
        terms = attacker.bank[seen, cells[i]].tolist()
        if attacker.offset is not None:
            terms.append(float(attacker.offset[cells[i]]))
        if -math.inf in terms:
            return Fraction(-(10**400))
        return sum((Fraction(x) for x in terms), Fraction(0))

    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start > 1:
            part = sorted(order[start:end].tolist(), key=lambda i: (-total(i), int(cells[i])))
            order[start:end] = part
    return order
