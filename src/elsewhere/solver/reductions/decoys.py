"""Only some cells count as rivals: decoys far enough away, or the paper's fixed targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.problem import Attacker, Problem
from elsewhere.solver.reductions.base import Unchanged, each_attacker


@dataclass(frozen=True)
class Decoys(Unchanged):
    """Filter each attacker's rivals; None leaves them all."""

    allowed: tuple[tuple[int, ...] | None, ...]

    def apply(self, problem: Problem) -> Problem:
        """Rivals that are not allowed can no longer be counted."""

        def filtered(i: int, attacker: Attacker) -> Attacker:
            allowed = self.allowed[i]
            if allowed is None:
                return attacker
            mask = np.isin(attacker.rivals, np.array(allowed, np.intp))
            return replace(attacker, rivals=attacker.rivals[mask])

        return each_attacker(problem, filtered)
