"""A small dual simplex for rows that arrive one at a time.

    minimise  weights·x   subject to   rows·x ≤ room,   low ≤ x ≤ high

Leaving nothing out is dual feasible because weights are positive, and stays so as rows are added
and units fixed: every re-solve starts from its parent's tableau and takes a few pivots, with long
steps (units flip between their bounds on the way). Nothing here is trusted: the search prunes
only by bounds recomputed from the data with these multipliers.
"""

from __future__ import annotations

import math

import numpy as np

from elsewhere.protect.problem import Floats, Ints

FEASIBLE = 1e-9
TINY = 1e-11

SOLVED, IMPOSSIBLE, STALLED = "solved", "impossible", "stalled"


class Tableau:
    """A dual-feasible basis; `with_row` gives a child, `fix` changes bounds, `solve` re-optimises."""

    __slots__ = (
        "basis", "doubt", "high", "low", "price", "ray", "room", "rows", "table", "units",
        "value", "weights",
    )  # fmt: skip

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        self.units = n
        self.weights = weights
        self.rows: Floats = np.zeros((0, n))
        self.room: Floats = np.zeros(0)
        self.doubt: Floats = np.zeros(0)
        self.table: Floats = np.zeros((0, n))
        self.price: Floats = weights.copy()  # reduced costs of units, then of slacks
        self.value: Floats = np.zeros(n)  # of units, then of slacks
        self.low: Floats = np.zeros(n)
        self.high: Floats = np.ones(n)
        self.basis: Ints = np.zeros(0, np.intp)
        self.ray: Floats | None = None

    def copy(self) -> Tableau:
        """An independent copy (rows are shared: they never change in place)."""
        twin = object.__new__(Tableau)
        twin.units, twin.weights = self.units, self.weights
        twin.rows, twin.room, twin.doubt = self.rows, self.room, self.doubt
        twin.table, twin.price, twin.value = self.table.copy(), self.price.copy(), self.value.copy()
        twin.low, twin.high, twin.basis = self.low.copy(), self.high.copy(), self.basis.copy()
        twin.ray = None
        return twin

    def with_row(self, row: Floats, room: float, doubt: float) -> Tableau:
        """A child with one more row, scaled so that its largest entry is about one."""
        m, n = len(self.room), self.units
        largest = float(np.abs(row).max()) if n else 0.0
        scale = 2.0 ** -max(math.frexp(largest)[1], -1000) if 0 < largest < math.inf else 1.0
        row, room, doubt = row * scale, room * scale, doubt * scale
        child = object.__new__(Tableau)
        child.units, child.weights = n, self.weights
        child.rows = np.concatenate([self.rows, row[None]])
        child.room = np.append(self.room, room)
        child.doubt = np.append(self.doubt, doubt)
        line = np.zeros(n + m)
        line[:n] = row
        if m:
            line -= line[self.basis] @ self.table
            # the columns of the basis are unit vectors: say so exactly
            line[self.basis] = 0.0
        table = np.zeros((m + 1, n + m + 1))
        table[:m, :-1] = self.table
        table[m, :-1] = line
        table[m, -1] = 1.0
        child.table = table
        child.price = np.append(self.price, 0.0)
        child.value = np.append(self.value, room - row @ self.value[:n])
        child.low = np.append(self.low, 0.0)
        child.high = np.append(self.high, np.inf)
        child.basis = np.append(self.basis, n + m)
        child.ray = None
        return child

    def fix(self, units: Ints, values: Floats) -> None:
        """Fix units at 0 or 1, moving those that are nonbasic elsewhere."""
        self.low[units] = values
        self.high[units] = values
        moved = units[self.value[units] != values]
        if not len(moved) or not len(self.basis):
            self.value[units] = values
            return
        basic = np.isin(moved, self.basis)
        moved = moved[~basic]
        if len(moved):
            step = self.low[moved] - self.value[moved]
            self.value[moved] = self.low[moved]
            self.value[self.basis] -= self.table[:, moved] @ step

    def multipliers(self) -> Floats:
        """The rows' multipliers, none negative."""
        return np.maximum(self.price[self.units :], 0.0)

    def solve(self, most: int) -> tuple[str, int]:
        """Pivot until primal feasible; what came of it and how many pivots were made."""
        table, price, value, basis = self.table, self.price, self.value, self.basis
        low, high = self.low, self.high
        span = high - low
        nonbasic = np.ones(len(price), bool)
        nonbasic[basis] = False
        movable = nonbasic & (span > 0)
        for pivots in range(most):
            held = value[basis]
            short = low[basis] - held
            over = held - high[basis]
            wrong = np.maximum(short, over)
            p = int(wrong.argmax()) if len(wrong) else -1
            if p < 0 or wrong[p] <= FEASIBLE:
                return SOLVED, pivots
            leaving = int(basis[p])
            rising = short[p] > over[p]  # the leaving variable must rise
            line = table[p]
            toward = line if rising else -line
            # a unit at its lower bound helps where `toward` < 0, at its upper where > 0
            at_low = value <= low
            eligible = movable & np.where(at_low, toward < -TINY, toward > TINY)
            candidates = eligible.nonzero()[0]
            if not len(candidates):
                self.ray = line if rising else -line
                return IMPOSSIBLE, pivots
            strength = np.abs(line[candidates])
            ratio = np.abs(price[candidates]) / strength
            order = ratio.argsort(kind="stable")
            candidates, strength = candidates[order], strength[order]
            gained = (strength * span[candidates]).cumsum()
            need = wrong[p]
            at = int(gained.searchsorted(need))
            if at == len(candidates):
                self.ray = line if rising else -line
                return IMPOSSIBLE, pivots
            entering = int(candidates[at])
            flipped = candidates[:at]
            if at:
                step = np.where(at_low[flipped], span[flipped], -span[flipped])
                value[flipped] = np.where(at_low[flipped], high[flipped], low[flipped])
                value[basis] -= table[:, flipped] @ step
            bound = low[leaving] if rising else high[leaving]
            pivot = line[entering]
            move = (value[leaving] - bound) / pivot
            column = table[:, entering].copy()
            value[basis] -= move * column
            value[entering] += move
            value[leaving] = bound
            price -= (price[entering] / pivot) * line
            price[entering] = 0.0
            line /= pivot
            column[p] = 0.0
            table -= column[:, None] * line
            table[:, entering] = 0.0
            table[p, entering] = 1.0
            basis[p] = entering
            movable[entering] = False
            movable[leaving] = span[leaving] > 0
        return STALLED, most
