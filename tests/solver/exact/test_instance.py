"""Float columns whose verdicts are safe: what they cannot decide is decided exactly."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import given

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Problem, holds, plain
from elsewhere.solver.reductions import Contradiction, reduce
from tests.solver.exact.small import drawn, every_mask, every_plan, seeds
from tests.solver.examples import examples
from tests.solver.strategies import problem


def assert_right(instance: Instance) -> None:
    """For every plan and every rival the instance says what exact arithmetic says."""
    with np.errstate(all="ignore"):
        for left_out in every_plan(instance):
            photos = instance.units_kept(left_out)[instance.problem.unit_of]
            said = instance.holding(left_out).tolist()
            assert said == [instance.holds_exactly(photos, j) for j in range(instance.rivals)]


@examples(60)
@given(seeds)
def test_holding_is_exact_for_every_plan(seed: int) -> None:
    assert_right(Instance(drawn(seed)))


def test_holding_is_exact_for_scores_of_extreme_spread() -> None:
    for seed in range(150):
        made = problem(random.Random(f"spread {seed}"), photos=4)
        try:
            chain = reduce(made.promise, made.matrices)
        except Contradiction:
            continue
        assert_right(Instance(chain.problem))


@examples(60)
@given(seeds)
def test_floats_are_never_further_off_than_the_doubt(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bank = rng.normal(size=(5, 4)) * 10.0 ** rng.integers(-30, 30, size=(5, 1))
    made = replace(plain(bank, 0, 1), strict=bool(seed % 2))
    attacker = replace(made.attackers[0], shift=0.1, lead=0.3, offset=rng.normal(size=4))
    instance = Instance(replace(made, attackers=(attacker,)))
    assert attacker.offset is not None
    for left_out in every_mask(5):
        ahead = instance.slacks(instance.sums(left_out.astype(np.float64)))
        kept = np.flatnonzero(~left_out).tolist()
        for j in range(3):
            row = Fraction(float(attacker.offset[j + 1])) - Fraction(float(attacker.offset[0]))
            row -= Fraction(0.3) + len(kept) * Fraction(0.1)
            row += sum(Fraction(float(bank[i, j + 1])) - Fraction(float(bank[i, 0])) for i in kept)
            assert abs(Fraction(float(ahead[j])) - row) <= Fraction(float(instance.error_bound[j]))


@examples(40)
@given(seeds)
def test_fewer_rivals_hold_as_they_did_among_all(seed: int) -> None:
    instance = Instance(drawn(seed))
    rng = np.random.default_rng(seed)
    some = np.flatnonzero(rng.random(instance.rivals) < 0.6)
    part = instance.restricted(some)
    again = part.restricted(np.arange(part.rivals)[::2])
    assert part.error_bound.tolist() == instance.error_bound[some].tolist()
    assert part.cell_of.tolist() == instance.cell_of[some].tolist()
    for left_out in every_plan(instance):
        holding = instance.holding(left_out)
        assert (part.holding(left_out) == holding[some]).all()
        assert (again.holding(left_out) == holding[some][::2]).all()
    assert part.counts(np.ones(part.rivals, bool)).sum() == len(some)


@examples(40)
@given(seeds)
def test_many_sets_at_once_are_what_they_are_one_by_one(seed: int) -> None:
    instance = Instance(drawn(seed))
    plans = [left_out.astype(np.float64) for left_out in every_plan(instance)][:20]
    if not plans:
        return
    sums = np.stack([instance.sums(left_out) for left_out in plans], axis=1)
    together = instance.slacks(sums)
    for i, left_out in enumerate(plans):
        alone = instance.sums(left_out)
        np.testing.assert_array_equal(together[:, i], instance.slacks(alone))
        leading = instance.binding_zone_rows(alone)
        ahead = alone[: instance.rivals] - alone[leading]
        np.testing.assert_array_equal(ahead, instance.slacks(alone))


def test_what_is_fixed_has_left_the_choice() -> None:
    bank = np.array([[0.0, 4.0], [0.0, -1.0], [0.0, -2.0], [0.0, -2.5]])
    attacker = Attacker(bank, np.array([0]), np.array([1]), need=1)
    instance = Instance(
        Problem(
            (attacker,),
            unit_of=np.array([0, 1, 2, 2]),
            weights=np.array([5, 7, 9]),
            fixed=np.array([FREE, OUT, IN], np.int8),
        )
    )
    assert instance.units == 1
    assert (instance.base_weight, instance.base_size) == (7, 1)
    assert (instance.weights.tolist(), instance.sizes.tolist()) == ([5.0], [1.0])
    none = np.zeros(1, bool)
    assert instance.units_kept(none).tolist() == [True, False, True]
    assert instance.units_kept(none)[instance.problem.unit_of].tolist() == [True, False, True, True]
    # photos 2 and 3 take 4.5 off the four nats of photo 0
    assert instance.slacks(instance.sums(np.zeros(1))).tolist() == [-0.5]
    assert not instance.holding(none).any()


def test_a_near_tie_is_decided_by_the_scores_and_not_by_their_float_sum() -> None:
    # 0.1 + 0.2 − 0.3 as floats is 2**-55 exactly; float sums say 0 or 2**-54, by their order
    rows = np.array([[0.0, 0.1], [0.0, 0.2], [0.0, -0.3]])
    attacker = plain(rows, 0, 1).attackers[0]
    everything = np.ones(3, bool)
    for strict in (False, True):
        instance = Instance(replace(plain(rows, 0, 1), strict=strict))
        assert instance.holding(np.zeros(3, bool)).all()
        assert holds(attacker, everything, 1, strict=strict)
    below = rows.copy()
    below[2, 1] = np.nextafter(-0.3, -1.0)
    assert not Instance(plain(below, 0, 1)).holding(np.zeros(3, bool)).any()


@given(seeds)
def test_an_attacker_without_a_kept_photo_is_judged_as_exactly(seed: int) -> None:
    """All its rivals tie then, and are decided at once: as one by one in exact arithmetic."""
    rng = np.random.default_rng(seed)
    problem = drawn(seed)
    blind = tuple(
        replace(one, sees=rng.random(problem.photos) < 0.3, lead=float(rng.choice([0, 0, 1, -1])))
        for one in problem.attackers
    )
    instance = Instance(replace(problem, attackers=blind))
    left_out = rng.random(instance.units) < 0.7
    photos = instance.units_kept(left_out)[instance.problem.unit_of]
    with np.errstate(all="ignore"):
        holding = instance.holding(left_out)
    assert holding.tolist() == [
        instance.holds_exactly(photos, rival) for rival in range(instance.rivals)
    ]


def test_what_is_known_beforehand_decides_where_no_kept_photo_is_seen() -> None:
    """Differences of the prior that drown in the round-off of photos that are not even kept."""
    bank = np.zeros((2, 4))
    bank[0] = 1000.0
    one = Attacker(
        bank,
        np.array([0], np.intp),
        np.array([1, 2, 3], np.intp),
        need=1,
        offset=np.array([0.0, -1e-18, 0.0, 1e-18]),
        sees=np.array([True, False]),
    )
    instance = Instance(Problem((one,), np.arange(2), np.ones(2, np.int64), np.zeros(2, np.int8)))
    assert instance.holding(np.array([True, False])).tolist() == [False, True, True]
