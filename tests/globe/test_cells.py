"""Every coordinate is in exactly one cell, and cells are equal exactly when their ground is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.errors import InputError
from elsewhere.globe import Cells

latitudes = st.floats(-90, 90) | st.sampled_from([-90.0, 90.0, 0.0, -0.0])
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, 180.0, 0.0, -0.0])


def _holding(cells: Cells, lat: float, lon: float) -> list[int]:
    """By the definition: the cells with a box that has the point, edges south and west included."""
    lon = -180.0 if lon == 180.0 else lon
    if abs(lat) == 90.0:
        lat, lon = (math.nextafter(90.0, 0.0), 0.0) if lat > 0 else (-90.0, 0.0)
    south, west, north, east = cells.boxes.T
    inside = (south <= lat) & (lat < north) & (west <= lon) & (lon < east)
    return [int(cell) for cell in cells.owner[inside]]


def test_the_leaves_are_the_default_and_both_levels_are_known_by_fingerprint() -> None:
    assert Cells.default() is Cells.leaves()
    for cells in (Cells.leaves(), Cells.paper()):
        assert Cells.known(cells.fingerprint) is cells
    assert Cells.known("") is Cells.known("0" * 64) is None


@given(latitudes, longitudes)
def test_every_coordinate_is_in_exactly_one_cell(lat: float, lon: float) -> None:
    cells = Cells.paper()
    assert _holding(cells, lat, lon) == [cells.locate(lat, lon)]


@given(st.data())
def test_corners_of_cells_are_in_exactly_one_cell(data: st.DataObject) -> None:
    cells = Cells.paper()
    box = cells.boxes[data.draw(st.integers(0, len(cells.boxes) - 1))]
    lat, lon = box[data.draw(st.sampled_from([0, 2]))], box[data.draw(st.sampled_from([1, 3]))]
    assert _holding(cells, float(lat), float(lon)) == [cells.locate(lat, lon)]


@given(latitudes, st.floats(-180, 180), st.integers(-3, 3))
def test_longitudes_wrap(lat: float, lon: float, turns: int) -> None:
    cells = Cells.paper()
    eastward = round(lon, 6) + 360 * turns
    back = eastward - 360 * turns  # what is left of lon after the turns
    assert cells.locate(lat, eastward) == cells.locate(lat, back)


@pytest.mark.parametrize("pole", [-90.0, 90.0])
def test_a_pole_is_one_place(pole: float) -> None:
    assert len(np.unique(Cells.paper().locate(pole, np.linspace(-180, 180, 721)))) == 1


def test_the_date_line_is_one_line() -> None:
    lat = np.linspace(-90, 90, 181)
    cells = Cells.paper()
    assert np.array_equal(cells.locate(lat, 180.0), cells.locate(lat, -180.0))
    assert np.array_equal(cells.locate(lat, -180.00000000000003), cells.locate(lat, -180.0))


@pytest.mark.parametrize(
    ("lat", "lon"),
    [(math.nan, 0), (0, math.nan), (math.inf, 0), (0, -math.inf), (90.1, 0), (-91, 0)],
)
def test_what_is_no_coordinate_is_refused(lat: float, lon: float) -> None:
    with pytest.raises(InputError):
        Cells.paper().locate(lat, lon)
    with pytest.raises(InputError):
        Cells.paper().locate([0.0, lat], [0.0, lon])
    with pytest.raises(InputError):
        Cells.build([0.0, lat], [0.0, lon])


def test_words_and_uneven_lists_are_refused() -> None:
    with pytest.raises(InputError, match="numbers"):
        Cells.paper().locate(["north"], [0.0])
    with pytest.raises(InputError, match="as many"):
        Cells.paper().locate([1.0, 2.0, 3.0], [0.0, 1.0])


def test_locate_keeps_the_shape_that_was_asked() -> None:
    cells = Cells.paper()
    assert cells.locate(np.zeros((2, 3)), np.zeros((2, 3))).shape == (2, 3)
    assert cells.locate([], []).shape == (0,)
    assert type(cells.locate(0.0, 0.0)) is int


def test_the_default_cells_are_those_of_the_issue() -> None:
    cells = Cells.paper()
    assert cells.count == len(cells) == 512
    assert cells.nested
    assert cells.fingerprint == Cells.paper().fingerprint
    assert cells.fingerprint.startswith("409a0d319fa9")


def test_fingerprints_know_ground_from_ground() -> None:
    halves = Cells([(-90, -180, 0, 180), (0, -180, 90, 180)])
    assert halves == Cells([(-90, -180, -0.0, 180), (0, -180, 90, 180)])
    assert halves == Cells([(-90, -180, 0, 20), (-90, 20, 0, 180), (0, -180, 90, 180)], [0, 0, 1])
    assert halves != Cells([(0, -180, 90, 180), (-90, -180, 0, 180)])
    assert halves != "halves"
    assert hash(halves) == hash(Cells([(-90, -180, 0, 180), (0, -180, 90, 180)]))


def test_what_does_not_cover_the_globe_once_is_refused() -> None:
    with pytest.raises(InputError, match="do not cover the globe: none holds 45"):
        Cells([(-90, -180, 0, 180), (0, -180, 90, 0)])
    with pytest.raises(InputError, match="cells 0 and 1 overlap"):
        Cells([(-90, -180, 10, 180), (0, -180, 90, 180)])
    with pytest.raises(InputError, match="south < north"):
        Cells([(-90, -180, 0, 180), (90, -180, 0, 180)])
    with pytest.raises(InputError, match="south < north"):
        Cells([(-90, -180, math.nan, 180), (0, -180, 90, 180)])
    with pytest.raises(InputError, match="without a gap"):
        Cells([(-90, -180, 0, 180), (0, -180, 90, 180)], [0, 2])
    with pytest.raises(InputError, match="2 owners"):
        Cells([(-90, -180, 0, 180), (0, -180, 90, 180)], [0])
    with pytest.raises(InputError, match="at least two boxes"):
        Cells([(-90, -180, 90, 180)])


def test_only_nested_cells_coarsen() -> None:
    thirds = Cells([(-90, -180, 0, 180), (0, -180, 45, 180), (45, -180, 90, 180)])
    with pytest.raises(InputError, match="only cells built by halving"):
        thirds.coarsen(2)
    with pytest.raises(InputError, match="smaller power of two"):
        Cells.paper().coarsen(100)
    with pytest.raises(InputError, match="smaller power of two"):
        Cells.paper().coarsen(1024)
    with pytest.raises(InputError, match="a power of two, not 3"):
        Cells(thirds.boxes, thirds.owner, nested=True)


def test_boxes_and_centres_belong_to_their_cell() -> None:
    cells = Cells.paper()
    assert np.array_equal(cells.locate(*cells.centres), np.arange(512))
    assert len(cells.boxes_of(0)) >= 1
    with pytest.raises(InputError, match="no cell 512"):
        cells.boxes_of(512)


def test_cells_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        Cells.paper().boxes[0, 0] = 1.0
