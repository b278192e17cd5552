"""The authors' program in general solvers: what they return is a best plan under that T."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere_lab import general_solvers
from elsewhere_lab.experiments import published, solver
from elsewhere_lab.general_solvers import (
    Answer,
    best_plan,
    installed,
    largest_gain,
    program,
    solver_version,
)
from elsewhere_lab.solving import fewest, furthest, gains
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import Number, Row, Scale

SOURCE = Simulator(seed=8)


@pytest.mark.parametrize("name", installed())
@pytest.mark.parametrize("budget", [2, 4])
def test_a_solvers_plan_is_one_of_the_best_of_all_plans(name: str, budget: int) -> None:
    found = 0
    for cell in (3, 77, 200, 411):
        gain = gains(SOURCE.photos(cell)[0][:16], cell)
        ahead, last = solver.count_ahead(gain)
        constant = largest_gain(gain)
        best = solver._best_plans(ahead, last >= -constant, budget)
        answer = best_plan(gain, budget, constant, name)
        assert (answer.status == "infeasible") == (best is None)
        if best is not None:
            code = sum(1 << photo for photo in answer.withheld)
            assert code in best
            found += 1
        free = best_plan(gain, budget, 100 * constant, name)
        kept = np.delete(np.arange(16), free.withheld)
        reached = int((gain[kept].sum(axis=0) >= 0).sum())
        scores = SOURCE.photos(cell)[0][:16]
        assert reached == furthest(scores, cell, budget).protected_k
    assert found


def test_where_a_cell_must_fall_too_far_behind_there_is_no_program() -> None:
    gain = np.tile([1.0, -9.0], (16, 1))
    assert program(gain, 8, largest_gain(gain)) is None
    assert best_plan(gain, 8, largest_gain(gain), "HiGHS") == Answer("infeasible")
    reduced = program(gain, 8, 200.0)
    assert reduced is not None
    assert (reduced.counted, reduced.gains.shape) == (1, (16, 1))


def test_the_fewest_under_t_are_those_of_all_plans() -> None:
    bound = 0
    for cell in (3, 77, 200):
        scores = SOURCE.photos(cell)[0][:16]
        gain = gains(scores, cell)
        ahead, last = solver.count_ahead(gain)
        _, size = solver.every_plan()
        for constant in (largest_gain(gain), 100 * largest_gain(gain)):
            enough = size[(last >= -constant) & (ahead >= 1)]
            share = published.fewest_under(scores, cell, 1, constant)
            assert share == int(enough.min()) / 16
        plain = len(fewest(scores, cell, 1).withheld) / 16
        assert share == plain
        bound += published.fewest_under(scores, cell, 1, largest_gain(gain)) != plain
    assert bound, "T makes no difference anywhere: the test says nothing"


def test_rows_say_what_the_table_needs() -> None:
    few = Scale("few", partitions=1, cells=2, albums=2, sample=2)
    part = published.parts_published(SOURCE, few)[0]
    part = replace(part, settings={**part.settings, "numbers": part.settings["numbers"][:1]})
    rows: list[Row] = list(published.measure_published(SOURCE, few, part))
    assert len(rows) == published.KINDS["R-16"]
    numbers = list(published.summarise_published(rows))
    assert {n.line for n in numbers} == {f"R-16, {published.LARGE}, {s}" for s in installed()}
    none = [n for n in numbers if n.column == "no plan within 12.5 %"]
    assert all(n.ours == 0 for n in none), "a large T cuts nothing off"
    sentences = list(published.findings_published(rows, numbers))
    for sentence in sentences:
        assert "nan" not in sentence
    asked = ", ".join(f"{name} {solver_version(name)}" for name in sorted(installed()))
    assert f"The solvers were {asked}." in sentences
    assert list(published.findings_published([], [])) == []


def test_the_conclusion_names_what_is_excluded_and_what_is_not_told_apart() -> None:
    def line(reading: str, ours: float) -> Number:
        return Number(f"R-16, {reading}", "12.5 % → 25 %", ours, 0.03, 40, 0.27)

    numbers = [
        line("large T, HiGHS", 0.20), line("published T, HiGHS", 0.24),
        line("refitted, HiGHS", 0.31), line("large T, CPLEX", 0.20),
        replace(line("refitted, HiGHS", 0.9), line="R-32, refitted, HiGHS", count=3),
        replace(line("large T, HiGHS", 0.9), column="top-1 optimal", paper=0.3),
    ]  # fmt: skip
    *_, last = published.findings_published([], numbers)
    assert last.startswith(
        "By Table 4 alone, at two standard errors and with five collections or more to a number, "
        "excluded: large T, HiGHS (1 of 1 numbers); large T, CPLEX (1 of 1 numbers). Not told "
        "apart by any number, by the same solver: large T, HiGHS and published T, HiGHS; "
        "published T, HiGHS and refitted, HiGHS."
    )


@pytest.mark.parametrize("name", installed())
def test_a_solver_that_is_stopped_returns_no_plan(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gain = gains(Simulator().photos(301)[0][:16], 301)
    monkeypatch.setattr(general_solvers, "NODES", 16)
    assert best_plan(gain, 8, 100 * largest_gain(gain), name) == Answer("feasible")
    assert best_plan(gain, 1, 100 * largest_gain(gain), name).status == "optimal"


def test_every_reading_takes_all_kinds_and_the_first_parts_have_all() -> None:
    parts = published.parts_published(SOURCE, Scale("few", 1, 8, 0, sample=20))
    each = {(part.settings["kind"], part.settings["reading"]) for part in parts}
    assert len(each) == len(published.KINDS) * len(published.READINGS)
    first = parts[: len(each)]
    assert {(part.settings["kind"], part.settings["reading"]) for part in first} == each
    assert len({part.name for part in parts}) == len(parts) == 2 * len(each)


def test_the_refitted_reading_is_of_another_setting_in_the_same_world() -> None:
    (ours,), (refitted,) = (
        replace(SOURCE, setting=published.READINGS[reading][1]).photos(3)
        for reading in (published.PUBLISHED, published.REFIT)
    )
    assert np.array_equal(ours, SOURCE.photos(3)[0])
    assert not np.array_equal(ours, refitted)
    moved = np.corrcoef(ours.ravel(), refitted.ravel())[0, 1]
    assert 0.9 < moved < 1, "nearby: the same photos, scored a little differently"
