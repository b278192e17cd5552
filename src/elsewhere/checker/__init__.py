"""The check: proves a plan again, exactly, with code that shares nothing with the solver."""

from elsewhere.checker.proof import Verdict, prove

__all__ = ["Verdict", "prove"]
