"""The MILP models are right: both forms, both objectives, every wish they can express."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.solver import milp, single
from benchmarks.solver.milp_model import Form, Hints, program

from elsewhere.errors import InputError
from elsewhere.solver.greedy import is_plan
from elsewhere.solver.problem import OUT, plain
from elsewhere_lab import simulator
from tests.solver import enumeration


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("budget", [False, True])
def test_it_equals_trying_every_set(form: Form, budget: bool) -> None:
    rng = np.random.default_rng([3, budget])
    for _ in range(60):
        problem = enumeration.random_problem(
            rng,
            attackers=int(rng.integers(1, 3)),
            zone=int(rng.integers(1, 3)),
            units=bool(rng.random() < 0.5),
            weights=bool(rng.random() < 0.5),
            budget=budget,
        )
        answer, best = milp.solve(problem, form=form), enumeration.best(problem)
        if best is None:
            assert answer.status == "infeasible"
            continue
        assert answer.status == "optimal"
        assert answer.kept is not None
        assert is_plan(problem, answer.kept)
        assert milp.value(problem, answer) == best == answer.bound


@pytest.mark.parametrize("form", list(Form))
def test_hints_that_hold_do_not_change_the_optimum(form: Form) -> None:
    rng = np.random.default_rng(8)
    for _ in range(40):
        problem = enumeration.random_problem(rng, weights=True, units=True)
        best = enumeration.best(problem)
        if best is None:
            continue
        live = (np.ones(len(problem.attackers[0].rivals), bool),)
        hints = Hints(live, least=max(0, best - 2), most=best + int(rng.integers(0, 4)))
        answer = milp.solve(problem, form=form, hints=hints)
        assert (answer.status, answer.cost) == ("optimal", best)


def test_hints_make_the_program_smaller_and_its_constants_tighter() -> None:
    scores, truth = simulator.collection(2, photos=32)
    problem = plain(scores.values, truth, 5)
    live = np.zeros(511, bool)
    live[:40] = True
    tight = program(problem, Form.BIG_M, Hints((live,), least=3, most=12))
    loose = program(problem, Form.BIG_M)
    assert tight.columns == 32 + 40
    assert loose.columns == 32 + 511
    largest = max(float(np.abs(value).max()) for value in tight.value)
    assert largest < max(float(np.abs(value).max()) for value in loose.value)


def test_the_empty_album_is_no_plan() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0]])
    for form in Form:
        assert milp.solve(plain(rows, truth=0, need=1), form=form).status == "infeasible"


def test_top_1_equals_the_polynomial_algorithm_at_real_size() -> None:
    for seed in range(4):
        scores, truth = simulator.collection(seed, photos=16)
        problem = plain(scores.values, truth, 1)
        assert milp.solve(problem).cost == single.solve(problem).cost


def test_a_time_limit_is_honest() -> None:
    scores, truth = simulator.collection(0, photos=128)
    answer = milp.solve(plain(scores.values, truth, 10), time_limit=0.3)
    assert answer.status in ("feasible", "unknown")
    assert answer.bound >= 0


def test_what_it_cannot_express_it_refuses() -> None:
    problem = plain(np.array([[0.0, -np.inf], [0.0, 1.0]]), truth=0, need=1)
    with pytest.raises(InputError, match="neither −inf nor strict"):
        milp.solve(problem)
    with pytest.raises(InputError, match="neither −inf nor strict"):
        milp.solve(replace(plain(np.zeros((2, 2)), 0, 1), strict=True))


def test_what_is_hopeless_from_the_start_is_infeasible() -> None:
    problem = plain(np.zeros((2, 2)), truth=0, need=1)
    gone = np.full(2, OUT, np.int8)
    assert milp.solve(replace(problem, fixed=gone)).status == "infeasible"
    half = np.array([OUT, 0], np.int8)
    assert milp.solve(replace(problem, fixed=half, budget=0)).status == "infeasible"


def test_a_plan_that_only_the_tolerance_accepts_is_not_handed_out() -> None:
    problem = plain(np.array([[1e-12, 0.0], [1e-12, 0.0]]), truth=0, need=1)
    model = program(problem, Form.BIG_M)
    claimed = np.ones(model.columns)
    answer = milp.read(problem, model, "optimal", claimed, 0.0)
    assert answer.status == "unknown"
    assert answer.kept is None
