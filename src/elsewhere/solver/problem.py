"""The canonical problem that everything a user can wish for is reduced to.

Units u with weights, some fixed in or out. Attackers, each with a number `need` and rivals; a
rival has one row against every column of the attacker's zone and *holds* when all of them do:

    Σ over photos p of kept units that the attacker sees of
        (scores[p, rival] − scores[p, z] − shift)  + offset[rival] − offset[z] − lead  ≥ 0

(> 0 where the problem is strict; −inf as in `values/promise.py`). At least one unit is kept.

**Guarantee** (`budget` is None): the least weight left out such that every attacker has at least
`need` rivals that hold. **Budget**: with at most `budget` photos left out, the largest smallest
number of holding rivals over the attackers, then the largest sum of them, then the least weight.

The rows are not written out but kept as pairs of columns: a zone of 17 cells against 495 rivals
would be 8,415 rows for the same 512 columns.

Whether a rival holds is decided exactly, from the scores as given: `math.fsum` rounds the exact sum
once, so that its sign is the exact sum's sign; where it overflows, fractions take over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
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
    """(photos, columns) scores; finite or −inf."""
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
    """(photos,) which photos this attacker adds up; None for all."""


@dataclass(frozen=True)
class Problem:
    """Units to keep or leave out, and the attackers that must be satisfied."""

    attackers: tuple[Attacker, ...]
    unit_of: Ints
    """(photos,) the unit each photo belongs to."""
    weights: NDArray[np.int64]
    """(units,) what leaving a unit out costs; positive, with a sum below 2**53."""
    fixed: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    """(units,) FREE, IN or OUT."""
    budget: int | None = None
    """At most this many photos left out; None for a guarantee."""
    strict: bool = False
    """Whether rows must be above 0; a tie is then not enough."""
    photos: int = field(init=False)
    """The number of photos."""
    units: int = field(init=False)
    """The number of units."""
    sizes: NDArray[np.int64] = field(init=False)
    """(units,) how many photos each unit has."""

    def __post_init__(self) -> None:
        units = len(self.weights)
        object.__setattr__(self, "photos", len(self.unit_of))
        object.__setattr__(self, "units", units)
        sizes = np.bincount(self.unit_of, minlength=units).astype(np.int64)
        object.__setattr__(self, "sizes", sizes)


@dataclass(frozen=True)
class Solution:
    """The result of solving a problem, in units and weights."""

    status: str
    """"optimal", "feasible", "infeasible" or "unknown"."""
    kept: Mask | None
    """(units,) which units stay; None without a plan."""
    cost: int | Fraction
    """Weight left out."""
    bound: int | Fraction
    """Guarantee: no plan is lighter. Budget: no plan has a larger smallest count."""
    counts: bool = False
    """Whether `bound` counts rivals (budget) and not weight (guarantee)."""
    work: int = 0
    """Work done: a count that is the same on every machine."""


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
