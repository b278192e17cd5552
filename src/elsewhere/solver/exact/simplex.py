"""Lower bounds that are safe in floating point.

For any multipliers λ ≥ 0 on rows Σ D[r, u]·x[u] ≤ room[r], no plan x with 0 ≤ x ≤ 1 costs less than

    −λ·room + Σ over u of min(0, weight[u] + Σ over r of λ[r]·D[r, u])

so round-off in λ can cost strength but never correctness. What round-off does to the formula
itself is bounded and taken off.

A small dual simplex for rows that arrive one at a time.

    minimise  weights·x   subject to   rows·x ≤ room,   low ≤ x ≤ high

Leaving nothing out is dual feasible because weights are positive, and stays so as rows are added
and units fixed: every re-solve starts from its parent's tableau and takes a few pivots, with long
steps (units flip between their bounds on the way). Nothing here is trusted: the search prunes
only by bounds recomputed from the data with these multipliers.

Most tableaus have a dozen rows and a hundred columns, where the cost of NumPy is the number of
calls and not of operations; hence the packed arrays.
"""

from __future__ import annotations

import math

import numpy as np

from elsewhere.solver.problem import Floats, Ints

ROUNDOFF = 2.0**-52


def one_row_lift(cost: Floats, rows: Floats, room: Floats, doubt: Floats) -> Floats:
    """What adding each row, alone, lifts the bound by: one safe number a row, +inf if impossible.

    `cost` are the units' reduced costs at the present multipliers, `rows` (rows × units) are the
    gains lost by leaving a unit out, `room` what may be lost. The lift is measured from
    Σ min(0, cost), the units' part of the present bound. As a function of the new multiplier it is
    concave and piecewise linear: its breakpoints are sorted, and the one where the slope changes
    sign is taken.
    """
    if not len(rows) or not len(cost):
        return np.where(room < -doubt, np.inf, 0.0)
    negative = cost < 0
    present = np.where(negative, cost, 0.0)
    size = np.abs(rows)
    turning = (rows < 0) != negative  # units whose best value changes as the multiplier grows
    turning &= rows != 0
    slope = rows @ negative.astype(np.float64) - room
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at = np.where(turning, np.abs(cost) / size, np.inf)
    order = np.argsort(at, axis=1)
    steps = np.take_along_axis(np.where(turning, size, 0.0), order, axis=1)
    passed = np.cumsum(steps, axis=1)
    reached = passed >= slope[:, None]
    lines = np.arange(len(rows))
    ever = reached.any(axis=1)
    # Where leaving out every helpful unit makes room to the last bit, round-off decides whether
    # the slope is seen to change sign: the last breakpoint is as good a multiplier as any.
    where = np.where(ever, reached.argmax(axis=1), np.maximum(turning.sum(axis=1) - 1, 0))
    mu = np.take_along_axis(at, order[lines, where][:, None], axis=1)[:, 0]
    mu = np.where((slope > 0) & np.isfinite(mu), mu, 0.0)
    priced = cost + mu[:, None] * rows
    raw = np.minimum(priced, 0.0).sum(axis=1) - mu * room - present.sum()
    extent = size.sum(axis=1) + np.abs(room)
    fuzz = (len(cost) + 8) * ROUNDOFF * (np.abs(cost).sum() + mu * extent) + mu * doubt
    safe = raw - fuzz
    lift: Floats = np.where(safe > 0, safe, 0.0)  # what overflowed is NaN here, and says nothing
    never = (slope > 0) & ~ever
    if never.any():  # even all helpful units together cannot make room
        worst = slope - np.where(turning, size, 0.0).sum(axis=1)
        surely = worst > (len(cost) + 8) * ROUNDOFF * extent + doubt
        lift[never & surely] = np.inf
    return lift


PRIMAL_TOLERANCE = 1e-9
PIVOT_TOLERANCE = 1e-11

SOLVED, INFEASIBLE, STALLED = "solved", "impossible", "stalled"

REDUCED_COST, LOWER, UPPER, AT_BOUND = range(4)
"""Lines of `columns`: reduced cost, bounds, and where a column rests: 1 at its lower bound, −1 at
its upper, 0 where it is basic or cannot move."""


