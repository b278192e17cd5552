"""The problem as a mixed-integer linear program: the paper's model, and a tighter one.

A program here is plain arrays, so that any solver can be handed the same one. Its columns are the
free units (1 = kept), with versions the rows of the scores (1 = shared), one h per rival (1 = it
must hold), and what the form needs on top. A row of a rival reads v = Σ G[u] z[u] + c, and "h = 1
implies v ≥ 0" is said in one of two ways:

* `MCCORMICK`, the paper's: w = h · v written out with one constant T for all rows;
* `BIG_M`: v ≥ L (1 − h), where L is the least value that this very row can take.

T must bound |v| from both sides: one that bounds one side only cuts off optimal plans. The empty
album, which fulfils every row, is excluded. −inf and strict ties cannot be said in floats with a
tolerance, so such problems are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Floats, Ints, Mask, Problem


class Form(StrEnum):
    """How "this rival holds" is made linear."""

    MCCORMICK = "mccormick"
    BIG_M = "big-m"


@dataclass(frozen=True)
class Hints:
    """What a presolve found out; every plan worth having respects it."""

    live: tuple[Mask, ...]
    """For each attacker, which of its rivals can still hold."""
    least: int
    """No plan leaves out less weight than this."""
    most: int
    """No plan worth having leaves out more."""


@dataclass
class Program:
    """Minimise cost · x + offset; lower ≤ x ≤ upper; floor ≤ A x ≤ ceiling; A row by row."""

    free: Ints
    """The unit that each of the first columns stands for."""
    cost: Floats
    upper: Floats
    """Upper bounds of the columns; every lower bound is 0."""
    integer: Mask
    shared: Ints = field(default_factory=lambda: np.zeros(0, np.intp))
    """The row of the scores that each of the next columns stands for, with versions."""
    offset: float = 0.0
    start: list[int] = field(default_factory=lambda: [0])
    index: list[NDArray[np.int32]] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    ceiling: list[float] = field(default_factory=list)

    def add(self, index: Ints, value: Floats, floor: float, ceiling: float) -> None:
        """Append one row."""
        used = value != 0
        self.index.append(index[used].astype(np.int32))
        self.value.append(value[used])
        self.start.append(self.start[-1] + int(used.sum()))
        self.floor.append(floor)
        self.ceiling.append(ceiling)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.floor)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return len(self.cost)


@dataclass(frozen=True)
class _Row:
    """v = gains · (the first columns) + constant, of the rival that has column `h`."""

    h: int
    gains: Floats
    constant: float
    least: float
    """v is never below this (for plans that respect the hints)."""
    most: float


def program(problem: Problem, form: Form, hints: Hints | None = None) -> Program:
    """The linear program of `problem`; under a budget it maximises the smallest count."""
    free = np.flatnonzero(problem.fixed == FREE)
    weights = problem.weights[free].astype(np.float64)
    forced = int(problem.weights[problem.fixed == OUT].sum())
    shared = np.zeros(0, np.intp)
    if problem.versions is not None:
        shared = np.flatnonzero(problem.versions.allowed & (problem.fixed[problem.unit_of] != OUT))
    h_next, rows, counted = len(free) + len(shared), [], []
    for a, attacker in enumerate(problem.attackers):
        live = np.ones(len(attacker.rivals), bool) if hints is None else hints.live[a]
        spend = None if hints is None else hints.most - forced
        if problem.versions is None:
            found = _rows(problem, attacker, free, live, h=h_next, spend=spend)
        else:
            found = _version_rows(problem, attacker, (free, shared), live, h=h_next, spend=spend)
        columns = h_next + np.arange(int(live.sum()), dtype=np.intp)
        h_next += len(columns)
        impossible = {row.h for row in found if row.most < 0}
        rows += [row for row in found if row.h not in impossible and row.least < 0]
        counted.append((columns, impossible))
    extra = len(rows) if form is Form.MCCORMICK else 0
    smallest = problem.budget is not None and len(problem.attackers) > 1
    width = h_next + extra + int(smallest)
    result = Program(
        free=free,
        cost=np.zeros(width),
        upper=np.ones(width),
        integer=np.ones(width, bool),
        shared=shared,
    )
    for _, impossible in counted:
        result.upper[list(impossible)] = 0.0
    # what a plan costs: offset less what kept units save, and what the rows shared cost
    items = np.arange(len(free) + len(shared), dtype=np.intp)
    costs = -weights
    if problem.versions is not None:
        costs = np.append(costs, problem.versions.costs[shared])
        _share_one_version(result, problem)
    total = float(weights.sum()) + forced
    if not (problem.fixed == IN).any():
        kept = np.arange(len(free), dtype=np.intp)
        result.add(kept, np.ones(len(free)), 1.0, np.inf)
    if problem.budget is None:
        result.cost[items], result.offset = costs, total
        for (columns, _), attacker in zip(counted, problem.attackers, strict=True):
            result.add(columns, np.ones(len(columns)), attacker.need, np.inf)
        if hints is not None:
            result.add(items, -costs, total - hints.most, total - hints.least)
    else:
        if problem.versions is None:
            sizes = problem.sizes[free].astype(np.float64)
            spent = int(problem.sizes[problem.fixed == OUT].sum())
            result.add(items, sizes, float(sizes.sum()) + spent - problem.budget, np.inf)
        else:
            result.add(items, -costs, total - problem.budget, np.inf)
        _maximise_smallest(result, [columns for columns, _ in counted])
    if form is Form.BIG_M:
        _big_m(result, rows)
    else:
        _mccormick(result, rows, h_next)
    return result


def _share_one_version(result: Program, problem: Problem) -> None:
    """Of each photo of a kept unit one row is shared, of other photos none."""
    assert problem.versions is not None
    unit_of, photo_of = problem.unit_of_photo(), problem.versions.photo_of[result.shared]
    column_of = {unit: column for column, unit in enumerate(result.free.tolist())}
    for photo in np.unique(photo_of).tolist():
        rows = len(result.free) + np.flatnonzero(photo_of == photo)
        kept = column_of.get(int(unit_of[photo]))
        if kept is None:
            result.add(rows, np.ones(len(rows)), 1.0, 1.0)
        else:
            result.add(np.append(rows, kept), np.append(np.ones(len(rows)), -1.0), 0.0, 0.0)


def _scores(problem: Problem, attacker: Attacker) -> tuple[Floats, Floats, Mask]:
    """The scores that the attacker adds up, its offsets, and the rows that it sees."""
    seen = np.ones(problem.rows, bool) if attacker.sees is None else attacker.sees
    bank = attacker.scores.astype(np.float64)
    if attacker.sees is not None:
        bank[~seen] = 0.0
    offset = np.zeros(bank.shape[1]) if attacker.offset is None else attacker.offset
    if problem.strict or not (np.isfinite(bank).all() and np.isfinite(offset).all()):
        raise InputError("the MILP models know neither −inf nor strict ties; use the exact solver")
    return bank, offset, seen


def _rows(
    problem: Problem, attacker: Attacker, free: Ints, live: Mask, *, h: int, spend: int | None
) -> list[_Row]:
    """A row for every live rival against every column of the zone."""
    bank, offset, seen = _scores(problem, attacker)
    units = bank
    if not np.array_equal(problem.unit_of, np.arange(problem.units)):
        units = np.zeros((problem.units, bank.shape[1]))
        np.add.at(units, problem.unit_of, bank)
    shifts = attacker.shift * np.bincount(problem.unit_of[seen], minlength=problem.units)
    pinned = problem.fixed == IN
    rivals = attacker.rivals[live]
    result = []
    for z in attacker.zone.tolist():
        gains = units[:, rivals] - units[:, [z]] - shifts[:, None]
        constant = gains[pinned].sum(axis=0) + offset[rivals] - offset[z] - attacker.lead
        gains = gains[free]
        least = constant + np.minimum(gains, 0).sum(axis=0)
        most = constant + np.maximum(gains, 0).sum(axis=0)
        if spend is not None:
            everything = constant + gains.sum(axis=0)
            weights = problem.weights[free]
            least = np.maximum(least, everything - _taken(gains, weights, spend))
            most = np.minimum(most, everything + _taken(-gains, weights, spend))
        result += [
            _Row(h + j, gains[:, j], float(constant[j]), float(least[j]), float(most[j]))
            for j in range(len(rivals))
        ]
    return result


def _version_rows(
    problem: Problem,
    attacker: Attacker,
    columns: tuple[Ints, Ints],
    live: Mask,
    *,
    h: int,
    spend: int | None,
) -> list[_Row]:
    """The same with versions: gains belong to the rows that are shared, none to units."""
    bank, offset, seen = _scores(problem, attacker)
    free, shared = columns
    versions = problem.versions
    assert versions is not None
    photo_of = versions.photo_of[shared]
    rivals = attacker.rivals[live]
    optional = np.isin(problem.unit_of_photo(), free)
    weight = _photo_weights(problem)
    result = []
    for z in attacker.zone.tolist():
        gains = bank[:, rivals] - bank[:, [z]] - attacker.shift * seen[:, None]
        gains = gains[shared]
        constant = offset[rivals] - offset[z] - attacker.lead
        for j in range(len(rivals)):
            limits = []
            for sign in (1.0, -1.0):  # the least of v, and of −v
                own = np.where(optional, 0.0, np.inf)
                np.minimum.at(own, photo_of, sign * gains[:, j])
                limit = float(own[np.isfinite(own)].sum())
                if spend is not None:
                    terms = (photo_of, sign * gains[:, j], versions.costs[shared])
                    limit = max(limit, _least_within(terms, (optional, weight), spend))
                limits.append(limit)
            v = (float(constant[j]) + limits[0], float(constant[j]) - limits[1])
            row = np.append(np.zeros(len(free)), gains[:, j])
            result.append(_Row(h + j, row, float(constant[j]), *v))
    return result


def _photo_weights(problem: Problem) -> Floats:
    """(photos,) at most what leaving a photo out costs: its unit's weight in equal shares."""
    unit_of = problem.unit_of_photo()
    sizes = np.bincount(unit_of, minlength=problem.units)
    return np.asarray((problem.weights / np.maximum(sizes, 1))[unit_of], np.float64)


