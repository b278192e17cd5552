"""How far scores move when a platform encodes a shared photo again.

    python -m training.recompress PHOTOS FEATURES.npz CELLS.npz LARGE OUT.csv

``PHOTOS`` is the folder of tars, ``FEATURES.npz`` and ``CELLS.npz`` what the heads learn from. One
head of the shipped recipe is trained without one of `crossfit`'s five folds, and only photos of
that fold are encoded again, at qualities from 60 to 95: nobody scores what he was trained on. They
are small, so sizes are tried on the photos of the folder ``LARGE`` instead (JPEG files of 1600 px
and more; ours are those of the Debian packages lomiri-wallpapers-16.04, -20.04, mate-backgrounds
and plasma-workspace-wallpapers), which are no photos of a place at all: their likeliest cell, all
of them added up, stands for it. What is encoded again is the rendition, as it would be shared.

Photos come in albums, those of one cell together, and each album has its own five likeliest rivals:
a plan rests on the same rivals in all of its photos. One line for a photo and a way to encode it:
by how many nats each rival's gain over the truth moved, in the shipped scorer's nats (its
temperature divides scores). Only these numbers are kept, not the photos.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image

from elsewhere.album.renditions import MAX_SIDE, QUALITY, encode_jpeg
from elsewhere.scorers.tower import WEIGHTS, preprocess_file
from training.crossfit import RECIPE
from training.dataset import Dataset, load
from training.features import shard_bytes, tower_session
from training.folds import cluster_folds, never_saw
from training.model import Trained, material, train
from training.splits import WELL_PLACED_KM, duplicate_groups

QUALITIES = (60, 70, 80, 90, 95)
SIZES = (1080, 1600, 2048)
SIZED = 85
"""The quality at which photos are made smaller."""
FOLD = 0
ALBUMS, EACH = 16, 12
RIVALS = 5

Ways = dict[str, tuple[int, int | None]]


class Unseen:
    """The shipped tower and recipe, the head trained without one fold."""

    def __init__(self, data: Dataset, fold: npt.NDArray[np.int64], groups: Any) -> None:
        allowed = fold != FOLD
        assert never_saw(groups, np.where(fold == FOLD, 0, 1), [allowed])
        self._head: Trained = train(
            data, material(data, "cpu"), allowed[None], recipe=RECIPE, members=1
        )
        told = json.loads((WEIGHTS / "model.json").read_text("utf-8"))
        with np.load(WEIGHTS / told["512"]["head"]["file"]) as shipped:
            self._temperature = float(shipped["temperature"])
        self._ends = told["tower"]["output"], told["tower"]["input"]
        self._tower = tower_session(WEIGHTS / told["tower"]["file"], 1)

    def score(self, content: bytes) -> npt.NDArray[np.float64]:
        """Log-probabilities up to one constant, which gains do not see."""
        out, into = self._ends
        seen = self._tower.run([out], {into: preprocess_file(io.BytesIO(content))[None]})[0]
        unit = seen / np.linalg.norm(seen, axis=1, keepdims=True)
        x = torch.from_numpy(np.ascontiguousarray(unit * unit.shape[1] ** 0.5))
        told = np.asarray(self._head.log_probabilities(x, 0)[0], np.float64)
        return told / self._temperature


def small(
    folder: Path, data: Dataset, fold: npt.NDArray[np.int64]
) -> Iterator[tuple[int, list[tuple[str, Image.Image]]]]:
    """Twelve photos each of sixteen cells that the held-out fold has the photos of."""
    rng = np.random.default_rng(13)
    mine = np.flatnonzero((fold == FOLD) & (data.radius <= WELL_PLACED_KM))
    rich = np.flatnonzero(np.bincount(data.cell[mine]) >= EACH)
    for cell in rich[np.linspace(0, len(rich) - 1, ALBUMS).astype(int)].tolist():
        rows = [data.photos[i] for i in rng.permutation(mine[data.cell[mine] == cell])[:EACH]]
        found = []
        for shard in sorted({row.shard for row in rows}):
            names = {row.name for row in rows if row.shard == shard}
            for name, content in shard_bytes(folder, shard, names):
                found.append((name, Image.open(io.BytesIO(content)).convert("RGB")))
        yield cell, found


def again(content: bytes, quality: int, side: int | None = None) -> bytes:
    """A rendition as a platform would show it."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    if side is not None:
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return encode_jpeg(image, quality)


def moves(
    scorer: Unseen,
    album: str,
    truth: int | None,
    photos: Sequence[tuple[str, Image.Image]],
    ways: Ways,
) -> Iterator[list[object]]:
    """One line for each photo of an album and each way."""
    shared = []
    for name, image in photos:
        image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
        content = encode_jpeg(image, QUALITY)
        shared.append((name, content, scorer.score(content)))
    together = np.sum([before for _, _, before in shared], axis=0)
    own = int(together.argmax()) if truth is None else truth
    rivals = [int(c) for c in np.argsort(-together, kind="stable") if c != own][:RIVALS]
    for name, content, before in shared:
        for way, (quality, side) in ways.items():
            after = scorer.score(again(content, quality, side))
            moved = (after[rivals] - after[own]) - (before[rivals] - before[own])
            yield [album, name, way, *(f"{value:.4f}" for value in moved)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("features", type=Path)
    parser.add_argument("cells", type=Path)
    parser.add_argument("large", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    data = load(args.photos / "manifest.csv", args.features, args.cells)
    groups = duplicate_groups(data)
    fold = cluster_folds(groups)
    scorer = Unseen(data, fold, groups)
    print("the head is trained", flush=True)
    lines: list[list[object]] = []
    for cell, photos in small(args.photos, data, fold):
        ways: Ways = {f"quality {quality}": (quality, None) for quality in QUALITIES}
        lines += moves(scorer, f"cell {cell}", cell, photos, ways)
        print(len(lines), "lines", flush=True)
    large = [
        (path.name, Image.open(path).convert("RGB")) for path in sorted(args.large.glob("*.jpg"))
    ]
    lines += moves(scorer, "large", None, large, {f"{side} px": (SIZED, side) for side in SIZES})
    with args.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["album", "photo", "way", *(f"rival {i + 1}" for i in range(RIVALS))])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
