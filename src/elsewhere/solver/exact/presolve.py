"""Presolve: a lower bound on the cost of each rival alone.

A rival's cost alone is a one-row knapsack relaxation, solved in closed form for all rivals at once.
The k-th smallest is a lower bound for a top-k guarantee, and rivals that cost more than the
incumbent can be dropped: on real collections that leaves a dozen of five hundred.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.arithmetic import row_slack
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.exact.simplex import one_row_lift
from elsewhere.solver.problem import Floats, Ints, Mask


def rival_costs(
    instance: Instance, weights: Floats, rivals: Ints | None = None, zone_rows: Ints | None = None
) -> Floats:
    """A safe lower bound on what must be left out for each rival to hold (+inf: it cannot).

    By default of all rivals, each against the binding row of its zone only.
    """
    scores, full = instance.unit_scores, instance.full_sums
    if rivals is None or zone_rows is None:
        rivals = np.arange(instance.rivals, dtype=np.intp)
        zone_rows = instance.binding_zone_rows(full)
    rhs = full[rivals] - full[zone_rows]
    error = instance.error_bound[rivals]
    if not instance.units:
        return np.where(rhs >= -error, 0.0, np.inf)
    rows = scores[rivals] - scores[zone_rows]
    hopeless = _hopeless(instance, rivals, zone_rows, np.abs(rhs) <= error)
    if (weights == weights[0]).all():  # sort the coefficients: the fewest units that suffice
        rows.sort(axis=1)
        np.minimum(rows, 0.0, out=rows)
        enough = rows.cumsum(axis=1) <= (rhs + 2 * error)[:, None]
        costs = np.where(enough[:, -1], enough.argmax(axis=1) + 1.0, np.inf)
        costs[rhs >= -error] = 0.0
        costs *= weights[0]
    else:
        lift = one_row_lift(weights, rows, rhs, error)
        costs = np.where(np.isfinite(lift), np.ceil(lift * (1 - 1e-12) - 1e-9), np.inf)
    costs[hopeless] = np.inf
    return costs


def tighten_rival_costs(instance: Instance, weights: Floats, costs: Floats, cap: float) -> Floats:
    """Tighten the costs that are at most `cap`, by the rows against every cell of the zone."""
    if instance.single_zone:
        return costs
    costs = costs.copy()
    for a, zone in enumerate(instance.zone_slices):
        for row in range(zone.start, zone.stop):
            live = np.flatnonzero((instance.attacker_of == a) & (costs <= cap))
            if len(live):
                zone_rows = np.full(len(live), row, np.intp)
                against_row = rival_costs(instance, weights, live, zone_rows)
                costs[live] = np.maximum(costs[live], against_row)
    return costs


def goal_lower_bound(costs: Floats, attacker_of: Ints, goal: Goal) -> float:
    """A lower bound for a goal: the k-th cheapest rival, of the most expensive attacker."""
    bound = 0.0
    parts = [(costs[attacker_of == a], need) for a, need in enumerate(goal.each.tolist())]
    for part, need in [*parts, (costs, goal.total)]:
        if need > len(part):
            return np.inf
        if need > 0:
            bound = max(bound, float(np.partition(part, need - 1)[need - 1]))
    return bound


def _hopeless(instance: Instance, rivals: Ints, zone_rows: Ints, tied: Mask) -> Mask:
    """Which rows are the same whatever is left out, and do not hold (a twin of the truth, say).

    Decided by the scores as given: floats that were scaled or summed may hide a difference.
    """
    result = np.zeros(len(rivals), bool)
    problem = instance.problem
    free_photos = np.isin(problem.unit_of, instance.free)
    all_kept = instance.units_kept(np.zeros(instance.units, bool))[problem.unit_of]
    for i in np.flatnonzero(tied).tolist():
        a = int(instance.attacker_of[rivals[i]])
        attacker = problem.attackers[a]
        if attacker.shift:
            continue
        rival = int(instance.cell_of[rivals[i]])
        zone_cell = int(attacker.zone[int(zone_rows[i]) - instance.zone_slices[a].start])
        seen = free_photos if attacker.sees is None else free_photos & attacker.sees
        rival_scores, truth_scores = attacker.scores[seen, rival], attacker.scores[seen, zone_cell]
        if np.array_equal(rival_scores, truth_scores) and np.isfinite(rival_scores).all():
            slack = row_slack(attacker, all_kept, rival, zone_cell)
            result[i] = slack < 0 or (problem.strict and not slack > 0)
    return result
