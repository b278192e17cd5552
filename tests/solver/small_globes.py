"""Small globes for tests of places: a few dozen points, some photos, random scores.

A globe's cells are strips from pole to pole; only their points matter. Points huddle in clusters
about as wide as a circle, so that circles hold several of them, at the poles and across the date
line too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from elsewhere.globe.circles import Circles
from elsewhere.globe.coordinates import EARTH_KM, Floats
from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.places import PlacePlan, place_attacker, plan_places
from elsewhere.solver.problem import FREE, IN, Mask, Problem

MIDDLES = [(0.0, 0.0), (48.0, 11.0), (-33.0, 179.9), (20.0, -180.0), (89.9, 40.0), (-90.0, 0.0)]


@dataclass(frozen=True)
class SmallAlbum:
    """Everything that a plan for places is made from."""

    circles: Circles
    scores: Floats
    lat: Floats
    lon: Floats
    need: int
    alone: int
    margin: float
    unit_of: np.ndarray
    weights: np.ndarray
    fixed: np.ndarray

    @property
    def problem(self) -> Problem:
        return Problem((), self.unit_of, self.weights, self.fixed)

    def attacker(self) -> tuple[CircleAttacker, Mask]:
        return place_attacker(
            self.circles,
            self.scores,
            self.lat,
            self.lon,
            need=self.need,
            alone=self.alone,
            margin=self.margin,
        )

    def plan(self) -> PlacePlan:
        return plan_places(self.problem, [self.attacker()], [0.5])

    def kept(self, plan: PlacePlan) -> Mask:
        """Which photos the plan keeps."""
        assert plan.solution.kept is not None
        return np.asarray(plan.solution.kept[self.unit_of])


def scatter(
    rng: np.random.Generator, middle: tuple[float, float], km: Floats
) -> tuple[Floats, Floats]:
    """Places so many km from the middle, each in a random direction."""
    lat, lon = np.radians(middle)
    angle, bearing = km / EARTH_KM, rng.uniform(0, 2 * math.pi, len(km))
    sine = np.sin(lat) * np.cos(angle) + np.cos(lat) * np.sin(angle) * np.cos(bearing)
    east = np.sin(bearing) * np.sin(angle) * np.cos(lat)
    along = lon + np.arctan2(east, np.cos(angle) - np.sin(lat) * sine)
    degrees = (np.degrees(along) + 180) % 360 - 180
    return np.degrees(np.arcsin(np.clip(sine, -1, 1))), degrees


def globe(rng: np.random.Generator, cells: int, radius: float) -> Circles:
    """Points in clusters within some ten radii of a place, and their circles."""
    middle = MIDDLES[rng.integers(len(MIDDLES))]
    clusters = scatter(rng, middle, rng.uniform(0, 14 * radius, max(2, cells // 3)))
    lat, lon = np.empty(cells), np.empty(cells)
    for cell in range(cells):
        at = rng.integers(len(clusters[0]))
        near = scatter(rng, (clusters[0][at], clusters[1][at]), rng.uniform(0, 1.5 * radius, 1))
        lat[cell], lon[cell] = near[0][0], near[1][0]
    return Circles((lat, lon), radius)


@lru_cache(maxsize=4)
def _shared_globe(seed: int, max_cells: int) -> Circles:
    """A globe for sixteen albums."""
    rng = np.random.default_rng(seed)
    radius = float(rng.choice([1.0, 25.0, 25.0, 200.0]))
    return globe(rng, int(rng.integers(12, max_cells + 1)), radius)


def small_album(seed: int, *, max_photos: int = 8, max_cells: int = 40) -> SmallAlbum:
    """A random album: any radius, ties, zeros, margins, units, weights and pins."""
    circles = _shared_globe(seed // 16, max_cells)
    radius = circles.radius_km
    rng = np.random.default_rng(seed)
    photos = int(rng.integers(1, max_photos + 1))
    lat, lon = circles.points
    home = int(rng.integers(len(lat)))
    far = rng.random() < 0.2
    homes = rng.integers(len(lat), size=photos) if far else np.full(photos, home)
    places = [scatter(rng, (lat[h], lon[h]), rng.uniform(0, radius, 1)) for h in homes]
    scores = rng.normal(0, rng.choice([0.3, 1.0, 4.0]), (photos, len(lat)))
    scores[:, home] += rng.normal(-0.5, 1.5, photos)
    scores += rng.normal(0, 2, len(lat))  # photos of one album resemble each other
    kind = rng.integers(6)
    if kind == 0:
        scores = np.round(scores)
    if kind == 1:
        scores[rng.random(scores.shape) < 0.1] = -np.inf
    if kind == 2:
        scores = (scores * 300).astype(np.float32)
    units = int(rng.integers(1, photos + 1)) if rng.random() < 0.3 else photos
    unit_of = np.append(np.arange(units), rng.integers(0, units, photos - units))
    weighted = rng.random() < 0.3
    weights = rng.integers(1, 4, units) if weighted else np.ones(units, np.int64)
    fixed = np.full(units, FREE, np.int8)
    if rng.random() < 0.2:
        fixed[rng.integers(units)] = IN
    need = int(rng.integers(1, 4))
    return SmallAlbum(
        circles,
        scores,
        np.array([place[0][0] for place in places]),
        np.array([place[1][0] for place in places]),
        need,
        int(rng.integers(1, need + 1)),
        float(rng.choice([0.0, 0.0, 0.1])),
        unit_of.astype(np.intp),
        weights.astype(np.int64),
        fixed,
    )
