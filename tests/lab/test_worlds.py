"""Other worlds: the same tables, and what their spread explains."""

from __future__ import annotations

from elsewhere_lab.experiments import tables, worlds
from elsewhere_lab.experiments.worlds import ERROR, MEAN, SPREAD
from elsewhere_lab.sources import Simulator
from elsewhere_lab.statistics import pick
from elsewhere_lab.values import Number, Part, Row, Scale

FEW = Scale("few", partitions=1, cells=2, albums=0, sample=2)


def rows_of(kind: str, world: int) -> list[Row]:
    settings = {"kind": kind, "cells": [7], "partitions": 1, "world": world}
    return list(worlds.measure_worlds(Simulator(seed=4), FEW, Part("x", settings)))


def test_a_world_has_the_rows_that_its_tables_have() -> None:
    there = Simulator(seed=4, world_seed=2)
    part = Part("x", {"kind": "R-64", "cells": [7], "partitions": 1})
    (first, second) = rows_of("R-64", 2)
    for row, two, three in zip(
        (first, second),
        tables.measure_fewest(there, FEW, part),
        tables.measure_budget(there, FEW, part),
        strict=True,
    ):
        assert row["world"] == 2
        assert [row[f"optimal {k}"] for k in (1, 5)] == [two[f"optimal {k}"] for k in (1, 5)]
        assert row["greedy 0.5"] == three["greedy 0.5"]
    assert len(rows_of("Single", 2)) == 146


def test_spread_is_between_worlds_and_the_error_within_one() -> None:
    rows = [row for world in (1, 2) for row in rows_of("R-64", world)]
    numbers = list(worlds.summarise_worlds(rows))
    line = "Table 3, R-64 greedy 50 %"
    mean, spread, error = (pick(numbers, line, column) for column in (MEAN, SPREAD, ERROR))
    assert mean is not None and spread is not None and error is not None
    each = [
        sum(float(row["greedy 0.5"] or 0) for row in rows if row["world"] == world) / 2
        for world in (1, 2)
    ]
    assert mean.ours == sum(each) / 2
    assert abs(spread.ours - abs(each[0] - each[1]) / 2**0.5) < 1e-12


def test_what_the_spread_cannot_explain_is_named() -> None:
    near = Number("Table 2, a", MEAN, 0.30, 0.05, 0, 0.36, 0.04)
    far = Number("Table 2, b", MEAN, 0.30, 0.02, 0, 0.36, 0.04)
    fine = Number("Table 2, c", MEAN, 0.35, 0.02, 0, 0.36, 0.04)
    told = " ".join(worlds.findings_worlds([{"world": 1}, {"world": 2}], [near, far, fine]))
    assert "In 2 worlds, 2 of the 3 means" in told
    assert "can explain 1:" in told
    assert "Table 2, b (0.30 ± 0.02, paper 0.36)" in told
    assert "Table 2, a" not in told
    assert list(worlds.findings_worlds([], [])) == []
