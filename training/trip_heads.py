"""Heads that never saw the source of a trip, as folders of weights that scorers can load.

    python -m training.trip_heads MANIFEST.csv FEATURES.npz DINO_FEATURES.npz LEAVES.npz \
        TRIPS.csv OUT [--altered DINO_ALTERED.npz]

For each group of sources that trips are from, the heads on leaves, both halves and the head on
DINOv2 are trained without these sources, and stored like the shipped ones, with the shipped towers
beside them: `benchmarks.edits --heads OUT` scores edited photos of the trips with them. For trips
that no head was trained on there is the folder `shipped`. `known.npz` holds features and positions
of known photos, for the look-up. Temperatures and exponents are the shipped ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import torch

from elsewhere.scorers.embedded import HALVES
from elsewhere.scorers.tower import WEIGHTS, read_record
from training.dataset import Dataset, load
from training.fit_leaves import AT_ONCE, GROUPS, Mask
from training.heads import Material, Recipe
from training.model import DINO, DINO_MEMBERS, HALF_MEMBERS, LEAVES, MEMBERS, material, train
from training.ship import SECOND_BITS, entry, write_head
from training.splits import WELL_PLACED_KM, duplicate_groups, fold_masks, halves

RECORDS = ("model.json", "dino.json")
SHIPPED = "shipped"
"""The folder of the heads that ship, for trips of nobody's training photos."""


def groups_with_trips(trips: Path) -> dict[str, tuple[str, ...]]:
    """The groups of sources that some trip is from."""
    with trips.open(encoding="utf-8", newline="") as lines:
        sources = {row["source"] for row in csv.DictReader(lines)}
    return {name: group for name, group in GROUPS.items() if sources & set(group)}


def folder_of(group: str) -> str:
    """The folder of a group of sources."""
    return group.replace(" ", "-")


def fit(
    data: Dataset, on: Material, splits: dict[str, Mask], recipe: Recipe, members: int
) -> list[tuple[str, Path]]:
    """Train a model a split, a few at once; the arrays of each, by name."""
    folder = Path(tempfile.mkdtemp())
    names, out = list(splits), []
    for start in range(0, len(names), AT_ONCE):
        part = names[start : start + AT_ONCE]
        masks = np.stack([splits[name] for name in part])
        trained = train(data, on, masks, recipe=recipe, members=members)
        for number, name in enumerate(part):
            path = folder / f"{folder_of(name)}.npz"
            trained.export(number, path, with_cells=False)
            out.append((name, path))
        print(f"{start + len(part)} of {len(names)}", flush=True)
    return out


def store(out: Path, group: str, head: str, arrays: Path, record: str) -> None:
    """Put a head into its folder, beside the shipped towers, and into the record there."""
    folder = out / folder_of(group)
    prepare(folder)
    shipped = read_record(WEIGHTS, record)
    named = "head" if head == "dino_head" else head
    bits = 10 if head == "head" else SECOND_BITS
    write_head(arrays, folder / f"{head}.npz", shipped["temperature"], bits=bits)
    content = json.loads((folder / record).read_text("utf-8"))
    content[named] = entry(folder / f"{head}.npz")
    (folder / record).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def prepare(folder: Path) -> None:
    """A folder with everything that ships; heads are then replaced."""
    if folder.exists():
        return
    folder.mkdir(parents=True)
    for path in WEIGHTS.iterdir():
        if path.name in RECORDS:
            (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
        elif path.suffix == ".onnx" or path.name == "leaves.npz":
            (folder / path.name).symlink_to(path)
        else:
            (folder / path.name).write_bytes(path.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("manifest", "features", "dino_features", "leaves", "trips", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--altered", type=Path)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    prepare(args.out / SHIPPED)
    data = load(args.manifest, args.features, args.leaves)
    groups, nobody = duplicate_groups(data), np.zeros(len(data.photos), dtype=bool)
    held = groups_with_trips(args.trips)
    splits = {name: fold_masks(data, groups, held[name], nobody)[0] for name in held}
    with (args.out / "groups.csv").open("w", encoding="utf-8", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(("source", "folder"))
        rows.writerows((source, folder_of(name)) for name in held for source in held[name])
    known = data.radius <= WELL_PLACED_KM
    np.savez(
        args.out / "known.npz",
        embeds=data.embeds[known],
        position=data.points[known],
        source=data.source[known],
    )
    on = material(data, args.device)
    side = halves(groups)
    for head, mine, members in (
        ("head", np.ones_like(side), MEMBERS),
        (HALVES[0], side, HALF_MEMBERS),
        (HALVES[1], ~side, HALF_MEMBERS),
    ):
        mixed = {name: split & mine for name, split in splits.items()}
        for name, arrays in fit(data, on, mixed, LEAVES, members):
            store(args.out, name, head, arrays, "model.json")
        print(f"trained: {head}", flush=True)
    other = load(args.manifest, args.dino_features, args.leaves)
    assert [p.name for p in other.photos] == [p.name for p in data.photos]
    recipe = DINO if args.altered else DINO.but(altered=0.0)
    on = material(other, args.device, args.altered)
    for name, arrays in fit(other, on, splits, recipe, DINO_MEMBERS):
        store(args.out, name, "dino_head", arrays, "dino.json")
    print("trained: dino_head", flush=True)


if __name__ == "__main__":
    main()
