"""Trips: photos of one place, as attackers know them who were fitted without their source.

`benchmarks/trips` lists the photos and holds what attackers know of each: queries of the embedded
head and of one on DINOv2, which give scores with the leaves' vectors, and the known photos that
each resembles. `FirstCircles` has an attacker's guesses, as `elsewhere.solver.places` words them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.globe import Cells
from elsewhere.globe.circles import Circles, cosine, grid_around
from elsewhere.globe.coordinates import EARTH_KM, unit_vector
from elsewhere_lab.files import digest, read_lines

Floats = NDArray[np.float64]
EMBEDDED, DINO, LOOK_UP = "embedded", "DINOv2", "look-up"
LIST, ATTACKERS = "trips.csv", "attackers.npz"
VECTORS = Path(str(files("elsewhere.scorers"))) / "weights" / "leaves.npz"
KERNEL_KM, SHARPNESS, DOUBT = 40.0, 20.0, 0.1
"""The look-up: how wide a known photo's place is, how likeness counts, and the uniform's share."""
STEPS, MAX_PIVOTS = 8, 400
"""Steps in a radius of the grid of centres that are tried, and around how many leaves."""


@dataclass(frozen=True)
class Trips:
    """The folder with the list of trips and what attackers know of their photos."""

    folder: Path

    kind, models, name = "trips", 1, "trips"

    @property
    def given(self) -> str:
        """The folder as it was named, or by name alone."""
        name = self.folder.name if self.folder.is_absolute() else self.folder.as_posix()
        return f"--source {name}"

    @property
    def digests(self) -> dict[str, str]:
        """Of all that the scores are made of."""
        every = (self.folder / LIST, self.folder / ATTACKERS, VECTORS)
        try:
            return {file.name: digest(file.read_bytes()) for file in every}
        except OSError as problem:
            raise FileError(f"{problem.filename} cannot be read: {problem.strerror}") from None

    def lacks(self, need: str) -> str | None:
        """It has trips and nothing else."""
        return f"{need}, which trips have none of"

    def entries(self) -> list[tuple[str, list[int]]]:
        """The trips in order: the source of each, and the rows of its photos."""
        return _load(self.folder)[1]

    def positions(self, rows: Sequence[int]) -> Floats:
        """(photos, 2) latitude and longitude."""
        return np.asarray(_load(self.folder)[0]["position"][rows] / 100)

    def exponent(self, photos: int) -> float:
        """What the summed scores of so many photos are multiplied by: calibrated."""
        arrays = _load(self.folder)[0]
        sizes, powers = (np.log(arrays[name]) for name in ("exponent_size", "exponent"))
        return float(np.exp(np.interp(np.log(photos), sizes, powers)))

    def scores(self, attacker: str, rows: Sequence[int]) -> Floats:
        """(photos, leaves) log-probabilities."""
        arrays = _load(self.folder)[0]
        if attacker == LOOK_UP:
            known, neighbour = arrays["known"] / 100, arrays["neighbour"]
            pairs = ((known[neighbour[row]], arrays["likeness"][row]) for row in rows)
            return np.log([look_up(places, likeness) for places, likeness in pairs])
        query = arrays["query" if attacker == EMBEDDED else "dino"][rows].astype(np.float32)
        logits = (query @ arrays["leaves"].T).astype(np.float64)
        if attacker == EMBEDDED:
            lift = np.zeros_like(logits.T)
            np.maximum.at(lift, arrays["landmark_leaf"], arrays["odds"][rows].T)
            logits = (logits + lift.T) / arrays["temperature"]
        logits -= logits.max(axis=1, keepdims=True)
        return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))

    def mean_elsewhere(self, source: str) -> Floats:
        """(leaves,) what the embedded head says of trips of all other sources, in the mean."""
        others = [i for i, (other, _) in enumerate(self.entries()) if other != source]
        return np.asarray(_mean_probabilities(self)[others].mean(axis=0))


@lru_cache(maxsize=1)
def _mean_probabilities(trips: Trips) -> Floats:
    every = (np.exp(trips.scores(EMBEDDED, rows)) for _, rows in trips.entries())
    return np.array([scores.mean(axis=0) for scores in every])


@lru_cache(maxsize=1)
def _load(folder: Path) -> tuple[dict[str, Any], list[tuple[str, list[int]]]]:
    with np.load(folder / ATTACKERS) as stored, np.load(VECTORS) as vectors:
        arrays = {name: stored[name] for name in stored.files}
        leaves = vectors["embedding"].astype(np.float32)
    arrays["leaves"] = leaves / np.linalg.norm(leaves, axis=1, keepdims=True)
    trips: dict[str, tuple[str, list[int]]] = {}
    for row, (_, fields) in enumerate(read_lines(folder / LIST, "trip", "source", "photo")):
        trips.setdefault(fields["trip"], (fields["source"], []))[1].append(row)
    if sum(len(rows) for _, rows in trips.values()) != len(arrays["position"]):
        raise FileError(f"{folder / ATTACKERS} is not of the photos of {LIST}: make it again")
    return arrays, list(trips.values())


def look_up(places: Floats, likeness: NDArray[np.floating[Any]]) -> Floats:
    """(leaves,) known photos' places, each blurred, by how alike the photos are.

    `places` are their latitudes and longitudes.
    """
    alike = likeness.astype(np.float64)
    weight = np.exp(SHARPNESS * (alike - alike.max()))
    near = unit_vector(*places.T) @ unit_vector(*Cells.leaves().points).T
    photo, leaf = np.nonzero(near >= cosine(5 * KERNEL_KM))
    km = np.arccos(np.minimum(near[photo, leaf], 1)) * EARTH_KM
    kernel = np.exp(-0.5 * (km / KERNEL_KM) ** 2)
    kernel *= (weight / np.maximum(np.bincount(photo, kernel, len(weight)), 1e-30))[photo]
    chances = np.bincount(leaf, kernel, near.shape[1])
    return np.asarray((1 - DOUBT) * chances / chances.sum() + DOUBT / len(chances))


class FirstCircles:
    """The circles of one radius that hold most, none centred within two radii of another."""

    def __init__(self, radius_km: float) -> None:
        self.circles = Circles(Cells.leaves().points, radius_km)
        self._wide = Circles(Cells.leaves().points, 2 * radius_km)
        self._grid = lru_cache(maxsize=4096)(self._make_grid)

    def on_leaves(self, probability: Floats, count: int, struck: Sequence[int] = ()) -> list[int]:
        """Centred on leaves' points; none within two radii of those of `struck`."""
        masses = self.circles.masses(probability)
        for leaf in struck:
            masses[self._wide.of(leaf)] = -1
        found: list[int] = []
        for _ in range(count):
            found.append(int(masses.argmax()))
            masses[self._wide.of(found[-1])] = -1
        return found

    def anywhere(self, probability: Floats, count: int) -> Floats:
        """(count, 3) centred anywhere, to an eighth of the radius, around the likeliest leaves."""
        bounds = self._wide.masses(probability)
        least = self.circles.masses(probability)[self.on_leaves(probability, count)[-1]]
        order = np.argsort(-bounds, kind="stable")[:MAX_PIVOTS]
        pivots = order[bounds[order] >= least].tolist()
        grids = [self._grid(pivot) for pivot in pivots]
        centres = np.concatenate([around for around, _ in grids])
        masses = np.concatenate([
            inside @ probability[self._wide.of(pivot)]
            for pivot, (_, inside) in zip(pivots, grids, strict=True)
        ])  # fmt: skip
        found: list[Floats] = []
        for _ in range(count):
            found.append(centres[int(masses.argmax())])
            masses[centres @ found[-1] >= cosine(2 * self.circles.radius_km)] = -1
        return np.array(found)

    def _make_grid(self, pivot: int) -> tuple[Floats, NDArray[np.float32]]:
        """Centres around a leaf, and which of the leaves near it each circle holds."""
        radius, middle = self.circles.radius_km, self.circles.unit[[pivot]]
        centres = grid_around(middle, radius * (1 - 1 / STEPS), radius / STEPS)
        near = self.circles.unit[self._wide.of(pivot)]
        return centres, (centres @ near.T >= cosine(radius)).astype(np.float32)
