"""An album's probabilities mean what they say: of guesses at 30 %, about 30 % are right.

Simulated albums are correlated like a person's: 85 % of the noise is common to an album. Exponents
are fitted on the albums of some worlds, by likelihood, and the error is measured on albums of other
worlds, with other truths, photos and prototypes, also at sizes between and beyond those that were
fitted. The plain sum of the same albums must fail, or the test would show nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from elsewhere.audit import audit
from elsewhere.scorers.protocol import log_softmax
from elsewhere.values.scores import Scores
from elsewhere_lab import simulator

BINS = 15
ACCEPTED = 0.05


def albums(kind: str, seeds: Iterable[int], photos: int, each: int) -> list[tuple[np.ndarray, int]]:
    """Rows and truth of `each` albums in each of several fresh worlds."""
    made = []
    for seed in seeds:
        home, rng = simulator.world(kind, seed), np.random.default_rng([seed, photos])
        for _ in range(each):
            truth = int(rng.integers(512))
            made.append((home.photos(truth, photos, rng, common=0.85), truth))
    return made


def fitted(made: Sequence[tuple[np.ndarray, int]]) -> float:
    """The exponent under which the truths are likeliest."""
    sums = np.array([rows.sum(axis=0, dtype=np.float64) for rows, _ in made])
    truths = np.array([truth for _, truth in made])
    grid = np.geomspace(0.01, 2.0, 80)
    told = [log_softmax(e * sums)[np.arange(len(sums)), truths].mean() for e in grid]
    return float(grid[int(np.argmax(told))])


def error(made: Sequence[tuple[np.ndarray, int]], exponents: dict[int, float]) -> float:
    """Expected calibration error of the audit's first guesses."""
    sure, right = [], []
    for rows, truth in made:
        best = audit(Scores(rows), exponents=exponents).guesses[0]
        sure.append(best.probability)
        right.append(best.cell == truth)
    confidence, correct = np.array(sure), np.array(right)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[bins == b].mean() - correct[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def measured(kind: str, fit: Sequence[int], sizes: Sequence[int]) -> None:
    """Fitted on four worlds; measured on twelve others, for fewer albums would measure noise."""
    exponents = {n: fitted(albums(kind, range(4), n, 250)) for n in fit}
    for size in sizes:
        fresh = albums(kind, range(100, 112), size, 250)
        assert error(fresh, exponents) < ACCEPTED, (kind, size)
        assert error(fresh, {}) > 2 * ACCEPTED, (kind, size)


def test_probabilities_of_simulated_albums_are_calibrated() -> None:
    measured("w1", fit=(2, 4, 8), sizes=(4, 6))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["w1", "w2"])
def test_in_both_worlds_and_up_to_32_photos(kind: str) -> None:
    measured(kind, fit=(4, 8, 16, 32), sizes=(4, 6, 8, 12, 16, 24, 32, 64))


def test_the_exponent_changes_no_ranking() -> None:
    rows, truth = albums("w1", [7], 12, 1)[0]
    plain, calm = audit(Scores(rows), truth), audit(Scores(rows), truth, exponents={12: 0.1})
    assert plain.truth is not None
    assert calm.truth is not None
    assert [one.cell for one in plain.guesses] == [one.cell for one in calm.guesses]
    assert plain.truth.album_order.ranks == calm.truth.album_order.ranks
    assert plain.guesses[0].probability > calm.guesses[0].probability
    assert (plain.calibrated, calm.calibrated) == (False, True)
