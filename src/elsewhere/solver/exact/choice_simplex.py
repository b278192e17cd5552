"""The dual simplex and safe bounds for choices: exactly one column of each set is taken.

    minimise  weights·x   subject to   rows·x ≤ rhs,   Σ over each set of x = 1,   x ≥ 0

For any multipliers λ ≥ 0 no plan costs less than

    −λ·rhs + Σ over sets of min over its columns c of (weight[c] + Σ over r of λ[r]·row[r, c])

As in `simplex.py`, only bounds recomputed in this way are trusted.

The sets are not written as rows. Each set has a *key* column that takes what its other columns
leave: x[key] = 1 − Σ of the others (generalised upper bounds). Columns of the tableau are relative
to the key of their set, so that the key's own column is zero. Where no column of a set is basic,
the key takes it whole. A long step makes other columns the key, along the lower envelope of the
set's reduced costs; where a column of a set is basic, its key may become negative and then changes
places with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.exact.simplex import (
    INFEASIBLE,
    PIVOT_TOLERANCE,
    PRIMAL_TOLERANCE,
    ROUNDOFF,
    SOLVED,
    STALLED,
    Tableau,
)
from elsewhere.solver.problem import Floats, Ints, Mask

TANGENT_STEPS = 8
"""Multipliers tried for one more row."""
QUICK_TANGENT_STEPS = 3
"""The same for all rivals at first."""
MAX_SINGLE_STEPS = 8
"""Sets passed one at a time before all are sorted."""


def lift_choices(
    choices: Choices,
    cost: Floats,
    rows: Floats,
    rhs: Floats,
    rhs_error: Floats,
    *,
    steps: int = TANGENT_STEPS,
) -> Floats:
    """By how much adding each row, alone, raises the bound; safe, +inf where it is infeasible.

    `cost` are the columns' reduced costs, +inf where a column is ruled out. As a function of the
    new multiplier the bound is concave and piecewise linear. From the tangents at 0 and at infinity
    on, two tangents are intersected, and the one at the intersection replaces one of them.
    """
    if not len(rows) or not len(cost):
        return np.where(rhs < -rhs_error, np.inf, 0.0)
    open_columns = np.flatnonzero(cost < np.inf)
    set_of = choices.set_of[open_columns]
    starts = np.flatnonzero(np.concatenate([[True], set_of[1:] != set_of[:-1]]))
    lengths = np.diff(np.append(starts, len(set_of)))
    # the k-th open column of every set, the last one again where a set has fewer
    nth = [open_columns[starts + np.minimum(k, lengths - 1)] for k in range(int(lengths.max()))]
    costs, parts = [cost[columns] for columns in nth], [rows[:, columns] for columns in nth]
    present = float(np.min(costs, axis=0).sum())
    extent = np.max(np.abs(parts), axis=0).sum(axis=1) + np.abs(rhs)
    unit_error = (len(open_columns) + 8) * ROUNDOFF
    cost_extent = float(np.max(np.abs(costs), axis=0).sum())

    def tangent(mu: Floats, live: Ints) -> tuple[Floats, Floats]:
        """The value at these multipliers, of these rows, and a slope there."""
        lowest = np.full((len(live), len(starts)), np.inf)
        steepness = np.zeros_like(lowest)
        for one, part in zip(costs, parts, strict=True):
            own = part[live]
            priced = mu[:, None] * own
            priced += one
            np.copyto(steepness, own, where=priced < lowest)
            np.minimum(lowest, priced, out=lowest)
        return lowest.sum(axis=1) - mu * rhs[live], steepness.sum(axis=1) - rhs[live]

    # the tangents c + s·μ at 0 (from the right) and at infinity
    cheapest, least = np.min(costs, axis=0), np.min(parts, axis=0)
    at_zero, at_infinity = np.full_like(least, np.inf), np.full_like(least, np.inf)
    for one, part in zip(costs, parts, strict=True):
        np.minimum(at_zero, np.where(one <= cheapest, part, np.inf), out=at_zero)
        np.minimum(at_infinity, np.where(part <= least, one, np.inf), out=at_infinity)
    low_c, low_s = np.full(len(rows), present), at_zero.sum(axis=1) - rhs
    high_c, high_s = at_infinity.sum(axis=1), least.sum(axis=1) - rhs
    lift = np.zeros(len(rows))
    lift[high_s > unit_error * extent + rhs_error] = np.inf
    live = np.flatnonzero((low_s > 0) & (high_s <= 0))
    for _ in range(steps):
        if not len(live):
            break
        mu = (high_c[live] - low_c[live]) / (low_s[live] - high_s[live])
        usable = np.isfinite(mu) & (mu > 0)
        live, mu = live[usable], mu[usable]
        value, slope = tangent(mu, live)
        error = unit_error * (cost_extent + mu * extent[live]) + mu * rhs_error[live]
        lift[live] = np.fmax(lift[live], value - present - error)
        line = low_c[live] + low_s[live] * mu
        better = slope > 0
        low_s[live[better]], low_c[live[better]] = slope[better], (value - slope * mu)[better]
        worse = ~better
        high_s[live[worse]], high_c[live[worse]] = slope[worse], (value - slope * mu)[worse]
        # where the function touches both tangents, the intersection is its maximum
        live = live[value < line - 1e-9 * np.maximum(1.0, np.abs(line))]
    return lift


def envelope(
    cost: Floats, gain: Floats, sets: Ints, need: float = np.inf, last: float = np.inf
) -> tuple[Ints, int]:
    """The columns that sets pass through as a multiplier of the gains grows from 0.

    A set begins with cost 0 and gain 0 and takes whichever of its columns has the least cost less
    multiplier times gain. Columns are sorted by set; their gains are above 0. Returns the columns
    in the order in which they are taken, and how many are taken before the total gain reaches
    `need`. Columns beyond the multiplier `last` or beyond that point may be missing.
    """
    index = np.arange(len(sets))
    base_cost, base_gain = np.zeros(len(sets)), np.zeros(len(sets))
    ratios, gains, taken = [np.zeros(0)], [np.zeros(0)], [np.zeros(0, np.intp)]
    while len(index):
        starts = np.concatenate([[True], sets[1:] != sets[:-1]]).nonzero()[0]
        lengths = np.diff(np.append(starts, len(sets)))
        extra = gain - base_gain
        ratio = (cost - base_cost) / extra
        first = np.minimum.reduceat(ratio, starts)
        at_first = ratio <= np.repeat(first, lengths)
        most = np.maximum.reduceat(np.where(at_first, extra, 0.0), starts)
        hits = (at_first & (extra >= np.repeat(most, lengths))).nonzero()[0]
        hit = hits[hits.searchsorted(starts)]  # the first of each set
        ratios.append(first)
        gains.append(most)
        taken.append(index[hit])
        order = first.argsort(kind="stable")
        at = int(most[order].cumsum().searchsorted(need))
        if at < len(order):  # beyond this multiplier nothing more is needed
            last = min(last, float(first[order[at]]))
        new_cost, new_gain = np.repeat(cost[hit], lengths), np.repeat(gain[hit], lengths)
        more = gain - new_gain
        further = (more > PIVOT_TOLERANCE) & (np.repeat(first, lengths) <= last)
        with np.errstate(divide="ignore", invalid="ignore"):
            further &= (cost - new_cost) / more <= last
        index, sets, cost, gain = index[further], sets[further], cost[further], gain[further]
        base_cost, base_gain = new_cost[further], new_gain[further]
    order = np.concatenate(ratios).argsort(kind="stable")
    reached = np.concatenate(gains)[order].cumsum()
    return np.concatenate(taken)[order], int(reached.searchsorted(need))


@dataclass
class Step:
    """A long step: the columns that become keys on the way, and the one that enters at its end."""

    keys: Ints
    entering: int


class ChoiceTableau(Tableau):
    """A dual-feasible basis: `with_row` gives a child, `rule_out` columns, `solve` re-optimises."""

    __slots__ = (
        "basic_sets", "choices", "key", "movable", "reduced_cost", "ruled_out", "value",
    )  # fmt: skip

    def __init__(self, weights: Floats, choices: Choices) -> None:
        n = len(weights)
        self.units, self.weights, self.choices = n, weights, choices
        self.rows: Floats = np.zeros((0, n + 3))
        """(rows, columns + 3): coefficients, right-hand side, its error, sum of all magnitudes."""
        self.table: Floats = np.zeros((0, n))
        self.reduced_cost: Floats = weights.copy()
        self.key: Ints = choices.starts.copy()
        """(sets,) the key column of each set."""
        self.movable: Mask = np.ones(n, bool)
        """Columns that may enter: neither basic nor key nor ruled out."""
        self.movable[self.key] = False
        self.ruled_out: Mask = np.zeros(n, bool)
        self.basis: Ints = np.zeros(0, np.intp)
        self.value: Floats = np.zeros(0)
        """(rows,) the values of the basic variables."""
        self.basic_sets: Ints = np.zeros(len(choices.starts), np.intp)
        """(sets,) how many columns of each set are basic."""
        self.ray: Floats | None = None

    def copy(self) -> ChoiceTableau:
        """An independent copy (rows are shared: they never change in place)."""
        twin = self._copy_without_table()
        twin.table, twin.reduced_cost = self.table.copy(), self.reduced_cost.copy()
        twin.movable, twin.basis = self.movable.copy(), self.basis.copy()
        twin.value = self.value.copy()
        return twin

    def _copy_without_table(self) -> ChoiceTableau:
        twin = object.__new__(ChoiceTableau)
        twin.units, twin.weights, twin.choices = self.units, self.weights, self.choices
        twin.rows, twin.ray = self.rows, None
        twin.key, twin.ruled_out = self.key.copy(), self.ruled_out.copy()
        twin.basic_sets = self.basic_sets.copy()
        return twin

    def values(self) -> Floats:
        """The relaxed plan: the share of each column."""
        x = np.zeros(self.units)
        x[self.key] = 1.0
        own = self.basis < self.units
        columns, values = self.basis[own], self.value[own]
        x[columns] = values
        np.subtract.at(x, self.key[self.choices.set_of[columns]], values)
        return x

    def multipliers(self) -> Floats:
        """(rows,) the multipliers of the rows, none negative."""
        return np.maximum(self.reduced_cost[self.units :], 0.0)

    def with_row(self, coefficients: Floats, rhs: float, rhs_error: float) -> ChoiceTableau:
        """A child with one more row, scaled so that its largest coefficient is about one."""
        m, n = len(self.basis), self.units
        size = np.abs(coefficients)
        largest = float(size.max()) if n else 0.0
        scale = 2.0 ** -max(math.frexp(largest)[1], -1000) if 0 < largest < math.inf else 1.0
        rhs *= scale
        child = self._copy_without_table()
        child.rows = np.empty((m + 1, n + 3))
        child.rows[:m] = self.rows
        row = child.rows[m]
        np.multiply(coefficients, scale, out=row[:n])
        row[n], row[n + 1] = rhs, rhs_error * scale
        row[n + 2] = float(size.sum()) * scale + abs(rhs)
        child.reduced_cost = np.append(self.reduced_cost, 0.0)
        child.movable = np.append(self.movable, False)
        child.table = np.zeros((m + 1, n + m + 1))
        child.table[:m, :-1] = self.table
        new = child.table[m]
        at_key = row[self.key]
        new[:n] = row[:n] - at_key[self.choices.set_of]
        value = rhs - float(at_key.sum())
        if m:
            inner = new[self.basis]
            new[:-1] -= inner @ self.table
            new[self.basis] = 0.0  # the columns of the basis are unit vectors, exactly
            new[self.key] = 0.0
            value -= float(inner @ self.value)
        new[-1] = 1.0
        child.basis = np.append(self.basis, n + m)
        child.value = np.append(self.value, value)
        return child

    def rule_out(self, columns: Ints) -> None:
        """Let none of these columns be taken; of every set one column must remain."""
        self.ruled_out[columns] = True
        self.movable[columns] = False
        sets = self.choices.set_of[columns[self.key[self.choices.set_of[columns]] == columns]]
        for s in sets.tolist():
            if self.basic_sets[s]:
                rows = self._basic_rows(s)
                allowed = rows[~self.ruled_out[self.basis[rows]]]
                rows = allowed if len(allowed) else rows
                self._swap_key(s, int(rows[self.value[rows].argmax()]))
            else:
                own = self.choices.columns(s)
                cost = np.where(self.ruled_out[own], np.inf, self.reduced_cost[own])
                self._make_keys(np.array([own.start + int(cost.argmin())]))

    def _basic_rows(self, s: int) -> Ints:
        """The rows whose basic variable is a column of set `s`."""
        own = self.choices.columns(s)
        return np.flatnonzero((self.basis >= own.start) & (self.basis < own.stop))

    def _make_keys(self, columns: Ints) -> None:
        """Make these columns the keys of their sets, in which no column is basic."""
        choices = self.choices
        sets = choices.set_of[columns]
        self.value -= self.table[:, columns].sum(axis=1)
        if len(columns) <= MAX_SINGLE_STEPS:
            for column, s in zip(columns.tolist(), sets.tolist(), strict=True):
                own = choices.columns(s)
                self.table[:, own] -= self.table[:, column, None].copy()
                self.reduced_cost[own] -= self.reduced_cost[column]
        else:
            target = np.full(len(choices.starts), -1, np.intp)
            target[sets] = columns
            affected = (target[choices.set_of] >= 0).nonzero()[0]
            to = target[choices.set_of[affected]]
            self.table[:, affected] -= self.table[:, to]
            self.reduced_cost[affected] -= self.reduced_cost[to]
        self.movable[self.key[sets]] = ~self.ruled_out[self.key[sets]]
        self.movable[columns] = False
        self.key[sets] = columns

    def _swap_key(self, s: int, p: int) -> None:
        """Make the column that is basic in row `p` the key of set `s`, and the key basic."""
        rows = self._basic_rows(s)
        new = -self.table[rows].sum(axis=0)
        new[self.choices.columns(s)] += 1.0
        column, key = int(self.basis[p]), int(self.key[s])
        new[self.basis[rows]] = 0.0
        new[key] = 1.0
        value = 1.0 - float(self.value[rows].sum())
        self.table[p] = new
        self.table[:, column] = 0.0
        self.value[p] = value
        self.basis[p] = key
        self.key[s] = column

    def solve(self, max_pivots: int) -> tuple[str, int]:
        """Pivot until primal feasible; the outcome and the number of pivots."""
        if not len(self.basis):
            return SOLVED, 0
        n, set_of = self.units, self.choices.set_of
        for pivots in range(max_pivots):
            basis, value, table = self.basis, self.value, self.table
            own = basis < n
            above = np.full(len(basis), -1.0)  # a column that is ruled out must fall to 0
            above[own] = np.where(self.ruled_out[basis[own]], value[own], -1.0)
            violation = np.maximum(-value, above)
            p = int(violation.argmax())
            need = float(violation[p])
            if own.any():  # the key takes what is left, and must not be negative
                sets = set_of[basis[own]]
                over = np.bincount(sets, value[own], len(self.key)) - 1.0
                tight = self.ruled_out[self.key]
                if tight.any():  # a key that is ruled out must be 0
                    over = np.where(tight & (self.basic_sets > 0), np.abs(over), over)
                s = int(over.argmax())
                if over[s] > max(need, PRIMAL_TOLERANCE):
                    rows = np.flatnonzero(own)[sets == s]
                    p = int(rows[value[rows].argmax()])
                    self._swap_key(s, p)
                    need = abs(float(value[p]))
            if need <= PRIMAL_TOLERANCE:
                return SOLVED, pivots
            rising = value[p] < 0
            row = table[p]
            step = self._long_step(-row if rising else row, need)
            if step is None:
                self.ray = row.copy() if rising else -row
                return INFEASIBLE, pivots
            if len(step.keys):
                self._make_keys(step.keys)
            entering, leaving = step.entering, int(basis[p])
            pivot = float(row[entering])
            column = table[:, entering].copy()
            move = float(value[p]) / pivot
            value -= move * column
            value[p] = move
            self.reduced_cost -= (float(self.reduced_cost[entering]) / pivot) * row
            self.reduced_cost[entering] = 0.0
            self.movable[entering] = False
            self.movable[leaving] = leaving >= n or not self.ruled_out[leaving]
            row /= pivot
            column[p] = 0.0
            table -= column[:, None] * row
            table[:, entering] = 0.0
            row[entering] = 1.0
            basis[p] = entering
            if entering < n:
                self.basic_sets[set_of[entering]] += 1
            if leaving < n:
                self.basic_sets[set_of[leaving]] -= 1
        return STALLED, max_pivots

    def _long_step(self, strength: Floats, need: float) -> Step | None:
        """How far to move along a row that lacks `need`; None where nothing makes up for it.

        `strength` is what each column adds to the row. In the order of the ratio of reduced cost
        to strength, sets pass from column to column until the need is met.
        """
        n, choices = self.units, self.choices
        columns = (self.movable & (strength > PIVOT_TOLERANCE)).nonzero()[0]
        if not len(columns):
            return None
        gain = strength[columns]
        cost = np.maximum(self.reduced_cost[columns], 0.0)
        ratio = cost / gain
        own = columns < n
        sets = np.full(len(columns), -1, np.intp)
        sets[own] = choices.set_of[columns[own]]
        # slacks and columns of sets with a basic column have no limit: one of them must enter
        unlimited = ~own
        unlimited[own] = self.basic_sets[sets[own]] > 0
        passed: list[int] = []
        extra, rest = gain, need
        for _ in range(MAX_SINGLE_STEPS):  # mostly a few sets suffice
            at = int(ratio.argmin())
            if ratio[at] == np.inf:
                return None
            column = int(columns[at])
            if unlimited[at] or extra[at] >= rest:
                return Step(self._last_of_sets(np.array(passed, np.intp)), column)
            passed.append(column)
            rest -= float(extra[at])
            same = (sets == sets[at]).nonzero()[0]
            extra = extra.copy() if extra is gain else extra
            extra[same] = more = gain[same] - gain[at]
            with np.errstate(divide="ignore", invalid="ignore"):
                further = (cost[same] - cost[at]) / more
            ratio[same] = np.where(more > PIVOT_TOLERANCE, further, np.inf)
        last, end = np.inf, -1
        ratio = cost / gain
        if unlimited.any():
            at = int(np.where(unlimited, ratio, np.inf).argmin())
            last, end = float(ratio[at]), int(columns[at])
        limited = (~unlimited & (ratio <= last)).nonzero()[0]
        columns = columns[limited]
        order, at = envelope(cost[limited], gain[limited], sets[limited], need, last)
        targets = columns[order]
        if at == len(targets):
            if end < 0:
                return None
            return Step(self._last_of_sets(targets), end)
        return Step(self._last_of_sets(targets[:at]), int(targets[at]))

    def _last_of_sets(self, columns: Ints) -> Ints:
        """The last of these columns of each set."""
        if len(columns) < 2:
            return columns
        backwards = columns[::-1]
        return np.asarray(
            backwards[np.unique(self.choices.set_of[backwards], return_index=True)[1]]
        )

    def penalties(self) -> tuple[Ints, Floats, Floats]:
        """For each basic column between 0 and 1, what forcing it down and up costs at least.

        A guide, not a proof.
        """
        value = self.value
        fractional = (self.basis < self.units) & (value > 1e-6) & (value < 1 - 1e-6)
        rows = fractional.nonzero()[0]
        strength = np.where(self.movable, self.table[rows], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(self.reduced_cost / strength)
        up = np.where(strength < -PIVOT_TOLERANCE, ratio, np.inf).min(axis=1) * (1 - value[rows])
        down = np.where(strength > PIVOT_TOLERANCE, ratio, np.inf).min(axis=1) * value[rows]
        return self.basis[rows], down, up

    def bound(self) -> tuple[float, Floats]:
        """The safe lower bound that the multipliers give, and the columns' reduced costs.

        Reduced costs are +inf where a column is ruled out.
        """
        n = self.units
        multipliers = self.multipliers()
        priced = multipliers @ self.rows
        cost = self.weights + priced[:n]
        cost[self.ruled_out] = np.inf
        best = float(self.choices.least(cost).sum())
        extent = float(self.weights.sum()) + float(priced[n + 2])
        error = (n + len(multipliers) + 8) * ROUNDOFF * extent + float(priced[n + 1])
        return best - float(priced[n]) - error, cost

    def is_proved_infeasible(self) -> bool:
        """Whether the ray that `solve` ended with proves that the rows contradict each other."""
        if self.ray is None:
            return False
        n = self.units
        priced = np.maximum(self.ray[n:], 0.0) @ self.rows
        least = float(self.choices.least(np.where(self.ruled_out, np.inf, priced[:n])).sum())
        error = (n + len(self.rows) + 8) * ROUNDOFF * float(priced[n + 2]) + float(priced[n + 1])
        return bool(least - float(priced[n]) > error)
