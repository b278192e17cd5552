"""Trips as album folders: photos of a tar file with their positions written into them."""

from __future__ import annotations

import csv
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random

from PIL import Image

_START = b"\xff\xd8"


def make_trips(source: Path, into: Path, *, least: int, most: int) -> Iterator[Path]:
    """A folder for each trip of at least so many photos; of a longer one, evenly spread photos.

    They come in random order, the same each time, so that the first of them are a sample.
    `source` has `trips.csv` (name, trip, lat, lon) and `trips.tar`.
    """
    trips: dict[str, list[dict[str, str]]] = {}
    with (source / "trips.csv").open(encoding="utf-8", newline="") as listed:
        for row in csv.DictReader(listed):
            trips.setdefault(row["trip"], []).append(row)
    with tarfile.open(source / "trips.tar") as photos:
        order = sorted(trip for trip, rows in trips.items() if len(rows) >= least)
        Random(0).shuffle(order)
        for trip in order:
            rows = trips[trip]
            folder = into / trip
            folder.mkdir()
            count = min(len(rows), most)
            for row in (rows[number * len(rows) // count] for number in range(count)):
                member = photos.extractfile(row["name"])
                assert member is not None
                content = placed(member.read(), float(row["lat"]), float(row["lon"]))
                (folder / Path(row["name"]).name).write_bytes(content)
            yield folder


def make_listed(photos: Path, listed: Path, into: Path, *, most: int) -> Iterator[tuple[Path, str]]:
    """A folder for each trip of a list (trip, source, photo), and its source, in random order.

    `photos` has `manifest.csv`, the tars that it names, and the folder `trips`.
    """
    trips: dict[str, list[dict[str, str]]] = {}
    with listed.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            trips.setdefault(row["trip"], []).append(row)
    where: dict[str, tuple[str, float, float]] = {}
    with (photos / "manifest.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            where[row["name"]] = row["shard"], float(row["lat"]), float(row["lon"])
    with (photos / "trips" / "trips.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            where[row["name"]] = "trips/trips.tar", float(row["lat"]), float(row["lon"])
    order = sorted(trips)
    Random(0).shuffle(order)
    with ExitStack() as opened:
        tars: dict[str, tarfile.TarFile] = {}
        for trip in order:
            rows, folder = trips[trip], into / trip
            folder.mkdir()
            count = min(len(rows), most)
            for row in (rows[number * len(rows) // count] for number in range(count)):
                shard, lat, lon = where[row["photo"]]
                if shard not in tars:
                    tars[shard] = opened.enter_context(tarfile.open(photos / shard))
                member = tars[shard].extractfile(row["photo"])
                assert member is not None
                content = placed(member.read(), lat, lon)
                (folder / row["photo"].replace("/", "-")).write_bytes(content)
            yield folder, rows[0]["source"]


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
