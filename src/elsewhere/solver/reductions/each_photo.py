"""Each photo on its own too: photos that alone reveal the truth must go."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.problem import IN, OUT, Attacker, Ints, Mask, Problem
from elsewhere.solver.reductions.base import Contradiction, Unchanged
from elsewhere.values.scores import Memory

_ALONE = Memory()


@dataclass(frozen=True)
class EachPhoto(Unchanged):
    """For each attacker the top that a single photo must keep the truth out of; 0 for none."""

    tops: tuple[int, ...]

    def apply(self, problem: Problem) -> Problem:
        """Fix revealing photos out; a pinned one is a contradiction."""
        revealing = self.revealing(problem)
        pinned = np.flatnonzero(revealing & (problem.fixed == IN))
        if len(pinned):
            which = "photo {} reveals the truth by itself"
            if len(pinned) > 1:
                which = "photos {} reveal the truth each by itself"
            raise Contradiction(
                f"no photo may reveal the truth alone, but kept {which}", pinned.tolist()
            )
        fixed = np.where(revealing, np.int8(OUT), problem.fixed)
        return replace(problem, fixed=fixed)

    def revealing(self, problem: Problem) -> Mask:
        """Which photos, alone, leave the truth in some attacker's top."""
        result = np.zeros(problem.photos, bool)
        for attacker, top in zip(problem.attackers, self.tops, strict=True):
            if not top:
                continue
            few = _counts(problem, attacker) < top
            result |= few if attacker.sees is None else few & attacker.sees
        return result


def _counts(problem: Problem, attacker: Attacker) -> Ints:
    """(photos,) how many rivals hold for each photo alone; no pin and no top changes that."""
    parts = (attacker.zone, attacker.rivals, attacker.offset, attacker.sees)
    key = (
        *(None if part is None else part.tobytes() for part in parts),
        attacker.shift,
        attacker.lead,
        problem.strict,
    )
    return _ALONE.of(attacker.bank, key, lambda: _holding(problem, attacker).sum(axis=0))


def _holding(problem: Problem, attacker: Attacker) -> Mask:
    """(rivals, photos) whether each rival holds in each photo alone."""
    if not attacker.shift and not attacker.lead and attacker.offset is None:
        # nothing is added up: two scores are compared as they are, and that is exact
        return _compared(attacker, strict=problem.strict)
    apart = replace(
        problem,
        attackers=(attacker,),
        unit_of=np.arange(problem.photos, dtype=np.intp),
        weights=np.ones(problem.photos, np.int64),
        fixed=np.zeros(problem.photos, np.int8),
    )
    instance = Instance(apart)
    ahead = instance.ahead_many(instance.start[:, None] + instance.lines)
    doubt = instance.doubt[:, None]
    holding: Mask = ahead > doubt
    unsure = ~holding & ~(ahead < -doubt)
    for rival, photo in np.argwhere(unsure).tolist():
        alone = np.zeros(problem.photos, bool)
        alone[photo] = True
        holding[rival, photo] = instance.holds_exactly(alone, rival)
    return holding


def _compared(attacker: Attacker, *, strict: bool) -> Mask:
    """The same where one score is compared with another."""
    rivals = attacker.bank[:, attacker.rivals].T
    truth = attacker.bank[:, attacker.zone].max(axis=1)
    holding: Mask = rivals > truth if strict else rivals >= truth
    return holding
