"""What the figures of the model card are made with."""

from __future__ import annotations

import numpy as np
import pytest
from training.calibrate import best_power, calibration_error, log_softmax
from training.metrics import guess_km, interval, ranks, summary


def test_rank_counts_the_cells_ahead_and_half_of_the_ties() -> None:
    scores = np.array([[0.1, 0.5, 0.3, 0.1], [1.0, 1.0, 1.0, 1.0]])
    assert ranks(scores, np.array([2, 0])).tolist() == [1.0, 1.5]
    assert ranks(scores, np.array([0, 3])).tolist() == [2.5, 1.5]


def test_chance_is_where_the_card_says() -> None:
    scores = np.random.default_rng(0).normal(size=(4000, 512))
    assert ranks(scores, np.zeros(4000, dtype=np.int64)).mean() == pytest.approx(255.5, abs=8)


def test_distance_is_to_the_middle_of_the_likeliest_cell() -> None:
    centre = np.array([[0.0, 0.0], [0.0, 90.0]])
    km = guess_km(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.0, 1.0], [0.0, -90.0]]), centre)
    assert km[0] == pytest.approx(111.2, abs=0.1)
    assert km[1] == pytest.approx(np.pi * 6371.0088, abs=1)
    assert summary(np.array([0.0, 7.0]), km)["within_200"] == 0.5


def test_an_interval_holds_the_mean_and_shrinks_with_more_photos() -> None:
    rng = np.random.default_rng(1)
    few, many = rng.normal(size=50), rng.normal(size=5000)
    low, high = interval(few)
    assert low < few.mean() < high
    assert np.diff(interval(many))[0] < high - low


def test_the_power_undoes_an_overconfidence_that_was_put_in() -> None:
    rng = np.random.default_rng(2)
    honest = log_softmax(rng.normal(size=(20000, 6)) * 1.5)
    truth = np.array([rng.choice(6, p=p) for p in np.exp(honest)])
    assert calibration_error(honest, truth) < 0.02
    assert calibration_error(log_softmax(4 * honest), truth) > 0.15
    assert best_power([(4 * honest, truth)]) == pytest.approx(0.25, rel=0.06)
