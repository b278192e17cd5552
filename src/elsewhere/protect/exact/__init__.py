"""The exact solver: presolve, a good plan first, then branch and bound with safe bounds.

It knows the canonical problem of `problem.py` and nothing of photos, maps or margins.
"""

from elsewhere.protect.exact.instance import Instance
from elsewhere.protect.exact.limits import Limits
from elsewhere.protect.exact.solver import solve

__all__ = ["Instance", "Limits", "solve"]
