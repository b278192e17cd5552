"""Does a reduced problem mean what the promise means? Held against brute force, set by set.

`alone` cuts a random promise down to one wish, so that the reduction for it is tested by itself;
`assert_same_meaning` then goes through every set of photos that could be kept.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.solver.greedy import cost, counts, is_plan
from elsewhere.solver.problem import Problem as CanonicalProblem, Solution
from elsewhere.solver.reductions import Contradiction, Reduction, reduce
from elsewhere.solver.requests import read_request
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problem

SEEDS = range(60)


def reduction(scores: Any, truth: Any = 0, **wishes: Any) -> Reduction:
    """The reduction of what `protect` would be asked; top 1 where nothing else is."""
    if "budget" not in wishes:
        wishes = {"top": 1} | wishes
    request = read_request(scores, truth, **wishes)
    return reduce(request.promise, request.scores)


def reduced(scores: Any, truth: Any = 0, **wishes: Any) -> CanonicalProblem:
    """The canonical problem of what `protect` would be asked."""
    return reduction(scores, truth, **wishes).problem


def bare(against: Against) -> Against:
    """What is promised against an attacker when nothing is wished for: one true cell, top 1."""
    return Against(against.scores, against.scorer, against.cells, against.truth[:1], top=1)


def alone(seed: int, wish: Callable[[Promise, Promise], Promise]) -> tuple[Promise, list[Scores]]:
    """A random promise with only what `wish(bare promise, full promise)` puts back."""
    drawn: Problem = problem(random.Random(seed), photos=random.Random(seed).randint(1, 5))
    full = drawn.promise
    plain = Promise(full.photos, (bare(full.against[0]),))
    promise = wish(plain, full)
    return promise, drawn.matrices[: len(promise.against)]


def first(promise: Promise, **changes: object) -> Promise:
    """The promise with something changed in what is promised against its first attacker."""
    against = (replace(promise.against[0], **changes), *promise.against[1:])  # type: ignore[arg-type]
    return replace(promise, against=against)


def assert_same_meaning(promise: Promise, scores: list[Scores]) -> None:
    """The reduced problem allows, counts and costs what the promise does, for every set."""
    oracle = Oracle(promise, [table.values for table in scores])
    try:
        chain = reduce(promise, scores)
    except Contradiction:
        assert not any(oracle.allowed(kept) for kept in oracle.everything())
        return
    reduced = chain.problem
    for kept in oracle.everything():
        mask = np.isin(np.arange(promise.photos), kept)
        units = np.zeros(reduced.units, bool)
        units[reduced.unit_of[mask]] = True
        if not (units[reduced.unit_of] == mask).all():  # it tears a unit apart
            assert not oracle.allowed(kept)
            continue
        within = oracle.fulfilled(kept) if promise.budget is None else oracle.allowed(kept)
        assert is_plan(reduced, units) == within
        if kept:
            assert list(counts(reduced, units)) == oracle.counts(kept)
        back = chain.invert(Solution("feasible", units, cost(reduced, units), 0))
        assert back.kept is not None
        assert (back.kept == mask).all()
        assert Fraction(back.cost) == oracle.cost(kept)
