"""The leaves: as fine as what people hide, each inside one of the paper's 512 cells."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe import Cells, between_km
from elsewhere.globe.coordinates import Box, Floats
from elsewhere.globe.gazetteer import DATA, gazetteer


def diagonals_km(cells: Cells) -> Floats:
    """The longer of a box's diagonal and its width where it is widest."""
    south, west, north, east = cells.boxes.T
    base = np.where(np.abs(south) < np.abs(north), south, north)
    base[(south <= 0) & (north >= 0)] = 0
    return np.maximum(between_km(south, west, north, east), between_km(base, west, base, east))


def test_the_leaves_are_the_shipped_ones() -> None:
    leaves = Cells.leaves()
    assert leaves.count == 36_000
    assert leaves.fingerprint.startswith("3d2edbc9e0b2")
    assert (DATA / "leaves.npz").stat().st_size < 3_000_000


def test_leaves_make_up_the_512_cells_bit_for_bit() -> None:
    leaves = Cells.leaves()
    coarse = leaves.coarsen(512)
    assert coarse == Cells.load(DATA / "cells_512.json")
    assert coarse.fingerprint.startswith("409a0d319fa9")
    assert leaves.coarsen(256) == coarse.coarsen(256)
    assert leaves.parents is not None
    rng = np.random.default_rng(1)
    lat, lon = np.degrees(np.arcsin(rng.uniform(-1, 1, 5000))), rng.uniform(-180, 180, 5000)
    assert (leaves.parents[leaves.locate(lat, lon)] == coarse.locate(lat, lon)).all()


def test_nine_of_ten_people_live_in_a_leaf_of_50_km() -> None:
    """By the gazetteer's towns of 5,000 people and more; the script counts smaller ones too."""
    leaves, table = Cells.leaves(), gazetteer()
    lat, lon, people = (column[table.towns] for column in (table.lat, table.lon, table.population))
    diagonal = diagonals_km(leaves)[leaves.locate(lat, lon)]
    assert people[diagonal <= 50].sum() / people.sum() >= 0.9
    assert diagonal.max() <= 250


def test_leaves_load_quickly() -> None:
    fastest = np.inf
    for _ in range(5):
        Cells.leaves.cache_clear()
        begin = time.process_time()
        Cells.leaves()
        fastest = min(fastest, time.process_time() - begin)
    assert fastest < 0.1


def cut(rng: np.random.Generator, box: Box, times: int) -> Iterator[Box]:
    """A box cut at random into `times` + 1 boxes, at whole degrees."""
    axis = int(rng.integers(2))
    low, high = int(box[axis]), int(box[axis + 2])
    if not times or high - low < 2:
        yield box
        return
    at = float(rng.integers(low + 1, high))
    below, above = list(box), list(box)
    below[axis + 2] = above[axis] = at
    first = int(rng.integers(times))
    yield from cut(rng, (below[0], below[1], below[2], below[3]), first)
    yield from cut(rng, (above[0], above[1], above[2], above[3]), times - 1 - first)


def painted(boxes: list[Box]) -> NDArray[np.int64]:
    """How many boxes cover each square of one degree."""
    count = np.zeros((180, 360), int)
    for south, west, north, east in boxes:
        count[int(south) + 90 : int(north) + 90, int(west) + 180 : int(east) + 180] += 1
    return count


@given(seed=st.integers(0, 2**32 - 1), change=st.sampled_from(["none", "gap", "twice", "moved"]))
def test_cover_is_decided_as_by_painting(seed: int, change: str) -> None:
    rng = np.random.default_rng(seed)
    boxes = list(cut(rng, (-90.0, -180.0, 90.0, 180.0), int(rng.integers(3, 40))))
    chosen = int(rng.integers(len(boxes)))
    if change == "gap":
        boxes.pop(chosen)
    elif change == "twice":
        boxes.append(boxes[chosen])
    elif change == "moved":
        edge, box = int(rng.integers(4)), list(boxes[chosen])
        box[edge] = float(
            np.clip(box[edge] + rng.integers(-3, 4), *((-90, 90), (-180, 180))[edge % 2])
        )
        if box[0] < box[2] and box[1] < box[3]:
            boxes[chosen] = (box[0], box[1], box[2], box[3])
    count = painted(boxes)
    if len(boxes) < 2 or (count == 1).all():
        if len(boxes) > 1:
            cells = Cells(boxes)
            lat, lon = rng.uniform(-90, 90, 50), rng.uniform(-180, 180, 50)
            south, west, north, east = cells.boxes[cells.locate(lat, lon)].T
            assert ((south <= lat) & (lat < north) & (west <= lon) & (lon < east)).all()
        return
    with pytest.raises(InputError) as refused:
        Cells(boxes)
    message = str(refused.value)
    assert ("overlap" in message and (count > 1).any()) or (
        "do not cover" in message and (count == 0).any()
    )
    if "none holds" in message:
        row, column = (math.floor(float(part)) for part in message.rsplit("holds ")[1].split(", "))
        assert count[row + 90, column + 180] == 0
