"""`python -m benchmarks.edits`: plans with edits beside plans that only withhold.

    python -m benchmarks.edits                      the example album
    python -m benchmarks.edits FOLDER ...           your albums, whose photos carry positions
    python -m benchmarks.edits --trips FOLDER       the trips in trips.csv and trips.tar there
    python -m benchmarks.edits --listed PHOTOS --heads HEADS     the lab's trips, see below
    python -m benchmarks.edits --confirm none --confirm dino     the models that confirm edits
    python -m benchmarks.edits --read FILE ...      the tables of what `--out` wrote

The lab's 129 trips are of photos that the shipped heads were trained on. `training.trip_heads`
makes HEADS, which never saw the source of a trip, from PHOTOS, a folder as in `training/README.md`.

`found by` counts the albums whose place is among an attacker's first five circles. A model that
confirms edits is asked; every other one is never asked but the embedded model. Edited photos are
scored anew from the bytes that would be shared. Two more attacks know of the edits: covers are
filled in by what is around them, or a second version of each edited photo is there to compare.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.edits import gpu
from benchmarks.edits.held_out import use
from benchmarks.edits.measure import KM, OWN, PLAIN, SHARED, Outcome, measure, name_of
from benchmarks.edits.trips import make_listed, make_trips
from benchmarks.machine import machine
from elsewhere.example import ALBUM
from elsewhere.service.jobs import confirming
from elsewhere_lab.values import wilson

LIST = Path(__file__).parent.parent / "trips" / "trips.csv"
"""The lab's trips."""
DEFAULT = confirming([OWN])
"""The models that confirm edits where `protect` makes them."""


def main() -> int:
    """Measure the albums that are asked for, and print the tables."""
    asked = _arguments().parse_args()
    if asked.read:
        measured = [_read(path).values() for path in asked.read]
        _print_all([outcome for albums in measured for album in albums for outcome in album])
        return 0
    confirming = [_specs(text) for text in asked.confirm] or [DEFAULT]
    print(machine(), flush=True)
    if asked.device:
        gpu.use(asked.device)
    outcomes: list[Outcome] = []
    known = _read(asked.out) if asked.out and asked.out.exists() else {}
    share, of = map(int, asked.share.split("/"))
    with TemporaryDirectory() as made:
        count = 0
        try:
            for number, (folder, source) in enumerate(_albums(asked, Path(made))):
                if count == asked.limit:
                    break
                if number < asked.start or number % of != share:
                    continue
                fresh = known.get(folder.name)
                if fresh is None:
                    if asked.heads:
                        use(asked.heads, source)
                    album = measure(
                        folder,
                        confirming,
                        seed=number,
                        endangered=asked.endangered,
                        kept=asked.cache,
                        others=asked.others,
                    )
                    fresh = list(album)
                    if asked.out:
                        with asked.out.open("a", encoding="utf-8") as out:
                            line = {"album": folder.name, "outcomes": [asdict(o) for o in fresh]}
                            out.write(json.dumps(line) + "\n")
                    if fresh:
                        print(f"{folder.name}\n{table(fresh)}", flush=True)
                if asked.endangered and fresh and not fresh[0].hits[PLAIN][OWN]:
                    continue
                count += bool(fresh)
                outcomes += fresh
        except KeyboardInterrupt:
            print("stopped: only whole albums are counted")
    _print_all(outcomes)
    return 0


def _albums(asked: argparse.Namespace, made: Path) -> Iterator[tuple[Path, str]]:
    """The folders of the albums that are asked for, with their source where it is known."""
    if asked.listed:
        yield from make_listed(asked.listed, LIST, made, most=asked.photos)
    elif asked.trips:
        for folder in make_trips(asked.trips, made, least=asked.least, most=asked.photos):
            yield folder, ""
    else:
        for folder in asked.folders or [ALBUM]:
            yield folder, ""


