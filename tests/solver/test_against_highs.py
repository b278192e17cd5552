"""Our solver against HiGHS on calibrated problems of real size: not one may differ."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.solver import milp

from elsewhere.solver import exact
from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Problem, Versions, plain
from elsewhere_lab import simulator


def calibrated(index: int, photos: int) -> Problem:
    """Guarantees and budgets, with and without pins, drops, margins and weights, by turns."""
    rng = np.random.default_rng([2027, index])
    scores, truth = simulator.collection(10_000 + index, photos, ("w1", "w2")[index % 2])
    top = (1, 2, 3, 5, 8)[index % 5]
    problem = plain(scores.values, truth, top)
    attacker = replace(problem.attackers[0], shift=(0.0, 0.0, 0.1)[index % 3])
    weights, fixed = problem.weights, problem.fixed.copy()
    if index % 4 == 1:
        fixed[rng.permutation(photos)[:3]] = [IN, OUT, FREE]
    if index % 4 == 2:
        weights = rng.integers(1, 5, photos)
    budget = None
    if index % 4 == 3:
        attacker = replace(attacker, need=0)
        budget = int(photos * (0.125, 0.25, 0.375)[index % 3])
    return replace(problem, attackers=(attacker,), weights=weights, fixed=fixed, budget=budget)


def hidden_zone(index: int, photos: int) -> Problem:
    """A zone of three cells hidden from two attackers."""
    world = simulator.world("w1", index)
    rng = np.random.default_rng([2028, index])
    truth = int(rng.integers(simulator.CELLS))
    zone = np.array(sorted(world.zone(truth, 3)), np.intp)
    rivals = np.setdiff1d(np.arange(simulator.CELLS, dtype=np.intp), zone)[::4]
    attackers = tuple(
        Attacker(bank, zone, rivals, need=2)
        for bank in world.views(truth, photos, rng, attackers=2)
    )
    problem = plain(attackers[0].scores, truth, 0)
    return replace(problem, attackers=attackers)


def with_drawn_versions(index: int, photos: int) -> Problem:
    """One to four versions of each photo: flatter rows with noise, for some of its value."""
    problem = calibrated(index, photos)
    rng = np.random.default_rng([2029, index])
    copies = rng.integers(1, 5, photos)
    photo_of = np.repeat(np.arange(photos, dtype=np.intp), copies)
    edited = np.append(False, photo_of[1:] == photo_of[:-1])
    loss = np.where(edited, rng.integers(5, 51, len(photo_of)), 0)
    attacker = problem.attackers[0]
    scores = attacker.scores[photo_of].astype(float)
    noise = 0.25 * rng.normal(size=scores.shape)
    scores[edited] = ((1 - loss / 60)[:, None] * scores + noise)[edited]
    budget = None if problem.budget is None else 100 * problem.budget
    return replace(
        problem,
        attackers=(replace(attacker, scores=scores, rivals=attacker.rivals[::8]),),
        unit_of=photo_of,
        weights=100 * problem.weights,
        budget=budget,
        versions=Versions(photo_of, loss.astype(np.int64), np.ones(len(photo_of), bool)),
    )


def compare(problem: Problem, seconds: float) -> bool:
    """Whether HiGHS came to a proof; if it did, ours is the same."""
    ours = exact.solve(problem, exact.SearchLimits(deadline=time.monotonic() + seconds))
    assert ours.status in ("optimal", "infeasible")
    theirs = milp.solve(problem, time_limit=seconds)
    if theirs.status not in ("optimal", "infeasible"):
        return False
    assert ours.status == theirs.status
    if ours.kept is not None:
        assert milp.value(problem, ours) == milp.value(problem, theirs)
    return True


def test_a_dozen_problems_of_sixteen_photos() -> None:
    decided = sum(compare(calibrated(index, 16), 60.0) for index in range(12))
    assert decided == 12


def test_zones_with_two_attackers() -> None:
    assert all(compare(hidden_zone(index, 8), 60.0) for index in range(2))


def test_eight_problems_with_versions() -> None:
    assert all(compare(with_drawn_versions(index, 10), 60.0) for index in range(8))


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_a_hundred_problems_with_versions() -> None:
    decided = sum(compare(with_drawn_versions(index, 16), 60.0) for index in range(100, 200))
    print(f"{decided} of 100 problems with versions decided by HiGHS, none different")
    assert decided >= 90


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("photos", "first", "count"), [(16, 100, 180), (32, 400, 140), (64, 700, 40)]
)
def test_three_hundred_problems_of_real_size(photos: int, first: int, count: int) -> None:
    decided = sum(compare(calibrated(index, photos), 60.0) for index in range(first, first + count))
    print(f"{decided} of {count} problems of {photos} photos decided by HiGHS, none different")
    assert decided >= 0.9 * count
