"""`python -m benchmarks.scoring`: photos per second, memory, and time to the first score.

    python -m benchmarks.scoring                    everything (about ten minutes on two cores)
    python -m benchmarks.scoring --memory 0         without the long run
    python -m benchmarks.scoring --check            and fail where a claim does not hold

Photos are made by the benchmark itself (12 megapixels, JPEG, quality 90).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.machine import machine
from benchmarks.scoring import command, photos, speed
from elsewhere.scorers.tower import WEIGHTS, read_record

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run what was asked for."""
    asked = _arguments().parse_args()
    out = asked.out if asked.out.is_absolute() else ROOT / asked.out
    out.mkdir(parents=True, exist_ok=True)
    paths = photos.make(out / "photos", asked.distinct)
    document: dict[str, Any] = {"machine": machine()}
    print(f"{document['machine']}", flush=True)
    document["speed"] = speed.measure(paths, asked.weights, asked.rounds, asked.seconds)
    tower = asked.weights / read_record(asked.weights)["tower"]["file"]
    document["first score"] = command.first_score(paths[0], tower, 5)
    if asked.memory:
        document["memory"] = command.memory(paths, asked.memory)
    verdicts = _verdicts(document)
    document["claims"] = {claim: holds for claim, holds, _ in verdicts}
    (out / "scoring.json").write_text(json.dumps(document, indent=2) + "\n")
    fast = document["speed"]
    for name, rate in fast["fastest"].items():
        how = {"whole": "files to rows", "bare": fast["bare"], "best": fast["best"]}[name]
        print(f"{name:6}{rate['per_second']:7.2f} photos/s {rate['cpu_ms']:7.1f} ms of CPU  {how}")
    print(
        f"----  against the bare session run in the best way we know: {fast['ratio to best']:.2f}"
    )
    for claim, holds, measured in verdicts:
        print(f"{'pass' if holds else 'FAIL'}  {claim}: {measured}")
    return int(asked.check and not all(holds for _, holds, _ in verdicts))


def _verdicts(document: dict[str, Any]) -> list[tuple[str, bool, str]]:
    fast, first = document["speed"], document["first score"]
    found = [
        (
            "the whole path reaches .80 of the bare session at its best batch size",
            fast["ratio to bare"] >= 0.80,
            f"{fast['ratio to bare']:.2f} = {fast['fastest']['whole']['per_second']:.2f} / "
            f"{fast['fastest']['bare']['per_second']:.2f} photos/s "
            f"({fast['photos']} JPEGs of {fast['megabytes each']} MB)",
        ),
        (
            "the first score is there within 3 s of starting the command",
            max(first["cold"], first["warm"]) <= 3.0,
            f"{first['cold']:.2f} s cold, {first['warm']:.2f} s warm",
        ),
    ]
    if "memory" in document:
        held = document["memory"]
        found += [
            (
                f"{held['photos']} photos take less than 1 GiB, workers and all",
                held["peak MiB"] < 1024,
                f"peak {held['peak MiB']:.0f} MiB",
            ),
            (
                "and memory is flat",
                held["last quarter MiB"] <= 1.05 * held["second quarter MiB"] + 16,
                f"{held['second quarter MiB']:.0f} MiB in the second quarter, "
                f"{held['last quarter MiB']:.0f} MiB in the last",
            ),
        ]
    return found


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scoring",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--distinct", type=int, default=50, help="how many different photos")
    parser.add_argument("--rounds", type=int, default=8, help="how many turns of each")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long a turn of the bare")
    parser.add_argument("--memory", type=int, default=5000, help="photos of the long run; 0: none")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="of the embedded scorer")
    parser.add_argument(
        "--out", type=Path, default=Path("build/benchmarks"), help="results go here"
    )
    parser.add_argument("--check", action="store_true", help="exit with 1 where a claim fails")
    return parser


if __name__ == "__main__":
    sys.exit(main())
