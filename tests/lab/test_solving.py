"""The lab's own greedy against the baseline, and what is listed as not proved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver import greedy
from elsewhere.solver.greedy import counts
from elsewhere.solver.problem import plain
from elsewhere_lab.experiments.tables import fill_budget, pack, unpack
from elsewhere_lab.solving import (
    furthest,
    greedy_fewest,
    greedy_steps,
    list_unproved,
    rank_ahead,
    within,
)
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import Row


@pytest.mark.parametrize("seed", range(8))
def test_greedy_is_the_baseline(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(int(rng.integers(2, 14)), int(rng.integers(2, 9))))
    if seed % 2:
        scores = scores.round()  # ties
    steps = greedy_steps(scores, 0)
    for top in range(1, scores.shape[1]):
        kept = greedy.solve(plain(scores, 0, top)).kept
        wanted = None if kept is None else int((~kept).sum())
        assert greedy_fewest(steps, top) == wanted
    for budget in range(len(scores)):
        problem = replace(plain(scores, 0, 0), budget=budget)
        kept = greedy.solve(problem).kept
        assert kept is not None
        assert steps[budget] == counts(problem, kept)[0]


def test_a_budget_is_filled_up_without_losing_anything() -> None:
    scores = Simulator(seed=6).photos(3)[0][:16]
    plan = furthest(scores, 3, 4)
    more = fill_budget(scores, 3, plan.withheld, 4, np.random.default_rng(0).permutation(16))
    assert set(plan.withheld) <= set(more)
    assert len(more) <= 4
    kept = [i for i in range(16) if i not in more]
    assert rank_ahead(scores[kept], 3) >= plan.protected_k
    assert unpack(pack(more)) == set(more)


def test_what_is_not_proved_is_listed() -> None:
    rows: list[Row] = [
        {"kind": "R-16", "number": 4, "status 1": "optimal", "status 5": "feasible"},
        {"kind": "R-16", "number": 5, "status 1": None, "status 5": "infeasible"},
    ]
    assert list_unproved(rows) == ["R-16 number 4, 5: feasible"]
    assert within(128, 0.375) == 48
