"""Add the heads on leaves to the shipped files, with the leaves' vectors and their record.

    python -m training.ship_leaves LEAVES.npz LEAVES_FOLDER CALIBRATION.json WEIGHTS_FOLDER

LEAVES.npz is by ``training.locations``, LEAVES_FOLDER by ``training.fit_leaves``, CALIBRATION.json
by ``training.calibrate_leaves``; WEIGHTS_FOLDER holds what ``training.ship`` wrote.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.globe import Cells
from elsewhere.scorers.embedded import HALVES, PAPER
from elsewhere.scorers.tower import read_record
from training.ship import (
    KM,
    SECOND_BITS,
    entry,
    rounded,
    write_arrays,
    write_head,
    write_record,
)

DISTANCES = tuple(f"within_{km}" for km in KM)
MAX_BYTES = 20_000_000
"""The largest file of leaf vectors."""


def accuracy(figures: dict[str, Any], calibration: dict[str, Any]) -> dict[str, Any]:
    """What the audit may quote: how good heads are that saw neither a photo nor its source."""

    def some(row: dict[str, Any]) -> dict[str, float]:
        return {key: row[key] for key in ("photos", *DISTANCES)}

    circle, leaf = figures["leaves_circle"], figures["leaves"]
    return {
        "about": "first guesses of single photos by heads that saw neither the photo nor its "
        "source: the middle of the likeliest circle of 25 km; the shipped head is then trained on "
        "everything",
        "never_seen": some(circle["all"]),
        "never_seen_95": {key: circle["all"]["intervals"][key] for key in DISTANCES},
        "never_seen_by_region": {k: some(v) for k, v in calibration["regions"].items()},
        "beyond_25_km_of_training": some(circle["beyond_25"]),
        "beyond_100_km_of_training": some(circle["beyond_100"]),
        "likeliest_leaf": some(leaf["all"]),
        "album_first_circle": {
            size: {"mass": row["mass"], "right": row["hits"]}
            for size, row in calibration["albums"].items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("leaves", "fit", "calibration", "weights"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    figures = json.loads((args.fit / "leaves.json").read_text("utf-8"))
    calibration = json.loads(args.calibration.read_text("utf-8"))
    cells, target = Cells.leaves(), args.weights / "leaves.npz"
    with np.load(args.leaves) as f:
        vectors = f["embedding"]
        apart = np.abs(f["centre"] - np.stack(cells.points, axis=1)).max()
    assert vectors.dtype == np.int8 and len(vectors) == cells.count, "one vector in bytes a leaf"
    assert apart < 1e-4, "the vectors are in the order of the leaves"
    # the scale of each vector falls out, because all are normalised
    write_arrays(target, {"embedding": vectors})
    assert target.stat().st_size <= MAX_BYTES
    shipped = read_record(args.weights)
    record = {key: shipped[key] for key in ("format", "tower", "preprocessing", PAPER)}
    record["leaves"] = entry(target)
    for name in ("head", *HALVES):
        head = args.weights / f"{name}.npz"
        bits = SECOND_BITS if name in HALVES else 10
        write_head(args.fit / head.name, head, calibration["temperature"], bits=bits)
        record[name] = entry(head)
    record |= {
        "cells": cells.fingerprint,
        "temperature": rounded(calibration["temperature"]),
        "album_exponents": rounded(calibration["exponents"]),
        "accuracy": rounded(accuracy(figures, calibration)),
    }
    write_record(args.weights, record)


if __name__ == "__main__":
    main()
