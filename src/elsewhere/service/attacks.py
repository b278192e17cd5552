"""What an attacker guesses from photos, and the attacks that are tried on what is shared.

No promise is about these attacks (`checker/attacks.py`). They are tried before a copy has its name
and again by `verify`; where one finds a hidden place, that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elsewhere.checker.attacks import (
    Target,
    first_circles,
    population_prior,
    posterior,
    try_attacks,
)
from elsewhere.checker.circles import Points, chord_of, directions, with_nearest
from elsewhere.checker.proof import keeps_away
from elsewhere.globe import Cells
from elsewhere.globe.circles import best_apart, find_circles
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.scorers import ScorerInfo
from elsewhere.scorers.protocol import exponent
from elsewhere.values.problems import Attack
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import FloatMatrix, Scores

Floats = NDArray[np.float64]

MAX_ANYWHERE_KM = 60.0
"""Larger circles hold so many points that not all of them can be tried."""
MARGIN_KM = 0.001
"""What a guess may be farther off and still count as found."""


_POINTS: dict[int, tuple[object, Points]] = {}
MAX_POINTS = 4
"""Globes remembered; beyond, all of them are forgotten."""


def points_of(globe: Cells) -> Points:
    """The points of a model's cells; remembered, with what attacks know of them."""
    key = id(globe.points)
    known = _POINTS.get(key)
    if known is None:
        if len(_POINTS) >= MAX_POINTS:
            _POINTS.clear()
        known = _POINTS[key] = globe.points, Points(*globe.points)
    return known[1]


def first_places(info: ScorerInfo, rows: FloatMatrix, radius_km: float, count: int) -> Floats:
    """The centres of a model's first places of so many km, from all rows together.

    Large ones are centred on points: there are too many others.
    """
    assert info.globe is not None
    weights = posterior(rows, _calibrated(info))
    if radius_km <= MAX_ANYWHERE_KM:
        centres = first_circles(points_of(info.globe), weights, radius_km, count)
        return np.array([*centres]).reshape(-1, 3)
    circles = find_circles(info.globe.points, radius_km)
    return circles.unit[best_apart(circles.unit, circles.masses(weights), 2 * radius_km, count)]


def comes_near(info: ScorerInfo, scores: Scores, circles: HiddenCircles, first: int) -> bool:
    """Whether one of a model's first places is near something hidden, or what stands for it.

    Of large places, whether it is not proved that none is.
    """
    if circles.radius_km > MAX_ANYWHERE_KM:
        return not keeps_away(scores, circles, first)
    return guesses_near(info, scores.values, circles, first)


def guesses_near(info: ScorerInfo, rows: FloatMatrix, circles: HiddenCircles, first: int) -> bool:
    """Whether one of the first places from these rows is near something hidden."""
    assert info.globe is not None
    radius = circles.radius_km
    centres = first_places(info, rows, radius, first)
    places = directions(*np.array(circles.positions).T)
    hidden = with_nearest(points_of(info.globe), places, radius)
    apart = np.linalg.norm(centres[:, None] - hidden, axis=2)
    return bool((apart <= chord_of(radius + MARGIN_KM)).any())


def find_hits(
    info: ScorerInfo,
    rows: FloatMatrix,
    circles: HiddenCircles,
    count: int,
    possible: Sequence[int] | None = None,
) -> tuple[Attack, ...]:
    """Which of the attacks have something hidden among their first `count` places.

    The excluder knows `count` too: he strikes out so many places of each photo and of the album.
    `possible` are the cells that a prior leaves; None for all.
    """
    assert info.globe is not None
    points = points_of(info.globe)
    places = with_nearest(points, directions(*np.array(circles.positions).T), circles.radius_km)
    if possible is not None:
        rows = np.where(np.isin(np.arange(rows.shape[1]), possible), rows, -np.inf)
    target = Target(
        points,
        rows,
        places,
        circles.radius_km,
        _calibrated(info),
        count,
    )
    hits = {hit.attack for hit in try_attacks(target, count, prior=_population(info.globe))}
    return tuple(attack for attack in Attack if attack in hits)


def _calibrated(info: ScorerInfo) -> Callable[[int], float]:
    """The exponent by number of photos, that of the model as it was loaded."""
    return lambda photos: min(1.0, exponent(info.exponents, photos))


@lru_cache(maxsize=2)
def _population(globe: Cells) -> Floats:
    """How likely each cell is by the people who live in it, as logs."""
    table = gazetteer()
    where = globe.locate(table.lat[table.towns], table.lon[table.towns])
    return population_prior(where, table.population[table.towns], globe.count)
