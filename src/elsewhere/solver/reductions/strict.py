"""Ties count against us: a rival must be strictly ahead, in exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, replace

from elsewhere.solver.problem import Problem
from elsewhere.solver.reductions.base import Unchanged


@dataclass(frozen=True)
class Strict(Unchanged):
    """Rows must be > 0."""

    def apply(self, problem: Problem) -> Problem:
        """An exact tie no longer holds."""
        return replace(problem, strict=True)
