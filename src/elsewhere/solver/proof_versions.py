"""The tree of a proof where photos have versions: columns are choices, of which each set takes one.

Bounds are for photos that go alone, where no probability is zero; otherwise all plans are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elsewhere.solver.exact.choice_search import close_state
from elsewhere.solver.exact.choice_simplex import ChoiceTableau
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.problem import FREE, IN, OUT, Floats, Ints, Mask, Problem
from elsewhere.solver.proof_tree import MAX_NODES, Node, Prices, ProofTree
from elsewhere.values.proof import ProofNode

PRICE_STEPS = 24
"""Halvings in the search for a price."""
PRICE_RANGE = 2.0**12
"""The largest price that is tried, in multiples of the mean."""


@dataclass
class ChoicePrices(Prices):
    """Whole prices over choices."""

    choices: Choices

    def largest(self, state: Ints) -> float:
        """The largest value of the sum, with the best choice of each set."""
        return self.base - float(self.choices.least(self._possible(state)).sum())

    def excess(self, state: Ints) -> Floats:
        """(columns,) what each choice takes off the sum beyond the best of its set."""
        possible = self._possible(state)
        return possible - self.choices.least(possible)[self.choices.set_of]

    def _possible(self, state: Ints) -> Floats:
        return np.where(state == 0, np.inf, self.leaving)


class ChoiceProofTree(ProofTree):
    """One tree over choices: −1 open, 0 ruled out, 1 the only one left of its set."""

    def __post_init__(self) -> None:
        super().__post_init__()
        instance, problem = self.instance, self.instance.problem
        most = int(problem.weights.sum()) - (0 if instance.fixed_in.any() else 1)
        limits = [limit for limit in (self.cutoff, problem.budget) if limit is not None]
        self.by_budget, self.spare, self.weights = False, None, instance.weights
        self.most = float(min([most, *limits]) - instance.base_weight)

    def write(self) -> list[ProofNode] | None:
        """The nodes; where groups have versions or probabilities are zero, all plans one by one."""
        if self.zeros is None and not len(self._choices.links):
            return super().write()
        return list_plans(self.instance.problem, self.most + self.instance.base_weight)

    @property
    def _choices(self) -> Choices:
        choices = self.instance.choices
        assert choices is not None
        return choices

    def _prices(self, node: Node, cost: float, budget: float, rows: Floats) -> Prices:
        prices = super()._prices(node, cost, budget, rows)
        return ChoicePrices(**vars(prices), choices=self._choices)

    def _decide(self, node: Node, prices: Prices, value: float) -> None:
        assert isinstance(prices, ChoicePrices)
        excess = prices.excess(node.state)
        self._rule_out(node, (node.state < 0) & (excess > value + prices.error))

    def _rule_out(self, node: Node, columns: Mask) -> None:
        """Rule out columns, and what follows."""
        state = node.state.astype(np.int8)
        state[columns] = 0
        node.closed = not close_state(self._choices, state)
        if not node.closed:
            assert isinstance(node.tableau, ChoiceTableau)
            node.tableau.rule_out(np.flatnonzero((state == 0) & (node.state != 0)))
            node.state = state.astype(np.intp)

    def _fractional_unit(self, node: Node, x: Floats, prices: Prices) -> int:
        """The choice to divide by; one that shares a row."""
        choices, is_open = self._choices, node.state < 0
        columns, down, up = node.tableau.penalties()
        penalty = np.minimum(down, up)[is_open[columns]]
        columns = columns[is_open[columns]]
        column = int(columns[penalty.argmax()]) if len(columns) else int(is_open.argmax())
        if choices.rows[column] >= 0:
            return column
        own = is_open & (choices.set_of == choices.set_of[column]) & (choices.rows >= 0)
        numbers = np.flatnonzero(own)
        return int(numbers[x[numbers].argmax()])

    def _divide_by_unit(
        self, node: Node, prices: tuple[int, ...], excluded: tuple[int, ...], unit: int
    ) -> tuple[ProofNode, list[Node]]:
        """Take a choice, or rule it out."""
        choices = self._choices
        others = (choices.set_of == choices.set_of[unit]) & (node.state != 0)
        others[unit] = False
        itself = np.zeros(len(others), bool)
        itself[unit] = True
        children = []
        for columns in (others, itself):
            child = replace(node, tableau=node.tableau.copy(), state=node.state.copy())
            self._rule_out(child, columns)
            children.append(child)
        return ProofNode(prices, excluded, row=int(choices.rows[unit])), children

    def _price_rivals(
        self, node: Node, prices: Prices, rivals: Ints, zone_rows: Ints
    ) -> tuple[Floats, Floats]:
        """For each rival the price at which it is least possible, by halving; any price will do."""
        instance, choices = self.instance, self._choices
        rows = instance.unit_scores[rivals] - instance.unit_scores[zone_rows]
        rhs = instance.full_sums[rivals] - instance.full_sums[zone_rows]
        leaving = np.where(node.state == 0, np.inf, prices.leaving)
        if not len(rivals) or not len(leaving):
            return np.zeros(len(rivals)), np.full(len(rivals), prices.largest(node.state))
        size = np.abs(rows).mean(axis=1)
        mean = float(np.abs(prices.leaving).mean()) + 1.0
        low, high = np.zeros(len(rivals)), PRICE_RANGE * mean / np.maximum(size, 1e-300)
        for _ in range(PRICE_STEPS):
            middle = (low + high) / 2
            priced = leaving + middle[:, None] * rows
            taken = priced <= choices.least(priced)[:, choices.set_of]
            slope = rhs - choices.least(np.where(taken, rows, np.inf)).sum(axis=1)
            low, high = np.where(slope < 0, middle, low), np.where(slope < 0, high, middle)
        whole: Floats = np.minimum(np.rint(high), 2.0**50)
        values = prices.base + whole * rhs
        values -= choices.least(leaving + whole[:, None] * rows).sum(axis=1)
        return whole, values


def list_plans(problem: Problem, most: float) -> list[ProofNode] | None:
    """A tree of all plans that cost at most so much; None where it would be too long."""
    versions, unit_of = problem.versions, problem.unit_of_photo().tolist()
    assert versions is not None
    costs = versions.costs.tolist()
    rows: list[list[int]] = [[] for _ in unit_of]
    for row in np.flatnonzero(versions.allowed).tolist():
        rows[int(versions.photo_of[row])].append(row)
    tree: list[ProofNode] = []
    if (problem.fixed == OUT).all():  # no plan at all
        return tree
    waiting: list[tuple[list[list[int]], list[int]] | None] = [(rows, problem.fixed.tolist())]
    while waiting:
        if len(tree) >= MAX_NODES:
            return None
        node = waiting.pop()
        photo = None
        if node is not None:
            rows, state = node
            kept = [p for p, unit in enumerate(unit_of) if state[unit] != OUT]
            cost = sum(min(costs[row] for row in rows[p]) for p in kept)
            cost += sum(w for u, w in enumerate(problem.weights.tolist()) if state[u] == OUT)
            undecided = (p for p in kept if state[unit_of[p]] == FREE or len(rows[p]) > 1)
            photo = next(undecided, None) if cost <= most else None
        if node is None or photo is None:
            tree.append(ProofNode((1, 0)))
            continue
        row, others = rows[photo][0], rows[photo][1:]
        tree.append(ProofNode((1, 0), row=row))
        unit = unit_of[photo]
        shared = (_with(rows, photo, [row]), _with(state, unit, IN))
        if others:
            waiting.append((_with(rows, photo, others), state))
        else:
            waiting.append(None if state[unit] == IN else (rows, _with(state, unit, OUT)))
        waiting.append(shared)
    return tree


def _with(items: list[Any], index: int, item: Any) -> list[Any]:
    """A list with one item replaced."""
    return [*items[:index], item, *items[index + 1 :]]
