"""The canonical problem that everything a user can wish for is reduced to.

Units u with weights, some fixed in or out. Attackers, each with a number `need` and rivals; a
rival has one row against every column of the attacker's zone and *holds* when all of them do:

    Σ over photos p of kept units that the attacker sees of
        (scores[p, rival] − scores[p, z] − shift)  + offset[rival] − offset[z] − lead  ≥ 0

(> 0 where the problem is strict; −inf as in `values/promise.py`). At least one unit is kept.

Photos are rows of the scores. With *versions* a photo has several rows, of which one is shared if
its unit is kept, at a cost of its own; p above then runs over the rows shared.

**Guarantee** (`budget` is None): the least cost (the weight left out, and what the versions shared
cost) such that every attacker has at least `need` rivals that hold. **Budget**: with at most
`budget` photos left out, or at most this cost where there are versions, the largest smallest number
of holding rivals over the attackers, then the largest sum of them, then the least cost.

The rows are not written out but kept as pairs of columns: a zone of 17 cells against 495 rivals
would be 8,415 rows for the same 512 columns.

Whether a rival holds is decided exactly, from the scores as given: `math.fsum` rounds the exact sum
once, so that its sign is the exact sum's sign; where it overflows, fractions take over.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from elsewhere.values.scores import FloatMatrix

Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

FREE, IN, OUT = 0, 1, -1
MAX_TOTAL_WEIGHT = 2**53
"""Weights add up to less than this, so that floats hold them exactly."""


@dataclass(frozen=True)
class Attacker:
    """One attacker's rivals, zone and thresholds, over the photos' score columns."""

    scores: FloatMatrix
    """(rows, columns) scores; finite or −inf. A row is a photo, or a version of one."""
    zone: Ints
    """Columns that must be outranked, every one of them, for a rival to hold."""
    rivals: Ints
    """Columns that count as rivals."""
    need: int = 0
    """How many rivals must hold (0 under a budget)."""
    shift: float = 0.0
    """Subtracted from a row once for every kept photo that is seen."""
    lead: float = 0.0
    """Subtracted from a row once."""
    offset: Floats | None = None
    """(columns,) added once to a column's sum; finite or −inf."""
    sees: Mask | None = None
    """(rows,) which rows this attacker adds up; None for all."""


@dataclass(frozen=True)
class Versions:
    """Which rows of the scores are versions of the same photo; one of them is shared, or none.

    `Attacker.scores` and `Attacker.sees` then have one row for each version.
    """

    photo_of: Ints
    """(rows,) the photo of each row. Photos are numbered from 0, without gaps."""
    costs: NDArray[np.int64]
    """(rows,) what sharing a photo as this row costs, from 0 up. Together the dearest rows of a
    unit's photos cost less than leaving the unit out."""
    allowed: Mask
    """(rows,) which rows may be shared. A unit with a photo without any is fixed out."""


