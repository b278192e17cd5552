"""The attacks on what is shared look where the promise looks."""

from __future__ import annotations

import numpy as np

from elsewhere.checker.attacks import posterior
from elsewhere.globe import Cells, place
from elsewhere.globe.coordinates import unit_vector
from elsewhere.scorers import find
from elsewhere.service.attacks import find_hits, first_places, guesses_near
from elsewhere.values.problems import Attack
from elsewhere.values.promise import HiddenCircles

INFO = find("embedded").load()
LEAVES = Cells.leaves()


def row(*shares: tuple[int, float]) -> np.ndarray:
    """One photo's row: shares of the belief at some leaves, the rest everywhere."""
    belief = np.full(LEAVES.count, (1 - sum(share for _, share in shares)) / LEAVES.count)
    for leaf, share in shares:
        belief[leaf] += share
    return np.asarray(np.log(belief)[None], np.float32)


def nearest(lat: float, lon: float) -> int:
    return int((unit_vector(*LEAVES.points) @ unit_vector(lat, lon).ravel()).argmax())


def test_a_photo_far_from_all_cells_is_found_where_the_nearest_stands_for_it() -> None:
    """In the middle of the southern Pacific no leaf's point is within 50 km."""
    at = (-48.9, -123.4)
    rows = row((nearest(*at), 0.9))
    circles = HiddenCircles((at,), 25.0)
    assert guesses_near(INFO, rows, circles, 5)
    assert Attack.POSTERIOR in find_hits(INFO, rows, circles, 5)


def test_what_a_prior_rules_out_is_not_guessed() -> None:
    lisbon, perth = place("Lisbon"), place("Perth")
    there, elsewhere = (nearest(town.lat, town.lon) for town in (lisbon, perth))
    rows = row((elsewhere, 0.6), (there, 0.3))
    circles = HiddenCircles(((lisbon.lat, lisbon.lon),), 25.0)
    assert Attack.POSTERIOR not in find_hits(INFO, rows, circles, 1)
    known = range(LEAVES.count)
    possible = [leaf for leaf in known if leaf != elsewhere]
    assert Attack.POSTERIOR in find_hits(INFO, rows, circles, 1, possible)


def test_the_first_large_place_is_the_circle_that_holds_most() -> None:
    milan, perth = place("Milan"), place("Perth")
    lats, lons = LEAVES.points
    along = unit_vector(lats, lons) @ unit_vector(milan.lat, milan.lon).ravel()
    around = np.argsort(-along)[:40]
    rows = row(*((int(leaf), 0.02) for leaf in around), (nearest(perth.lat, perth.lon), 0.05))
    assert posterior(rows, lambda _: 1.0).argmax() == nearest(perth.lat, perth.lon)
    first, second = first_places(INFO, rows, 100.0, 2)
    assert first @ unit_vector(milan.lat, milan.lon).ravel() > np.cos(100 / 6371)
    assert second @ unit_vector(perth.lat, perth.lon).ravel() > np.cos(100 / 6371)
