"""How many rivals hold for a given choice, exactly: what the baselines test themselves with.

The solver has bookkeeping of its own that counts thousands of choices fast. The baselines serve as
its oracles, so they count on their own: float sums with a rigorous error bound for the clear cases,
`arithmetic.holds` for the rest.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.arithmetic import holds
from elsewhere.solver.problem import IN, OUT, Attacker, Ints, Mask, Problem

ROUNDING = float(np.finfo(np.float64).eps)


def counts(problem: Problem, kept: Mask) -> tuple[int, ...]:
    """How many rivals of each attacker hold when exactly the units `kept` stay.

    >>> from elsewhere.solver.problem import plain
    >>> problem = plain(np.array([[0.0, -1.0, 0.0], [0.0, -2.0, -3.0]]), truth=0, need=1)
    >>> counts(problem, np.array([True, True])), counts(problem, np.array([True, False]))
    ((0,), (1,))
    """
    photos = kept[problem.unit_of]
    return tuple(
        len(holding(attacker, photos, strict=problem.strict)) for attacker in problem.attackers
    )


def holding(attacker: Attacker, photos: Mask, *, strict: bool) -> Ints:
    """The rivals (columns) that hold when exactly `photos` are kept."""
    seen = photos if attacker.sees is None else photos & attacker.sees
    rows = attacker.bank[seen].astype(np.float64)
    columns = np.append(attacker.rivals, attacker.zone)
    with np.errstate(over="ignore", invalid="ignore"):
        total = rows.sum(axis=0)
        size = np.abs(rows).sum(axis=0)
        if attacker.offset is not None:
            total = total + attacker.offset
            size = size + np.abs(attacker.offset)
        steady = abs(attacker.shift) * len(rows) + abs(attacker.lead)
        threshold = attacker.shift * len(rows) + attacker.lead
        # One row is a sum of 2 · photos + 4 or so terms, added up in some order.
        unit = ROUNDING * (2 * len(rows) + 8)
        doubt = unit * (size[attacker.rivals] + size[attacker.zone].max() + steady)
        ahead = total[attacker.rivals] - total[attacker.zone].max() - threshold
    # inf or NaN (a zero probability, an overflow) is never clear, and goes the exact way too.
    finite = np.isfinite(total[columns]).all() and np.isfinite(doubt).all()
    clear = (np.abs(ahead) > doubt) if finite else np.zeros(len(ahead), bool)
    result = clear & (ahead > 0)
    for at in np.flatnonzero(~clear).tolist():
        result[at] = holds(attacker, photos, int(attacker.rivals[at]), strict=strict)
    return np.asarray(attacker.rivals[result])


def satisfied(problem: Problem, kept: Mask) -> bool:
    """Whether `kept` is a plan: fixed units respected, one unit kept, every need or budget met."""
    if not kept.any() or not kept[problem.fixed == IN].all() or kept[problem.fixed == OUT].any():
        return False
    if problem.budget is not None:
        return int(problem.sizes[~kept].sum()) <= problem.budget
    found = counts(problem, kept)
    return all(n >= a.need for n, a in zip(found, problem.attackers, strict=True))


def cost(problem: Problem, kept: Mask) -> int:
    """The weight left out."""
    return int(problem.weights[~kept].sum())


def loosest_bound(problem: Problem) -> int:
    """The bound that needs no proof: what is fixed out, or the number of rivals."""
    if problem.budget is None:
        return int(problem.weights[problem.fixed == OUT].sum())
    return min(len(attacker.rivals) for attacker in problem.attackers)
