"""Photo by photo: the curves are those of the prefixes, and the worst order is greedy."""

from __future__ import annotations

import time

import numpy as np
import pytest

from elsewhere.audit.inference import curve, worst_order
from elsewhere.scorers.protocol import combine_rows, log_softmax
from elsewhere_lab import simulator

EXPONENTS = {1: 1.0, 4: 0.6, 16: 0.3}


def odds(rows: np.ndarray, zone: list[int]) -> float:
    likely = np.exp(log_softmax(rows.sum(axis=0)))
    rest = np.setdiff1d(np.arange(rows.shape[1]), zone)
    return float(np.log(likely[zone].sum()) - np.log(likely[rest].sum()))


@pytest.mark.parametrize("zone", [[3], [3, 5, 11]])
def test_each_next_photo_of_the_worst_order_raises_the_odds_most(zone: list[int]) -> None:
    rows = simulator.collection(5, photos=12).scores.values.astype(np.float64)
    order = worst_order(rows, np.array(zone)).tolist()
    assert sorted(order) == list(range(12))
    for n, chosen in enumerate(order):
        left = [i for i in range(12) if i not in order[:n]]
        best = max(odds(rows[[*order[:n], i]], zone) for i in left)
        assert odds(rows[[*order[:n], chosen]], zone) == pytest.approx(best, abs=1e-9)


def test_a_curve_is_what_each_prefix_says() -> None:
    rows = simulator.collection(6, photos=9).scores.values.astype(np.float64)
    order = np.array([4, 2, 0, 1, 3, 8, 7, 6, 5])
    found = curve(rows, order, np.array([10, 20]), EXPONENTS)
    assert found.order == tuple(order.tolist())
    for n in range(9):
        likely = np.exp(combine_rows(rows[order[: n + 1]], EXPONENTS))
        assert found.probabilities[n] == pytest.approx(likely[[10, 20]].sum(), rel=1e-9)


def test_far_behind_or_impossible_the_order_is_still_one() -> None:
    rows = np.full((30, 4), -1.0)
    rows[:, 2] = -900.0
    rows[7, 2] = -np.inf
    rows[3, 2] = -1.0
    order = worst_order(rows, np.array([2])).tolist()
    assert order[0] == 3
    assert sorted(order) == list(range(30))


def test_four_hundred_photos_are_quick() -> None:
    scores, truth = simulator.collection(7, photos=400)
    rows = scores.values.astype(np.float64)
    start = time.process_time()
    curve(rows, worst_order(rows, np.array([truth])), np.array([truth]), EXPONENTS)
    assert time.process_time() - start < 2.0
