"""The gazetteer: names of countries, regions and towns of the world, most populous first.

Made by training/places.py from GeoNames, Natural Earth and CLDR. A row is found by any of its
spellings in the languages of the world, with or without accents.

It is stored, like the outlines, in a data file of named arrays and texts: a line that names the
format, a line of JSON (name → type, number of bytes), then the compressed sections one after
another. Whole numbers are stored as differences with their bytes sorted by significance, which
compresses far better than the numbers themselves.
"""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.globe.coordinates import Floats, Ints, unit_vector

DATA = Path(__file__).parent / "data"
_MAGIC = b"elsewhere data 1\n"
KINDS = ("country", "region", "city")
GRAIN = 10_000
"""Coordinates are kept in ten-thousandths of a degree."""

# letters that Unicode does not decompose into a plain letter and a mark
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ħ": "h"}
)


def pack(sections: Mapping[str, str | NDArray[np.integer]]) -> bytes:
    """A data file's bytes, the same for the same sections; arrays are one-dimensional."""
    contents: dict[str, list[str | int]] = {}
    bodies: list[bytes] = []
    for name, value in sections.items():
        if isinstance(value, str):
            kind, raw = "text", value.encode()
        else:
            kind = value.dtype.newbyteorder("<").str
            steps = np.diff(value, prepend=value.dtype.type(0)).astype(kind)  # wraps, and back
            raw = steps.view(np.uint8).reshape(-1, value.dtype.itemsize).T.tobytes()
        bodies.append(zlib.compress(raw, 9))
        contents[name] = [kind, len(bodies[-1])]
    head = json.dumps(contents, separators=(",", ":")).encode()
    return b"".join([_MAGIC, head, b"\n", *bodies])


class DataFile:
    """A data file in memory, its sections still packed."""

    def __init__(self, raw: bytes, what: str) -> None:
        """`what` names the file in errors."""
        self._what = what
        try:
            at = raw.index(b"\n", len(_MAGIC)) + 1
            head = raw[len(_MAGIC) : at] if raw.startswith(_MAGIC) else b""
            self._sections: dict[str, tuple[str, memoryview]] = {}
            for name, (kind, size) in json.loads(head).items():
                self._sections[name] = kind, memoryview(raw)[at : at + size]
                at += size
        except (ValueError, AttributeError, TypeError):
            raise self._damaged() from None

    def numbers(self, name: str) -> NDArray[np.int64]:
        """A section of whole numbers."""
        raw, kind = self.raw(name), self._sections[name][0]
        try:
            planes = np.frombuffer(raw, dtype=np.uint8).reshape(np.dtype(kind).itemsize, -1)
            steps = np.ascontiguousarray(planes.T).view(kind).ravel()
        except (TypeError, ValueError):
            raise self._damaged() from None
        return np.cumsum(steps, dtype=kind).astype(np.int64)

    def raw(self, name: str) -> bytes:
        """A section, decompressed."""
        try:
            return zlib.decompress(self._sections[name][1])
        except (KeyError, zlib.error):
            raise self._damaged() from None

    def _damaged(self) -> FileError:
        return FileError(f"{self._what} is damaged: install elsewhere again")


@cache
def load_data_file(name: str) -> DataFile:
    """A data file of this package."""
    try:
        raw = (DATA / name).read_bytes()
    except OSError:
        raise FileError(f"the data file {name} is missing: install elsewhere again") from None
    return DataFile(raw, f"the data file {name}")


def name_key(text: str) -> str:
    """How a name is compared: without case, accents and punctuation.

    >>> name_key("  São-Paulo "), name_key("ŁÓDŹ"), name_key("L’Aquila")
    ('sao paulo', 'lodz', 'l aquila')
    """
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"[\W_]+", " ", bare).strip()


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """The rows of the table, column by column."""

    names: list[str]
    """In English, or in the local language."""
    kind: Ints
    """An index into `KINDS` for each row."""
    lat: Floats
    """Latitude of the town, or of the largest town of a region or country."""
    lon: Floats
    population: Ints
    """Descending; for a region that of its towns."""
    country: Ints
    """An index into `codes` for each row."""
    part: Ints
    """The state or province (an index into `outlines("regions")`) of each town; −1 elsewhere."""
    namesake: Ints
    """1 for a town that shares its name with another one of its country, else 0."""
    towns: Ints
    """The rows of all towns."""
    town_directions: Floats
    """The unit vectors of `towns`: the nearest to a place has the largest product with it."""
    codes: list[str]
    """The two-letter codes of the countries."""
    country_row: Ints
    """The row of each country, in the order of `codes`."""
    region_of_part: Ints
    """The row of the region that a state or province belongs to; −1 where it has none."""
    country_of_part: Ints
    """The country of each state or province; −1 where it has none."""

    @cached_property
    def parts(self) -> dict[int, list[int]]:
        """The states and provinces that make up each region, by the region's row."""
        text = load_data_file("places.bin").raw("parts").decode()
        lines = (line.split() for line in text.split("\n"))
        return {int(row): [int(part) for part in parts] for row, *parts in lines}

    @cached_property
    def keys(self) -> bytes:
        """All spellings as they are compared: a line for each row, a tab on both sides of each."""
        return load_data_file("places.bin").raw("keys")

    def rows_named(self, text: str, *, prefix: bool = False) -> list[int]:
        """The rows with this spelling, or with one that starts like it; most populous first."""
        key = name_key(text)
        if not key:
            return []
        wanted = f"\t{key}".encode() + (b"" if prefix else b"\t")
        rows: list[int] = []
        row = start = 0
        at = self.keys.find(wanted)
        while at >= 0:
            row += self.keys.count(b"\n", start, at)
            rows.append(row)
            start, at = at, self.keys.find(wanted, at + 1)
        return list(dict.fromkeys(rows))


@cache
def gazetteer() -> Gazetteer:
    """The one table."""
    data = load_data_file("places.bin")
    kind, country = data.numbers("kind"), data.numbers("country")
    lat, lon = data.numbers("lat") / GRAIN, data.numbers("lon") / GRAIN
    towns = np.flatnonzero(kind == KINDS.index("city"))
    countries = np.flatnonzero(kind == KINDS.index("country"))
    return Gazetteer(
        names=data.raw("names").decode().split("\n"),
        kind=kind,
        lat=lat,
        lon=lon,
        population=-data.numbers("population"),
        country=country,
        part=data.numbers("part"),
        namesake=data.numbers("namesake"),
        towns=towns,
        town_directions=unit_vector(lat[towns], lon[towns]),
        codes=data.raw("codes").decode().split(),
        country_row=countries[np.argsort(country[countries])],
        region_of_part=data.numbers("region_of_part"),
        country_of_part=data.numbers("country_of_part"),
    )
