"""A fixed number of photos to withhold: the truth as far down as can be."""

from __future__ import annotations

from dataclasses import dataclass, replace

from elsewhere.solver.problem import Problem
from elsewhere.solver.reductions.base import Unchanged


@dataclass(frozen=True)
class Budget(Unchanged):
    """At most this many photos left out; forced ones count."""

    photos: int

    def apply(self, problem: Problem) -> Problem:
        """Maximise the rivals that hold instead of needing so many."""
        return replace(problem, budget=min(self.photos, problem.photos))
