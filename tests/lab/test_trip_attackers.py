"""Attackers of trips who do more than add up, and one who was trained on planned albums."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere_lab.experiments.trip_attackers import (
    CANDIDATES,
    FEATURES,
    FIRST_CANDIDATES,
    LIKELY_BEFORE,
    Album,
    PhotosAlone,
    averaged_photos,
    describe_candidates,
    fit,
    parts_of,
    read_candidates,
    repeats_once,
    softmax,
    trained_hits,
    write_candidates,
)
from elsewhere_lab.trips import FirstCircles
from elsewhere_lab.values import Row


def test_the_mean_of_probabilities_is_not_that_of_scores() -> None:
    rows = np.log([[0.9, 0.05, 0.05], [0.001, 0.5, 0.499]])
    assert averaged_photos(rows) == pytest.approx(np.exp(rows).mean(axis=0))
    assert averaged_photos(rows).argmax() == 0 != rows.sum(axis=0).argmax()


def test_near_repeats_count_once() -> None:
    alike, other = [0.0, 3.0, 0.0, 1.0], [2.0, 0.0, 0.5, 0.0]
    once, count = repeats_once(np.array([alike, alike, alike, other]))
    assert count == 2
    assert once == pytest.approx(np.add(alike, other))


def test_parts_leave_no_photo_out_and_are_never_empty() -> None:
    first, second, *turns = (set(part.tolist()) for part in parts_of(np.arange(7)))
    assert first | second == set.union(*turns) == set(range(7))
    assert not first & second
    assert not set.intersection(*turns)
    assert [part.tolist() for part in parts_of(np.array([4]))] == [[4], [4]]


@pytest.fixture(scope="module")
def circles() -> FirstCircles:
    return FirstCircles(25.0)


def test_candidates_are_of_what_is_shared_and_of_what_is_likely_before(
    circles: FirstCircles,
) -> None:
    rng = np.random.default_rng(0)
    rows = np.log([softmax(row) for row in rng.normal(0, 2, (3, 36_000))])
    before = softmax(rng.normal(0, 3, 36_000))
    kept = np.array([True, False, True])
    leaves, features = describe_candidates(PhotosAlone(circles, rows), kept, 0.7, before)
    assert len(set(leaves)) == len(leaves) == FIRST_CANDIDATES + LIKELY_BEFORE
    assert features.shape == (len(leaves), len(FEATURES))
    column = dict(zip(FEATURES, features.T, strict=True))
    posterior = softmax(0.7 * rows[kept].sum(axis=0))
    assert leaves[:FIRST_CANDIDATES] == circles.on_leaves(posterior, FIRST_CANDIDATES)
    assert leaves[FIRST_CANDIDATES] == circles.on_leaves(before, 1, leaves[:FIRST_CANDIDATES])[0]
    assert column["first 5"].sum() == 5
    assert column["first 12"].sum() == 12
    assert column["calibrated"] == pytest.approx(np.log(circles.circles.masses(posterior)[leaves]))
    assert column["without photos"] == pytest.approx(np.log(circles.circles.masses(before)[leaves]))
    # what is not shared is not seen: the second photo says nothing
    own = np.log([circles.circles.masses(np.exp(rows[photo]))[leaves] for photo in (0, 2)])
    assert column["largest"] == pytest.approx(own.max(axis=0))
    assert column["least"] == pytest.approx(own.min(axis=0))
    first = [circles.on_leaves(np.exp(rows[photo]), 5) for photo in (0, 2)]
    for number, leaf in enumerate(leaves):
        among = sum(leaf in own for own in first) / 2
        assert column["of the photos, first 5"][number] >= among
    assert (column["among a photo's first 5"] == (column["of the photos, first 5"] > 0)).all()


def test_what_is_kept_of_candidates_is_read_again() -> None:
    features = np.array([[0.25, -3.5], [12.0, 0.0]])
    hits, again = read_candidates(write_candidates(np.array([False, True]), features))
    assert hits.tolist() == [False, True]
    assert again.tolist() == features.tolist()


def album(source: str, rank: int | None, *, seed: int = 0) -> Album:
    """One whose place stands at a rank, with features that say nothing else."""
    rng = np.random.default_rng([seed, rank or 99])
    features = rng.normal(0, 0.1, (20, len(FEATURES)))
    ranks = np.arange(20)
    features[:, 0], features[:, 1], features[:, 2] = np.log1p(ranks), ranks < 5, ranks < 12
    return Album(source, ranks == rank, features)


def rows_of(albums: list[Album], way: str = "k = 5") -> list[Row]:
    return [
        {
            "trip": trip, "source": each.source, "way": way,
            CANDIDATES: write_candidates(each.is_place, each.features),
        }
        for trip, each in enumerate(albums)
    ]  # fmt: skip


def test_who_saw_plans_of_other_sources_knows_where_the_place_stands() -> None:
    albums = [album(source, 5 + seed % 4, seed=seed) for seed, source in enumerate("abc" * 6)]
    hits = trained_hits(rows_of(albums))
    assert len(hits) == len(albums)
    # plans leave it behind the first five, where nobody finds it who has learned nothing
    assert sum(hits.values()) >= 15
    assert hits == trained_hits(rows_of(albums))


def test_who_saw_plans_of_the_same_source_alone_learned_nothing() -> None:
    albums = [album("a", 6, seed=seed) for seed in range(12)]
    assert set(trained_hits(rows_of(albums)).values()) == {0.0}
    # and each way is learned from plans of that way alone
    others = [album("b", 6, seed=seed) for seed in range(12, 24)]
    both = [*rows_of(albums), *rows_of(others, "k = 10")]
    assert set(trained_hits(both).values()) == {0.0}


def test_a_trip_without_a_plan_tells_nothing_and_one_not_tried_is_not_counted() -> None:
    first: Row = {"trip": 0, "source": "a", "way": "k = 5", CANDIDATES: "none"}
    assert trained_hits([first, {"trip": 1, "source": "a", "way": "k = 5", CANDIDATES: None}]) == {
        ("k = 5", 0): 0.0
    }


def test_the_fit_is_the_minimum() -> None:
    albums = [album("a", rank % 20, seed=rank) for rank in range(3, 30)]
    weights = fit(albums)
    every = np.concatenate([each.features for each in albums])
    scale = every.std(axis=0)

    def loss(tried: np.ndarray) -> float:
        total = 0.5 * float(((tried * scale) ** 2).sum())
        for each in albums:
            chances = softmax(each.features @ tried)
            total -= float(np.log(chances[each.is_place]).sum())
        return total

    least = loss(weights)
    for number in range(len(weights)):
        for step in (-0.01, 0.01):
            changed = weights.copy()
            changed[number] += step / scale[number]
            assert loss(changed) > least
    assert fit([album("a", None)]).tolist() == [0.0] * len(FEATURES)
