"""One peer in a process of its own: a problem per line in, a result per line out.

`python -m benchmarks.solver.worker PEER` reads {"cell", "seed", "limit"} from its standard input.
A peer is "ours", or a solver with a model, as in "highs/mccormick", "cplex/big-m" or
"gurobi/presolved" (tight big-M on what our presolve leaves). The clock runs from the problem's
arrays to the solver's answer, presolve and building the model included; the exact recount of what
was answered is not timed. Beside the clock stands processor time; for our solver also that of the
whole call of `protect`, reading and check included.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from benchmarks.solver import calls, cells, milp, peers, presolved
from benchmarks.solver.milp_model import Form, program
from elsewhere.solver import exact
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.problem import Problem, Solution

Result = dict[str, Any]


def ours(problem: Problem, limit: float) -> Result:
    """Our solver, and then the whole call."""
    began, started = time.perf_counter(), time.process_time()
    answer = exact.solve(problem, SearchLimits(deadline=time.monotonic() + limit))
    seconds, processor = time.perf_counter() - began, time.process_time() - started
    result = _result(problem, answer, seconds, processor)
    started = time.process_time()
    calls.protect(problem, limit)
    return result | {"call": time.process_time() - started}


def peer(name: str, problem: Problem, limit: float) -> Result:
    """A general solver on one of the models."""
    solver, model_name = name.split("/")
    form = Form.MCCORMICK if model_name == "mccormick" else Form.BIG_M
    began, started = time.perf_counter(), time.process_time()
    hints = presolved.hints(problem) if model_name == "presolved" else None
    model = program(problem, form, hints)
    built = time.perf_counter() - began
    claim, solved = peers.timed(peers.SOLVERS[solver], model, max(limit - built, 0.1))
    processor = time.process_time() - started
    answer = milp.read(problem, model, claim.status, claim.values, claim.bound)
    result = _result(problem, answer, built + solved, processor)
    result |= {"built": built, "rows": model.rows, "columns": model.columns}
    if claim.values is not None and answer.kept is None:
        result["note"] = "its plan did not survive the exact recount"
    return result


def _result(problem: Problem, answer: Solution, seconds: float, processor: float) -> Result:
    value = None if answer.kept is None else milp.value(problem, answer)
    return {
        "status": answer.status,
        "value": value,
        "bound": answer.bound,
        "seconds": seconds,
        "processor": processor,
    }


def solve(name: str, problem: Problem, limit: float) -> Result:
    """One result; what a peer refuses comes back as an error."""
    try:
        return ours(problem, limit) if name == "ours" else peer(name, problem, limit)
    except Exception as error:  # a peer's licence, size limit or bug: reported, never timed
        return {"status": "error", "error": f"{type(error).__name__}: {error}".strip()[:200]}


def main() -> None:
    """Answer requests until the input ends."""
    name = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a solver prints must not mix with the answers
    grid = cells.grid()
    solve(name, grid["R-16 top-1"].make(1), 5.0)  # imports and first calls are not measured
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        problem = grid[request["cell"]].make(request["seed"])
        print(json.dumps(solve(name, problem, request["limit"])), file=answers, flush=True)


if __name__ == "__main__":
    main()
