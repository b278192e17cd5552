"""The calibrated world gives Table 1's numbers on photos that it was not calibrated on."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere_lab.calibrated import CalibratedWorld
from elsewhere_lab.collections import partitions
from elsewhere_lab.paper import paper_number
from elsewhere_lab.solving import rank_ahead
from elsewhere_lab.sources import Simulator

FRESH = Simulator(seed=777)


def test_single_photos_are_as_telling_as_the_papers() -> None:
    ranks = []
    for cell in range(0, 512, 8):
        scores = FRESH.photos(cell)[0].astype(float)
        ranks.append((scores >= scores[:, [cell]]).sum(axis=1) - 1)
    rank = np.concatenate(ranks)
    # 9,344 photos of an eighth of the cells: twice the tolerance covers which cells they are
    assert np.mean(rank < 1) == pytest.approx(paper_number("accuracy", "Single", "top-1"), abs=0.04)
    assert np.mean(rank < 5) == pytest.approx(paper_number("accuracy", "Single", "top-5"), abs=0.04)
    assert np.mean(rank) == pytest.approx(
        paper_number("accuracy", "Single", "protected-k"), rel=0.2
    )


def test_sixteen_photos_are() -> None:
    each = [c for cell in range(0, 512, 16) for c in partitions(FRESH, cell, "R-16", 1)]
    rank = np.array([rank_ahead(c.scores, c.truth) for c in each])
    assert np.mean(rank < 1) == pytest.approx(paper_number("accuracy", "R-16", "top-1"), abs=0.04)
    assert np.mean(rank) < 0.3


def test_albums_are() -> None:
    albums = [FRESH.album(number) for number in range(300)]
    rank = np.array([rank_ahead(album.scores, album.truth) for album in albums])
    # of 300 albums, three standard errors
    assert np.mean(rank < 1) == pytest.approx(paper_number("accuracy", "Albums", "top-1"), abs=0.07)
    assert np.mean(rank < 5) == pytest.approx(
        paper_number("accuracy", "Albums", "top-5"), abs=0.085
    )
    assert np.mean(rank) == pytest.approx(paper_number("accuracy", "Albums", "protected-k"), abs=15)
    sizes = [album.photos for album in albums]
    assert min(sizes) == 16
    assert max(sizes) <= 250
    assert np.mean(sizes) == pytest.approx(33, abs=3)


def test_paired_models_see_the_same_photos_each_in_its_way() -> None:
    one, two = (scores.astype(float) for scores in FRESH.photos(40, paired=True))
    near = np.argsort(-one, axis=1)[:, :20]
    gains = [np.take_along_axis(s - s[:, [40]], near, axis=1) for s in (one, two)]
    like = np.corrcoef(gains[0].ravel(), gains[1].ravel())[0, 1]
    assert 0.9 < like < 0.999


def test_scores_are_log_probabilities_and_a_function_of_the_seed() -> None:
    scores = FRESH.photos(3)[0]
    assert scores.dtype == np.float32
    np.testing.assert_allclose(np.exp(scores.astype(float)).sum(axis=1), 1, atol=1e-4)
    assert (scores == Simulator(seed=777).photos(3)[0]).all()
    assert (scores != Simulator(seed=778).photos(3)[0]).any()
    assert (FRESH.album(5).scores == Simulator(seed=777).album(5).scores).all()


def test_a_world_is_made_of_metropolises_of_one_size() -> None:
    world = CalibratedWorld()
    sizes = np.bincount(world.metro)
    assert sizes.max() - sizes.min() <= 1
