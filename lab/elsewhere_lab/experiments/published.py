"""Table 4 by the program that the authors published, with the plans that general solvers return."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere.solver.exact import SearchLimits, solve
from elsewhere.solver.problem import Attacker, plain
from elsewhere_lab import plots
from elsewhere_lab.calibrated import PAPER_WORLD, REFITTED
from elsewhere_lab.collections import partitions, sample_parts
from elsewhere_lab.experiments import say
from elsewhere_lab.experiments.tables import FEWEST_TOPS, NESTING_STEPS, count_returned, pack
from elsewhere_lab.general_solvers import (
    NODES,
    SOLVERS,
    best_plan,
    installed,
    largest_gain,
    solver_version,
)
from elsewhere_lab.paper import paper_number
from elsewhere_lab.plots import Figure, label_places, legend_with_paper, plot_series
from elsewhere_lab.solving import WORK, gains, rank_ahead, within
from elsewhere_lab.sources import Simulator
from elsewhere_lab.statistics import mean_by_cell, pick, select
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale, Value, number

KINDS = {"R-16": 9, "R-32": 4, "R-64": 2, "R-128": 1}  # collections of a cell: all that it has
HALVES = {
    "HiGHS": {"R-16": 4, "R-32": 1},
    "CPLEX": {"R-16": 4, "R-32": 2, "R-64": 2, "R-128": 2},
}
"""Of four cells, in how many half the photos of the first may go too, which takes longest."""
LARGE, PUBLISHED, REFIT = "large T", "published T", "refitted"
READINGS = {LARGE: (100.0, PAPER_WORLD), PUBLISHED: (1.0, PAPER_WORLD), REFIT: (1.0, REFITTED)}
"""How many times the published T is taken, and the simulator's setting."""
SHARES = (0.125, 0.25, 0.5)
WANTED = 0.04  # how near to the paper a share of Table 4 should be: `paper.tolerance`
FEW = 5  # collections; an error from fewer is not to be relied on
NOTHING = (None, pack(()))  # no plan, or one that withholds no photo: none can come back


def parts_published(source: Simulator, scale: Scale) -> list[Part]:
    """Each reading with its cells; kinds by turns, so that a part of the run has all."""
    turns = [sample_parts(source, scale, (kind,), share=0.32) for kind in KINDS]
    return [
        Part(f"{i}-{part.name}", {**part.settings, "reading": reading})
        for parts in zip(*turns, strict=True)
        for part in parts
        for i, reading in enumerate(READINGS)
    ]


