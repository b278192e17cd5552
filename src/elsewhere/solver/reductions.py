"""From a promise to the canonical problem, and from its solution back.

Zone, rivals, margin, lead, prior and the photos that an attacker sees are parts of an attacker of
the problem; pins fix units. "Each photo too" fixes out the photos that reveal the truth alone; of
photos with versions it excludes the rows that do. Photos that must stay are exempt. An attacker who
looks for circles stays beside the problem: `places` makes rows for him.
Groups become units, values and the costs of versions become whole weights; `Reduction.invert`
translates these back.
Photos are judged alone before they are joined into groups, and groups are formed before their
values are added up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe.circles import find_circles
from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.place_bounds import PlaceBound
from elsewhere.solver.places import place_attacker
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
    Versions,
    holds,
)
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import FloatMatrix, Scores

_COUNTS_ALONE: dict[object, Ints] = {}
MAX_COUNTS_ALONE = 64
"""Results of `counts_alone` remembered; beyond, all of them are forgotten."""
_CIRCLE_ATTACKERS: dict[object, tuple[CircleAttacker, Mask]] = {}
_PLACE_BOUNDS: dict[object, PlaceBound] = {}
MAX_PLACE_BOUNDS = 8
"""Bounds that are remembered: 10 MB for an album of 64 photos."""
MAX_CIRCLE_ATTACKERS = 64
"""Attackers that are remembered: every click in the app asks for the same ones."""
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
    """With the attackers of cells alone."""
    promise: Promise
    circles: tuple[tuple[int, CircleAttacker, Mask], ...] = ()
    """The attackers who look for circles, by number, and which rows show them a place alone."""
    bounds: tuple[PlaceBound, ...] = ()
    """For each of these, what bounds every plan."""
    fixed: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8))
    """(units,) what is fixed but for photos that show a place alone."""
    versions: Versions | None = None
    """The versions, of which those that show a place alone are allowed too."""

    def loosen(self, problem: Problem) -> Problem:
        """The problem in which photos that show a place alone may be shared."""
        return replace(problem, fixed=self.fixed, versions=self.versions)

    def invert(self, solution: Solution) -> Solution:
        """The solution in photos and values instead of units and weights."""
        if solution.kept is not None:
            solution = replace(solution, kept=solution.kept[self.problem.unit_of_photo()])
        scale = cost_scale(self.promise)
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
    attackers, circles, bounds = [], [], []
    photo_of = np.array(promise.photo_of, np.intp)
    revealing, showing = np.zeros(promise.rows, bool), np.zeros(promise.rows, bool)
    for number, (against, table) in enumerate(zip(promise.against, scores, strict=True)):
        sees: Mask | None = None
        if against.sees is not None:
            sees = np.isin(photo_of, against.sees)
        if against.circles is not None:
            versions_of = None if promise.versions is None else photo_of
            circle_attacker, tells = find_circle_attacker(against, table, sees, versions_of)
            circles.append((number, circle_attacker, tells))
            bounds.append(find_place_bound(against, table))
            showing |= tells
            continue
        possible = np.ones(table.cells, bool)
        if against.rivals is not None:
            possible = np.isin(np.arange(table.cells), against.rivals)
        possible[list(against.truth)] = False
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
    # Pins fix photos, and photos fix their units.
    fixed = np.full(promise.photos, FREE, np.int8)
    fixed[list(promise.keep)] = IN
    fixed[list(promise.drop)] = OUT
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
    # Rows that reveal the truth are not shared; photos with no others go. What must stay is exempt.
    stays = (unit_fixed == IN)[unit_of][photo_of]
    allowed, loosely_allowed = stays | ~(revealing | showing), stays | ~revealing
    loosely_fixed = unit_fixed.copy()
    for rows, units_fixed in ((allowed, unit_fixed), (loosely_allowed, loosely_fixed)):
        harmless = np.zeros(promise.photos, bool)
        harmless[photo_of[rows]] = True
        units_fixed[unit_of[~harmless]] = OUT
    # Values and costs become whole weights.
    scale = cost_scale(promise)
    whole = [int(scale)] * promise.photos
    if promise.values is not None:
        whole = [int(value * scale) for value in promise.values]
    if sum(whole) >= MAX_TOTAL_WEIGHT:
        raise InputError(
            "values lie too far apart to be compared exactly: use fewer decimal places"
        )
    weights = np.zeros(units, np.int64)
    np.add.at(weights, unit_of, np.array(whole, np.int64))
    budget: int | None = None
    versions = loose_versions = None
    if promise.versions is not None:
        costs = np.array([int(version.cost * scale) for version in promise.versions], np.int64)
        versions = Versions(photo_of, costs, allowed)
        loose_versions = Versions(photo_of, costs, loosely_allowed)
        if promise.budget is not None:
            budget = min(int(promise.budget * scale), MAX_TOTAL_WEIGHT)
    elif promise.budget is not None:
        budget = min(int(promise.budget), promise.photos)
    problem = Problem(
        tuple(attackers),
        unit_of[photo_of],
        weights,
        unit_fixed,
        budget,
        promise.strict,
        versions,
    )
    return Reduction(problem, promise, tuple(circles), tuple(bounds), loosely_fixed, loose_versions)


def find_circle_attacker(
    against: Against, table: Scores, sees: Mask | None, photo_of: Ints | None
) -> tuple[CircleAttacker, Mask]:
    """The attacker who looks for circles, and which rows show him a place alone; remembered."""
    hidden, alone = against.circles, against.each_photo
    assert hidden is not None and table.points is not None
    shown = tuple(None if rows is None else rows.tobytes() for rows in (sees, photo_of))
    key = (table.places_digest, hidden, against.rivals, against.margin, alone, shown)
    known = _CIRCLE_ATTACKERS.get(key)
    if known is None:
        if len(_CIRCLE_ATTACKERS) >= MAX_CIRCLE_ATTACKERS:
            _CIRCLE_ATTACKERS.clear()
        values = _possible_values(against, table)
        lat, lon = np.array(hidden.positions).T
        circles = find_circles(table.points, hidden.radius_km)
        known = _CIRCLE_ATTACKERS[key] = place_attacker(
            circles,
            values,
            lat,
            lon,
            need=1,
            alone=alone or 0,
            margin=against.margin,
            sees=sees,
            photo_of=photo_of,
        )
    attacker, tells = known
    return replace(attacker, need=against.top or 0), tells


def find_place_bound(against: Against, table: Scores) -> PlaceBound:
    """What bounds all plans for hidden places; remembered."""
    hidden = against.circles
    assert hidden is not None and table.points is not None
    key = (table.places_digest, hidden.positions, hidden.radius_km, against.rivals)
    known = _PLACE_BOUNDS.get(key)
    if known is None:
        if len(_PLACE_BOUNDS) >= MAX_PLACE_BOUNDS:
            _PLACE_BOUNDS.clear()
        circles = find_circles(table.points, hidden.radius_km)
        places = circles.hidden_places(*np.array(hidden.positions).T)
        values = _possible_values(against, table)
        known = _PLACE_BOUNDS[key] = PlaceBound(circles, values, places)
    return known


def _possible_values(against: Against, table: Scores) -> FloatMatrix:
    """The scores, −inf for cells that the attacker thinks impossible."""
    if against.rivals is None:
        return table.values
    values = np.full_like(table.values, -np.inf)
    values[:, list(against.rivals)] = table.values[:, list(against.rivals)]
    return values


def forget() -> None:
    """Forget the attackers that are remembered, as if each album were the first."""
    _PLACE_BOUNDS.clear()
    _CIRCLE_ATTACKERS.clear()
    _COUNTS_ALONE.clear()


def cost_scale(promise: Promise) -> Fraction:
    """The factor that makes values and costs of versions whole numbers."""
    costs = [version.cost for version in promise.versions or () if version.cost]
    if promise.values is None and not costs:
        return Fraction(1)
    return weight_scale([*(promise.values or [Fraction(1)]), *costs])


def weight_scale(values: Sequence[Fraction]) -> Fraction:
    """The factor that makes values the smallest whole numbers in the same proportions."""
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(denominator, math.gcd(*(int(value * denominator) for value in values)))


def counts_alone(attacker: Attacker, digest: str, *, strict: bool) -> Ints:
    """(rows,) how many rivals hold for each row alone, if the attacker sees it.

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
