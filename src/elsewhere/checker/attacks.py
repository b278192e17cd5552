"""Attacks that no row of a plan is about, tried on its kept photos before anything is promised.

An attacker makes a posterior over the points from the kept photos, and takes its first circles:
the heaviest one, centred anywhere, then the heaviest that is centred more than twice its radius
from it, and so on. A *hit* is a centre within R of a photo. Here he weighs photos as no promise
foresees: he averages probabilities, takes half of the album, draws larger or smaller circles, or
knows where people live. The *excluder* knows k and the tool. He strikes out the
first k places of every kept photo and of the album, since the tool pushed the place behind them,
and guesses among what is left.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.checker.circles import (
    EARTH_KM,
    TOLERANCE_KM,
    Floats,
    Ints,
    Points,
    chord_of,
    cosine_of,
    meeting_points,
    neighbours,
)
from elsewhere.values.problems import Attack
from elsewhere.values.scores import FloatMatrix

_FEW = 512


@dataclass(frozen=True)
class Hit:
    """An attack that found a photo's place."""

    attack: Attack
    rank: int
    """Which of its circles it was, from 1."""
    lat: float
    lon: float
    """The circle's centre."""


@dataclass(frozen=True)
class Target:
    """What is attacked: the kept photos, and where all photos of the album were taken."""

    points: Points
    rows: FloatMatrix
    """(kept photos, points) log-probabilities."""
    places: Floats
    """Unit vectors of all photos of the album, kept or not."""
    radius_km: float
    exponent: Callable[[int], float]
    """The calibrated exponent for a number of photos."""
    count: int = 5
    """How many circles count as found."""


def try_attacks(
    target: Target,
    first: int,
    *,
    prior: Floats | None = None,
) -> tuple[Hit, ...]:
    """The hits of all attacks; `first` is the k that the excluder knows.

    `prior` are logs of how likely each cell is before any photo (`population_prior`). Without it
    that attack is not tried.
    """
    attacks = [
        attack_posterior(target),
        attack_by_pooling(target),
        attack_by_halves(target),
        attack_by_radius(target, 0.8),
        attack_by_radius(target, 1.2),
        attack_by_exclusion(target, first),
    ]
    if prior is not None:
        attacks.append(attack_by_population(target, prior))
    return tuple(hit for hits in attacks for hit in hits)


def attack_posterior(target: Target) -> tuple[Hit, ...]:
    """The posterior of the whole album, with the calibrated exponent."""
    return _hits(target, Attack.POSTERIOR, posterior(target.rows, target.exponent))


def attack_by_pooling(target: Target) -> tuple[Hit, ...]:
    """The mean of the photos' probabilities instead of the sum of their logs."""
    mean = np.mean([posterior(row[None], lambda _: 1.0) for row in target.rows], axis=0)
    return _hits(target, Attack.LINEAR_POOLING, mean)


def attack_by_halves(target: Target) -> tuple[Hit, ...]:
    """Half of the album: the first photos, the last, the even and the odd ones."""
    rows, half = target.rows, (len(target.rows) + 1) // 2
    found: list[Hit] = []
    for part in (rows[:half], rows[half:], rows[::2], rows[1::2]):
        if len(part):
            found += _hits(target, Attack.HALVES, posterior(part, target.exponent))
    return tuple(found)


def attack_by_radius(target: Target, factor: float) -> tuple[Hit, ...]:
    """Circles that are smaller or larger than those that the promise is about."""
    attack = Attack.SMALLER_CIRCLES if factor < 1 else Attack.LARGER_CIRCLES
    weights = posterior(target.rows, target.exponent)
    return _hits(target, attack, weights, radius_km=factor * target.radius_km)


def attack_by_population(target: Target, prior: Floats) -> tuple[Hit, ...]:
    """The posterior with a prior for each cell, given as logs."""
    weights = posterior(target.rows, target.exponent, prior)
    return _hits(target, Attack.POPULATION, weights)


def attack_by_exclusion(target: Target, first: int) -> tuple[Hit, ...]:
    """The posterior without the first places of every photo and of the album."""
    weights = posterior(target.rows, target.exponent)
    struck = list(first_circles(target.points, weights, target.radius_km, first))
    for row in target.rows:
        own = posterior(row[None], lambda _: 1.0)
        struck += first_circles(target.points, own, target.radius_km, first)
    return _hits(target, Attack.EXCLUDER, weights, struck=struck)


def population_prior(cell: Ints, people: ArrayLike, count: int) -> Floats:
    """The log of the share of people in each of `count` cells; nowhere is quite empty.

    `cell` is the cell of every town, `people` are those who live in it.
    """
    share = np.bincount(cell, people, minlength=count).astype(np.float64) + 1000.0
    return np.asarray(np.log(share / share.sum()))


