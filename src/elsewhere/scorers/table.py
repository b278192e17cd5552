"""The scorer `table`: rows of a score file (docs/files.md), found by the photo's name.

For models that cannot run here. Everything else treats it like any other scorer.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import numpy as np

from elsewhere.errors import InputError, ScorerError
from elsewhere.formats.score_files import read_scores
from elsewhere.globe import Cells
from elsewhere.scorers.protocol import TOLERANCE, Photo, Row, ScorerInfo, normalise_row
from elsewhere.values.scores import Scores


def make(argument: str) -> TableScorer:
    """The scorer `table:FILE`."""
    if not argument:
        raise InputError("the scorer table needs a file: write table:SCORES.npz")
    return TableScorer(Path(argument))


class TableScorer:
    """Rows of a score file; a photo is found by its name, else by the last part of its name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._scores: Scores | None = None

    def load(self) -> ScorerInfo:
        """Read the file."""
        scores = self._scores = self._scores or read_scores(self._path)
        return ScorerInfo(
            name=f"table:{self._path.name}",
            fingerprint=scores.scorer or scores.digest,
            cells=scores.cells,
            grid=scores.grid,
            globe=Cells.known(scores.grid),
            cacheable=False,
            content=scores.digest,
        )

    def score(self, photo: Photo) -> Row:
        """The row of the photo's name, normalised where the file's rows are not."""
        assert self._scores is not None, "load comes first"
        names = (photo.name, PurePosixPath(photo.name).name)
        name = next((name for name in names if name in self._scores.ids), None)
        if name is None:
            raise ScorerError(
                f"{self._path.name} has no row for {photo.name}: add one or leave the photo out"
            )
        row = self._scores.values[self._scores.index(name)]
        if np.isneginf(row).any():
            raise ScorerError(
                f"{self._path.name} gives {photo.name} probability zero somewhere, which no "
                "single photo can prove: give every cell a small probability"
            )
        narrow = row.astype(np.float32)
        total = float(np.exp(narrow.astype(np.float64)).sum())
        return narrow if abs(total - 1.0) <= TOLERANCE else normalise_row(row)
