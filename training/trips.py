"""Make the list of trips: albums of one place, of photos by people who never met each other.

    python -m training.trips PHOTOS benchmarks/trips/trips.csv

A trip is 6 to 35 photos of one source within 50 km of each other: those around the photo with the
most neighbours within 25 km, again and again. A larger one is cut into parts where its photos have
an order (trips/), else a sample is drawn. No source makes up more than a third of the trips. Famous
landmarks with a hundred photos each are no trips. The list holds names, never photos; it was made
before any default was chosen with it. Running this again writes the same bytes.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.dataset import LANDMARK_SOURCES
from training.locations import EARTH_KM, unit_vectors
from training.photos import read_manifest
from training.splits import WELL_PLACED_KM

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

LEAST, MOST = 6, 35
REACH_KM = 25.0
MAX_SHARE = 3
"""At most one trip in so many is of one source."""
SEED = 5


def clusters(points: Floats, least: int = LEAST) -> list[Ints]:
    """Photos of one place, the largest cluster first, each photo in one at most."""
    unit = unit_vectors(points)
    near = unit @ unit.T >= np.cos(REACH_KM / EARTH_KM)
    free = np.ones(len(points), dtype=bool)
    found: list[Ints] = []
    while True:
        count = np.where(free, (near & free).sum(axis=1), 0)
        best = int(count.argmax()) if len(count) else 0
        if not len(count) or count[best] < least:
            return found
        mine = np.flatnonzero(near[best] & free)
        free[mine] = False
        found.append(mine)


def parts(cluster: Ints) -> list[Ints]:
    """A cluster as trips of equal length, in its order."""
    return np.array_split(cluster, -(-len(cluster) // MOST))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    rng = np.random.default_rng(SEED)
    trips: dict[str, list[list[str]]] = {}
    shards = [
        p for p in read_manifest(args.photos / "manifest.csv") if p.radius_km <= WELL_PLACED_KM
    ]
    for source in sorted({p.source for p in shards} - {*LANDMARK_SOURCES}):
        mine = [p for p in shards if p.source == source]
        for cluster in clusters(np.array([(p.lat, p.lon) for p in mine])):
            chosen = np.sort(rng.permutation(cluster)[:MOST])
            trips.setdefault(source, []).append([mine[i].name for i in chosen])
    with (args.photos / "trips" / "trips.csv").open(encoding="utf-8", newline="") as lines:
        shots = list(csv.DictReader(lines))
    for trip in sorted({row["trip"] for row in shots}):
        shot = [row for row in shots if row["trip"] == trip]
        where = np.array([(float(row["lat"]), float(row["lon"])) for row in shot])
        for cluster in clusters(where):
            source = f"trips of {shot[0]['person']}"
            names = [[shot[i]["name"] for i in part] for part in parts(cluster)]
            trips.setdefault(source, []).extend(names)
    largest = max(trips, key=lambda source: len(trips[source]))
    others = sum(len(albums) for source, albums in trips.items() if source != largest)
    kept = sorted(rng.permutation(len(trips[largest]))[: others // (MAX_SHARE - 1)].tolist())
    trips[largest] = [trips[largest][i] for i in kept]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    with args.out.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["trip", "source", "photo"])
        number = 0
        for source, albums in trips.items():
            for photos in albums:
                writer.writerows([number, source, name] for name in photos)
                number += 1
            print(f"{source}: {len(albums)} trips, {sum(map(len, albums))} photos")
    print(f"{number} trips")


if __name__ == "__main__":
    main()
