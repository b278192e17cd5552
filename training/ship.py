"""Put the tower and the head on the paper's cells together, with their record.

python -m training.ship TOWER.onnx FIT_FOLDER CALIBRATION.json WEIGHTS_FOLDER

``training.ship_leaves`` then adds the heads on leaves.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.globe import Cells
from elsewhere.scorers.embedded import PAPER
from elsewhere.scorers.tower import MEAN, SIDE, STD

TOWER = "clip_vit_b16.int8.onnx"
RECORD_FORMAT = 2
KM = (1, 25, 200, 750, 2500)
SECOND_BITS = 5
"""Of the mantissas of heads that only second the model's opinion, for a smaller wheel."""


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def entry(path: Path) -> dict[str, Any]:
    """A shipped file in the record."""
    return {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256(path)}


def coarse(weights: npt.NDArray[Any], bits: int) -> npt.NDArray[Any]:
    """Half floats with so many bits of mantissa, of 10: the zeros behind them pack to nothing.

    >>> coarse(np.array([1.0, 1.02, -3.1], dtype=np.float16), 5).tolist()
    [1.0, 1.03125, -3.125]
    """
    mantissa, exponent = np.frexp(weights.astype(np.float64))
    kept = np.round(np.ldexp(mantissa, bits + 1))
    return np.asarray(np.ldexp(kept, exponent - bits - 1), dtype=np.float16)


def write_head(source: Path, out: Path, temperature: float, *, bits: int = 10) -> None:
    """Copy a head with its temperature set, and so many bits of mantissa in its half floats."""
    with np.load(source) as f:
        arrays = {k: f[k] for k in f.files}
    halves = {k: v for k, v in arrays.items() if v.dtype == np.float16}
    arrays |= {k: coarse(v, bits) for k, v in halves.items()}
    write_arrays(out, arrays | {"temperature": np.array(temperature, dtype=np.float32)})


def write_arrays(out: Path, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write arrays; equal ones give equal bytes, whenever it is run.

    Not compressed: a wheel does that anyway, and reading is four times as fast.
    """
    with zipfile.ZipFile(out, "w") as archive:
        for name, value in arrays.items():
            content = io.BytesIO()
            np.save(content, value)
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(member, content.getvalue())


def write_record(weights: Path, record: dict[str, Any], file: str = "model.json") -> None:
    """Write a record, and print every file's size and digest."""
    (weights / file).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    for path in sorted(weights.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {sha256(path)}  {path.name}")


def rounded(value: Any) -> Any:
    """Figures to four decimals: more would be noise."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    return value


def accuracy(calibration: dict[str, Any]) -> dict[str, Any]:
    """What the audit may quote: how good the measured model is, and where."""
    wanted = ("photos", "mean_rank", "top1", "top5", *(f"within_{k}" for k in KM))

    def some(figures: dict[str, float]) -> dict[str, float]:
        return {k: figures[k] for k in wanted}

    return {
        "about": "measured on models that saw neither the photo nor, for never_seen, its source "
        "and place; the shipped head is then trained on everything",
        "never_seen": some(calibration["never_seen"]),
        "never_seen_95": calibration["never_seen_intervals"],
        "never_seen_by_region": {k: some(v) for k, v in calibration["regions"].items()},
        "seen_landmarks": calibration["seen"],
        "album_top1": {
            size: {k: row[k]["top1"] for k in ("seen", "never") if k in row}
            for size, row in calibration["albums"].items()
        },
        "expected_calibration_error": {
            size: {k: row[k]["error"] for k in ("seen", "never") if k in row}
            for size, row in calibration["albums"].items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tower", type=Path)
    parser.add_argument("fit", type=Path)
    parser.add_argument("calibration", type=Path)
    parser.add_argument("weights", type=Path)
    args = parser.parse_args()
    calibration = json.loads(args.calibration.read_text("utf-8"))
    args.weights.mkdir(parents=True, exist_ok=True)
    tower, head = args.weights / TOWER, args.weights / "head_512.npz"
    shutil.copyfile(args.tower, tower)
    write_head(args.fit / "head.npz", head, calibration["temperature"])
    record = {
        "format": RECORD_FORMAT,
        "tower": entry(tower) | {"input": "pixel_values", "output": "image_embeds"},
        "preprocessing": {
            "side": SIDE,
            "resize": "whole photo squashed to a square, bicubic",
            "mean": MEAN,
            "std": STD,
        },
        PAPER: {
            "head": entry(head),
            "cells": Cells.paper().fingerprint,
            "temperature": rounded(calibration["temperature"]),
            "album_exponents": rounded(calibration["exponents"]),
            "accuracy": rounded(accuracy(calibration)),
        },
    }
    write_record(args.weights, record)


if __name__ == "__main__":
    main()
