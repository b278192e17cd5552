"""A faster tower: what cheaper forms of today's lose, by heads that never saw photo or source.

    python -m training.faster PHOTOS OUT.json [--variants NAME ...] [--device cuda] [--workers 16]

For each form of ``training.variants``: features of all photos in float, heads on leaves for the
five folds, and first guesses by distance, the middle of the likeliest circle of 25 km. Splits,
recipe and seed are those of ``training.fit_leaves``, the same for all. Distilled forms are trained
on photos of sources that are in no fold. Forms named after ``--int8`` are also run as they would
ship, by ONNX Runtime on all cores; for today's this is the shipped file.

OUT.json is added to where it exists. Today's tower is always measured again, so that differences
are photo by photo, and once more with another seed, which shows how much is chance. Without
``--variants`` all are measured; ``--list`` prints their names and costs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from training.calibrate_leaves import Circles
from training.dataset import Dataset, load
from training.distil import BATCH, RATE, distil, normalised, scaled
from training.faster_onnx import model, shipped
from training.fit_leaves import KM, RADIUS_KM, leaf_scores
from training.heads import Material
from training.locations import shipped_leaves
from training.metrics import interval, pair_km
from training.model import LEAVES, MEMBERS, material, train
from training.photos import Photo, read_manifest
from training.splits import FOLDS, WELL_PLACED_KM, duplicate_groups, fold_masks
from training.variants import SIDE, TODAY, VARIANTS, Variant, Weights, embed, float_weights
from training.views import Bytes, run_file, views

Floats = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

AT_ONCE = 512
"""Photos in one run of a tower."""
IN_FOLDS = tuple(source for sources in FOLDS.values() for source in sources)


def features(weights: Weights, squares: Bytes, variant: Variant, device: str) -> Floats:
    """Features of photos in bytes."""
    kind = torch.float16 if device == "cuda" else torch.float32
    ready = {name: value.to(device, kind) for name, value in weights.items()}
    out = []
    with torch.inference_mode():
        for part in torch.from_numpy(squares).split(AT_ONCE if device == "cuda" else 16):
            colours = part.to(device).permute(0, 3, 1, 2).float() / 255
            out.append(embed(ready, normalised(colours).to(kind), variant).float().cpu())
    found: Floats = torch.cat(out).numpy()
    assert np.isfinite(found).all(), variant.name
    return found


class Folds:
    """The five folds, the circles, and what heads on given features say of them."""

    def __init__(self, data: Dataset, device: str, members: int) -> None:
        self.data, self.device, self.members = data, device, members
        groups = duplicate_groups(data)
        nobody = np.zeros(len(data.photos), dtype=bool)
        parts = [fold_masks(data, groups, sources, nobody) for sources in FOLDS.values()]
        self.splits = np.stack([mine for mine, _ in parts])
        self.scored = [np.flatnonzero(out) for _, out in parts]
        held = np.isin(data.source, IN_FOLDS)
        self.apart: Mask = ~np.isin(groups, groups[held])
        """Photos that are in no fold, nor near-duplicates of one that is."""
        self.truth = data.points[np.concatenate(self.scored)]
        circles = Circles(data.cell_centre, RADIUS_KM)
        self.circles = torch.sparse_csr_tensor(
            torch.from_numpy(np.append(circles.first, len(circles.leaf))),
            torch.from_numpy(circles.leaf),
            torch.ones(len(circles.leaf), dtype=torch.float64),
            (len(data.cell_centre),) * 2,
        ).to(device)
        self.aims: dict[Any, Tensor] = {}

    def kilometres(self, embeds: Floats, seed: int = 0) -> Floats:
        """From each scored photo to the first guess by heads trained on these features."""
        data = replace(self.data, embeds=embeds.astype(np.float32))
        on: Material = material(data, self.device)
        on.aims = self.aims  # they depend on positions alone
        trained = train(data, on, self.splits, recipe=LEAVES, members=self.members, seed=seed)
        guess = []
        for split, mine in enumerate(self.scored):
            for some in np.array_split(mine, max(1, len(mine) // 256)):
                query, odds = trained.queries(on.x[torch.from_numpy(some)], split)
                scores = leaf_scores(
                    torch.from_numpy(query).to(self.device),
                    torch.from_numpy(odds).to(self.device),
                    on.cells,
                    trained.recognisers.cell,
                )
                mass = self.circles @ scores.double().exp().T.contiguous()
                guess.append(mass.argmax(dim=0).cpu().numpy())
        return pair_km(data.cell_centre[np.concatenate(guess)], self.truth)


def figures(variant: Variant, km: Floats, today: Floats) -> dict[str, Any]:
    """Shares within each distance, and how far they are from today's, with 95 % intervals."""
    out: dict[str, Any] = {
        "cost": round(variant.cost() / TODAY.cost(), 3),
        "tokens": variant.tokens()[-1][1],
        "layers": len(variant.layers),
    }
    for d in KM:
        right, before = (km <= d).astype(float), (today <= d).astype(float)
        out[f"within_{d}"] = round(float(right.mean()), 4)
        out[f"lost_{d}"] = round(float((before - right).mean()), 4)
        out[f"lost_{d}_95"] = [round(value, 4) for value in interval(before - right)]
    return out


