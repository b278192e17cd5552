"""One peer in a process of its own: a problem per line in, a result per line out.

`python -m benchmarks.solver.worker PEER` reads {"cell", "seed", "limit"} from its standard input.
A peer is "ours", or a solver with a model, as in "highs/mccormick", "cplex/big-m" or
"gurobi/presolved" (tight big-M on what our presolve leaves). Every solver stands in the same call,
that of `protect`, and there are two clocks. "seconds" and "processor" run from the problem's arrays
to the solver's answer, presolve and building the model included. "call" is the processor time of
the whole call: reading, digest and reduction before, exact counts, the plan and its check after.
What else the report needs to know of an answer is not timed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.solver import calls, cells, milp, peers, presolved
from benchmarks.solver.milp_model import Form, program
from elsewhere.checker.proof import prove
from elsewhere.messages.verdict import explain_plan
from elsewhere.solver import exact
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.plans import make_plan
from elsewhere.solver.problem import Problem, Solution
from elsewhere.solver.reductions import reduce
from elsewhere.solver.requests import read_request

Result = dict[str, Any]
Solve = Callable[[Problem], tuple[Solution, Instance | None, Callable[[], Result]]]
"""From a problem to an answer, the instance if one was made, and what is worked out off the clock:
"answer", the answer after an exact recount where it is another one, and more for the report."""


def whole_call(given: Problem, solve: Solve) -> Result:
    """One call with this solver inside, and its times."""
    scores, truth, wishes = calls.arguments(given)
    started = time.process_time()
    request = read_request(scores, truth, **wishes)
    reduction = reduce(request.promise, request.scores)
    problem = reduction.problem
    began, read = time.perf_counter(), time.process_time()
    answer, instance, more = solve(problem)
    seconds, solved = time.perf_counter() - began, time.process_time()
    plan = make_plan(request, reduction, instance, answer)
    if answer.kept is not None:
        explain_plan(plan)
    prove(plan, request.promise, request.scores)  # a tolerance may have spoilt a peer's plan
    ended = time.process_time()
    extra = more()
    result = _result(problem, extra.pop("answer", answer), seconds, solved - read)
    return result | extra | {"call": ended - started}


def ours(problem: Problem, limit: float) -> Result:
    """Our solver."""

    def solve(problem: Problem) -> tuple[Solution, Instance, Callable[[], Result]]:
        instance = Instance(problem)
        limits = SearchLimits(deadline=time.monotonic() + limit)
        return exact.solve(instance, limits), instance, dict

    return whole_call(problem, solve)


def peer(name: str, problem: Problem, limit: float) -> Result:
    """A general solver on one of the models."""
    solver, model_name = name.split("/")
    form = Form.MCCORMICK if model_name == "mccormick" else Form.BIG_M

    def solve(problem: Problem) -> tuple[Solution, Instance | None, Callable[[], Result]]:
        began = time.perf_counter()
        instance = Instance(problem) if model_name == "presolved" else None
        hints = None if instance is None else presolved.hints(problem, instance)
        model = program(problem, form, hints)
        built = time.perf_counter() - began
        claim = peers.SOLVERS[solver](model, max(limit - built, 0.1))
        answer = Solution(claim.status, None, 0, 0, problem.budget is not None)
        if claim.values is not None:
            kept = milp.kept_units(problem, model, claim.values)
            shared = milp.shared_rows(problem, model, kept, claim.values)
            cost = problem.cost(kept, shared)
            answer = Solution(claim.status, kept, cost, cost, answer.counts, shared=shared)

        def more() -> Result:
            recounted = milp.read(problem, model, claim.status, claim.values, claim.bound)
            known = {"answer": recounted, "built": built}
            known |= {"rows": model.rows, "columns": model.columns}
            if claim.values is not None and recounted.kept is None:
                known["note"] = "its plan did not survive the exact recount"
            return known

        return answer, instance, more

    return whole_call(problem, solve)


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
