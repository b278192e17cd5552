"""Safe lower bounds, and a small dual simplex for rows that arrive one at a time.

    minimise  weights·x   subject to   rows·x ≤ rhs,   lower ≤ x ≤ upper

For any multipliers λ ≥ 0 no plan x with 0 ≤ x ≤ 1 costs less than

    −λ·rhs + Σ over u of min(0, weight[u] + Σ over r of λ[r]·row[r, u])

so round-off in λ can cost strength but never correctness. What round-off does to the formula itself
is bounded and subtracted. The search prunes only by bounds recomputed from the data in this way, so
nothing that the simplex says is trusted.

Leaving nothing out is dual feasible because weights are positive, and stays so as rows are added
and units fixed: every re-solve starts from its parent's tableau and takes a few pivots, with long
steps (units flip between their bounds on the way). Most tableaus have a dozen rows and a hundred
columns, where NumPy's cost is the number of calls; hence the packed arrays.
"""

from __future__ import annotations

import math

import numpy as np

from elsewhere.solver.problem import Floats, Ints

ROUNDOFF = 2.0**-52
PRIMAL_TOLERANCE = 1e-9
PIVOT_TOLERANCE = 1e-11

SOLVED, INFEASIBLE, STALLED = "solved", "infeasible", "stalled"

REDUCED_COST, LOWER, UPPER, AT_BOUND = range(4)
"""Rows of `Tableau.columns`. AT_BOUND is 1 for a column at its lower bound, −1 at its upper bound,
0 where it is basic or cannot move."""


def one_row_lift(cost: Floats, rows: Floats, rhs: Floats, rhs_error: Floats) -> Floats:
    """By how much adding each row, alone, raises the bound; safe, +inf where it is infeasible.

    `cost` are the units' reduced costs at the present multipliers. The lift is measured from
    Σ min(0, cost), the units' part of the present bound. As a function of the new multiplier it is
    concave and piecewise linear: its breakpoints are sorted, and the one where the slope changes
    sign is taken.
    """
    if not len(rows) or not len(cost):
        return np.where(rhs < -rhs_error, np.inf, 0.0)
    negative = cost < 0
    present = np.where(negative, cost, 0.0)
    size = np.abs(rows)
    helpful = (rows < 0) != negative  # units whose best value changes as the multiplier grows
    helpful &= rows != 0
    slope = rows @ negative.astype(np.float64) - rhs
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        breakpoints = np.where(helpful, np.abs(cost) / size, np.inf)
    order = np.argsort(breakpoints, axis=1)
    steps = np.take_along_axis(np.where(helpful, size, 0.0), order, axis=1)
    passed = np.cumsum(steps, axis=1) >= slope[:, None]
    row_numbers = np.arange(len(rows))
    feasible = passed.any(axis=1)
    # Where leaving out every helpful unit satisfies the row to the last bit, round-off decides
    # whether the slope changes sign: the last breakpoint is as good a multiplier as any.
    where = np.where(feasible, passed.argmax(axis=1), np.maximum(helpful.sum(axis=1) - 1, 0))
    mu = np.take_along_axis(breakpoints, order[row_numbers, where][:, None], axis=1)[:, 0]
    mu = np.where((slope > 0) & np.isfinite(mu), mu, 0.0)
    priced = cost + mu[:, None] * rows
    raw = np.minimum(priced, 0.0).sum(axis=1) - mu * rhs - present.sum()
    extent = size.sum(axis=1) + np.abs(rhs)
    error = (len(cost) + 8) * ROUNDOFF * (np.abs(cost).sum() + mu * extent) + mu * rhs_error
    safe = raw - error
    lift: Floats = np.where(safe > 0, safe, 0.0)  # NaN after an overflow counts as no lift
    infeasible = (slope > 0) & ~feasible
    if infeasible.any():
        violation = slope - np.where(helpful, size, 0.0).sum(axis=1)
        proved = violation > (len(cost) + 8) * ROUNDOFF * extent + rhs_error
        lift[infeasible & proved] = np.inf
    return lift


