"""All plans that are left when few units are open, evaluated at once.

With a dozen open units there are fewer plans than nodes in the tree that would sort them out.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.problem import Floats, Ints, Mask

VALUES = 150_000
"""Column sums worth computing at one node from the start: about a millisecond."""
MORE = 150
"""The same for each unit of work that the search has done: it pays where the tree is slow."""
MOST = 1_000_000
"""And at the most, for the sake of memory."""


def worth_trying(lines: int, units: int, done: int = 0) -> bool:
    """Whether all plans over so many open units should be looked at, after so much work."""
    allowance = max(VALUES, min(MORE * done, MOST)) if VALUES else 0
    return units <= 20 and (lines << units) <= allowance


def completions(
    part: Instance, weights: Floats, left_out: Mask, units: Ints
) -> tuple[Floats, Ints]:
    """Weight, and holding rivals of each attacker, for every way to leave out some of `units`.

    Plan number p leaves out `units[i]` where bit i of p is set, beside `left_out`. Near-ties are
    taken for holding, so that no plan that reaches a goal is missed; count exactly what is taken.
    """
    count = 1 << len(units)
    sums = np.empty((len(part.lines), count))
    cost = np.empty(count)
    sums[:, 0] = part.sums(left_out.astype(np.float64))
    cost[0] = weights[left_out].sum()
    for i, unit in enumerate(units.tolist()):
        half = 1 << i
        np.subtract(sums[:, :half], part.lines[:, unit, None], out=sums[:, half : 2 * half])
        np.add(cost[:half], weights[unit], out=cost[half : 2 * half])
    holding = part.ahead_many(sums) >= -part.doubt[:, None]
    attackers = range(len(part.zone_at))
    return cost, np.stack([holding[part.owner == a].sum(axis=0) for a in attackers])
