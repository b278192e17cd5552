"""Attackers that do not simply add up, and plans that are tried on them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere.scorers.protocol import log_softmax
from elsewhere_lab.collections import TOP, kinds_of
from elsewhere_lab.plots import Figure, Series, draw_beside, legend_below
from elsewhere_lab.solving import solve_quietly
from elsewhere_lab.statistics import costs, lines_of, mean_of, unique
from elsewhere_lab.values import Collection, FloatMatrix, Number, Numbers, Row, Rows, Value

Floats = NDArray[np.float64]
BEST = 5
CLIP = 3.0  # nats below a photo's likeliest cell at which whoever distrusts extremes stops counting
ALIKE = 0.9  # correlation of two photos' scores from which they count as near-repeats
PLAIN, ALONE = "the sum", "the sum and each photo"
CAREFUL, BOTH = "margin 0.1", "margin 0.1 and each photo"
STRATEGIES: dict[str, dict[str, Any]] = {
    PLAIN: {},
    ALONE: {"each_photo": True},
    CAREFUL: {"margin": 0.1},
    BOTH: {"margin": 0.1, "each_photo": True},
}  # the wishes of each plan
_COLOURS = (LIGHT.withheld, LIGHT.kept, LIGHT.decoy, LIGHT.truth, LIGHT.ink)


def best_photo(rows: Floats) -> Floats:
    """Only the photo that says most."""
    return np.asarray(rows[np.argmax(_information(rows))])


def best_five(rows: Floats) -> Floats:
    """The five photos that say most, added up."""
    return np.asarray(rows[np.argsort(-_information(rows), kind="stable")[:BEST]].sum(axis=0))


def clipped(rows: Floats) -> Floats:
    """No photo may speak against a cell by more than three nats."""
    return np.asarray(np.maximum(rows, rows.max(axis=1, keepdims=True) - CLIP).sum(axis=0))


def tempered(rows: Floats) -> Floats:
    """The square roots of the probabilities, added up: one doubt weighs less than one certainty."""
    return np.asarray(np.exp(log_softmax(rows) / 2).sum(axis=0))


def averaged(rows: Floats) -> Floats:
    """The mean of the probabilities."""
    return np.asarray(np.exp(log_softmax(rows)).sum(axis=0))


def by_scene(rows: Floats, scene: NDArray[np.intp], power: float) -> Floats:
    """n photos of one scene count as n to this power: 0 for one photo, their mean; ½ for √n.

    >>> by_scene(np.array([[0.0, 2.0], [0.0, 4.0], [1.0, 0.0]]), np.array([0, 0, 1]), 0.0).tolist()
    [1.0, 3.0]
    """
    total = np.zeros(rows.shape[1])
    for each in np.unique(scene):
        photos = rows[scene == each]
        total += photos.mean(axis=0) * len(photos) ** power
    return total


def scenes(rows: Floats) -> NDArray[np.intp]:
    """A number for each photo, near-repeats (and their near-repeats) alike, by scores alone.

    >>> scenes(np.array([[0.0, 1, 2], [0, 1, 2.1], [2, 1, 0]])).tolist()
    [0, 0, 2]
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = centred / np.where(length > 0, length, 1.0)
    near = unit @ unit.T >= ALIKE
    label = np.arange(len(rows))
    while True:
        lowest = np.minimum(np.where(near, label[None, :], len(rows)).min(axis=1), label)
        if (lowest == label).all():
            return label
        label = lowest


def holds(attack: Callable[[Floats], Floats], kept: FloatMatrix, truth: int, top: int) -> bool:
    """Whether the truth is out of this attacker's first `top` cells."""
    score = attack(kept.astype(np.float64))
    ahead = score >= score[truth]
    return int(ahead.sum()) - 1 >= top


def _information(rows: Floats) -> Floats:
    """How much each photo says: its negative entropy."""
    logs = log_softmax(rows)
    return np.asarray((np.exp(logs) * logs).sum(axis=1))


PARTIAL: dict[str, Callable[[Floats], Floats]] = {
    "best photo": best_photo,
    "best five": best_five,
    "clipped": clipped,
    "tempered": tempered,
    "averaged": averaged,
}
REPEATS = {"scenes once": 0.0, "scenes by root": 0.5}
"""What n photos of one scene count as: n to this power."""

Holds = Callable[[str, Collection, Sequence[int]], bool]
"""Whether an attacker, by name, does not find the place in these photos of a collection."""


def try_strategies(
    each: Collection, strategies: Mapping[str, dict[str, Any]], before: Mapping[str, bool],
    holds: Holds,
) -> Iterator[Row]:  # fmt: skip
    """One row for each strategy: what it withholds, and which attackers it holds against."""
    for strategy, wishes in strategies.items():
        plan = solve_quietly(each.scores, each.truth, top=TOP, **wishes)
        row: dict[str, Value] = {
            **each.key, "way": strategy, "withheld": plan.withheld, "status plan": plan.status,
        }  # fmt: skip
        kept = None if plan.kept is None else np.flatnonzero(plan.kept).tolist()
        for name, held in before.items():
            row[name] = None if held or kept is None else int(holds(name, each, kept))
        yield row


def summarise_strategies(rows: Rows, names: Sequence[str]) -> Iterator[Number]:
    """How often each strategy's plans hold against each attacker, and what they cost."""
    for line, strategy, every, own in lines_of(rows, "way"):
        yield from [Number(line, name, *mean_of(own, name)) for name in names]
        yield from costs(every, line, strategy, PLAIN)


def draw_strategies(rows: Rows, numbers: Numbers, names: Sequence[str]) -> Figure:
    """One panel for each kind: how often each strategy holds against each attacker."""
    kinds = kinds_of(rows)
    strategies = unique(rows, "way")
    figure, grid = draw_beside(
        numbers, {kind: kind for kind in kinds},
        [Series(*look) for look in zip(strategies, _COLOURS, "os^Dv", strict=False)], names,
        lambda kind, strategy, name: (f"{kind}, {strategy}", name),
        size=(max(4.6, 3.1 * len(kinds)), 3.6), shares=kinds, slanted=True,
    )  # fmt: skip
    grid[0].set(ylim=(-0.03, 1.04), ylabel="share of plans that hold")
    legend_below(figure, grid[0], min(4, len(strategies)))
    return figure
