"""The canonical problem as a value."""

from __future__ import annotations

import numpy as np

from elsewhere.solver.problem import FREE, IN, OUT, Problem, plain


def test_the_plain_problem_is_the_paper_s() -> None:
    problem = plain(np.zeros((3, 5)), truth=2, need=4)
    (attacker,) = problem.attackers
    assert attacker.zone.tolist() == [2]
    assert attacker.rivals.tolist() == [0, 1, 3, 4]
    assert (attacker.need, attacker.shift, attacker.lead) == (4, 0.0, 0.0)
    assert (attacker.offset, attacker.sees) == (None, None)
    assert problem.weights.tolist() == [1, 1, 1]
    assert problem.fixed.tolist() == [FREE] * 3
    assert (problem.budget, problem.strict) == (None, False)


def test_photos_units_and_sizes() -> None:
    alone = plain(np.zeros((4, 2)), 0, 1)
    assert (alone.photos, alone.units, alone.sizes.tolist()) == (4, 4, [1, 1, 1, 1])
    joined = Problem(alone.attackers, np.array([0, 1, 0, 0]), np.array([3, 1]))
    assert (joined.photos, joined.units, joined.sizes.tolist()) == (4, 2, [3, 1])


def test_fixed_in_and_out_are_opposites() -> None:
    assert (FREE, IN, OUT) == (0, 1, -1)  # groups rely on it: −IN is OUT
