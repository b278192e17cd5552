"""How an album gives its place away photo by photo: in its own order, and in the worst one.

The worst order begins with the photo that makes the truth likeliest against everything else, then
adds the one that does so most beside it, and so on: what a stranger could know after seeing so
many photos, if they were the wrong ones. Choosing is greedy, so another order may be worse still
at some number of photos.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from elsewhere.audit.ranks import Floats, Ints, outside, prefix_ranks
from elsewhere.audit.values import Curve
from elsewhere.scorers.calibration import exponent, log_softmax

_LEAST = -700.0
"""Scores below it count as this much: e to that power is the least that a double holds well."""


def curve(values: Floats, order: Ints, zone: Ints, exponents: Mapping[int, float]) -> Curve:
    """Rank and probability of the truth after each photo of `order`."""
    sums = np.cumsum(values[order], axis=0)
    powers = np.array([exponent(exponents, n + 1) for n in range(len(order))])
    likely = np.exp(log_softmax(powers[:, None] * sums))[:, zone].sum(axis=1)
    return Curve(
        tuple(order.tolist()),
        tuple(prefix_ranks(values, order, zone).tolist()),
        tuple(np.minimum(likely, 1.0).tolist()),
    )


def worst_order(values: Floats, zone: Ints) -> Ints:
    """The photos by greed: each next one raises the odds of the truth most.

    The odds after adding photo i to a sum are Σ over the zone of exp(sum + row i), over the same
    sum outside it. The exponentials of rows are taken once, so each step is two products.
    """
    rows = np.maximum(values, _LEAST)
    rest = outside(values.shape[1], zone)
    here, there = (rows[:, part] for part in (zone, rest))
    tops = here.max(axis=1, keepdims=True), there.max(axis=1, keepdims=True)
    mine, others = np.exp(here - tops[0]), np.exp(there - tops[1])
    head_start = (tops[0] - tops[1])[:, 0]
    total = np.zeros(values.shape[1])
    left = np.ones(len(rows), dtype=bool)
    order = np.empty(len(rows), dtype=np.int64)
    tiny = np.finfo(np.float64).tiny
    for step in range(len(rows)):
        weights = (np.exp(total[part] - total[part].max()) for part in (zone, rest))
        odds = head_start
        for sign, part, weight in zip((1, -1), (mine, others), weights, strict=True):
            odds = odds + sign * np.log(np.maximum(part @ weight, tiny))
        order[step] = np.argmax(np.where(left, odds, -np.inf))
        left[order[step]] = False
        total += rows[order[step]]
    return order
