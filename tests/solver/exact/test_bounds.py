"""What one row lifts a bound by: never more than is true, whatever round-off does."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from hypothesis import given, strategies as st

from elsewhere.solver.exact.simplex import one_row_lift
from elsewhere.solver.problem import Floats

small = st.integers(-6, 6).map(float)
usual = st.floats(-10, 10)
extreme = st.builds(
    lambda sign, power, digits: sign * digits * 10.0**power,
    st.sampled_from([-1.0, 0.0, 1.0]),
    st.integers(-140, 140),
    st.floats(1, 10),
)


@st.composite
def one_row(draw: st.DrawFn) -> tuple[list[float], list[float], float, float]:
    """Reduced costs, a row, the room it has and the doubt about that."""
    number = draw(st.sampled_from([small, usual, extreme]))
    units = draw(st.integers(1, 6))
    cost = draw(st.lists(number, min_size=units, max_size=units))
    row = draw(st.lists(number, min_size=units, max_size=units))
    return cost, row, draw(number), abs(draw(st.sampled_from([0.0, 1e-9, 0.5])))


def lift_of(cost: list[float], row: list[float], room: float, doubt: float) -> float:
    with np.errstate(all="ignore"):  # as in the solver: what overflows must not be believed
        lifts = one_row_lift(np.array(cost), np.array([row]), np.array([room]), np.array([doubt]))
    return float(lifts[0])


def exact(numbers: list[float]) -> list[Fraction]:
    return [Fraction(number) for number in numbers]


def true_lift(cost: list[float], row: list[float], room: Fraction) -> Fraction | None:
    """How much dearer the best whole plan is with the row than without; None if it cannot be."""
    costs, losses = exact(cost), exact(row)
    best: Fraction | None = None
    for chosen in product((0, 1), repeat=len(cost)):
        if sum(r * x for r, x in zip(losses, chosen, strict=True)) <= room:
            value = sum((c * x for c, x in zip(costs, chosen, strict=True)), Fraction(0))
            best = value if best is None else min(best, value)
    if best is None:
        return None
    return best - sum((min(c, Fraction(0)) for c in costs), Fraction(0))


def relaxed_lift(cost: list[float], row: list[float], room: Fraction) -> Fraction:
    """The best multiplier's lift, over all breakpoints, in fractions."""
    costs, losses = exact(cost), exact(row)
    present = sum((min(c, Fraction(0)) for c in costs), Fraction(0))
    points = {-c / r for c, r in zip(costs, losses, strict=True) if r}
    return max(
        sum((min(c + m * r, Fraction(0)) for c, r in zip(costs, losses, strict=True)), Fraction(0))
        - m * room
        - present
        for m in {Fraction(0), *(point for point in points if point > 0)}
    )


@given(one_row())
def test_the_lift_is_never_above_the_true_one(
    made: tuple[list[float], list[float], float, float],
) -> None:
    cost, row, room, doubt = made
    lift = lift_of(*made)
    assert lift >= 0.0
    most = Fraction(room) + Fraction(doubt)  # the room may truly be larger by the doubt
    if lift == np.inf:
        assert sum((min(r, Fraction(0)) for r in exact(row)), Fraction(0)) > most
        return
    truth = true_lift(cost, row, most)
    assert truth is None or Fraction(lift) <= truth
    if sum((min(r, Fraction(0)) for r in exact(row)), Fraction(0)) <= most:  # it can be done
        assert Fraction(lift) <= relaxed_lift(cost, row, most)


@given(
    st.lists(st.tuples(usual, usual), min_size=1, max_size=6),
    usual,
)
def test_it_is_as_strong_as_the_relaxation_where_numbers_are_tame(
    pairs: list[tuple[float, float]], room: float
) -> None:
    pairs = [(c, r) for c, r in pairs if abs(r) > 1e-3] or [(1.0, 1.0)]
    cost, row = [c for c, _ in pairs], [r for _, r in pairs]
    lift = lift_of(cost, row, room, 0.0)
    least = sum(min(r, 0.0) for r in row)
    if lift == np.inf:
        assert least > room
    elif least < room - 1e-6:  # it can be done, and not only just
        assert lift >= float(relaxed_lift(cost, row, Fraction(room))) - 1e-9
    elif least > room + 1e-6:
        raise AssertionError("no plan makes room, and it was not seen")


@given(st.lists(one_row(), min_size=1, max_size=4), st.integers(1, 5))
def test_rows_do_not_disturb_each_other(
    made: list[tuple[list[float], list[float], float, float]], units: int
) -> None:
    def cut(numbers: list[float]) -> list[float]:
        return (numbers * units)[:units]

    cost = cut(made[0][0])
    rows: Floats = np.array([cut(row) for _, row, _, _ in made])
    room = np.array([one[2] for one in made])
    doubt = np.array([one[3] for one in made])
    with np.errstate(all="ignore"):
        together = one_row_lift(np.array(cost), rows, room, doubt)
    alone = [
        lift_of(cost, row, float(r), float(d))
        for row, r, d in zip(rows.tolist(), room, doubt, strict=True)
    ]
    # the order of the additions may differ, so the last digits may
    np.testing.assert_allclose(together, alone, rtol=1e-9, atol=1e-300)


def test_without_units_or_rows() -> None:
    nothing = np.zeros(0)
    lifts = one_row_lift(
        nothing, np.zeros((3, 0)), np.array([1.0, -1.0, -0.1]), np.array([0.0, 0.0, 0.5])
    )
    assert lifts.tolist() == [0.0, np.inf, 0.0]
    assert one_row_lift(np.ones(2), np.zeros((0, 2)), nothing, nothing).tolist() == []


def test_all_helpful_units_together_just_make_room() -> None:
    assert abs(lift_of([1.0, 2.0], [-1.0, -2.0], -3.0, 0.0) - 3.0) < 1e-12
    assert lift_of([1.0, 2.0], [-1.0, -2.0], -3.1, 0.0) == np.inf
