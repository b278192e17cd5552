"""Lower bounds that are safe in floating point.

For any multipliers λ ≥ 0 on rows Σ D[r, u]·x[u] ≤ room[r], no plan x with 0 ≤ x ≤ 1 costs less than

    −λ·room + Σ over u of min(0, weight[u] + Σ over r of λ[r]·D[r, u])

so round-off in λ can cost strength but never correctness. What round-off does to the formula
itself is bounded and taken off.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.problem import Floats

ROUNDOFF = 2.0**-52


def best_with_one_row(cost: Floats, rows: Floats, room: Floats, doubt: Floats) -> Floats:
    """What adding each row, alone, lifts the bound by: one safe number a row, +inf if impossible.

    `cost` are the units' reduced costs at the present multipliers, `rows` (rows × units) are the
    gains lost by leaving a unit out, `room` what may be lost. The lift is measured from
    Σ min(0, cost), the units' part of the present bound. As a function of the new multiplier it is
    concave and piecewise linear: its breakpoints are sorted, and the one where the slope changes
    sign is taken.
    """
    if not len(rows) or not len(cost):
        return np.where(room < -doubt, np.inf, 0.0)
    negative = cost < 0
    present = np.where(negative, cost, 0.0)
    size = np.abs(rows)
    turning = (rows < 0) != negative  # units whose best value changes as the multiplier grows
    turning &= rows != 0
    slope = rows @ negative.astype(np.float64) - room
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        at = np.where(turning, np.abs(cost) / size, np.inf)
    order = np.argsort(at, axis=1)
    steps = np.take_along_axis(np.where(turning, size, 0.0), order, axis=1)
    passed = np.cumsum(steps, axis=1)
    reached = passed >= slope[:, None]
    lines = np.arange(len(rows))
    ever = reached.any(axis=1)
    # Where leaving out every helpful unit makes room to the last bit, round-off decides whether
    # the slope is seen to change sign: the last breakpoint is as good a multiplier as any.
    where = np.where(ever, reached.argmax(axis=1), np.maximum(turning.sum(axis=1) - 1, 0))
    mu = np.take_along_axis(at, order[lines, where][:, None], axis=1)[:, 0]
    mu = np.where((slope > 0) & np.isfinite(mu), mu, 0.0)
    priced = cost + mu[:, None] * rows
    raw = np.minimum(priced, 0.0).sum(axis=1) - mu * room - present.sum()
    extent = size.sum(axis=1) + np.abs(room)
    fuzz = (len(cost) + 8) * ROUNDOFF * (np.abs(cost).sum() + mu * extent) + mu * doubt
    safe = raw - fuzz
    lift: Floats = np.where(safe > 0, safe, 0.0)  # what overflowed is NaN here, and says nothing
    never = (slope > 0) & ~ever
    if never.any():  # even all helpful units together cannot make room
        worst = slope - np.where(turning, size, 0.0).sum(axis=1)
        surely = worst > (len(cost) + 8) * ROUNDOFF * extent + doubt
        lift[never & surely] = np.inf
    return lift
