"""Where collections come from: the simulator, or anybody's score files (`scored`).

A source knows cells, the photos of each, and albums. Photos of a cell are a function of the source
and the cell alone, so that every process can make its own share and nothing large is passed about.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from elsewhere_lab.calibrated import WORLD_SEED, World
from elsewhere_lab.files import digest
from elsewhere_lab.score_files import Scored
from elsewhere_lab.simulator import ALBUM_LARGEST, ALBUM_MEAN_EXCESS, ALBUM_SMALLEST, CELLS
from elsewhere_lab.values import Collection, FloatMatrix
from elsewhere_lab.world_settings import ALBUMS, HALVES, PAPER_WORLD

__all__ = ["PER_CELL", "Scored", "Simulated", "Source"]

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
    def made_of(self) -> dict[str, str]:
        """Digests of what its scores depend on, by name: a folder is of one such source only."""

    @property
    def models(self) -> int:
        """How many models have scored its photos."""

    def lacks(self, need: str) -> str | None:
        """What is missing of "positions" or of a file that has to lie beside the truth file."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that have photos."""

    def photos(self, cell: int, *, paired: bool = False) -> tuple[FloatMatrix, ...]:
        """The photos of a cell, one matrix for each attacker.

        Paired: as two models score them that were trained on different halves of the same photos,
        one that plans are made against and one that they are tried on.
        """

    def called(self, cell: int) -> str:
        """A name for a cell that says what it is near."""

    def on_earth(self, cell: int) -> tuple[float, float] | None:
        """Latitude and longitude of where to mark a cell; None where cells have no geography."""

    def albums(self) -> int:
        """How many albums there are."""

    def album(self, number: int) -> Collection:
        """One of them."""

    def album_cell(self, number: int) -> int:
        """Its cell alone, without its photos."""


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
    def made_of(self) -> dict[str, str]:
        """Its settings: with other ones the same seed is another world."""
        every = (
            astuple(PAPER_WORLD), astuple(HALVES), astuple(ALBUMS), WORLD_SEED, PER_CELL, CELLS,
            ALBUM_SMALLEST, ALBUM_LARGEST, ALBUM_MEAN_EXCESS,
        )  # fmt: skip
        return {"simulator": digest(repr(every).encode())}

    def lacks(self, need: str) -> str | None:
        """It has scores and nothing else."""
        return f"{need}, which the simulator has none of"

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

    def called(self, cell: int) -> str:
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
