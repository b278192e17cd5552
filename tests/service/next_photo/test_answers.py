"""One photo at a time: every answer against brute force, and long streams that never break."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.errors import InputError
from elsewhere.messages import next_reason
from elsewhere.service.next_photo import one_by_one
from elsewhere.values.next_photo import Answer, Next, NextReason
from elsewhere_lab import simulator

Table = list[list[int]]


def may_post(
    scores: Any, truth: int, photo: int, public: Iterable[int] = (), **wishes: Any
) -> Next:
    return one_by_one(scores, truth, public=public, **wishes).ask(photo)


def exact(rows: Sequence[Sequence[float]]) -> Table:
    """Floats of 32 bits as whole numbers of the smallest of them."""
    return [[int(Fraction(x) * 2**149) for x in row] for row in rows]


def rank_ahead(rows: Table, out: Collection[int], truth: int) -> int:
    """How many cells are at least as far as the truth, by exact sums: the plainest way there is."""
    totals = [sum(column) for column in zip(*(rows[i] for i in out), strict=True)]
    return sum(total >= totals[truth] for c, total in enumerate(totals) if c != truth)


def keeps(rows: Table, out: Collection[int], truth: int, top: int) -> bool:
    return not out or rank_ahead(rows, out, truth) >= top


def supersets(photos: int, inside: frozenset[int]) -> Iterator[frozenset[int]]:
    rest = [i for i in range(photos) if i not in inside]
    for size in range(len(rest), -1, -1):
        for more in combinations(rest, size):
            yield inside | {*more}


def most_kept(rows: Table, inside: frozenset[int], truth: int, top: int) -> int:
    """The size of the largest set that keeps the promise and holds `inside`; 0 for none."""
    found = (s for s in supersets(len(rows), inside) if s and keeps(rows, s, truth, top))
    return max(map(len, found), default=0)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Table, int, int, frozenset[int], int]:
    photos, cells = draw(st.integers(2, 6)), draw(st.integers(3, 5))
    row = st.lists(st.integers(-4, 0), min_size=cells, max_size=cells)
    rows = draw(st.lists(row, min_size=photos, max_size=photos))
    truth = draw(st.integers(0, cells - 1))
    photo = draw(st.integers(0, photos - 1))
    public = draw(st.frozensets(st.integers(0, photos - 1).filter(lambda i: i != photo)))
    return rows, truth, draw(st.integers(1, cells - 1)), public, photo


@settings(max_examples=300, deadline=None)
@given(problems())
def test_every_answer_is_what_brute_force_says(
    problem: tuple[Table, int, int, frozenset[int], int],
) -> None:
    rows, truth, top, public, photo = problem
    told = may_post(rows, truth, photo, public=sorted(public), top=top)
    best = most_kept(rows, public, truth, top)
    with_it = most_kept(rows, public | {photo}, truth, top)
    if keeps(rows, public | {photo}, truth, top):
        assert told.answer is Answer.KEEP
        assert told.more == best - with_it
        assert ("not the best choice" in next_reason(told)) == (best > with_it)
    elif with_it and with_it == best:
        assert told.answer is Answer.WAIT
        assert_a_way(lambda out: keeps(rows, public | out, truth, top), told)
    else:
        assert told.answer is Answer.WITHHOLD
        assert told.more == (best - with_it if with_it else 0)


def assert_a_way(holds: Callable[[frozenset[int]], bool], told: Next) -> None:
    """The photos named do lead to it; and where only all at once helps, no order does."""
    photo = frozenset(told.photos)
    if told.before:
        for steps in range(1, len(told.before) + 1):
            assert holds(frozenset(told.before[:steps]))
        assert holds(photo.union(told.before))
        return
    assert holds(photo.union(told.together))
    for size in range(len(told.together) + 1):
        for order in permutations(told.together, size):
            prefixes = [frozenset(order[:n]) for n in range(1, size + 1)]
            assert not all(holds(out) for out in [*prefixes, photo.union(order)])


TOP = 5


def stream(seed: int, photos: int, cells: int = simulator.CELLS) -> int:
    """Photos come one by one in some order; what may go goes, what must wait is asked again.

    Returns how many went out; after each of them the promise was proved in the plainest way.
    Of the cells only the likeliest are looked at, where that is to be quick.
    """
    scores, truth = simulator.collection(seed, photos=photos)
    likely = np.argsort(-scores.values.sum(axis=0), kind="stable")
    likely = np.concatenate([[truth], likely[likely != truth][: cells - 1]])
    table, truth = scores.values[:, likely], 0
    rows = exact(table.tolist())
    posting = one_by_one(table, truth, top=TOP)
    waiting: list[int] = []
    for photo in np.random.default_rng(seed).permutation(photos).tolist():
        waiting.append(photo)
        for one in list(waiting):
            told = posting.ask(one)
            if told.answer is Answer.KEEP:
                posting.post(one)
                assert rank_ahead(rows, posting.public, truth) >= TOP
            if told.answer is not Answer.WAIT:
                waiting.remove(one)
    return len(posting.public)


def test_two_hundred_streams_never_break_the_promise_at_any_prefix() -> None:
    went = sum(stream(seed, 7, 32) for seed in range(200))
    assert went > 200  # an answer that is always no would keep every promise


@pytest.mark.long
def test_two_hundred_longer_streams_never_break_it_either() -> None:
    assert sum(stream(1000 + seed, 20) for seed in range(200)) > 400


SCORES = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])


def test_what_goes_together_is_asked_and_posted_together() -> None:
    posting = one_by_one(SCORES, 0, top=1, groups=[[0, 3]])
    assert posting.ask(0).photos == (0, 3)
    posting.post(3)
    assert posting.public == (0, 3)


def test_a_photo_that_is_out_is_out() -> None:
    assert next_reason(may_post(SCORES, 0, 1, public=[1], top=1)) == "It is public already."


def test_dropped_and_revealing_photos_are_withheld_with_their_reason() -> None:
    dropped = may_post(SCORES, 0, 1, top=1, drop=[1])
    assert (dropped.answer, next_reason(dropped)) == (Answer.WITHHOLD, "You asked to drop it.")
    alone = may_post(SCORES, 0, 0, top=1, public=[1, 3], each_photo=True)
    assert alone.answer is Answer.WITHHOLD
    assert "on its own" in next_reason(alone) and "you asked" not in next_reason(alone)


def test_a_public_photo_that_cannot_be_mended_is_said() -> None:
    rows = [[0.0, -9.0, -9.0], [0.0, -1.0, -1.0]]
    told = may_post(rows, 0, 1, public=[0], top=1)
    assert told.answer is Answer.WITHHOLD
    assert "already breaks the promise" in next_reason(told)


def test_posting_may_mend_what_is_broken() -> None:
    rows = [[0.0, -1.0], [-5.0, 0.0]]
    posting = one_by_one(rows, 0, public=[0], top=1)
    assert not posting.holds
    assert posting.ask(1).answer is Answer.KEEP
    posting.post(1)
    assert posting.holds


def test_a_budget_says_nothing_of_a_step() -> None:
    with pytest.raises(InputError, match="needs a top"):
        one_by_one(SCORES, 0, budget=1)


def test_values_are_told_as_worth() -> None:
    rows = [[0.0, -1.0], [-2.0, 0.0], [0.0, -1.5]]
    told = may_post(rows, 0, 2, top=1, public=[1], values=[2.5, 1, 1])
    assert told.answer is Answer.KEEP
    assert "photos worth 1.5 more" in next_reason(told)


def test_the_only_photo_is_not_compared_to_others() -> None:
    def words(reason: NextReason, ids: tuple[str, ...], public: int = 0) -> str:
        return next_reason(Next(Answer.KEEP, (0,), reason, ids, public=public))

    best, never = NextReason.HOLDS_AND_IS_BEST, NextReason.NEVER_HOLDS
    assert words(best, ("a.jpg",)) == "It keeps the promise."
    assert "no other photo" in words(never, ("a.jpg",))
    assert words(best, ("a.jpg", "b.jpg")).startswith("Posted as the first, it keeps the promise.")
    assert words(best, ("a.jpg", "b.jpg"), 1).startswith("With it, the public photos keep")
