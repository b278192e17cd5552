"""Kilometres: by the people of a cell's towns, bounded by the cells that come near at all."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.audit.inference import RADII_KM, distances
from elsewhere.globe import Cells, between_km, cell_towns, zone
from elsewhere.globe.gazetteer import gazetteer

CELLS = Cells.paper()
LISBON, CAPE = (38.72, -9.14), (71.17, 25.78)


def sure(*cells: int) -> np.ndarray:
    likely = np.zeros(CELLS.count)
    likely[list(cells)] = 1 / len(cells)
    return likely


@pytest.mark.parametrize("at", [LISBON, CAPE, (-33.87, 151.21), (51.5074, -0.1278)])
def test_the_chance_is_the_share_of_people_and_the_bound_the_zone(at: tuple[float, float]) -> None:
    likely = np.random.default_rng(1).dirichlet(np.full(CELLS.count, 0.05))
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    where = CELLS.locate(table.lat[towns], table.lon[towns])
    people = np.maximum(table.population[towns], 1)
    km = between_km(*at, table.lat[towns], table.lon[towns])
    everybody = np.bincount(where, people, CELLS.count)
    for found, radius in zip(distances(likely, CELLS, [at])[0], RADII_KM, strict=True):
        near = zone(CELLS, *at, radius).cells
        share = np.bincount(where, people * (km <= radius), CELLS.count) / np.maximum(everybody, 1)
        bare = near[everybody[near] == 0]
        expected = float(likely @ share) + likely[bare].sum()
        assert found.km == radius
        assert found.chance == pytest.approx(expected, abs=1e-9)
        assert found.at_most == pytest.approx(likely[near].sum())
        assert found.chance <= found.at_most + 1e-12


def test_a_large_cell_is_not_found_by_knowing_it() -> None:
    """The cell at North Cape is 3,265 km across: being sure of it is not being near."""
    near, region, country = distances(sure(CELLS.locate(*CAPE)), CELLS, [CAPE])[0]
    assert near.at_most == region.at_most == country.at_most == pytest.approx(1.0)
    assert near.chance < 0.05 < country.chance < 1.0


def test_several_positions_count_as_the_nearest_one() -> None:
    far = sure(CELLS.locate(48.86, 2.35))
    assert distances(far, CELLS, [LISBON])[0][2].at_most == 0.0
    assert distances(far, CELLS, [LISBON, (48.86, 2.35)])[0][2].at_most == pytest.approx(1.0)
    many = [(38.7 + n / 500, -9.1) for n in range(600)]
    assert distances(sure(CELLS.locate(*LISBON)), CELLS, many)[0][0].at_most == pytest.approx(1.0)


def test_the_best_guess_is_the_first_cells_town() -> None:
    cell = CELLS.locate(48.86, 2.35)
    lat, lon = cell_towns(CELLS)
    expected = float(between_km(*LISBON, lat[cell], lon[cell]))
    assert distances(sure(cell), CELLS, [LISBON])[1] == pytest.approx(expected, rel=0.01)
