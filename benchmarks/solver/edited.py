"""`python -m benchmarks.solver.edited`: versions of real photos, for problems over versions.

    python -m benchmarks.solver.edited --trips FOLDER --albums 25

The product's own edit search makes versions of the photos of the example album, and of up to so
many of each trip in FOLDER (trips.csv and trips.tar, as for `python -m benchmarks.edits`). Only
numbers are kept: what each version costs, and what the embedded model and its two other heads see
in it, as the plan would count it, pooled into the paper's 512 cells and rounded to a sixteenth of a
nat. The first column is the cell where the photo was taken; the others follow by their distance
from it, so that photos of different places can stand for photos of one. An album that was made
before is not made again, so that the command can be stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.edits.trips import make_trips
from elsewhere.album.places import places_of
from elsewhere.example import ALBUM
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import between_km
from elsewhere.service.edits import EditSearch
from elsewhere.service.posted import NOTHING_POSTED
from elsewhere.service.scored_album import score_album
from elsewhere.service.selection import select_places
from elsewhere.service.threats import find_threats
from elsewhere.values.versions import ScoredVersion
from elsewhere.values.wishes import Wishes

STORED = Path(__file__).with_name("edited.npz")
HEADS = ("embedded", "embedded:half_a", "embedded:half_b")
CONFIRMING = ("dino",)
STEPS = 16
"""Scores are rounded to one of so many parts of a nat."""
DEEPEST = -30.0
"""Scores below the row's largest by more are not told apart."""
PERCENT = 100
"""Costs are kept in hundredths of a photo, rounded up."""

NAMES = ("photo", "cost", "scores")

Stored = dict[str, NDArray[np.int16]]


@cache
def stored() -> Stored:
    """What was made: `photo`, `cost` and `scores`, one row for each version and head."""
    with np.load(STORED) as file:
        return {name: file[name] for name in NAMES}


def main() -> int:
    """Make the file, album by album."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver.edited",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--trips", type=Path, required=True, help="with trips.csv and trips.tar")
    parser.add_argument("--photos", type=int, default=2, help="photos of a trip (2)")
    parser.add_argument("--albums", type=int, default=-1, help="albums at most")
    parser.add_argument("--out", type=Path, default=STORED)
    asked = parser.parse_args()
    made: Stored = {}
    done = 0
    if asked.out.exists():
        with np.load(asked.out) as file:
            made, done = {name: file[name] for name in NAMES}, int(file["albums"])
    with TemporaryDirectory() as folder:
        trips = make_trips(asked.trips, Path(folder), least=asked.photos, most=asked.photos)
        for number, album in enumerate([ALBUM, *trips]):
            if number == asked.albums:
                break
            if number < done:
                continue
            made = _join(made, album)
            photo, cost, scores = (made[name] for name in NAMES)
            np.savez_compressed(
                asked.out, photo=photo, cost=cost, scores=scores, albums=np.int16(number + 1)
            )
            print(f"album {number}: {len(np.unique(made['photo']))} photos by head, "
                  f"{len(made['photo'])} rows", flush=True)  # fmt: skip
    return 0


def _join(made: Stored, album: Path) -> Stored:
    """What was made before, and the photos of this album; a photo is one for each head."""
    photo = list(made.get("photo", ()))
    cost = list(made.get("cost", ()))
    scores = list(made.get("scores", ()))
    number = int(photo[-1]) + 1 if photo else 0
    for order, versions in _versions(album):
        for head in range(len(HEADS)):
            for version in versions:
                photo.append(number)
                cost.append(-int(-version.cost * PERCENT // 1))
                scores.append(_pooled(version, head)[order])
            number += 1
    return {
        "photo": np.array(photo, np.int16),
        "cost": np.array(cost, np.int16),
        "scores": np.array(scores, np.int16),
    }


def _versions(album: Path) -> Iterator[tuple[NDArray[np.intp], tuple[ScoredVersion, ...]]]:
    """For each photo with a position the order of the cells, and its versions."""
    cells, wishes = Cells.paper(), Wishes(edits="both")
    with closing(score_album([album], scorers=HEADS)) as scored:
        places = places_of(scored.photos)
        hidden = select_places(places, scored.photos, wishes.hide).hidden
        threats = find_threats(scored, places, hidden, wishes, NOTHING_POSTED)
        with EditSearch(scored, threats, confirm=CONFIRMING) as search:
            for number, photo in enumerate(scored.photos):
                position = photo.metadata.position
                if position is None:
                    continue
                truth = cells.locate(*position)
                lat, lon = cells.points
                away = between_km(lat[truth], lon[truth], lat, lon)
                away[truth] = -1.0
                yield np.argsort(away, kind="stable"), search.versions(number)


def _pooled(version: ScoredVersion, head: int) -> NDArray[np.int16]:
    """The row of a version over the paper's cells, in parts of a nat below its largest."""
    parents = Cells.leaves().parents
    assert parents is not None
    row = version.rows[head].astype(np.float64)
    starts = np.searchsorted(parents, np.arange(Cells.paper().count))
    pooled = np.logaddexp.reduceat(row, starts)
    below = np.maximum(pooled - pooled.max(), DEEPEST)
    return np.asarray(np.rint(STEPS * below), np.int16)


if __name__ == "__main__":
    sys.exit(main())
