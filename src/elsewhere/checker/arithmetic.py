"""Exact numbers for the check: sums of floats as whole numbers, fast enough to redo every time.

Every finite float64 is a whole multiple of 2^-1074. So a score, a sum of scores, a margin and a
lead are whole numbers of that *unit*, and Python's integers hold them without rounding. To convert
scores one by one would be slow, so NumPy sums columns after each score is cut into a few pieces
whose sums cannot round. Nothing here is shared with the solver, whose mistakes it must not inherit.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Table = NDArray[np.float64] | NDArray[np.float32]
Mask = NDArray[np.bool_]

UNIT_BITS = 1074
ONE = 1 << UNIT_BITS
SIDE = 512
"""At most SIDE × SIDE scores are worked on at a time: the memory is the same for any album."""
PIECES = 6
"""Into how many pieces a column is cut before plain integers take over."""
LEAST_POWER = -1022
"""Floats from 2^-1022 up to twice that lie one unit apart: no piece need be finer."""
LARGE = 2.0**960
"""Scores beyond this are left to plain integers, because NumPy's steps could overflow."""


def units(number: float) -> int:
    """A finite float as a whole number of units.

    >>> units(1.0) == 2**1074
    True
    """
    above, below = number.as_integer_ratio()
    return above << (UNIT_BITS + 1 - below.bit_length())


def nearest(number: int) -> float:
    """The float nearest to a number of units, as IEEE 754 rounds it (so perhaps ±inf)."""
    try:
        return number / ONE
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def least_float(number: int) -> float:
    """The smallest float that is at least a number of units."""
    guess = nearest(number)
    if math.isinf(guess):
        return guess if guess > 0 else -sys.float_info.max
    return guess if units(guess) >= number else math.nextafter(guess, math.inf)


def column_sums(table: Table, photos: Sequence[int]) -> tuple[list[int], Mask]:
    """The exact sum of each column over `photos`, in units, and which columns hold a −inf.

    The sum of a column that holds a −inf is of no use to anybody and given as 0.

    With |x| < 2^E and C = 1.5 · 2^(52 + E − w), the float operation (x + C) − C rounds x to a
    multiple of q = 2^(E − w) and x less that piece is exact. n pieces of at most 2^w q each, with
    n · 2^w ≤ 2^52, add up exactly in any order. The rest of x is at most q / 2, and is cut again:
    two or three times for ordinary scores.
    """
    rows = np.asarray(photos, dtype=np.intp)
    cells = table.shape[1]
    sums = [0] * cells
    impossible = np.zeros(cells, dtype=np.bool_)
    for top, left in itertools.product(range(0, len(rows), SIDE), range(0, cells, SIDE)):
        columns = np.arange(left, min(left + SIDE, cells))
        rest = table[rows[top : top + SIDE], left : left + SIDE].astype(np.float64, copy=False)
        infinite = rest.min(axis=0) == -np.inf
        rest[:, infinite] = 0.0
        impossible[columns] |= infinite
        piece_bits = 52 - len(rest).bit_length()
        for turn in range(PIECES + 1):
            peak = np.maximum(rest.max(axis=0), -rest.min(axis=0))
            plain = (peak >= LARGE) | (turn == PIECES)
            for i in np.flatnonzero(plain).tolist():
                sums[columns[i]] += sum(map(units, rest[:, i].tolist()))
            unfinished = (peak > 0.0) & ~plain
            if not unfinished.any():
                break
            if not unfinished.all():
                rest, columns, peak = rest[:, unfinished], columns[unfinished], peak[unfinished]
            power = np.maximum(np.frexp(peak)[1] + (52 - piece_bits), LEAST_POWER)
            anchor = np.ldexp(1.5, power)
            piece = rest + anchor
            piece -= anchor
            rest -= piece
            for column, total in zip(columns.tolist(), piece.sum(axis=0).tolist(), strict=True):
                sums[column] += units(total)
    return sums, impossible


@dataclass(frozen=True)
class Contest:
    """What decides whether a rival holds, apart from the photos."""

    truth: Sequence[int]
    rivals: Sequence[int]
    prior: Sequence[float] | None
    handicap: int
    """Margin and lead together, in units."""
    strict: bool


def counts_alone(table: Table, photos: Sequence[int], contest: Contest) -> list[int]:
    """For each of `photos`, how many rivals hold when it is the only one kept."""
    counts: list[int] = []
    height = max(1, SIDE * SIDE // table.shape[1])
    prior = np.zeros(table.shape[1]) if contest.prior is None else contest.prior
    known = np.asarray(prior, dtype=np.float64)
    for start in range(0, len(photos), height):
        rows = np.asarray(photos[start : start + height], dtype=np.intp)
        block = table[rows].astype(np.float64, copy=False)
        if any((np.isfinite(part) & (np.abs(part) >= LARGE)).any() for part in (block, known)):
            counts += [_count_plain(row, known, contest) for row in block]
        else:
            counts += _count_pairs(block, known, contest)
    return counts


def _count_pairs(block: Floats, known: Floats, contest: Contest) -> list[int]:
    """How many rivals hold for each row, all rows at once.

    A score and its prior are added as the rounded sum `high` and its rounding error `low`, which
    is a float too (Knuth's two-sum), so high + low is exact. Rounding never swaps two numbers:
    where a rival's `high` differs from the rounded bar it decides, and else `low` does.
    """
    with np.errstate(invalid="ignore"):  # −inf less −inf, replaced at once
        high = block + known
        back = high - block
        low = (block - (high - back)) + (known - back)
    low[high == -np.inf] = 0.0
    peak = high[:, contest.truth].max(axis=1)
    rest = np.where(high[:, contest.truth] == peak[:, None], low[:, contest.truth], -np.inf).max(
        axis=1
    )
    line, over = np.empty_like(peak), np.empty_like(peak)
    for i, (top, error) in enumerate(zip(peak.tolist(), rest.tolist(), strict=True)):
        if top == -math.inf:  # the truth is impossible: every rival holds, or every possible one
            line[i], over[i] = -math.inf, math.inf if contest.strict else -math.inf
            continue
        bar = units(top) + units(error) + contest.handicap + contest.strict  # > is ≥ one unit more
        line[i] = middle = nearest(bar)
        over[i] = math.inf if math.isinf(middle) else least_float(bar - units(middle))
    high, low = high[:, contest.rivals], low[:, contest.rivals]
    holds = (high > line[:, None]) | ((high == line[:, None]) & (low >= over[:, None]))
    counts: list[int] = np.count_nonzero(holds, axis=1).tolist()
    return counts


def _count_plain(row: Floats, known: Floats, contest: Contest) -> int:
    """How many rivals hold for one row, in plain integers: for scores near the end of the range."""
    pairs = zip(row.tolist(), known.tolist(), strict=True)
    totals = [None if -math.inf in pair else units(pair[0]) + units(pair[1]) for pair in pairs]
    at_truth = [total for z in contest.truth if (total := totals[z]) is not None]
    at_rivals = [total for r in contest.rivals if (total := totals[r]) is not None]
    if not at_truth:
        return len(at_rivals if contest.strict else contest.rivals)
    bar = max(at_truth) + contest.handicap + contest.strict
    return sum(total >= bar for total in at_rivals)
