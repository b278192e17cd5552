"""What attackers who never saw the photos of the trips know of each of them; never a photo.

    python -m training.trip_attackers PHOTOS WORK CALIBRATION.json \
        benchmarks/trips/trips.csv benchmarks/trips/attackers.npz

WORK holds ``features.npz`` and ``trip_features.npz`` (the tower's features of the shards and of
``trips/``), ``leaves/held_out.npz`` and ``leaves/head.npz`` by ``training.fit_leaves``, and
``dino/held_out.npz`` and ``dino/trips.npz``: the queries of a head on DINOv2, held out likewise.
The photos of ``trips/`` are nobody's training photos, so the shipped head speaks of them.

Rows are in the order of the list of trips. The look-up keeps the known photos of other sources
that a photo resembles most: where they are and how alike they are. Positions are rounded to
hundredths of a degree. Running this again writes the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.photos import read_manifest
from training.splits import WELL_PLACED_KM

Floats = npt.NDArray[np.float32]

NEIGHBOURS = 32
OWN = "trips/"
"""How the names of photos begin that are for measuring only."""
MAX_BYTES = 6_000_000


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file."""
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def head_queries(head: dict[str, Any], features: Floats) -> tuple[Floats, Floats]:
    """Queries and landmark odds of the shipped head, as ``training.model`` computes them."""
    x = features / np.linalg.norm(features, axis=1, keepdims=True) * features.shape[1] ** 0.5
    x = (x - head["mean"]) / head["std"]
    query = np.zeros_like(x)
    for w1, b1, w2, b2, scale in zip(
        *(head[name] for name in ("w1", "b1", "w2", "b2", "scale")), strict=True
    ):
        h = x @ w1.astype(np.float32) + b1
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        z = h @ w2.astype(np.float32) + b2
        query += z / np.linalg.norm(z, axis=1, keepdims=True) * scale
    logits = x @ head["landmark_w"].astype(np.float32) + head["landmark_b"]
    return query / len(head["w1"]), np.maximum(logits[:, :-1] - logits[:, -1:], 0)


def hundredths(degrees: npt.ArrayLike) -> npt.NDArray[np.int16]:
    """Positions in hundredths of a degree."""
    return np.asarray(np.rint(np.asarray(degrees) * 100), dtype=np.int16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("photos", "work", "calibration", "trips", "out"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    with args.trips.open(encoding="utf-8", newline="") as lines:
        listed = list(csv.DictReader(lines))
    names = [row["photo"] for row in listed]
    own = np.array([name.startswith(OWN) for name in names])

    shards = read_manifest(args.photos / "manifest.csv")
    where = {photo.name: (photo.lat, photo.lon) for photo in shards}
    with (args.photos / "trips" / "trips.csv").open(encoding="utf-8", newline="") as lines:
        where |= {
            row["name"]: (float(row["lat"]), float(row["lon"])) for row in csv.DictReader(lines)
        }
    features, shot = (
        read_arrays(args.work / f"{name}.npz") for name in ("features", "trip_features")
    )
    embeds = dict(zip(features["names"].tolist(), features["embeds"], strict=True))
    embeds |= dict(zip(shot["names"].tolist(), shot["embeds"], strict=True))

    head = read_arrays(args.work / "leaves" / "head.npz")
    held_out = read_arrays(args.work / "leaves" / "held_out.npz")
    row = {name: i for i, name in enumerate(held_out["names"].tolist())}
    mine = [row[name] for name in names if not name.startswith(OWN)]
    query = np.zeros((len(names), held_out["query"].shape[1]), np.float32)
    odds = np.zeros((len(names), held_out["odds"].shape[1]), np.float32)
    query[~own], odds[~own] = held_out["query"][mine], held_out["odds"][mine]
    query[own], odds[own] = head_queries(
        head, np.stack([embeds[name] for name in names if name.startswith(OWN)])
    )

    other = read_arrays(args.work / "dino" / "held_out.npz")
    dino = dict(zip(other["names"].tolist(), other["q"], strict=True))
    dino |= dict(
        zip(shot["names"].tolist(), read_arrays(args.work / "dino" / "trips.npz")["q"], strict=True)
    )

    known = [p for p in shards if p.radius_km <= WELL_PLACED_KM and p.name in embeds]
    table = np.stack([embeds[photo.name] for photo in known])
    mean, std = table.mean(axis=0), table.std(axis=0)
    unit = (table - mean) / std
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    source = np.array([photo.source for photo in known])
    nearest = np.zeros((len(names), NEIGHBOURS), np.int64)
    likeness = np.zeros((len(names), NEIGHBOURS), np.float16)
    for i, line in enumerate(listed):
        feature = (embeds[line["photo"]] - mean) / std
        alike = unit @ (feature / np.linalg.norm(feature))
        alike[source == line["source"]] = -1
        nearest[i] = np.argsort(-alike, kind="stable")[:NEIGHBOURS]
        likeness[i] = alike[nearest[i]]
    places, number = np.unique(
        hundredths([where[known[i].name] for i in nearest.ravel()]), axis=0, return_inverse=True
    )

    calibration = json.loads(args.calibration.read_text("utf-8"))
    np.savez_compressed(
        args.out,
        position=hundredths([where[name] for name in names]),
        query=query.astype(np.float16),
        odds=odds.astype(np.float16),
        landmark_leaf=head["landmark_cell"].astype(np.int32),
        temperature=np.array(calibration["temperature"]),
        exponent_size=np.array([int(size) for size in calibration["exponents"]]),
        exponent=np.array(list(calibration["exponents"].values())),
        dino=np.stack([dino[name] for name in names]).astype(np.float16),
        known=places,
        neighbour=number.reshape(nearest.shape).astype(np.uint16),
        likeness=likeness,
    )
    size = args.out.stat().st_size
    assert size <= MAX_BYTES, "the file is to stay small"
    print(f"{len(names)} photos, {len(places)} known places, {size:,} bytes")


if __name__ == "__main__":
    main()
