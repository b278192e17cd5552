"""All defaults of `protect` together: how often a plan exists, and what it withholds."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from elsewhere.service.scores import candidate_tops
from elsewhere.values.wishes import Wishes, margin
from elsewhere_lab import statistics as stats
from elsewhere_lab.collections import TOP, endangered, kinds_of, model_names, sample_parts
from elsewhere_lab.experiments.radius import places_of, zone_cells
from elsewhere_lab.experiments.transfer import TRAINED_TOGETHER
from elsewhere_lab.plots import Figure, draw_by_kind
from elsewhere_lab.solving import Result, rank_ahead, solve_quietly
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import NO_PLAN, WITHHELD, by_column, percent
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value

PROTECT_DEFAULTS = Wishes()
THETA = margin(PROTECT_DEFAULTS.margin).theta
BARE = "the top alone"
ZONE = f"+ a zone of {PROTECT_DEFAULTS.radius_km:g} km"
MARGIN = f"+ θ = {THETA:g}"
SECRET = "+ a secret k"
DEFAULTS = "+ each photo: the defaults"
_SEED = 20261120
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each wish more."""
    names = model_names(source)
    for each in endangered(source, part):
        for way, (plan, alone) in _plans(source, each).items():
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


def _plans(source: Source, each: Collection) -> dict[str, tuple[Result, int | None]]:
    """Each wish beside those before it; whether each photo was held to the top, too."""
    places = places_of(source, each)
    hidden: Any = each.truth if places is None else zone_cells(places, PROTECT_DEFAULTS.radius_km)
    random = Random(_SEED + each.number * 1000 + each.photos)
    tops = list(candidate_tops(TOP, each.scores.shape[1], random))

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
        plans[ZONE] = solve_quietly(each.scores, hidden, top=TOP)
    plans[MARGIN] = solve_quietly(each.scores, hidden, top=TOP, margin=THETA)
    plans[SECRET] = secret = first()
    # nobody insisted on each photo: where that cannot be had, all of them together must do
    alone = first(each_photo=True)
    had = int(alone.kept is not None)
    last = (alone if had else secret, had if secret.kept is not None else None)
    return {**{way: (plan, None) for way, plan in plans.items()}, DEFAULTS: last}


def summarise(rows: Rows) -> Iterator[Number]:
    """What each wish more costs, against the bare plan on the same collections."""
    others = [key for key in rows[0] if key.startswith("holds: ")] if rows else []
    for line, way, every, own in stats.lines_of(rows, "way"):
        yield from stats.costs(every, line, way, BARE)
        yield Number(line, "photos left", *stats.mean_of(own, "kept"))
        for name in others:
            before, after = stats.same(every, name, (BARE, way))
            for column, n in ((name, after), (f"{name}, bare", before)):
                yield Number(line, column, n.ours, n.error, n.count)
        if way == DEFAULTS:
            yield Number(line, "each photo had", *stats.mean_of(own, "alone"))


def advice(kind: str, rows: Rows, numbers: Numbers) -> str:
    """How often other models are kept out, too."""
    every = by_column(numbers, f"{kind}, {DEFAULTS}")
    return "".join(
        f" {name.removeprefix('holds: ').capitalize()} is kept out by {percent(every[name])} "
        f"of these plans, by {percent(every[f'{name}, bare'])} of the bare ones for the same."
        for name in every
        if name.startswith("holds: ") and f"{name}, bare" in every
    )


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """What each wish more withholds, and how often there is no plan."""
    columns = {WITHHELD: "Share of photos withheld", NO_PLAN: "No plan"}
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    return draw_by_kind(kinds_of(rows), numbers, columns, ways, 7.4)
