"""Probabilities that mean what they say: a temperature for photos, an exponent for albums.

    python -m training.calibrate MANIFEST.csv SCORES.npz OUT.json

From scores of photos that their model never saw (training.fit). Photos of one album are not
independent, so the plain sum of their log-probabilities is overconfident; it is multiplied with
an exponent by album size. Both are fitted on half of the places, seen landmarks and never-seen
sources counting alike, and the expected calibration error is reported on the other half.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.dataset import LANDMARK_SOURCES
from training.metrics import guess_km, interval, ranks, summary
from training.photos import CONTINENTS, Photo, read_manifest
from training.splits import FOLDS, WELL_PLACED_KM

Floats = npt.NDArray[np.float64]
SIZES = (1, 2, 4, 8, 16, 32, 64)
ALBUMS = 3000
BINS = 15


def log_softmax(x: Floats) -> Floats:
    """Normalise each row."""
    x = x - x.max(axis=1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=1, keepdims=True)))


def albums(
    scores: Floats, groups: list[npt.NDArray[np.int64]], size: int, rng: np.random.Generator
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Summed scores (ALBUMS, cells) of albums of one place each, and which group each is of."""
    fit = [g for g in range(len(groups)) if len(groups[g]) >= size]
    if not fit:
        return np.zeros((0, scores.shape[1])), np.zeros(0, dtype=np.int64)
    which = rng.choice(fit, ALBUMS)
    sums = [scores[rng.choice(groups[g], size, replace=False)].sum(axis=0) for g in which]
    return np.stack(sums), which


def calibration_error(log_p: Floats, truth: npt.NDArray[np.int64]) -> float:
    """Mean gap between the top probability and how often it is right, over equal bins."""
    top, right = np.exp(log_p.max(axis=1)), log_p.argmax(axis=1) == truth
    slot = np.minimum((top * BINS).astype(int), BINS - 1)
    return float(
        sum(
            (slot == b).mean() * abs(top[slot == b].mean() - right[slot == b].mean())
            for b in np.unique(slot)
        )
    )


def reliability(log_p: Floats, truth: npt.NDArray[np.int64]) -> list[list[float]]:
    """For the plot: [mean top probability, share right, share of albums] per bin."""
    top, right = np.exp(log_p.max(axis=1)), log_p.argmax(axis=1) == truth
    slot = np.minimum((top * 10).astype(int), 9)
    return [
        [float(top[slot == b].mean()), float(right[slot == b].mean()), float((slot == b).mean())]
        for b in np.unique(slot)
    ]


def best_power(pools: list[tuple[Floats, npt.NDArray[np.int64]]]) -> float:
    """The power of the probabilities with the least loss, every pool counting alike."""

    def loss(power: float) -> float:
        return float(
            np.mean(
                [-log_softmax(power * s)[np.arange(len(t)), t].mean() for s, t in pools if len(t)]
            )
        )

    low, high = np.log(0.01), np.log(3.0)
    golden = (5**0.5 - 1) / 2
    for _ in range(30):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if loss(float(np.exp(a))) < loss(float(np.exp(b))):
            high = b
        else:
            low = a
    return float(np.exp((low + high) / 2))


def group_by(keys: npt.NDArray[Any], of: npt.NDArray[np.int64]) -> list[npt.NDArray[np.int64]]:
    """Indices ``of`` grouped by their key."""
    return [of[keys[of] == k] for k in np.unique(keys[of])]


