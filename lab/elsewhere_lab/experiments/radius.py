"""How far off the attacker is, in kilometres, with a zone around the place and without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe import Cells, zone
from elsewhere.globe.zones import distance_km
from elsewhere_lab.collections import ALBUMS, TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.plots import Figure, draw_by_kind
from elsewhere_lab.solving import Result, solve_quietly, unproved
from elsewhere_lab.sources import Scored, Source
from elsewhere_lab.statistics import (
    MORE,
    NO_PLAN,
    WITHHELD,
    amount,
    by_column,
    costs,
    lines_of,
    mean,
    mean_of,
    percent,
)
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

RADII = (10, 25, 50, 100, 200)
DEFAULT = 25
ALL, CELL = "everything shared", "the cell alone"
ZONES = {f"zone of {radius} km": radius for radius in RADII}
WAYS = (ALL, CELL, *ZONES)
NEAR = (25, 50, 100)
"""Kilometres: a guess nearer than this has found the town, its surroundings, the region."""
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each zone."""
    cells = Cells.default()
    rows: list[Row] = []
    for each in endangered(source, part):
        places = places_of(source, each)
        if places is None:
            raise InputError(
                "radius needs scores over our own cells, and a truth file with columns lat and lon"
            )
        lat, lon = places[:, 0], places[:, 1]
        km = distance_km(cells, lat, lon).reshape(-1, cells.count).min(axis=0)
        own = sorted(set(np.atleast_1d(cells.locate(lat, lon)).tolist()))
        zones = {CELL: own} | {way: zone_cells(places, reach) for way, reach in ZONES.items()}
        for way in WAYS:
            hidden = zones.get(way, [])
            plan = Result("", np.ones(each.photos, dtype=bool))
            if hidden:
                plan = solve_quietly(each.scores, hidden, top=TOP, strict=True)
            row: dict[str, Value] = {
                **each.key, "way": way, "cells": len(hidden), "km": None, "nearest": None,
                "withheld": plan.withheld, "status plan": plan.status or None,
            }  # fmt: skip
            if plan.kept is not None:
                total = each.scores[plan.kept].astype(np.float64).sum(axis=0)
                first = np.argsort(-total, kind="stable")[:TOP]
                row["km"] = round(float(km[first[0]]), 1)
                row["nearest"] = round(float(km[first].min()), 1)
            rows.append(row)
    return rows


def places_of(source: Source, each: Collection) -> NDArray[np.float64] | None:
    """Where its photos were taken; None where nobody knows, or the cells are not ours."""
    if not isinstance(source, Scored) or each.scores.shape[1] != Cells.default().count:
        return None
    known = each if each.kind.startswith("R-") else replace(each, kind=ALBUMS)
    where = source.positions(known)
    return None if where is None else np.unique(where, axis=0)


def zone_cells(places: NDArray[np.float64], reach: float) -> list[int]:
    """Every cell of which any part lies within so many kilometres of a place."""
    hidden: list[int] = zone(Cells.default(), places[:, 0], places[:, 1], reach).cells.tolist()
    return hidden


def summarise(rows: Rows) -> list[Number]:
    """Medians of the distances, how often a guess is near, and what the plans cost.

    That no guess is within 50 km of what a zone of 50 km hides is no measurement: left out.
    """
    result = []
    for line, way, every, own in lines_of(rows, "way"):
        mine = [row for row in own if row["km"] is not None]
        for field, column in (("km", "km, first guess"), ("nearest", "km, nearest of five")):
            away = [number(row[field]) for row in mine]
            middle = float(np.median(away)) if away else float("nan")
            result.append(Number(line, column, middle, float("nan"), len(away)))
        for near in NEAR:
            if ZONES.get(way, 0) < near:
                hits = [float(number(row["nearest"]) < near) for row in mine]
                result.append(Number(line, within(near), *mean(hits)))
        result += costs(every, line, way, CELL) if way != ALL else []
        result.append(Number(line, "cells hidden", *mean_of(own, "cells")))
    return result


def within(near: int) -> str:
    """The column of guesses that near."""
    return f"one of five within {near} km"


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """How near guesses come, and what zones cost."""
    sentences = []
    for kind in kinds_of(rows):
        lines = {way: by_column(numbers, f"{kind}, {way}") for way in WAYS}
        shared, cell, zoned = (lines[way] for way in (ALL, CELL, f"zone of {DEFAULT} km"))
        if within(50) not in cell or within(50) not in zoned:
            continue
        wider = (
            f"{reach} km withhold {amount(lines[way][WITHHELD])} and leave no plan for "
            f"{percent(lines[way][NO_PLAN])}"
            for way, reach in ZONES.items()
            if reach in RADII[2:] and WITHHELD in lines[way]
        )
        sentences.append(
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
    return sentences + unproved(rows)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """How often a guess is near, the share withheld and the share without a plan, by zone."""
    columns = {
        within(100): "One of five within 100 km",
        WITHHELD: "Share of photos withheld",
        NO_PLAN: "No plan",
    }
    return draw_by_kind(kinds_of(rows), numbers, columns, WAYS, 9.6)
