"""From a promise to the canonical problem, and from its solution back.

Zone, rivals, margin, lead, prior and the photos that an attacker sees are parts of an attacker of
the problem; pins fix units. "Each photo too" fixes out the photos that reveal the truth alone.
Groups become units and values become whole weights; `Reduction.invert` translates these two back.
Photos are judged alone before they are joined into groups, and groups are formed before their
values are added up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.problem import (
    FREE,
    IN,
    MAX_TOTAL_WEIGHT,
    OUT,
    Attacker,
    Ints,
    Mask,
    Problem,
    Solution,
    holds,
)
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

_COUNTS_ALONE: dict[object, Ints] = {}
MAX_COUNTS_ALONE = 64
"""Results of `counts_alone` remembered; beyond, all of them are forgotten."""
_ROUNDOFF = 2.0**-52


class Contradiction(Exception):  # noqa: N818 — it says what is wrong, not that the code erred
    """The wishes exclude each other: no plan can fulfil them. The message says why.

    Photos are known by number here; `named` gives the message with their names.

    >>> why = Contradiction("photos {} belong together", [0, 2])
    >>> str(why), why.named(["a.jpg", "b.jpg", "c.jpg"])
    ('photos 0, 2 belong together', 'photos a.jpg, c.jpg belong together')
    """

    def __init__(self, reason: str, photos: Sequence[int]) -> None:
        self.reason, self.photos = reason, tuple(photos)
        super().__init__(reason.format(", ".join(map(str, self.photos))))

    def named(self, ids: Sequence[str]) -> str:
        """The message with the photos' names."""
        return self.reason.format(", ".join(ids[photo] for photo in self.photos))


@dataclass(frozen=True)
class Reduction:
    """The canonical problem of a promise, and the way back from its solution."""

    problem: Problem
    promise: Promise

    def invert(self, solution: Solution) -> Solution:
        """The solution in photos and values instead of units and weights."""
        if solution.kept is not None:
            solution = replace(solution, kept=solution.kept[self.problem.unit_of])
        scale = Fraction(1) if self.promise.values is None else weight_scale(self.promise.values)
        cost, bound = Fraction(solution.cost) / scale, Fraction(solution.bound)
        if not solution.counts:
            bound /= scale
        return replace(
            solution,
            cost=cost.numerator if cost.denominator == 1 else cost,
            bound=bound.numerator if bound.denominator == 1 else bound,
        )


def reduce(promise: Promise, scores: Sequence[Scores]) -> Reduction:
    """The canonical problem of a promise; Contradiction where its wishes exclude each other."""
    # Attackers, and the photos that reveal the truth to one of them alone.
    attackers = []
    revealing = np.zeros(promise.photos, bool)
    for against, table in zip(promise.against, scores, strict=True):
        possible = np.ones(table.cells, bool)
        if against.rivals is not None:
            possible = np.isin(np.arange(table.cells), against.rivals)
        possible[list(against.truth)] = False
        sees: Mask | None = None
        if against.sees is not None:
            sees = np.zeros(table.photos, bool)
            sees[list(against.sees)] = True
        attacker = Attacker(
            scores=table.values,
            zone=np.array(against.truth, np.intp),
            rivals=np.flatnonzero(possible),
            need=against.top or 0,
            shift=against.margin,
            lead=against.lead,
            offset=None if against.prior is None else np.array(against.prior, np.float64),
            sees=sees,
        )
        attackers.append(attacker)
        if against.each_photo:
            alone = counts_alone(attacker, table.digest, strict=promise.strict) < against.each_photo
            revealing |= alone if sees is None else alone & sees
    # Pins and photos that reveal the truth fix photos, and photos fix their units.
    fixed = np.full(promise.photos, FREE, np.int8)
    fixed[list(promise.keep)] = IN
    fixed[list(promise.drop)] = OUT
    pinned = np.flatnonzero(revealing & (fixed == IN)).tolist()
    if pinned:
        reveal = "photo {} reveals the truth by itself"
        if len(pinned) > 1:
            reveal = "photos {} reveal the truth each by itself"
        raise Contradiction(f"no photo may reveal the truth alone, but kept {reveal}", pinned)
    fixed[revealing] = OUT
    first = np.arange(promise.photos)  # units are numbered by their first photo, without gaps
    for group in promise.groups:
        first[list(group)] = min(group)
    unit_of = np.unique(first, return_inverse=True)[1].astype(np.intp)
    units = int(unit_of.max()) + 1
    unit_fixed = np.zeros(units, np.int8)  # a unit is fixed where any of its photos is
    unit_fixed[unit_of[fixed == IN]] = IN
    out = unit_of[fixed == OUT]
    torn = out[unit_fixed[out] == IN]
    if len(torn):
        raise Contradiction(
            "photos {} belong together, but one must go and another must not",
            np.flatnonzero(unit_of == torn[0]).tolist(),
        )
    unit_fixed[out] = OUT
    # Values become whole weights.
    whole = [1] * promise.photos
    if promise.values is not None:
        scale = weight_scale(promise.values)
        whole = [int(value * scale) for value in promise.values]
    if sum(whole) >= MAX_TOTAL_WEIGHT:
        raise InputError(
            "values lie too far apart to be compared exactly: use fewer decimal places"
        )
    weights = np.zeros(units, np.int64)
    np.add.at(weights, unit_of, np.array(whole, np.int64))
    budget = None if promise.budget is None else min(promise.budget, promise.photos)
    problem = Problem(tuple(attackers), unit_of, weights, unit_fixed, budget, promise.strict)
    return Reduction(problem, promise)


