"""The small dual simplex against HiGHS, and its bounds against every whole plan."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.solver.exact.simplex import INFEASIBLE, SOLVED, STALLED, Tableau
from elsewhere.solver.problem import Floats
from tests.solver.exact.linear import optimum
from tests.solver.exact.small import seeds
from tests.solver.examples import examples


class Growing:
    """A tableau that rows and fixings are added to, and the same program written down."""

    def __init__(self, rng: np.random.Generator, units: int, *, whole: bool, spread: int) -> None:
        self.rng, self.units, self.whole, self.spread = rng, units, whole, spread
        self.weights: Floats = rng.integers(1, 6, units).astype(float)
        self.tableau = Tableau(self.weights)
        self.rows: list[Floats] = []
        self.rooms: list[float] = []
        self.low, self.high = np.zeros(units), np.ones(units)

    def add_row(self) -> None:
        row = self.rng.integers(-5, 6, self.units).astype(float)
        if not self.whole:
            row = self.rng.normal(size=self.units)
        row *= 10.0 ** self.rng.integers(-self.spread, self.spread + 1, self.units)
        room = float(-abs(row).sum() * self.rng.uniform(0, 0.6))
        self.rows.append(row)
        self.rooms.append(np.round(room) if self.whole else room)
        self.tableau = self.tableau.with_row(row, self.rooms[-1], 0.0)

    def fix_some(self) -> None:
        units = np.flatnonzero((self.low < self.high) & (self.rng.random(self.units) < 0.3))
        values = self.rng.integers(0, 2, len(units)).astype(float)
        self.tableau.fix(units, values)
        self.low[units] = self.high[units] = values

    def least_whole(self) -> Fraction | None:
        """The lightest whole plan, in fractions; None where there is none."""
        best: Fraction | None = None
        for x in product((0, 1), repeat=self.units):
            if any(not lo <= v <= hi for v, lo, hi in zip(x, self.low, self.high, strict=True)):
                continue
            if all(
                sum(Fraction(r) * v for r, v in zip(row.tolist(), x, strict=True)) <= Fraction(room)
                for row, room in zip(self.rows, self.rooms, strict=True)
            ):
                cost = Fraction(sum(w * v for w, v in zip(self.weights, x, strict=True)))
                best = cost if best is None else min(best, cost)
        return best

    def relaxed(self) -> float | None:
        return optimum(self.weights, self.rows, self.rooms, self.low, self.high)


def grow(made: Growing, steps: int) -> None:
    """One more row or some units fixed, and solve again."""
    for _ in range(steps):
        if made.rng.random() < 0.75 or not made.rows:
            made.add_row()
        else:
            made.fix_some()
        made.tableau.solve(200)


@examples(60)
@given(seeds, st.integers(1, 9), st.integers(1, 7), st.booleans())
def test_rows_and_fixings_one_at_a_time_end_at_the_optimum(
    seed: int, units: int, steps: int, whole: bool
) -> None:
    made = Growing(np.random.default_rng(seed), units, whole=whole, spread=0)
    for _ in range(steps):
        grow(made, 1)
        outcome, _ = made.tableau.solve(200)
        expected = made.relaxed()
        if expected is None:
            assert outcome == INFEASIBLE
            assert made.tableau.is_proved_infeasible()
            return
        if outcome == INFEASIBLE and whole:  # whole numbers: a tie that round-off has undone,
            assert not made.tableau.is_proved_infeasible()  # but never surely
            return
        assert outcome == SOLVED
        bound, _ = made.tableau.bound()
        assert bound == pytest.approx(expected, abs=1e-6)
        x = made.tableau.values()
        assert ((x >= made.low - 1e-7) & (x <= made.high + 1e-7)).all()
        assert made.weights @ x == pytest.approx(expected, abs=1e-6)
        for row, room in zip(made.rows, made.rooms, strict=True):
            assert row @ x <= room + 1e-6


@examples(100)
@given(seeds, st.integers(1, 7), st.integers(1, 6), st.sampled_from([0, 3, 12, 100]))
def test_a_bound_is_never_above_a_whole_plan(
    seed: int, units: int, steps: int, spread: int
) -> None:
    made = Growing(np.random.default_rng(seed), units, whole=bool(seed % 2), spread=spread)
    grow(made, steps)
    best = made.least_whole()
    if best is not None:
        assert not made.tableau.is_proved_infeasible()
        assert Fraction(made.tableau.bound()[0]) <= best


@examples(50)
@given(seeds, st.integers(1, 6), st.integers(0, 3))
def test_a_bound_is_safe_wherever_the_pivots_end(seed: int, units: int, pivots: int) -> None:
    made = Growing(np.random.default_rng(seed), units, whole=False, spread=1)
    for _ in range(3):
        made.add_row()
    outcome, done = made.tableau.solve(pivots)
    assert done <= pivots
    assert outcome != STALLED or done == pivots
    best = made.least_whole()
    assert best is None or Fraction(made.tableau.bound()[0]) <= best


@examples(50)
@given(seeds, st.integers(1, 7))
def test_reduced_costs_say_what_the_other_value_costs(seed: int, units: int) -> None:
    made = Growing(np.random.default_rng(seed), units, whole=True, spread=0)
    grow(made, 3)
    bound, cost = made.tableau.bound()
    for unit in range(units):
        if made.low[unit] == made.high[unit]:
            continue
        other = 1.0 if cost[unit] >= 0 else 0.0  # where it would not rest
        low, high = made.low.copy(), made.high.copy()
        made.low[unit] = made.high[unit] = other
        best = made.least_whole()
        made.low, made.high = low, high
        assert best is None or bound + abs(cost[unit]) <= float(best) + 1e-6


@examples(50)
@given(seeds, st.integers(2, 7))
def test_penalties_are_never_above_what_a_branch_costs(seed: int, units: int) -> None:
    made = Growing(np.random.default_rng(seed), units, whole=False, spread=0)
    grow(made, 3)
    if made.tableau.solve(200)[0] != SOLVED:
        return
    bound, _ = made.tableau.bound()
    for unit, *pair in zip(*made.tableau.penalties(), strict=True):
        for value, penalty in zip((0.0, 1.0), pair, strict=True):
            child = made.tableau.copy()
            child.fix(np.array([unit]), np.array([value]))
            outcome, _ = child.solve(200)
            if outcome == SOLVED:
                assert child.bound()[0] >= bound + float(penalty) - 1e-6


def test_a_child_or_copy_leaves_its_parent_as_it_was() -> None:
    parent = Tableau(np.ones(3)).with_row(np.array([-1.0, -1.0, -1.0]), -1.5, 0.0)
    parent.solve(50)
    before = parent.values().tolist(), parent.bound()[0]
    child = parent.with_row(np.array([1.0, 0.0, 0.0]), 0.0, 0.0)
    child.solve(50)
    twin = parent.copy()
    twin.fix(np.array([0, 1]), np.array([1.0, 1.0]))
    twin.solve(50)
    assert (parent.values().tolist(), parent.bound()[0]) == before
    assert twin.values().tolist()[:2] == [1.0, 1.0]
    assert child.values()[0] == 0.0


def test_without_rows_nothing_is_left_out() -> None:
    tableau = Tableau(np.array([1.0, 2.0]))
    assert tableau.solve(10) == (SOLVED, 0)
    assert tableau.values().tolist() == [0.0, 0.0]
    assert -1e-12 < tableau.bound()[0] <= 0.0
    assert not tableau.is_proved_infeasible()


def test_doubt_about_the_room_is_taken_off_the_bound() -> None:
    sure = Tableau(np.ones(2)).with_row(np.array([-1.0, -1.0]), -1.0, 0.0)
    unsure = Tableau(np.ones(2)).with_row(np.array([-1.0, -1.0]), -1.0, 0.25)
    for tableau in (sure, unsure):
        assert tableau.solve(20)[0] == SOLVED
    assert sure.bound()[0] == pytest.approx(1.0)
    assert unsure.bound()[0] == pytest.approx(0.75)


def test_what_is_impossible_only_within_the_doubt_is_not_surely_so() -> None:
    for doubt, surely in ((0.0, True), (0.2, False)):
        tableau = Tableau(np.ones(2)).with_row(np.array([-1.0, -1.0]), -2.1, doubt)
        assert tableau.solve(20)[0] == INFEASIBLE
        assert tableau.is_proved_infeasible() is surely
