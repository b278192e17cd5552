"""The benchmark measures what it says: an error is no time, a time-out is the limit, pairs pair."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.solver import (
    cells,
    claims,
    entrants,
    figures,
    milp,
    presolved,
    report,
    running,
    worker,
)
from benchmarks.solver.figures import Result

from elsewhere.solver.exact import solve


def result(peer: str, seed: int = 1, **more: Any) -> Result:
    base = {"cell": "R-16 top-5", "seed": seed, "peer": peer, "status": "optimal", "value": 4}
    return {**base, "bound": 4, "seconds": 0.1, **more}


def run_of(results: list[Result]) -> dict[str, Any]:
    grid = cells.grid()
    return {
        "seed": 0, "limit": 20.0, "machine": "here", "versions": {"highs": "1"},
        "families": {name: cell.family for name, cell in grid.items()}, "results": results,
    }  # fmt: skip


def test_an_error_is_not_a_time_and_a_time_out_is_the_limit() -> None:
    peers = {
        "ours": [result("ours", 1), result("ours", 2)],
        "a": [result("a", 1, status="error", error="licence"), result("a", 2, seconds=0.3)],
        "b": [result("b", 1, status="feasible", bound=2, seconds=19.0), result("b", 2, value=4)],
    }
    rows = {row.peer: row for row in figures.summarise(peers, 20.0)}
    assert (rows["a"].solved, rows["a"].errors) == (1, 1)
    assert rows["a"].ratio == pytest.approx(3.0)
    assert (rows["b"].worst, rows["b"].proved, rows["b"].gap) == (20.0, 1, 2.0)
    assert rows["ours"].ratio is None
    assert list(rows) == ["ours", "a", "b"]


def test_a_better_plan_than_ours_is_seen_and_a_wrong_refusal_is_not_ours() -> None:
    refused = result("a", status="infeasible", value=None)
    assert figures.beaten([result("ours"), result("a"), refused]) == []
    assert figures.beaten([result("ours", value=4), result("a", value=3)])


def test_disagreements_are_seen() -> None:
    assert figures.disagreements([result("ours"), result("a")]) == []
    assert figures.disagreements([result("ours"), result("a", value=5)])
    assert figures.disagreements([result("ours"), result("a", status="infeasible", value=None)])
    better = result("a", status="feasible", value=3, bound=1)
    assert figures.disagreements([result("ours"), better])
    more: dict[str, Any] = {"cell": "R-16 budget-25%", "status": "feasible", "value": 5, "bound": 9}
    assert figures.disagreements([result("ours", cell="R-16 budget-25%"), result("a", **more)])
    assert figures.disagreements([result("ours"), result("cp-sat/presolved", value=5)]) == []


def test_claims_say_pass_fail_or_not_measured() -> None:
    slow = [result("ours", i, cell="R-128 top-5", seconds=0.02) for i in range(20)]
    peer = [result("highs/presolved", i, cell="R-128 top-5", seconds=0.2) for i in range(5)]
    found = {v.claim: v for v in claims.verdicts(run_of(slow + peer))}
    assert found["R-128 top-5: at least 15 × faster than highs/presolved"].holds is False
    assert found["R-128 top-5: at least 100 × faster than cplex/big-m"].holds is None
    enough = next(v for claim, v in found.items() if claim.startswith("at least 20 problems"))
    assert enough.holds is True
    assert found["99 % of them within 5 s"].holds is True
    faster = [result("gurobi/presolved", i, cell="R-128 top-5", seconds=0.01) for i in range(5)]
    found = {v.claim: v for v in claims.verdicts(run_of(slow + faster))}
    never = next(v for claim, v in found.items() if claim.startswith("in no cell slower"))
    assert never.holds is False
    assert "2.00 × gurobi/presolved" in never.measured


def test_gaps_are_compared_problem_by_problem() -> None:
    mine = result("ours", status="feasible", value=9, bound=5)
    theirs = result("a", status="feasible", value=9, bound=7)
    gaps = [v for v in claims.verdicts(run_of([mine, theirs])) if "gap" in v.claim]
    assert gaps[0].holds is False
    mine["bound"] = 7
    gaps = [v for v in claims.verdicts(run_of([mine, theirs])) if "gap" in v.claim]
    assert gaps[0].holds is True


def test_every_cell_makes_problems_and_the_same_seed_the_same_one() -> None:
    for cell in cells.grid().values():
        if cell.photos > 128:
            continue
        seed = cells.seeds(5, cell.name, 1)[0]
        one, two = cell.make(seed), cell.make(seed)
        assert one.attackers[0].need == (cell.top or 0)
        assert (one.budget is None) == (cell.share is None)
        for first, second in zip(one.attackers, two.attackers, strict=True):
            np.testing.assert_array_equal(first.scores, second.scores)
        assert entrants.entrants(cell)[0] == "ours"
    names = list(cells.grid())
    assert cells.seeds(5, names[0], 3) != cells.seeds(5, names[1], 3)
    assert cells.seeds(5, names[0], 2) == cells.seeds(5, names[0], 3)[:2]


@pytest.mark.parametrize("name", ["R-16 top-5", "R-16 budget-37.5%"])
def test_our_presolve_does_not_change_what_a_peer_finds(name: str) -> None:
    cell = cells.grid()[name]
    for seed in cells.seeds(9, name, 3):
        problem = cell.make(seed)
        hints = presolved.hints(problem)
        answer = milp.solve(problem, hints=hints)
        assert answer.status == "optimal"
        assert milp.value(problem, answer) == milp.value(problem, solve(problem))
        assert sum(int(live.sum()) for live in hints.live) < 511


def test_what_a_peer_refuses_is_an_error() -> None:
    problem = cells.grid()["R-16 top-1"].make(1)
    answer = worker.solve("cp-sat/mccormick", problem, 1.0)  # not installed here, or refused
    assert answer["status"] == "error"
    assert "seconds" not in answer


def test_a_small_run_from_end_to_end(tmp_path: Path) -> None:
    grid = [cells.grid()["R-16 top-1"]]
    plan = running.Plan(seed=3, ours=2, slow=1, peers=lambda name: name == "highs/presolved")
    assert running.estimate(grid, plan, None) < 60
    document = running.run(grid, plan, tmp_path / "solver.json")
    assert {r["peer"] for r in document["results"]} == {"ours", "highs/presolved"}
    assert all(r["status"] == "optimal" for r in document["results"])
    assert figures.disagreements(document["results"]) == []
    assert json.loads((tmp_path / "solver.json").read_text())["results"] == document["results"]
    page = report.markdown(document, claims.verdicts(document), None)
    assert "| R-16 top-1 | ours | 2 |" in page
    assert running.estimate(grid, plan, document) < 60
