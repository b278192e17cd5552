"""Where collections come from: the simulator, or anybody's score files with a truth file.

A source knows cells, the photos of each, and albums. The truth file is a CSV with the columns
`photo` and `cell`; `album`, `lat` and `lon` where known.
"""

from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files import read_scores
from elsewhere.globe import Cells, cell_names, cell_towns
from elsewhere.values.scores import Scores
from elsewhere_lab.calibrated import (
    ALBUMS,
    HALVES,
    PAPER_WORLD,
    REFITTED,
    WORLD_SEED,
    CalibratedWorld,
    Setting,
)
from elsewhere_lab.files import digest, read_lines
from elsewhere_lab.simulator import ALBUM_LARGEST, ALBUM_MEAN_EXCESS, ALBUM_SMALLEST, CELLS
from elsewhere_lab.trips import Trips
from elsewhere_lab.values import Collection, FloatMatrix

PER_CELL = 146  # photos of a cell: the paper's test set has 75,000 in 512 cells of equal counts


@dataclass(frozen=True)
class Simulator:
    """The calibrated simulator: one world, as the paper has one test set.

    The seed is that of the photos. Another world has other cells and metropolises, drawn by the
    same setting, which was fitted in the first one. Another setting is taken by a study alone.
    """

    seed: int = 0
    world_seed: int = WORLD_SEED
    setting: Setting = PAPER_WORLD

    kind = "simulator"
    models = 2
    cells = tuple(range(CELLS))

    @property
    def name(self) -> str:
        """With its seed, and its world where it is not the calibrated one."""
        world = f"-world-{self.world_seed}" if self.world_seed != WORLD_SEED else ""
        return f"simulator-{self.seed}{world}"

    @property
    def given(self) -> str:
        """Its seeds, where they are not the published ones."""
        world = f"--world {self.world_seed}" if self.world_seed != WORLD_SEED else ""
        return f"{f'--seed {self.seed}' if self.seed else ''} {world}".strip()

    @property
    def digests(self) -> dict[str, str]:
        """Its settings: with other ones the same seed is another world."""
        every = (
            astuple(PAPER_WORLD), astuple(REFITTED), astuple(HALVES), astuple(ALBUMS),
            self.world_seed, PER_CELL, CELLS, ALBUM_SMALLEST, ALBUM_LARGEST, ALBUM_MEAN_EXCESS,
        )  # fmt: skip
        return {"simulator": digest(repr(every).encode())}

    def lacks(self, need: str) -> str | None:
        """It has scores and nothing else."""
        return f"{need}, which the simulator has none of"

    @cached_property
    def world(self) -> CalibratedWorld:
        """The one that was calibrated, or another."""
        return CalibratedWorld(self.setting, self.world_seed)

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """146 photos of it."""
        rng = np.random.default_rng([self.seed, 1, cell])
        if paired:
            return self.world.halves(cell, PER_CELL, rng)
        return (self.world.photos(cell, PER_CELL, rng),)

    def cell_name(self, cell: int) -> str:
        """By its metropolis: the cells of one are alike."""
        return f"metropolis {self.world.metro[cell] + 1}, cell {cell}"

    def on_earth(self, cell: int) -> None:
        """A simulated world has no geography."""

    def albums(self) -> int:
        """As many as anyone likes."""
        return 10_000

    def album(self, number: int) -> Collection:
        """Few scenes, many near-repeats."""
        truth, rows = self.world.album(self._album_seed(number))
        return Collection("Albums", number, truth, (rows,))

    def album_cell(self, number: int) -> int:
        """The first that is drawn of an album."""
        return int(self._album_seed(number).integers(CELLS))

    def _album_seed(self, number: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, 2, number])


RECOMPRESSED = "recompress.csv"
"""What may lie beside the truth file: how far scores moved when photos were encoded again."""


class PhotoPlace(NamedTuple):
    """Where one photo was taken; `at` is latitude and longitude, where the file has them."""

    photo: str
    cell: int
    album: str
    at: tuple[float, float] | None


