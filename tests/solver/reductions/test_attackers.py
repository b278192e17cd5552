from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.solver.reductions.meaning import SEEDS, assert_same_meaning, bare, reduced
from tests.solver.strategies import problem


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    drawn = problem(random.Random(seed), photos=random.Random(seed).randint(1, 5))
    against = tuple(bare(one) for one in drawn.promise.against)
    promise = replace(drawn.promise, against=against, budget=None, keep=(), drop=(), values=None)
    assert_same_meaning(replace(promise, groups=(), strict=False), drawn.matrices)


def test_all_must_be_satisfied_each_by_its_own_rivals() -> None:
    both = reduced([np.zeros((2, 3)), np.zeros((2, 5))], [0, 4], top=[1, 3])
    assert [attacker.need for attacker in both.attackers] == [1, 3]
    assert [len(attacker.rivals) for attacker in both.attackers] == [2, 4]
