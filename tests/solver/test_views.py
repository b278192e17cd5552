"""What each attacker sees: rivals in order, ties by cell, the slack, and whether zeros decide."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from hypothesis import given, note, strategies as st

import elsewhere
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.plans import attacker_views
from elsewhere.solver.problem import plain
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.values.plan import View
from tests.solver.examples import examples
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problems


@examples(100)
@given(problems, st.randoms(use_true_random=False))
def test_views_of_any_choice_are_what_brute_force_sees(made: Problem, rng: random.Random) -> None:
    note(repr(made))
    oracle = Oracle(made.promise, made.tables)
    try:
        reduced = reduce(made.promise, made.matrices).problem
    except Contradiction:
        return
    instance = Instance(reduced)
    for _ in range(4):
        units = (reduced.fixed > 0) | ((reduced.fixed == 0) & (rng.random() < 0.6))
        units &= np.array([rng.random() < 0.7 for _ in units]) | (reduced.fixed > 0)
        kept = np.flatnonzero(units[reduced.unit_of]).tolist()
        if not kept:
            continue
        with np.errstate(all="ignore"):
            seen, rests_on_zero = attacker_views(instance, units)
        assert seen == oracle.views(kept)
        assert rests_on_zero == oracle.rests_on_zero(kept)


def view(rows: Any, **wishes: Any) -> View:
    """What the attacker sees of all photos, truth 0."""
    photos = len(rows)
    plan = elsewhere.protect(np.array(rows), 0, keep=range(photos), **wishes)
    return plan.views[0]


def test_furthest_ahead_first_and_ties_by_cell() -> None:
    assert view([[0.0, 1.0, 3.0, 1.0, -1.0, 2.0]], top=3).rivals == (2, 5, 1, 3)


def test_a_difference_in_the_last_place_is_no_tie() -> None:
    # 0.1 + 0.2 is above 0.3 as floats are, though their float sums with other photos agree
    rows = [[0.0, 0.3, 0.1], [0.0, 0.0, 0.2], [0.0, 1e3, 1e3]]
    assert view(rows, top=1).rivals == (2, 1)
    rows = [[0.0, 0.3, 0.25], [0.0, 0.0, 0.05], [0.0, 1e3, 1e3]]
    assert 0.25 + 0.05 == 0.3  # as floats add up, but not exactly: 0.05 is a little more
    assert view(rows, top=1).rivals == (2, 1)


def test_an_exact_tie_is_one_in_whatever_order_the_photos_come() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        column = rng.normal(size=12) + 1.0
        rows = np.stack([np.zeros(12), column, rng.permutation(column)], axis=1)
        if rows[:, 1].sum() > 0:
            assert view(rows, top=1).rivals == (1, 2)


def test_slack_is_that_of_the_last_rival_needed() -> None:
    row = [[0.0, 0.5, 3.0, 1.0]]
    assert [view(row, top=k).slack for k in (1, 2, 3)] == [3.0, 1.0, 0.5]
    assert view(row, budget=0).slack == 0.5  # under a budget the last that holds
    assert view([[1.0, 0.0, 0.0]], budget=0).slack == math.inf  # where none holds, none is needed


def test_against_a_zone_the_nearest_cell_counts() -> None:
    plan = elsewhere.protect([[0.0, 0.75, 1.0, 5.0]], {0, 1}, top=2)
    assert plan.views[0] == View(2, (3, 2), 0.25)


def test_where_the_truth_is_impossible_every_rival_is_infinitely_far_ahead() -> None:
    instance = Instance(plain(np.array([[-math.inf, 1.0, 2.0]]), 0, 2))
    seen, rests_on_zero = attacker_views(instance, np.ones(1, bool))
    assert seen == (View(2, (1, 2), math.inf),)
    assert rests_on_zero


def test_a_zero_that_is_not_needed_is_not_rested_on() -> None:
    rows = np.array([[0.0, 1.0, -math.inf]])
    assert not elsewhere.protect(rows, 0, top=1).rests_on_zero
    # only cell 2, which no photo allows, is impossible; the truth is not
    assert elsewhere.protect(rows, 0, top=1).rivals == (1,)
