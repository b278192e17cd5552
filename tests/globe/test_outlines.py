"""Outlines know inside from outside, and which cells they touch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.globe import Cells, countries
from elsewhere.globe.areas import MARGIN, Outline, outlines

SQUARE = np.array([(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0)])
HOLE = np.array([(4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0)])


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_inside_a_square_with_a_hole(lat: float, lon: float) -> None:
    found = bool(Outline([SQUARE, HOLE]).contains([lat], [lon])[0])
    edges = (0.0, 4.0, 6.0, 10.0)
    if lat not in edges and lon not in edges:
        in_square = 0 < lat < 10 and 0 < lon < 10
        in_hole = 4 < lat < 6 and 4 < lon < 6
        assert found == (in_square and not in_hole)


@given(
    st.lists(st.tuples(st.floats(-60, 60), st.floats(-150, 150)), min_size=3, max_size=6),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_touched_cells_are_those_with_a_sample_of_the_ground(
    corners: list[tuple[float, float]], seed: int
) -> None:
    cells = Cells.paper()
    ring = np.array(corners)
    touched = set(Outline([ring]).touching(cells).tolist())
    share = np.linspace(0, 1, 400)[:, np.newaxis]
    walked = np.concatenate(
        [a + share * (b - a) for a, b in zip(ring, np.roll(ring, -1, 0), strict=True)]
    )
    assert set(cells.locate(walked[:, 0], walked[:, 1]).tolist()) <= touched
    inside = np.random.default_rng(seed).uniform(ring.min(axis=0), ring.max(axis=0), (500, 2))
    inside = inside[Outline([ring]).contains(inside[:, 0], inside[:, 1])]
    assert set(cells.locate(inside[:, 0], inside[:, 1]).tolist()) <= touched


def test_cells_far_from_the_ground_are_not_touched() -> None:
    cells = Cells.paper()
    south, west, north, east = cells.boxes.T
    off = (south > 10 + MARGIN) | (north < -MARGIN) | (west > 10 + MARGIN) | (east < -MARGIN)
    apart = set(range(512)) - set(cells.owner[~off].tolist())
    assert not apart & set(Outline([SQUARE]).touching(cells).tolist())


def test_a_cell_wholly_inside_is_touched() -> None:
    cells = Cells([(-90, -180, 0, 180), (0, -180, 5, 180), (5, -180, 90, 180)])
    small = Cells(
        [(4, 4, 5, 5), (-90, -180, 4, 180), (5, -180, 90, 180), (4, -180, 5, 4), (4, 5, 5, 180)],
        [0, 1, 1, 1, 1],
    )
    assert 0 in Outline([SQUARE]).touching(small)
    assert Outline([SQUARE]).touching(cells).tolist() == [0, 1, 2]  # the edge lies on cell 0


def test_an_outline_may_be_wrong_by_its_margin() -> None:
    cells = Cells([(-90, -180, -0.02, 180), (-0.02, -180, 90, 180)])
    assert Outline([SQUARE]).touching(cells).tolist() == [0, 1]
    cells = Cells([(-90, -180, -0.04, 180), (-0.04, -180, 90, 180)])
    assert Outline([SQUARE]).touching(cells).tolist() == [1]


@pytest.mark.parametrize(
    ("code", "lat", "lon"),
    [
        ("PT", 39.5, -8.0),
        ("US", 39.74, -104.99),
        ("FJ", -17.8, 178.0),
        ("RU", 66.0, -176.0),
        ("RU", 68.0, 179.0),
        ("RU", 55.0, 37.0),
        ("US", 65.0, -150.0),
        ("AQ", -89.0, 10.0),
        ("AQ", -80.0, -120.0),
        ("NO", 61.0, 8.0),
        ("ZA", -26.2, 28.0),
    ],
)
def test_countries_lie_where_they_lie(code: str, lat: float, lon: float) -> None:
    holding = [other for other, outline in countries().items() if outline.contains(lat, lon)]
    assert holding == [code]


def test_a_hole_is_another_country() -> None:
    assert not countries()["ZA"].contains(-29.6, 28.2)
    assert countries()["LS"].contains(-29.6, 28.2)


def test_regions_are_all_there() -> None:
    assert len(outlines("regions")) == 4596
    assert all(len(outline.rings) for outline in outlines("regions"))
