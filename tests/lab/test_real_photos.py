"""The kept scores of real photos: whole, alike, and fit for the experiments."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from elsewhere.globe import Cells
from elsewhere_lab import experiments
from elsewhere_lab.sources import ScoreFiles
from elsewhere_lab.values import Scale

KEPT = Path(__file__).parents[2] / "benchmarks" / "lab"
MODELS = ("embedded", "retrieval", "dino", "half-a", "half-b")
FEW = Scale("few", partitions=1, cells=2, albums=2, sample=5)


@pytest.fixture(scope="module")
def real() -> ScoreFiles:
    return ScoreFiles(tuple(KEPT / f"{name}.npz" for name in MODELS), KEPT / "truth.csv")


def test_every_model_scores_the_same_photos_over_our_cells(real: ScoreFiles) -> None:
    views = real.photos(real.cells[0])
    assert len(views) == len(MODELS)
    assert {view.shape for view in views} == {(len(views[0]), Cells.paper().count)}
    counts = Counter({cell: len(real.photos(cell)[0]) for cell in real.cells})
    assert min(counts.values()) >= 16
    assert max(counts.values()) == 128
    for view in views:
        # rounding leaves them normalised to a few hundredths
        assert np.allclose(np.logaddexp.reduce(view.astype(float), axis=1), 0, atol=0.1)


def test_positions_lie_in_the_cells_that_the_file_names(real: ScoreFiles) -> None:
    where = real.positions(real.album(0))
    assert where is not None
    assert (Cells.paper().locate(where[:, 0], where[:, 1]) == real.album(0).truth).all()


def test_models_know_the_photos_that_they_never_saw_but_not_by_heart(real: ScoreFiles) -> None:
    ranks = [
        (view > view[:, [cell]]).sum(axis=1)
        for cell in real.cells[::8]
        for view in real.photos(cell)[:1]
    ]
    first = np.mean(np.concatenate(ranks) == 0)
    assert 0.3 < first < 0.85


def test_a_study_runs_on_them(real: ScoreFiles) -> None:
    subset = experiments.find("subset")
    parts = subset.parts(real, FEW)
    rows = [row for part in parts[:2] for row in subset.measure(real, FEW, part)]
    assert {row["status plan"] for row in rows} <= {"optimal", "infeasible"}
    assert len(rows) >= 4


def test_what_is_said_of_them_is_so(real: ScoreFiles) -> None:
    """The figures of the README beside them, and of the pages that repeat them."""
    told = json.loads((KEPT / "about.json").read_text("utf-8"))
    page = " ".join((KEPT / "README.md").read_text("utf-8").split())
    photos = sum(len(real.photos(cell)[0]) for cell in real.cells)
    assert told["photos"] == {"kept": photos, "cells": len(real.cells)}
    assert f"{photos:,} photos in {len(real.cells)} cells" in page
    among = Counter[str]()
    for cell in real.cells:
        for name, view in zip(MODELS, real.photos(cell), strict=True):
            among[name] += int(((view > view[:, [cell]]).sum(axis=1) < 5).sum())
    for name in MODELS:
        # the files are rounded to a sixteenth of a nat, and rounding makes ties
        assert among[name] / photos == pytest.approx(told[name]["top5"], abs=0.01)
    dino, strict, plain = (
        f"{told[name]['top5']:.0%}".replace("%", " %")
        for name in ("dino", "embedded, held out by sources", "embedded")
    )
    assert f"among its first five for {dino} of the photos" in page
    assert f"in that stricter way has {strict}, held out by cluster {plain}" in page


def test_most_of_them_are_of_landmarks(real: ScoreFiles) -> None:
    """As the README and the page about the defaults say: six and nearly nine in ten."""
    with (KEPT / "truth.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    famous = {"gldv2_50", "landmarks44"}
    assert np.mean([row["album"].split("/")[0] in famous for row in rows]) == pytest.approx(
        0.6, abs=0.02
    )
    groups = Counter((row["album"], row["cell"]) for row in rows)
    large = [album.split("/")[0] in famous for (album, _), n in groups.items() if n >= 16]
    assert len(large) == real.albums()
    assert 0.85 < np.mean(large) < 0.9
