"""How far off the attacker is, in kilometres, with a zone around the place and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.lab.holding import beside, names_aslant, table
from elsewhere.lab.quick import quick
from elsewhere.lab.solving import ahead, unproved
from elsewhere.lab.some import KINDS, TOP, kinds_of, parts, some
from elsewhere.lab.sources import Scored, Source
from elsewhere.lab.values import Experiment, Number, Part, Row, Scale, mean, number

RADII = (10, 25, 50, 100, 200)
ALL, CELL = "everything shared", "the cell alone"
WAYS = (ALL, CELL, *(f"zone of {radius} km" for radius in RADII))
NEAR = 25.0
"""Kilometres: a guess nearer than this has found the town."""


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each zone."""
    from elsewhere.globe import Cells, zone
    from elsewhere.globe.distance import distance_km

    cells = Cells.default()
    rows: list[Row] = []
    for each in some(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        where = source.positions(each) if isinstance(source, Scored) else None
        if where is None or each.scores.shape[1] != cells.count:
            raise InputError(
                "this needs scores over our own cells, and a truth file with columns lat and lon"
            )
        places = np.unique(where, axis=0)
        km = distance_km(cells, places[:, 0], places[:, 1]).reshape(-1, cells.count).min(axis=0)
        own = sorted(set(np.atleast_1d(cells.locate(places[:, 0], places[:, 1])).tolist()))
        zones: dict[str, Any] = {ALL: None, CELL: own} | {
            f"zone of {radius} km": zone(cells, places[:, 0], places[:, 1], radius).cells.tolist()
            for radius in RADII
        }
        for way, hidden in zones.items():
            plan = None if hidden is None else quick(each.scores, hidden, top=TOP, strict=True)
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


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Medians of the distances, how often a guess is near, and the share withheld."""
    result = []
    for kind in kinds_of(rows):
        for way in WAYS:
            mine = [
                row for row in rows
                if row["kind"] == kind and row["way"] == way and row["km"] is not None
            ]  # fmt: skip
            if not mine:
                continue
            line = f"{kind}, {way}"
            for field, column in (("km", "km, first guess"), ("nearest", "km, nearest of five")):
                found = [number(row[field]) for row in mine]
                result.append(Number(line, column, float(np.median(found)), 0.0, len(found)))
                near = mean([float(km < NEAR) for km in found])
                result.append(Number(line, f"{column.split(', ')[1]} within 25 km", *near))
            gone = mean([number(row["withheld"]) / number(row["photos"]) for row in mine])
            result.append(Number(line, "withheld", *gone))
            result.append(
                Number(line, "cells hidden", *mean([number(row["cells"]) for row in mine]))
            )
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    at = table(numbers)
    for kind in kinds_of(rows):
        all_of_it, cell = at[f"{kind}, {ALL}"], at[f"{kind}, {CELL}"]
        zoned = at[f"{kind}, zone of 25 km"]
        near = "nearest of five within 25 km"
        told.append(
            f"{kind}: hide a zone of 25 km, not a cell: hiding the cell alone leaves one of the "
            f"first five guesses within 25 km in {cell[near]:.0%} of the plans "
            f"({all_of_it[near]:.0%} when everything is shared), the zone in {zoned[near]:.0%}, "
            f"for {zoned['withheld']:.2f} of the photos instead of {cell['withheld']:.2f}; the "
            f"first guess is then {zoned['km, first guess']:.0f} km off (median)."
        )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """How often a guess is near, and the share withheld, by zone."""
    import matplotlib.pyplot as plt

    from elsewhere.lab.figures import KIND_MARKERS
    from elsewhere.lab.plots import pick
    from elsewhere.report.look import LIGHT

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.9), sharey=True)
    colours = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept)
    for axes, column, title in zip(
        grid,
        ("nearest of five within 25 km", "withheld"),
        ("One of the first five within 25 km", "Share of photos withheld"),
        strict=True,
    ):
        for i, (kind, colour) in enumerate(zip(kinds_of(rows), colours, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", column) for way in WAYS]
            marker = KIND_MARKERS.get(kind, "D")
            beside(axes, values, (i, 3), colour=colour, marker=marker, name=kind)
        names_aslant(axes, WAYS)
        axes.set(ylim=(-0.03, 1.04), title=title)
    grid[1].legend(loc="lower right")
    return {"radius": figure}


EXPERIMENT = Experiment(
    name="radius",
    title="Kilometres: with a zone around the place and without",
    about=(
        "Twenty neighbouring cells make up London, and a plan that hides one of them points at the "
        "next. From the nearest part of the cell that is guessed first, and of the nearest of the "
        "first five, to the nearest place of the photos, with everything shared, with only the "
        "photos' own cells hidden, and with every cell within so many kilometres hidden (top 5; "
        "ties count against us). "
        "Over the collections that were in the top 5; the simulator has no kilometres."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    sources=("scores",),
)
