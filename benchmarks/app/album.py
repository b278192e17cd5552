"""An album for the app's benchmarks: real files of a real place, scored by the simulator.

The pictures are small and say nothing; their scores are the lab's simulated ones, read by the
scorer `table:`. The simulator has no map, so its columns are laid onto the globe such that the
true cell and the sixteen most like it are the seventeen cells of London within 25 km: the hard
case, in which the likeliest cells cannot serve as rivals. The world `leaves` is another: scores of
real photos over the 36,000 leaves (`benchmarks/places`), of a trip and of others. A `tour` is of
many towns, each told by its own photos.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.places.__main__ import album as make_trip
from elsewhere.formats.score_files import write_scores
from elsewhere.globe import Cells, place, zone
from elsewhere.values.scores import Scores
from elsewhere_lab import simulator

TOWN = "London, United Kingdom"
RADIUS_KM = 25.0
LEAVES = "leaves"
SIDE = 256


class Made(NamedTuple):
    """The album, and the word for the scorer that knows it."""

    folder: Path
    scorer: str


def make(folder: Path, photos: int = 128, seed: int = 1, world: str = "w1") -> Made:
    """Write the album and its scores below a folder."""
    album = folder / "album"
    album.mkdir(parents=True)
    names = [f"IMG_{number:04}.jpg" for number in range(photos)]
    file = folder / "scores.npz"
    if world == LEAVES:
        scores, positions = make_trip(seed, photos)
        for number, name in enumerate(names):
            (album / name).write_bytes(picture(number, positions[number % len(positions)]))
        named = Scores(scores.values, names, scorer=f"trip {seed}", grid=scores.grid)
        write_scores(file, named)
        return Made(album, f"table:{file}")
    for number, name in enumerate(names):
        (album / name).write_bytes(picture(number))
    grid = Cells.paper().fingerprint
    table = Scores(rows(photos, seed, world), names, scorer=f"simulated {world} {seed}", grid=grid)
    write_scores(file, table)
    return Made(album, f"table:{file}")


def tour(folder: Path, towns: int = 30, photos: int = 400, seed: int = 5) -> Made:
    """Write an album of many towns, in turn, and its scores over the leaves below a folder."""
    leaves, rng = Cells.leaves(), np.random.default_rng(seed)
    lats, lons = leaves.points
    visited = rng.choice(leaves.count, towns, replace=False)
    table = np.empty((photos, leaves.count), np.float32)
    album = folder / "tour"
    album.mkdir(parents=True)
    names = [f"IMG_{number:04}.jpg" for number in range(photos)]
    for number, name in enumerate(names):
        town = int(visited[number % towns])
        near = np.exp(-((lats - lats[town]) ** 2 + (lons - lons[town]) ** 2) / 8)
        row = rng.normal(scale=1.5, size=leaves.count) + rng.uniform(1, 8) * near
        table[number] = row - np.log(np.exp(row).sum())
        (album / name).write_bytes(picture(number, (float(lats[town]), float(lons[town]))))
    file = folder / "scores.npz"
    write_scores(file, Scores(table, names, scorer=f"{towns} towns", grid=leaves.fingerprint))
    return Made(album, f"table:{file}")


def rows(photos: int, seed: int, world: str = "w1") -> NDArray[np.float32]:
    """Scores of a simulated place whose zone is London's."""
    home = simulator.world(world, seed)
    rng = np.random.default_rng([seed, 1])
    truth = int(rng.integers(simulator.CELLS))
    seen = home.photos(truth, photos, rng)
    london = place(TOWN)
    here = zone(Cells.paper(), london.lat, london.lon, RADIUS_KM).cells.tolist()
    alike = sorted(home.zone(truth, len(here)))
    columns = np.empty(simulator.CELLS, np.intp)
    columns[here] = alike
    others = [cell for cell in range(simulator.CELLS) if cell not in set(alike)]
    columns[[cell for cell in range(simulator.CELLS) if cell not in set(here)]] = others
    return seen[:, columns]


def picture(number: int, position: tuple[float, float] | None = None) -> bytes:
    """A small JPEG that differs from all others, taken in the middle of London unless told."""
    from PIL import Image

    rng = np.random.default_rng(number)
    small = rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)
    image = Image.fromarray(small).resize((SIDE, SIDE * 3 // 4), Image.Resampling.BICUBIC)
    london = place(TOWN)
    lat, lon = position or (london.lat, london.lon)
    exif = Image.Exif()
    exif[306] = f"2024:05:01 {10 + number // 360:02}:{number // 6 % 60:02}:{number % 6 * 10:02}"
    exif.get_ifd(0x8825).update(
        {
            1: "N" if lat >= 0 else "S",
            2: _degrees(abs(lat)),
            3: "E" if lon >= 0 else "W",
            4: _degrees(abs(lon)),
        }
    )
    file = io.BytesIO()
    image.save(file, "JPEG", quality=85, exif=exif)
    return file.getvalue()


def _degrees(value: float) -> tuple[float, float, float]:
    whole, part = divmod(value, 1)
    minutes, rest = divmod(part * 60, 1)
    return whole, minutes, round(rest * 60, 4)
