"""The secret k: never below the one asked for, evenly drawn among those that can be had."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.service.scores import solve_with_secret_top
from elsewhere.service.secret_top import candidate_tops, secret_draw, secret_tops, user_key
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import read_request


@given(st.integers(1, 40), st.integers(0, 200), st.integers(0, 2**32))
def test_tries_go_down_to_the_k_asked_for(k: int, more: int, seed: int) -> None:
    tried = list(secret_tops(k, k + more, Random(seed)))
    assert tried[-1] == k
    assert tried == sorted(set(tried), reverse=True)
    assert tried[0] <= min(12 * k // 5, k + more)


def test_a_k_drawn_before_is_used_where_it_may_be() -> None:
    assert next(secret_tops(5, 99, first=7)) == 7
    assert next(secret_tops(5, 99, Random(0), first=4)) >= 5
    assert next(secret_tops(5, 6, Random(0), first=9)) <= 6


def test_the_first_k_grows_with_the_one_asked_for_and_is_drawn_evenly() -> None:
    for seed in range(50):
        firsts = [next(secret_tops(k, 999, Random(seed))) for k in range(1, 40)]
        assert firsts == sorted(firsts)
    drawn = Counter(next(secret_tops(5, 999, Random(seed))) for seed in range(1600))
    assert set(drawn) == set(range(5, 13))
    assert min(drawn.values()) > 140


def test_a_draw_is_the_same_for_the_same_key_and_contents_in_any_order() -> None:
    one = secret_draw(b"key", ["a", "b"]).random()
    assert one == secret_draw(b"key", ["b", "a"]).random()
    assert one != secret_draw(b"key", ["a"]).random()
    assert one != secret_draw(b"other", ["a", "b"]).random()


def test_the_key_is_made_once_and_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path))
    key = user_key()
    assert key == user_key() and len(key) == 32
    (file,) = (tmp_path / "elsewhere").iterdir()
    assert file.read_bytes() == key
    assert os.name == "nt" or file.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "another"))
    assert user_key() != key


def test_where_no_key_can_be_written_one_lasts_as_long_as_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").write_text("in the way")
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path))
    assert user_key() == user_key()


def test_what_is_used_is_drawn_evenly_among_what_can_be_had() -> None:
    """Four photos that all point at cell 0; each top up to 6 of the 20 can be had."""
    rows = np.zeros((1, 20))
    rows[0, 0] = 1.0
    rows[0, 1:7] = 2.0
    asked = read_request([rows], [0], top=3, each_photo=True)
    random, used = Random(1), Counter[int]()
    for _ in range(400):
        plan, k = solve_with_secret_top(
            asked, 3, candidate_tops(3, 9, random), read_limits(None, None)
        )
        assert plan.found
        assert (plan.promise.against[0].top, plan.promise.against[0].each_photo) == (k, 3)
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
        asked, 3, candidate_tops(3, 9, Random(0)), read_limits(None, None), explain=explain
    )
    assert (plan.status, plan.explanation, k, why) == ("infeasible", "because", 3, [3])