def _least_within(
    terms: tuple[Ints, Floats, NDArray[np.int64]], left_out: tuple[Mask, Floats], spend: int
) -> float:
    """A lower bound on a row for plans that cost at most `spend`, by the best of some prices.

    `terms` are photos, gains and costs of the rows; `left_out` says which photos may be left out,
    and at what cost.
    """
    photo_of, gains, costs = terms
    optional, weight = left_out
    best = -np.inf
    rates = np.abs(gains[gains < 0]) / 50.0
    prices = np.quantile(rates, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)).tolist() if len(rates) else []
    for price in (0.0, *prices):
        own = np.where(optional, price * weight, np.inf)
        np.minimum.at(own, photo_of, gains + price * costs)
        best = max(best, float(own[np.isfinite(own)].sum()) - price * spend)
    return best


def _taken(gains: Floats, weights: NDArray[np.int64], spend: int) -> Floats:
    """The most that leaving out `spend` of weight can take off each column (fractional items)."""
    result = np.empty(gains.shape[1])
    for j in range(gains.shape[1]):
        ratio = np.maximum(gains[:, j], 0) / weights
        by_ratio = np.argsort(-ratio)
        before = np.cumsum(weights[by_ratio]) - weights[by_ratio]
        share = np.clip((spend - before) / weights[by_ratio], 0, 1)
        result[j] = (share * ratio[by_ratio] * weights[by_ratio]).sum()
    return result


