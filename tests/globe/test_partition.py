"""Equal counts, nesting and contiguity, for photos scattered, in rows, and in heaps."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.errors import InputError
from elsewhere.globe import Cells
from elsewhere.globe.cells import short_decimal_between, split_boxes
from elsewhere.globe.coordinates import canonical, is_contiguous

Photos = list[tuple[float, float]]

anywhere = st.tuples(st.floats(-90, 90), st.floats(-180, 180))
crowded = st.tuples(st.integers(-3, 3).map(float), st.integers(-3, 3).map(float))
counts = st.sampled_from([2, 4, 8, 16, 32])


def _distinct(photos: Photos) -> Photos:
    lat, lon = canonical([p[0] for p in photos], [p[1] for p in photos])
    return list(dict.fromkeys(zip(lat.tolist(), lon.tolist(), strict=True)))


def _built(photos: Photos, count: int) -> Cells:
    return Cells.build([p[0] for p in photos], [p[1] for p in photos], count=count)


def _in_each(cells: Cells, photos: Photos) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    lat, lon = np.array(photos).T
    return np.bincount(cells.locate(lat, lon), minlength=cells.count)


@given(st.lists(anywhere, min_size=1, max_size=150) | st.lists(crowded, min_size=1), counts)
@settings(max_examples=300)
def test_distinct_places_are_shared_out_equally_at_every_level(photos: Photos, count: int) -> None:
    photos = _distinct(photos)
    cells = _built(photos, count)
    while True:
        in_each = _in_each(cells, photos)
        assert in_each.sum() == len(photos)
        assert in_each.max() - in_each.min() <= 1
        if cells.count == 2:
            break
        cells = cells.coarsen(cells.count // 2)


@given(st.lists(crowded, min_size=1, max_size=200), counts)
def test_photos_at_one_place_unbalance_only_by_what_lies_there(photos: Photos, count: int) -> None:
    cells = _built(photos, count)
    most = max(Counter(photos).values())
    in_each = _in_each(cells, photos)
    levels = count.bit_length() - 1
    assert in_each.max() <= len(photos) / count + levels * most


@given(st.lists(anywhere | crowded, min_size=1, max_size=120), counts)
def test_every_level_is_what_would_be_built_with_fewer_cells(photos: Photos, count: int) -> None:
    lat, lon = np.array(photos).T
    fine = Cells.build(lat, lon, count=count)
    coarse = Cells.build(lat, lon, count=max(2, count // 2))
    assert fine.coarsen(coarse.count) == coarse
    places = np.random.default_rng(0).uniform((-90, -180), (90, 180), (200, 2))
    ratio = fine.count // coarse.count
    assert np.array_equal(fine.locate(*places.T) // ratio, coarse.locate(*places.T))


@pytest.mark.parametrize("seed", range(0, 60, 3))
@pytest.mark.parametrize("count", [8, 32])
def test_cells_are_contiguous(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    scattered = rng.uniform((-80, -170), (80, 170), (60, 2))
    heaps = scattered[rng.integers(0, 60, 240)]
    rows = np.unique(rng.integers(-12, 13, (240, 2)).astype(float), axis=0)
    for photos in (scattered, heaps, rows):
        cells = Cells.build(photos[:, 0], photos[:, 1], count=count)
        assert all(is_contiguous(cells.boxes_of(cell).tolist()) for cell in range(count))


@pytest.mark.parametrize("beside", [40.0, 60.0])
def test_a_heap_in_the_middle_is_stepped_around(beside: float) -> None:
    """The middle of eight photos lies in a heap of two; the photo beside it goes over instead."""
    lat = [0.0, 1.0, beside, 50.0, 50.0, 2.0, 3.0, 4.0]
    lon = [-30.0, -20.0, -10.0, 0.0, 0.0, 10.0, 20.0, 30.0]
    cells = Cells.build(lat, lon, count=2)
    assert np.bincount(cells.locate(lat, lon)).tolist() == [4, 4]
    assert all(is_contiguous(cells.boxes_of(cell).tolist()) for cell in (0, 1))


def test_photos_on_a_cross_are_shared_out_equally() -> None:
    """Half of them on one meridian, half on one parallel: no straight cut, and no thin strip."""
    far = np.arange(1, 501) / 10
    lat = np.concatenate((far, -far, np.zeros(1000)))
    lon = np.concatenate((np.zeros(1000), far, -far))
    cells = Cells.build(lat, lon, count=64)
    in_each = np.bincount(cells.locate(lat, lon), minlength=64)
    assert in_each.max() - in_each.min() <= 1


def test_a_place_with_half_of_all_photos_takes_no_time() -> None:
    rng = np.random.default_rng(0)
    photos = np.concatenate((rng.uniform(-60, 60, (3000, 2)), np.full((3000, 2), 38.7)))
    start = time.process_time()
    cells = Cells.build(photos[:, 0], photos[:, 1])
    assert time.process_time() - start < 5
    assert np.bincount(cells.locate(photos[:, 0], photos[:, 1])).max() == 3000


def test_a_city_is_split_and_an_ocean_is_not() -> None:
    rng = np.random.default_rng(1)
    city = rng.normal((38.72, -9.14), 0.05, (900, 2))
    rest = rng.uniform((-60, -180), (70, 180), (100, 2))
    photos = np.concatenate((city, rest))
    cells = Cells.build(photos[:, 0], photos[:, 1], count=64)
    assert len(np.unique(cells.locate(*city.T))) > 50


def test_many_photos_at_one_place_stay_together() -> None:
    lat, lon = [38.72] * 100 + [10.0, 20.0], [-9.14] * 100 + [5.0, 6.0]
    cells = Cells.build(lat, lon, count=4)
    assert sorted(np.bincount(cells.locate(lat, lon), minlength=4).tolist())[-1] == 100


@given(st.floats(-180, 180), st.floats(-180, 180))
def test_between_lies_above_the_lower_and_not_above_the_upper(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low < short_decimal_between(low, high) <= high


def test_split_cuts_only_what_the_line_crosses() -> None:
    low, high = split_boxes([(0, 0, 2, 2), (2, 0, 3, 2)], 0, 1)
    assert low == [(0, 0, 1, 2)]
    assert high == [(1, 0, 2, 2), (2, 0, 3, 2)]


@pytest.mark.parametrize("count", [0, 1, 3, 500, -4])
def test_a_count_that_is_no_power_of_two_is_refused(count: int) -> None:
    with pytest.raises(InputError, match="power of two"):
        Cells.build([0.0], [0.0], count=count)


def test_no_coordinates_are_refused() -> None:
    with pytest.raises(InputError, match="at least one"):
        Cells.build([], [])


def test_more_cells_than_floats_are_refused() -> None:
    tiny = 5e-324
    lat, lon = np.meshgrid([0, tiny, 2 * tiny], [0, tiny, 2 * tiny])
    with pytest.raises(InputError, match="too close together"):
        Cells.build(lat.ravel(), lon.ravel(), count=64)
