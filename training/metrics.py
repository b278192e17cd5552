"""What a matrix of scores is worth: ranks, accuracies within a distance, 95 % intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from training.locations import EARTH_KM, unit_vectors

Floats = npt.NDArray[np.float64]
KM = (1, 25, 200, 750, 2500)


def ranks(scores: npt.NDArray[np.floating], truth: npt.NDArray[np.int64]) -> Floats:
    """How many cells come before the true one, ties counted half: 0 is best, chance is 255.5."""
    own = scores[np.arange(len(truth)), truth][:, None]
    return np.asarray((scores > own).sum(axis=1) + ((scores == own).sum(axis=1) - 1) / 2)


def guess_km(scores: npt.NDArray[np.floating], points: Floats, centre: Floats) -> Floats:
    """Kilometres from each photo to the middle of its likeliest cell."""
    return pair_km(points, centre[scores.argmax(axis=1)])


def pair_km(a: Floats, b: Floats) -> Floats:
    """Great-circle kilometres between each of ``a`` and its partner in ``b``."""
    cosine = (unit_vectors(a) * unit_vectors(b)).sum(axis=1)
    return np.asarray(EARTH_KM * np.arccos(np.clip(cosine, -1, 1)))


def summary(rank: Floats, km: Floats) -> dict[str, float]:
    """The figures of the issue's table."""
    out = {
        "photos": float(len(rank)),
        "mean_rank": float(rank.mean()),
        "median_rank": float(np.median(rank)),
        "top1": float((rank < 1).mean()),
        "top5": float((rank < 5).mean()),
        "top50": float((rank < 50).mean()),
    }
    return out | {f"within_{k}": float((km <= k).mean()) for k in KM}


def interval(
    values: Floats,
    statistic: Callable[[Floats], float] = lambda v: float(v.mean()),
    times: int = 2000,
    seed: int = 1,
) -> tuple[float, float]:
    """A 95 % bootstrap interval."""
    rng = np.random.default_rng(seed)
    draws = [statistic(values[rng.integers(len(values), size=len(values))]) for _ in range(times)]
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)
