"""The authors' program for a budget, handed to general solvers: which plan they come to first.

It maximises Σ h over the plans x (1 = kept) within a budget, with one row for each rival j:

    Σ gain[i, j] · x[i]  ≥  −T · (1 − h[j])

With h[j] = 1 the rival holds. With h[j] = 0 it may be behind by T and no more: a T that is too
small cuts plans off. (The published program writes this with one product variable a rival, which
changes nothing about which plans there are.) Rivals that can never hold within the budget lose
their h, and rows that nothing can break are left out.

Solvers run on one thread with their own settings, so that the plan is the one they would return,
and stop after a number of nodes, so that it is the same on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError

Floats = NDArray[np.float64]
NODES = 160_000
"""Nodes of a search times photos: with more photos a node takes longer."""


@dataclass(frozen=True)
class Answer:
    """What a solver says about one budget."""

    status: str  # "optimal", "infeasible", or "feasible" where it was stopped
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True)
class Program:
    """Maximise Σ h; the columns are x, then h; at most `budget` of the x are 0."""

    gains: Floats  # (photos, rows)
    constant: float  # T
    counted: int
    """The first so many rows have an h, in this order; the others are only held by T."""
    budget: int

    @property
    def photos(self) -> int:
        """How many photos there are."""
        return len(self.gains)

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return self.photos + self.counted


def largest_gain(gain: Floats) -> float:
    """The T of the published program: the number of photos times the largest gain."""
    return float(len(gain) * gain.max())


def program(gain: Floats, budget: int, constant: float) -> Program | None:
    """The program, reduced; None where no plan within the budget satisfies every row."""
    ordered = np.sort(gain, axis=0)
    total = gain.sum(axis=0)
    most = total - np.minimum(ordered[:budget], 0).sum(axis=0)
    least = total - np.maximum(ordered[len(gain) - budget :], 0).sum(axis=0)
    if (most < -constant).any():
        return None
    counted = np.flatnonzero(most >= 0)
    held = np.flatnonzero((most < 0) & (least < -constant))
    return Program(gain[:, [*counted, *held]], constant, len(counted), budget)


def ask_highs(model: Program) -> Answer:
    """The plan that HiGHS returns."""
    import highspy

    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    nodes = NODES // model.photos
    settings = {"output_flag": False, "threads": 1, "mip_max_nodes": nodes}
    for name, setting in settings.items():
        solver.setOptionValue(name, setting)
    n = model.photos
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = model.columns, 1 + model.gains.shape[1]
    lp.col_cost_ = np.append(np.zeros(n), -np.ones(model.counted))
    lp.col_lower_, lp.col_upper_ = np.zeros(model.columns), np.ones(model.columns)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * model.columns
    rows = [_row(model, j) for j in range(model.gains.shape[1])]
    lp.row_lower_ = np.array([n - model.budget, *([-model.constant] * len(rows))], float)
    lp.row_upper_ = np.full(1 + len(rows), highspy.kHighsInf)
    every = [(np.arange(n), np.ones(n)), *rows]
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0, *(len(index) for index, _ in every)]).astype(np.int32)
    lp.a_matrix_.index_ = np.concatenate([index for index, _ in every]).astype(np.int32)
    lp.a_matrix_.value_ = np.concatenate([value for _, value in every])
    solver.passModel(lp)
    solver.run()
    status = solver.getModelStatus()
    states = highspy.HighsModelStatus
    if status in (states.kInfeasible, states.kUnboundedOrInfeasible):
        return Answer("infeasible")
    if status != states.kOptimal:
        return Answer("feasible")
    return _answer(np.array(solver.getSolution().col_value[:n]))


def ask_cplex(model: Program) -> Answer:
    """The plan that CPLEX returns; without a licence it takes a thousand rows and columns."""
    solver = import_module("cplex").Cplex()
    for mute in ("log", "results", "warning", "error"):
        getattr(solver, f"set_{mute}_stream")(None)
    solver.parameters.threads.set(1)
    solver.parameters.mip.limits.nodes.set(NODES // model.photos)
    n = model.photos
    ones = [1.0] * model.columns
    solver.variables.add(
        obj=[0.0] * n + [-1.0] * model.counted, lb=[0.0] * model.columns, ub=ones,
        types="B" * model.columns,
    )  # fmt: skip
    rows = [[list(range(n)), ones[:n]]]
    rows += [[part.tolist() for part in _row(model, j)] for j in range(model.gains.shape[1])]
    bounds = [float(n - model.budget), *([-model.constant] * (len(rows) - 1))]
    solver.linear_constraints.add(lin_expr=rows, senses="G" * len(rows), rhs=bounds)
    solver.solve()
    status = solver.solution.status
    found = solver.solution.get_status()
    if found in (status.MIP_infeasible, status.MIP_infeasible_or_unbounded):
        return Answer("infeasible")
    if found not in (status.MIP_optimal, status.optimal_tolerance):
        return Answer("feasible")
    return _answer(np.array(solver.solution.get_values(list(range(n)))))


SOLVERS: dict[str, tuple[str, Callable[[Program], Answer]]] = {
    "HiGHS": ("highspy", ask_highs),
    "CPLEX": ("cplex", ask_cplex),
}


def installed() -> list[str]:
    """The solvers that are there; HiGHS must be."""
    found = [name for name, (module, _) in SOLVERS.items() if find_spec(module)]
    if not found:
        raise InputError("this needs a general solver: pip install highspy")
    return found


def solver_version(name: str) -> str:
    """The version of a solver that is there."""
    return version(SOLVERS[name][0])


def best_plan(gain: Floats, budget: int, constant: float, solver: str) -> Answer:
    """The plan within the budget that a solver returns.

    >>> best_plan(np.array([[1.0, -3.0], [-2.0, -3.0]]), 1, 100.0, "HiGHS")
    Answer(status='optimal', withheld=(1,))
    """
    model = program(gain, budget, constant)
    return Answer("infeasible") if model is None else SOLVERS[solver][1](model)


def _row(model: Program, j: int) -> tuple[NDArray[np.intp], Floats]:
    """The columns and values of one rival's row."""
    index = np.arange(model.photos)
    if j >= model.counted:
        return index, model.gains[:, j]
    column, value = np.intp(model.photos + j), -model.constant
    return np.append(index, column), np.append(model.gains[:, j], value)


def _answer(kept: Floats) -> Answer:
    return Answer("optimal", tuple(np.flatnonzero(kept < 0.5).tolist()))