def _maximise_smallest(result: Program, counted: Sequence[Ints]) -> None:
    """Maximise the smallest count of rivals that hold."""
    if len(counted) == 1:
        result.cost[counted[0]] = -1.0
        return
    smallest = result.columns - 1
    result.cost[smallest] = -1.0
    result.upper[smallest] = min(len(columns) for columns in counted)
    for columns in counted:
        index = np.append(columns, smallest)
        result.add(index, np.append(np.ones(len(columns)), -1.0), 0.0, np.inf)


def _big_m(result: Program, rows: Sequence[_Row]) -> None:
    units = np.arange(len(result.free) + len(result.shared), dtype=np.intp)
    for row in rows:  # gains · z + c ≥ L (1 − h)
        index, value = np.append(units, row.h), np.append(row.gains, row.least)
        result.add(index, value, row.least - row.constant, np.inf)


def _mccormick(result: Program, rows: Sequence[_Row], first: int) -> None:
    units = np.arange(len(result.free) + len(result.shared), dtype=np.intp)
    T = max((max(-row.least, row.most) for row in rows), default=1.0)
    for w, row in enumerate(rows, start=first):
        result.integer[w], result.upper[w] = False, T
        pair, whole = np.array([w, row.h]), np.append(units, [w, row.h])
        result.add(pair, np.array([1.0, T]), 0.0, np.inf)
        result.add(pair, np.array([1.0, -T]), -np.inf, 0.0)
        below = np.append(-row.gains, [1.0, -T])  # w ≥ v − T (1 − h)
        result.add(whole, below, row.constant - T, np.inf)
        above = np.append(-row.gains, [1.0, T])  # w ≤ v + T (1 − h)
        result.add(whole, above, -np.inf, row.constant + T)
