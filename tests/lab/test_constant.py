"""The constant of the paper's model: what is cut off where it bounds leads alone."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere_lab.experiments import solver
from elsewhere_lab.experiments.solver import LARGE, ORDER, PUBLISHED
from elsewhere_lab.experiments.tables import NESTING_STEPS
from elsewhere_lab.solving import fewest, furthest, rank_ahead
from elsewhere_lab.sources import Simulator
from elsewhere_lab.statistics import by_column
from elsewhere_lab.values import Row, Scale, number

SOURCE = Simulator(seed=8)
FEW = Scale("small", partitions=1, cells=2, albums=2, sample=3)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    parts = solver.parts_constant(SOURCE, FEW)
    return [row for part in parts for row in solver.measure_constant(SOURCE, FEW, part)]


def test_with_a_large_constant_all_plans_give_what_the_solver_proves(rows: list[Row]) -> None:
    parts = solver.parts_constant(SOURCE, FEW)
    every = [each for part in parts for each in solver.collections_of(SOURCE, part)]
    large = {row["number"]: row for row in rows if row["T"] == LARGE}
    assert len(every) == len(large) == 3 * solver.PER_CELL
    for each in every:
        for top in solver.CONSTANT_TOPS:
            told = large[each.number][f"fewest {top}"]
            if rank_ahead(each.scores, each.truth) < top:
                assert told == len(fewest(each.scores, each.truth, top).withheld) / 16
            else:
                assert told is None
        gain = each.scores.astype(float) - each.scores[:, [each.truth]]
        reached, _ = solver.count_ahead(np.delete(gain, each.truth, axis=1))
        _, size = solver.every_plan()
        assert reached[size <= 4].max() == furthest(each.scores, each.truth, 4).protected_k


def test_the_published_constant_only_takes_plans_away(rows: list[Row]) -> None:
    by_number = {(row["number"], row["T"]): row for row in rows}
    for (name, size), row in by_number.items():
        if size == PUBLISHED:
            large = by_number[name, LARGE]
            assert large["none"] == 0
            for top in solver.CONSTANT_TOPS:
                if row[f"fewest {top}"] is not None:
                    assert number(row[f"fewest {top}"]) >= number(large[f"fewest {top}"])


def test_a_cell_that_falls_too_far_behind_cuts_a_plan_off() -> None:
    # keeping all photos leaves the last cell 16 * 9 behind; the largest gain is 1: T is 16
    gain = np.tile([1.0, -9.0], (16, 1))
    reached, last = solver.count_ahead(gain)
    assert reached[0] == 1
    assert last[0] == -144
    allowed = last >= -16 * gain.max()
    _, size = solver.every_plan()
    assert size[allowed].min() == 15
    assert solver._best_plans(reached, allowed, 8) is None


def test_the_sentences_follow_from_the_numbers(rows: list[Row]) -> None:
    numbers = list(solver.summarise_constant(rows))
    assert by_column(numbers, LARGE)[solver.NO_SMALL_PLAN].ours == 0
    assert f"{NESTING_STEPS[1][2]}, {ORDER}" in by_column(numbers, LARGE)
    for sentence in solver.findings_constant(rows, numbers):
        assert "nan" not in sentence
        assert sentence.endswith(".")
    assert list(solver.findings_constant([], [])) == []