def posterior(
    rows: FloatMatrix, exponent: Callable[[int], float], prior: Floats | None = None
) -> Floats:
    """The probabilities of the points, from a sum of log-probabilities and a prior."""
    total = exponent(len(rows)) * rows.sum(axis=0, dtype=np.float64)
    total = total if prior is None else total + prior
    peak = float(total.max())
    if peak == -math.inf:
        return np.full(len(total), 1 / len(total))
    powers = np.exp(total - peak)
    return np.asarray(powers / powers.sum())


def _hits(
    target: Target,
    attack: Attack,
    weights: Floats,
    *,
    radius_km: float | None = None,
    struck: Sequence[Floats] = (),
) -> tuple[Hit, ...]:
    """The first circle of these weights within R of a photo, if it is among those that count."""
    radius = radius_km or target.radius_km
    circles = first_circles(target.points, weights, radius, target.count, struck)
    near = chord_of(target.radius_km)
    for rank, centre in enumerate(circles, start=1):
        if np.linalg.norm(target.places - centre, axis=1).min() <= near:
            lat = math.degrees(math.asin(max(-1.0, min(1.0, float(centre[2])))))
            lon = math.degrees(math.atan2(float(centre[1]), float(centre[0])))
            return (Hit(attack, rank, lat, lon),)
    return ()


def first_circles(
    points: Points,
    weights: Floats,
    radius_km: float,
    count: int,
    struck: Sequence[Floats] = (),
) -> Iterator[Floats]:
    """The centres of the first circles of these weights, none within two radii of one before.

    `struck` are centres that count as taken before. A circle whose heaviest point is z lies within
    2R of z, so what lies there and is no heavier than z bounds it: points are tried by this bound.
    What a point's best circle holds only falls as more is struck out, so it is a bound from then
    on; a circle that was worked out beside all that is taken, and is not below any bound, is next.
    """
    members, starts = neighbours(points, 2 * radius_km + 2 * TOLERANCE_KM)
    lengths = np.diff(starts)
    around = weights[members]
    lighter = np.where(around <= np.repeat(weights, lengths), around, 0.0)
    bounds = np.add.reduceat(lighter, starts[:-1])
    taken = np.array([*struck], np.float64).reshape(-1, 3)
    alone: dict[int, tuple[Floats, Floats]] = {}

    def best_circle(z: int) -> tuple[float, Floats]:
        """What the best free circle that holds a point holds, and its centre."""
        own = members[starts[z] : starts[z + 1]]
        unit, place, own_weights = points.unit[own], points.unit[z], weights[own]
        angle = radius_km / EARTH_KM
        if z not in alone:  # moved as far as the points allow
            met = meeting_points(unit, unit, angle, angle)  # each one twice
            centres = np.concatenate((unit, met[: len(met) // 2]))
            alone[z] = _masses(centres, unit, place, own_weights, radius_km)
        centres, masses = alone[z]
        near = taken[taken @ place >= cosine_of(3 * radius_km + 1)]
        if len(near):  # or moved as near to what is struck out as may be
            outside = (2 * radius_km + TOLERANCE_KM) / EARTH_KM
            beside = meeting_points(unit, near, angle, outside)
            edge, more = _masses(beside, unit, place, own_weights, radius_km)
            centres, masses = np.concatenate((centres, edge)), np.concatenate((masses, more))
            masses = np.where(
                (centres @ near.T < cosine_of(2 * radius_km)).all(axis=1), masses, 0.0
            )
        at = int(masses.argmax())
        return float(masses[at]), centres[at]

    order = _heaviest_first(bounds)
    waiting = next(order, None)
    known: list[tuple[float, int, int, Floats]] = []
    while count:
        if known and (waiting is None or -known[0][0] >= bounds[waiting]):
            mass, z, when, centre = heapq.heappop(known)
            if when == len(taken):
                count, taken = count - 1, np.concatenate((taken, centre[None]))
                yield centre
        elif waiting is None:
            return
        else:
            z, waiting = waiting, next(order, None)
        mass, centre = best_circle(z)
        if mass > 0:
            heapq.heappush(known, (-mass, z, len(taken), centre))


def _heaviest_first(bounds: Floats) -> Iterator[int]:
    """The points by their bounds; nearly always a few of them are enough."""
    few = min(_FEW, len(bounds))
    part = np.argpartition(-bounds, few - 1)[:few]
    yield from part[np.argsort(-bounds[part], kind="stable")].tolist()
    left = np.setdiff1d(np.arange(len(bounds)), part)
    yield from left[np.argsort(-bounds[left], kind="stable")].tolist()


def _masses(
    centres: Floats, own: Floats, z: Floats, weights: Floats, radius_km: float
) -> tuple[Floats, Floats]:
    """The centres whose circles hold z, and what these hold."""
    inside = cosine_of(radius_km + TOLERANCE_KM)
    centres = centres[centres @ z >= inside]
    return centres, np.asarray((centres @ own.T >= inside) @ weights)