def weight_scale(values: Sequence[Fraction]) -> Fraction:
    """The factor that makes values the smallest whole numbers in the same proportions."""
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(denominator, math.gcd(*(int(value * denominator) for value in values)))


def counts_alone(attacker: Attacker, digest: str, *, strict: bool) -> Ints:
    """(photos,) how many rivals hold for each photo alone, if the attacker sees it.

    Neither pins nor the top change this, so it is remembered, by the `digest` of the scores.
    """
    offset = None if attacker.offset is None else attacker.offset.tobytes()
    cells_key = (attacker.zone.tobytes(), attacker.rivals.tobytes(), offset)
    key = (digest, *cells_key, attacker.shift, attacker.lead, strict)
    if (counts := _COUNTS_ALONE.get(key)) is not None:
        return counts
    if len(_COUNTS_ALONE) >= MAX_COUNTS_ALONE:
        _COUNTS_ALONE.clear()
    parts = []
    for cells in (attacker.rivals, attacker.zone):
        # (photos, cells) score and prior of each, their size, and where one of them is −inf
        scores = attacker.scores[:, cells].astype(np.float64)
        prior = np.zeros(len(cells)) if attacker.offset is None else attacker.offset[cells]
        impossible = np.isneginf(scores) | np.isneginf(prior)
        with np.errstate(over="ignore"):
            sizes = np.where(impossible, 0.0, np.abs(scores) + np.abs(prior))
            parts.append((scores + prior, sizes, impossible))
    (rivals, rival_sizes, rivals_impossible), (zone, zone_sizes, zone_impossible) = parts
    threshold = attacker.shift + attacker.lead
    with np.errstate(over="ignore", invalid="ignore"):
        slack = rivals - zone.max(axis=1, keepdims=True) - threshold
        if not threshold and attacker.offset is None:  # two scores are compared, exactly
            ahead, tied = slack > 0, ~((slack > 0) | (slack < 0))
            counts = _COUNTS_ALONE[key] = np.asarray(
                np.sum(ahead if strict else ahead | tied, axis=1)
            )
            return counts
        largest = zone_sizes.max(axis=1, keepdims=True)
        error = 16 * _ROUNDOFF * (rival_sizes + largest + threshold) + 1e-300
        holding = slack > error
        unsure = ~holding & ~(slack < -error)
    tied = rivals_impossible & zone_impossible.all(axis=1, keepdims=True)
    holding[tied] = not strict
    kept = np.zeros(len(attacker.scores), bool)
    for photo, rival in np.argwhere(unsure & ~tied).tolist():
        kept[photo] = True
        cell = int(attacker.rivals[rival])
        holding[photo, rival] = holds(replace(attacker, sees=None), kept, cell, strict=strict)
        kept[photo] = False
    counts = _COUNTS_ALONE[key] = np.asarray(np.sum(holding, axis=1))
    return counts
