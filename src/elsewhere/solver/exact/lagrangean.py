"""A Lagrangean bound for several attackers, from what each costs alone at weights of its own.

A unit's weight counts once for all attackers. Split it among those that see the unit, in any way
(the split is the Lagrangean multipliers): whatever satisfies all attackers costs at least the sum
of each one's best plan at its own weights. A share may be negative: an attacker that would rather
keep a unit is paid for leaving it out by those that want it gone.

Multipliers move towards agreement: whoever leaves out a unit that others keep pays more for it, the
others less (a subgradient method for the Lagrangean dual). Any multipliers give a valid bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact.active_set import units_seen
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import minimise
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import MAX_TOTAL_WEIGHT, Floats, Mask

Whole = NDArray[np.int64]

MULTIPLIER_SCALE = 32
"""Multipliers are whole multiples of the unit of weight divided by this."""
SUBPROBLEM_WORK = 4_000
"""Work spent on one attacker at one set of multipliers."""
SUBPROBLEM_TURN = 1_500
"""Work on a subproblem before its first probe."""
MOMENTUM = 0.5
"""How much of the last step's direction goes into the next."""
MAX_STALLED_ROUNDS = 3
"""Rounds without a better bound after which steps get shorter."""
MIN_STEP = 0.02
"""The step length factor below which the method has settled."""


class LagrangeanBound:
    """The multipliers of all attackers for all units, moved round by round."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal, limits: Limits) -> None:
        self.weights = weights
        self.limits = limits
        self.seen: Mask = np.stack([units_seen(instance, a) for a in range(len(goal.each))])
        self.parts = [
            Part(instance.for_attackers([a], seen), seen, Goal(goal.each[a : a + 1], need))
            for a, (seen, need) in enumerate(zip(self.seen, goal.each.tolist(), strict=True))
        ]
        self.bound = 0
        """No plan for all attackers is lighter."""
        self.majority: Mask = np.zeros(instance.units, bool)
        """Units that at least half of the attackers that see them would leave out."""
        self.settled = False
        """Whether more rounds would not improve the bound."""
        self._starts = _initial_multipliers(self.seen, weights)
        self._multipliers = self._starts.pop(0)
        self._best, self._best_multipliers = -math.inf, self._multipliers
        self._direction: Floats = np.zeros(self.seen.shape)
        self._best_subgradient = self._direction
        self._step, self._stalled_rounds = 1.0, 0

    def round(self, incumbent_cost: int) -> None:
        """Solve every attacker's subproblem at the present multipliers, and move these."""
        whole = _integral_multipliers(self._multipliers, self.seen, self.weights)
        if float(np.abs(whole).sum()) >= MAX_TOTAL_WEIGHT:
            self.settled = True
            return
        total, left_out = 0, np.zeros(self.seen.shape)
        for a, part in enumerate(self.parts):
            least, left_out[a] = part.solve(whole[a], self.limits)
            total += least
        self.bound = max(self.bound, -(-total // MULTIPLIER_SCALE))
        share = left_out.sum(axis=0) / np.maximum(self.seen.sum(axis=0), 1)
        self.majority = share >= 0.5
        subgradient = np.where(self.seen, left_out - share, 0.0)
        if total > self._best:
            self._best, self._best_multipliers = total, self._multipliers
            self._best_subgradient, self._stalled_rounds = subgradient, 0
        else:
            self._stalled_rounds += 1
        if self._starts:
            self._multipliers = self._starts.pop(0)
            return
        first = self._step == 1.0 and not self._direction.any()
        if not first and self._stalled_rounds >= MAX_STALLED_ROUNDS:
            self._step, self._stalled_rounds = self._step / 2, 0
            self._direction[:] = 0.0
            first = True
        value, start = float(total), self._multipliers
        if first:  # from the best multipliers so far
            value, start, subgradient = self._best, self._best_multipliers, self._best_subgradient
        # a step so long that, were the dual linear, it would close the gap
        gap = incumbent_cost - value / MULTIPLIER_SCALE
        self._direction = subgradient + MOMENTUM * self._direction
        length = float((self._direction**2).sum())
        self.settled = not length or self._step < MIN_STEP
        if length:
            self._multipliers = start + self._step * max(gap, 0.5) / length * self._direction


@dataclass
class Part:
    """The subproblem of one attacker."""

    instance: Instance
    """Units that the attacker does not see are fixed in."""
    seen: Mask
    goal: Goal
    plan: Mask | None = None
    """The last plan found: feasible at any multipliers."""

    def solve(self, multipliers: Whole, limits: Limits) -> tuple[int, Mask]:
        """A bound on the cost of satisfying the attacker, and what it would leave out.

        Units of negative weight are complemented: they are left out to begin with, and cost what
        was gained to keep.
        """
        own = multipliers[self.seen]
        gained = own < 0
        share = replace(limits, work=min(SUBPROBLEM_WORK, limits.work - limits.done), done=0)
        result = minimise(
            self.instance.complemented(gained),
            np.abs(own).astype(np.float64),
            self.goal,
            share,
            known_plan=None if self.plan is None else self.plan ^ gained,
            turn=SUBPROBLEM_TURN,
        )
        limits.done += share.done
        if result.left_out is not None:
            self.plan = result.left_out ^ gained
        left_out = np.zeros(len(multipliers), bool)
        if self.plan is not None:
            left_out[self.seen] = self.plan
        return result.bound + int(own[gained].sum()), left_out


def _initial_multipliers(seen: Mask, weights: Floats) -> list[Floats]:
    """Attackers that see part of the photos pay for them; then those that see all do."""
    partial = np.array([[not own.all()] for own in seen])
    starts = []
    for payers in (partial, ~partial) if partial.any() and not partial.all() else (partial | True,):
        paying = seen & payers
        paying = np.where(paying.any(axis=0), paying, seen)
        starts.append(weights * paying / np.maximum(paying.sum(axis=0), 1))
    return starts


def _integral_multipliers(multipliers: Floats, seen: Mask, weights: Floats) -> Whole:
    """Whole multipliers, none of them 0, that add up to no more than the scaled weights."""
    whole = np.where(seen, np.floor(multipliers * MULTIPLIER_SCALE), 0.0).astype(np.int64)
    rest = (weights * MULTIPLIER_SCALE).astype(np.int64) - whole.sum(axis=0)
    whole[seen.argmax(axis=0), np.arange(len(weights))] += rest
    whole[whole == 0] = -1  # the solver's weights are positive, and a smaller sum is valid too
    return whole
