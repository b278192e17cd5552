"""The exact solver: presolve, a good plan first, then branch and bound with safe bounds.

It knows the canonical problem of `problem.py` and nothing of photos, maps or margins.

instance           float scores with error bounds, exact decisions
heuristics         first plans: surrogate prefixes, dives, repairs
simplex            safe lower bounds and the dual simplex behind them
search             limits, goals, and the branch and bound
objectives         least weight and most holding rivals; presolve
plan_lists         plans of several places, listed and put together
several_attackers  active set, swaps and a Lagrangean bound
solver             `solve`, for one problem or all budgets; the best of equally good plans
"""

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import SearchLimits
from elsewhere.solver.exact.solver import solve

__all__ = ["Instance", "SearchLimits", "solve"]
