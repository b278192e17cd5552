"""`python -m benchmarks.places`: plans for places on all 36,000 leaves.

Albums are made of real photos' scores (`benchmarks/trips`): one trip, which is hidden, and as many
photos of other trips as are needed. Measured: planning and the check of the plan, top 5, each photo
and the default margin, with nothing remembered; the same again as a click in the app asks for it;
and the peak memory of a process that plans and audits a large album.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.machine import machine
from elsewhere.album.metadata import Metadata
from elsewhere.globe import Cells
from elsewhere.scorers import ScorerInfo
from elsewhere.service.bulk import AttackerInfo, UnreadPhoto, plan_unread_album
from elsewhere.service.scores import solve_and_check
from elsewhere.solver import reductions
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from elsewhere_lab.trips import EMBEDDED, Trips

TRIPS = Trips(Path(__file__).parents[1] / "trips")
RADIUS_KM, TOP, MARGIN = 25.0, 5, 0.1
SEED = 15


def album(number: int, photos: int) -> tuple[Scores, tuple[tuple[float, float], ...]]:
    """The scores of one trip and of photos of others, and where the trip was."""
    leaves = Cells.leaves()
    rng = np.random.default_rng([SEED, number])
    trips = TRIPS.entries()
    own = trips[number % len(trips)][1][:photos]
    others = [row for other in (*trips, *trips)[number + 1 :] for row in other[1]]
    more = rng.choice(others, photos - len(own), replace=photos > len(others)).tolist()
    values = np.empty((photos, leaves.count), np.float32)
    for start in range(0, photos, 256):
        rows = [*own, *more][start : start + 256]
        values[start : start + len(rows)] = TRIPS.scores(EMBEDDED, rows)
    values.flags.writeable = False
    lats, lons = TRIPS.positions(own).T.tolist()
    positions = tuple(sorted(set(zip(lats, lons, strict=True))))
    grid = leaves.fingerprint
    return Scores(values, scorer="trips", grid=grid, points=leaves.points), positions


def request(scores: Scores, positions: tuple[tuple[float, float], ...]) -> Request:
    """What `protect` asks for by default, with the top as it is."""
    hidden = HiddenCircles(positions, RADIUS_KM, TRIPS.exponent(scores.photos))
    return read_request(scores, hidden, top=TOP, margin=MARGIN, each_photo=True)


def measure_time(photos: int, albums: int) -> None:
    """Milliseconds for albums of so many photos: the first plan, and a later click."""
    first, later, shared = [], [], []
    for number in range(albums):
        scores, positions = album(number, photos)
        made = request(scores, positions)
        scores.digest  # noqa: B018 — known since the photos were scored
        reductions.forget()
        start = time.perf_counter()
        plan = solve_and_check(made, read_limits(None, None), explain=None)
        first.append(1000 * (time.perf_counter() - start))
        pinned = plan.withheld[:1] or plan.kept[:1]
        clicked = read_request(
            scores,
            made.promise.against[0].circles,
            top=TOP,
            margin=MARGIN,
            each_photo=True,
            keep=pinned,
        )
        start = time.perf_counter()
        solve_and_check(clicked, read_limits(None, None), explain=None)
        later.append(1000 * (time.perf_counter() - start))
        shared.append(len(plan.kept) / photos)
    print(
        f"{photos} photos, {albums} albums, planned and checked: median {median(first):.0f} ms, "
        f"largest {max(first):.0f} ms; with one photo kept by a click: median "
        f"{median(later):.0f} ms; shared {np.mean(shared):.2f}"
    )


def measure_memory(photos: int) -> None:
    """Plan and audit one album in this process, and print its peak."""
    scores, positions = album(0, photos)
    leaves = Cells.leaves()
    sizes = (1, 4, 16, 64)
    exponents = {size: TRIPS.exponent(size) for size in sizes}
    about = ScorerInfo("trips", "trips", leaves.count, leaves.fingerprint, leaves, exponents)
    everywhere = [*positions, *[positions[0]] * (photos - len(positions))]
    photos_ = [
        UnreadPhoto(str(n), f"{n:064}", Metadata(position=position))
        for n, position in enumerate(everywhere)
    ]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    models = [AttackerInfo("trips", about)]
    planned, _, _ = plan_unread_album(photos_, [], [scores], models, Wishes(exact_top=True))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{photos} photos: {peak:.0f} MiB at the most ({before:.0f} with the scores alone), "
        f"{seconds:.1f} s to plan, check and audit; {planned.newly_shared} shared"
    )


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--albums", type=int, default=15)
    parser.add_argument("--photos", type=int, default=128)
    parser.add_argument("--large", type=int, default=5000)
    parser.add_argument("--memory", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        measure_memory(given.memory)
        return
    for name, value in machine().items():
        print(f"{name}: {value}")
    for photos in (20, given.photos):
        measure_time(photos, given.albums)
    if given.large:
        own = [sys.executable, "-m", "benchmarks.places", "--memory", str(given.large)]
        subprocess.run(own, check=True)


if __name__ == "__main__":
    main()
