"""Diving for a plan: rivals chosen one by one, then units swapped until they all hold.

The relaxed problem of a fixed set of rivals is nearly integral, so the art is to find the set.
A dive takes the rival that lifts the relaxed cost least, again and again; `repair` then looks
for whole units near the relaxed plan.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.bounds import best_with_one_row
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.exact.simplex import SOLVED, Tableau
from elsewhere.solver.problem import Floats, Ints, Mask

NEIGHBOURS = 32
"""Units on either side of the relaxed plan's edge that may be swapped."""
REPAIRS = 30
"""Swaps tried before giving up."""


class Dive:
    """Chooses rivals one by one, always the one that lifts the relaxed cost least."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal

    def run(
        self, chosen: list[int], banned: set[int]
    ) -> tuple[Floats, float, list[int], Ints] | None:
        """The relaxed plan, its cost, the rivals chosen, and the order that its prices give."""
        instance = self.instance
        tableau = Tableau(self.weights)
        rows = list(chosen)
        owners = list(chosen)  # whose each line of the tableau is: a zone may need several
        leading = instance.leading(instance.full)
        for rival in rows:
            tableau = tableau.with_row(*instance.row(rival, int(leading[rival])))
        allowed = np.ones(instance.rivals, bool)
        allowed[list(banned)] = False
        for _ in range(3 * int(self.goal.total) + 3):
            outcome, _pivots = tableau.solve(60 + 4 * len(tableau.basis))
            if outcome != SOLVED:
                return None
            x = tableau.values()
            sums = instance.sums(x)
            ahead, leading = instance.ahead(sums), instance.leading(sums)
            # rows of chosen rivals against other zone cells come first
            if rows and not instance.single_zone:
                worst = rows[int(ahead[rows].argmin())]
                if ahead[worst] < -1e-7:
                    owners.append(worst)
                    tableau = tableau.with_row(*instance.row(worst, int(leading[worst])))
                    continue
            good = (ahead >= -1e-9) & allowed
            counts = instance.counts(good)
            if self.goal.reached(counts):
                bound, cost = tableau.bound()
                lam = np.zeros(instance.rivals)
                np.add.at(lam, owners, tableau.multipliers())
                holding = np.flatnonzero(good)
                by_price = holding[np.argsort(lam[holding], kind="stable")].tolist()
                return x, bound, by_price, np.lexsort((cost / self.weights, -x))
            short = counts < self.goal.each
            if not short.any():
                short[:] = True
            hard = np.flatnonzero(allowed & ~good & short[instance.owner])
            if not len(hard):
                return None
            _, cost = tableau.bound()
            lift = best_with_one_row(
                cost,
                instance.lines[hard] - instance.lines[leading[hard]],
                instance.full[hard] - instance.full[leading[hard]],
                instance.doubt[hard],
            )
            pick = int(hard[lift.argmin()])
            if not np.isfinite(lift.min()):
                return None
            rows.append(pick)
            owners.append(pick)
            tableau = tableau.with_row(*instance.row(pick, int(leading[pick])))
        return None


def repair(instance: Instance, weights: Floats, rivals: Ints, order: Ints, cap: float) -> Mask:
    """A prefix of `order` within `cap`, repaired near its end until these rivals hold."""
    steps = int(np.searchsorted(weights[order].cumsum(), cap, side="right"))
    left_out = np.zeros(instance.units, bool)
    left_out[order[:steps]] = True
    around = order[max(0, steps - NEIGHBOURS) : steps + NEIGHBOURS]
    return repair_around(instance, weights, rivals, left_out, around=around, cap=cap)


def repair_around(
    instance: Instance,
    weights: Floats,
    rivals: Ints,
    left_out: Mask,
    *,
    around: Ints,
    cap: float,
) -> Mask:
    """Swap some units in and out until these rivals hold, if that can be reached within `cap`."""
    leading = instance.leading(instance.sums(left_out.astype(np.float64)))
    rows = instance.lines[rivals] - instance.lines[leading[rivals]]
    size = np.abs(rows).mean(axis=1) + 1e-300
    rows = rows[:, around] / size[:, None]
    value = instance.ahead(instance.sums(left_out.astype(np.float64)))[rivals] / size
    inside = left_out[around]
    spare = cap - float(weights[left_out].sum())
    heavy = weights[around]
    tabu = np.zeros(len(around), np.intp)
    for step in range(1, REPAIRS + 1):
        if (value >= 0).all():
            break
        back = np.flatnonzero(inside & (tabu < step))
        out = np.flatnonzero(~inside & (tabu < step))
        if not len(back) or not len(out):
            break
        after = value[:, None, None] + rows[:, back][:, :, None] - rows[:, out][:, None, :]
        np.minimum(after, 0.0, out=after)
        wrong = np.einsum("rij,rij->ij", after, after)
        wrong[heavy[out][None, :] - heavy[back][:, None] > spare] = np.inf
        at = int(wrong.argmin())
        if not np.isfinite(wrong.flat[at]):
            break
        i, j = back[at // len(out)], out[at % len(out)]
        value = value + rows[:, i] - rows[:, j]
        spare += heavy[i] - heavy[j]
        inside[i], inside[j] = False, True
        tabu[i] = tabu[j] = step + 6
    result = left_out.copy()
    result[around] = inside
    return result