class Tableau:
    """A dual-feasible basis: `with_row` gives a child, `fix` sets bounds, `solve` re-optimises."""

    __slots__ = ("basic_values", "basis", "columns", "ray", "rows", "table", "units", "weights")

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        self.units = n
        self.weights = weights
        self.rows: Floats = np.zeros((0, n + 3))
        """(rows, units + 3): each row, its room, its doubt, and the sum of all magnitudes."""
        self.table: Floats = np.zeros((0, n))
        self.columns: Floats = np.empty((4, n))
        self.columns[REDUCED_COST] = weights
        self.columns[LOWER] = 0.0
        self.columns[UPPER] = 1.0
        self.columns[AT_BOUND] = 1.0
        self.basic_values: Floats = np.zeros((3, 0))
        """(3, rows): the basic variables' values, lower and upper bounds."""
        self.basis: Ints = np.zeros(0, np.intp)
        self.ray: Floats | None = None

    def copy(self) -> Tableau:
        """An independent copy (rows are shared: they never change in place)."""
        twin = object.__new__(Tableau)
        twin.units, twin.weights, twin.rows = self.units, self.weights, self.rows
        twin.table, twin.columns = self.table.copy(), self.columns.copy()
        twin.basic_values, twin.basis = self.basic_values.copy(), self.basis.copy()
        twin.ray = None
        return twin

    def values(self) -> Floats:
        """The relaxed plan: how much of each unit is left out."""
        n, columns = self.units, self.columns
        x = np.where(columns[AT_BOUND, :n] < 0, columns[UPPER, :n], columns[LOWER, :n])
        basic = self.basis < n
        x[self.basis[basic]] = self.basic_values[0, basic]
        return x

    def with_row(self, row: Floats, room: float, doubt: float) -> Tableau:
        """A child with one more row, scaled so that its largest entry is about one."""
        m, n = len(self.basis), self.units
        size = np.abs(row)
        largest = float(size.max()) if n else 0.0
        scale = 2.0 ** -max(math.frexp(largest)[1], -1000) if 0 < largest < math.inf else 1.0
        room *= scale
        child = object.__new__(Tableau)
        child.units, child.weights = n, self.weights
        child.rows = data = np.empty((m + 1, n + 3))
        data[:m] = self.rows
        line = data[m]
        np.multiply(row, scale, out=line[:n])
        line[n] = room
        line[n + 1] = doubt * scale
        line[n + 2] = float(size.sum()) * scale + abs(room)
        child.columns = columns = np.empty((4, n + m + 1))
        columns[:, :-1] = self.columns
        columns[:, -1] = (0.0, 0.0, math.inf, 0.0)
        child.table = table = np.zeros((m + 1, n + m + 1))
        table[:m, :-1] = self.table
        new = table[m]
        new[:n] = line[:n]
        if m:
            inner = new[self.basis]
            new[:-1] -= inner @ self.table
            new[self.basis] = 0.0  # the basis' columns are unit vectors: say so exactly
        new[-1] = 1.0
        child.basis = np.empty(m + 1, np.intp)
        child.basis[:m] = self.basis
        child.basis[m] = n + m
        child.basic_values = np.empty((3, m + 1))
        child.basic_values[:, :m] = self.basic_values
        child.basic_values[:, m] = (room - line[:n] @ self.values(), 0.0, math.inf)
        child.ray = None
        return child

    def fix(self, units: Ints, values: Floats) -> None:
        """Fix units at 0 or 1, moving those that rest elsewhere."""
        columns = self.columns
        low, high, side = columns[LOWER], columns[UPPER], columns[AT_BOUND]
        rests = side[units]
        basic = (rests == 0.0) & (high[units] > low[units])
        before = np.where(rests < 0, high[units], low[units])
        low[units] = values
        high[units] = values
        side[units] = 0.0
        moved = ~basic & (before != values)
        if moved.any():
            self.basic_values[0] -= self.table[:, units[moved]] @ (values[moved] - before[moved])
        for unit, value in zip(units[basic].tolist(), values[basic].tolist(), strict=True):
            self.basic_values[1:, self.basis == unit] = value

    def multipliers(self) -> Floats:
        """The rows' multipliers, none negative."""
        return np.maximum(self.columns[REDUCED_COST, self.units :], 0.0)

    def solve(self, most: int) -> tuple[str, int]:
        """Pivot until primal feasible; what came of it and how many pivots were made."""
        table, columns, basis = self.table, self.columns, self.basis
        price, low, high, side = columns
        basic_values, floor, ceiling = self.basic_values
        if not len(basis):
            return SOLVED, 0
        for pivots in range(most):
            short = floor - basic_values
            over = basic_values - ceiling
            wrong = np.maximum(short, over)
            p = int(wrong.argmax())
            need = float(wrong[p])
            if need <= PRIMAL_TOLERANCE:
                return SOLVED, pivots
            rising = short[p] == need  # the leaving variable must rise to its floor
            line = table[p]
            # a column at its lower bound helps where the line is negative, at its upper where
            # positive; the other way round if the leaving variable must fall
            helpful = line * side
            candidates = (
                (helpful < -PIVOT_TOLERANCE) if rising else (helpful > PIVOT_TOLERANCE)
            ).nonzero()[0]
            strength = np.abs(helpful[candidates])
            order = np.abs(price[candidates] / strength).argsort(kind="stable")
            candidates = candidates[order]
            reach = (strength[order] * (high[candidates] - low[candidates])).cumsum()
            at = int(reach.searchsorted(need))
            if at == len(candidates):
                self.ray = line if rising else -line
                return INFEASIBLE, pivots
            entering = int(candidates[at])
            if at:
                flipped = candidates[:at]
                basic_values -= table[:, flipped] @ side[flipped]  # movable units are one wide
                side[flipped] *= -1.0
            leaving = int(basis[p])
            pivot = float(line[entering])
            column = table[:, entering].copy()
            bound = float(floor[p] if rising else ceiling[p])
            move = (float(basic_values[p]) - bound) / pivot
            basic_values -= move * column
            rest = float(high[entering] if side[entering] < 0 else low[entering])
            basic_values[p] = rest + move
            floor[p], ceiling[p] = low[entering], high[entering]
            price -= (float(price[entering]) / pivot) * line
            price[entering] = 0.0
            side[entering] = 0.0
            if high[leaving] > low[leaving]:
                side[leaving] = 1.0 if rising else -1.0
            line /= pivot
            column[p] = 0.0
            table -= column[:, None] * line
            table[:, entering] = 0.0
            line[entering] = 1.0
            basis[p] = entering
        return STALLED, most

    def penalties(self) -> tuple[Ints, Floats, Floats]:
        """For each basic unit between its bounds, what forcing it down and up costs at least.

        One dual step's worth (the classic penalties of Driebeek and Tomlin); a guide, not a proof.
        """
        value = self.basic_values[0]
        rows = (self.basis < self.units) & (value > 1e-6) & (value < 1 - 1e-6)
        rows = rows.nonzero()[0]
        helpful = self.table[rows] * self.columns[AT_BOUND]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(self.columns[REDUCED_COST] / helpful)
        up = np.where(helpful < -PIVOT_TOLERANCE, ratio, np.inf).min(axis=1) * (1 - value[rows])
        down = np.where(helpful > PIVOT_TOLERANCE, ratio, np.inf).min(axis=1) * value[rows]
        return self.basis[rows], down, up

    def bound(self) -> tuple[float, Floats]:
        """The safe lower bound that the multipliers give, and the units' reduced costs."""
        n = self.units
        lam = self.multipliers()
        priced = lam @ self.rows
        cost = self.weights + priced[:n]
        low, high = self.columns[LOWER, :n], self.columns[UPPER, :n]
        best = float(np.minimum(cost * low, cost * high).sum())
        extent = float(self.weights.sum()) + float(priced[n + 2])
        fuzz = (n + len(lam) + 8) * ROUNDOFF * extent + float(priced[n + 1])
        return best - float(priced[n]) - fuzz, cost

    def is_proved_infeasible(self) -> bool:
        """Whether the ray that `solve` met with proves that the rows contradict each other."""
        if self.ray is None:
            return False
        n = self.units
        priced = np.maximum(self.ray[n:], 0.0) @ self.rows
        low, high = self.columns[LOWER, :n], self.columns[UPPER, :n]
        least = float(np.minimum(priced[:n] * low, priced[:n] * high).sum())
        fuzz = (n + len(self.rows) + 8) * ROUNDOFF * float(priced[n + 2]) + float(priced[n + 1])
        return bool(least - float(priced[n]) > fuzz)
