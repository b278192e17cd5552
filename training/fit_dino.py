"""The head on leaves for the DINOv2 tower, and what heads that never saw a photo say of it.

    python -m training.fit_dino MANIFEST.csv DINO_FEATURES.npz ALTERED.npz FEATURES.npz \
        LEAVES.npz OUT_FOLDER

ALTERED.npz is by ``training.altered``. FEATURES.npz, by the CLIP tower, only says which photos are
near-duplicates, so that both models are held out alike. Writes ``head.npz``, ``held_out.npz`` and
``leaves.json`` as ``training.fit_leaves`` does; its queries are those of all photos.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch

from training.dataset import load
from training.fit_leaves import KM, guesses, held_out, single_parts
from training.model import DINO, DINO_MEMBERS, material, train
from training.splits import FOLDS, WELL_PLACED_KM, duplicate_groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("manifest", "features", "altered", "clip_features", "leaves", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    data = load(args.manifest, args.features, args.leaves)
    on = material(data, args.device, args.altered)
    groups = duplicate_groups(load(args.manifest, args.clip_features, args.leaves))
    everything = np.ones((1, len(data.photos)), dtype=bool)
    shipped = train(data, on, everything, recipe=DINO, members=DINO_MEMBERS)
    shipped.export(0, args.out / "head.npz", with_cells=False)
    held = held_out(data, on, single_parts(data, groups), DINO, DINO_MEMBERS)
    np.savez(args.out / "held_out.npz", names=np.array([p.name for p in data.photos]), **held)
    scored = [np.isin(data.source, sources) for sources in FOLDS.values()]
    mine = np.flatnonzero(np.any(scored, axis=0) & (data.radius <= WELL_PLACED_KM))
    figures = guesses(data, on, held, shipped.recognisers.cell, mine)
    figures["recipe"] = {k: getattr(DINO, k) for k in DINO.__dataclass_fields__}
    figures |= {"members": DINO_MEMBERS, "photos": len(data.photos)}
    (args.out / "leaves.json").write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    for name in ("leaves", "leaves_circle"):
        for part, row in figures[name].items():
            print(name, part, row["photos"], *(row[f"within_{d}"] for d in KM))


if __name__ == "__main__":
    main()
