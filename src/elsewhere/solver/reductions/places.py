"""Several places in one album: a photo has no gain for the attackers of other places."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.problem import Attacker, Problem
from elsewhere.solver.reductions.base import Unchanged, each_attacker


@dataclass(frozen=True)
class Places(Unchanged):
    """Which photos each attacker adds up; None for all of them."""

    sees: tuple[tuple[int, ...] | None, ...]

    def apply(self, problem: Problem) -> Problem:
        """Photos that an attacker does not see count nothing for it, margin included."""

        def seeing(i: int, attacker: Attacker) -> Attacker:
            photos = self.sees[i]
            if photos is None:
                return attacker
            mask = np.zeros(problem.photos, bool)
            mask[list(photos)] = True
            return replace(attacker, sees=mask)

        return each_attacker(problem, seeing)