@dataclass(frozen=True)
class ScoreFiles:
    """Score files of the same photos, and a truth file that says where each was taken."""

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

    @cached_property
    def digests(self) -> dict[str, str]:
        """The files' contents; it does not matter where they lie."""
        every = {f"score file {i}": file for i, file in enumerate(self.files, start=1)}
        every["truth file"] = self.truth
        beside = self.truth.with_name(RECOMPRESSED)
        if beside.exists():
            every[RECOMPRESSED] = beside
        try:
            return {name: digest(file.read_bytes()) for name, file in every.items()}
        except OSError as problem:
            raise FileError(f"{problem.filename} cannot be read: {problem.strerror}") from None

    @property
    def models(self) -> int:
        """One for each file."""
        return len(self.files)

    def lacks(self, need: str) -> str | None:
        """Positions need our own cells and two more columns; anything else is a file."""
        if need != "positions":
            file = self.truth.with_name(need)
            return None if file.exists() else f"a file {need} beside {self.truth}"
        if not self._our_cells:
            return "scores over our own cells"
        if any(taken.at is None for _, taken in self._places):
            return f"lat and lon of every photo in {self.truth}"
        return None

    @property
    def cells(self) -> tuple[int, ...]:
        """Those with photos, in order."""
        return tuple(sorted(self._by_cell))

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """The photos of a cell in the order of the first file."""
        tables = [scores.values for scores in self._scores]
        if not paired:
            return tuple(table[self._by_cell[cell]] for table in tables)
        if len(tables) < 2:
            raise InputError("this needs the scores of two models: give --source twice")
        halves = [i for i, file in enumerate(self.files) if file.stem.startswith("half-")]
        pair = halves if len(halves) == 2 else (-2, -1)
        return tuple(tables[i][self._by_cell[cell]] for i in pair)

    def cell_name(self, cell: int) -> str:
        """After its largest town, where the cells are ours."""
        return cell_names(Cells.paper())[cell] if self._our_cells else f"cell {cell}"

    def on_earth(self, cell: int) -> tuple[float, float] | None:
        """The town it is called after, where the cells are ours."""
        if not self._our_cells:
            return None
        lat, lon = cell_towns(Cells.paper())
        return float(lat[cell]), float(lon[cell])

    def albums(self) -> int:
        """How many of the truth file's albums have sixteen photos of one cell or more."""
        return len(self._albums)

    def album(self, number: int) -> Collection:
        """One of them, by name and then by cell."""
        cell, rows = self._albums[number]
        views = tuple(scores.values[rows] for scores in self._scores)
        return Collection("Albums", number, cell, views, tuple(rows))

    def album_cell(self, number: int) -> int:
        """Its cell alone."""
        return self._albums[number][0]

    def positions(self, collection: Collection) -> NDArray[np.float64] | None:
        """(photos, 2) latitude and longitude, where the truth file has such columns."""
        rows = list(collection.photos_at)
        if collection.kind != "Albums":
            rows = [self._by_cell[collection.truth][i] for i in rows]
        place_of = {row: taken.at for row, taken in self._places}
        places = [place_of[row] for row in rows]
        return None if None in places else np.array(places)

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

    @cached_property
    def _our_cells(self) -> bool:
        return self._scores[0].cells == Cells.paper().count

    @cached_property
    def _places(self) -> list[tuple[int, PhotoPlace]]:
        """Every photo that the truth file names, with its row."""
        row_of = {name: row for row, name in enumerate(self._scores[0].ids)}
        count = self._scores[0].cells
        lines = [
            _parse_line(self.truth, *line, count)
            for line in read_lines(self.truth, "photo", "cell")
        ]
        result = [(row_of[each.photo], each) for each in lines if each.photo in row_of]
        if not result:
            raise InputError(f"{self.truth} names no photo of {self.files[0]}")
        return result

    @cached_property
    def _by_cell(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for row, taken in self._places:
            rows.setdefault(taken.cell, []).append(row)
        return rows

    @cached_property
    def _albums(self) -> list[tuple[int, list[int]]]:
        found: dict[tuple[str, int], list[int]] = {}
        for row, taken in self._places:
            if taken.album:
                found.setdefault((taken.album, taken.cell), []).append(row)
        large = [key for key in sorted(found) if len(found[key]) >= ALBUM_SMALLEST]
        return [(key[1], found[key]) for key in large]


def _shown(file: Path) -> str:
    """A path of nobody's machine: the page is for others to read, and to type."""
    return file.name if file.is_absolute() else file.as_posix()


_read = lru_cache(maxsize=8)(read_scores)
"""Sources are passed about by their files' names, and read once a process."""


def _parse_line(file: Path, line: int, fields: dict[str, str], cells: int) -> PhotoPlace:
    cell = fields["cell"].strip()
    if not (cell.isascii() and cell.isdecimal()) or int(cell) >= cells:
        raise FileError(f"{file}, line {line} has the cell {cell!r}: there are {cells} cells")
    lat, lon = fields.get("lat", "").strip(), fields.get("lon", "").strip()
    at = None
    try:
        at = (float(lat), float(lon)) if lat or lon else None
        known = at is None or (-90 <= at[0] <= 90 and -180 <= at[1] <= 180)
    except ValueError:
        known = False
    if not known:
        raise FileError(f"{file}, line {line} is at {lat!r}, {lon!r}: degrees are wanted")
    return PhotoPlace(fields["photo"], int(cell), fields.get("album", ""), at)


Source = Simulator | ScoreFiles  # cells with photos, and albums
AnySource = Source | Trips
