"""Attackers that add up the same photos are one: what is ahead of the better zone is ahead of both.

Several hidden places of an album, seen by one model over all photos, differ in nothing but their
zones. Rivals are ranked alike for all of them, so that k rivals are ahead of each zone exactly
when k rivals are ahead of all zones together: one attacker with one zone, and a smaller tree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.solver.problem import Attacker, Problem


def merge_attackers(problem: Problem) -> Problem:
    """The same guarantee with as few attackers as will do.

    >>> from elsewhere.solver.problem import plain
    >>> one = plain(np.zeros((2, 4)), truth=0, need=1).attackers[0]
    >>> one = replace(one, rivals=np.array([2, 3]))
    >>> twin = replace(one, zone=np.array([1]))
    >>> both = merge_attackers(replace(plain(np.zeros((2, 4)), 0, 1), attackers=(one, twin)))
    >>> [attacker.zone.tolist() for attacker in both.attackers]
    [[0, 1]]
    """
    if problem.budget is not None or len(problem.attackers) < 2:
        return problem
    found: dict[tuple[object, ...], Attacker] = {}
    for attacker in problem.attackers:
        key = _but_for_its_zone(attacker)
        same = found.get(key, attacker)
        found[key] = replace(same, zone=np.union1d(same.zone, attacker.zone).astype(np.intp))
    return replace(problem, attackers=tuple(found.values()))


def _but_for_its_zone(attacker: Attacker) -> tuple[object, ...]:
    return (
        id(attacker.bank),
        None if attacker.sees is None else attacker.sees.tobytes(),
        None if attacker.offset is None else attacker.offset.tobytes(),
        attacker.rivals.tobytes(),
        attacker.need,
        attacker.shift,
        attacker.lead,
    )
