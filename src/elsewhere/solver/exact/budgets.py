"""All budgets at once: how many rivals hold as more may be left out.

The best count is a staircase in the budget. Each step is one question, "what is the least that
must be left out for one more rival?", and its answer settles every budget up to there; the next
question starts from the bound that the last one proved. Where proofs are no longer asked for,
prefixes of good orders give plans for all remaining budgets in one go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from elsewhere.solver.exact.heuristics import prefix_plans
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.objectives import uniform_goal
from elsewhere.solver.exact.presolve import rival_costs, tighten_rival_costs
from elsewhere.solver.exact.solver import max_removable_weight, minimise
from elsewhere.solver.problem import Mask


@dataclass(frozen=True)
class BudgetStep:
    """The best known plan for one budget."""

    budget: int
    """Photos left out at most, forced ones included."""
    left_out: Mask
    reached: int
    """The smallest count of holding rivals over the attackers."""
    bound: int
    """No plan within the budget reaches more."""
    fewest: bool = True
    """Whether it is proved that no plan with fewer photos left out reaches as much."""


def solve_all_budgets(instance: Instance, prove_up_to: int, limits: Limits) -> Iterator[BudgetStep]:
    """A step for every budget from the fewest photos that must go to all but one unit's."""
    sizes = instance.sizes
    first = instance.fixed_out_photos
    last = first + int(max_removable_weight(instance, sizes))
    costs = rival_costs(instance, sizes)
    best = np.zeros(instance.units, bool)
    reached = _count(instance, best)
    budget = first
    known: dict[int, Mask] = {}
    proved_to = min(prove_up_to, last)
    while budget <= proved_to and not limits.exhausted():
        goal = uniform_goal(len(instance.zone_slices), reached + 1)
        cap = proved_to - first
        found = minimise(
            instance, sizes, goal, limits, cap=cap, lower_bound=budget - first, costs=costs
        )
        if found.left_out is None:  # no plan up to the cap, or not decided in time
            settled = proved_to if found.proved else first + found.bound - 1
            for b in range(budget, settled + 1):
                yield BudgetStep(b, best, reached, reached)
            budget = settled + 1
            break
        cost = first + int(sizes[found.left_out].sum())
        settled = cost if found.proved else first + found.bound
        for b in range(budget, min(cost, settled)):
            yield BudgetStep(b, best, reached, reached)
        budget = max(budget, min(cost, settled))
        if not found.proved:
            known[cost - first] = found.left_out
            break
        best, reached = found.left_out, _count(instance, found.left_out)
    if budget > last:
        return
    costs = tighten_rival_costs(instance, sizes, costs, last - first)
    known = prefix_plans(instance, sizes, costs, last - first, limits) | known
    fewest = True
    attackers = range(len(instance.zone_slices))
    for b in range(budget, last + 1):  # a plan, and how many rivals could hold one at a time
        plan = known.get(b - first)
        if plan is not None:
            count = _count(instance, plan)
            if count > reached:
                best, reached, fewest = plan, count, False
        possible = [int((costs[instance.attacker_of == a] <= b - first).sum()) for a in attackers]
        yield BudgetStep(b, best, reached, max(reached, min(possible)), fewest)


def _count(instance: Instance, left_out: Mask) -> int:
    return int(instance.counts(instance.holding(left_out)).min())
