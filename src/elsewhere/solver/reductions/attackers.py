"""Several scorers, with cells of their own: several attackers, each with its own k and rivals."""

from __future__ import annotations

from dataclasses import dataclass, replace

from elsewhere.solver.problem import Problem
from elsewhere.solver.reductions.base import Unchanged


@dataclass(frozen=True)
class Attackers(Unchanged):
    """Join the attackers of other problems over the same photos."""

    others: tuple[Problem, ...]

    def apply(self, problem: Problem) -> Problem:
        """All must be satisfied by one plan."""
        more = tuple(attacker for other in self.others for attacker in other.attackers)
        return replace(problem, attackers=problem.attackers + more)
