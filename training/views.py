"""Photos squashed to squares of several sizes at once, in bytes: decoded once for all towers.

And what a tower in an ONNX file makes of them, one photo a run, on all cores.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.scorers.tower import DRAFT_SIDE, MEAN, STD
from training.features import shard_bytes, tower_session
from training.photos import Photo

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

_state: dict[str, Any] = {}


def squash(data: bytes, sides: Sequence[int]) -> list[Bytes]:
    """What ``elsewhere.scorers.tower.preprocess_file`` does before it scales the values."""
    from PIL import Image, ImageOps

    with Image.open(io.BytesIO(data)) as image:
        image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
        flat = ImageOps.exif_transpose(image).convert("RGB")
    return [
        np.asarray(flat.resize((side, side), Image.Resampling.BICUBIC), dtype=np.uint8)
        for side in sides
    ]


def views(
    folder: Path, photos: Sequence[Photo], sides: Sequence[int], workers: int
) -> dict[int, Bytes]:
    """(photos, side, side, 3) for each side, in the photos' order."""
    out = {side: np.empty((len(photos), side, side, 3), dtype=np.uint8) for side in sides}
    row = {photo.name: i for i, photo in enumerate(photos)}
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for shard in sorted({photo.shard for photo in photos}):
            names = {photo.name for photo in photos if photo.shard == shard}
            found = dict(shard_bytes(folder, shard, names))
            made = pool.map(squash, found.values(), repeat(tuple(sides)), chunksize=16)
            for name, squares in zip(found, made, strict=True):
                at = row.pop(name)
                for side, square in zip(sides, squares, strict=True):
                    out[side][at] = square
    assert not row, "every photo is in its shard"
    return out


def _start(tower: Path) -> None:
    _state["session"] = tower_session(tower, 1)


def _embed(square: Bytes) -> Floats:
    pixels = ((square / 255 - MEAN) / STD).astype(np.float32).transpose(2, 0, 1)[None]
    found: Floats = _state["session"].run(
        ["image_embeds"], {"pixel_values": np.ascontiguousarray(pixels)}
    )[0][0]
    return found


def run_file(tower: Path, squares: Bytes, workers: int) -> Floats:
    """Features of photos in bytes by a tower in an ONNX file."""
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _start, (tower,))
    with pool:
        return np.stack(list(pool.map(_embed, squares, chunksize=16)))
