"""The exact solver: presolve, a good plan first, then branch and bound with safe bounds.

It knows the canonical problem of `problem.py` and nothing of photos, maps or margins.
"""

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.solver import solve

__all__ = ["Instance", "Limits", "solve"]