def markdown(rows: dict[str, Any]) -> str:
    """The table, for reading."""
    lines = ["| tower | cost | " + " | ".join(f"{d:,} km" for d in KM) + " | most lost |"]
    lines.append("| --- " * (len(KM) + 3) + "|")
    for name, row in rows.items():
        cells = [name, f"{row['cost']:.2f}", *(f"{100 * row[f'within_{d}']:.1f}" for d in KM)]
        cells.append(f"{100 * max(row[f'lost_{d}'] for d in KM):.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def chosen_photos(folder: Path, each: int | None) -> list[Photo]:
    """The photos of the manifest; of each source at most so many."""
    taken: dict[str, int] = {}
    out = []
    for photo in read_manifest(folder / "manifest.csv"):
        taken[photo.source] = taken.get(photo.source, 0) + 1
        if each is None or taken[photo.source] <= each:
            out.append(photo)
    return out


def dataset(folder: Path, photos: list[Photo], embeds: Floats) -> Dataset:
    """The photos with today's features and the package's leaves."""
    with tempfile.TemporaryDirectory() as work:
        shipped_leaves(Path(work, "leaves.npz"))
        np.savez(Path(work, "today.npz"), names=np.array([p.name for p in photos]), embeds=embeds)
        data = load(folder / "manifest.csv", Path(work, "today.npz"), Path(work, "leaves.npz"))
    assert data.photos == photos
    return data


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("photos", type=Path, nargs="?")
    add("out", type=Path, nargs="?")
    add("--variants", nargs="+", choices=list(VARIANTS), metavar="NAME", default=list(VARIANTS))
    add("--int8", nargs="*", choices=list(VARIANTS), metavar="NAME", default=[])
    add("--list", action="store_true")
    add("--device", default="cuda")
    add("--workers", type=int, default=os.cpu_count() or 1)
    add("--members", type=int, default=MEMBERS)
    add("--steps", type=int, default=600, help="of distilling")
    add("--batch", type=int, default=BATCH, help="of distilling")
    add("--rate", type=float, default=RATE, help="of distilling")
    add("--save", type=Path, help="a folder for distilled towers in int8")
    add("--each", type=int, help="photos of a source at most, to try it")
    args = parser.parse_args()
    if args.list:
        for variant in VARIANTS.values():
            print(f"{variant.cost() / TODAY.cost():.3f}  {variant.name}")
        return
    if args.photos is None or args.out is None:
        parser.error("PHOTOS and OUT.json are needed")
    if args.save is not None:
        args.save.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    start = time.perf_counter()

    def tell(text: str) -> None:
        print(f"{time.perf_counter() - start:6.0f} s  {text}", flush=True)

    wanted = [VARIANTS[name] for name in args.variants if name != TODAY.name]
    photos = chosen_photos(args.photos, args.each)
    sides = sorted({SIDE, *(variant.side for variant in wanted)})
    squares = views(args.photos, photos, sides, args.workers)
    tell(f"{len(photos)} photos decoded")
    weights = float_weights(shipped())
    weights = {name: value.to(args.device) for name, value in weights.items()}
    embeds = features(weights, squares[SIDE], TODAY, args.device)
    tell("today's features")
    folds = Folds(dataset(args.photos, photos, embeds), args.device, args.members)
    tell(f"{folds.splits.sum(axis=1).tolist()} photos trained on, {len(folds.truth)} scored")
    today = folds.kilometres(embeds)
    kept = json.loads(args.out.read_text("utf-8")) if args.out.exists() else {}
    kept |= {"photos": len(photos), "scored": len(folds.truth), "members": args.members}
    kept |= {"radius_km": RADIUS_KM, "well_placed_km": WELL_PLACED_KM}
    rows: dict[str, Any] = kept.setdefault("heads", {})

    def measure(
        name: str, variant: Variant, found: Floats, km: Floats | None = None, **about: Any
    ) -> None:
        cosine = functional.cosine_similarity(torch.from_numpy(found), torch.from_numpy(embeds))
        km = folds.kilometres(found) if km is None else km
        rows[name] = figures(variant, km, today) | {"cosine": round(float(cosine.mean()), 4)}
        rows[name] |= about
        args.out.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        shares = [rows[name][f"within_{d}"] for d in KM]
        tell(f"{name}: cosine {float(cosine.mean()):.4f}, {shares}")

    measure(TODAY.name, TODAY, embeds, today)
    measure("today, another seed", TODAY, embeds, folds.kilometres(embeds, seed=1))
    if TODAY.name in args.int8:
        measure("today, int8", TODAY, run_file(shipped(), squares[SIDE], args.workers))
    for variant in wanted:
        mine, about = weights, {}
        if variant.distilled:
            apart = torch.from_numpy(squares[SIDE][folds.apart]).to(args.device)
            deviation = scaled(torch.from_numpy(embeds)).std(dim=0).to(args.device)
            about = {"steps": args.steps, "batch": args.batch, "rate": args.rate}
            mine = distil(weights, apart, variant, deviation, **about)
            del apart
            tell(f"{variant.name}: distilled")
        found = features(mine, squares[variant.side], variant, args.device)
        measure(variant.name, variant, found, **about)
        with tempfile.TemporaryDirectory() as folder:
            path = (args.save or Path(folder)) / file_name(variant)
            if variant.name in args.int8 or (args.save is not None and variant.distilled):
                onnx.save(model(variant, mine), str(path))
            if variant.name in args.int8:
                found = run_file(path, squares[variant.side], args.workers)
                measure(f"{variant.name}, int8", variant, found, **about)
    print(markdown(rows))


def file_name(variant: Variant) -> str:
    """For a variant's file."""
    return re.sub(r"[^a-z0-9]+", "-", variant.name) + ".onnx"


if __name__ == "__main__":
    main()
