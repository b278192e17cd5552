"""Album exponents on leaves: the mass of the first circle and how often it is right agree.

    python -m training.calibrate_leaves MANIFEST.csv LEAVES.npz HELD_OUT.npz HEAD.npz OUT.json

Photos of one album are not independent, so their summed log-probabilities are multiplied by an
exponent that depends on the album's size. For each size it is fitted such that the mass within
25 km of the likeliest centre is, in the mean, the share of albums whose photos lie there. Albums
are drawn from photos of one source within 25 km, sources and places alike often; half of the places
are fitted on and the other half is reported.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.dataset import LANDMARK_SOURCES
from training.locations import EARTH_KM, unit_vectors
from training.photos import CONTINENTS, read_manifest
from training.splits import FOLDS, WELL_PLACED_KM
from training.trips import clusters

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RADIUS_KM = 25.0
SIZES = (1, 2, 4, 8, 16, 32)
ALBUMS = 240
DISTANCES_KM = (1, 25, 200, 750, 2500)


class Circles:
    """The leaves within a radius of every leaf's centre."""

    def __init__(self, centre: Floats, radius_km: float) -> None:
        self.unit = unit_vectors(centre)
        self.cosine = float(np.cos(radius_km / EARTH_KM))
        parts = [
            np.nonzero(part @ self.unit.T >= self.cosine) for part in np.array_split(self.unit, 60)
        ]
        offsets = np.cumsum([0, *(len(part) for part in np.array_split(self.unit, 60))])
        rows = np.concatenate(
            [row + offset for (row, _), offset in zip(parts, offsets[:-1], strict=True)]
        )
        self.leaf = np.concatenate([leaf for _, leaf in parts])
        self.first = np.searchsorted(rows, np.arange(len(centre)))

    def masses(self, probability: Floats) -> Floats:
        """The mass of the circle around every leaf's centre."""
        return np.add.reduceat(probability[self.leaf], self.first)


def softmax(x: Floats) -> Floats:
    """Normalise."""
    e = np.exp(x - x.max())
    return np.asarray(e / e.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("manifest", "leaves", "held_out", "head", "out"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    with np.load(args.leaves) as f:
        vectors = f["embedding"].astype(np.float32) * f["scale"][:, None]
        circles = Circles(f["centre"], RADIUS_KM)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with np.load(args.held_out) as f:
        row = {str(name): i for i, name in enumerate(f["names"])}
        query, odds = f["query"], f["odds"].astype(np.float32)
    with np.load(args.head) as f:
        landmark_leaf = f["landmark_cell"]
    photos = [p for p in read_manifest(args.manifest) if p.radius_km <= WELL_PLACED_KM]
    places: list[tuple[str, Ints]] = []
    for source in sorted({p.source for p in photos}):
        mine = [p for p in photos if p.source == source]
        where = np.array([(p.lat, p.lon) for p in mine])
        index = np.array([row[p.name] for p in mine])
        for cluster in clusters(where, least=1):
            places.append((source, index[cluster]))
    points = {row[p.name]: (p.lat, p.lon) for p in photos}
    rng = np.random.default_rng(11)

    lifted, column = np.unique(landmark_leaf, return_inverse=True)

    def scores(albums: list[Ints]) -> Floats:
        """Summed logits of each album: each photo's constant falls out of the softmax."""
        queries = np.stack([query[album].sum(axis=0) for album in albums])
        totals: Floats = (queries @ vectors.T).astype(np.float64)
        for total, album in zip(totals, albums, strict=True):
            lift = np.zeros((len(lifted), len(album)), dtype=np.float32)
            np.maximum.at(lift, column, odds[album].T)
            total[lifted] += lift.sum(axis=1)
        return totals

    def draw(size: int, side: int) -> list[tuple[Floats, Floats]]:
        """Albums of one size: their scores, and where their photos are."""
        kinds: dict[bool, dict[str, list[Ints]]] = {True: {}, False: {}}
        for number, (source, place) in enumerate(places):
            if len(place) >= size and number % 2 == side:
                kinds[source in LANDMARK_SOURCES].setdefault(source, []).append(place)
        albums: list[Ints] = []
        for of_source in kinds.values():  # trained landmarks and never-seen sources alike
            for _ in range(ALBUMS // 2 if of_source else 0):
                source = sorted(of_source)[int(rng.integers(len(of_source)))]
                place = of_source[source][int(rng.integers(len(of_source[source])))]
                albums.append(rng.permutation(place)[:size])
        places_of = (unit_vectors(np.array([points[i] for i in album])) for album in albums)
        return list(zip(scores(albums), places_of, strict=True))

    def agreement(albums: list[tuple[Floats, Floats]], power: float) -> tuple[float, float]:
        """Mean mass of the first circle, and how often a photo lies within it."""
        mass, hits = [], []
        for total, where in albums:
            masses = circles.masses(softmax(power * total))
            best = int(masses.argmax())
            mass.append(masses[best])
            hits.append(bool((where @ circles.unit[best]).max() >= circles.cosine))
        return float(np.mean(mass)), float(np.mean(hits))

    def by_region() -> dict[str, Any]:
        """First guesses of the folds' photos within each distance, by continent."""
        found: dict[str, list[float]] = {}
        sources = {source for fold in FOLDS.values() for source in fold}
        mine = [photo for photo in photos if photo.source in sources]
        for part in (mine[start : start + 256] for start in range(0, len(mine), 256)):
            every = scores([np.array([row[photo.name]]) for photo in part])
            for photo, total in zip(part, every, strict=True):
                best = circles.unit[int(circles.masses(softmax(total)).argmax())]
                where = unit_vectors(np.array([(photo.lat, photo.lon)]))[0]
                km = EARTH_KM * float(np.arccos(np.clip(best @ where, -1, 1)))
                found.setdefault(CONTINENTS[photo.continent], []).append(km)
        return {
            region: {
                "photos": len(km),
                **{f"within_{d}": float((np.array(km) <= d).mean()) for d in DISTANCES_KM},
            }
            for region, km in sorted(found.items())
        }

    out: dict[str, Any] = {"radius_km": RADIUS_KM, "regions": by_region(), "albums": {}}
    for size in SIZES:
        fitted = draw(size, 0)
        low, high = np.log(0.01), np.log(4.0)
        for _ in range(12):
            middle = (low + high) / 2
            mass, hits = agreement(fitted, float(np.exp(middle)))
            low, high = (low, middle) if mass > hits else (middle, high)
        power = float(np.exp((low + high) / 2))
        mass, hits = agreement(draw(size, 1), power)
        out["albums"][str(size)] = {"exponent": power, "mass": mass, "hits": hits}
        print(
            f"{size}: exponent {power:.3f}, first circle {mass:.3f}, right {hits:.3f}", flush=True
        )
    temperature = 1 / out["albums"]["1"]["exponent"]
    out["temperature"] = temperature
    out["exponents"] = {
        size: part["exponent"] * temperature for size, part in out["albums"].items()
    }
    args.out.write_text(json.dumps(out, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
