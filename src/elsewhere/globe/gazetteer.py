"""The table of names: countries, regions and towns of the world, most populous first.

Made by training/places.py from GeoNames, Natural Earth and CLDR. A row is found by any of its
spellings in the languages of the world, with or without accents. All spellings are one text that
is searched as it is, so nothing has to be indexed and a first answer takes milliseconds.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property

import numpy as np

from elsewhere.globe.coordinates import Floats, Ints
from elsewhere.globe.packed import shipped

KINDS = ("country", "region", "city")
GRAIN = 10_000
"""Coordinates are kept in ten-thousandths of a degree."""

# letters that Unicode does not take apart into a plain letter and a mark
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ħ": "h"}
)


def key(text: str) -> str:
    """How a name is compared: without case, accents and punctuation.

    >>> key("  São-Paulo "), key("ŁÓDŹ"), key("L’Aquila")
    ('sao paulo', 'lodz', 'l aquila')
    """
    plain = unicodedata.normalize("NFKD", text).casefold().translate(_PLAIN)
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return re.sub(r"[\W_]+", " ", bare).strip()


class Gazetteer:
    """The rows of the table, column by column, unpacked when first used."""

    def __init__(self) -> None:
        self._data = shipped("places.bin")

    @cached_property
    def names(self) -> list[str]:
        """What each row is called in English, or at home."""
        return self._data.text("names").split("\n")

    def name(self, row: int) -> str:
        """`names[row]`, without taking them all apart."""
        raw, ends = self._names
        return raw[ends[row - 1] + 1 if row else 0 : ends[row]].decode()

    @cached_property
    def _names(self) -> tuple[bytes, Ints]:
        """All names, and where each ends."""
        raw = self._data.raw("names") + b"\n"
        return raw, np.flatnonzero(np.frombuffer(raw, dtype=np.uint8) == ord("\n"))

    @cached_property
    def kind(self) -> Ints:
        """An index into `KINDS` for each row."""
        return self._data.numbers("kind")

    @cached_property
    def population(self) -> Ints:
        """How many people live there, descending; for a region those of its towns."""
        return -self._data.numbers("population")

    @cached_property
    def lat(self) -> Floats:
        """Latitudes: of the town, or the largest town of a region or country."""
        return self._data.numbers("lat") / GRAIN

    @cached_property
    def lon(self) -> Floats:
        """Longitudes."""
        return self._data.numbers("lon") / GRAIN

    @cached_property
    def country(self) -> Ints:
        """An index into `codes` for each row."""
        return self._data.numbers("country")

    @cached_property
    def namesake(self) -> Ints:
        """1 for a town that shares its name with another one of its country, else 0."""
        return self._data.numbers("namesake")

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
    def part(self) -> Ints:
        """The state or province (an index into `outlines.regions()`) of each town; −1 elsewhere."""
        return self._data.numbers("part")

    @cached_property
    def region_of_part(self) -> Ints:
        """The row of the region by which a state or province is called; −1 where it has none."""
        return self._data.numbers("region_of_part")

    @cached_property
    def country_of_part(self) -> Ints:
        """The country of each state or province; −1 where it has none."""
        return self._data.numbers("country_of_part")

    @cached_property
    def parts(self) -> dict[int, list[int]]:
        """The states and provinces that make up each region, by the region's row."""
        lines = (line.split() for line in self._data.text("parts").split("\n"))
        return {int(row): [int(part) for part in parts] for row, *parts in lines}

    @cached_property
    def _spellings(self) -> bytes:
        return self._data.raw("keys")

    @cached_property
    def _ends(self) -> Ints:
        """Where the spellings of each row end."""
        return np.flatnonzero(np.frombuffer(self._spellings, dtype=np.uint8) == ord("\n"))

    def called(self, text: str) -> list[int]:
        """The rows with this spelling, most populous first."""
        return self._rows(f"\t{key(text)}\t".encode()) if key(text) else []

    def beginning(self, text: str) -> list[int]:
        """The rows with a spelling that begins so, most populous first."""
        return self._rows(f"\t{key(text)}".encode()) if key(text) else []

    def spelled(self, row: int) -> list[str]:
        """All spellings of a row, as they are compared."""
        start = self._ends[row - 1] + 1 if row else 0
        return self._spellings[start : self._ends[row]].decode().split("\t")[1:-1]

    def _rows(self, wanted: bytes) -> list[int]:
        hits = []
        at = self._spellings.find(wanted)
        while at >= 0:
            hits.append(at)
            at = self._spellings.find(wanted, at + 1)
        return sorted({int(row) for row in np.searchsorted(self._ends, hits)})


@cache
def gazetteer() -> Gazetteer:
    """The one table."""
    return Gazetteer()