class Tableau:
    """A dual-feasible basis: `with_row` gives a child, `fix` sets bounds, `solve` re-optimises."""

    __slots__ = ("basic_values", "basis", "columns", "ray", "rows", "table", "units", "weights")

    def __init__(self, weights: Floats) -> None:
        n = len(weights)
        self.units = n
        self.weights = weights
        self.rows: Floats = np.zeros((0, n + 3))
        """(rows, units + 3): coefficients, right-hand side, its error, sum of all magnitudes."""
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

    def multipliers(self) -> Floats:
        """(rows,) the multipliers of the rows, none negative."""
        return np.maximum(self.columns[REDUCED_COST, self.units :], 0.0)

    def with_row(self, coefficients: Floats, rhs: float, rhs_error: float) -> Tableau:
        """A child with one more row, scaled so that its largest coefficient is about one."""
        m, n = len(self.basis), self.units
        size = np.abs(coefficients)
        largest = float(size.max()) if n else 0.0
        scale = 2.0 ** -max(math.frexp(largest)[1], -1000) if 0 < largest < math.inf else 1.0
        rhs *= scale
        child = object.__new__(Tableau)
        child.units, child.weights = n, self.weights
        child.rows = rows = np.empty((m + 1, n + 3))
        rows[:m] = self.rows
        row = rows[m]
        np.multiply(coefficients, scale, out=row[:n])
        row[n] = rhs
        row[n + 1] = rhs_error * scale
        row[n + 2] = float(size.sum()) * scale + abs(rhs)
        child.columns = columns = np.empty((4, n + m + 1))
        columns[:, :-1] = self.columns
        columns[:, -1] = (0.0, 0.0, math.inf, 0.0)
        child.table = table = np.zeros((m + 1, n + m + 1))
        table[:m, :-1] = self.table
        new = table[m]
        new[:n] = row[:n]
        if m:
            inner = new[self.basis]
            new[:-1] -= inner @ self.table
            new[self.basis] = 0.0  # the columns of the basis are unit vectors, exactly
        new[-1] = 1.0
        child.basis = np.empty(m + 1, np.intp)
        child.basis[:m] = self.basis
        child.basis[m] = n + m
        child.basic_values = np.empty((3, m + 1))
        child.basic_values[:, :m] = self.basic_values
        child.basic_values[:, m] = (rhs - row[:n] @ self.values(), 0.0, math.inf)
        child.ray = None
        return child

    def fix(self, units: Ints, values: Floats) -> None:
        """Fix units at 0 or 1, moving those that rest elsewhere."""
        columns = self.columns
        lower, upper, at_bound = columns[LOWER], columns[UPPER], columns[AT_BOUND]
        side = at_bound[units]
        basic = (side == 0.0) & (upper[units] > lower[units])
        before = np.where(side < 0, upper[units], lower[units])
        lower[units] = values
        upper[units] = values
        at_bound[units] = 0.0
        moved = ~basic & (before != values)
        if moved.any():
            self.basic_values[0] -= self.table[:, units[moved]] @ (values[moved] - before[moved])
        for unit, value in zip(units[basic].tolist(), values[basic].tolist(), strict=True):
            self.basic_values[1:, self.basis == unit] = value

    def solve(self, max_pivots: int) -> tuple[str, int]:
        """Pivot until primal feasible; the outcome and the number of pivots."""
        table, columns, basis = self.table, self.columns, self.basis
        reduced_cost, lower, upper, at_bound = columns
        value, basic_lower, basic_upper = self.basic_values
        if not len(basis):
            return SOLVED, 0
        for pivots in range(max_pivots):
            below = basic_lower - value
            above = value - basic_upper
            violation = np.maximum(below, above)
            p = int(violation.argmax())
            need = float(violation[p])
            if need <= PRIMAL_TOLERANCE:
                return SOLVED, pivots
            rising = below[p] == need  # the leaving variable must rise to its lower bound
            row = table[p]
            # a column at its lower bound helps where the row is negative, at its upper bound where
            # it is positive; the other way round if the leaving variable must fall
            helpful = row * at_bound
            eligible = (helpful < -PIVOT_TOLERANCE) if rising else (helpful > PIVOT_TOLERANCE)
            candidates = eligible.nonzero()[0]
            strength = np.abs(helpful[candidates])
            order = np.abs(reduced_cost[candidates] / strength).argsort(kind="stable")
            candidates = candidates[order]
            reach = (strength[order] * (upper[candidates] - lower[candidates])).cumsum()
            at = int(reach.searchsorted(need))
            if at == len(candidates):
                self.ray = row if rising else -row
                return INFEASIBLE, pivots
            entering = int(candidates[at])
            if at:
                flipped = candidates[:at]
                value -= table[:, flipped] @ at_bound[flipped]  # movable units are one wide
                at_bound[flipped] *= -1.0
            leaving = int(basis[p])
            pivot = float(row[entering])
            column = table[:, entering].copy()
            bound = float(basic_lower[p] if rising else basic_upper[p])
            move = (float(value[p]) - bound) / pivot
            value -= move * column
            rest = float(upper[entering] if at_bound[entering] < 0 else lower[entering])
            value[p] = rest + move
            basic_lower[p], basic_upper[p] = lower[entering], upper[entering]
            reduced_cost -= (float(reduced_cost[entering]) / pivot) * row
            reduced_cost[entering] = 0.0
            at_bound[entering] = 0.0
            if upper[leaving] > lower[leaving]:
                at_bound[leaving] = 1.0 if rising else -1.0
            row /= pivot
            column[p] = 0.0
            table -= column[:, None] * row
            table[:, entering] = 0.0
            row[entering] = 1.0
            basis[p] = entering
        return STALLED, max_pivots

    def penalties(self) -> tuple[Ints, Floats, Floats]:
        """For each basic unit between its bounds, what forcing it down and up costs at least.

        One dual step (the classic penalties of Driebeek and Tomlin); a guide, not a proof.
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
        multipliers = self.multipliers()
        priced = multipliers @ self.rows
        cost = self.weights + priced[:n]
        lower, upper = self.columns[LOWER, :n], self.columns[UPPER, :n]
        best = float(np.minimum(cost * lower, cost * upper).sum())
        extent = float(self.weights.sum()) + float(priced[n + 2])
        error = (n + len(multipliers) + 8) * ROUNDOFF * extent + float(priced[n + 1])
        return best - float(priced[n]) - error, cost

    def is_proved_infeasible(self) -> bool:
        """Whether the ray that `solve` ended with proves that the rows contradict each other."""
        if self.ray is None:
            return False
        n = self.units
        priced = np.maximum(self.ray[n:], 0.0) @ self.rows
        lower, upper = self.columns[LOWER, :n], self.columns[UPPER, :n]
        least = float(np.minimum(priced[:n] * lower, priced[:n] * upper).sum())
        error = (n + len(self.rows) + 8) * ROUNDOFF * float(priced[n + 2]) + float(priced[n + 1])
        return bool(least - float(priced[n]) > error)
