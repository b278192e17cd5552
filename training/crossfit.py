"""Score matrices of real photos for the lab: every photo scored by models that never saw it.

    python -m training.crossfit MANIFEST.csv FEATURES.npz CELLS.npz OUT_FOLDER \\
        [--other FIT/scores.npz] [--strict FIT/scores.npz]

Five folds by near-duplicate cluster. For each fold, on the photos of the other four: the shipped
recipe on all of them (``embedded.npz``), on two disjoint halves of them (``half-a.npz``,
``half-b.npz``), and no training at all, only looking up what the photo resembles
(``retrieval.npz``). ``--other`` adds the held-out scores of another backbone (``dino.npz``), as
``training.fit`` writes them. ``truth.csv`` says where each photo was taken. ``about.json`` says how
often each model has a photo's cell among its first guesses; with ``--strict``, which names
``training.fit``'s scores of our own tower, also how often our recipe has when whole sources are
held out, as the other backbone's were.

The files are kept with the project, so they hold what the experiments need and no more: photos
placed to 25 km in cells with at least 16 of them, at most 128 a cell, scores to a sixteenth of a
nat. The photos themselves are not kept.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.dataset import Dataset, load
from training.folds import cluster_folds, never_saw, trained_on
from training.metrics import ranks
from training.model import SHIPPED, material, train
from training.retrieval import look_up
from training.splits import WELL_PLACED_KM, duplicate_groups

Ints = npt.NDArray[np.int64]

LEAST, MOST = 16, 128
"""Photos of a cell: enough for the smallest collection, no more than for the largest."""
RECIPE = SHIPPED.but(epochs=16)
"""One head each and two thirds of the shipped passes: fifteen models in minutes on a processor."""
STEP = 16
"""Scores are rounded to one part in this many of a nat."""


BY_SOURCES = "embedded, held out by sources"


def kept_photos(data: Dataset, seed: int = 12) -> Ints:
    """The photos whose scores are kept, in the order of the manifest."""
    rng = np.random.default_rng(seed)
    well = np.flatnonzero(data.radius <= WELL_PLACED_KM)
    kept = []
    for cell in np.unique(data.cell[well]):
        mine = well[data.cell[well] == cell]
        if len(mine) >= LEAST:
            kept += rng.permutation(mine)[:MOST].tolist()
    return np.array(sorted(kept), dtype=np.int64)


def write_scores(path: Path, scores: npt.NDArray[Any], names: list[str], scorer: str) -> None:
    """A score file, rounded so that it stays small."""
    rounded = (np.round(scores.astype(np.float64) * STEP) / STEP).astype(np.float16)
    np.savez_compressed(path, scores=rounded, ids=np.array(names), scorer=np.array(scorer))


def held_out(file: Path, data: Dataset) -> npt.NDArray[Any]:
    """Scores that ``training.fit`` wrote, in the order of the manifest."""
    with np.load(file) as given:
        row = {str(n): i for i, n in enumerate(given["names"])}
        return np.asarray(given["scores"][[row[p.name] for p in data.photos]])


def first_guesses(scores: npt.NDArray[Any], cell: Ints) -> dict[str, float]:
    """How often the true cell is among the first 1, 5 and 50."""
    rank = ranks(scores.astype(np.float32), cell)
    return {f"top{k}": round(float((rank < k).mean()), 4) for k in (1, 5, 50)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("cells", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--other", type=Path)
    parser.add_argument("--strict", type=Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    data = load(args.manifest, args.features, args.cells)
    on = material(data, "cpu")
    groups = duplicate_groups(data)
    fold = cluster_folds(groups)
    keep = kept_photos(data)
    names = [data.photos[i].name for i in keep]
    every: dict[str, npt.NDArray[Any]] = {}
    for name, masks in trained_on(groups).items():
        assert never_saw(groups, fold, masks), name
        out = np.zeros((len(data.photos), len(data.cell_centre)), dtype=np.float32)
        for i, mine in enumerate(masks):
            # one at a time: heads that are trained together standardise by photos common to all
            model = train(data, on, mine[None], recipe=RECIPE, members=1)
            out[fold == i] = model.log_probabilities(on.x, 0)[fold == i]
            print(f"{name}, fold {i}: {int(mine.sum())} photos", flush=True)
        every[name] = out
    every["retrieval"] = look_up(data.embeds, data.cell, len(data.cell_centre), fold, groups)
    if args.other is not None:
        every["dino"] = held_out(args.other, data)
    told = {}
    for name, scores in every.items():
        write_scores(args.out / f"{name}.npz", scores[keep], names, f"lab {name}")
        told[name] = first_guesses(scores[keep], data.cell[keep])
    if args.strict is not None:
        scores = held_out(args.strict, data)
        told[BY_SOURCES] = first_guesses(scores[keep], data.cell[keep])
    with (args.out / "truth.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["photo", "cell", "album", "lat", "lon"])
        for i in keep:
            photo = data.photos[i]
            album = f"{photo.source}/{photo.place}"
            where = f"{photo.lat:.3f}", f"{photo.lon:.3f}"
            writer.writerow([photo.name, int(data.cell[i]), album, *where])
    counts = np.bincount(data.cell[keep])
    told["photos"] = {"kept": len(keep), "cells": int((counts > 0).sum())}
    (args.out / "about.json").write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
