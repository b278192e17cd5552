"""All budgets at once: how many rivals hold as more photos may be left out.

The best count is a step function of the budget. Each step is one problem, the least that must be
left out for one more rival, and its answer settles every budget up to there; the next problem
starts from the bound that the last one proved. Beyond the budgets to be proved, prefixes of good
orders give plans for all remaining budgets at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from elsewhere.solver.exact.heuristics import prefix_plans
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import max_removable_weight, minimise
from elsewhere.solver.exact.presolve import rival_costs, tighten_rival_costs
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import Mask


@dataclass(frozen=True)
class BudgetStep:
    """The best known plan for one budget."""

    budget: int
    """Photos left out at most, including those fixed out."""
    left_out: Mask
    reached: int
    """The smallest count of holding rivals over the attackers."""
    bound: int
    """No plan within the budget reaches more."""
    fewest: bool = True
    """Whether it is proved that no plan with fewer photos left out reaches as much."""


def solve_all_budgets(instance: Instance, prove_up_to: int, limits: Limits) -> Iterator[BudgetStep]:
    """A step for every budget from the photos that are fixed out to all but one unit's."""
    sizes = instance.sizes
    attackers = len(instance.zone_slices)
    first = instance.fixed_out_photos
    last = first + int(max_removable_weight(instance, sizes))
    costs = rival_costs(instance, sizes)
    best = np.zeros(instance.units, bool)
    reached = int(instance.counts(instance.holding(best)).min())
    budget = first
    known: dict[int, Mask] = {}
    proved_to = min(prove_up_to, last)
    while budget <= proved_to and not limits.exhausted():
        result = minimise(
            instance,
            sizes,
            Goal.uniform(attackers, reached + 1),
            limits,
            cap=proved_to - first,
            lower_bound=budget - first,
            costs=costs,
        )
        if result.left_out is None:  # no plan up to the cap, or not decided in time
            settled = proved_to if result.proved else first + result.bound - 1
            for b in range(budget, settled + 1):
                yield BudgetStep(b, best, reached, reached)
            budget = settled + 1
            break
        cost = first + int(sizes[result.left_out].sum())
        settled = cost if result.proved else first + result.bound
        for b in range(budget, min(cost, settled)):
            yield BudgetStep(b, best, reached, reached)
        budget = max(budget, min(cost, settled))
        if not result.proved:
            known[cost - first] = result.left_out
            break
        best = result.left_out
        reached = int(instance.counts(instance.holding(best)).min())
    if budget > last:
        return
    costs = tighten_rival_costs(instance, sizes, costs, last - first)
    known = prefix_plans(instance, sizes, costs, last - first, limits) | known
    fewest = True
    for b in range(budget, last + 1):  # a plan, and how many rivals could hold one at a time
        plan = known.get(b - first)
        if plan is not None:
            count = int(instance.counts(instance.holding(plan)).min())
            if count > reached:
                best, reached, fewest = plan, count, False
        affordable = costs <= b - first
        possible = [int(affordable[instance.attacker_of == a].sum()) for a in range(attackers)]
        yield BudgetStep(b, best, reached, max(reached, min(possible)), fewest)
