"""Lemma 1: a knapsack in disguise. Where the time goes when scores are made to be hard.

Objects with values v and weights w, a bound V and a capacity W, become photos: each object gains v
for one rival and loses w for the other, and one last photo sets V and W. Which photos stay is which
objects are packed. The more digits the numbers have, the fewer plans fit, and the less the bounds
of any solver say.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact import Limits, solve
from elsewhere.solver.problem import Problem, plain
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, mean, number

OBJECTS = (8, 12, 16, 20, 24, 28)
DIGITS = (2, 4, 6)
WORK = 60_000
"""Work after which an instance counts as open: some seconds."""


def knapsack(objects: int, digits: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores over two rivals and, last, the truth; a tight packing is planted.

    Subset sums, the hard kind: value and weight of an object are the same number, and V = W is the
    sum of a random half of them.
    """
    numbers = rng.integers(1, 10**digits, size=objects).astype(np.float64)
    packed = rng.permutation(objects) < objects // 2
    total = numbers[packed].sum()
    rows = np.zeros((objects + 1, 3))
    rows[:-1, 0], rows[:-1, 1] = numbers, -numbers
    rows[-1, :2] = -total, total
    return rows


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """Time and work for each size and number of digits."""
    rows: list[Row] = []
    objects = part.wish["objects"]
    for digits in DIGITS:
        for turn in range(part.wish["turns"]):
            scores = knapsack(objects, digits, np.random.default_rng([objects, digits, turn]))
            limits = Limits(work=WORK)
            start = time.perf_counter()
            answer = solve(_problem(scores), limits)
            rows.append(
                {
                    "kind": "knapsack", "number": turn, "objects": objects, "digits": digits,
                    "answer": answer.status, "work": answer.work,
                    "seconds": round(time.perf_counter() - start, 5),
                }
            )  # fmt: skip
    return rows


def _problem(scores: NDArray[np.float64]) -> Problem:
    return plain(scores, truth=2, need=2)


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Median work, and the share that was decided."""
    result = []
    for objects in OBJECTS:
        for digits in DIGITS:
            mine = [r for r in rows if r["objects"] == objects and r["digits"] == digits]
            if mine:
                work = float(np.median([number(r["work"]) for r in mine]))
                line = f"{objects} objects"
                result.append(Number(line, f"work, {digits} digits", work))
                done, _, _ = mean([float(r["answer"] in ("optimal", "infeasible")) for r in mine])
                result.append(Number(line, f"decided, {digits} digits", done))
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Work against size, one line for each number of digits."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(4.8, 3.2))
    for digits, marker, style in zip(DIGITS, "os^", ("-", "--", ":"), strict=True):
        mine = [n for n in numbers if n.column == f"work, {digits} digits"]
        x = [int(n.line.split()[0]) for n in mine]
        axes.semilogy(
            x, [max(n.ours, 1) for n in mine], style, marker=marker, label=f"{digits} digits"
        )
    axes.axhline(WORK, color="#5c6068", lw=0.8, ls=(0, (1, 3)))
    axes.annotate("stopped", (OBJECTS[0], WORK), va="bottom", fontsize=7, color="#5c6068")
    axes.set(xlabel="objects", ylabel="median work (nodes and pivots)")
    axes.set_title("Knapsacks in disguise")
    axes.legend(title="numbers of", loc="lower right")
    return {"hardness": figure}


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """The contrast with photos."""
    left = sum(1 for row in rows if row["answer"] not in ("optimal", "infeasible"))
    return [
        f"{len(rows)} instances, {left} left open at {WORK:,} units of work. Real collections are "
        "far from these: a photo that gains for one rival gains for its neighbours too, and scores "
        "are not tuned to the last digit (see the running times above)."
    ]


EXPERIMENT = Experiment(
    name="hardness",
    title="Lemma 1: knapsacks in disguise",
    about=(
        "Subset sums written as photos by the paper's reduction, top-2: the work (tree nodes and "
        "simplex pivots, a count that is the same on every machine) until the plan is proved."
    ),
    parts=lambda source, scale: [
        Part(f"{objects}-objects", {"objects": objects, "turns": 3 if scale.few < 50 else 15})
        for objects in (OBJECTS[:4] if scale.few < 50 else OBJECTS)
    ],
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    sources=("simulator",),
)
