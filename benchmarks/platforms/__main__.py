"""`python -m benchmarks.platforms`: what stays of a promise when a platform encodes photos again.

    python -m benchmarks.platforms                    the example album
    python -m benchmarks.platforms FOLDER ...         your albums, whose photos carry positions
    python -m benchmarks.platforms --trips FOLDER     the trips in trips.csv and trips.tar there

Each album is planned as `protect` does it by default. What is shared is encoded again, at other
qualities and sizes, and scored anew. The promise is of the files as they were exported; here is
counted for how many albums it is still proved for the new ones, and for how many the place is
among an attacker's first five circles. `dino` is never asked by a plan.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

from benchmarks.edits.__main__ import counted
from benchmarks.edits.measure import FIRST
from benchmarks.edits.trips import make_trips
from benchmarks.machine import machine
from elsewhere.album.places import places_of
from elsewhere.album.renditions import encode_jpeg
from elsewhere.checker.proof import keeps_away
from elsewhere.example import ALBUM
from elsewhere.scorers import Photo, RowCache, each, find
from elsewhere.service.attacks import comes_near
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes

OWN, OTHER = "embedded", "dino"
EVERYTHING, SHARED = "everything shared", "as exported"
KEPT = "promise still proved"
Ways = Mapping[str, tuple[int, float]]
WAYS: Ways = {
    "quality 90": (90, 1),
    "quality 80": (80, 1),
    "quality 70": (70, 1),
    "quality 60": (60, 1),
    "three quarters of the size, quality 80": (80, 0.75),
    "half of the size, quality 80": (80, 0.5),
}
"""The quality of a JPEG and what its sides are multiplied by."""


@dataclass(frozen=True)
class Outcome:
    """What came of one album: for each way to encode it, what holds."""

    album: str
    photos: int
    shared: int
    """0 where there is no plan."""
    found: Mapping[str, Mapping[str, bool]]
    """By way: whether each attacker has the place, and whether the promise is proved."""


def main() -> int:
    """Measure the albums that are asked for, and print the table."""
    asked = _arguments().parse_args()
    print(machine(), flush=True)
    outcomes = []
    with TemporaryDirectory() as made:
        for number, folder in enumerate(_albums(asked, Path(made))):
            if number == asked.limit:
                break
            outcomes.append(measure(folder, seed=number))
            last = outcomes[-1]
            lost = [way for way, found in last.found.items() if not found.get(KEPT, True)]
            said = f"no longer proved: {', '.join(lost) or 'never'}" if last.shared else "no plan"
            print(f"{last.album}: {last.shared} of {last.photos} shared; {said}", flush=True)
    print(table(outcomes))
    return 0


def measure(folder: Path, *, seed: int = 0, ways: Ways = WAYS) -> Outcome:
    """One album, shared as it is, as it is exported, and as a platform would show that."""
    wishes = Wishes()
    with TemporaryDirectory() as cached:
        scored = score_album([folder], scorers=[OWN, OTHER], cache=RowCache(Path(cached)))
        try:
            own = replace(scored, models=scored.models[:1])
            places, draw = places_of(scored.photos), Random(seed)
            plan = plan_album(own, places, wishes, draw=draw, attacked=True)
            positions = tuple(position for place in plan.hidden for position in place.positions)
            circles = HiddenCircles(positions, wishes.radius_km)
            everything = [photo.rendition.content for photo in scored.photos]
            shared = [everything[n] for n in plan.plan.kept] if plan.plan.found else []
            found = {EVERYTHING: _found(scored, circles, everything)}
            if shared:
                found[SHARED] = _found(scored, circles, shared)
                for way, (quality, scale) in ways.items():
                    again = [encoded_again(content, quality, scale) for content in shared]
                    found[way] = _found(scored, circles, again)
            return Outcome(folder.name, len(everything), len(shared), found)
        finally:
            scored.close()


def encoded_again(content: bytes, quality: int, scale: float) -> bytes:
    """A JPEG as a platform would show it."""
    image: Image.Image = Image.open(io.BytesIO(content))
    if scale != 1:
        width, height = (max(1, round(side * scale)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    return encode_jpeg(image, quality)


def _found(
    scored: ScoredAlbum, circles: HiddenCircles, pictures: Sequence[bytes]
) -> dict[str, bool]:
    """Whether each attacker has the place, and whether what the plan promised is proved."""
    found = {}
    for model in scored.models:
        photos = (Photo(str(n), Path(f"{n}.jpg"), content) for n, content in enumerate(pictures))
        rows = []
        for outcome in each(find(model.spec), photos):
            assert outcome.row is not None, outcome.problem
            rows.append(outcome.row)
        known, names = model.scores, [str(n) for n in range(len(rows))]
        table = np.array(rows, np.float64)
        scores = Scores(table, names, scorer=known.scorer, grid=known.grid, points=known.points)
        found[model.spec] = comes_near(model.about, scores, circles, FIRST)
        if model.spec == OWN:
            found[KEPT] = keeps_away(scores, circles, FIRST)
    return found


def table(outcomes: Sequence[Outcome]) -> str:
    """In how many albums with a plan the promise is still proved and the place is found."""
    planned = [outcome for outcome in outcomes if outcome.shared]
    columns = (KEPT, OWN, OTHER)
    head = ["shared photos", KEPT, *(f"found by {name}" for name in columns[1:]), "albums"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for way in planned[0].found if planned else ():
        counts = [sum(outcome.found[way][column] for outcome in planned) for column in columns]
        cells = [counted(count, len(planned)) for count in counts]
        lines.append(f"| {' | '.join([way, *cells, str(len(planned))])} |")
    shared = sum(outcome.shared for outcome in planned)
    photos = sum(outcome.photos for outcome in planned)
    lines.append(
        f"\n{len(planned)} of {len(outcomes)} albums have a plan, {shared} of their "
        f"{photos} photos are shared."
    )
    return "\n".join(lines)


def _albums(asked: argparse.Namespace, made: Path) -> Iterator[Path]:
    if asked.trips:
        yield from make_trips(asked.trips, made, least=asked.least, most=asked.photos)
    else:
        yield from asked.folders or [ALBUM]


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.platforms",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="*", type=Path, help="albums (the example album)")
    parser.add_argument("--trips", type=Path, help="a folder with trips.csv and trips.tar instead")
    parser.add_argument("--least", type=int, default=5, help="photos of a trip at least (5)")
    parser.add_argument("--photos", type=int, default=16, help="photos of a trip at most (16)")
    parser.add_argument("--limit", type=int, default=-1, help="albums at most")
    return parser


if __name__ == "__main__":
    sys.exit(main())
