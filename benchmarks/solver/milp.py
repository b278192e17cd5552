"""The problem handed to a general solver: the paper's way, kept as oracle and as peer.

HiGHS is a development dependency and never needed by users. What it returns is recounted exactly:
a plan that owes its rows to the solver's tolerance is not handed out.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.solver.milp_model import Form, Hints, Program, program
from elsewhere.errors import InputError
from elsewhere.solver.greedy import cost, counts, is_plan, trivial_bound
from elsewhere.solver.problem import OUT, Floats, Mask, Problem, Solution

TOLERANCE = 1e-9


def solve(
    problem: Problem,
    *,
    form: Form = Form.BIG_M,
    hints: Hints | None = None,
    time_limit: float = math.inf,
) -> Solution:
    """The optimum by HiGHS, on one thread.

    Under a budget it is the largest smallest count; which of the plans that reach it is returned,
    and at what cost, is left to HiGHS.

    >>> from elsewhere.solver.problem import plain
    >>> rows = np.log([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    >>> answer = solve(plain(rows, truth=0, need=2))
    >>> answer.status, answer.cost
    ('optimal', 2)
    """
    if _hopeless(problem):
        return Solution("infeasible", None, 0, 0)
    model = program(problem, form, hints)
    status, values, bound = run_highs(model, time_limit)
    return read(problem, model, status, values, bound)


def read(
    problem: Problem, model: Program, status: str, values: Floats | None, bound: float
) -> Solution:
    """A solver's claim about `model` as an answer about `problem`, after an exact recount."""
    sign = 1 if problem.budget is None else -1
    limit = math.ceil(bound - 1e-6) * sign if math.isfinite(bound) else trivial_bound(problem)
    if status == "infeasible":
        return Solution("infeasible", None, 0, limit)
    if values is None:
        return Solution("unknown", None, 0, limit)
    kept = kept_units(problem, model, values)
    shared = shared_rows(problem, model, kept, values)
    if not is_plan(problem, kept, shared):  # within the solver's tolerance, and yet not true
        return Solution("unknown", None, 0, limit)
    return Solution(status, kept, cost(problem, kept, shared), limit, shared=shared)


def kept_units(problem: Problem, model: Program, values: Floats) -> Mask:
    """Which units a solution of `model` keeps."""
    kept = problem.fixed != OUT
    kept[model.free] = values[: len(model.free)] > 0.5
    return np.asarray(kept)


def shared_rows(problem: Problem, model: Program, kept: Mask, values: Floats) -> Mask:
    """Which rows of the scores a solution of `model` shares."""
    if problem.versions is None:
        return np.asarray(kept[problem.unit_of])
    shared = np.zeros(problem.rows, bool)
    first = len(model.free)
    shared[model.shared] = values[first : first + len(model.shared)] > 0.5
    return shared


def value(problem: Problem, answer: Solution) -> int:
    """What is compared between solvers: weight left out, or the smallest count under a budget."""
    if answer.kept is None:
        raise InputError("an answer without a plan has no value")
    if problem.budget is None:
        return int(answer.cost)
    return min(counts(problem, answer.kept, answer.shared))


def _hopeless(problem: Problem) -> bool:
    """Whether what is fixed out leaves nothing, or is more than the budget allows."""
    out = problem.fixed == OUT
    over = problem.budget is not None and int(problem.sizes[out].sum()) > problem.budget
    return bool(out.all()) or over


def run_highs(model: Program, time_limit: float) -> tuple[str, Floats | None, float]:
    """Status, values of the columns (None without a plan) and the proved bound, by HiGHS."""
    try:
        import highspy
    except ImportError:
        raise InputError("the MILP models need HiGHS: pip install highspy") from None
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.columns, model.rows
    lp.col_cost_, lp.offset_ = model.cost, model.offset
    lp.col_lower_, lp.col_upper_ = np.zeros(model.columns), model.upper
    lp.row_lower_, lp.row_upper_ = np.array(model.floor), np.array(model.ceiling)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.array(model.start, np.int32)
    lp.a_matrix_.index_ = np.concatenate(model.index)
    lp.a_matrix_.value_ = np.concatenate(model.value)
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in model.integer]
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    options = {
        "output_flag": False,
        "threads": 1,
        "mip_rel_gap": 0.0,
        "mip_feasibility_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "time_limit": time_limit,
    }
    for name, setting in options.items():
        solver.setOptionValue(name, setting)
    solver.passModel(lp)
    solver.run()
    ended, info = solver.getModelStatus(), solver.getInfo()
    states = highspy.HighsModelStatus
    if ended in (states.kInfeasible, states.kUnboundedOrInfeasible):
        return "infeasible", None, math.inf
    has_plan = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    values = np.array(solver.getSolution().col_value) if has_plan else None
    status = "optimal" if ended == states.kOptimal else "feasible"
    return status, values, float(info.mip_dual_bound)
