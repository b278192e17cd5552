"""How far off the attacker is, in kilometres, with a zone around the place and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD, costs
from elsewhere_lab.plots import beside, names_aslant, pick
from elsewhere_lab.sampling import KINDS, TOP, in_part, kinds_of, parts
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Scored, Source
from elsewhere_lab.statistics import amount, found, percent
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale, mean, number

RADII = (10, 25, 50, 100, 200)
DEFAULT = 25
ALL, CELL = "everything shared", "the cell alone"
ZONES = {f"zone of {radius} km": radius for radius in RADII}
WAYS = (ALL, CELL, *ZONES)
NEAR = (25, 50, 100)
"""Kilometres: a guess nearer than this has found the town, its surroundings, the region."""


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each zone."""
    from elsewhere.globe import Cells
    from elsewhere.globe.distance import distance_km

    cells = Cells.default()
    rows: list[Row] = []
    for each in in_part(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        places = places_of(source, each)
        if places is None:
            raise InputError(
                "radius needs scores over our own cells, and a truth file with columns lat and lon"
            )
        km = distance_km(cells, places[:, 0], places[:, 1]).reshape(-1, cells.count).min(axis=0)
        own = sorted(set(np.atleast_1d(cells.locate(places[:, 0], places[:, 1])).tolist()))
        zones: dict[str, Any] = {ALL: None, CELL: own} | {
            way: zone_cells(places, reach) for way, reach in ZONES.items()
        }
        for way, hidden in zones.items():
            plan = (
                None
                if hidden is None
                else unexplained_plan(each.scores, hidden, top=TOP, strict=True)
            )
            kept = np.ones(each.photos, bool) if plan is None else plan.kept
            row: dict[str, Any] = {
                "kind": each.kind, "number": each.number, "photos": each.photos, "way": way,
                "cells": 0 if hidden is None else len(hidden), "km": None, "nearest": None,
                "withheld": 0 if plan is None else plan.withheld,
                "status plan": None if plan is None else plan.status,
            }  # fmt: skip
            if kept is not None:
                total = each.scores[kept].astype(np.float64).sum(axis=0)
                first = np.argsort(-total, kind="stable")[:TOP]
                row["km"] = round(float(km[first[0]]), 1)
                row["nearest"] = round(float(km[first].min()), 1)
            rows.append(row)
    return rows


def places_of(source: Source, each: Collection) -> NDArray[np.float64] | None:
    """Where its photos were taken; None where nobody knows, or the cells are not ours."""
    from elsewhere.globe import Cells

    if not isinstance(source, Scored) or each.scores.shape[1] != Cells.default().count:
        return None
    known = each if each.kind.startswith("R-") else replace(each, kind="Albums")
    where = source.positions(known)
    return None if where is None else np.unique(where, axis=0)


def zone_cells(places: NDArray[np.float64], reach: float) -> list[int]:
    """Every cell of which any part lies within so many kilometres of a place."""
    from elsewhere.globe import Cells, zone

    hidden: list[int] = zone(Cells.default(), places[:, 0], places[:, 1], reach).cells.tolist()
    return hidden


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Medians of the distances, how often a guess is near, and what the plans cost.

    That no guess is within 50 km of what a zone of 50 km hides is no measurement: left empty.
    """
    result = []
    for kind in kinds_of(rows):
        every = [row for row in rows if row["kind"] == kind]
        for way in WAYS:
            mine = [row for row in every if row["way"] == way and row["km"] is not None]
            line = f"{kind}, {way}"
            for field, column in (("km", "km, first guess"), ("nearest", "km, nearest of five")):
                away = [number(row[field]) for row in mine]
                middle = float(np.median(away)) if away else float("nan")
                result.append(Number(line, column, middle, float("nan"), len(away)))
            for near in NEAR:
                if ZONES.get(way, 0) < near:
                    hits = [float(number(row["nearest"]) < near) for row in mine]
                    result.append(Number(line, within(near), *mean(hits)))
            result += costs(every, line, way, CELL)[: 3 if way != ALL else 0]
            hidden = mean([number(row["cells"]) for row in every if row["way"] == way])
            result.append(Number(line, "cells hidden", *hidden))
    return result


def within(near: int) -> str:
    """The column of guesses that near."""
    return f"one of five within {near} km"


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        shared, cell, zoned = (
            found(numbers, f"{kind}, {way}") for way in (ALL, CELL, f"zone of {DEFAULT} km")
        )
        if within(50) not in cell or within(50) not in zoned:
            continue
        wider = (
            f"{reach} km withhold {amount(line[WITHHELD])} and leave no plan for "
            f"{percent(line[NO_PLAN])}"
            for reach in RADII[2:]
            if WITHHELD in (line := found(numbers, f"{kind}, zone of {reach} km"))
        )
        told.append(
            f"{kind}: with the cell alone hidden, one of the first five guesses is within "
            f"{NEAR[0]} km in {percent(cell[within(NEAR[0])])} of the plans, within 50 km in "
            f"{percent(cell[within(50)])} and within 100 km in {percent(cell[within(100)])}; with "
            f"a zone of {DEFAULT} km, within 50 km in {percent(zoned[within(50)])} and within 100 "
            f"km in {percent(zoned[within(100)])} (everything shared: "
            f"{percent(shared[within(100)])}). The first guess is then "
            f"{zoned['km, first guess'].ours:,.0f} km off (median). The zone withholds "
            f"{amount(zoned[WITHHELD])}, {amount(zoned[MORE], sign=True)} on the same collections; "
            f"no plan exists for {percent(zoned[NO_PLAN])}, with the cell alone for "
            f"{percent(cell[NO_PLAN])}. Wider zones: {'; '.join(wider)}."
        )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """How often a guess is near, the share withheld and the share without a plan, by zone."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT
    from elsewhere_lab.figures import KIND_MARKERS

    figure, grid = plt.subplots(1, 3, figsize=(9.6, 3.9), sharey=True)
    colours = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept)
    for axes, column, title in zip(
        grid,
        (within(100), WITHHELD, NO_PLAN),
        ("One of five within 100 km", "Share of photos withheld", "No plan"),
        strict=True,
    ):
        for i, (kind, colour) in enumerate(zip(kinds_of(rows), colours, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", column) for way in WAYS]
            marker = KIND_MARKERS.get(kind, "D")
            beside(
                axes, values, (i, 3), colour=colour, marker=marker, name=kind,
                share=column != WITHHELD,
            )  # fmt: skip
        names_aslant(axes, WAYS)
        axes.set(ylim=(-0.03, 1.04), title=title)
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return {"radius": figure}


EXPERIMENT = Experiment(
    name="radius",
    title="Kilometres: with a zone around the place and without",
    about=(
        "Twenty neighbouring cells make up London, and a plan that hides one of them points at the "
        "next. From the nearest part of the cell that is guessed first, and of the nearest of the "
        "first five, to the nearest place of the photos, with everything shared, with only the "
        "photos' own cells hidden, and with every cell within so many kilometres hidden (top 5; "
        "ties count against us). How near guesses come is told of distances that the zone does not "
        "rule out by itself. Over the collections that were in the top 5; distances are of those "
        "with a plan, `more than bare` is against the cell alone on the same collections. One "
        "place: an album of the truth file; the simulator has no kilometres."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    sources=("scores",),
    needs=("positions",),
)
