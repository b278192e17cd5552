"""`python -m benchmarks.batch`: albums from scores, photos from pixels, memory as data grow.

python -m benchmarks.batch                     all of it: some minutes
python -m benchmarks.batch scores --albums 2000
python -m benchmarks.batch pixels --photos 40
python -m benchmarks.batch memory --size 100 --small 16
python -m benchmarks.batch --check             and fail where a claim does not hold
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.album.__main__ import placed
from benchmarks.batch import data, memory, speed
from benchmarks.machine import machine
from benchmarks.scoring import photos

ROOT = Path(__file__).parents[2]
PARTS = ("scores", "pixels", "memory")
TIMES = (1, 4, 16)
FLAT = 1.25
"""How much more memory 16 times the data may take."""
MOST = 1.8
"""How many times the bare session's processor time a photo may take, from file to plan and with
the start of all processes; the clock says more of what else a machine does."""


def main() -> int:
    """Run what was asked for."""
    asked = _arguments().parse_args()
    document: dict[str, Any] = {"machine": machine()}
    print(document["machine"], flush=True)
    parts = asked.parts or PARTS
    with tempfile.TemporaryDirectory(prefix="elsewhere-bench-") as folder:
        place = Path(folder)
        if "scores" in parts:
            print(f"from scores: {asked.albums} albums of {data.PHOTOS} photos, 512 cells")
            dataset = data.write_scores(place / "scores" / "a.arrow", asked.albums)
            document["scores"] = speed.from_scores(dataset.parent, place / "out", say)
        if "pixels" in parts:
            print(f"from pixels: {asked.photos} photos of 12 megapixels, albums of {speed.ALBUM}")
            paths = photos.make(place / "album", asked.photos, placed)
            listed = data.write_photos(place / "photos" / "a.parquet", paths, speed.ALBUM)
            document["pixels"] = speed.from_pixels(
                paths, listed.parent, place / "out", asked.rounds, say
            )
        if "memory" in parts:
            document["memory"] = _memory(place, asked.size, asked.small)
    document["claims"] = claims(document)
    for claim, holds in document["claims"].items():
        print(f"{'pass' if holds else 'FAIL'}  {claim}")
    out = ROOT / "build" / "benchmarks"
    out.mkdir(parents=True, exist_ok=True)
    (out / "batch.json").write_text(json.dumps(document, indent=2) + "\n")
    return int(asked.check and not all(document["claims"].values()))


def _memory(place: Path, size: int, small: int) -> dict[str, Any]:
    print(
        f"memory: {size} albums from scores, {small} photos, and 4 and 16 times as many; 2 workers"
    )
    return {
        "scores, local": _grown("scores, local", place, size),
        "scores, Ray": _grown("scores, Ray", place, size, "ray"),
        "photos, local": _grown("photos, local", place, small),
    }


def _grown(title: str, place: Path, size: int, engine: str = "local") -> dict[str, Any]:
    """Peak memory at each size, of one kind of dataset on one engine."""
    found: dict[str, Any] = {}
    for times in TIMES:
        folder, out = place / f"m{times}", place / f"memory-{times}"
        if title.startswith("scores"):
            data.write_scores(folder / "a.arrow", size * times)
            told = memory.peak(folder, out, engine)
        else:
            data.write_small(folder / "a.parquet", size * times, speed.ALBUM)
            told = memory.peak(folder, out, engine, block=8)
        found[str(times)] = told
        shutil.rmtree(folder)
        shutil.rmtree(out)
        say(
            f"  {title:14} {times:2} x {told['MiB of driver and workers']:6.0f} MiB of driver and "
            f"workers, {told['MiB of the driver']:5.0f} of the driver, "
            f"{told['MiB in all']:6.0f} in all, {told['seconds']:6.1f} s"
        )
    return found


def claims(document: dict[str, Any]) -> dict[str, bool]:
    """What must hold of what was measured."""
    found: dict[str, bool] = {}
    if "memory" in document:
        for title, told in document["memory"].items():
            sizes = [told[str(times)]["MiB of driver and workers"] for times in TIMES]
            found[f"{title}: 16 times the data take at most {FLAT} times the memory"] = (
                sizes[-1] <= FLAT * sizes[0]
            )
    if "pixels" in document:
        found[f"a photo takes at most {MOST} times the bare session, in processor time"] = (
            document["pixels"]["processor ratio"] <= MOST
        )
    return found


def say(line: str) -> None:
    """At once, for whoever waits."""
    print(line, flush=True)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.batch",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them unless told")
    parser.add_argument("--albums", type=int, default=2000, help="albums to plan from scores")
    parser.add_argument("--photos", type=int, default=48, help="photos to look at")
    parser.add_argument("--rounds", type=int, default=3, help="turns from pixels")
    parser.add_argument("--size", type=int, default=150, help="albums at 1 x of the memory part")
    parser.add_argument("--small", type=int, default=16, help="photos at 1 x of the memory part")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a claim fails")
    return parser


if __name__ == "__main__":
    sys.exit(main())
