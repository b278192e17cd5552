"""Photos to features: every photo of a folder of shards through the shipped tower, once.

    python -m training.features PHOTOS TOWER.onnx OUT.npz [--workers 16] [--trips]

With ``--trips`` the photos of ``trips/``, which are for measuring only, instead of the shards.
One photo per run on one thread, exactly as the runtime does it: dynamic int8 makes the tower's
output depend on what else is in the batch.
"""

from __future__ import annotations

import argparse
import csv
import io
import tarfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.scorers.tower import preprocess_file
from training.photos import read_manifest

_state: dict[str, Any] = {}


def shard_bytes(folder: Path, shard: str, names: set[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the named photos of one tar, in the tar's order."""
    with tarfile.open(folder / shard) as tar:
        for member in tar:
            if member.name in names:
                handle = tar.extractfile(member)
                assert handle is not None
                yield member.name, handle.read()


def tower_session(path: Path, threads: int) -> Any:
    """Open the tower on the CPU with a fixed number of threads."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _start(tower: Path) -> None:
    _state["session"] = tower_session(tower, 1)


def _embed(data: bytes) -> npt.NDArray[np.float32]:
    view = preprocess_file(io.BytesIO(data))[None]
    embedding: npt.NDArray[np.float32] = _state["session"].run(
        ["image_embeds"], {"pixel_values": view}
    )[0][0]
    return embedding


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("tower", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--trips", action="store_true")
    args = parser.parse_args()
    wanted: dict[str, set[str]] = {}
    if args.trips:
        with (args.photos / "trips" / "trips.csv").open(encoding="utf-8", newline="") as lines:
            wanted["trips/trips.tar"] = {row["name"] for row in csv.DictReader(lines)}
    else:
        for row in read_manifest(args.photos / "manifest.csv"):
            wanted.setdefault(row.shard, set()).add(row.name)
    names: list[str] = []
    embeds: list[npt.NDArray[np.float32]] = []
    with ProcessPoolExecutor(args.workers, initializer=_start, initargs=(args.tower,)) as pool:
        for shard in sorted(wanted):
            photos = dict(shard_bytes(args.photos, shard, wanted[shard]))
            names += photos
            embeds += pool.map(_embed, photos.values(), chunksize=16)
            print(f"{shard}: {len(photos)} photos", flush=True)
    np.savez(args.out, names=np.array(names), embeds=np.stack(embeds))
    print(f"{len(names)} photos in {args.out}")


if __name__ == "__main__":
    main()
