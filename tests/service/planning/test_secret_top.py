"""The secret k: never below the one asked for, evenly drawn among those that can be had."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
from hypothesis import given, strategies as st

from elsewhere.service.scores import candidate_tops, solve_with_secret_top
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import read_request


@given(st.integers(1, 40), st.integers(0, 200), st.integers(0, 2**32))
def test_tries_go_down_to_the_k_asked_for(k: int, more: int, seed: int) -> None:
    tried = list(candidate_tops(k, k + more, Random(seed)))
    assert tried[-1] == k
    assert tried == sorted(set(tried), reverse=True)
    assert tried[0] <= min(3 * k, k + more)


def test_a_k_drawn_before_is_used_where_it_may_be() -> None:
    assert next(candidate_tops(5, 99, first=7)) == 7
    assert next(candidate_tops(5, 99, Random(0), first=4)) >= 5
    assert next(candidate_tops(5, 6, Random(0), first=9)) <= 6


def test_what_is_used_is_drawn_evenly_among_what_can_be_had() -> None:
    """Four photos that all point at cell 0; each top up to 6 of the 20 can be had."""
    rows = np.zeros((1, 20))
    rows[0, 0] = 1.0
    rows[0, 1:7] = 2.0
    asked = read_request([rows], [0], top=3, each_photo=True)
    random, used = Random(1), Counter[int]()
    for _ in range(400):
        plan, k = solve_with_secret_top(
            asked, 3, candidate_tops(3, 19, random), read_limits(None, None)
        )
        assert plan.found
        assert plan.promise.against[0].top == plan.promise.against[0].each_photo == k
        used[k] += 1
    assert set(used) == {3, 4, 5, 6}
    assert min(used.values()) > 60


def test_only_the_k_asked_for_can_make_it_impossible() -> None:
    rows = np.zeros((1, 20))
    rows[0, 0] = 1.0
    rows[0, 1:3] = 2.0
    asked = read_request([rows], [0], top=3)
    why: list[int] = []

    def explain(promise, scores, limits) -> str:  # type: ignore[no-untyped-def]
        why.append(promise.against[0].top)
        return "because"

    plan, k = solve_with_secret_top(
        asked, 3, candidate_tops(3, 19, Random(0)), read_limits(None, None), explain=explain
    )
    assert (plan.status, plan.explanation, k, why) == ("infeasible", "because", 3, [3])
