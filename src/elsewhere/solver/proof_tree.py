"""The tree of a proof: which plans are left at a node, and prices that leave none.

A tree as in `exact/search.py`, but with a cutoff that does not move, and without plans. Every node
is settled by whole-number prices, rounded from the simplex's multipliers as coarsely as its gap
allows. What floats say of a node is believed only where it is clear, so the checker finds the same;
where it is not, the tree goes on, down to single plans.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from elsewhere.solver.exact import Instance, SearchLimits
from elsewhere.solver.exact.search import FEASIBILITY_TOLERANCE, Goal
from elsewhere.solver.exact.simplex import INFEASIBLE, Tableau
from elsewhere.solver.problem import Floats, Ints, Mask
from elsewhere.values.proof import ProofNode

PRICE_PRECISION = 0.01
"""How far rounded prices may move the bound of a node that is divided, in mean weights."""
GAP_SHARE = 0.25
"""The share of its gap by which rounded prices may move the bound of a node that is closed."""
MAX_FACTOR = 2.0**40
"""Prices are rounded to whole multiples of 1 over this, or coarser."""
GRID_ERROR = 2.0**-30
"""The checker's grid, relative to the largest score: nothing nearer than that counts as decided."""
SMALL_PRICE = 4.0
"""Prices below this are rounded up, not to the nearest."""
MIN_PLANS = 16
"""So many plans of a node, and one more for each node so far, are gone through one by one: where
bounds are of little use there are fewer plans than sets of rivals."""
MAX_UNITS_FIRST = 12
"""Up to so many units, a tree with more nodes than there are plans is begun anew, by units."""
MAX_NODES = 20_000
"""Nodes beyond which no proof is written."""


@dataclass
class Node:
    """Plans that leave out the units of `state`, where chosen rivals hold."""

    tableau: Tableau
    candidates: Ints
    chosen: tuple[int, ...]
    state: Ints
    """(units,) −1 free, 0 kept, 1 left out."""
    rows: tuple[tuple[int, int, float], ...] = ()
    """The tableau's rows of rivals: rival, zone row, and what the tableau scales it by."""
    closed: bool = False
    """Whether what is decided leaves no plan."""


@dataclass
class Prices:
    """Whole prices, and the sum of inequalities that they give."""

    cost: float
    budget: float
    rows: list[tuple[int, int, float]]
    """Rival, zone row, price."""
    leaving: Floats
    """(units,) what leaving out each unit takes off the sum."""
    base: float
    """The sum with nothing left out."""
    error: float
    """What floats and the checker's grid may be off by."""

    def largest(self, state: Ints) -> float:
        """The largest value of the sum; below 0 there is no plan."""
        best = np.where(state < 0, np.minimum(self.leaving, 0.0), self.leaving * (state > 0))
        return self.base - float(best.sum())


