"""How far the embedded model's scores move when a platform encodes a shared photo again.

    python -m training.recompress PHOTOS LARGE OUT.csv

``PHOTOS`` is the folder of tars: 16 photos of each of 8 cells are encoded again at qualities from
60 to 95. They are small, so sizes are tried on the photos of the folder ``LARGE`` instead (JPEG
files of 1600 px and more; ours are those of the Debian packages lomiri-wallpapers-16.04, -20.04,
mate-backgrounds and plasma-workspace-wallpapers), whose place nobody knows: their likeliest cell
stands for it. What is encoded again is the rendition, as it would be shared.

One line for a photo and a way to encode it: by how many nats the gain of each of the likeliest
rivals over the truth moved. Only these numbers are kept, not the photos.
"""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from elsewhere.album.renditions import MAX_SIDE, QUALITY, encoded
from elsewhere.globe import Cells
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.photos import Photo
from training.features import shard_bytes
from training.photos import read_manifest

QUALITIES = (60, 70, 80, 90, 95)
SIZES = (1080, 1600, 2048)
SIZED = 85
"""The quality at which photos are made smaller."""
CELLS, EACH = 8, 16
RIVALS = 5


def small(folder: Path) -> Iterator[tuple[str, int, Image.Image]]:
    """Sixteen photos each of eight cells, spread over those that have them."""
    rows = [row for row in read_manifest(folder / "manifest.csv") if row.radius_km <= 25]
    cell = np.asarray(Cells.default().locate([r.lat for r in rows], [r.lon for r in rows]))
    rng = np.random.default_rng(13)
    rich = np.flatnonzero(np.bincount(cell) >= EACH)
    for one in rich[:: max(1, len(rich) // CELLS)][:CELLS].tolist():
        mine = [rows[i] for i in rng.permutation(np.flatnonzero(cell == one))[:EACH]]
        for shard in sorted({row.shard for row in mine}):
            names = {row.name for row in mine if row.shard == shard}
            for name, content in shard_bytes(folder, shard, names):
                yield name, one, Image.open(io.BytesIO(content)).convert("RGB")


def again(content: bytes, quality: int, side: int | None = None) -> bytes:
    """A rendition as a platform would show it."""
    image = Image.open(io.BytesIO(content)).convert("RGB")
    if side is not None:
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return encoded(image, quality)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("large", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    scorer = EmbeddedScorer()
    scorer.load()

    def score(content: bytes) -> npt.NDArray[np.float64]:
        return np.asarray(scorer.score(Photo("photo", Path("photo"), content)), dtype=np.float64)

    lines: list[list[object]] = []

    def tried(
        name: str, truth: int | None, image: Image.Image, ways: dict[str, tuple[int, int | None]]
    ) -> None:
        image.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
        content = encoded(image, QUALITY)
        before = score(content)
        own = int(before.argmax()) if truth is None else truth
        rivals = [int(c) for c in np.argsort(-before, kind="stable") if c != own][:RIVALS]
        for way, (quality, side) in ways.items():
            after = score(again(content, quality, side))
            moved = (after[rivals] - after[own]) - (before[rivals] - before[own])
            lines.append([name, way, *(f"{value:.4f}" for value in moved)])

    for name, truth, image in small(args.photos):
        tried(name, truth, image, {f"quality {q}": (q, None) for q in QUALITIES})
    print(len(lines), "lines", flush=True)
    for path in sorted(args.large.glob("*.jpg")):
        image = Image.open(path).convert("RGB")
        tried(path.name, None, image, {f"{side} px": (SIZED, side) for side in SIZES})
    with args.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["photo", "way", *(f"rival {i + 1}" for i in range(RIVALS))])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
