"""`python -m benchmarks.edits`: plans with edits beside plans that only withhold.

    python -m benchmarks.edits                      the example album
    python -m benchmarks.edits FOLDER ...           your albums, whose photos carry positions
    python -m benchmarks.edits --trips FOLDER       the trips in trips.csv and trips.tar there
    python -m benchmarks.edits --confirm none --confirm dino     the models that confirm edits

`found by` counts the albums whose place is among an attacker's first five circles. A model that
confirms edits is asked; every other one is never asked but the embedded model. Edited photos are
scored anew from the bytes that would be shared. Two more attacks know of the edits: covers are
filled in by what is around them, or a second version of each edited photo is there to compare.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.edits.measure import ATTACKERS, OWN, PLAIN, Outcome, measure, name_of
from benchmarks.edits.trips import make_trips
from benchmarks.machine import machine
from elsewhere.example import ALBUM
from elsewhere.service.jobs import confirming
from elsewhere_lab.values import wilson

DEFAULT = confirming([OWN])
"""The models that confirm edits where `protect` makes them."""


def main() -> int:
    """Measure the albums that are asked for, and print the tables."""
    asked = _arguments().parse_args()
    confirming = [_specs(text) for text in asked.confirm] or [DEFAULT]
    about = machine()
    print(about, flush=True)
    outcomes: list[Outcome] = []
    with TemporaryDirectory() as made:
        folders: Iterable[Path] = asked.folders or [ALBUM]
        if asked.trips:
            folders = make_trips(asked.trips, Path(made), least=asked.least, most=asked.photos)
        count = 0
        try:
            for number, folder in enumerate(folders):
                if count == asked.limit:
                    break
                if number < asked.start:
                    continue
                album = measure(
                    folder,
                    confirming,
                    seed=number,
                    endangered=asked.endangered,
                )
                fresh: list[Outcome] = []
                for outcome in album:
                    fresh.append(outcome)
                    if asked.out:
                        with asked.out.open("a", encoding="utf-8") as out:
                            line = {"album": number, **asdict(outcome)}
                            out.write(json.dumps(line) + "\n")
                if fresh:
                    count += 1
                    print(f"album {number}\n{table(fresh)}", flush=True)
                    outcomes += fresh
        except KeyboardInterrupt:
            print("stopped: only whole albums are counted")
    print(f"all {count} albums\n{table(outcomes)}\n{attack_table(outcomes)}")
    return 0


def _specs(text: str) -> tuple[str, ...]:
    return () if text == "none" else tuple(text.split(","))


def table(outcomes: Sequence[Outcome]) -> str:
    """What each way to plan shares and costs, as a table of Markdown."""
    head = [
        "plan", "albums", "no plan", "photos", "as it is", "edited", "withheld", "picture lost",
        "loss of edited: median", "worst", "versions", "runs a photo", "seconds a photo",
    ]  # fmt: skip
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for way, same in _by_way(outcomes).items():
        photos = sum(outcome.photos for outcome in same)
        losses = [loss for outcome in same for loss in outcome.losses]
        searched = sum(outcome.searched for outcome in same)
        seconds = [outcome.seconds for outcome in same if outcome.seconds is not None]
        cells = [
            way,
            str(len(same)),
            str(sum(not outcome.found for outcome in same)),
            str(photos),
            *(
                counted(count, photos)
                for count in (
                    sum(outcome.as_is for outcome in same),
                    len(losses),
                    sum(outcome.withheld for outcome in same),
                )
            ),
            f"{sum(outcome.lost for outcome in same) / photos:.2f}",
            f"{median(losses):.2f}" if losses else "",
            f"{max(losses):.2f}" if losses else "",
            str(sum(outcome.versions for outcome in same)) if searched else "",
            f"{sum(outcome.runs for outcome in same) / searched:.0f}" if searched else "",
            f"{sum(seconds) / 2 / searched:.1f}" if searched and seconds else "",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def attack_table(outcomes: Sequence[Outcome]) -> str:
    """In how many albums each attacker has the place, as a table of Markdown."""
    names = [f"found by {name_of([spec])}" for spec in ATTACKERS]
    rows = [f"| plan | attack | {' | '.join(names)} | albums |", "|---" * (len(names) + 3) + "|"]
    for way, same in _by_way(outcomes).items():
        for attack in dict.fromkeys(attack for outcome in same for attack in outcome.hits):
            # an attack on edits leaves an album without any as it is
            hits = [outcome.hits.get(attack, outcome.hits[PLAIN]) for outcome in same]
            cells = [counted(sum(hit[spec] for hit in hits), len(same)) for spec in ATTACKERS]
            rows.append(f"| {way} | {attack} | {' | '.join(cells)} | {len(same)} |")
    return "\n".join(rows) + "\n"


def counted(count: int, total: int) -> str:
    """A count with the 95 % interval of its share.

    >>> counted(2, 20)
    '2 (3 to 30 %)'
    """
    low, high = wilson(count / total, total)
    return f"{count} ({100 * low:.0f} to {100 * high:.0f} %)"


def _by_way(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    ways: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        ways.setdefault(outcome.way, []).append(outcome)
    return ways


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.edits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="*", type=Path, help="albums (the example album)")
    parser.add_argument("--trips", type=Path, help="a folder with trips.csv and trips.tar instead")
    parser.add_argument("--least", type=int, default=5, help="photos of a trip at least (5)")
    parser.add_argument("--photos", type=int, default=16, help="photos of a trip at most (16)")
    parser.add_argument("--start", type=int, default=0, help="albums that are left out first")
    parser.add_argument("--limit", type=int, default=-1, help="albums at most")
    parser.add_argument(
        "--endangered",
        action="store_true",
        help="only albums whose place the embedded model has, with everything shared",
    )
    parser.add_argument(
        "--confirm",
        action="append",
        default=[],
        metavar="MODELS",
        help="models that confirm edits, with commas, or none; one plan for each time it is given "
        f"({','.join(DEFAULT)})",
    )
    parser.add_argument("--out", type=Path, help="add every outcome to this file, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