@dataclass
class ProofTree:
    """One tree: no plan reaches the goal within the cutoff."""

    instance: Instance
    goal: Goal
    cutoff: int | None
    """The most that a plan may cost, of the whole weight; None for any cost."""
    limits: SearchLimits
    tree: list[ProofNode] = field(default_factory=list)
    units_first: bool = False
    """Whether to divide by units alone."""

    def __post_init__(self) -> None:
        instance, problem = self.instance, self.instance.problem
        self.by_budget = self.cutoff is None and problem.budget is not None
        """Whether the budget takes the place of the cost."""
        self.weights = instance.sizes if self.by_budget else instance.weights
        every, base = problem.weights, instance.base_weight
        if self.by_budget:
            every, base = problem.sizes, instance.base_size
        total = int(every.sum())
        limit = problem.budget if self.by_budget else self.cutoff
        most = total if limit is None else min(total, limit)
        usable = problem.fixed >= 0
        if not instance.fixed_in.any() and usable.any():
            most = min(most, total - int(every[usable].min()))
        self.most = float(most - base)
        """What free units that are left out may cost."""
        self.spare = None
        """What they may take of a budget beside the cost; None where the cost settles that."""
        differ = bool((instance.weights != instance.sizes).any())
        if problem.budget is not None and differ and not self.by_budget:
            self.spare = float(min(problem.budget, problem.photos) - instance.base_size)
        self.largest_score = 1.0
        zeros = False
        for attacker in problem.attackers:
            finite = np.isfinite(attacker.scores)
            zeros = zeros or not finite.all()
            largest = np.abs(attacker.scores[finite]).max(initial=0.0)
            self.largest_score = max(self.largest_score, float(largest))
            if attacker.offset is not None:
                finite = np.isfinite(attacker.offset)
                zeros = zeros or not finite.all()
                largest = np.abs(attacker.offset[finite]).max(initial=0.0)
                self.largest_score = max(self.largest_score, float(largest))
        self.zeros = Zeros(instance) if zeros else None
        self._rows: dict[tuple[int, int], tuple[Floats, float, float, float]] = {}

    def write(self) -> list[ProofNode] | None:
        """The nodes, parents first; None where they are too many or time is over."""
        instance = self.instance
        if not instance.units and not instance.fixed_in.any():
            return []
        tableau = instance.tableau(self.weights)
        if self.spare is not None:
            tableau = tableau.with_row(instance.sizes, self.spare, 0.0)
        state = np.full(instance.units, -1, np.intp)
        rivals = np.arange(instance.rivals, dtype=np.intp)
        waiting = [Node(tableau, rivals, (), state)]
        most = MAX_NODES
        if instance.units <= MAX_UNITS_FIRST and not self.units_first:
            most = 2 << instance.units
        while waiting:
            if self.limits.exhausted() or len(self.tree) >= most:
                if self.limits.exhausted() or most == MAX_NODES:
                    return None
                return replace(self, tree=[], units_first=True).write()
            self.limits.done += 1
            node = waiting.pop()
            entry, children = self._settle(node)
            self.tree.append(entry)
            waiting += reversed(children)
        return self.tree

    def _settle(self, node: Node) -> tuple[ProofNode, list[Node]]:
        """A node of the proof, and its children."""
        instance = self.instance
        if node.closed or not self._is_reachable(node.chosen, node.candidates):
            return ProofNode((0, 0)), []
        prices, infeasible = self._relax(node)
        value = prices.largest(node.state)
        if value < -prices.error:
            return ProofNode(self._written(prices)), []
        if infeasible:  # the ray proves nothing once it is rounded
            prices = self._round(node, np.zeros(len(node.tableau.basis)), 1.0)
            value = prices.largest(node.state)
        self._decide(node, prices, value)
        if not (node.state < 0).any():  # a single plan, which does not reach the goal
            return ProofNode(self._written(prices)), []
        undecided = None if self.zeros is None else self.zeros.undecided(node.state)
        if undecided is not None:
            return self._divide_by_unit(node, self._written(prices), (), undecided)
        x = node.tableau.values()
        sums = instance.sums(x)
        slack, zone_rows = instance.slacks(sums), self._zone_rows(node, sums)
        violated = slack[node.candidates] < -FEASIBILITY_TOLERANCE
        hard, easy = node.candidates[violated], node.candidates[~violated]
        more, values = self._price_rivals(node, prices, hard, zone_rows[hard])
        is_excluded = values < -prices.error - more * self._row_error()
        written: list[int] = []
        for rival, price in zip(
            hard[is_excluded].tolist(), more[is_excluded].tolist(), strict=True
        ):
            written += self._named(rival, int(zone_rows[rival]), price)
        order = np.argsort(values, kind="stable")
        hard = hard[order[~is_excluded[order]]]
        node.candidates = np.concatenate([hard, easy])
        entry = ProofNode(self._written(prices), tuple(written))
        if not self._is_reachable(node.chosen, node.candidates):
            return entry, []
        few = 1 << min(int((node.state < 0).sum()), 60) <= MIN_PLANS + len(self.tree)
        if few or self.units_first or not len(hard) or self._is_reachable(node.chosen, easy):
            unit = self._fractional_unit(node, x, prices)
            return self._divide_by_unit(node, entry.prices, entry.excluded, unit)
        # child i: the i-th hardest rival holds and no harder one is counted
        lacking = self._counts(node.chosen, easy) < self.goal.each
        if not lacking.any():  # only the total is short
            lacking[:] = True
        forced = lacking[instance.attacker_of[hard]]
        spare = np.concatenate([hard[~forced], easy])
        hard = hard[forced]
        children: list[Node] = []
        named: list[int] = []
        while self._is_reachable(node.chosen, np.concatenate([hard, spare])):
            rival, hard = int(hard[0]), hard[1:]
            rest = np.concatenate([hard, spare])
            children.append(self._with_rival(node, rival, int(zone_rows[rival]), rest))
            named += self._named(rival, int(zone_rows[rival]), 0.0)[:2]
        return replace(entry, rivals=tuple(named)), children

    def _with_rival(self, node: Node, rival: int, zone_row: int, rest: Ints) -> Node:
        """The child in which a rival holds."""
        child = Node(node.tableau, rest, (*node.chosen, rival), node.state.copy(), node.rows)
        if self.zeros is not None:
            child.tableau = node.tableau.copy()
            impossible = self.zeros.forced_out(rival, node.state)
            if impossible is None:
                child.closed = True
                return child
            self._fix(child, impossible & (child.state < 0), 1)
            if not self.zeros.is_possible(zone_row, child.state):
                return child
        return self._add_row(child, rival, zone_row)

    def _add_row(self, node: Node, rival: int, zone_row: int) -> Node:
        coefficients, rhs, error, _ = self._row(rival, zone_row)
        tableau = node.tableau.with_row(coefficients, rhs, error)
        row = (rival, zone_row, _row_scale(coefficients))
        return replace(node, tableau=tableau, rows=(*node.rows, row))

    def _fix(self, node: Node, units: Mask, value: int) -> None:
        if units.any():
            numbers = np.flatnonzero(units)
            node.state[numbers] = value
            node.tableau.fix(numbers, np.full(len(numbers), float(value)))

    def _divide_by_unit(
        self, node: Node, prices: tuple[int, ...], excluded: tuple[int, ...], unit: int
    ) -> tuple[ProofNode, list[Node]]:
        """Keep a unit, or leave it out."""
        children = []
        for value in (0, 1):
            child = replace(node, tableau=node.tableau.copy(), state=node.state.copy())
            child.tableau.fix(np.array([unit]), np.array([float(value)]))
            child.state[unit] = value
            children.append(child)
        photo = int(np.flatnonzero(self.instance.problem.unit_of == self.instance.free[unit])[0])
        return ProofNode(prices, excluded, row=photo), children

    def _fractional_unit(self, node: Node, x: Floats, prices: Prices) -> int:
        """The unit whose weaker value costs most by one dual step."""
        free = node.state < 0
        units, down, up = node.tableau.penalties()
        penalty = np.minimum(down, up)[free[units]]
        units = units[free[units]]
        if len(units):
            return int(units[penalty.argmax()])
        numbers = np.flatnonzero(free)
        return int(numbers[np.abs(prices.leaving[numbers]).argmin()])

    def _relax(self, node: Node) -> tuple[Prices, bool]:
        """The prices of a node's relaxation, and whether they are those of a ray."""
        instance = self.instance
        while True:
            tableau = node.tableau
            outcome, pivots = tableau.solve(60 + 4 * len(tableau.basis))
            self.limits.done += pivots
            if outcome == INFEASIBLE and tableau.ray is not None and tableau.is_proved_infeasible():
                ray = np.maximum(tableau.ray[tableau.units :], 0.0)
                return self._round(node, ray / max(float(ray.max()), 1e-300), 0.0), True
            if not instance.single_zone and len(node.chosen):
                sums = instance.sums(tableau.values())
                slack, zone_rows = instance.slacks(sums), self._zone_rows(node, sums)
                chosen = np.array(node.chosen, np.intp)
                worst = int(chosen[slack[chosen].argmin()])
                row = (worst, int(zone_rows[worst]))
                possible = self.zeros is None or self.zeros.is_possible(row[1], node.state)
                known = {row[:2] for row in node.rows}
                if slack[worst] < -1e-7 and row not in known and possible:
                    grown = self._add_row(node, *row)
                    node.tableau, node.rows = grown.tableau, grown.rows
                    continue
            return self._round(node, tableau.multipliers(), 1.0), False

    def _round(self, node: Node, multipliers: Floats, cost: float) -> Prices:
        """Whole prices, as coarse as the gap allows."""
        skipped = 0 if self.spare is None else 1
        budget = float(multipliers[0]) * _row_scale(self.instance.sizes) if skipped else 0.0
        scales = np.array([row[2] for row in node.rows])
        exact = multipliers[skipped:] * scales
        fine = self._prices(node, cost, budget, exact)
        size = sum(self._row(rival, zone_row)[3] for rival, zone_row, _ in node.rows)
        size += float(self.instance.sizes.sum()) if skipped else 0.0
        value = fine.largest(node.state)
        allowed = PRICE_PRECISION * max(
            1.0, float(self.weights.sum()) / max(1, self.instance.units)
        )
        if value < 0:
            allowed = -value * GAP_SHARE
        factor = 2.0 ** math.ceil(math.log2(max(1.0, size / max(allowed, 1e-300))))
        factor = min(factor, MAX_FACTOR) if value < 0 else min(factor, 2.0**20)
        return self._prices(node, cost * factor, np.rint(budget * factor), np.rint(exact * factor))

    def _prices(self, node: Node, cost: float, budget: float, rows: Floats) -> Prices:
        """The sum of inequalities that these prices give."""
        instance = self.instance
        leaving, base = cost * self.weights, cost * self.most
        extent = cost * (self.weights.sum() + abs(self.most))
        if self.spare is not None:
            leaving = leaving + budget * instance.sizes
            base += budget * self.spare
            extent += budget * (instance.sizes.sum() + abs(self.spare))
        used = []
        for (rival, zone_row, _), price in zip(node.rows, rows.tolist(), strict=True):
            if not price > 0:
                continue
            coefficients, rhs, _, size = self._row(rival, zone_row)
            leaving = leaving + price * coefficients
            base += price * rhs
            extent += price * (size + abs(rhs))
            used.append((rival, zone_row, price))
        error = 1e-12 * extent + sum(price for _, _, price in used) * self._row_error()
        return Prices(cost, budget, used, leaving, base, error)

    def _row(self, rival: int, zone_row: int) -> tuple[Floats, float, float, float]:
        """A row of the instance, and the sum of its coefficients' sizes; remembered."""
        known = self._rows.get((rival, zone_row))
        if known is None:
            row = self.instance.row(rival, zone_row)
            known = self._rows[rival, zone_row] = (*row, float(np.abs(row[0]).sum()))
        return known

    def _row_error(self) -> float:
        return (2 * self.instance.problem.rows + 4) * self.largest_score * GRID_ERROR

    def _decide(self, node: Node, prices: Prices, value: float) -> None:
        """Fix units whose other value would leave no plan."""
        decided = (node.state < 0) & (np.abs(prices.leaving) > value + prices.error)
        self._fix(node, decided & (prices.leaving > 0), 0)
        self._fix(node, decided & (prices.leaving < 0), 1)

    def _price_rivals(
        self, node: Node, prices: Prices, rivals: Ints, zone_rows: Ints
    ) -> tuple[Floats, Floats]:
        """For each rival the price at which it is least possible, and the sum's largest value.

        Where probabilities are zero, units that make a rival impossible go.
        """
        instance = self.instance
        rows = instance.unit_scores[rivals] - instance.unit_scores[zone_rows]
        rhs = instance.full_sums[rivals] - instance.full_sums[zone_rows]
        if self.zeros is None:
            return _price_rows(prices, node.state, rows, rhs)
        more, values = np.zeros(len(rivals)), np.full(len(rivals), -math.inf)
        for i, rival in enumerate(rivals.tolist()):
            impossible = self.zeros.forced_out(rival, node.state)
            if impossible is None:
                continue
            state = np.where(impossible & (node.state < 0), 1, node.state)
            values[i] = prices.largest(state)
            if self.zeros.is_possible(int(zone_rows[i]), state):
                priced = _price_rows(prices, state, rows[i : i + 1], rhs[i : i + 1])
                more[i], values[i] = priced[0][0], priced[1][0]
        return more, values

    def _zone_rows(self, node: Node, sums: Floats) -> Ints:
        """For each rival, the zone row to hold it against."""
        instance = self.instance
        if self.zeros is None:
            return instance.binding_zone_rows(sums)
        rows = []
        for zone in instance.zone_slices:
            order = zone.start + np.argsort(-sums[zone], kind="stable")
            possible = [z for z in order.tolist() if self.zeros.is_possible(z, node.state)]
            rows.append(possible[0] if possible else int(order[0]))
        return np.array(rows, np.intp)[instance.attacker_of]

    def _is_reachable(self, chosen: Sequence[int], candidates: Ints) -> bool:
        return self.goal.reached(self._counts(chosen, candidates))

    def _counts(self, chosen: Sequence[int], candidates: Ints) -> Ints:
        count, attacker_of = len(self.goal.each), self.instance.attacker_of
        if count == 1:
            return np.array([len(chosen) + len(candidates)], np.intp)
        owners = attacker_of[np.append(candidates, np.array(chosen, np.intp))]
        return np.bincount(owners, minlength=count).astype(np.intp)

    def _named(self, rival: int, zone_row: int, price: float) -> tuple[int, int, int, int]:
        """A row of a rival as the proof names it."""
        instance = self.instance
        a = int(instance.attacker_of[rival])
        cell = instance.problem.attackers[a].zone[zone_row - instance.zone_slices[a].start]
        return a, int(instance.cell_of[rival]), int(cell), int(price)

    def _written(self, prices: Prices) -> tuple[int, ...]:
        rows = [number for row in prices.rows for number in self._named(*row)]
        both = int(prices.cost), int(prices.budget)
        return *(both[::-1] if self.by_budget else both), *rows


