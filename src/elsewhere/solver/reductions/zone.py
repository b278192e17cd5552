"""The whole neighbourhood hidden: a rival must outrank every cell of the zone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.problem import Attacker, Problem
from elsewhere.solver.reductions.base import Unchanged, each_attacker


@dataclass(frozen=True)
class Zone(Unchanged):
    """Widen each attacker's truth to all its cells; none of them can be a rival."""

    truths: tuple[tuple[int, ...], ...]

    def apply(self, problem: Problem) -> Problem:
        """One row against every cell of the zone."""

        def widen(i: int, attacker: Attacker) -> Attacker:
            zone = np.array(self.truths[i], np.intp)
            rivals = attacker.rivals[~np.isin(attacker.rivals, zone)]
            return replace(attacker, zone=zone, rivals=rivals)

        return each_attacker(problem, widen)
