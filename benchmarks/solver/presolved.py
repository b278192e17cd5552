"""Our presolve, for peers: which rivals can matter, and between which costs the optimum lies.

The peers get from it what our own solver starts with: rivals that are dearer alone than the first
plan (or the budget) are dropped, the weight left out is bounded from both sides, and every big-M
is as small as that allows. They do not get the plan itself.
"""

from __future__ import annotations

import numpy as np

from benchmarks.solver.milp_model import Hints
from elsewhere.solver.exact.choice_heuristics import find_light_choices
from elsewhere.solver.exact.heuristics import find_light_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import (
    goal_lower_bound,
    max_removable_weight,
    rival_costs,
    tighten_rival_costs,
)
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.problem import Floats, Ints, Mask, Problem


def hints(problem: Problem, instance: Instance | None = None) -> Hints:
    """What our presolve knows of the problem; made for photos that are worth the same."""
    instance = instance or Instance(problem)
    weights = instance.weights
    costs, cap = rival_costs(instance, weights), max_removable_weight(instance, weights)
    least = 0
    if problem.budget is None:
        goal = Goal(instance.needs, int(instance.needs.sum()))
        if problem.versions is None:
            plan = find_light_plan(instance, weights, costs, goal, cap=cap, limits=SearchLimits())
        else:  # as our own solver does, from the cheapest rivals
            cheapest = np.sort(np.argsort(costs, kind="stable")[: max(40, 4 * goal.total)])
            part = instance.restricted(cheapest)
            plan = find_light_choices(
                part, weights, costs[cheapest], goal, cap=cap, limits=SearchLimits()
            )
        most = int(cap if plan is None else weights[plan].sum())
        costs = tighten_rival_costs(instance, weights, costs, most, SearchLimits())
        least = int(min(goal_lower_bound(costs, instance.attacker_of, goal), most))
    else:
        most = int(min(problem.budget - instance.base_size, cap))
        costs = tighten_rival_costs(instance, weights, costs, most, SearchLimits())
    live = _live(instance.attacker_of, costs, most, len(problem.attackers))
    return Hints(live, least + instance.base_weight, most + instance.base_weight)


def _live(owner: Ints, costs: Floats, most: int, attackers: int) -> tuple[Mask, ...]:
    return tuple(np.asarray(costs[owner == a] <= most) for a in range(attackers))
