"""Before the search: what each rival costs alone.

A rival's cost alone is a one-row knapsack relaxation, solved in closed form for all rivals at
once. The k-th smallest is a lower bound for a top-k guarantee, and rivals dearer than the best
plan known can be forgotten: on real collections that leaves a dozen of five hundred.
"""

from __future__ import annotations

import numpy as np

from elsewhere.protect.exact.bounds import best_with_one_row
from elsewhere.protect.exact.instance import Instance
from elsewhere.protect.exact.search import Goal
from elsewhere.protect.problem import Floats, Ints


def costs_alone(instance: Instance, weights: Floats) -> Floats:
    """A safe lower bound on what must be left out for each rival to hold (+inf: it cannot).

    Only the row against the zone's leading column is looked at; `costs_against_zone` looks at all.
    """
    everybody = np.arange(instance.rivals, dtype=np.intp)
    return _row_costs(instance, weights, everybody, instance.leading(instance.full))


def costs_against_zone(instance: Instance, weights: Floats, costs: Floats, most: float) -> Floats:
    """Sharpen `costs` of the rivals that cost at most `most`: the dearest of all rows counts."""
    if instance.single_zone:
        return costs
    costs = costs.copy()
    for a, zone in enumerate(instance.zone_at):
        for z in range(zone.start, zone.stop):
            live = np.flatnonzero((instance.owner == a) & (costs <= most))
            if len(live):
                there = np.full(len(live), z, np.intp)
                costs[live] = np.maximum(costs[live], _row_costs(instance, weights, live, there))
    return costs


def least_cost(costs: Floats, owner: Ints, goal: Goal) -> float:
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
    lines, full = instance.lines, instance.full
    room = full[rivals] - full[zone]
    doubt = instance.doubt[rivals]
    if not instance.units:
        return np.where(room >= -doubt, 0.0, np.inf)
    rows = lines[rivals] - lines[zone]
    if (weights == weights[0]).all():  # sort the losses themselves: the fewest units that do
        rows.sort(axis=1)
        np.minimum(rows, 0.0, out=rows)
        enough = rows.cumsum(axis=1) <= (room + 2 * doubt)[:, None]
        units = np.where(enough[:, -1], enough.argmax(axis=1) + 1.0, np.inf)
        units[room >= -doubt] = 0.0
        units *= weights[0]
        return units
    lift = best_with_one_row(weights, rows, room, doubt)
    costs: Floats = np.where(np.isfinite(lift), np.ceil(lift * (1 - 1e-12) - 1e-9), np.inf)
    return costs
