"""Before the search: what each rival costs alone.

A rival's cost alone is a one-row knapsack relaxation, solved in closed form for all rivals at
once. The k-th smallest is a lower bound for a top-k guarantee, and rivals dearer than the best
plan known can be forgotten: on real collections that leaves a dozen of five hundred.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.instance import Instance, row_slack
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.exact.simplex import one_row_lift
from elsewhere.solver.problem import Floats, Ints, Mask


def rival_costs(instance: Instance, weights: Floats) -> Floats:
    """A safe lower bound on what must be left out for each rival to hold (+inf: it cannot).

    Only the row against the zone's leading column is looked at; `costs_against_zone` looks at all.
    """
    everybody = np.arange(instance.rivals, dtype=np.intp)
    return _row_costs(instance, weights, everybody, instance.binding_zone_rows(instance.full_sums))


def tighten_rival_costs(instance: Instance, weights: Floats, costs: Floats, most: float) -> Floats:
    """Sharpen `costs` of the rivals that cost at most `most`: the dearest of all rows counts."""
    if instance.single_zone:
        return costs
    costs = costs.copy()
    for a, zone in enumerate(instance.zone_slices):
        for z in range(zone.start, zone.stop):
            live = np.flatnonzero((instance.attacker_of == a) & (costs <= most))
            if len(live):
                there = np.full(len(live), z, np.intp)
                costs[live] = np.maximum(costs[live], _row_costs(instance, weights, live, there))
    return costs


def goal_lower_bound(costs: Floats, owner: Ints, goal: Goal) -> float:
    """A lower bound for a goal: the dearest attacker's k-th cheapest rival."""
    bound = 0.0
    for a, need in enumerate(goal.each.tolist()):
        bound = max(bound, _kth_smallest(costs[owner == a], need))
    return max(bound, _kth_smallest(costs, goal.total))


def _kth_smallest(costs: Floats, k: int) -> float:
    if k > len(costs):
        return np.inf
    return float(np.partition(costs, k - 1)[k - 1]) if k > 0 else 0.0


def _row_costs(instance: Instance, weights: Floats, rivals: Ints, zone: Ints) -> Floats:
    lines, full = instance.unit_scores, instance.full_sums
    room = full[rivals] - full[zone]
    doubt = instance.error_bound[rivals]
    if not instance.units:
        return np.where(room >= -doubt, 0.0, np.inf)
    rows = lines[rivals] - lines[zone]
    never = _never(instance, rivals, zone, np.abs(room) <= doubt)
    if (weights == weights[0]).all():  # sort the losses themselves: the fewest units that do
        rows.sort(axis=1)
        np.minimum(rows, 0.0, out=rows)
        enough = rows.cumsum(axis=1) <= (room + 2 * doubt)[:, None]
        units = np.where(enough[:, -1], enough.argmax(axis=1) + 1.0, np.inf)
        units[room >= -doubt] = 0.0
        units *= weights[0]
        units[never] = np.inf
        return units
    lift = one_row_lift(weights, rows, room, doubt)
    costs: Floats = np.where(np.isfinite(lift), np.ceil(lift * (1 - 1e-12) - 1e-9), np.inf)
    costs[never] = np.inf
    return costs


def _never(instance: Instance, rivals: Ints, zone: Ints, tied: Mask) -> Mask:
    """Which rows are the same whatever is left out, and do not hold (a twin of the truth, say).

    Judged by the scores as given: floats that were scaled or added up may hide a difference.
    """
    result = np.zeros(len(rivals), bool)
    problem = instance.problem
    open_photos = np.isin(problem.unit_of, instance.free)
    everything = instance.photos_kept(np.zeros(instance.units, bool))
    for i in np.flatnonzero(tied).tolist():
        a = int(instance.attacker_of[rivals[i]])
        attacker = problem.attackers[a]
        if attacker.shift:
            continue
        rival = int(instance.cell_of[rivals[i]])
        z = int(attacker.zone[int(zone[i]) - instance.zone_slices[a].start])
        seen = open_photos if attacker.sees is None else open_photos & attacker.sees
        mine, truth = attacker.bank[seen, rival], attacker.bank[seen, z]
        if np.array_equal(mine, truth) and np.isfinite(mine).all():
            ahead = row_slack(attacker, everything, rival, z)
            result[i] = ahead < 0 or (problem.strict and not ahead > 0)
    return result
