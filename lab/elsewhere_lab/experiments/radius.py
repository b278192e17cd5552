"""How far off the attacker is, in kilometres, with a zone around the place and without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe import Cells, zone
from elsewhere.globe.areas import distance_km
from elsewhere_lab import statistics as stats
from elsewhere_lab.collections import ALBUMS, TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.plots import Figure, draw_by_kind
from elsewhere_lab.solving import Result, solve_quietly
from elsewhere_lab.sources import Scored, Source
from elsewhere_lab.statistics import NO_PLAN, WITHHELD, amount, by_column, percent
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

RADII = (10, 25, 50, 100, 200)
DEFAULT = 25
ALL, CELL = "everything shared", "the cell alone"
ZONES = {f"zone of {radius} km": radius for radius in RADII}
WAYS = (ALL, CELL, *ZONES)
NEAR = (25, 50, 100)
"""Kilometres: a guess nearer than this has found the town, its surroundings, the region."""
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each zone."""
    cells = Cells.default()
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
            yield row


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


def summarise(rows: Rows) -> Iterator[Number]:
    """Medians of the distances, how often a guess is near, and what the plans cost.

    That no guess is within 50 km of what a zone of 50 km hides is no measurement: left out.
    """
    for line, way, every, own in stats.lines_of(rows, "way"):
        mine = [row for row in own if row["km"] is not None]
        for field, column in (("km", "km, first guess"), ("nearest", "km, nearest of five")):
            away = [number(row[field]) for row in mine]
            middle = float(np.median(away)) if away else float("nan")
            yield Number(line, column, middle, float("nan"), len(away))
        for near in NEAR:
            if ZONES.get(way, 0) < near:
                hits = [float(number(row["nearest"]) < near) for row in mine]
                yield Number(line, within(near), *stats.mean(hits))
        yield from stats.costs(every, line, way, CELL) if way != ALL else []
        yield Number(line, "cells hidden", *stats.mean_of(own, "cells"))


def within(near: int) -> str:
    """The column of guesses that near."""
    return f"one of five within {near} km"


def advice(kind: str, rows: Rows, numbers: Numbers) -> str:
    """What wider zones cost."""
    lines = {radius: by_column(numbers, f"{kind}, zone of {radius} km") for radius in RADII[2:]}
    wider = (
        f"{radius} km withhold {amount(line[WITHHELD])} and leave no plan for "
        f"{percent(line[NO_PLAN])}"
        for radius, line in lines.items()
        if WITHHELD in line
    )
    return f"Wider zones: {'; '.join(wider)}."


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """How often a guess is near, the share withheld and the share without a plan, by zone."""
    columns = {
        within(100): "One of five within 100 km",
        WITHHELD: "Share of photos withheld",
        NO_PLAN: "No plan",
    }
    return draw_by_kind(kinds_of(rows), numbers, columns, WAYS, 9.6)
