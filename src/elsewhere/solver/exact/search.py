"""All plans that are left when few units are open, evaluated at once.

With a dozen open units there are fewer plans than nodes in the tree that would sort them out.

Branch and bound over which rivals hold: rows on demand.

If the set of rivals that must hold is fixed, the linear relaxation has only their rows and is
nearly integral; a model with an indicator for every rival throws that away. So the tree branches
on "this rival holds" and adds its row; rivals that were not chosen are never modelled. Violated
rivals are tried hardest first: with the hardest in, the bound soon passes the cutoff; with the
hardest excluded, the rest shrinks. Once enough rivals hold at the relaxed point, units are
branched on. See docs/method.md, "The tree".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.simplex import INFEASIBLE, Tableau, one_row_lift
from elsewhere.solver.problem import Floats, Ints, Mask, Problem

ENUMERATION_SUMS = 150_000
"""Column sums worth computing at one node from the start: about a millisecond."""
ENUMERATION_SUMS_PER_WORK = 150
"""The same for each unit of work that the search has done: it pays where the tree is slow."""
MAX_ENUMERATION_SUMS = 1_000_000
"""And at the most, for the sake of memory."""


def is_worth_enumerating(lines: int, units: int, done: int = 0) -> bool:
    """Whether all plans over so many open units should be looked at, after so much work."""
    allowance = (
        max(ENUMERATION_SUMS, min(ENUMERATION_SUMS_PER_WORK * done, MAX_ENUMERATION_SUMS))
        if ENUMERATION_SUMS
        else 0
    )
    return units <= 20 and (lines << units) <= allowance


def enumerate_completions(
    part: Instance, weights: Floats, left_out: Mask, units: Ints
) -> tuple[Floats, Ints]:
    """Weight, and holding rivals of each attacker, for every way to leave out some of `units`.

    Plan number p leaves out `units[i]` where bit i of p is set, beside `left_out`. Near-ties are
    taken for holding, so that no plan that reaches a goal is missed; count exactly what is taken.
    """
    count = 1 << len(units)
    sums = np.empty((len(part.unit_scores), count))
    cost = np.empty(count)
    sums[:, 0] = part.sums(left_out.astype(np.float64))
    cost[0] = weights[left_out].sum()
    for i, unit in enumerate(units.tolist()):
        half = 1 << i
        np.subtract(sums[:, :half], part.unit_scores[:, unit, None], out=sums[:, half : 2 * half])
        np.add(cost[:half], weights[unit], out=cost[half : 2 * half])
    holding = part.ahead_many(sums) >= -part.error_bound[:, None]
    attackers = range(len(part.zone_slices))
    return cost, np.stack([holding[part.attacker_of == a].sum(axis=0) for a in attackers])


State = NDArray[np.int8]

FEASIBILITY_TOLERANCE = 1e-9  # a relaxed rival counts as satisfied down to here
INTEGRALITY_TOLERANCE = 1e-6


@dataclass
class Goal:
    """What a plan must reach: so many holding rivals for each attacker, and in all."""

    each: Ints
    total: int

    def reached(self, counts: Ints) -> bool:
        """Whether these counts of holding rivals fulfil the goal."""
        return bool((counts >= self.each).all()) and int(counts.sum()) >= self.total


def needs(problem: Problem) -> Goal:
    """The goal of a guarantee: what each attacker needs."""
    each = np.array([attacker.need for attacker in problem.attackers], np.intp)
    return Goal(each, int(each.sum()))


@dataclass
class Search:
    """One tree. `on_plan` hears of every plan within the cutoff and may tighten cutoff or goal."""

    instance: Instance
    weights: Floats
    goal: Goal
    cutoff: int
    on_plan: Callable[[Search, Mask, int, Ints], None]
    limits: Limits
    side: tuple[Floats, int] | None = None
    """Sizes of the units and the most that may be left out in all: a budget beside values."""
    stop: bool = False
    nodes: int = 0
    _stack: list[Iterator[Node]] = field(default_factory=list)

    def run(self) -> bool:
        """Search until the tree is done (True) or a limit is met (False: run again to go on)."""
        if not self.nodes:
            self._stack = [iter([self._root()])]
        while self._stack and not self.stop:
            if self.limits.exhausted():
                return False
            node = next(self._stack[-1], None)
            if node is None:
                self._stack.pop()
            else:
                self._stack.append(self._children(node))
        return True

    def _root(self) -> Node:
        """Nothing chosen, nothing fixed."""
        n = self.instance.units
        tableau = Tableau(self.weights)
        if self.side is not None:
            tableau = tableau.with_row(self.side[0], float(self.side[1]), 0.0)
        everybody = np.arange(self.instance.rivals, dtype=np.intp)
        return Node(tableau, everybody, np.zeros(0, np.intp), np.full(n, -1, np.int8))

    def offer(self, left_out: Mask) -> None:
        """Tell of a plan if it is within the cutoff and reaches the goal."""
        cost = int(self.weights[left_out].sum())
        if cost > self.cutoff:
            return
        if self.side is not None and self.side[0][left_out].sum() > self.side[1]:
            return
        counts = self.instance.counts(self.instance.holding(left_out))
        if self.goal.reached(counts):
            self.on_plan(self, left_out, cost, counts)

    def _possible(self, chosen: Ints, candidates: Ints) -> bool:
        """Whether the goal can be reached with these rivals at all."""
        both = len(chosen) + len(candidates)
        if len(self.goal.each) == 1 or both < self.goal.total:
            return both >= max(self.goal.total, int(self.goal.each.max()))
        return self.goal.reached(self._counts(chosen, candidates))

    def _counts(self, *rivals: Ints) -> Ints:
        """(attackers,) how many of these rivals each one has."""
        owners = self.instance.attacker_of[np.concatenate(rivals)]
        return np.bincount(owners, minlength=len(self.goal.each))

    def _children(self, node: Node) -> Iterator[Node]:
        """Bound a node and give its children, one at a time, as the cutoff tightens."""
        self.nodes += 1
        self.limits.done += 1
        bounded = self._relax(node)
        if bounded is None or self.stop:
            return
        bound, cost, x, ahead, leading = bounded
        instance, tableau = self.instance, node.tableau
        candidates = node.candidates
        free = node.state < 0
        violated = ahead[candidates] < -FEASIBILITY_TOLERANCE
        hard = candidates[violated]
        if len(hard):
            lines = instance.unit_scores
            rows = lines[hard] - lines[leading[hard]]
            room = instance.full_sums[hard] - instance.full_sums[leading[hard]]
            room -= rows[:, node.state == 1].sum(axis=1)
            lift = one_row_lift(cost[free], rows[:, free], room, instance.error_bound[hard])
            lifted = bound + lift
            order = np.argsort(-lifted, kind="stable")
            order = order[~(lifted[order] > self.cutoff)]
            hard, lifted = hard[order], lifted[order]
        else:
            lifted = np.zeros(0)
        easy = candidates[~violated]
        if not self._possible(node.chosen, np.concatenate([hard, easy])):
            return
        left = np.concatenate([hard, easy])
        zones = len(instance.unit_scores) - instance.rivals
        if is_worth_enumerating(
            len(node.chosen) + len(left) + zones, int(free.sum()), self.limits.done
        ):
            self._try_all(node, left, free)
            return
        if not len(hard) or self._possible(node.chosen, easy):
            yield from self._branch_on_unit(node, left, x, cost, free)
            return
        # child i: the i-th hardest holds and no harder one is counted; only rivals of attackers
        # that lack some are branched on, for the others nothing needs to be forced
        short = self._short(node.chosen, easy)[instance.attacker_of[hard]]
        spare = np.concatenate([hard[~short], easy])
        hard, lifted = hard[short], lifted[short]
        most = self._last(hard, self._counts(node.chosen, spare))
        for i in range(most + 1):
            if self.stop or bound > self.cutoff:
                return
            if lifted[i] > self.cutoff:
                continue
            rival, z = int(hard[i]), int(leading[hard[i]])
            rest = np.concatenate([hard[i + 1 :][~(lifted[i + 1 :] > self.cutoff)], spare])
            chosen = np.append(node.chosen, rival)
            if self._possible(chosen, rest):
                child = tableau.with_row(*instance.row(rival, z))
                yield Node(child, rest, chosen, node.state)

    def _last(self, hard: Ints, sure: Ints) -> int:
        """Up to which of these rivals the goal can be reached by it and those behind it alone,
        beside so many of each attacker's that are counted anyway.
        """
        last = len(hard) - max(0, self.goal.total - int(sure.sum()))
        owners = self.instance.attacker_of[hard]
        for a in np.flatnonzero(sure < self.goal.each).tolist():
            mine = np.flatnonzero(owners == a)
            last = min(last, int(mine[sure[a] - self.goal.each[a]]))
        return last

    def _short(self, chosen: Ints, easy: Ints) -> Mask:
        """(attackers,) which of them these rivals are too few for; all where only the sum is."""
        short: Mask = self._counts(chosen, easy) < self.goal.each
        return short if short.any() else ~short

    def _try_all(self, node: Node, candidates: Ints, free: Mask) -> None:
        """Offer every plan that is left and may reach the goal, the lightest first."""
        part = self.instance.restricted(np.sort(np.concatenate([node.chosen, candidates])))
        units = np.flatnonzero(free)
        fixed = node.state > 0
        cost, counts = enumerate_completions(part, self.weights, fixed, units)
        self.limits.done += len(cost) * len(part.unit_scores) // 8192
        reaching = (counts >= self.goal.each[:, None]).all(axis=0) & (cost <= self.cutoff)
        reaching &= counts.sum(axis=0) >= self.goal.total
        plans = np.flatnonzero(reaching)
        # as plans are taken, cutoff and goal leave the rest behind
        order = np.lexsort((cost[plans], -counts[:, plans].min(axis=0)))
        for plan in plans[order].tolist():
            if self.stop or cost[plan] > self.cutoff or not self.goal.reached(counts[:, plan]):
                continue
            left_out = fixed.copy()
            left_out[units] = (plan >> np.arange(len(units))) & 1
            self.offer(left_out)

    def _branch_on_unit(
        self, node: Node, candidates: Ints, x: Floats, cost: Floats, free: Mask
    ) -> Iterator[Node]:
        """Fix the most fractional unit, nearest value first."""
        where = np.flatnonzero(free)
        if not len(where):
            return
        units, down, up = node.tableau.penalties()
        # in a tableau that could not be solved, units that are fixed may be off their bounds: to
        # branch on one of them again would never end
        penalty = np.minimum(down, up)[free[units]]
        units = units[free[units]]
        if len(units):
            unit = int(units[penalty.argmax()])
        else:
            unit = int(where[np.abs(cost[where]).argmin()])
        nearest = 1 if x[unit] >= 0.5 else 0
        for value in (nearest, 1 - nearest):
            if self.stop:
                return
            # the last child may have the parent's own tableau: nobody needs it any more
            child = node.tableau.copy() if value == nearest else node.tableau
            child.fix(np.array([unit]), np.array([float(value)]))
            state = node.state.copy()
            state[unit] = value
            yield Node(child, candidates, node.chosen, state)

    def _relax(self, node: Node) -> tuple[float, Floats, Floats, Floats, Ints] | None:
        """Solve a node's relaxation: bound, reduced costs, how far rivals are ahead; or prune."""
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
            self._fix_by_cost(node, bound, cost)
            self._round(x, node.state)
            if self.stop or bound > self.cutoff:
                return None
            sums = instance.sums(x)
            ahead, leading = instance.slacks(sums), instance.binding_zone_rows(sums)
            if instance.single_zone or not len(node.chosen):
                return bound, cost, x, ahead, leading
            worst = int(node.chosen[ahead[node.chosen].argmin()])
            z = int(leading[worst])
            if ahead[worst] >= -1e-7 or (worst, z) in node.rows:
                return bound, cost, x, ahead, leading
            node.rows = {*node.rows, (worst, z)}
            node.tableau = tableau.with_row(*instance.row(worst, z))

    def _fix_by_cost(self, node: Node, bound: float, cost: Floats) -> None:
        """Units whose other value alone would pass the cutoff stay where they are."""
        fixed = (node.state < 0) & (bound + np.abs(cost) > self.cutoff)
        if not fixed.any():
            return
        units = np.flatnonzero(fixed)
        values = (cost[units] < 0).astype(np.float64)
        state = node.state.copy()
        state[units] = values
        node.state = state
        node.tableau.fix(units, values)

    def _round(self, x: Floats, state: State) -> None:
        """Offer the plans next to the relaxed point.

        Fixed units are taken as they are fixed, not as the simplex has them: where all are, the
        plan offered is the one plan that is left, whatever round-off did to the relaxation.
        """
        up = np.where(state < 0, x > INTEGRALITY_TOLERANCE, state > 0)
        near = np.where(state < 0, x > 0.5, state > 0)
        self.offer(near)
        if (up != near).any() and not self.stop:
            self.offer(up)


@dataclass
class Node:
    """A part of the tree: chosen rivals hold, candidates may, other rivals are not counted."""

    tableau: Tableau
    candidates: Ints
    chosen: Ints
    state: State
    """(units,) −1 open, 0 kept, 1 left out."""
    rows: set[tuple[int, int]] = field(default_factory=set)
