"""Joint problems against brute force: many attackers, each over photos of its own."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, note, settings

from elsewhere.solver.exact import several_attackers
from tests.solver.joints import JointProblem, joint_problem, joint_problems
from tests.solver.test_exact_brute import (
    by_branching_alone,
    solve_and_compare,
    stop_early_and_compare,
)


@settings(max_examples=200)
@given(joint_problems)
def test_against_brute_force(made: JointProblem) -> None:
    note(repr(made))
    solve_and_compare(made)


@settings(max_examples=200)
@given(joint_problems)
def test_branching_alone_against_brute_force(made: JointProblem) -> None:
    note(repr(made))
    with by_branching_alone():
        stop_early_and_compare(made, 2_000)


@contextmanager
def at_prices() -> Iterator[None]:
    """Small problems would be settled before attackers are asked at prices: ask at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several_attackers, "JOINT_WORK", 0)
        patch.setattr(several_attackers, "LIST_WORK", 0)
        yield


@settings(max_examples=150)
@given(joint_problems)
def test_at_prices_against_brute_force(made: JointProblem) -> None:
    note(repr(made))
    with at_prices():
        solve_and_compare(made)
        for work in (5, 50):
            stop_early_and_compare(made, work)


@settings(max_examples=100)
@given(joint_problems)
def test_stopped_early_nothing_false_is_claimed(made: JointProblem) -> None:
    note(repr(made))
    for work in (0, 1, 10, 60):
        stop_early_and_compare(made, work)


def test_every_kind_of_wish_and_of_photos_seen_is_drawn() -> None:
    drawn: collections.Counter[str] = collections.Counter()
    for seed in range(200):
        made = joint_problem(random.Random(seed))
        drawn.update(list(made.wishes))
        seen = [None if a.sees is None else set(a.sees) for a in made.promise.against]
        drawn.update(
            "everything" if one is None or other is None else _how(one, other)
            for n, one in enumerate(seen)
            for other in seen[:n]
        )
    wishes = "top budget keep drop margin lead prior values groups rivals sees each_photo strict"
    assert set(drawn) == {*wishes.split(), "everything", "apart", "same", "within", "overlap"}


def _how(one: set[int], other: set[int]) -> str:
    if not one & other:
        return "apart"
    if one == other:
        return "same"
    return "within" if one <= other or other <= one else "overlap"


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_many_against_brute_force(capsys: pytest.CaptureFixture[str]) -> None:
    states: collections.Counter[str] = collections.Counter()
    branched: collections.Counter[str] = collections.Counter()
    priced: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for seed in range(4_000):
        made = joint_problem(random.Random(f"long {seed}"))
        try:
            states[solve_and_compare(made).status.value] += 1
            stop_early_and_compare(made, seed % 100)
            with by_branching_alone():
                branched[stop_early_and_compare(made, 5_000).status.value] += 1
            with at_prices():
                priced[solve_and_compare(made).status.value] += 1
                stop_early_and_compare(made, seed % 200)
        except Exception as error:  # go on, to say how many are wrong and not only that one is
            wrong.append(f"{type(error).__name__} {error} in {made!r}")
    with capsys.disabled():
        print(
            f"\njoint problems against brute force: 4000, {len(wrong)} wrong ({dict(states)}); "
            f"by branching alone {dict(branched)}; at prices {dict(priced)}"
        )
    assert not wrong, "\n".join(wrong[:3])
