"""The peers: each takes one program of plain arrays, and says status, values, bound and times.

Every solver runs on one thread, with a feasibility tolerance of 1e-9 and no gap allowed. What the
licences of the free editions refuse is an error, never a time. The imports go through importlib,
because nobody but the benchmark needs these packages, and ortools and highspy must never meet in
one process.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.solver.milp import TOLERANCE
from benchmarks.solver.milp_model import Program
from elsewhere.solver.problem import Floats

CP_SAT_SCALE = 2**20


@dataclass(frozen=True)
class Claim:
    """What a solver says of a program."""

    status: str
    """optimal, feasible, infeasible or unknown."""
    values: Floats | None
    bound: float
    """On the objective, offset included."""


Solver = Callable[[Program, float], Claim]


def highs(model: Program, seconds: float) -> Claim:
    """HiGHS."""
    from benchmarks.solver.milp import run_highs

    return Claim(*run_highs(model, seconds))


def cplex(model: Program, seconds: float) -> Claim:
    """CPLEX; the free edition refuses more than 1,000 rows or columns."""
    api: Any = importlib.import_module("cplex")
    with api.Cplex() as solver:
        for stream in ("log", "results", "warning", "error"):
            getattr(solver, f"set_{stream}_stream")(None)
        p = solver.parameters
        p.threads.set(1)
        p.timelimit.set(seconds)
        p.mip.tolerances.mipgap.set(0.0)
        p.mip.tolerances.integrality.set(TOLERANCE)
        p.simplex.tolerances.feasibility.set(TOLERANCE)
        kinds = "".join("B" if w and u <= 1 else "I" if w else "C"
                        for w, u in zip(model.integer, model.upper, strict=True))  # fmt: skip
        solver.variables.add(obj=model.cost.tolist(), ub=model.upper.tolist(), types=kinds)
        floor, ceiling = np.array(model.floor), np.array(model.ceiling)
        ranged = np.isfinite(floor) & np.isfinite(ceiling)
        senses = np.where(ranged, "R", np.where(np.isfinite(floor), "G", "L"))
        solver.linear_constraints.add(
            lin_expr=[
                [index.tolist(), value.tolist()]
                for index, value in zip(model.index, model.value, strict=True)
            ],
            senses="".join(senses.tolist()),
            rhs=np.where(np.isfinite(floor), floor, ceiling).tolist(),
            range_values=np.where(ranged, ceiling - floor, 0.0).tolist(),
        )
        solver.objective.set_offset(model.offset)
        solver.solve()
        return _cplex_claim(solver)


def _cplex_claim(solver: Any) -> Claim:
    solution = solver.solution
    ended = solution.get_status_string().lower()
    if "infeasible" in ended and "time" not in ended:
        return Claim("infeasible", None, math.inf)
    bound = float(solution.MIP.get_best_objective())
    if not solution.is_primal_feasible():
        return Claim("unknown", None, bound)
    optimal = "optimal" in ended and "time" not in ended
    return Claim("optimal" if optimal else "feasible", np.array(solution.get_values()), bound)


def gurobi(model: Program, seconds: float) -> Claim:
    """Gurobi; the licence that comes with its package refuses more than 2,000 rows or columns."""
    api: Any = importlib.import_module("gurobipy")
    with api.Env(empty=True) as env:
        settings = {
            "OutputFlag": 0, "Threads": 1, "TimeLimit": seconds, "MIPGap": 0.0,
            "FeasibilityTol": TOLERANCE, "IntFeasTol": TOLERANCE,
        }  # fmt: skip
        for name, setting in settings.items():
            env.setParam(name, setting)
        env.start()
        with api.Model(env=env) as solver:
            x = [
                solver.addVar(ub=upper, obj=cost, vtype="I" if whole else "C")
                for upper, cost, whole in zip(
                    model.upper.tolist(), model.cost.tolist(), model.integer, strict=True
                )
            ]
            solver.ObjCon = model.offset
            for i, (index, value) in enumerate(zip(model.index, model.value, strict=True)):
                terms = api.LinExpr(value.tolist(), [x[j] for j in index.tolist()])
                if math.isfinite(model.floor[i]):
                    solver.addLConstr(terms, ">", model.floor[i])
                if math.isfinite(model.ceiling[i]):
                    solver.addLConstr(terms, "<", model.ceiling[i])
            solver.optimize()
            codes = api.GRB
            if solver.Status in (codes.INFEASIBLE, codes.INF_OR_UNBD):
                return Claim("infeasible", None, math.inf)
            bound = float(solver.ObjBound)
            if solver.SolCount == 0:
                return Claim("unknown", None, bound)
            optimal = solver.Status == codes.OPTIMAL
            return Claim(
                "optimal" if optimal else "feasible", np.array(solver.getAttr("X", x)), bound
            )


def scip(model: Program, seconds: float) -> Claim:
    """SCIP."""
    api: Any = importlib.import_module("pyscipopt")
    solver = api.Model()
    solver.hideOutput()
    solver.setParam("numerics/feastol", TOLERANCE)
    solver.setParam("limits/time", seconds)
    solver.setParam("limits/gap", 0.0)
    kinds = ["B" if w and u <= 1 else "I" if w else "C"
             for w, u in zip(model.integer, model.upper, strict=True)]  # fmt: skip
    x = [
        solver.addVar(vtype=kind, lb=0.0, ub=float(upper), obj=float(cost))
        for kind, upper, cost in zip(kinds, model.upper, model.cost, strict=True)
    ]
    solver.addObjoffset(model.offset)
    for i, (index, value) in enumerate(zip(model.index, model.value, strict=True)):
        terms = api.quicksum(c * x[j] for j, c in zip(index.tolist(), value.tolist(), strict=True))
        if math.isfinite(model.floor[i]):
            solver.addCons(terms >= model.floor[i])
        if math.isfinite(model.ceiling[i]):
            solver.addCons(terms <= model.ceiling[i])
    solver.optimize()
    ended = solver.getStatus()
    if ended in ("infeasible", "inforunbd"):
        return Claim("infeasible", None, math.inf)
    bound = float(solver.getDualbound())
    if solver.getNSols() == 0:
        return Claim("unknown", None, bound)
    values = np.array([solver.getVal(each) for each in x])
    return Claim("optimal" if ended == "optimal" else "feasible", values, bound)


def cp_sat(model: Program, seconds: float) -> Claim:
    """CP-SAT; it needs whole numbers, so gains are rounded and it solves a neighbour problem."""
    api: Any = importlib.import_module("ortools.sat.python.cp_model")
    if not model.integer.all():
        raise ValueError("CP-SAT takes whole numbers only")
    solver, cp = api.CpSolver(), api.CpModel()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    x = [cp.new_int_var(0, int(upper), "") for upper in model.upper]
    for i, (index, value) in enumerate(zip(model.index, model.value, strict=True)):
        whole = bool((value == np.round(value)).all())
        scale = 1 if whole else CP_SAT_SCALE
        coefficients = np.round(value * scale).astype(np.int64).tolist()
        terms = api.LinearExpr.weighted_sum([x[j] for j in index.tolist()], coefficients)
        if math.isfinite(model.floor[i]):
            cp.add(terms >= math.ceil(model.floor[i] * scale - 0.5))
        if math.isfinite(model.ceiling[i]):
            cp.add(terms <= math.floor(model.ceiling[i] * scale + 0.5))
    cp.minimize(api.LinearExpr.weighted_sum(x, model.cost.astype(np.int64).tolist()))
    ended = solver.solve(cp)
    if ended == api.INFEASIBLE:
        return Claim("infeasible", None, math.inf)
    bound = float(solver.best_objective_bound) + model.offset
    if ended not in (api.OPTIMAL, api.FEASIBLE):
        return Claim("unknown", None, bound)
    values = np.array([solver.value(each) for each in x], np.float64)
    return Claim("optimal" if ended == api.OPTIMAL else "feasible", values, bound)


PACKAGES = {
    "highs": "highspy",
    "cplex": "cplex",
    "gurobi": "gurobipy",
    "scip": "pyscipopt",
    "cp-sat": "ortools",
}
SOLVERS: dict[str, Solver] = {
    "highs": highs,
    "cplex": cplex,
    "gurobi": gurobi,
    "scip": scip,
    "cp-sat": cp_sat,
}
