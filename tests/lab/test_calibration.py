"""The study of what an album's probabilities mean: fitted in some worlds, tried in others."""

from __future__ import annotations

import pytest

from elsewhere_lab.experiments import scoring
from elsewhere_lab.experiments.scoring import BEYOND, CALIBRATED, KEPT, PLAIN, SHORT
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import Part, Row, Scale

SOURCE = Simulator(seed=5)
FEW = Scale("small", partitions=1, cells=2, albums=2, sample=8)


def test_a_perfectly_sure_and_right_one_has_no_error_and_a_sure_and_wrong_one_all() -> None:
    assert scoring.calibration_error([1.0, 1.0], [1, 1]) == 0.0
    assert scoring.calibration_error([1.0, 1.0], [0, 0]) == 1.0
    # too sure here and too modest there do not make each other good
    assert scoring.calibration_error([0.9, 0.1], [0, 1]) == pytest.approx(0.9)


def test_all_sizes_are_tried_and_more_worlds_at_a_larger_scale() -> None:
    parts = scoring.parts_calibration(SOURCE, FEW)
    assert len(parts) == len(scoring.WORLDS) * len(scoring.CALIBRATION_SIZES)
    paper = scoring.parts_calibration(SOURCE, Scale("paper", 10, None, 10_000, 400))
    assert {(part.settings["worlds"], part.settings["each"]) for part in paper} == {(12, 250)}
    assert {(part.settings["worlds"], part.settings["each"]) for part in parts} == {(2, 20)}


def test_exponents_are_less_sure_than_the_sum_of_the_same_albums() -> None:
    rows: list[Row] = []
    for size in (4, BEYOND):
        part = Part("p", {"kind": "w1", "size": size, "worlds": 2, "each": 30})
        rows += scoring.measure_calibration(SOURCE, FEW, part)
    assert len(rows) == 2 * 60
    for row in rows:
        assert 0 < float(row[CALIBRATED] or 0) <= float(row[PLAIN] or 0) <= 1
        assert (row[SHORT] is None) == (row[KEPT] is None) == (row["photos"] != BEYOND)
    found = {(n.line, n.column): n.ours for n in scoring.summarise_calibration(rows)}
    for column in ("4 photos", "32 photos"):
        assert found[f"W1, {CALIBRATED}", column] < found[f"W1, {PLAIN}", column] / 2
    # beyond what was fitted, the last exponent would be sure of itself and wrong
    assert found[f"W1, {SHORT}", "32 photos"] < found[f"W1, {KEPT}", "32 photos"]
    told = scoring.findings_calibration(rows, list(scoring.summarise_calibration(rows)))
    assert len(told) == 2
    assert "unknown" not in " ".join(told)
