"""Observation 1: greedy can be as bad as one likes while two photos would do.

The supplement's construction: N photos that say nothing, and three that do. Greedy begins with the
N, for nothing; the best plan withholds two. (The supplement's last inequality is printed the wrong
way round; the construction is right.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere_lab.plots import Figure, new_panels
from elsewhere_lab.solving import fewest, greedy_fewest, greedy_steps
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

IDLE = (1, 2, 5, 10, 20, 50, 100, 200)
EPSILON = 0.05


def construction(idle: int, epsilon: float = EPSILON) -> NDArray[np.float64]:
    """Log-probabilities of `idle` + 3 photos over two rivals and, last, the truth.

    >>> np.exp(construction(1)).sum(axis=1).round(12).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    third = 1 / 3
    a = (third - epsilon) ** 2 * (third - 2 * epsilon) / (2 * (third + epsilon) ** 2)
    b = 2 * third + epsilon - a
    telling = [
        [a, b, third - epsilon],
        [b, a, third - epsilon],
        [third + epsilon, third + epsilon, third - 2 * epsilon],
    ]
    return np.asarray(np.log(np.array([[third] * 3] * idle + telling)))


def parts(source: Source, scale: Scale) -> list[Part]:
    """One part."""
    return [Part("all")]


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """What greedy and the best plan withhold for a top-2 guarantee, as idle photos grow."""
    for idle in IDLE:
        scores, truth = construction(idle), 2
        plan = fewest(scores, truth, top=2)
        greedy = greedy_fewest(greedy_steps(scores, truth), 2)
        assert greedy is not None
        yield {
                "kind": "Observation 1", "number": idle, "photos": idle + 3,
                "optimal": len(plan.withheld), "greedy": greedy, "status 2": str(plan.status),
            }  # fmt: skip


def summarise(rows: Rows) -> list[Number]:
    """Photos withheld."""
    return [
        Number(f"N = {row['number']}", column, number(row[column]))
        for row in rows
        for column in ("optimal", "greedy")
    ]


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """The ratio."""
    last = rows[-1]
    ratio = number(last["greedy"]) / number(last["optimal"])
    return [
        f"With {last['number']} photos that say nothing greedy withholds {ratio:.0f} times as many "
        "as needed, and the ratio grows without bound."
    ]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Both against the number of idle photos."""
    figure, (axes,) = new_panels(1, (4.6, 3.1))
    idle = [number(row["number"]) for row in rows]
    for column, style, colour in (("greedy", "--P", LIGHT.baseline), ("optimal", "-o", LIGHT.kept)):
        axes.loglog(idle, [number(r[column]) for r in rows], style, color=colour, label=column)
    axes.set(xlabel="photos that say nothing, N", ylabel="photos withheld (top-2)")
    axes.set_title("Greedy can be as bad as one likes")
    axes.legend()
    return figure
