"""Where collections come from: the simulator, or anybody's score file.

A source knows cells, the photos of each, and albums. Photos of a cell are a function of the source
and the cell alone, so that every process can make its own share and nothing large is passed about.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.lab.calibrated import World
from elsewhere.lab.simulator import ALBUM_SMALLEST, CELLS
from elsewhere.lab.values import Collection, FloatMatrix
from elsewhere.scores import Scores

PER_CELL = 146
"""Photos of a cell: the paper's test set has 75,000 in 512 cells of equal counts."""


class Source(Protocol):
    """Cells with photos, and albums."""

    @property
    def kind(self) -> str:
        """ "simulator" or "scores"."""

    @property
    def name(self) -> str:
        """What it is called in tables and file names."""

    @property
    def given(self) -> str:
        """The options that name it on the command line."""

    @property
    def models(self) -> int:
        """How many models have scored its photos."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that have photos."""

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """The photos of a cell, one matrix for each attacker.

        Paired: as two models score them that were trained on different halves of the same photos,
        one that plans are made against and one that they are tried on.
        """

    def map(self) -> NDArray[np.float64]:
        """Where to draw each cell, (cells, 2): longitude and latitude where it has any."""

    def albums(self) -> int:
        """How many albums there are."""

    def album(self, number: int) -> Collection:
        """One of them."""


@dataclass(frozen=True)
class Simulated:
    """The calibrated simulator: one world, as the paper has one test set."""

    seed: int = 0

    kind = "simulator"
    models = 2

    @property
    def name(self) -> str:
        """With its seed."""
        return f"simulator-{self.seed}"

    @property
    def given(self) -> str:
        """Its seed, where it is not the published one."""
        return f"--seed {self.seed}" if self.seed else ""

    @property
    def cells(self) -> tuple[int, ...]:
        """All of them."""
        return tuple(range(CELLS))

    @cached_property
    def world(self) -> World:
        """The one that was calibrated; the seed is that of its photos."""
        return World()

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """146 photos of it."""
        rng = np.random.default_rng([self.seed, 1, cell])
        if paired:
            return self.world.halves(cell, PER_CELL, rng)
        return (self.world.photos(cell, PER_CELL, rng),)

    def map(self) -> NDArray[np.float64]:
        """A simulated world has no geography: the directions in which cells differ most."""
        return self.world.map()

    def albums(self) -> int:
        """As many as anyone likes."""
        return 10_000

    def album(self, number: int) -> Collection:
        """Few scenes, many near-repeats."""
        truth, rows = self.world.album(np.random.default_rng([self.seed, 2, number]))
        return Collection("Albums", number, truth, (rows,))


