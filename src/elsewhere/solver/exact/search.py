"""Branch and bound over which rivals hold, with rows on demand.

If the set of rivals that must hold is fixed, the linear relaxation has only their rows and is
nearly integral; a model with an indicator variable for every rival loses that. So the tree branches
on "this rival holds" and adds its row; rivals that were not chosen are never modelled. Violated
rivals are tried hardest first: with the hardest in, the bound soon passes the cutoff; with the
hardest excluded, the rest shrinks. Once enough rivals hold at the relaxed point, units are branched
on. With few free units left, all plans are enumerated at once: there are fewer of them than nodes
in the tree that would sort them out. See docs/method.md, "The tree".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.simplex import INFEASIBLE, Tableau, one_row_lift
from elsewhere.solver.problem import Floats, Ints, Mask

ENUMERATION_SUMS = 150_000
"""Column sums worth computing at one node: about a millisecond."""
ENUMERATION_SUMS_PER_WORK = 150
"""The same for each unit of work done so far: enumeration pays where the tree is slow."""
MAX_ENUMERATION_SUMS = 1_000_000
"""The limit of both, for the sake of memory."""
MAX_ENUMERATION_UNITS = 20
FEASIBILITY_TOLERANCE = 1e-9
"""A rival with a relaxed slack above minus this counts as satisfied."""
INTEGRALITY_TOLERANCE = 1e-6

State = NDArray[np.int8]


@dataclass
class SearchLimits:
    """When the solver must stop: a deadline, a limit on the work counted, a callback."""

    deadline: float = np.inf
    """On the clock of `time.monotonic`."""
    work: float = np.inf
    """Tree nodes and simplex pivots, so that the same limit stops at the same plan everywhere."""
    done: int = 0
    """Work done so far."""
    thorough: bool = True
    """Whether bounds of plans for places may take some tenths of a second."""
    stopped: Callable[[], bool] | None = None
    """Called often. True is the same as a deadline that has passed. It may raise, to end the work
    at once and without a solution."""
    time_decided: bool = False
    """Whether somebody was told that the time is over: another machine may go further."""

    def exhausted(self) -> bool:
        """Whether any limit is reached."""
        return self.done >= self.work or self.out_of_time()

    def out_of_time(self) -> bool:
        """Whether the deadline has passed or `stopped` says so."""
        stopped = self.stopped is not None and self.stopped()
        over = stopped or time.monotonic() >= self.deadline
        self.time_decided = self.time_decided or over
        return over


@dataclass
class Goal:
    """How many rivals must hold for each attacker, and in total."""

    each: Ints
    total: int

    def reached(self, counts: Ints) -> bool:
        """Whether these counts of holding rivals fulfil the goal."""
        return bool((counts >= self.each).all()) and int(counts.sum()) >= self.total


@dataclass
class Node:
    """A subtree: chosen rivals hold, candidates may hold, other rivals are not counted."""

    tableau: Tableau
    candidates: Ints
    chosen: Ints
    state: State
    """(units,) −1 free, 0 kept, 1 left out."""
    rows: set[tuple[int, int]] = field(default_factory=set)
    """Rows (rival, zone row) that were added because the relaxation violated them."""


@dataclass
class Search:
    """One tree. `on_plan` receives every plan within the cutoff and may tighten cutoff or goal."""

    instance: Instance
    weights: Floats
    goal: Goal
    cutoff: int
    on_plan: Callable[[Search, Mask, int, Ints], None]
    limits: SearchLimits
    side: tuple[Floats, int] | None = None
    """Sizes of the units and the most that may be left out in total: a budget beside weights."""
    stop: bool = False
    nodes: int = 0
    offered: int = 0
    """Plans that `on_plan` received."""
    _samples: int = 0
    _stack: list[Iterator[Node]] = field(default_factory=list)

    def run(self) -> bool:
        """Search until the tree is done (True) or a limit is reached (False: run again)."""
        if not self.nodes:
            tableau = self.instance.tableau(self.weights)
            if self.side is not None:
                tableau = tableau.with_row(self.side[0], float(self.side[1]), 0.0)
            rivals = np.arange(self.instance.rivals, dtype=np.intp)
            state = np.full(self.instance.units, -1, np.int8)
            self._stack = [iter([Node(tableau, rivals, np.zeros(0, np.intp), state)])]
        while self._stack and not self.stop:
            if self.limits.exhausted():
                return False
            node = next(self._stack[-1], None)
            if node is None:
                self._stack.pop()
            else:
                self._stack.append(self._children(node))
        return True

    def offer(self, left_out: Mask) -> None:
        """Report a plan if it is within the cutoff and reaches the goal."""
        cost = int(self.weights[left_out].sum())
        if cost > self.cutoff:
            return
        if self.side is not None and self.side[0][left_out].sum() > self.side[1]:
            return
        counts = self.instance.counts(self.instance.holding(left_out))
        if self.goal.reached(counts):
            self.offered += 1
            self.on_plan(self, left_out, cost, counts)

    def _is_reachable(self, chosen: Ints, candidates: Ints) -> bool:
        """Whether the goal could be reached if all these rivals held."""
        total = len(chosen) + len(candidates)
        if len(self.goal.each) == 1 or total < self.goal.total:
            return total >= max(self.goal.total, int(self.goal.each.max()))
        return self.goal.reached(self._counts(chosen, candidates))

    def _counts(self, *rivals: Ints) -> Ints:
        """(attackers,) how many of these rivals belong to each."""
        owners = self.instance.attacker_of[np.concatenate(rivals)]
        return np.bincount(owners, minlength=len(self.goal.each))

    def _children(self, node: Node) -> Iterator[Node]:
        """Bound a node and give its children, one at a time, as the cutoff tightens."""
        self.nodes += 1
        self.limits.done += 1
        relaxed = self._relax(node)
        if relaxed is None or self.stop:
            return
        bound, cost, x, slack, zone_rows = relaxed
        instance = self.instance
        free = node.state < 0
        violated = slack[node.candidates] < -FEASIBILITY_TOLERANCE
        hard, easy = node.candidates[violated], node.candidates[~violated]
        lifted = np.zeros(0)
        if len(hard):
            lifted = bound + self._lift(node, cost, hard, zone_rows[hard])
            order = np.argsort(-lifted, kind="stable")
            order = order[~(lifted[order] > self.cutoff)]
            hard, lifted = hard[order], lifted[order]
        remaining = np.concatenate([hard, easy])
        if not self._is_reachable(node.chosen, remaining):
            return
        if self._enumerate(node, remaining, bound, cost):
            return
        # a plan found there may have raised the goal or lowered the cutoff
        if bound > self.cutoff or not self._is_reachable(node.chosen, remaining):
            return
        if not len(hard) or self._is_reachable(node.chosen, easy):
            yield from self._branch_on_unit(node, remaining, x, cost, free)
            return
        # Child i: the i-th hardest rival holds and no harder one is counted. Only rivals of
        # attackers that lack some are branched on; for the others nothing needs to be forced.
        lacking = self._counts(node.chosen, easy) < self.goal.each
        if not lacking.any():  # only the total is short
            lacking[:] = True
        forced = lacking[instance.attacker_of[hard]]
        spare = np.concatenate([hard[~forced], easy])
        hard, lifted = hard[forced], lifted[forced]
        for i in range(self._last_child(hard, self._counts(node.chosen, spare)) + 1):
            if self.stop or bound > self.cutoff:
                return
            if lifted[i] > self.cutoff:
                continue
            rival, zone_row = int(hard[i]), int(zone_rows[hard[i]])
            rest = np.concatenate([hard[i + 1 :][~(lifted[i + 1 :] > self.cutoff)], spare])
            chosen = np.append(node.chosen, rival)
            if self._is_reachable(chosen, rest):
                child = node.tableau.with_row(*instance.row(rival, zone_row))
                yield Node(child, rest, chosen, node.state)

    def _lift(self, node: Node, cost: Floats, rivals: Ints, zone_rows: Ints) -> Floats:
        """By how much the bound rises if each of these rivals, alone, must hold."""
        instance, free = self.instance, node.state < 0
        rows = instance.unit_scores[rivals] - instance.unit_scores[zone_rows]
        rhs = instance.full_sums[rivals] - instance.full_sums[zone_rows]
        rhs -= rows[:, node.state == 1].sum(axis=1)
        return one_row_lift(cost[free], rows[:, free], rhs, instance.error_bound[rivals])

    def _last_child(self, hard: Ints, certain: Ints) -> int:
        """The last i for which the goal is reachable with hard[i:] and `certain` rivals each."""
        last = len(hard) - max(0, self.goal.total - int(certain.sum()))
        owners = self.instance.attacker_of[hard]
        for a in np.flatnonzero(certain < self.goal.each).tolist():
            own = np.flatnonzero(owners == a)
            last = min(last, int(own[certain[a] - self.goal.each[a]]))
        return last

    def _enumeration_limit(self) -> int:
        """Column sums worth computing at a node: enumeration pays where the tree is slow."""
        allowance = min(ENUMERATION_SUMS_PER_WORK * self.limits.done, MAX_ENUMERATION_SUMS)
        return max(ENUMERATION_SUMS, allowance)

    def _enumerate(self, node: Node, candidates: Ints, bound: float, cost: Floats) -> bool:
        """Offer every remaining plan that may reach the goal, the lightest first.

        False where there are too many.
        """
        units = np.flatnonzero(node.state < 0)
        rows_left = len(node.chosen) + len(candidates)
        rows_left += len(self.instance.unit_scores) - self.instance.rivals
        if len(units) > MAX_ENUMERATION_UNITS or (
            rows_left << len(units) > self._enumeration_limit()
        ):
            return False
        part = self.instance.restricted(np.sort(np.concatenate([node.chosen, candidates])))
        fixed = node.state > 0
        cost, counts = enumerate_completions(part, self.weights, fixed, units)
        self.limits.done += len(cost) * len(part.unit_scores) // 8192
        reaching = (counts >= self.goal.each[:, None]).all(axis=0) & (cost <= self.cutoff)
        reaching &= counts.sum(axis=0) >= self.goal.total
        plans = np.flatnonzero(reaching)
        order = np.lexsort((cost[plans], -counts[:, plans].min(axis=0)))
        for plan in plans[order].tolist():
            # plans that were accepted have tightened the cutoff or the goal
            if self.stop or cost[plan] > self.cutoff or not self.goal.reached(counts[:, plan]):
                continue
            left_out = fixed.copy()
            left_out[units] = (plan >> np.arange(len(units))) & 1
            self.offer(left_out)
        return True

    def _branch_on_unit(
        self, node: Node, candidates: Ints, x: Floats, cost: Floats, free: Mask
    ) -> Iterator[Node]:
        """Fix the most fractional unit, nearest value first."""
        free_units = np.flatnonzero(free)
        if not len(free_units):
            return
        units, down, up = node.tableau.penalties()
        # A tableau that could not be solved may have fixed units off their bounds; to branch on
        # one of them again would never end.
        penalty = np.minimum(down, up)[free[units]]
        units = units[free[units]]
        if len(units):
            unit = int(units[penalty.argmax()])
        else:
            unit = int(free_units[np.abs(cost[free_units]).argmin()])
        nearest = 1 if x[unit] >= 0.5 else 0
        for value in (nearest, 1 - nearest):
            if self.stop:
                return
            # the last child may take the parent's own tableau
            child = node.tableau.copy() if value == nearest else node.tableau
            child.fix(np.array([unit]), np.array([float(value)]))
            state = node.state.copy()
            state[unit] = value
            yield Node(child, candidates, node.chosen, state)

    def _relax(self, node: Node) -> tuple[float, Floats, Floats, Floats, Ints] | None:
        """Solve a node's relaxation, fix units by reduced cost and offer rounded plans.

        Returns the bound, reduced costs, relaxed plan, slacks and binding zone rows; None to prune.
        """
        instance = self.instance
        while True:
            tableau = node.tableau
            outcome, pivots = tableau.solve(60 + 4 * len(tableau.basis))
            self.limits.done += pivots
            if outcome == INFEASIBLE and tableau.is_proved_infeasible():
                return None
            bound, cost = tableau.bound()
            if bound > self.cutoff:
                return None
            x = tableau.values()
            if not self._settle(node, bound, cost):
                return None
            up, nearest = self._roundings(node, x)
            self.offer(nearest)
            if (up != nearest).any() and not self.stop:
                self.offer(up)
            if self.stop or bound > self.cutoff:
                return None
            if self._add_links(node, x):
                continue
            sums = instance.sums(x)
            slack, zone_rows = instance.slacks(sums), instance.binding_zone_rows(sums)
            if instance.single_zone or not len(node.chosen):
                return bound, cost, x, slack, zone_rows
            worst = int(node.chosen[slack[node.chosen].argmin()])
            zone_row = int(zone_rows[worst])
            if slack[worst] >= -1e-7 or (worst, zone_row) in node.rows:
                return bound, cost, x, slack, zone_rows
            node.rows = {*node.rows, (worst, zone_row)}
            node.tableau = tableau.with_row(*instance.row(worst, zone_row))

    def _settle(self, node: Node, bound: float, cost: Floats) -> bool:
        """Fix units whose other value alone would pass the cutoff; False to prune."""
        settled = (node.state < 0) & (bound + np.abs(cost) > self.cutoff)
        if settled.any():
            units = np.flatnonzero(settled)
            values = (cost[units] < 0).astype(np.float64)
            node.state = node.state.copy()
            node.state[units] = values
            node.tableau.fix(units, values)
        return True

    def _roundings(self, node: Node, x: Floats) -> tuple[Mask, Mask]:
        """The relaxed plan with fractions rounded up, and to the nearest value.

        Fixed units are rounded to where they are fixed, not to where the simplex has them: where
        all are fixed, the plan offered is the only plan of the node.
        """
        up = np.where(node.state < 0, x > INTEGRALITY_TOLERANCE, node.state > 0)
        return up, np.where(node.state < 0, x > 0.5, node.state > 0)

    def _add_links(self, node: Node, x: Floats) -> bool:
        """Whether rows that link choices were added, because the relaxed plan violates them."""
        return False


def enumerate_completions(
    part: Instance, weights: Floats, left_out: Mask, units: Ints
) -> tuple[Floats, Ints]:
    """Weight, and holding rivals of each attacker, for every way to leave out some of `units`.

    Plan number p leaves out `units[i]` where bit i of p is set, beside `left_out`. Near-ties count
    as holding, so that no plan that reaches a goal is missed; the caller counts exactly.
    """
    count = 1 << len(units)
    sums = np.empty((len(part.unit_scores), count))
    cost = np.empty(count)
    sums[:, 0] = part.sums(left_out)
    cost[0] = weights[left_out].sum()
    for i, unit in enumerate(units.tolist()):
        half = 1 << i
        np.subtract(sums[:, :half], part.unit_scores[:, unit, None], out=sums[:, half : 2 * half])
        np.add(cost[:half], weights[unit], out=cost[half : 2 * half])
    holding = part.slacks(sums) >= -part.error_bound[:, None]
    return cost, part.counts(holding)