def _read(path: Path) -> dict[str, list[Outcome]]:
    """What was measured of each album."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    return {line["album"]: [Outcome(**record) for record in line["outcomes"]] for line in lines}


def _print_all(outcomes: Sequence[Outcome]) -> None:
    """The tables of all albums, and of those that are endangered."""
    albums: list[list[Outcome]] = []
    for outcome in outcomes:
        if outcome.way == SHARED:
            albums.append([])
        albums[-1].append(outcome)
    endangered = [album for album in albums if album[0].hits[PLAIN][OWN]]
    for title, some in (("all", albums), ("endangered:", endangered)):
        every = [outcome for album in some for outcome in album]
        if every:
            tables = (
                table(every), curve_table(every), attack_table(every), distance_table(every),
            )  # fmt: skip
            print(f"{title} {len(some)} albums", *tables, sep="\n")


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


def curve_table(outcomes: Sequence[Outcome]) -> str:
    """What each way to plan loses, and who finds the place then, as a table of Markdown.

    The way that loses least comes first. Attackers that the plan asked are in brackets.
    """
    attackers = list(outcomes[0].hits[PLAIN])
    names = [f"found by {name_of([spec])}" for spec in attackers]
    rows = [f"| plan | picture lost | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]

    def loss(way: str) -> float:
        return sum(o.lost for o in ways[way]) / sum(o.photos for o in ways[way])

    ways = _by_way(outcomes)
    for way in sorted(ways, key=loss):
        asked = {spec for spec in attackers if name_of([spec]) in way.replace(",", "").split()}
        if way != SHARED:
            asked.add(OWN)
        hits = {spec: sum(o.hits[PLAIN][spec] for o in ways[way]) for spec in attackers}
        cells = [f"({hits[spec]})" if spec in asked else str(hits[spec]) for spec in attackers]
        rows.append(f"| {way} | {loss(way):.2f} | {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def attack_table(outcomes: Sequence[Outcome]) -> str:
    """In how many albums each attacker has the place, as a table of Markdown."""
    attackers = list(outcomes[0].hits[PLAIN])
    names = [f"found by {name_of([spec])}" for spec in attackers]
    rows = [f"| plan | attack | {' | '.join(names)} | albums |", "|---" * (len(names) + 3) + "|"]
    for way, same in _by_way(outcomes).items():
        for attack in dict.fromkeys(attack for outcome in same for attack in outcome.hits):
            # an attack on edits leaves an album without any as it is
            hits = [outcome.hits.get(attack, outcome.hits[PLAIN]) for outcome in same]
            cells = [counted(sum(hit[spec] for hit in hits), len(same)) for spec in attackers]
            rows.append(f"| {way} | {attack} | {' | '.join(cells)} | {len(same)} |")
    return "\n".join(rows) + "\n"


def distance_table(outcomes: Sequence[Outcome]) -> str:
    """How many albums have an attacker's first guess within so many km, as a table of Markdown."""
    head = ["plan", "first guess of", *(f"within {km:,} km" for km in KM), "albums"]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for way, same in _by_way(outcomes).items():
        for spec in same[0].hits[PLAIN]:
            # where nothing is shared nobody guesses by it
            guesses = [outcome.first_km.get(spec, math.inf) for outcome in same]
            cells = [counted(sum(guess <= km for guess in guesses), len(same)) for km in KM]
            rows.append(f"| {way} | {name_of([spec])} | {' | '.join(cells)} | {len(same)} |")
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
    parser.add_argument("--listed", type=Path, help="photos for the lab's trips instead")
    parser.add_argument("--heads", type=Path, help="heads that never saw a trip's source")
    parser.add_argument("--device", help="cuda: towers run there by PyTorch, in half precision")
    parser.add_argument("--others", action="store_true", help="other plans by withholding, too")
    parser.add_argument("--share", default="0/1", help="I/N: the albums I, I + N, ... (0/1)")
    parser.add_argument("--read", nargs="+", type=Path, help="files of --out, to print again")
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
    parser.add_argument(
        "--out",
        type=Path,
        help="add every album to this file, as JSON, and do not measure again what is in it",
    )
    parser.add_argument(
        "--cache", type=Path, help="keep what models saw in this folder; then no time is measured"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