def regions(
    photos: list[Photo], rank: Floats, km: Floats, never: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """Accuracy at never-seen places by continent."""
    continent = np.array([photos[i].continent for i in never])
    return {
        name: summary(rank[continent == c], km[continent == c])
        for c, name in CONTINENTS.items()
        if (continent == c).any()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("scores", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    with np.load(args.scores) as f:
        stored = {k: f[k] for k in f.files}
    by_name = {p.name: p for p in read_manifest(args.manifest)}
    photos = [by_name[str(n)] for n in stored["names"]]
    raw, cell = stored["scores"].astype(np.float64), stored["cell"]
    source = np.array([p.source for p in photos])
    radius = np.array([p.radius_km for p in photos])
    points = np.array([(p.lat, p.lon) for p in photos])
    seen = np.nonzero(np.isin(source, LANDMARK_SOURCES))[0]
    unseen = np.nonzero(~np.isin(source, LANDMARK_SOURCES) & (radius <= WELL_PLACED_KM))[0]
    place = np.array([f"{p.source}/{p.place}" for p in photos])
    kinds = {"seen": group_by(place, seen), "never": group_by(cell, unseen)}
    rng = np.random.default_rng(11)
    # a place is fitted on or reported on, never both
    fitted = {k: [g for i, g in enumerate(v) if i % 2 == 0] for k, v in kinds.items()}
    checked = {k: [g for i, g in enumerate(v) if i % 2] for k, v in kinds.items()}

    def pool(groups: list[npt.NDArray[np.int64]], scores: Floats, size: int) -> Any:
        sums, which = albums(scores, groups, size, rng)
        return sums, np.array([cell[groups[g][0]] for g in which], dtype=np.int64)

    temperature = 1 / best_power([pool(g, raw, 1) for g in fitted.values()])
    scores = log_softmax(raw / temperature)
    out: dict[str, Any] = {"temperature": temperature, "exponents": {"1": 1.0}, "albums": {}}
    for size in SIZES:
        power = 1.0
        if size > 1:
            power = best_power([pool(g, scores, size) for g in fitted.values()])
            out["exponents"][str(size)] = power
        row: dict[str, Any] = {"exponent": power}
        for kind, groups in checked.items():
            sums, truth = pool(groups, scores, size)
            if not len(truth):
                continue
            right = (sums.argmax(axis=1) == truth).astype(float)
            row[kind] = {
                "places": len({int(g) for g in truth}),
                "top1": right.mean(),
                "top1_interval": interval(right, times=500),
                "error_plain": calibration_error(log_softmax(sums), truth),
                "error": calibration_error(log_softmax(power * sums), truth),
                "reliability": reliability(log_softmax(power * sums), truth),
                "reliability_plain": reliability(log_softmax(sums), truth),
            }
        # all landmarks, fitted or not: accuracy does not depend on the exponent
        sums, truth = pool(kinds["seen"], scores, size)
        row["all_seen_top1"] = float((sums.argmax(axis=1) == truth).mean())
        out["albums"][str(size)] = row
        told = ", ".join(
            f"{k}: right {row[k]['top1']:.3f}, error {row[k]['error_plain']:.3f} plain and "
            f"{row[k]['error']:.3f} calibrated"
            for k in kinds
            if k in row
        )
        print(f"{size:3d} photos, exponent {power:.3f}; {told}", flush=True)
    headline = np.isin(source, [s for group in FOLDS.values() for s in group])
    never = np.nonzero(headline & (radius <= WELL_PLACED_KM))[0]
    rank = ranks(scores[never], cell[never])
    km = guess_km(scores[never], points[never], stored["centre"])
    out["never_seen"] = summary(rank, km)
    out["never_seen_intervals"] = {"mean_rank": interval(rank)} | {
        f"within_{k}": interval((km <= k).astype(float)) for k in (1, 25, 200, 750, 2500)
    }
    out["regions"] = regions(photos, rank, km, never)
    out["sources"] = {s: summary(rank[source[never] == s], km[source[never] == s])
                      for s in np.unique(source[never])}  # fmt: skip
    others = [i for i in unseen if not headline[i]]
    other_rank = ranks(scores[others], cell[others])
    other_km = guess_km(scores[others], points[others], stored["centre"])
    for s in np.unique(source[others]):
        mine = source[others] == s
        out["sources"][s] = summary(other_rank[mine], other_km[mine])
    tenth = np.nonzero(stored["seen_fold"] >= 0)[0]
    right = (ranks(scores[tenth], cell[tenth]) < 1).astype(float)
    out["seen"] = {"photos": len(tenth), "top1": right.mean(), "top1_interval": interval(right)}
    for s in LANDMARK_SOURCES:
        out["seen"][s] = float(right[source[tenth] == s].mean())
    args.out.write_text(json.dumps(out, indent=1) + "\n", "utf-8")
    print(json.dumps({k: out[k] for k in ("temperature", "never_seen", "seen")}, indent=1))


if __name__ == "__main__":
    main()
