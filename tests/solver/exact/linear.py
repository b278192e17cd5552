"""Linear programs for HiGHS: what the tableau is held against."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np

from elsewhere.solver.problem import Floats


def optimum(
    weights: Floats, rows: Sequence[Floats], rooms: Sequence[float], low: Floats, high: Floats
) -> float | None:
    """The least weights·x with rows·x ≤ rooms and low ≤ x ≤ high; None where there is no x."""
    model = highspy.Highs()  # type: ignore[no-untyped-call]
    model.silent()
    for weight, at_least, at_most in zip(weights, low, high, strict=True):
        model.addCol(float(weight), float(at_least), float(at_most), 0, [], [])
    every = np.arange(len(weights), dtype=np.int32)
    for row, room in zip(rows, rooms, strict=True):
        model.addRow(-highspy.kHighsInf, float(room), len(every), every, np.asarray(row, float))
    model.run()
    status = model.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    assert status == highspy.HighsModelStatus.kOptimal
    return float(model.getInfo().objective_function_value)
