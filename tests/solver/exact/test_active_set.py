"""Several attackers: those that see the same photos are one, and few of them may be enough."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings, strategies as st

from elsewhere.solver.exact import Instance, SearchLimits, several_attackers, solve
from elsewhere.solver.exact.solver import merge_attackers
from elsewhere.solver.problem import Attacker, Problem
from tests.solver.exact.small import least, needs, seeds, trying_all


def of_places(seed: int) -> Problem:
    """An album of two or three places: each watched over its own photos and over all of them."""
    rng = np.random.default_rng(seed)
    places, photos, cells = int(rng.integers(2, 4)), int(rng.integers(3, 9)), 9
    bank = rng.integers(-6, 1, (photos, cells)).astype(float)
    place_of = rng.integers(places, size=photos)
    place_of[rng.random(photos) < 0.15] = -1  # nobody knows: counted everywhere
    rivals = np.arange(places, cells, dtype=np.intp)
    need, shift = int(rng.integers(1, 5)), float(rng.choice([0.0, 0.5]))
    attackers = []
    for place in range(places):
        zone = np.array([place], np.intp)
        own = (place_of == place) | (place_of < 0)
        for sees in (own, None):
            attackers.append(Attacker(bank, zone, rivals, need, shift, sees=sees))
    weights = rng.integers(1, 4, photos) if rng.random() < 0.5 else np.ones(photos, np.int64)
    fixed = np.where(rng.random(photos) < 0.1, 1, 0).astype(np.int8)
    return Problem(tuple(attackers), np.arange(photos), weights.astype(np.int64), fixed)


@given(seeds, st.booleans())
def test_as_light_as_by_trying_all(seed: int, all_at_once: bool) -> None:
    problem = of_places(seed)
    instance = Instance(problem)
    best = least(instance, instance.weights, needs(problem))
    with trying_all(all_at_once):
        answer = solve(problem)
    if math.isinf(best):
        assert answer.status == "infeasible"
    else:
        assert (answer.status, answer.cost) == ("optimal", best)


@given(seeds)
def test_attackers_of_the_same_photos_are_one(seed: int) -> None:
    problem = of_places(seed)
    one = merge_attackers(problem)
    seen = {None if a.sees is None else a.sees.tobytes() for a in problem.attackers}
    assert len(one.attackers) == len(seen)
    before, after = Instance(problem), Instance(one)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        left_out = rng.random(before.units) < 0.5
        assert needs(problem).reached(before.counts(before.holding(left_out))) == needs(
            one
        ).reached(after.counts(after.holding(left_out)))


@settings(max_examples=60)
@given(seeds)
def test_the_bound_is_one_and_what_is_proved_is_best(seed: int) -> None:
    problem = of_places(seed)
    instance = Instance(problem)
    goal, weights = needs(problem), instance.weights
    best = least(instance, weights, goal)
    result, _ = several_attackers.solve_by_active_set(instance, weights, goal, SearchLimits())
    plan, bound, proved = result.left_out, result.bound, result.proved
    assert bound <= best
    if plan is None:
        assert not proved or math.isinf(best)
    else:
        assert goal.reached(instance.counts(instance.holding(plan)))
        assert weights[plan].sum() == best if proved else weights[plan].sum() >= best


def test_what_different_photos_cost_adds_up() -> None:
    """Two places of two photos, each of which needs one of its own to go; all of them shared
    photos would be bought by a third."""
    bank = np.array([[2.0, 0, 1], [0, 0, 0], [0, 2.0, 1], [0, 0, 0]])
    rivals = np.array([2], np.intp)
    own = [np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool)]
    attackers = tuple(
        Attacker(bank, np.array([place], np.intp), rivals, 1, sees=own[place]) for place in (0, 1)
    )
    problem = Problem(attackers, np.arange(4), np.ones(4, np.int64), np.zeros(4, np.int8))
    instance = Instance(problem)
    subproblems = several_attackers.Subproblems(
        instance, instance.weights, needs(problem), SearchLimits()
    )
    assert sorted(subproblems.groups().values()) == [[0], [1]]
    solved = subproblems.solve_groups()
    assert solved is not None
    together, lists = solved
    assert lists is not None and lists.bound == 2
    assert together.tolist() == [True, False, True, False]


def test_a_place_without_a_plan_leaves_none_for_all() -> None:
    bank = np.array([[2.0, 0, 1], [0, 0, 0], [0, 2.0, 1], [0, 0, 0]])
    own = [np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool)]
    attackers = tuple(
        Attacker(bank, np.array([a], np.intp), np.array([2], np.intp), need, sees=own[a])
        for a, need in enumerate((1, 2))
    )
    problem = Problem(attackers, np.arange(4), np.ones(4, np.int64), np.zeros(4, np.int8))
    assert solve(problem).status == "infeasible"


def test_shares_that_floats_could_not_hold_are_not_added_up() -> None:
    """A photo that two attackers see is cut in halves: the whole numbers get twice as large."""
    bank = np.array([[2.0, 0, 1], [2.0, 2.0, 1], [0, 2.0, 1], [0, 0, 0]])
    own = [np.array([1, 1, 0, 0], bool), np.array([0, 1, 1, 0], bool)]
    attackers = tuple(
        Attacker(bank, np.array([place], np.intp), np.array([2], np.intp), 1, sees=own[place])
        for place in (0, 1)
    )
    for heavy, bound in ((2**40, 3 * 2**40), (2**50 + 1, None)):
        weights = np.full(4, heavy, np.int64)
        problem = Problem(attackers, np.arange(4), weights, np.zeros(4, np.int8))
        instance = Instance(problem)
        subproblems = several_attackers.Subproblems(
            instance, instance.weights, needs(problem), SearchLimits()
        )
        solved = subproblems.solve_groups()
        assert (solved and solved[1] and solved[1].bound) == bound
