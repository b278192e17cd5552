"""Everything that is trained: the measured models, then the shipped ones.

    python -m training.fit MANIFEST.csv FEATURES.npz CELLS.npz OUT_FOLDER [--device cuda]

Figures are measured on models that have not seen what they are measured on (``scores.npz``,
``measured.json``); the shipped heads are then trained on everything (``head.npz``) or on
disjoint halves (``half_a.npz``, ``half_b.npz``).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.dataset import Dataset, load
from training.heads import Material
from training.metrics import guess_km, interval, ranks, summary
from training.model import HALF_MEMBERS, MEMBERS, SHIPPED, landmarks, material, train
from training.splits import (
    FOLDS,
    OTHER_FOLDS,
    doubtful,
    duplicate_groups,
    fold_masks,
    halves,
    seen_folds,
    seen_masks,
)

Mask = npt.NDArray[np.bool_]
CURVE = (0.1, 0.2, 0.35, 0.5, 0.7, 1.0)


def measure(
    data: Dataset, on: Material, splits: Mask, held: Mask, seen: Mask, *, members: int = MEMBERS
) -> dict[str, Any]:
    """Train on each split; score what it holds out, and the landmarks that it still knows."""
    trained = train(data, on, splits, members=members)
    number, _ = landmarks(data)
    rank, km, recognised = [], [], []
    for i, (mine, out) in enumerate(zip(splits, held, strict=True)):
        scores = trained.log_probabilities(on.x, i)
        rank.append(ranks(scores[out], data.cell[out]))
        km.append(guess_km(scores[out], data.points[out], data.cell_centre))
        known = seen & np.isin(number, np.unique(number[mine]))
        if known.any():
            recognised.append(ranks(scores[known], data.cell[known]) < 1)
    every_rank, every_km = np.concatenate(rank), np.concatenate(km)
    found = np.concatenate(recognised).astype(float)
    figures: dict[str, Any] = dict(summary(every_rank, every_km))
    figures["seen_top1"] = float(found.mean())
    figures["trained_photos"] = float(splits.sum(axis=1).mean())
    figures["intervals"] = {
        "mean_rank": interval(every_rank),
        "within_750": interval((every_km <= 750).astype(float)),
        "within_2500": interval((every_km <= 2500).astype(float)),
        "seen_top1": interval(found),
    }
    return figures


def held_out_scores(
    data: Dataset, on: Material, groups: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]
) -> npt.NDArray[np.float16]:
    """Each photo's scores by a model that saw neither it nor, for non-landmarks, its source."""
    out = np.zeros((len(data.photos), len(data.cell_centre)), dtype=np.float16)
    for folds in (FOLDS, OTHER_FOLDS):
        masks = [fold_masks(data, groups, f, numbers == 0) for f in folds.values()]
        trained = train(data, on, np.stack([m for m, _ in masks]))
        for i, sources in enumerate(folds.values()):
            held = np.isin(data.source, sources)
            out[held] = trained.log_probabilities(on.x, i)[held]
    splits = seen_masks(groups, numbers)
    trained = train(data, on, splits)
    for i in range(len(splits)):
        out[numbers == i] = trained.log_probabilities(on.x, i)[numbers == i]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("cells", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    data = load(args.manifest, args.features, args.cells)
    on = material(data, args.device)
    groups = duplicate_groups(data)
    numbers = seen_folds(data, groups)
    seen = numbers == 0
    everything = np.ones((1, len(data.photos)), dtype=bool)
    side = halves(groups)

    # the shipped ones first: they must exist even if a later measurement is cut short
    train(data, on, everything).export(0, args.out / "head.npz")
    measured: dict[str, Any] = {"near_duplicates": len(groups) - len(np.unique(groups))}
    for name, mine in (("half_a", side), ("half_b", ~side)):
        half = train(data, on, mine[None], members=HALF_MEMBERS)
        half.export(0, args.out / f"{name}.npz")
        scores = half.log_probabilities(on.x, 0)[~mine]
        measured[name] = summary(
            ranks(scores, data.cell[~mine]),
            guess_km(scores, data.points[~mine], data.cell_centre),
        )
    np.savez_compressed(
        args.out / "scores.npz",
        names=np.array([p.name for p in data.photos]),
        scores=held_out_scores(data, on, groups, numbers),
        cell=data.cell,
        seen_fold=numbers,
        centre=data.cell_centre,
        half_a=side,
    )
    print("scores saved", flush=True)

    masks = [fold_masks(data, groups, f, seen) for f in FOLDS.values()]
    splits, held = np.stack([m for m, _ in masks]), np.stack([h for _, h in masks])
    measured["all"] = measure(data, on, splits, held, seen)
    measured["one_member"] = measure(data, on, splits, held, seen, members=1)
    for name, strict in (("without_doubtful", False), ("without_doubtful_strict", True)):
        measured[name] = measure(data, on, splits & ~doubtful(data, strict), held, seen)
    print(json.dumps(measured["all"], indent=1), flush=True)
    rng = np.random.default_rng(3)
    places = np.array([f"{p.source}/{p.place}" for p in data.photos])
    names = np.unique(places)
    order = rng.permutation(len(names))
    measured["curve"] = []
    for share in CURVE:
        kept = np.isin(places, names[order[: round(share * len(names))]])
        figures = measure(data, on, splits & kept, held, seen)
        measured["curve"].append({"share_of_places": share} | figures)
        print(f"{share:.2f} of the places: mean rank {figures['mean_rank']:.1f}", flush=True)
    measured["recipe"] = {k: getattr(SHIPPED, k) for k in SHIPPED.__dataclass_fields__}
    (args.out / "measured.json").write_text(json.dumps(measured, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