@dataclass(frozen=True)
class Problem:
    """Units to keep or leave out, and the attackers that must be satisfied."""

    attackers: tuple[Attacker, ...]
    unit_of: Ints
    """(rows,) the unit each photo belongs to, in each of its versions."""
    weights: NDArray[np.int64]
    """(units,) what leaving a unit out costs; positive, with a sum below 2**53."""
    fixed: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    """(units,) FREE, IN or OUT."""
    budget: int | None = None
    """At most this many photos left out, or this cost with versions; None for a guarantee."""
    strict: bool = False
    """Whether rows must be above 0; a tie is then not enough."""
    versions: Versions | None = None
    """None where every row is a photo, and sharing it costs nothing."""
    rows: int = field(init=False)
    """The number of rows of the scores."""
    photos: int = field(init=False)
    """The number of photos."""
    units: int = field(init=False)
    """The number of units."""
    sizes: NDArray[np.int64] = field(init=False)
    """(units,) what leaving a unit out takes of a budget: its photos, or its weight with
    versions."""

    def __post_init__(self) -> None:
        rows, units, versions = len(self.unit_of), len(self.weights), self.versions
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "units", units)
        if versions is None:
            sizes = np.bincount(self.unit_of, minlength=units).astype(np.int64)
            object.__setattr__(self, "photos", rows)
            object.__setattr__(self, "sizes", sizes)
            return
        unit_of_photo = self.unit_of_photo()
        photos = len(unit_of_photo)
        object.__setattr__(self, "photos", photos)
        object.__setattr__(self, "sizes", self.weights)
        dearest, available = np.zeros(photos, np.int64), np.zeros(photos, bool)
        np.maximum.at(dearest, versions.photo_of, versions.costs)
        np.logical_or.at(available, versions.photo_of, versions.allowed)
        most = np.zeros(units, np.int64)
        np.add.at(most, unit_of_photo, dearest)
        if (versions.costs < 0).any() or (most >= self.weights).any():
            raise ValueError("a version must cost at least 0 and less than leaving its unit out")
        fixed = self.fixed.copy()
        missing = unit_of_photo[~available]
        if (fixed[missing] == IN).any():
            raise ValueError("a unit that is fixed in has a photo without a version to share")
        fixed[missing] = OUT
        object.__setattr__(self, "fixed", fixed)

    def unit_of_photo(self) -> Ints:
        """(photos,) the unit of each photo."""
        if self.versions is None:
            return self.unit_of
        units = np.zeros(int(self.versions.photo_of.max()) + 1, np.intp)
        units[self.versions.photo_of] = self.unit_of
        return units

    def without_rows(self, telling: Mask) -> Problem:
        """The problem in which these rows are not shared, but for units that are fixed in.

        Without versions, their units are fixed out.
        """
        stays = (self.fixed == IN)[self.unit_of]
        if self.versions is not None:
            allowed = self.versions.allowed & (~telling | stays)
            return replace(self, versions=replace(self.versions, allowed=allowed))
        fixed = self.fixed.copy()
        fixed[self.unit_of[telling & ~stays]] = OUT
        return replace(self, fixed=fixed)

    def kept_units(self, shared: Mask) -> Mask:
        """(units,) the units of which rows are shared."""
        kept = np.zeros(self.units, bool)
        kept[self.unit_of[shared]] = True
        return kept

    def costs(self, plans: Mask) -> NDArray[np.int64]:
        """(plans,) what each costs, of (plans, rows)."""
        order = np.argsort(self.unit_of, kind="stable")
        starts = np.searchsorted(self.unit_of[order], np.arange(self.units))
        kept = np.logical_or.reduceat(plans[:, order], starts, axis=1)
        costs = ~kept @ self.weights
        return np.asarray(costs if self.versions is None else costs + plans @ self.versions.costs)

    def first_choices(self) -> Mask:
        """(rows,) the cheapest row that may be shared of each photo that is not fixed out."""
        possible = (self.fixed != OUT)[self.unit_of]
        if self.versions is None:
            return np.asarray(possible)
        rows = np.flatnonzero(possible & self.versions.allowed)
        order = np.lexsort((rows, self.versions.costs[rows], self.versions.photo_of[rows]))
        rows = rows[order]
        first = np.zeros(self.rows, bool)
        first[rows[np.unique(self.versions.photo_of[rows], return_index=True)[1]]] = True
        return first

    def least_cost(self) -> int:
        """What every plan costs at least, by what is fixed."""
        first = self.first_choices()
        return self.cost(self.kept_units(first), first)

    def cost(self, kept: Mask, shared: Mask) -> int:
        """What a plan costs that keeps these units and shares these rows."""
        cost = int(self.weights[~kept].sum())
        return cost if self.versions is None else cost + int(self.versions.costs[shared].sum())


@dataclass(frozen=True)
class Solution:
    """The result of solving a problem, in units, rows and weights."""

    status: str
    """"optimal", "feasible", "infeasible" or "unknown"."""
    kept: Mask | None
    """(units,) which units stay; None without a plan."""
    cost: int | Fraction
    """Weight left out, and what the versions shared cost."""
    bound: int | Fraction
    """Guarantee: no plan costs less. Budget: no plan has a larger smallest count."""
    counts: bool = False
    """Whether `bound` counts rivals (budget) and not cost (guarantee)."""
    work: int = 0
    """Work done: a count that is the same on every machine."""
    reached: int | None = None
    """The k that circles were planned for, where the promise names none."""
    shared: Mask | None = None
    """(rows,) which rows are shared: of each photo of a kept unit, one; None without a plan."""


def plain(bank: FloatMatrix, truth: int, need: int) -> Problem:
    """The paper's problem, without any wish: one attacker, one true cell, every photo worth 1.

    >>> problem = plain(np.zeros((3, 4)), truth=2, need=1)
    >>> problem.attackers[0].rivals.tolist(), problem.units
    ([0, 1, 3], 3)
    """
    photos, cells = bank.shape
    rivals = np.delete(np.arange(cells, dtype=np.intp), truth)
    attacker = Attacker(bank, np.array([truth], np.intp), rivals, need)
    weights, fixed = np.ones(photos, np.int64), np.zeros(photos, np.int8)
    return Problem((attacker,), np.arange(photos, dtype=np.intp), weights, fixed)


