"""Add the DINOv2 tower and its head on leaves to the shipped files, with their record.

    python -m training.ship_dino TOWER.onnx DINO_FOLDER CALIBRATION.json WEIGHTS_FOLDER

TOWER.onnx is by ``training.dino_tower``, DINO_FOLDER by ``training.fit_dino``, CALIBRATION.json by
``training.calibrate_leaves``; WEIGHTS_FOLDER holds what ``training.ship_leaves`` wrote.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from elsewhere.scorers.tower import read_record
from training.dino_tower import FEATURES, INPUT
from training.ship import RECORD_FORMAT, SECOND_BITS, entry, rounded, write_head, write_record
from training.ship_leaves import accuracy

TOWER = "dinov2_vits14.int8.onnx"
MAX_BYTES = 25_000_000
"""The largest tower."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("tower", "fit", "calibration", "weights"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    figures = json.loads((args.fit / "leaves.json").read_text("utf-8"))
    calibration = json.loads(args.calibration.read_text("utf-8"))
    shipped = read_record(args.weights)
    tower, head = args.weights / TOWER, args.weights / "dino_head.npz"
    shutil.copyfile(args.tower, tower)
    assert tower.stat().st_size <= MAX_BYTES
    write_head(args.fit / "head.npz", head, calibration["temperature"], bits=SECOND_BITS)
    record = {
        "format": RECORD_FORMAT,
        "tower": entry(tower) | {"input": INPUT, "output": FEATURES},
        "preprocessing": shipped["preprocessing"],
        "leaves": shipped["leaves"],
        "head": entry(head),
        "cells": shipped["cells"],
        "temperature": rounded(calibration["temperature"]),
        "album_exponents": rounded(calibration["exponents"]),
        "accuracy": rounded(accuracy(figures, calibration)),
    }
    write_record(args.weights, record, "dino.json")


if __name__ == "__main__":
    main()
