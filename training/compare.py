"""Which tower to ship: size, nearness to float, time, and whether a batch changes its rows.

    python -m training.compare WHEEL_TOWER.onnx SMOOTHED.onnx PHOTOS OUT.json

Photos that set the smoothing's constants are left out. Runs are interleaved, one thread, one photo
a run, so that whatever else the machine does falls on all alike.
"""

from __future__ import annotations

import argparse
import io
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.scorers.tower import preprocess_file
from training.blocks import rebuild
from training.features import shard_bytes, tower_session
from training.photos import read_manifest

SOURCES = ("globex_cities", "unsplash_pexels2", "sf_street", "mit_cities2", "commons_landmarks")
EACH = 12
BLOCKS = {"8-bit blocks of 128": (8, 128), "4-bit blocks of 32": (4, 32), "4-bit of 64": (4, 64)}


def views(folder: Path) -> npt.NDArray[np.float32]:
    """Sixty photos of five sources, as the tower sees them."""
    rows = read_manifest(folder / "manifest.csv")
    out = []
    for source in SOURCES:
        mine = [r for r in rows if r.source == source][:EACH]
        for _, data in shard_bytes(folder, mine[0].shard, {r.name for r in mine}):
            out.append(preprocess_file(io.BytesIO(data)))
    return np.stack(out)


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("smoothed", type=Path)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = {"float": Path(folder, "float.onnx")}
        onnx.save(rebuild(args.wheel, 32, 32, 0), str(paths["float"]))
        paths |= {"the wheel's int8": args.wheel, "smoothed int8 (shipped)": args.smoothed}
        for name, (bits, block) in BLOCKS.items():
            paths[name] = Path(folder, f"{bits}_{block}.onnx")
            onnx.save(rebuild(args.wheel, bits, block, 4), str(paths[name]))
        result = measured(paths, views(args.photos))
    args.out.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for name, row in result.items():
        print(f"{name:26s}", {k: round(v, 4) for k, v in row.items()})


def measured(paths: dict[str, Path], pixels: npt.NDArray[np.float32]) -> dict[str, Any]:
    """Run every tower on every view, turn about."""
    sessions = {name: tower_session(path, 1) for name, path in paths.items()}
    embeds: dict[str, list[npt.NDArray[np.float32]]] = {name: [] for name in paths}
    seconds: dict[str, list[float]] = {name: [] for name in paths}
    for view in pixels:
        for name, session in sessions.items():
            start = time.perf_counter()
            embeds[name].append(session.run(["image_embeds"], {"pixel_values": view[None]})[0][0])
            seconds[name].append(time.perf_counter() - start)
    unit = {n: np.stack(e) / np.linalg.norm(e, axis=1, keepdims=True) for n, e in embeds.items()}
    out = {}
    for name, session in sessions.items():
        out[name] = {
            "megabytes": paths[name].stat().st_size / 1e6,
            "milliseconds": float(np.median(seconds[name]) * 1e3),
        }
        if unit[name].shape == unit["float"].shape:  # else it is a tower of another kind
            cosine = (unit[name] * unit["float"]).sum(axis=1)
            out[name] |= {"cosine_mean": float(cosine.mean()), "cosine_least": float(cosine.min())}
        if session.get_inputs()[0].shape[0] != 1:
            batch = session.run(["image_embeds"], {"pixel_values": pixels[:4]})[0]
            out[name]["batch_changes_rows"] = float((batch != np.stack(embeds[name][:4])).any())
    return out


if __name__ == "__main__":
    main()
