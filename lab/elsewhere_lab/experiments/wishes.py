"""What wishes cost: a margin, values, photos that must stay, a zone, all defaults of `protect`."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError
from elsewhere.globe import Cells, zone
from elsewhere.globe.areas import distance_km
from elsewhere.report.colours import LIGHT
from elsewhere.service.secret_top import candidate_tops
from elsewhere.values import wishes as wished
from elsewhere.values.margins import margin as named_margin
from elsewhere_lab import collections, plots, statistics as stats, values as lab_values
from elsewhere_lab.collections import ALBUMS, RANDOM, TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.experiments import say
from elsewhere_lab.experiments.attacks import TRAINED_TOGETHER
from elsewhere_lab.solving import Result, fewest, list_unproved, rank_ahead, solve_quietly
from elsewhere_lab.sources import ScoreFiles, Source
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

# margin: Black box: plan against one model, be attacked with another; the margin θ buys success

MARGIN_TOPS = (1, 5)
MARGINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)


def parts_margin(source: Source, scale: Scale) -> list[Part]:
    """One collection of each of some cells; the largest that the photos allow, up to R-128."""
    cells = collections.spread(source.cells, scale.sample)
    largest = max(len(source.photos(cell)[0]) for cell in cells)
    fitting = [kind for kind in RANDOM if collections.size_of(kind) <= largest]
    return collections.one_each_parts(source, scale, (fitting or RANDOM)[-1:])


def measure_margin(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, k and θ."""
    for each in collections.one_each(source, part, paired=True):
        proxy, other = each.views
        for top in MARGIN_TOPS:
            for margin in MARGINS:
                plan = solve_quietly(proxy, each.truth, top=top, margin=margin)
                holds = None
                if plan.kept is not None:
                    holds = int(rank_ahead(other[plan.kept], each.truth) >= top)
                row = {"top": top, "margin": margin, "withheld": plan.withheld, "holds": holds}
                yield {**each.key, **row, "status margin": plan.status}


def margin_curve(rows: Rows, top: int) -> list[tuple[float, stats.Average, stats.Average]]:
    """For each θ: success at the other model (no plan is no success), and the share withheld."""
    result = []
    for margin in MARGINS:
        if mine := stats.select(rows, top=top, margin=margin):
            success = stats.mean([float(row["holds"] or 0) for row in mine])
            result.append((margin, success, mean_withheld(mine)))
    return result


def mean_withheld(rows: Rows) -> stats.Average:
    """The mean share withheld, of the collections with a plan."""
    shares = map(stats.withheld_share, rows)
    return stats.mean([share for share in shares if share is not None])


def summarise_margin(rows: Rows) -> Iterator[Number]:
    """Success, share without a plan, and share withheld, by θ."""
    for top in MARGIN_TOPS:
        for margin, success, gone in margin_curve(rows, top):
            mine = stats.select(rows, top=top, margin=margin)
            none = stats.mean([float(row["withheld"] is None) for row in mine])
            for name, average in (("success", success), ("no plan", none), ("withheld", gone)):
                yield Number(f"θ = {margin:g}", f"top-{top} {name}", *average)