def row_slack(attacker: Attacker, photos: Mask, rival: int, zone_cell: int) -> float:
    """How far `rival` is ahead of `zone_cell` when `photos` are kept, correctly rounded.

    +inf where the truth is impossible and the rival is not, −inf where only the rival is
    impossible, NaN where both are.
    """
    seen = photos if attacker.sees is None else photos & attacker.sees
    rival_terms = attacker.scores[seen, rival].tolist()
    truth_terms = attacker.scores[seen, zone_cell].tolist()
    shifts = [-attacker.shift] * len(rival_terms) if attacker.shift else []
    if attacker.offset is not None:
        rival_terms.append(float(attacker.offset[rival]))
        truth_terms.append(float(attacker.offset[zone_cell]))
    rival_impossible, truth_impossible = -math.inf in rival_terms, -math.inf in truth_terms
    if truth_impossible or rival_impossible:
        if not rival_impossible:
            return math.inf
        return math.nan if truth_impossible else -math.inf
    terms = rival_terms + [-term for term in truth_terms] + shifts
    terms.append(-attacker.lead)
    try:
        total = math.fsum(terms)
        if math.isfinite(total):
            return total
    except OverflowError:
        pass
    exact = sum((Fraction(term) for term in terms), Fraction(0))
    try:
        return float(exact)
    except OverflowError:  # too large for a float
        return math.inf if exact > 0 else -math.inf


def holds(attacker: Attacker, photos: Mask, rival: int, *, strict: bool) -> bool:
    """Whether `rival` holds against the whole zone when exactly `photos` are kept."""
    for zone_cell in attacker.zone.tolist():
        slack = row_slack(attacker, photos, rival, zone_cell)
        if math.isnan(slack):  # both are impossible: a tie
            if strict:
                return False
        elif slack < 0 or (strict and slack == 0):
            return False
    return True


def plans_between(problem: Problem, low: int, high: int, most: int) -> Mask | None:
    """(plans, rows) all that cost `low` or more and less than `high`; None if too many to list.

    Whatever the attackers make of them.
    """
    first = problem.first_choices()
    changes = _changes(problem, first, most)
    if changes is None:
        return None
    base = problem.cost(problem.kept_units(first), first)
    visited = 0
    waiting: list[tuple[int, int, list[tuple[int, Ints]]]] = [(0, base, [])]
    plans: list[Mask] = []
    while waiting:
        start, cost, changed = waiting.pop()
        visited += 1
        if visited > most:
            return None
        if cost >= low:
            shared = first.copy()
            for unit, rows in changed:
                shared[problem.unit_of == unit] = False
                shared[rows] = True
            plans.append(shared)
        for i in range(start, len(changes)):
            unit, ways = changes[i]
            if cost + ways[0][0] >= high:
                break
            for more, rows in ways:
                if cost + more < high:
                    waiting.append((i + 1, cost + more, [*changed, (unit, rows)]))
    sets = np.array(plans, bool).reshape(len(plans), problem.rows)
    return np.asarray(sets[sets.any(axis=1)])


def _changes(
    problem: Problem, first: Mask, most: int
) -> list[tuple[int, list[tuple[int, Ints]]]] | None:
    """For each unit what else it can be but its first choices: what that costs more, and its rows.

    Cheapest first, and units by their cheapest. None where there are too many.
    """
    changes = []
    for unit in np.flatnonzero(problem.fixed != OUT).tolist():
        ways: list[tuple[int, Ints]] = []
        cost = 0
        if problem.versions is not None:
            photo_of, costs = problem.versions.photo_of, problem.versions.costs
            own = np.flatnonzero((problem.unit_of == unit) & problem.versions.allowed)
            rows_of = [own[photo_of[own] == photo] for photo in np.unique(photo_of[own])]
            if math.prod(map(len, rows_of)) > most:
                return None
            cost = int(costs[own[first[own]]].sum())
            combinations = (np.array(rows, np.intp) for rows in itertools.product(*rows_of))
            ways = [(int(costs[r].sum()) - cost, r) for r in combinations if not first[r].all()]
        if problem.fixed[unit] == FREE:
            ways.append((int(problem.weights[unit]) - cost, np.zeros(0, np.intp)))
        if ways:
            changes.append((unit, sorted(ways, key=lambda way: way[0])))
    return sorted(changes, key=lambda change: change[1][0][0])
