"""`python -m benchmarks.album`: an album from files to plan, against bare inference.

    python -m benchmarks.album                      100 photos of 12 megapixels, made here
    python -m benchmarks.album --photos FOLDER      your own, which should carry positions
    python -m benchmarks.album --check              and fail where the claim does not hold
    python -m benchmarks.album --stages             what a photo costs, stage by stage, and no more

The re-proof of an export scores it again by its very meaning and is not part of this.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.album import stages, turns
from benchmarks.machine import machine
from benchmarks.scoring import photos
from elsewhere.album import Recipe
from elsewhere.album.discovery import find_photos

if TYPE_CHECKING:
    from PIL import Image

ROOT = Path(__file__).parents[2]
STAGED = 12
"""Photos that are taken apart."""
MOST = 1.6
"""How many times as long as bare inference the whole may take."""
PLACE = (38.7223, -9.1393)
"""Where the photos that are made say they were taken: there must be something to hide."""


def main() -> int:
    """Run what was asked for."""
    asked = _arguments().parse_args()
    out = asked.out if asked.out.is_absolute() else ROOT / asked.out
    out.mkdir(parents=True, exist_ok=True)
    if asked.photos:
        paths = [photo.path for photo in find_photos([asked.photos]).photos][: asked.count]
    else:
        paths = photos.make(out / "album", asked.count, placed)
    document: dict[str, Any] = {"machine": machine()}
    print(document["machine"], flush=True)
    recipe = Recipe(asked.max_side) if asked.max_side else Recipe()
    if asked.stages:
        return _taken_apart(paths[:STAGED], recipe, asked.rounds, out)
    document |= turns.measure(paths, recipe, asked.rounds, lambda line: print(line, flush=True))
    claim, holds, measured = verdict(document)
    document["claims"] = {claim: holds}
    (out / "album.json").write_text(json.dumps(document, indent=2) + "\n")
    for side, what in (
        ("whole", f"files to plan, {document['rendition']}"),
        ("bare", f"{document['threads']} single-thread runs side by side on ready tensors"),
    ):
        print(
            f"{side:6}{document[f'{side} photos per second']:7.2f} photos/s "
            f"{document[f'{side} ms of processor']:7.1f} ms of CPU a photo  {what}"
        )
    print(f"plan  {document['planning seconds']:7.2f} s, {document['plan']}")
    print(f"{'pass' if holds else 'FAIL'}  {claim}: {measured}")
    return int(asked.check and not holds)


def _taken_apart(paths: list[Path], recipe: Recipe, rounds: int, out: Path) -> int:
    """Print and keep what each stage takes."""
    each = stages.measure(paths, recipe, rounds)
    megabytes = sum(path.stat().st_size for path in paths) / len(paths) / 1e6
    print(f"processor time a photo, {len(paths)} photos of {megabytes:.1f} MB, {recipe}")
    for stage, spent in each.items():
        print(f"{stage:18}{spent:7.1f} ms")
    document = {"machine": machine(), "megabytes each": round(megabytes, 2), "ms": each}
    (out / "album-stages.json").write_text(json.dumps(document, indent=2) + "\n")
    return 0


def verdict(document: dict[str, Any]) -> tuple[str, bool, str]:
    """The claim, whether it holds, and what was measured: medians over the turns."""
    return (
        f"reading, rendering, scoring and planning take at most {MOST} times bare inference",
        document["ratio"] <= MOST,
        f"{document['ratio']:.2f} on the clock, {document['processor ratio']:.2f} in processor "
        f"time ({document['photos']} photos of {document['megabytes each']} MB)",
    )


def placed(number: int) -> Image.Exif:
    """What a phone notes: a place that wanders about a city, and a time."""
    from PIL import Image

    value = Image.Exif()
    value[0x0112] = 1
    value[0x0132] = f"2023:07:{1 + number // 20:02} {8 + number % 12:02}:{number % 60:02}:00"
    lat, lon = PLACE[0] + number % 7 / 500, PLACE[1] + number % 5 / 500
    where = value.get_ifd(0x8825)
    where[1], where[2] = "N", (float(int(lat)), (lat % 1) * 60, 0.0)
    where[3], where[4] = "W", (float(int(-lon)), (-lon % 1) * 60, 0.0)
    return value


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.album",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--photos", type=Path, help="a folder of photos instead of made ones")
    parser.add_argument("--count", type=int, default=100, help="how many photos")
    parser.add_argument("--rounds", type=int, default=5, help="how many turns of each side")
    parser.add_argument("--max-side", type=int, help="longest side of a rendition")
    parser.add_argument(
        "--out", type=Path, default=Path("build/benchmarks"), help="results go here"
    )
    parser.add_argument("--stages", action="store_true", help="only take one photo's cost apart")
    parser.add_argument("--check", action="store_true", help="exit with 1 where the claim fails")
    return parser


if __name__ == "__main__":
    sys.exit(main())
