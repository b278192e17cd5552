"""Lemma 1: a knapsack in disguise. Where the time goes when scores are made to be hard.

Objects with values v and weights w, a bound V and a capacity W, become photos: each object gains v
for one rival and loses w for the other, and one last photo sets V and W. Which photos stay is which
objects are packed. The more digits the numbers have, the fewer plans fit, and the less the bounds
of any solver say.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact import Limits, solve
from elsewhere.solver.problem import plain
from elsewhere_lab.plots import Figure, new_panels
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import mean
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

OBJECTS = (8, 12, 16, 20, 24, 28)
DIGITS = (2, 4, 6)
WORK = 60_000
"""Work after which an instance counts as open: some seconds."""
_DECIDED = ("optimal", "infeasible")


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


def parts(source: Source, scale: Scale) -> list[Part]:
    """One part for each number of objects."""
    sizes, turns = (OBJECTS[:4], 3) if scale.sample < 50 else (OBJECTS, 15)
    return [Part(f"{size}-objects", {"objects": size, "turns": turns}) for size in sizes]


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """Time and work for each size and number of digits."""
    objects = part.settings["objects"]
    for digits in DIGITS:
        for turn in range(part.settings["turns"]):
            scores = knapsack(objects, digits, np.random.default_rng([objects, digits, turn]))
            start = time.perf_counter()
            answer = solve(plain(scores, truth=2, need=2), Limits(work=WORK))
            yield {
                    "kind": "knapsack", "number": turn, "objects": objects, "digits": digits,
                    "answer": answer.status, "work": answer.work,
                    "seconds": round(time.perf_counter() - start, 5),
                }  # fmt: skip


def summarise(rows: Rows) -> Iterator[Number]:
    """Median work, and the share that was decided."""
    for objects in OBJECTS:
        for digits in DIGITS:
            mine = [r for r in rows if (r["objects"], r["digits"]) == (objects, digits)]
            if mine:
                work = float(np.median([number(r["work"]) for r in mine]))
                decided, _, _ = mean([float(r["answer"] in _DECIDED) for r in mine])
                yield Number(f"{objects} objects", f"work, {digits} digits", work)
                yield Number(f"{objects} objects", f"decided, {digits} digits", decided)


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """The contrast with photos."""
    undecided = sum(1 for row in rows if row["answer"] not in _DECIDED)
    return [
        f"{len(rows)} instances, {undecided} left open at {WORK:,} units of work. Real collections "
        "are far from these: a photo that gains for one rival gains for its neighbours too, and "
        "scores are not tuned to the last digit (see the running times above)."
    ]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Work against size, one line for each number of digits."""
    figure, (axes,) = new_panels(1, (4.8, 3.2))
    for digits, marker, style in zip(DIGITS, "os^", ("-", "--", ":"), strict=True):
        mine = [n for n in numbers if n.column == f"work, {digits} digits"]
        sizes, work = [int(n.line.split()[0]) for n in mine], [max(n.ours, 1) for n in mine]
        axes.semilogy(sizes, work, style, marker=marker, label=f"{digits} digits")
    axes.axhline(WORK, color="#5c6068", lw=0.8, ls=(0, (1, 3)))
    axes.annotate("stopped", (OBJECTS[0], WORK), va="bottom", fontsize=7, color="#5c6068")
    axes.set(xlabel="objects", ylabel="median work (nodes and pivots)")
    axes.set_title("Knapsacks in disguise")
    axes.legend(title="numbers of", loc="lower right")
    return figure
