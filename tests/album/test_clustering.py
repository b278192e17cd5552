"""Positions that belong together: every one in one group, none too wide, in whatever order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.album import places
from elsewhere.album.places import WIDEST_KM, groups
from elsewhere.globe import between_km

ROUNDING_KM = 0.4
"""Positions within the grain are one point, so a group may be this much wider."""

anywhere = st.tuples(st.floats(-90, 90), st.floats(-180, 180))
# around a few spots, so that groups form: also at a pole and at the antimeridian
spots = st.sampled_from([(38.72, -9.14), (89.9, 0.0), (-16.5, 179.9), (-16.5, -179.9), (0.0, 0.1)])
around = st.tuples(spots, st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)).map(
    lambda one: (min(90.0, one[0][0] + one[1]), one[0][1] + one[2])
)
positions = st.lists(st.one_of(around, anywhere), max_size=25)


def as_sets(found: list[list[int]], order: list[int]) -> set[frozenset[int]]:
    return {frozenset(order[i] for i in group) for group in found}


@given(positions)
def test_every_position_is_in_one_group_and_none_is_too_wide(
    where: list[tuple[float, float]],
) -> None:
    found = groups(where)
    assert sorted(n for group in found for n in group) == list(range(len(where)))
    for group in found:
        for a, b in combinations(group, 2):
            assert between_km(*where[a], *where[b]) <= WIDEST_KM + ROUNDING_KM


@given(positions)
def test_no_two_groups_would_fit_into_one(where: list[tuple[float, float]]) -> None:
    for one, other in combinations(groups(where), 2):
        widest = max(float(between_km(*where[a], *where[b])) for a in one for b in other)
        assert widest > WIDEST_KM - ROUNDING_KM


@given(positions, st.randoms(use_true_random=False))
def test_the_order_of_the_photos_does_not_matter(where: list[tuple[float, float]], draw) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(where)))
    draw.shuffle(order)
    shuffled = groups([where[n] for n in order])
    assert as_sets(shuffled, order) == as_sets(groups(where), list(range(len(where))))


def test_a_road_trip_does_not_become_one_place() -> None:
    """Lisbon to Porto, a photo every three kilometres."""
    road = [(38.72 + t * 2.43, -9.14 + t * 0.53) for t in np.linspace(0, 1, 92)]
    found = groups(road)
    assert 6 <= len(found) <= 12
    for group in found:  # each a stretch of the road
        assert group == list(range(group[0], group[-1] + 1))


def test_two_visits_to_one_place_are_one_place() -> None:
    lisbon, paris = [(38.71, -9.14), (38.73, -9.15)], [(48.86, 2.35)]
    assert groups(lisbon + paris + lisbon) == [[0, 1, 3, 4], [2]]


def test_the_antimeridian_and_the_poles_are_nothing_special() -> None:
    assert groups([(-16.8, 179.95), (-16.8, -179.95)]) == [[0, 1]]
    assert groups([(89.9, 0), (89.9, 180), (89.9, -90)]) == [[0, 1, 2]]
    assert groups([(90, 12), (90, -140)]) == [[0, 1]]


def test_nothing_is_no_group() -> None:
    assert groups([]) == []


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_very_many_positions_are_measured_on_a_coarser_grain(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = np.array([(38.72, -9.14), (41.15, -8.61), (48.86, 2.35)])
    which = rng.integers(3, size=300)
    where = centres[which] + rng.uniform(-0.1, 0.1, (300, 2))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(places, "MAX_POINTS", 50)
        found = groups([(float(a), float(b)) for a, b in where])
    assert {frozenset(group) for group in found} == {
        frozenset(np.flatnonzero(which == town).tolist()) for town in set(which.tolist())
    }
