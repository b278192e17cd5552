"""The gazetteer: names of countries, regions and towns of the world, most populous first.

Made by training/places.py from GeoNames, Natural Earth and CLDR. A row is found by any of its
spellings in the languages of the world, with or without accents. All spellings are one text that
is searched as it is, so nothing has to be indexed and a first answer takes milliseconds.

It is stored, like the outlines, in a data file of named arrays and texts, each compressed and each
unpacked when used: a line that names the format, a line of JSON (name → type, number of bytes),
then the compressed sections one after another. Whole numbers are stored as differences with their
bytes sorted by significance, which compresses far better than the numbers themselves.
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
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError
from elsewhere.globe.coordinates import Floats, Ints

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
            head = raw[len(_MAGIC) :].split(b"\n", 1)[0] if raw.startswith(_MAGIC) else b""
            self._sections: dict[str, tuple[str, bytes]] = {}
            at = len(_MAGIC) + len(head) + 1
            for name, (kind, size) in json.loads(head).items():
                self._sections[name] = kind, raw[at : at + size]
                at += size
        except (ValueError, AttributeError, TypeError):
            raise self._damaged() from None

    def text(self, name: str) -> str:
        """A section of text."""
        try:
            return self.raw(name).decode()
        except UnicodeDecodeError:
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


def _column(name: str, factor: int = 1) -> cached_property[Ints]:
    """A column of whole numbers, unpacked when first used."""
    return cached_property(lambda table: table._data.numbers(name) * factor)


@cache
def _lines(section: str) -> tuple[bytes, Ints]:
    """All lines of a text of the gazetteer, and where each ends."""
    raw = load_data_file("places.bin").raw(section) + b"\n"
    return raw, np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == ord("\n"))


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """The rows of the table, column by column."""

    _data: DataFile
    lat: ClassVar[cached_property[Floats]] = cached_property(
        lambda table: table._data.numbers("lat") / GRAIN
    )
    """Latitude of the town, or of the largest town of a region or country."""
    lon: ClassVar[cached_property[Floats]] = cached_property(
        lambda table: table._data.numbers("lon") / GRAIN
    )
    kind = _column("kind")
    """An index into `KINDS` for each row."""
    country = _column("country")
    """An index into `codes` for each row."""
    namesake = _column("namesake")
    """1 for a town that shares its name with another one of its country, else 0."""
    part = _column("part")
    """The state or province (an index into `outlines.regions()`) of each town; −1 elsewhere."""
    region_of_part = _column("region_of_part")
    """The row of the region that a state or province belongs to; −1 where it has none."""
    country_of_part = _column("country_of_part")
    """The country of each state or province; −1 where it has none."""
    population = _column("population", -1)
    """The number of people, descending; for a region those of its towns."""

    @cached_property
    def names(self) -> list[str]:
        """The name of each row in English, or in the local language."""
        return self._data.text("names").split("\n")

    def name(self, row: int) -> str:
        """`names[row]`, without splitting them all."""
        raw, ends = _lines("names")
        return raw[ends[row - 1] + 1 if row else 0 : ends[row]].decode()

    @cached_property
    def codes(self) -> list[str]:
        """The two-letter codes of the countries."""
        return self._data.text("codes").split()

    @cached_property
    def country_row(self) -> Ints:
        """The row of each country, in the order of `codes`."""
        rows = np.flatnonzero(self.kind == 0)
        return rows[np.argsort(self.country[rows])]

    @cached_property
    def parts(self) -> dict[int, list[int]]:
        """The states and provinces that make up each region, by the region's row."""
        lines = (line.split() for line in self._data.text("parts").split("\n"))
        return {int(row): [int(part) for part in parts] for row, *parts in lines}

    def rows_named(self, text: str) -> list[int]:
        """The rows with this spelling, most populous first."""
        return self._rows(f"\t{name_key(text)}\t".encode()) if name_key(text) else []

    def rows_starting(self, text: str) -> list[int]:
        """The rows with a spelling that starts like this, most populous first."""
        return self._rows(f"\t{name_key(text)}".encode()) if name_key(text) else []

    def spellings(self, row: int) -> list[str]:
        """All spellings of a row, as they are compared."""
        raw, ends = _lines("keys")
        return raw[ends[row - 1] + 1 if row else 0 : ends[row]].decode().split("\t")[1:-1]

    def _rows(self, wanted: bytes) -> list[int]:
        raw, ends = _lines("keys")
        hits = []
        at = raw.find(wanted)
        while at >= 0:
            hits.append(at)
            at = raw.find(wanted, at + 1)
        return sorted({int(row) for row in np.searchsorted(ends, hits)})


@cache
def gazetteer() -> Gazetteer:
    """The one table."""
    return Gazetteer(load_data_file("places.bin"))
