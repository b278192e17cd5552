"""Distances against brute force on the sphere, written here without trigonometry of boxes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe import Cells, across_km, between_km, distance_km
from elsewhere.globe.coordinates import EARTH_KM

latitudes = st.floats(-90, 90) | st.sampled_from([-90.0, 90.0, 0.0])
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, 180.0, 0.0])


def _vectors(lat: NDArray[np.float64], lon: NDArray[np.float64]) -> NDArray[np.float64]:
    phi, theta = np.radians(lat), np.radians(lon)
    return np.stack(
        (np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)), axis=-1
    )


def _chord_km(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    chord = np.linalg.norm(a - b, axis=-1)
    km: NDArray[np.float64] = 2 * EARTH_KM * np.arcsin(np.clip(chord / 2, 0, 1))
    return km


def _sampled_km(box: NDArray[np.float64], lat: float, lon: float, steps: int = 60) -> float:
    """The nearest of many samples of the box, its edges included, refined around the best."""
    south, west, north, east = box
    here = _vectors(np.array(lat), np.array(lon))
    best = math.inf
    for _ in range(8):
        lats, lons = np.meshgrid(
            np.linspace(south, north, steps), np.linspace(west, east, steps), indexing="ij"
        )
        km = _chord_km(_vectors(lats, lons), here)
        row, column = np.unravel_index(int(km.argmin()), km.shape)
        best = min(best, float(km[row, column]))
        tall, wide = (north - south) / steps * 2, (east - west) / steps * 2
        south, north = max(south, lats[row, column] - tall), min(north, lats[row, column] + tall)
        west, east = max(west, lons[row, column] - wide), min(east, lons[row, column] + wide)
    return best


@st.composite
def _boxes(draw: st.DrawFn) -> NDArray[np.float64]:
    grain = draw(st.sampled_from([0.01, 1.0, 15.0]))
    south = draw(st.floats(-90, 89))
    north = min(90.0, south + grain * draw(st.floats(0.5, 12)))
    west = draw(st.floats(-180, 179))
    east = min(180.0, west + grain * draw(st.floats(0.5, 24)))
    return np.array((south, west, north, east))


def _around(box: NDArray[np.float64]) -> Cells:
    """Cell 0 is the box; cell 1 is all the rest."""
    south, west, north, east = box
    rest = [
        (-90, -180, south, 180),
        (north, -180, 90, 180),
        (south, -180, north, west),
        (south, east, north, 180),
    ]
    rest = [r for r in rest if r[0] < r[2] and r[1] < r[3]]
    return Cells([tuple(box), *rest], [0] + [1] * len(rest))


@given(_boxes(), latitudes, longitudes)
@settings(max_examples=300)
def test_distance_to_a_box_is_that_to_its_nearest_sample(
    box: NDArray[np.float64], lat: float, lon: float
) -> None:
    exact = float(distance_km(_around(box), lat, lon)[0])
    sampled = _sampled_km(box, lat, lon)
    assert exact <= sampled + 1e-3
    assert exact == pytest.approx(sampled, rel=2e-3, abs=0.05)


@given(latitudes, longitudes)
@settings(max_examples=50)
def test_distances_to_the_default_cells(lat: float, lon: float) -> None:
    cells = Cells.paper()
    exact = distance_km(cells, lat, lon)
    rng = np.random.default_rng(abs(hash((lat, lon))) % 2**32)
    for cell in rng.choice(512, 5, replace=False):
        sampled = min(_sampled_km(box, lat, lon) for box in cells.boxes_of(int(cell)))
        assert float(exact[cell]) == pytest.approx(sampled, rel=2e-3, abs=0.05)


@given(latitudes, longitudes, latitudes, longitudes)
def test_a_place_in_a_cell_is_never_nearer_than_the_cell(
    lat: float, lon: float, there: float, yonder: float
) -> None:
    cells = Cells.paper()
    cell = cells.locate(there, yonder)
    km = float(distance_km(cells, lat, lon)[cell])
    assert km <= float(between_km(lat, lon, there, yonder)) + 1e-6


@given(latitudes, longitudes)
def test_the_own_cell_is_at_no_distance(lat: float, lon: float) -> None:
    cells = Cells.paper()
    assert float(distance_km(cells, lat, lon)[cells.locate(lat, lon)]) < 1e-6


def test_across_the_date_line_and_the_pole() -> None:
    boxes = [(-90, -180, 90, -179), (-90, -179, 90, 179), (-90, 179, 90, 180)]
    km = distance_km(Cells(boxes), 0.0, 179.5)
    assert km.tolist() == pytest.approx([EARTH_KM * math.radians(0.5)] * 2 + [0.0])
    caps = Cells([(-90, -180, 80, 180), (80, -180, 90, 0), (80, 0, 90, 180)])
    over = distance_km(caps, 89.0, 90.0)  # nearest of the western cap is the pole itself
    assert over.tolist() == pytest.approx(
        [EARTH_KM * math.radians(9), EARTH_KM * math.radians(1), 0.0]
    )


def test_many_places_at_once_are_those_one_by_one() -> None:
    cells = Cells.paper()
    places = np.random.default_rng(3).uniform((-90, -180), (90, 180), (4, 5, 2))
    together = distance_km(cells, places[..., 0], places[..., 1])
    assert together.shape == (4, 5, 512)
    alone = distance_km(cells, *places[2, 3])
    assert np.array_equal(together[2, 3], alone)


@given(latitudes, longitudes, latitudes, longitudes)
def test_between_places_is_the_great_circle(a: float, b: float, c: float, d: float) -> None:
    chord = _chord_km(_vectors(np.array(a), np.array(b)), _vectors(np.array(c), np.array(d)))
    assert float(between_km(a, b, c, d)) == pytest.approx(float(chord), abs=0.2)


def test_nan_has_no_distance() -> None:
    with pytest.raises(InputError, match="not a coordinate"):
        distance_km(Cells.paper(), math.nan, 0.0)


def test_across_is_from_corner_to_corner() -> None:
    quarters = Cells(
        [(-90, -180, 90, -90), (-90, -90, 90, 0), (-90, 0, 90, 90), (-90, 90, 90, 180)]
    )
    assert across_km(quarters).tolist() == pytest.approx([EARTH_KM * math.pi] * 4)
    assert round(float(np.median(across_km(Cells.paper())))) == 325