def findings_margin(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """The θ from which nine in ten hold."""
    for top in MARGIN_TOPS:
        points = margin_curve(rows, top)
        if not points:
            continue
        start = points[0]
        text = say("margin", "start", top=top, start=start)
        enough = next((point for point in points if point[1][0] >= 0.9), None)
        if enough is None:
            best = max(points, key=lambda point: point[1][0])
            text += say("margin", "never", last=points[-1], best=best)
        elif enough is not start:
            text += say("margin", "enough", start=start, enough=enough)
        yield text + "."
    yield from list_unproved(rows)


def draw_margin(rows: Rows, numbers: Numbers) -> plots.Figure:
    """The paper's figure: success at the other model, and photos withheld, against θ."""
    figure, grid = plots.new_panels(2, (7.4, 3.1), sharey=True)
    looks = (
        ("-o", LIGHT.kept, "holds at the other model"),
        ("--X", LIGHT.withheld, "share of photos withheld"),
    )
    for axes, top in zip(grid, MARGIN_TOPS, strict=True):
        margins, *curves = zip(*margin_curve(rows, top), strict=True)
        for averages, (style, colour, name) in zip(curves, looks, strict=True):
            shares, errors = (np.array([average[i] for average in averages]) for i in (0, 1))
            bars = np.minimum(lab_values.Z * np.nan_to_num(errors), [shares, 1 - shares])
            axes.errorbar(margins, shares, bars, fmt=style, color=colour, capsize=2, label=name)
        axes.set(xlabel="margin θ, nats per kept photo", ylim=(-0.03, 1.04))
        axes.set_title(f"{rows[0]['kind']}, top-{top}")
    grid[0].legend(loc="center right")
    return figure


# values: What photo values save

STARS = (0.35, 0.25, 0.2, 0.15, 0.05)
"""How many photos have one to five stars; a photo with s stars is worth 1 + s."""
CHANCE, LANDMARKS = "stars at random", "stars for what shows the place"
SAVED, MORE_PHOTOS = "saved of the worth withheld", "more photos"
_VALUE_COLUMNS = (
    "photos", "worth", "blind photos", "blind worth", "aware photos", "aware worth",
)  # fmt: skip
_VALUES_SEED = 20261116
parts_values = sample_parts


def measure_values(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each way that stars are given."""
    for each in endangered(source, part):
        blind = fewest(each.scores, each.truth, TOP)
        for liked in (CHANCE, LANDMARKS):
            worth = star_values(each, liked)
            aware = fewest(each.scores, each.truth, TOP, values=worth.tolist())
            row = {**each.key, "liked": liked, "worth": int(worth.sum())}
            for name, plan in (("blind", blind), ("aware", aware)):
                gone = list(plan.withheld)
                row[f"{name} photos"] = len(gone) if plan.found else None
                row[f"{name} worth"] = int(worth[gone].sum()) if plan.found else None
            row |= {"status blind": str(blind.status), "status aware": str(aware.status)}
            yield row


def star_values(each: Collection, liked: str) -> NDArray[np.int64]:
    """What each photo is worth: 1 + its stars, at random or by how much it shows the place."""
    rng = np.random.default_rng([_VALUES_SEED, each.number, each.photos])
    order = rng.permutation(each.photos)
    if liked == LANDMARKS:
        order = np.argsort(each.scores[:, each.truth], kind="stable")
    edges = np.floor(np.cumsum(STARS) * each.photos + 1e-9)
    stars = np.searchsorted(edges, np.arange(each.photos), side="right").clip(max=4) + 1
    worth = np.empty(each.photos, dtype=np.int64)
    worth[order] = 1 + stars
    return worth


def summarise_values(rows: Rows) -> Iterator[Number]:
    """Shares of the photos and of their worth that are withheld, without and with values."""
    for line, _, _, own in stats.lines_of(rows, "liked"):
        planned = [
            r for r in own if r["blind photos"] is not None and r["aware photos"] is not None
        ]
        values = {key: np.array([number(r[key]) for r in planned]) for key in _VALUE_COLUMNS}
        for plan in ("blind", "aware"):
            for what in ("worth", "photos"):
                shares = values[f"{plan} {what}"] / values[what]
                yield Number(line, f"{plan}: {what}", *stats.mean(shares))
        yield Number(line, SAVED, *stats.mean(1 - values["aware worth"] / values["blind worth"]))
        more = (values["aware photos"] - values["blind photos"]) / values["photos"]
        yield Number(line, MORE_PHOTOS, *stats.mean(more))
        yield Number(line, stats.NO_PLAN, *stats.mean([float(row not in planned) for row in own]))


def advice_values(kind: str, rows: Rows, numbers: Numbers) -> str:
    """Whether values save anything."""
    saved = stats.by_column(numbers, f"{kind}, {CHANCE}")[SAVED]
    return " Rate your photos." if saved.ours - 1.96 * saved.error > 0.01 else ""


def draw_values(rows: Rows, numbers: Numbers) -> plots.Figure:
    """Worth withheld without and with values."""
    figure, grid = plots.draw_beside(
        numbers, {liked: liked.capitalize() for liked in (CHANCE, LANDMARKS)},
        [
            plots.Series("blind", LIGHT.baseline, "P", "without values"),
            plots.Series("aware", LIGHT.kept, "o", "with values"),
        ],
        kinds_of(rows), lambda liked, plan, kind: (f"{kind}, {liked}", f"{plan}: worth"),
        size=(7.4, 3.2),
    )  # fmt: skip
    grid[0].set(ylim=(0, 0.9), ylabel="share of the worth withheld")
    plots.legend_below(figure, grid[0], 2)
    return figure


# pins: User preference: one photo must stay; what that costs depends on how telling it is

PINS_TOPS = (1, 5)
PIN_RANKS = (0.0, 0.0625, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0)
"""Ranks that are tried, from the most telling photo to the least."""
parts_pins = partial(collections.one_each_parts, kinds=RANDOM)


def pin_ranks(photos: int) -> list[int]:
    """Which ranks are kept in turn.

    >>> pin_ranks(16)
    [1, 2, 3, 5, 7, 9, 12, 16]
    """
    return sorted({1 + round(share * (photos - 1)) for share in PIN_RANKS})


def measure_pins(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, k and rank; rank 0 is the baseline without a wish."""
    for each in collections.one_each(source, part):
        order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
        before = rank_ahead(each.scores, each.truth)
        for top in [top for top in PINS_TOPS if before < top]:
            for rank in [0, *pin_ranks(each.photos)]:
                keep = [int(order[rank - 1])] if rank else []
                plan = solve_quietly(each.scores, each.truth, top=top, keep=keep)
                row = {"top": top, "rank": rank, "withheld": plan.withheld}
                yield {**each.key, **row, "status pins": plan.status}


def pin_costs(rows: Rows, kind: str, top: int, rank: int) -> stats.Average:
    """By how much the share withheld grows, of the collections where the photo can stay."""
    mine = stats.select(rows, kind=kind, top=top)
    free = {row["number"]: row["withheld"] for row in stats.select(mine, rank=0)}
    return stats.mean(
        [
            (number(row["withheld"]) - number(free[row["number"]])) / number(row["photos"])
            for row in stats.select(mine, rank=rank)
            if row["withheld"] is not None and free[row["number"]] is not None
        ]
    )


def pin_curve(rows: Rows, kind: str, top: int) -> list[tuple[int, stats.Average, stats.Average]]:
    """For each rank (0: no wish): success rate, and share withheld over successes."""
    result = []
    for rank in [0, *pin_ranks(collections.size_of(kind))]:
        mine = stats.select(rows, kind=kind, top=top, rank=rank)
        success = stats.mean([float(row["withheld"] is not None) for row in mine])
        result.append((rank, success, mean_withheld(mine)))
    return result


def summarise_pins(rows: Rows) -> Iterator[Number]:
    """Success and share withheld, by kind, k and rank."""
    for kind in RANDOM:
        for top in PINS_TOPS:
            for rank, success, gone in pin_curve(rows, kind, top):
                line = f"{kind}, rank {rank}" if rank else f"{kind}, no wish"
                if success[2]:
                    yield Number(line, f"top-{top} success", *success)
                    yield Number(line, f"top-{top} withheld", *gone)
                if success[2] and rank:
                    yield Number(line, f"top-{top} cost", *pin_costs(rows, kind, top, rank))


def findings_pins(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How often a telling photo can stay, and at what cost."""
    for kind in ("R-16", "R-128"):
        points = pin_curve(rows, kind, 5)
        if not points[0][1][2]:
            continue
        texts = []
        for rank, success, _ in (points[1], points[len(points) // 2 + 1]):
            cost = pin_costs(rows, kind, 5, rank)
            price = f", where it costs {cost[0]:.2f} of the photos" if cost[2] else ""
            name = "the most telling photo can stay" if rank == 1 else f"the one of rank {rank}"
            of = " of the collections" if rank == 1 else ""
            texts.append(f"{name} in {success[0]:.0%}{of}{price}")
        yield f"{kind}, top-5: {'; '.join(texts)}."
    yield from list_unproved(rows)


def draw_pins(rows: Rows, numbers: Numbers) -> plots.Figure:
    """The paper's figure: success and share withheld against the rank of the photo that stays."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 4, figsize=(10, 4.6), sharey=True)
    for at, kind in enumerate(RANDOM):
        for line, top in zip(grid, PINS_TOPS, strict=True):
            axes = line[at]
            points = pin_curve(rows, kind, top)
            if not points[0][1][2]:
                axes.set_axis_off()
                continue
            ranks, successes, shares = zip(*points[1:], strict=True)
            look = {"marker": plots.KIND_MARKERS[kind], "color": plots.KIND_COLOURS[kind]}
            exists = [average[0] for average in successes]
            axes.plot(ranks, exists, "--", **look, markerfacecolor="white", label="a plan exists")
            gone = [average[0] for average in shares]
            axes.plot(ranks, gone, "-", **look, label="share withheld")
            # of the same collections: those that can keep a telling photo are the easy ones
            free = [g - pin_costs(rows, kind, top, r)[0] for g, r in zip(gone, ranks, strict=True)]
            axes.plot(ranks, free, ":", color=LIGHT.baseline, label="the same without the wish")
            axes.set_xscale("log", base=2)
            axes.set_xticks([1, 4, 16, 64][: 2 + at], [str(t) for t in (1, 4, 16, 64)][: 2 + at])
            axes.minorticks_off()
            axes.set_ylim(-0.03, 1.05)
            axes.set_title(f"{kind}, top-{top}")
            if top == PINS_TOPS[-1]:
                axes.set_xlabel("rank of the photo that stays")
    plots.legend_below(figure, grid[0][0], 3)
    return figure


# radius: How far off the attacker is, in kilometres, with a zone around the place and without

RADII = (10, 25, 50, 100, 200)
ALL_SHARED, CELL_ALONE = "everything shared", "the cell alone"
ZONES = {f"zone of {radius} km": radius for radius in RADII}
ZONE_WAYS = (ALL_SHARED, CELL_ALONE, *ZONES)
NEAR = (25, 50, 100)
"""Kilometres: a guess nearer than this has found the town, its surroundings, the region."""
parts_radius = sample_parts


def measure_radius(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each zone."""
    cells = Cells.paper()
    for each in endangered(source, part):
        places = places_of(source, each)
        if places is None:
            raise InputError(
                "radius needs scores over our own cells, and a truth file with columns lat and lon"
            )
        lat, lon = places[:, 0], places[:, 1]
        km = distance_km(cells, lat, lon).reshape(-1, cells.count).min(axis=0)
        own = sorted(set(np.atleast_1d(cells.locate(lat, lon)).tolist()))
        zones = {CELL_ALONE: own} | {way: zone_cells(places, reach) for way, reach in ZONES.items()}
        for way in ZONE_WAYS:
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
    if not isinstance(source, ScoreFiles) or each.scores.shape[1] != Cells.paper().count:
        return None
    known = each if each.kind.startswith("R-") else replace(each, kind=ALBUMS)
    where = source.positions(known)
    return None if where is None else np.unique(where, axis=0)


def zone_cells(places: NDArray[np.float64], reach: float) -> list[int]:
    """Every cell of which any part lies within so many kilometres of a place."""
    hidden: list[int] = zone(Cells.paper(), places[:, 0], places[:, 1], reach).cells.tolist()
    return hidden


def summarise_radius(rows: Rows) -> Iterator[Number]:
    """Medians of the distances, how often a guess is near, and what the plans cost."""
    for line, way, every, own in stats.lines_of(rows, "way"):
        mine = [row for row in own if row["km"] is not None]
        for field, column in (("km", "km, first guess"), ("nearest", "km, nearest of five")):
            away = [number(row[field]) for row in mine]
            middle = float(np.median(away)) if away else float("nan")
            yield Number(line, column, middle, float("nan"), len(away))
        for near in NEAR:
            if ZONES.get(way, 0) < near:  # what a zone rules out is no measurement
                hits = [float(number(row["nearest"]) < near) for row in mine]
                yield Number(line, within_column(near), *stats.mean(hits))
        yield from stats.costs(every, line, way, CELL_ALONE) if way != ALL_SHARED else []
        yield Number(line, "cells hidden", *stats.mean_of(own, "cells"))


def within_column(near: int) -> str:
    """The column of guesses that near."""
    return f"one of five within {near} km"


def advice_radius(kind: str, rows: Rows, numbers: Numbers) -> str:
    """What wider zones cost."""
    lines = {
        radius: stats.by_column(numbers, f"{kind}, zone of {radius} km") for radius in RADII[2:]
    }
    wider = (
        f"{radius} km withhold {line[stats.WITHHELD]:amount} and leave no plan for "
        f"{line[stats.NO_PLAN]:percent}"
        for radius, line in lines.items()
        if stats.WITHHELD in line
    )
    return f"Wider zones: {'; '.join(wider)}."


def draw_radius(rows: Rows, numbers: Numbers) -> plots.Figure:
    """How often a guess is near, the share withheld and the share without a plan, by zone."""
    columns = {
        within_column(100): "One of five within 100 km",
        stats.WITHHELD: "Share of photos withheld",
        stats.NO_PLAN: "No plan",
    }
    return plots.draw_by_kind(kinds_of(rows), numbers, columns, ZONE_WAYS, 9.6)


# defaults: All defaults of `protect` together: how often a plan exists, and what it withholds

PROTECT_DEFAULTS = wished.Wishes()
THETA = named_margin(PROTECT_DEFAULTS.margin).theta
BARE = "the top alone"
WITH_ZONE = f"+ a zone of {PROTECT_DEFAULTS.radius_km:g} km"
WITH_MARGIN = f"+ θ = {THETA:g}"
WITH_SECRET_K = "+ a secret k"
ALL_DEFAULTS = "+ each photo: the defaults"
_DEFAULTS_SEED = 20261120
parts_defaults = sample_parts


def measure_defaults(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each wish more."""
    names = collections.model_names(source)
    for each in endangered(source, part):
        for way, (plan, alone) in _default_plans(source, each).items():
            row: dict[str, Value] = {
                **each.key, "way": way, "withheld": plan.withheld, "alone": alone,
                "kept": None if plan.kept is None else int(plan.kept.sum()),
                "status plan": plan.status,
            }  # fmt: skip
            for name, scores in zip(names[1:], each.views[1:], strict=True):
                if name not in TRAINED_TOGETHER.get(names[0], ()):
                    row[f"holds: {name}"] = None
                    if plan.kept is not None and rank_ahead(scores, each.truth) < TOP:
                        ahead = rank_ahead(scores[plan.kept], each.truth)
                        row[f"holds: {name}"] = int(ahead >= TOP)
            yield row


def _default_plans(source: Source, each: Collection) -> dict[str, tuple[Result, int | None]]:
    """Each wish beside those before it; whether each photo was held to the top, too."""
    places = places_of(source, each)
    hidden: Any = each.truth if places is None else zone_cells(places, PROTECT_DEFAULTS.radius_km)
    random = Random(_DEFAULTS_SEED + each.number * 1000 + each.photos)
    tops = list(candidate_tops(TOP, min(3 * TOP, each.scores.shape[1]), random))

    def first(**wishes: Any) -> Result:
        """The plan for the first k that can be had, as `protect` does it."""
        result = Result("unknown", None)
        for k in tops:
            result = solve_quietly(each.scores, hidden, top=k, margin=THETA, **wishes)
            if result.kept is not None:
                break
        return result

    plans = {BARE: solve_quietly(each.scores, each.truth, top=TOP)}
    if places is not None:
        plans[WITH_ZONE] = solve_quietly(each.scores, hidden, top=TOP)
    plans[WITH_MARGIN] = solve_quietly(each.scores, hidden, top=TOP, margin=THETA)
    plans[WITH_SECRET_K] = secret = first()
    # nobody insisted on each photo: where that cannot be had, all of them together must do
    alone = first(each_photo=True)
    had = int(alone.kept is not None)
    last = (alone if had else secret, had if secret.kept is not None else None)
    return {**{way: (plan, None) for way, plan in plans.items()}, ALL_DEFAULTS: last}


def summarise_defaults(rows: Rows) -> Iterator[Number]:
    """What each wish more costs, against the bare plan on the same collections."""
    others = [key for key in rows[0] if key.startswith("holds: ")] if rows else []
    for line, way, every, own in stats.lines_of(rows, "way"):
        yield from stats.costs(every, line, way, BARE)
        yield Number(line, "photos left", *stats.mean_of(own, "kept"))
        for name in others:
            before, after = stats.same(every, name, (BARE, way))
            for column, n in ((name, after), (f"{name}, bare", before)):
                yield Number(line, column, n.ours, n.error, n.count)
        if way == ALL_DEFAULTS:
            yield Number(line, "each photo had", *stats.mean_of(own, "alone"))


def advice_defaults(kind: str, rows: Rows, numbers: Numbers) -> str:
    """How often other models are kept out, too."""
    every = stats.by_column(numbers, f"{kind}, {ALL_DEFAULTS}")
    return "".join(
        f" {name.removeprefix('holds: ').capitalize()} is kept out by {every[name]:percent} of "
        f"these plans, by {every[f'{name}, bare']:percent} of the bare ones for the same."
        for name in every
        if name.startswith("holds: ") and f"{name}, bare" in every
    )


def draw_defaults(rows: Rows, numbers: Numbers) -> plots.Figure:
    """What each wish more withholds, and how often there is no plan."""
    columns = {stats.WITHHELD: "Share of photos withheld", stats.NO_PLAN: "No plan"}
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    return plots.draw_by_kind(kinds_of(rows), numbers, columns, ways, 7.4)
