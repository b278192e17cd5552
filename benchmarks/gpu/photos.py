"""Photos to measure with, and what a decoding process makes of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.scorers.tower import preprocess_file

SIZE = (4000, 3000)
SUFFIXES = (".jpg", ".jpeg")


def find_photos(folder: Path) -> list[Path]:
    """The JPEGs of a folder, by name."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)


def enlarge(source: Path, target: Path) -> None:
    """A photo as one of 12 megapixels, as large to decode as those that people take."""
    from PIL import Image

    if not target.exists():
        with Image.open(source) as image:
            image.convert("RGB").resize(SIZE, Image.Resampling.BICUBIC).save(target, quality=90)


def make_photos(folder: Path, count: int) -> list[Path]:
    """JPEGs of 12 megapixels with some structure."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{i:03}.jpg" for i in range(count)]
    for i, path in enumerate(paths):
        if not path.exists():
            coarse = np.random.default_rng(i).integers(0, 256, (60, 80, 3), dtype=np.uint8)
            Image.fromarray(coarse).resize(SIZE, Image.Resampling.BICUBIC).save(path, quality=90)
    return paths


def prepare(path: str) -> Any:
    """What the tower is given of a photo; half the bytes travel between processes."""
    return preprocess_file(path).astype(np.float16)