@dataclass(frozen=True)
class Scored:
    """Score files of the same photos, and a file that says where each was taken.

    The truth file is a CSV with the columns `photo` and `cell`, and `album` where photos belong
    to albums; photos that it does not name are left out.
    """

    files: tuple[Path, ...]
    truth: Path

    kind = "scores"

    @property
    def name(self) -> str:
        """The first file's name."""
        return self.files[0].stem

    @property
    def given(self) -> str:
        """The files as they were named from the folder they were run in, or by name alone."""
        files = " ".join(f"--source {_shown(file)}" for file in self.files)
        return f"{files} --truth {_shown(self.truth)}"

    @property
    def models(self) -> int:
        """One for each file."""
        return len(self.files)

    @property
    def cells(self) -> tuple[int, ...]:
        """Those with photos, in order."""
        return tuple(sorted(self._by_cell))

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """The photos of a cell in the order of the first file; paired: of the last two files."""
        tables = self._tables
        if paired and len(tables) < 2:
            raise InputError("this needs the scores of two models: give --source twice")
        return tuple(table[self._by_cell[cell]] for table in (tables[-2:] if paired else tables))

    def map(self) -> NDArray[np.float64]:
        """Our own cells by their middles; other cells, of which nothing is known, in a square."""
        from elsewhere.globe import Cells

        width, ours = self._scores[0].cells, Cells.default()
        if width != ours.count:
            side = math.ceil(math.sqrt(width))
            return np.array([[cell % side, cell // side] for cell in range(width)], dtype=float)
        middles = np.column_stack(
            [ours.boxes[:, [1, 3]].mean(axis=1), ours.boxes[:, [0, 2]].mean(axis=1)]
        )
        return np.array([middles[ours.owner == cell].mean(axis=0) for cell in range(width)])

    def albums(self) -> int:
        """Those of the truth file, each with its cell's photos only."""
        return len(self._albums)

    def album(self, number: int) -> Collection:
        """The photos of one album that were taken in one cell."""
        cell, rows = self._albums[number]
        return Collection(
            "Albums", number, cell, tuple(table[rows] for table in self._tables), tuple(rows)
        )

    def positions(self, collection: Collection) -> NDArray[np.float64] | None:
        """(photos, 2) latitude and longitude, where the truth file has such columns."""
        known = self._positions
        rows = list(collection.photos_at)
        if collection.kind != "Albums":
            rows = [self._by_cell[collection.truth][i] for i in rows]
        if not all(row in known for row in rows):
            return None
        return np.array([known[row] for row in rows])

    def __getstate__(self) -> dict[str, Any]:
        """Its files' names alone: every process reads them for itself, once."""
        return {"files": self.files, "truth": self.truth}

    @cached_property
    def _scores(self) -> tuple[Scores, ...]:
        every = tuple(_read(file) for file in self.files)
        for other, file in zip(every[1:], self.files[1:], strict=True):
            if other.ids != every[0].ids:
                raise InputError(f"{file} does not have the photos of {self.files[0]} in order")
        return every

    @property
    def _tables(self) -> tuple[FloatMatrix, ...]:
        return tuple(scores.values for scores in self._scores)

    @cached_property
    def _told(self) -> list[dict[str, str]]:
        """The truth file's lines."""
        try:
            with self.truth.open(encoding="utf-8", newline="") as lines:
                told = list(csv.DictReader(lines))
        except OSError as problem:
            raise FileError(f"{self.truth} cannot be read: {problem.strerror}") from None
        except (UnicodeDecodeError, csv.Error):
            raise FileError(f"{self.truth} is not a CSV file in UTF-8") from None
        if not told or not {"photo", "cell"} <= set(told[0]):
            raise FileError(f"{self.truth} must have the columns photo and cell")
        return told

    @cached_property
    def _positions(self) -> dict[int, tuple[float, float]]:
        """Where each row's photo was taken, by rows; empty where the truth file does not say."""
        if not {"lat", "lon"} <= set(self._told[0]):
            return {}
        at = {line["photo"]: (float(line["lat"]), float(line["lon"])) for line in self._told}
        return {row: at[name] for row, name in enumerate(self._scores[0].ids) if name in at}

    @cached_property
    def _taken(self) -> list[tuple[int, int, str]]:
        """(row, cell, album) of every photo that the truth file names."""
        width = self._scores[0].cells
        row_of = {name: row for row, name in enumerate(self._scores[0].ids)}
        result = []
        for line in self._told:
            cell = line["cell"] or ""
            if not cell.isdecimal() or int(cell) >= width:
                raise FileError(f"{self.truth} has the cell {cell!r}: there are {width} cells")
            if line["photo"] in row_of:
                result.append((row_of[line["photo"]], int(cell), line.get("album") or ""))
        if not result:
            raise InputError(f"{self.truth} names no photo of {self.files[0]}")
        return result

    @cached_property
    def _by_cell(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for row, cell, _ in self._taken:
            found.setdefault(cell, []).append(row)
        return found

    @cached_property
    def _albums(self) -> list[tuple[int, list[int]]]:
        found: dict[tuple[str, int], list[int]] = {}
        for row, cell, album in self._taken:
            if album:
                found.setdefault((album, cell), []).append(row)
        least = ALBUM_SMALLEST
        return [(key[1], found[key]) for key in sorted(found) if len(found[key]) >= least]


def _shown(file: Path) -> str:
    """A path of nobody's machine: the page is for others to read, and to type."""
    return file.name if file.is_absolute() else file.as_posix()


@lru_cache(maxsize=8)
def _read(file: Path) -> Scores:
    """A score file; sources are passed about by their files' names, and read once a process."""
    from elsewhere.score_files import read_scores

    return read_scores(file)
