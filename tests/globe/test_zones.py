"""Zones grow with the radius, hold every near place, and decoys lie wholly outside."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.errors import InputError
from elsewhere.globe import (
    Cells,
    across_km,
    distance_km,
    place,
    zone,
    zone_of_cells,
    zone_of_place,
)
from elsewhere.globe.areas import outlines
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import place_of_row

LONDON, NEW_YORK = (51.5074, -0.1278), (40.7128, -74.0060)
latitudes, longitudes = st.floats(-90, 90), st.floats(-180, 180)
radii = st.floats(0, 3000)


def test_london_and_new_york() -> None:
    assert len(zone(Cells.paper(), *LONDON, 25)) == 17
    assert len(zone(Cells.paper(), *NEW_YORK, 25)) == 16


@given(latitudes, longitudes, radii, radii)
def test_zones_grow_with_the_radius(lat: float, lon: float, a: float, b: float) -> None:
    small = zone(Cells.paper(), lat, lon, min(a, b))
    large = zone(Cells.paper(), lat, lon, max(a, b))
    assert set(small.cells) <= set(large.cells)


@given(latitudes, longitudes, radii)
def test_zone_and_decoys_share_out_all_cells(lat: float, lon: float, radius: float) -> None:
    cells = Cells.paper()
    here = zone(cells, lat, lon, radius)
    assert sorted([*here.cells, *here.decoys]) == list(range(512))
    assert cells.locate(lat, lon) in here
    assert (distance_km(cells, lat, lon)[here.decoys] > radius).all()


@given(latitudes, longitudes, st.floats(1, 2000), st.integers(0, 2**32 - 1))
def test_whatever_lies_within_the_radius_lies_in_the_zone(
    lat: float, lon: float, radius: float, seed: int
) -> None:
    cells = Cells.paper()
    bearing, share = np.random.default_rng(seed).uniform((0, 0), (2 * math.pi, 1), (50, 2)).T
    angle, phi = share * radius * 0.999999 / 6371.0088, math.radians(lat)
    sine = math.sin(phi) * np.cos(angle) + math.cos(phi) * np.sin(angle) * np.cos(bearing)
    there = np.arcsin(np.clip(sine, -1, 1))
    turn = np.arctan2(
        np.sin(bearing) * np.sin(angle) * math.cos(phi),
        np.cos(angle) - math.sin(phi) * np.sin(there),
    )
    found = cells.locate(np.degrees(there), lon + np.degrees(turn))
    assert set(found) <= set(zone(cells, lat, lon, radius).cells)


@given(st.lists(st.tuples(latitudes, longitudes), min_size=1, max_size=4), radii)
def test_the_zone_of_several_places_is_their_union(
    places: list[tuple[float, float]], radius: float
) -> None:
    cells = Cells.paper()
    together = zone(cells, [p[0] for p in places], [p[1] for p in places], radius)
    apart = {cell for p in places for cell in zone(cells, *p, radius).cells}
    assert set(together.cells) == apart


@given(latitudes, longitudes, st.floats(0.1, 3000))
def test_a_cell_wider_than_the_radius_is_said(lat: float, lon: float, radius: float) -> None:
    cells = Cells.paper()
    wide = float(across_km(cells)[cells.locate(lat, lon)])
    assert bool(zone(cells, lat, lon, radius).widest_cell_km) == (wide > radius)


@pytest.mark.parametrize("radius", [-1.0, math.nan, math.inf])
def test_a_bad_radius_is_refused(radius: float) -> None:
    with pytest.raises(InputError, match="0 km or more"):
        zone(Cells.paper(), 0.0, 0.0, radius)


def test_a_zone_needs_a_place() -> None:
    with pytest.raises(InputError, match="at least one coordinate"):
        zone(Cells.paper(), [], [], 25)
    with pytest.raises(InputError, match="not on earth"):
        zone(Cells.paper(), 100.0, 0.0, 25)


def test_zones_of_chosen_cells() -> None:
    chosen = zone_of_cells(Cells.paper(), [3, 1, 3])
    assert chosen.cells.tolist() == [1, 3]
    assert len(chosen.decoys) == 510
    with pytest.raises(InputError, match="no cell 600"):
        zone_of_cells(Cells.paper(), [600])
    with pytest.raises(InputError, match="at least one cell"):
        zone_of_cells(Cells.paper(), [])


def test_every_cell_that_touches_portugal() -> None:
    cells = Cells.paper()
    portugal = zone_of_place(cells, place("Portugal"))
    towns = [(38.72, -9.14), (41.15, -8.61), (37.02, -7.93), (37.74, -25.67), (32.65, -16.91)]
    assert {cells.locate(*town) for town in towns} <= set(portugal.cells)
    assert cells.locate(40.42, -3.70) not in portugal
    assert portugal.widest_cell_km == 0


@pytest.mark.parametrize(
    "name", ["Portugal", "Fiji", "Russia", "Tuscany", "Scotland", "California"]
)
def test_all_ground_of_an_area_is_in_its_zone(name: str) -> None:
    cells, where = Cells.paper(), place(name)
    hidden = set(zone_of_place(cells, where).cells)
    table = gazetteer()
    parts = table.parts.get(where.row) or np.flatnonzero(
        table.country_of_part == table.country[where.row]
    )
    rng = np.random.default_rng(5)
    for part in parts:
        outline = outlines("regions")[part]
        points = np.concatenate(
            [rng.uniform(ring.min(axis=0), ring.max(axis=0), (40, 2)) for ring in outline.rings]
        )
        inside = points[outline.contains(points[:, 0], points[:, 1])]
        assert set(cells.locate(inside[:, 0], inside[:, 1])) <= hidden


def test_every_country_and_region_has_a_zone() -> None:
    cells, table = Cells.paper(), gazetteer()
    for row in np.flatnonzero(table.kind < 2)[::29]:
        where = place_of_row(int(row))
        hidden = zone_of_place(cells, where)
        assert len(hidden) >= 1
        assert cells.locate(where.lat, where.lon) in hidden


def test_the_zone_of_a_town_is_that_of_its_coordinate() -> None:
    cells, lisbon = Cells.paper(), place("Lisbon")
    by_name = zone_of_place(cells, lisbon, 50)
    assert by_name.cells.tolist() == zone(cells, lisbon.lat, lisbon.lon, 50).cells.tolist()
    assert by_name.radius_km == 50
    assert zone_of_place(cells, place("38.72, -9.14")).cells.tolist() == (
        zone(cells, 38.72, -9.14, 25).cells.tolist()
    )


def test_a_region_lies_in_the_zone_of_its_country() -> None:
    cells = Cells.paper()
    tuscany, italy = (zone_of_place(cells, place(name)) for name in ("Tuscany", "Italy"))
    assert set(tuscany.cells) < set(italy.cells)
