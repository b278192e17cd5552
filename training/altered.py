"""Photos to features of altered copies: mirrored, then cropped and in other light.

    python -m training.altered PHOTOS TOWER.onnx OUT.npz [--workers 16]

A head that learns from copies as well generalises better. Copies are made as ``training.features``
reads photos, one a run. Sources with many photos of each place have none. A photo's name decides
its copies, so running this again writes the same.
"""

from __future__ import annotations

import argparse
import io
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageEnhance, ImageOps

from elsewhere.scorers.tower import preprocess
from training.dataset import LANDMARK_SOURCES
from training.features import shard_bytes, tower_session
from training.photos import read_manifest

COPIES = 4
"""The mirrored photo, and crops."""
WITHOUT = (*LANDMARK_SOURCES, "oxford5k")
MIN_AREA = 0.4
"""Of the photo that a crop keeps."""
MAX_STRETCH, MAX_LIGHT = 0.2, 0.2
"""How far a crop's sides (as a logarithm) and its brightness, contrast and colours may change."""

_state: dict[str, Any] = {}


def _start(tower: Path) -> None:
    _state["session"] = tower_session(tower, 1)


def altered(photo: Image.Image, rng: np.random.Generator) -> Image.Image:
    """A crop of the photo, mirrored or not, in other light."""
    width, height = photo.size
    area, stretch = rng.uniform(MIN_AREA, 1), np.exp(rng.uniform(-MAX_STRETCH, MAX_STRETCH))
    wide = min(width, int(width * np.sqrt(area) * stretch))
    high = min(height, int(height * np.sqrt(area) / stretch))
    left, top = int(rng.integers(width - wide + 1)), int(rng.integers(height - high + 1))
    copy = photo.crop((left, top, left + wide, top + high))
    if rng.random() < 0.5:
        copy = copy.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    for change in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
        copy = change(copy).enhance(float(rng.uniform(1 - MAX_LIGHT, 1 + MAX_LIGHT)))
    return copy


def _embed(photo: tuple[str, bytes]) -> npt.NDArray[np.float16]:
    name, content = photo
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    with Image.open(io.BytesIO(content)) as opened:
        whole = ImageOps.exif_transpose(opened).convert("RGB")
    copies = [whole.transpose(Image.Transpose.FLIP_LEFT_RIGHT)]
    copies += [altered(whole, rng) for _ in range(COPIES - 1)]
    run = _state["session"].run
    embeds = [run(["image_embeds"], {"pixel_values": preprocess(c)[None]})[0][0] for c in copies]
    return np.stack(embeds).astype(np.float16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("photos", "tower", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    wanted: dict[str, set[str]] = {}
    for row in read_manifest(args.photos / "manifest.csv"):
        if row.source not in WITHOUT:
            wanted.setdefault(row.shard, set()).add(row.name)
    photos = [
        photo
        for shard in sorted(wanted)
        for photo in shard_bytes(args.photos, shard, wanted[shard])
    ]
    with ProcessPoolExecutor(args.workers, initializer=_start, initargs=(args.tower,)) as pool:
        embeds = list(pool.map(_embed, photos, chunksize=16))
    np.savez(args.out, names=np.array([name for name, _ in photos]), embeds=np.stack(embeds))
    print(f"{COPIES} copies of {len(photos)} photos in {args.out}")


if __name__ == "__main__":
    main()
