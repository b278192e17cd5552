"""Photos that must stay (kept, or public already) and photos that must go."""

from __future__ import annotations

from dataclasses import dataclass, replace

from elsewhere.solver.problem import IN, OUT, Problem
from elsewhere.solver.reductions.base import Unchanged


@dataclass(frozen=True)
class Pins(Unchanged):
    """Photos by number."""

    keep: tuple[int, ...]
    drop: tuple[int, ...]

    def apply(self, problem: Problem) -> Problem:
        """Fix them in and out."""
        fixed = problem.fixed.copy()
        fixed[list(self.keep)] = IN
        fixed[list(self.drop)] = OUT
        return replace(problem, fixed=fixed)
