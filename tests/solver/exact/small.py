"""Small problems for the parts of the solver, and what is true of them by trying every plan."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

from elsewhere.solver.exact import search
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import Floats, Mask, Problem
from tests.solver.enumeration import random_problem

seeds = st.integers(0, 2**32 - 1)

KINDS: tuple[dict[str, int | bool], ...] = (
    {},
    {"weights": True},
    {"zone": 2},
    {"attackers": 2},
    {"units": True},
    {"infinite": True},
    {"strict": True},
    {"attackers": 2, "zone": 3, "weights": True, "units": True},
    {"attackers": 2, "infinite": True, "strict": True, "zone": 2},
)
"""Every kind of problem that `random_problem` draws; seed % len(KINDS) picks one."""


def drawn(seed: int, *, budget: bool = False) -> Problem:
    """The problem of a seed, of the kind that the seed says."""
    kind = KINDS[seed % len(KINDS)]
    return random_problem(np.random.default_rng(seed), budget=budget, **kind)  # type: ignore[arg-type]


@contextmanager
def trying_all(yes: bool) -> Iterator[None]:
    """Small problems are solved by trying all plans at their first node: unless the tree is meant.

    Scores of extreme spread overflow into doubt, never an error.
    """
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="ignore"):
        if not yes:
            patch.setattr(search, "MAX_ENUMERATION_UNITS", -1)
        yield


def every_mask(length: int) -> Iterator[Mask]:
    """Every choice of units to leave out, all and none of them too."""
    for bits in itertools.product((False, True), repeat=length):
        yield np.array(bits, bool)


def every_plan(instance: Instance) -> Iterator[Mask]:
    """Every choice of free units to leave out after which something is still kept."""
    for left_out in every_mask(instance.units):
        if instance.units_kept(left_out).any():
            yield left_out


def least(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    *,
    cap: float = math.inf,
    side: tuple[Floats, int] | None = None,
) -> float:
    """The least weight that reaches a goal, by trying every plan; inf where none does."""
    return min(
        (
            float(weights[left_out].sum())
            for left_out in every_plan(instance)
            if goal.reached(instance.counts(instance.holding(left_out)))
            and weights[left_out].sum() <= cap
            and (side is None or side[0][left_out].sum() <= side[1])
        ),
        default=math.inf,
    )


def needs(problem: Problem) -> Goal:
    """The goal of a guarantee, read from its attackers."""
    each = np.array([attacker.need for attacker in problem.attackers], np.intp)
    return Goal(each, int(each.sum()))