def measure_published(source: Simulator, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection: the fewest photos under T, and each solver's plans."""
    kind, reading = part.settings["kind"], part.settings["reading"]
    times, setting = READINGS[reading]
    there = replace(source, setting=setting)
    for turn, cell in enumerate(part.settings["numbers"]):
        for i, each in enumerate(islice(partitions(there, cell, kind, 1), KINDS[kind])):
            gain = gains(each.scores, each.truth)
            constant = times * largest_gain(gain)
            row: dict[str, Value] = {**each.key, "reading": reading}
            for top in FEWEST_TOPS:
                row[f"fewest {top}"] = None
                if i == 0 and rank_ahead(each.scores, each.truth) < top:
                    row[f"fewest {top}"] = fewest_under(each.scores, each.truth, top, constant)
            for solver in installed():
                plans: dict[str, Value] = {}
                half = i == 0 and turn < HALVES[solver].get(kind, 0)
                for share in SHARES:
                    name = f"{solver} {share}"
                    plans |= {name: None, f"answer {name}": None}
                    before = plans[f"{solver} {SHARES[0]}"]
                    if not half and (share == 0.5 or (share == 0.25 and before in NOTHING)):
                        continue  # it would say nothing about the step from 12.5 to 25 %
                    answer = best_plan(gain, within(each.photos, share), constant, solver)
                    plans[f"answer {name}"] = answer.status
                    if answer.status == "optimal":
                        plans[name] = pack(answer.withheld)
                row |= plans | {f"version {solver}": solver_version(solver)}
            yield row


def fewest_under(scores: FloatMatrix, truth: int, top: int, constant: float) -> float | None:
    """The smallest share to withhold when no cell may be behind the truth by more than T.

    That every cell is no further behind is asked for by an attacker of its own.
    """
    problem = plain(scores.astype(np.float64), truth, top)
    (ours,) = problem.attackers
    far = np.minimum(gains(scores, truth), 0).sum(axis=0) < -constant
    if far.any():
        bounded = ours.rivals[far]
        held = Attacker(ours.scores, ours.zone, bounded, len(bounded), lead=-constant)
        problem = replace(problem, attackers=(ours, held))
    answer = solve(problem, SearchLimits(work=WORK))
    return None if answer.kept is None else float((~answer.kept).mean())


def summarise_published(rows: Rows) -> Iterator[Number]:
    """For each reading and solver: Table 4's shares, Table 2's, and how often there is no plan."""
    solvers = [name for name in SOLVERS if rows and f"{name} 0.125" in rows[0]]
    for solver in solvers:
        for reading in READINGS:
            for kind in KINDS:
                mine = select(rows, kind=kind, reading=reading)
                if mine:
                    yield from _line(f"{kind}, {reading}, {solver}", kind, solver, mine)


def _line(line: str, kind: str, solver: str, rows: Rows) -> Iterator[Number]:
    for low, high, step in NESTING_STEPS:
        pairs = [count_returned(row, solver, low, high) for row in rows]
        shares = [pair[0] / pair[1] if pair and pair[1] else None for pair in pairs]
        average = mean_by_cell(rows, shares)
        yield Number(line, step, *average, paper_number("nesting", kind, step))
    for top in FEWEST_TOPS:
        column = f"top-{top} optimal"
        fields = [row[f"fewest {top}"] for row in rows]
        average = mean_by_cell(rows, [None if f is None else number(f) for f in fields])
        yield Number(line, column, *average, paper_number("fewest", kind, column))
    answers = [row[f"answer {solver} 0.125"] for row in rows]
    none = [float(answer == "infeasible") for answer in answers if answer is not None]
    yield Number(line, "no plan within 12.5 %", float(np.mean(none)), count=len(none))


def findings_published(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How far each reading is off both tables, and which numbers of Table 4 it does not explain."""
    by_reading: dict[str, list[Number]] = {}
    for each in numbers:
        if each.paper is not None and each.count >= FEW and not math.isnan(each.error):
            by_reading.setdefault(each.line.partition(", ")[2], []).append(each)
    for reading, every in by_reading.items():
        two, four = (
            [n for n in every if n.column.startswith("top-") is fewest] for fewest in (True, False)
        )
        if not (two and four):
            continue
        off = [max(abs(n.ours - (n.paper or 0)) for n in table) for table in (two, four)]
        far = [n for n in four if not explains(n)]
        text = say(
            "published", "off", line=reading, four=off[1], error=max(n.error for n in four),
            two=off[0], near=len(four) - len(far), all=len(four),
        )  # fmt: skip
        names = "; ".join(
            f"{n.line.partition(',')[0]} {n.column} ({n.ours:.2f} ± {n.error:.2f}, "
            f"paper {n.paper:.2f})"
            for n in far
        )
        yield text + (f" Not {names}." if names else "")
    answers = [
        (key.endswith(" 0.5"), value)
        for row in rows
        for key, value in row.items()
        if key.startswith("answer ") and value
    ]
    halves = [value for half, value in answers if half]
    if stopped := [value for _, value in answers].count("feasible"):
        yield say(
            "published", "unfinished", nodes=NODES, count=stopped, all=len(answers),
            halves=halves.count("feasible"), of=len(halves),
        )  # fmt: skip
    if versions := solver_versions(rows):
        yield say("published", "versions", versions=", ".join(versions))
    if by_reading:
        yield _conclusion(by_reading)


def solver_versions(rows: Rows) -> list[str]:
    """The solvers that answered, with every version that did; empty where rows do not say."""
    pairs = {
        (solver, str(row[f"version {solver}"]))
        for row in rows
        for solver in SOLVERS
        if row.get(f"version {solver}")
    }
    return [f"{solver} {version}" for solver, version in sorted(pairs)]


def _conclusion(by_reading: Mapping[str, Sequence[Number]]) -> str:
    """Which readings Table 4 excludes at two standard errors, and which it does not tell apart."""
    four = {
        reading: {
            (n.line.partition(",")[0], n.column): n
            for n in numbers
            if not n.column.startswith("top-")
        }
        for reading, numbers in by_reading.items()
    }
    four = {reading: fields for reading, fields in four.items() if fields}
    beyond = {
        reading: sum(not agree(n.ours, n.error, n.paper or 0, 0) for n in fields.values())
        for reading, fields in four.items()
    }
    excluded = [f"{r} ({n} of {len(four[r])} numbers)" for r, n in beyond.items() if n]
    alike = [
        f"{one} and {other}"
        for one, other in combinations(four, 2)
        if one.split(", ")[-1] == other.split(", ")[-1]
        and all(
            agree(a.ours, a.error, b.ours, b.error)
            for place, a in four[one].items()
            if (b := four[other].get(place))
        )
    ]
    nothing = say("published", "none")
    return say(
        "published", "conclusion",
        excluded="; ".join(excluded) or nothing, alike="; ".join(alike) or nothing,
    )  # fmt: skip


def agree(one: float, error: float, other: float, others_error: float) -> bool:
    """Whether two numbers are within two standard errors of their difference.

    >>> agree(0.3, 0.03, 0.2, 0.04), agree(0.31, 0.03, 0.2, 0.04)
    (True, False)
    """
    return abs(one - other) <= 2 * math.hypot(error, others_error) + 1e-12


def explains(number: Number) -> bool:
    """Whether ours is as near to the paper's as wanted, or within two standard errors of it.

    >>> [explains(Number("R-16, large T", "a", 0.2, error, 9, 0.1)) for error in (0.01, 0.06)]
    [False, True]
    """
    assert number.paper is not None
    return abs(number.ours - number.paper) <= max(WANTED, 2 * number.error) + 1e-12


def draw_published(rows: Rows, numbers: Numbers) -> Figure:
    """Table 4's two columns by each reading and solver, and the paper's."""
    figure, grid = plots.new_panels(2, (7.8, 3.4), sharey=True)
    looks = {
        LARGE: (LIGHT.withheld, "--"), PUBLISHED: (LIGHT.kept, "-"), REFIT: (LIGHT.decoy, ":"),
    }  # fmt: skip
    for axes, (_, _, step) in zip(grid, NESTING_STEPS, strict=True):
        for solver, marker in zip(SOLVERS, "os", strict=True):
            for reading in READINGS:
                values = [pick(numbers, f"{kind}, {reading}, {solver}", step) for kind in KINDS]
                if any(values):
                    colour, style = looks[reading]
                    plot_series(
                        axes, values, colour=colour, marker=marker, style=style, paper=False,
                        name=f"{reading}, {solver}",
                    )  # fmt: skip
        theirs = [paper_number("nesting", kind, step) for kind in KINDS]
        axes.plot(range(len(theirs)), theirs, "o", mfc="none", mec=LIGHT.ink, ms=6)
        axes.set_title(step)
        label_places(axes, tuple(KINDS))
    grid[0].set_ylabel("share withheld before, kept now")
    grid[0].set_ylim(bottom=0)
    legend_with_paper(figure)
    return figure
