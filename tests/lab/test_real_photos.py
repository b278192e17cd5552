"""The kept scores of real photos: whole, alike, and fit for the experiments."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from elsewhere.globe import Cells
from elsewhere.lab import experiments
from elsewhere.lab.sources import Scored
from elsewhere.lab.values import Scale

KEPT = Path(__file__).parents[2] / "benchmarks" / "lab"
MODELS = ("embedded", "retrieval", "dino", "half-a", "half-b")
FEW = Scale("few", partitions=1, cells=2, albums=2, few=5)


@pytest.fixture(scope="module")
def real() -> Scored:
    return Scored(tuple(KEPT / f"{name}.npz" for name in MODELS), KEPT / "truth.csv")


def test_every_model_scores_the_same_photos_over_our_cells(real: Scored) -> None:
    views = real.photos(real.cells[0])
    assert len(views) == len(MODELS)
    assert {view.shape for view in views} == {(len(views[0]), Cells.default().count)}
    counts = Counter({cell: len(real.photos(cell)[0]) for cell in real.cells})
    assert min(counts.values()) >= 16
    assert max(counts.values()) == 128
    for view in views:
        # rounding leaves them normalised to a few hundredths
        assert np.allclose(np.logaddexp.reduce(view.astype(float), axis=1), 0, atol=0.1)


def test_positions_lie_in_the_cells_that_the_file_names(real: Scored) -> None:
    where = real.positions(real.album(0))
    assert where is not None
    assert (Cells.default().locate(where[:, 0], where[:, 1]) == real.album(0).truth).all()


def test_models_know_the_photos_that_they_never_saw_but_not_by_heart(real: Scored) -> None:
    ranks = [
        (view > view[:, [cell]]).sum(axis=1)
        for cell in real.cells[::8]
        for view in real.photos(cell)[:1]
    ]
    first = np.mean(np.concatenate(ranks) == 0)
    assert 0.3 < first < 0.85


def test_a_study_runs_on_them(real: Scored) -> None:
    subset = experiments.find("subset")
    parts = subset.parts(real, FEW)
    rows = [row for part in parts[:2] for row in subset.measure(real, FEW, part)]
    assert {row["status plan"] for row in rows} <= {"optimal", "infeasible"}
    assert len(rows) >= 4
