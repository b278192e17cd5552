"""Put the shipped files together: tower, heads with their temperature, and their record.

python -m training.ship TOWER.onnx FIT_FOLDER CALIBRATION.json WEIGHTS_FOLDER
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

from elsewhere.globe import Cells
from elsewhere.scorers.embedded import HEAD_FORMAT, MEAN, SIDE, STD

TOWER = "clip_vit_b16.int8.onnx"
KM = (1, 25, 200, 750, 2500)


def sha256(path: Path) -> str:
    """The hexadecimal SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_head(source: Path, out: Path, temperature: float) -> None:
    """Copy a head with its temperature set; equal arrays give equal bytes, whenever it is run."""
    with np.load(source) as f:
        arrays = {k: f[k] for k in f.files}
    arrays["temperature"] = np.array(temperature, dtype=np.float32)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, value in arrays.items():
            content = io.BytesIO()
            np.save(content, value)
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue())


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
    shutil.copyfile(args.tower, args.weights / TOWER)
    for name in ("head", "half_a", "half_b"):
        write_head(
            args.fit / f"{name}.npz", args.weights / f"{name}.npz", calibration["temperature"]
        )

    def entry(name: str) -> dict[str, str]:
        return {"file": name, "sha256": sha256(args.weights / name)}

    record = {
        "format": HEAD_FORMAT,
        "tower": entry(TOWER) | {"input": "pixel_values", "output": "image_embeds"},
        "head": entry("head.npz"),
        "half_a": entry("half_a.npz"),
        "half_b": entry("half_b.npz"),
        "preprocessing": {
            "side": SIDE,
            "resize": "whole photo squashed to a square, bicubic",
            "mean": MEAN,
            "std": STD,
        },
        "cells": Cells.default().fingerprint,
        "temperature": rounded(calibration["temperature"]),
        "album_exponents": rounded(calibration["exponents"]),
        "accuracy": rounded(accuracy(calibration)),
    }
    path = args.weights / "model.json"
    path.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    for file in sorted(args.weights.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {sha256(file)}  {file.name}")


if __name__ == "__main__":
    main()
