"""Twelve-megapixel JPEGs that cost about what a camera's cost to decode.

What a JPEG costs is what it holds: smooth skies are cheap, foliage is dear. Each photo is a sky,
a ground of 1/f texture (as natural pictures have), and flat structures with hard edges, with a
little sensor noise over all. At quality 90 they come to 3.2 MB on average (2 to
5). How large a camera's are differs widely, and decoding costs by the byte: the result states it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image

WIDTH, HEIGHT, QUALITY = 4000, 3000, 90
Field = NDArray[np.float32]


def make(
    folder: Path, count: int, exif: Callable[[int], Image.Exif | None] = lambda number: None
) -> list[Path]:
    """`count` different photos in `folder`; those that are there already are kept.

    `exif` says what each photo carries; nothing, where it is not given.
    """
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"IMG_{number:04}.jpg" for number in range(count)]
    missing = [(number, path) for number, path in enumerate(paths) if not path.exists()]
    if not missing:
        return paths
    textures = [_texture(np.random.default_rng(seed)) for seed in range(3)]
    grain = np.random.default_rng(9).normal(0, 2.0, (HEIGHT, WIDTH)).astype(np.float32)
    for number, path in missing:
        pixels = _scene(np.random.default_rng(100 + number), textures, grain)
        Image.fromarray(pixels).save(path, quality=QUALITY, exif=exif(number) or Image.Exif())
    return paths


def _texture(rng: np.random.Generator) -> Field:
    """Noise whose amplitude falls as 1/f, with unit deviation."""
    along = np.fft.rfftfreq(WIDTH)[None, :]
    down = np.fft.fftfreq(HEIGHT)[:, None]
    frequency = np.hypot(down, along)
    frequency[0, 0] = 1.0
    shape = (HEIGHT, WIDTH // 2 + 1)
    spectrum = (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / frequency**1.1
    field = np.fft.irfft2(spectrum, (HEIGHT, WIDTH))
    unit: NDArray[np.float64] = (field - field.mean()) / field.std()
    return unit.astype(np.float32)


def _scene(rng: np.random.Generator, textures: list[Field], grain: Field) -> NDArray[np.uint8]:
    """One photo: how much is sky and how rough the ground is differ from one to the next."""
    horizon = int(HEIGHT * rng.uniform(0.15, 0.5))
    rough = rng.uniform(20, 58)
    one, two = (np.roll(textures[rng.integers(3)], rng.integers(3000), 1) for _ in range(2))
    scene = np.empty((HEIGHT, WIDTH, 3), np.float32)
    shade = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None]
    for channel in range(3):
        sky = rng.uniform(120, 230) + 40 * shade + 3 * two
        ground = rng.uniform(60, 130) + rough * one + 6 * two
        scene[..., channel] = np.where(np.arange(HEIGHT)[:, None] < horizon, sky, ground)
    for _ in range(rng.integers(5, 40)):  # walls, windows, signs
        top, left = rng.integers(horizon // 2, HEIGHT - 50), rng.integers(0, WIDTH - 50)
        high = rng.integers(HEIGHT // 75, HEIGHT * 3 // 10)
        wide = rng.integers(WIDTH // 100, WIDTH * 7 // 40)
        part = scene[top : top + high, left : left + wide]
        part *= 0.25
        part += rng.uniform(20, 180, 3).astype(np.float32)
    scene += np.roll(grain, int(rng.integers(3000)), 1)[..., None]
    return np.clip(scene, 0, 255).astype(np.uint8)