def _row_scale(coefficients: Floats) -> float:
    """What `Tableau.with_row` multiplies a row by."""
    largest = float(np.abs(coefficients).max(initial=0.0))
    return 2.0 ** -max(math.frexp(largest)[1], -1000) if 0 < largest < math.inf else 1.0


def _price_rows(prices: Prices, state: Ints, rows: Floats, rhs: Floats) -> tuple[Floats, Floats]:
    """For each row, alone, the whole price at which the sum's largest value is least; this value.

    As a function of the price it is convex and piecewise linear, with a breakpoint for each unit.
    """
    value, free = prices.largest(state), state < 0
    rhs = rhs - rows[:, state == 1].sum(axis=1)
    leaving, rows = prices.leaving[free], rows[:, free]
    if not len(leaving):
        leaving, rows = np.zeros(1), np.zeros((len(rows), 1))
    goes = leaving < 0
    size = np.abs(rows)
    turning = (rows != 0) & ((rows < 0) != goes)  # units whose best value changes
    slope = rhs - rows @ goes.astype(np.float64)
    breakpoints = np.where(turning, np.abs(leaving) / size, np.inf)
    order = np.argsort(breakpoints, axis=1)
    steps = np.take_along_axis(np.where(turning, size, 0.0), order, axis=1)
    passed = slope[:, None] + np.cumsum(steps, axis=1) >= 0
    is_found = passed.any(axis=1)
    where = np.where(is_found, passed.argmax(axis=1), np.maximum(turning.sum(axis=1) - 1, 0))
    number = np.arange(len(rows))
    price = breakpoints[number, order[number, where]]
    price = np.where(np.isfinite(price), price, 0.0)
    # a row that nothing fulfils: the dearer, the better
    final = slope + steps.sum(axis=1)
    needed = 2.0 * (np.abs(leaving).sum() + 1.0) / np.maximum(-final, 1e-300)
    dear = np.maximum(price, np.minimum(needed, MAX_FACTOR))
    price = np.where(~is_found & (final < 0), dear, price)
    price = np.where(slope < 0, price, 0.0)
    whole: Floats = np.where(price < SMALL_PRICE, np.ceil(price), np.rint(price))
    lost = np.minimum(leaving + whole[:, None] * rows, 0.0).sum(axis=1)
    values: Floats = value + whole * rhs - lost + np.minimum(leaving, 0.0).sum()
    return whole, values


