"""The solver's time, greedy's worst case, hard collections, the constant of the paper's model."""

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere.solver.exact import SearchLimits, solve
from elsewhere.solver.problem import plain
from elsewhere_lab.collections import RANDOM, one_each, partitions, sample_parts, spread
from elsewhere_lab.experiments import say
from elsewhere_lab.experiments.tables import NESTING_STEPS
from elsewhere_lab.paper import paper_number
from elsewhere_lab.plots import Figure, Series, draw_beside, new_panels
from elsewhere_lab.solving import fewest, gains, greedy_fewest, greedy_steps, within
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import by_column, mean, mean_by_cell, select, unique
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

# time: Running time against the number of photos, of cells, and the k of the guarantee

TIME_CELLS = (64, 128, 256, 512)
TIME_TOPS = (1, 2, 5, 10, 20)
TIME_AXES = {"photos": "photos (k = 5)", "cells": "cells (R-64, k = 5)", "k": "k (R-64)"}


def parts_time(source: Source, scale: Scale) -> list[Part]:
    """Each axis on its own, the others at R-64, all cells and k = 5."""
    cells = spread(source.cells, max(5, scale.sample // 8))
    points = [("photos", kind, TIME_CELLS[-1], 5) for kind in RANDOM]
    points += [("cells", "R-64", m, 5) for m in TIME_CELLS]
    points += [("k", "R-64", TIME_CELLS[-1], k) for k in TIME_TOPS]
    return [
        Part(f"{axis}-{kind}-{m}-{k}", {"axis": axis, "kind": kind, "m": m, "k": k, "cells": cells})
        for axis, kind, m, k in points
    ]


def measure_time(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One timed plan for each cell's first collection."""
    axis, kind, m, k = (part.settings[key] for key in ("axis", "kind", "m", "k"))
    for each in one_each(source, part):
        scores, truth = each.scores, each.truth
        if m < scores.shape[1]:  # the truth and some others at random: a smaller problem, not a
            # coarser map, whose cells would be larger and further apart
            others = np.random.default_rng([truth, m]).permutation(scores.shape[1])
            picked = np.array([truth, *(j for j in others.tolist() if j != truth)][:m])
            scores, truth = scores[:, picked], 0
        start = perf_counter()
        plan = fewest(scores, truth, k)
        yield {
                "kind": kind, "number": each.number, "axis": axis, "cells": m, "k": k,
                "photos": each.photos, "seconds": round(perf_counter() - start, 6),
                "work": plan.work, "status time": str(plan.status),
            }  # fmt: skip


def _seconds(rows: Rows, axis: str) -> dict[int, list[float]]:
    """The seconds of all plans, by the value on an axis."""
    mine = select(rows, axis=axis)
    return {
        value: [number(row["seconds"]) for row in select(mine, **{axis: value})]
        for value in sorted({int(number(row[axis])) for row in mine})
    }


def summarise_time(rows: Rows) -> Iterator[Number]:
    """Median and longest milliseconds; the paper's seconds as milliseconds beside."""
    for axis in TIME_AXES:
        for value, seconds in _seconds(rows, axis).items():
            took = [1000 * each for each in seconds]
            line = f"R-{value}" if axis == "photos" else f"R-64, {axis} = {value}"
            theirs = paper_number("time", line, "seconds")
            paper = None if theirs is None else 1000 * theirs
            median = float(np.median(took))
            yield Number(line, "median ms", median, count=len(took), paper=paper)
            yield Number(line, "longest ms", max(took), count=len(took))


def draw_time(rows: Rows, numbers: Numbers) -> Figure:
    """Three axes, every plan a dot, the median a line, the paper's two times as crosses."""
    figure, grid = new_panels(3, (9.6, 3.1), sharey=True)
    for axes, (axis, label) in zip(grid, TIME_AXES.items(), strict=True):
        mine = select(rows, axis=axis)
        axes.plot(
            [row[axis] for row in mine], [row["seconds"] for row in mine], ".", alpha=0.35,
            color=LIGHT.kept, markersize=4, label="one plan",
        )  # fmt: skip
        seconds = _seconds(rows, axis)
        medians = [float(np.median(each)) for each in seconds.values()]
        axes.plot(list(seconds), medians, "-o", color=LIGHT.kept, label="median")
        axes.set(xscale="log", yscale="log", xlabel=label)
        axes.set_xticks(list(seconds), [str(value) for value in seconds])
        axes.minorticks_off()
    theirs = [paper_number("time", f"R-{n}", "seconds") for n in (64, 128)]
    grid[0].plot((64, 128), theirs, "P", color=LIGHT.baseline, ms=7, label="paper (CPLEX)")
    grid[0].set_ylabel("seconds")
    grid[0].set_title("Running time of a top-k plan")
    grid[0].legend(loc="upper left")
    return figure


# worst: Observation 1: greedy can be as bad as one likes while two photos would do

IDLE_PHOTOS = (1, 2, 5, 10, 20, 50, 100, 200)
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


def measure_worst(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """What greedy and the best plan withhold for a top-2 guarantee, as idle photos grow."""
    for idle in IDLE_PHOTOS:
        scores, truth = construction(idle), 2
        plan = fewest(scores, truth, top=2)
        greedy = greedy_fewest(greedy_steps(scores, truth), 2)
        assert greedy is not None
        yield {
                "kind": "Observation 1", "number": idle, "photos": idle + 3,
                "optimal": len(plan.withheld), "greedy": greedy, "status 2": str(plan.status),
            }  # fmt: skip


def summarise_worst(rows: Rows) -> list[Number]:
    """Photos withheld."""
    return [
        Number(f"N = {row['number']}", column, number(row[column]))
        for row in rows
        for column in ("optimal", "greedy")
    ]


def findings_worst(rows: Rows, numbers: Numbers) -> list[str]:
    """The ratio."""
    last = rows[-1]
    ratio = number(last["greedy"]) / number(last["optimal"])
    return [
        f"With {last['number']} photos that say nothing greedy withholds {ratio:.0f} times as many "
        "as needed, and the ratio grows without bound."
    ]


def draw_worst(rows: Rows, numbers: Numbers) -> Figure:
    """Both against the number of idle photos."""
    figure, (axes,) = new_panels(1, (4.6, 3.1))
    idle = [number(row["number"]) for row in rows]
    for column, style, colour in (("greedy", "--P", LIGHT.baseline), ("optimal", "-o", LIGHT.kept)):
        axes.loglog(idle, [number(r[column]) for r in rows], style, color=colour, label=column)
    axes.set(xlabel="photos that say nothing, N", ylabel="photos withheld (top-2)")
    axes.set_title("Greedy can be as bad as one likes")
    axes.legend()
    return figure


# hardness: Lemma 1: a knapsack in disguise. Where the time goes when scores are made to be hard

OBJECTS = (8, 12, 16, 20, 24, 28)
DIGITS = (2, 4, 6)
HARDNESS_WORK = 60_000  # work after which an instance counts as open: some seconds
_DECIDED = ("optimal", "infeasible")


def knapsack(objects: int, digits: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scores over two rivals and, last, the truth; a tight packing is planted."""
    numbers = rng.integers(1, 10**digits, size=objects).astype(np.float64)
    packed = rng.permutation(objects) < objects // 2
    total = numbers[packed].sum()
    rows = np.zeros((objects + 1, 3))
    rows[:-1, 0], rows[:-1, 1] = numbers, -numbers
    rows[-1, :2] = -total, total
    return rows


def parts_hardness(source: Source, scale: Scale) -> list[Part]:
    """One part for each number of objects."""
    sizes, turns = (OBJECTS[:4], 3) if scale.sample < 50 else (OBJECTS, min(15, scale.sample // 16))
    return [Part(f"{size}-objects", {"objects": size, "turns": turns}) for size in sizes]


def measure_hardness(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """Time and work for each size and number of digits."""
    objects = part.settings["objects"]
    for digits in DIGITS:
        for turn in range(part.settings["turns"]):
            scores = knapsack(objects, digits, np.random.default_rng([objects, digits, turn]))
            start = perf_counter()
            answer = solve(plain(scores, truth=2, need=2), SearchLimits(work=HARDNESS_WORK))
            yield {
                    "kind": "knapsack", "number": turn, "objects": objects, "digits": digits,
                    "answer": answer.status, "work": answer.work,
                    "seconds": round(perf_counter() - start, 5),
                }  # fmt: skip


def summarise_hardness(rows: Rows) -> Iterator[Number]:
    """Median work, and the share that was decided."""
    for objects in OBJECTS:
        for digits in DIGITS:
            mine = select(rows, objects=objects, digits=digits)
            if mine:
                work = float(np.median([number(r["work"]) for r in mine]))
                decided, _, _ = mean([float(r["answer"] in _DECIDED) for r in mine])
                yield Number(f"{objects} objects", f"work, {digits} digits", work)
                yield Number(f"{objects} objects", f"decided, {digits} digits", decided)


def findings_hardness(rows: Rows, numbers: Numbers) -> list[str]:
    """The contrast with photos."""
    undecided = sum(1 for row in rows if row["answer"] not in _DECIDED)
    return [say("hardness", "open", count=len(rows), undecided=undecided, work=HARDNESS_WORK)]


def draw_hardness(rows: Rows, numbers: Numbers) -> Figure:
    """Work against size, one line for each number of digits."""
    figure, (axes,) = new_panels(1, (4.8, 3.2))
    for digits, marker, style in zip(DIGITS, "os^", ("-", "--", ":"), strict=True):
        mine = [n for n in numbers if n.column == f"work, {digits} digits"]
        sizes, work = [int(n.line.split()[0]) for n in mine], [max(n.ours, 1) for n in mine]
        axes.semilogy(sizes, work, style, marker=marker, label=f"{digits} digits")
    axes.axhline(HARDNESS_WORK, color="#5c6068", lw=0.8, ls=(0, (1, 3)))
    axes.annotate("stopped", (OBJECTS[0], HARDNESS_WORK), va="bottom", fontsize=7, color="#5c6068")
    axes.set(xlabel="objects", ylabel="median work (nodes and pivots)")
    axes.set_title("Knapsacks in disguise")
    axes.legend(title="numbers of", loc="lower right")
    return figure


# constant: The constant T of the paper's linear model: what follows where it is not large enough

CONSTANT_KIND, CONSTANT_PHOTOS = "R-16", 16
LARGE, PUBLISHED = "T large enough", "T as published"
CONSTANT_TOPS = (1, 5)
FEWEST, ORDER, UNRELATED = "fewest photos", "one order", "unrelated"
PLAN_CHOICES = (FEWEST, ORDER, UNRELATED)
"""Which of the best plans is taken: one with the fewest photos; the first in one order of all
plans, the same for all budgets; any of them, by itself for each budget."""
NO_SMALL_PLAN = "no plan within 12.5 %"
PER_CELL = 4  # collections of a cell
_PLANS_AT_ONCE = 4096
parts_constant = partial(sample_parts, kinds=(CONSTANT_KIND,), share=1.0)


@lru_cache(maxsize=1)
def every_plan() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """All sets of photos to withhold but that of all photos, and how large each is."""
    codes = np.arange((1 << CONSTANT_PHOTOS) - 1)
    gone = ((codes[:, None] >> np.arange(CONSTANT_PHOTOS)) & 1).astype(np.float64)
    return gone, gone.sum(axis=1).astype(np.intp)


def count_ahead(gain: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For every plan, how many rivals hold, and the sum of the one furthest behind."""
    gone, _ = every_plan()
    ahead, last = np.empty(len(gone), dtype=np.intp), np.empty(len(gone))
    for start in range(0, len(gone), _PLANS_AT_ONCE):
        some = slice(start, start + _PLANS_AT_ONCE)
        sums = (1 - gone[some]) @ gain
        ahead[some], last[some] = (sums >= 0).sum(axis=1), sums.min(axis=1)
    return ahead, last


def collections_of(source: Source, part: Part) -> Iterator[Collection]:
    """The first collections of each cell of a part."""
    for cell in part.settings["numbers"]:
        yield from islice(partitions(source, cell, CONSTANT_KIND, 1), PER_CELL)


def measure_constant(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection and T: the fewest photos, and the share that comes back."""
    _, size = every_plan()
    for each in collections_of(source, part):
        gain = gains(each.scores, each.truth)
        ahead, last = count_ahead(gain)
        for name, allowed in (
            (LARGE, np.ones(len(ahead), dtype=bool)),
            (PUBLISHED, last >= -CONSTANT_PHOTOS * gain.max()),
        ):
            row: dict[str, Value] = {"kind": each.kind, "number": each.number, "T": name}
            for top in CONSTANT_TOPS:  # None where there is no plan, or nothing to do
                enough = size[allowed & (ahead >= top)]
                possible = ahead[0] < top and len(enough)
                row[f"fewest {top}"] = int(enough.min()) / CONSTANT_PHOTOS if possible else None
            row["none"] = int(
                _best_plans(ahead, allowed, within(CONSTANT_PHOTOS, NESTING_STEPS[0][0])) is None
            )
            yield row | _returned(ahead, allowed)


def _best_plans(
    ahead: NDArray[np.intp], allowed: NDArray[np.bool_], budget: int
) -> NDArray[np.intp] | None:
    """All plans within a budget that push the truth furthest down."""
    _, size = every_plan()
    possible = np.flatnonzero(allowed & (size <= budget))
    return possible[ahead[possible] == ahead[possible].max()] if len(possible) else None


def _returned(ahead: NDArray[np.intp], allowed: NDArray[np.bool_]) -> dict[str, Value]:
    """For each step and choice, the share of the photos withheld before that is kept now."""
    gone, size = every_plan()
    result: dict[str, Value] = {}
    for low, high, column in NESTING_STEPS:
        plans = [
            _best_plans(ahead, allowed, within(CONSTANT_PHOTOS, share)) for share in (low, high)
        ]
        for choice in PLAN_CHOICES:
            result[f"{column}, {choice}"] = None
            if plans[0] is not None and plans[1] is not None:
                before, after = (_choose_plans(best, choice) for best in plans if best is not None)
                withholding = before[size[before] > 0]
                kept = 1 - gone[after].mean(axis=0)
                if len(withholding):
                    back = (gone[withholding] @ kept) / size[withholding]
                    result[f"{column}, {choice}"] = round(float(back.mean()), 5)
    return result


def _choose_plans(best: NDArray[np.intp], choice: str) -> NDArray[np.intp]:
    """The plans that a choice leaves, which are equally likely."""
    _, size = every_plan()
    if choice == ORDER:
        return best[:1]
    return best[size[best] == size[best].min()] if choice == FEWEST else best


def summarise_constant(rows: Rows) -> Iterator[Number]:
    """Both tables' fields for both T."""
    columns = []
    for top in CONSTANT_TOPS:
        column = f"top-{top} optimal"
        columns.append((column, f"fewest {top}", paper_number("fewest", CONSTANT_KIND, column)))
    for _, _, step in NESTING_STEPS:
        names = [f"{step}, {choice}" for choice in PLAN_CHOICES]
        columns += [
            (column, column, paper_number("nesting", CONSTANT_KIND, step)) for column in names
        ]
    for name in unique(rows, "T"):
        mine = select(rows, T=name)
        for column, field, theirs in [*columns, (NO_SMALL_PLAN, "none", None)]:
            values = [None if row[field] is None else number(row[field]) for row in mine]
            average = mean_by_cell(mine, values)
            if average[2]:
                yield Number(name, column, *average, theirs)


def findings_constant(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How far each T is from the paper's lines, by the choice that comes nearest to Table 4."""
    far = {
        name: {
            choice: off
            for choice in PLAN_CHOICES
            if (off := _distance_to_paper(numbers, name, choice))
        }
        for name in (LARGE, PUBLISHED)
    }
    if not all(far.values()):
        return
    for name, mine in far.items():
        each = ", ".join(f"{four:.2f} ({choice})" for choice, (four, _) in mine.items())
        two = min(mine.values())[1]
        yield say("constant", "off", name=name, two=two, each=each)
    large, published = (min(mine.values()) for mine in far.values())
    if published[0] < large[0] and published[1] > large[1]:
        error = max(n.error for n in numbers if n.column.endswith(f", {ORDER}"))
        yield say("constant", "nearer", error=error)


def _distance_to_paper(numbers: Numbers, name: str, choice: str) -> tuple[float, float] | None:
    """How far a T is off Table 4, with a choice, and off Table 2; None where one lacks a field."""
    line = by_column(numbers, name)
    four = [line.get(f"{step}, {choice}") for _, _, step in NESTING_STEPS]
    two = [line.get(f"top-{top} optimal") for top in CONSTANT_TOPS]
    known = [
        [abs(n.ours - n.paper) for n in some if n and n.paper is not None] for some in (four, two)
    ]
    return (max(known[0]), max(known[1])) if all(len(each) == 2 for each in known) else None


def draw_constant(rows: Rows, numbers: Numbers) -> Figure:
    """Table 4's two numbers for each T and choice, the paper's as lines."""
    steps = [step for _, _, step in NESTING_STEPS]
    figure, grid = draw_beside(
        numbers, {step: step for step in steps},
        [Series(LARGE, LIGHT.kept, "o"), Series(PUBLISHED, LIGHT.withheld, "s")], PLAN_CHOICES,
        lambda step, name, choice: (name, f"{step}, {choice}"), size=(7.4, 3.1),
    )  # fmt: skip
    for axes, step in zip(grid, steps, strict=True):
        theirs = paper_number("nesting", CONSTANT_KIND, step)
        axes.axhline(theirs, color=LIGHT.ink, lw=1, ls=(0, (4, 2)), label="paper")
    grid[0].set_ylim(bottom=0)
    grid[0].set_ylabel("share withheld before, kept now")
    grid[0].legend()
    return figure
