"""The black-box margin: every gain less θ, for each kept photo (the paper's equation)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from elsewhere.solver.problem import Problem
from elsewhere.solver.reductions.base import Unchanged, each_attacker


@dataclass(frozen=True)
class Margin(Unchanged):
    """One θ for each attacker."""

    thetas: tuple[float, ...]

    def apply(self, problem: Problem) -> Problem:
        """Each kept photo counts θ more for the truth."""
        return each_attacker(problem, lambda i, a: replace(a, shift=self.thetas[i]))
