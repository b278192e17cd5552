"""Where collections come from: the simulator, or anybody's score files (`score_files`)."""

from dataclasses import astuple, dataclass
from functools import cached_property

import numpy as np

from elsewhere_lab.calibrated import ALBUMS, HALVES, PAPER_WORLD, WORLD_SEED, World
from elsewhere_lab.files import digest
from elsewhere_lab.score_files import Scored
from elsewhere_lab.simulator import ALBUM_LARGEST, ALBUM_MEAN_EXCESS, ALBUM_SMALLEST, CELLS
from elsewhere_lab.values import Collection, FloatMatrix

__all__ = ["PER_CELL", "Scored", "Simulated", "Source"]

PER_CELL = 146  # photos of a cell: the paper's test set has 75,000 in 512 cells of equal counts


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
    def digests(self) -> dict[str, str]:
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


Source = Simulated | Scored  # cells with photos, and albums