class Zeros:
    """Which units make which cells impossible."""

    def __init__(self, instance: Instance) -> None:
        problem = instance.problem
        self.strict = problem.strict
        self.zones = instance.zone_slices
        self.attacker_of = instance.attacker_of
        count = len(instance.unit_scores)
        self.units = np.zeros((count, problem.units), bool)
        """(score columns, units) where a unit makes a column impossible."""
        self.never = np.zeros(count, bool)
        for a, attacker in enumerate(problem.attackers):
            own = np.flatnonzero(instance.attacker_of == a)
            for rows, cells in (
                (own, instance.cell_of[own]),
                (np.arange(self.zones[a].start, self.zones[a].stop), attacker.zone),
            ):
                impossible = np.isneginf(attacker.scores[:, cells])
                if attacker.sees is not None:
                    impossible &= attacker.sees[:, None]
                for photo, unit in enumerate(problem.unit_of.tolist()):
                    self.units[rows, unit] |= impossible[photo]
                if attacker.offset is not None:
                    self.never[rows] = np.isneginf(attacker.offset[cells])
        self.always: Mask = np.asarray(self.units[:, instance.fixed_in].any(axis=1))
        """Columns that a unit that is fixed in makes impossible."""
        self.units = self.units[:, instance.free]

    def is_possible(self, row: int, state: Ints) -> bool:
        """Whether no plan of a state makes this column impossible."""
        return not (self.never[row] or self.always[row] or self.units[row, state != 1].any())

    def undecided(self, state: Ints) -> int | None:
        """A free unit that decides whether a cell of a zone is possible."""
        for zone in self.zones:
            for row in range(zone.start, zone.stop):
                if self.never[row] or self.always[row] or self.units[row, state == 0].any():
                    continue
                free = self.units[row] & (state < 0)
                if free.any():
                    return int(free.argmax())
        return None

    def forced_out(self, rival: int, state: Ints) -> Mask | None:
        """The units that must go where a rival holds; None where it cannot."""
        zone = self.zones[int(self.attacker_of[rival])]
        none = np.zeros(len(state), bool)
        certain = any(self.is_possible(row, state) for row in range(zone.start, zone.stop))
        if not certain and not self.strict:
            return none
        own: Mask = self.units[rival]
        if self.never[rival] or self.always[rival] or own[state == 0].any():
            return None
        return own
