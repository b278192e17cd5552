"""How far models agree: what the simulated pair was calibrated on, and what it was not."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere_lab.collections import RIVALS, distance, model_names, several_views
from elsewhere_lab.experiments import scoring
from elsewhere_lab.sources import RECOMPRESSED, ScoreFiles, Simulator, Source

KEPT = Path(__file__).parents[2] / "benchmarks" / "lab"
HALVES = ScoreFiles((KEPT / "half-a.npz", KEPT / "half-b.npz"), KEPT / "truth.csv")


def apart(source: Source, cells: Iterable[int]) -> tuple[float, float]:
    """How far the halves' mean gains of sixteen photos are apart, and how large gains are."""
    squares, sizes = [], []
    for cell in cells:
        _, models = several_views(source, "R-16", cell)
        one, other = models["half-a"], models["half-b"]
        squares.append(distance(one, other, cell) ** 2)
        mean = one.astype(float).mean(axis=0)
        gains = np.sort(np.delete(mean - mean[cell], cell))[-RIVALS:]
        sizes.append(np.mean(gains**2))
    return float(np.mean(squares)) ** 0.5, float(np.mean(sizes)) ** 0.5


def test_the_simulated_halves_agree_like_ours_by_the_size_of_gains_and_not_in_nats() -> None:
    real, real_size = apart(HALVES, HALVES.cells[::8])
    simulated, size = apart(Simulator(seed=3), range(0, 512, 64))
    # settings.HALVES: .09 and .11 of their own size; eight and twenty cells leave a third open
    assert real / real_size == pytest.approx(0.09, rel=0.35)
    assert simulated / size == pytest.approx(0.11, rel=0.35)
    # a θ is in nats, and the same θ is worth several times less on real photos
    assert real > 3 * simulated


def test_names_are_the_files_and_one_file_is_not_several() -> None:
    assert model_names(HALVES) == ("half-a", "half-b")
    assert model_names(Simulator()) == ("simulated",)
    with pytest.raises(InputError, match="several models"):
        several_views(ScoreFiles(HALVES.files[:1], HALVES.truth), "R-16", HALVES.cells[0])


def test_the_kept_moves_are_of_albums_whose_rivals_are_followed_through_their_photos() -> None:
    rows = scoring.read_recompressed(KEPT / RECOMPRESSED)
    small, large = (scoring.recompressed_albums(rows, way) for way in ("quality 60", "1080 px"))
    assert [album.shape for album in small] == [(12, 5)] * 16
    assert [album.shape for album in large] == [(32, 5)]
