"""Lead and prior: what counts once for the album, not once a photo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.problem import Attacker, Problem
from elsewhere.solver.reductions.base import Unchanged, each_attacker


@dataclass(frozen=True)
class Thresholds(Unchanged):
    """For each attacker the lead that rivals need, and what it knows beforehand."""

    once: tuple[tuple[float, tuple[float, ...] | None], ...]

    def apply(self, problem: Problem) -> Problem:
        """A rival must make up for the prior and be ahead by the lead."""

        def moved(i: int, attacker: Attacker) -> Attacker:
            lead, prior = self.once[i]
            offset = None if prior is None else np.array(prior, np.float64)
            return replace(attacker, lead=lead, offset=offset)

        return each_attacker(problem, moved)
