"""The heads on leaves: the shipped ones, and what heads that never saw a photo say of it.

    python -m training.fit_leaves MANIFEST.csv FEATURES.npz CELLS.npz LEAVES.npz OUT_FOLDER

CELLS.npz and LEAVES.npz are by ``training.locations``. Writes ``head.npz``, ``half_a.npz`` and
``half_b.npz``, trained on everything or on disjoint halves; ``held_out.npz``, the queries of all
photos by heads that saw neither them nor their source; and ``leaves.json``: first guesses by
distance beside a head on 512 cells that is trained on the same photos, for all photos of today's
folds and for those whose nearest training label is beyond 25 and beyond 100 km.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.calibrate_leaves import Circles
from training.dataset import LANDMARK_SOURCES, TRAVELLERS, Dataset, load
from training.heads import Material, Recipe
from training.locations import EARTH_KM, unit_vectors
from training.metrics import interval, pair_km
from training.model import HALF_MEMBERS, LEAVES, MEMBERS, Trained, material, train
from training.splits import FOLDS, WELL_PLACED_KM, duplicate_groups, fold_masks, halves

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

KM = (1, 25, 200, 750, 2500)
RADIUS_KM = 25.0
"""Of the circle whose middle is a guess in kilometres."""
AT_ONCE = 5
"""Splits that are trained together, as memory allows."""
LANDMARK_FOLDS = 5
GROUPS = {
    **FOLDS,
    "oxford and san francisco": ("oxford5k", "sf_street"),
    **{
        source: (source,)
        for source in (
            "documerica_us", "commons_landmarks", "monumai_spain", "gen_cities", "europe_travel",
            "us_cities284", "kiki_photos", "travel_more",
        )
    },
    "other travellers": (
        "travel_ves", "travel_kanhar", "travel_kth", "kunigami_wander", "photomap_gural",
        "gps_misc",
    ),
}  # fmt: skip
"""Sources that are held out together."""


def single_parts(data: Dataset, groups: Ints) -> list[tuple[Mask, Mask]]:
    """(held out, trained on): sources that belong together in turn, then fifths of landmarks."""
    nobody = np.zeros(len(data.photos), dtype=bool)
    parts = []
    for sources in GROUPS.values():
        out = np.isin(data.source, sources)
        parts.append((out, fold_masks(data, groups, sources, nobody)[0]))
    for out in landmark_fifths(data, groups):
        parts.append((out, ~np.isin(groups, groups[out])))
    return parts


def landmark_fifths(data: Dataset, groups: Ints) -> list[Mask]:
    """The photos of trained landmarks in five parts, near-duplicates together."""
    landmark = np.isin(data.source, LANDMARK_SOURCES)
    fold = np.random.default_rng(20).integers(LANDMARK_FOLDS, size=int(groups.max()) + 1)[groups]
    return [landmark & (fold == number) for number in range(LANDMARK_FOLDS)]


def held_out(
    data: Dataset, on: Material, jobs: list[tuple[Mask, Mask]], recipe: Recipe, members: int
) -> dict[str, Any]:
    """Queries and landmark odds of every photo, and km to the nearest photo trained on."""
    assert (np.sum([out for out, _ in jobs], axis=0) == 1).all(), "every photo is held out once"
    query = np.zeros((len(data.photos), on.cells.shape[1]), dtype=np.float32)
    odds, nearest = None, np.zeros(len(data.photos), dtype=np.float32)
    for start in range(0, len(jobs), AT_ONCE):
        part = jobs[start : start + AT_ONCE]
        splits = np.stack([mine for _, mine in part])
        trained = train(data, on, splits, recipe=recipe, members=members)
        for split, (out, mine) in enumerate(part):
            said, landmarks = trained.queries(on.x[torch.from_numpy(out)], split)
            odds = np.zeros((len(query), landmarks.shape[1]), "f2") if odds is None else odds
            query[out], odds[out] = said, landmarks
            nearest[out] = nearest_km(data.points[out], data.points[mine], on.x.device)
        print(f"{start + len(part)} of {len(jobs)} parts held out", flush=True)
    assert odds is not None
    return {"query": query, "odds": odds, "nearest": nearest}


def nearest_km(points: Floats, others: Floats, device: Any) -> npt.NDArray[np.float32]:
    """Kilometres from each point to the nearest of the others."""
    there = torch.from_numpy(unit_vectors(others)).to(device)
    parts = torch.from_numpy(unit_vectors(points)).to(device).split(1024)
    cosine = torch.cat([(part @ there.T).max(dim=1).values for part in parts])
    return np.asarray(EARTH_KM * torch.acos(cosine.clamp(-1, 1)).cpu().numpy(), dtype=np.float32)


def leaf_scores(query: Tensor, odds: Tensor, cells: Tensor, landmark_leaf: Tensor) -> Tensor:
    """Log-probabilities of all leaves."""
    logits = query @ cells.T
    lift = torch.zeros_like(logits)
    lift.scatter_reduce_(1, landmark_leaf.expand(len(query), -1), odds, "amax")
    return torch.log_softmax(logits + lift, dim=1)


def guesses(
    data: Dataset, on: Material, held: dict[str, Any], landmark_leaf: Tensor, mine: Ints
) -> dict[str, Any]:
    """Figures of first guesses: the likeliest leaf, and the middle of the likeliest circle."""
    circles = Circles(data.cell_centre, RADIUS_KM)
    best = np.empty((len(mine), 2), dtype=np.int64)
    for start in range(0, len(mine), 256):
        some = mine[start : start + 256]
        scores = leaf_scores(
            torch.from_numpy(held["query"][some]).to(on.x.device),
            torch.from_numpy(held["odds"][some].astype(np.float32)).to(on.x.device),
            on.cells,
            landmark_leaf,
        ).exp()
        best[start : start + 256, 0] = scores.argmax(dim=1).cpu()
        best[start : start + 256, 1] = [
            int(circles.masses(row).argmax()) for row in scores.cpu().double().numpy()
        ]
    truth, nearest = data.points[mine], held["nearest"][mine]
    return {
        name: table(pair_km(data.cell_centre[guess], truth), nearest)
        for name, guess in zip(("leaves", "leaves_circle"), best.T, strict=True)
    }


def table(km: Floats, nearest: npt.NDArray[np.float32]) -> dict[str, Any]:
    """Shares of first guesses within each distance, with 95 % intervals."""
    out: dict[str, Any] = {}
    for name, mine in (
        ("all", nearest >= 0),
        ("beyond_25", nearest > 25),
        ("beyond_100", nearest > 100),
    ):
        right = {f"within_{d}": (km[mine] <= d).astype(float) for d in KM}
        out[name] = {"photos": int(mine.sum())}
        out[name] |= {key: round(float(value.mean()), 4) for key, value in right.items()}
        out[name]["intervals"] = {key: interval(value) for key, value in right.items()}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("cells", type=Path)
    parser.add_argument("leaves", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    data = load(args.manifest, args.features, args.leaves)
    on = material(data, args.device)
    groups = duplicate_groups(data)
    everything, side = np.ones((1, len(data.photos)), dtype=bool), halves(groups)
    shipped = train(data, on, everything, recipe=LEAVES)
    shipped.export(0, args.out / "head.npz", with_cells=False)
    for name, mine in (("half_a", side), ("half_b", ~side)):
        half: Trained = train(data, on, mine[None], recipe=LEAVES, members=HALF_MEMBERS)
        half.export(0, args.out / f"{name}.npz", with_cells=False)
    held = held_out(data, on, single_parts(data, groups), LEAVES, MEMBERS)
    np.savez(args.out / "held_out.npz", names=np.array([p.name for p in data.photos]), **held)

    folds = [np.isin(data.source, sources) for sources in FOLDS.values()]
    scored = [out & (data.radius <= WELL_PLACED_KM) for out in folds]
    chosen = np.concatenate([np.flatnonzero(part) for part in scored])
    figures = guesses(data, on, held, shipped.recognisers.cell, chosen)
    truth, nearest = data.points[chosen], held["nearest"][chosen]
    coarse = load(args.manifest, args.features, args.cells)
    on = material(coarse, args.device)
    seen = np.zeros(len(data.photos), dtype=bool)
    splits = np.stack([fold_masks(coarse, groups, sources, seen)[0] for sources in FOLDS.values()])
    trained = train(coarse, on, splits)
    best = [
        trained.log_probabilities(on.x[torch.from_numpy(part)], i).argmax(axis=1)
        for i, part in enumerate(scored)
    ]
    guess = coarse.cell_centre[np.concatenate(best)]
    figures["cells_512"] = table(pair_km(guess, truth), nearest)
    figures["recipe"] = {k: getattr(LEAVES, k) for k in LEAVES.__dataclass_fields__}
    figures |= {"members": MEMBERS, "photos": len(data.photos), "travellers": list(TRAVELLERS)}
    (args.out / "leaves.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    for name in ("cells_512", "leaves", "leaves_circle"):
        for part, row in figures[name].items():
            print(name, part, row["photos"], *(row[f"within_{d}"] for d in KM))


if __name__ == "__main__":
    main()
