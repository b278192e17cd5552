"""Trips as album folders: photos of a tar file with their positions written into them."""

from __future__ import annotations

import csv
import tarfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

_START = b"\xff\xd8"


def make_trips(source: Path, into: Path, *, least: int, most: int) -> Iterator[Path]:
    """A folder for each trip of at least so many photos; of a longer one, evenly spread photos.

    `source` has `trips.csv` (name, trip, lat, lon) and `trips.tar`.
    """
    trips: dict[str, list[dict[str, str]]] = {}
    with (source / "trips.csv").open(encoding="utf-8", newline="") as listed:
        for row in csv.DictReader(listed):
            trips.setdefault(row["trip"], []).append(row)
    with tarfile.open(source / "trips.tar") as photos:
        for trip, rows in sorted(trips.items()):
            if len(rows) < least:
                continue
            folder = into / trip
            folder.mkdir()
            count = min(len(rows), most)
            for row in (rows[number * len(rows) // count] for number in range(count)):
                member = photos.extractfile(row["name"])
                assert member is not None
                content = placed(member.read(), float(row["lat"]), float(row["lon"]))
                (folder / Path(row["name"]).name).write_bytes(content)
            yield folder


def placed(jpeg: bytes, lat: float, lon: float) -> bytes:
    """A JPEG without metadata, with a position before all else; its pixels stay as they are."""
    assert jpeg.startswith(_START)
    exif = Image.Exif()
    where = exif.get_ifd(0x8825)
    where[1], where[2] = "S" if lat < 0 else "N", _degrees(lat)
    where[3], where[4] = "W" if lon < 0 else "E", _degrees(lon)
    block = exif.tobytes()
    return _START + b"\xff\xe1" + (len(block) + 2).to_bytes(2, "big") + block + jpeg[2:]


def _degrees(angle: float) -> tuple[float, float, float]:
    return float(int(abs(angle))), abs(angle) % 1 * 60, 0.0
