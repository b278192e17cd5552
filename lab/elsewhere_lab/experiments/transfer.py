"""Plan against some models, be attacked with others: other heads, another backbone, retrieval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab import statistics as stats
from elsewhere_lab.collections import TOP, distance, sample_parts, several_views
from elsewhere_lab.plots import Figure, bar, new_panels
from elsewhere_lab.solving import rank_ahead, solve_quietly, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import NO_PLAN, WITHHELD, MarginMatch, amount, by_column, percent
from elsewhere_lab.values import (
    Collection,
    FloatMatrix,
    Number,
    Numbers,
    Part,
    Row,
    Rows,
    Scale,
    number,
)

MARGINS = (0.0, 0.1, 0.15, 0.3, 0.5, 0.75, 1.0)
"""θ, nats for each kept photo."""
LEADS = (0.2, 0.4, 0.8)
"""Nats for each √n, n the photos of the album: one total, which grows more slowly than θ·n."""
SEVERAL_MARGINS = (0.0, 0.15, 0.5)
"""Of plans against several models at once."""
QUOTED_MARGINS = (0.15, 0.5, 1.0)
"""Those in the sentences; the table has them all."""
PROXIES = (
    ("half-a",), ("embedded",), ("half-a", "half-b"), ("embedded", "retrieval"),
    ("embedded", "dino"),
)  # fmt: skip
"""Whom plans are made against, as far as the source has them."""
TRAINED_TOGETHER = {
    "embedded": {"half-a", "half-b"}, "half-a": {"embedded"}, "half-b": {"embedded"},
}  # fmt: skip
"""Models that share photos they were trained on: no attack from a stranger, so not counted."""
APART = "apart, nats a photo"
parts = partial(sample_parts, kinds=("R-16", "R-32"), share=0.2)


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, plan and attacker that it was not made against."""
    for cell in part.settings["numbers"]:
        each, models = several_views(source, part.settings["kind"], cell)
        known = [proxy for proxy in PROXIES if set(proxy) <= set(models)]
        for proxy in known or [(next(iter(models)),)]:
            guards = [("θ", theta) for theta in (MARGINS if len(proxy) == 1 else SEVERAL_MARGINS)]
            guards += [("√n", lead) for lead in LEADS] if len(proxy) == 1 else []
            for guard, size in guards:
                yield from _try_plan(each, models, proxy, guard, size)


def _try_plan(
    each: Collection,
    models: Mapping[str, FloatMatrix],
    proxy: tuple[str, ...],
    guard: str,
    size: float,
) -> list[Row]:
    """The plan against each attacker; the field of one who never had the place is empty."""
    against = [models[name] for name in proxy]
    wish = {"margin": size} if guard == "θ" else {"lead": size * math.sqrt(each.photos)}
    plan = solve_quietly(against, each.truth, top=TOP, **wish)
    related = set().union(*(TRAINED_TOGETHER.get(name, set()) for name in proxy))
    rows: list[Row] = []
    for name, scores in models.items():
        if name in proxy or name in related:
            continue
        had = rank_ahead(scores, each.truth) < TOP
        holds = None
        if had and plan.kept is not None:
            holds = int(rank_ahead(scores[plan.kept], each.truth) >= TOP)
        rows.append(
            {
                **each.key, "proxy": " + ".join(proxy), "guard": guard, "amount": size,
                "attacker": name, "had": int(had), "holds": holds,
                "apart": round(distance(against[0], scores, each.truth), 4),
                "withheld": plan.withheld, "status plan": plan.status,
            }
        )  # fmt: skip
    return rows


def line_of(proxy: str, guard: str, size: float) -> str:
    """What a plan is called."""
    return f"{proxy}, {guard} {size:g}" if guard == "θ" else f"{proxy}, {size:g} {guard}"


def _attackers(rows: Rows, proxy: str | None = None) -> list[str]:
    return list(dict.fromkeys(str(r["attacker"]) for r in rows if proxy in (None, r["proxy"])))


def summarise(rows: Rows) -> Iterator[Number]:
    """For each plan: no plan, what is withheld, and how often plans hold for whom.

    How often is of the plans that there are, by those who had the place before; how far an
    attacker's gains are from those of the model planned against, a photo, is the unit of θ.
    """
    for plan in dict.fromkeys(
        (str(r["proxy"]), str(r["guard"]), number(r["amount"])) for r in rows
    ):
        mine = [r for r in rows if (r["proxy"], r["guard"], r["amount"]) == plan]
        line = line_of(*plan)
        once = {(r["kind"], r["number"]): stats.withheld_share(r) for r in mine}
        shares = list(once.values())
        yield Number(line, NO_PLAN, *stats.mean([float(share is None) for share in shares]))
        planned = [share for share in shares if share is not None]
        yield Number(line, WITHHELD, *stats.mean(planned))
        yield replace(stats.compare_costs(rows, (plan[0], "θ", 0.0), plan)[2], line=line)
        for name in _attackers(rows):
            held = stats.mean_of([row for row in mine if row["attacker"] == name], "holds")
            if held[2]:
                yield Number(line, f"holds: {name}", *held)
    for proxy, name in dict.fromkeys((str(r["proxy"]), str(r["attacker"])) for r in rows):
        if " + " not in proxy:
            # every plan of a collection has the same distance: one row of it is enough
            squares = {
                (r["kind"], r["number"]): number(r["apart"]) ** 2
                for r in rows
                if (r["proxy"], r["attacker"]) == (proxy, name)
            }
            root = math.sqrt(sum(squares.values()) / len(squares))
            yield Number(f"{proxy} and {name}", APART, root, math.nan, len(squares))


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What margins, leads and second attackers buy, and what they cost."""
    for proxy in dict.fromkeys(str(r["proxy"]) for r in rows):
        for name in _attackers(rows, proxy):
            yield from _margins(rows, numbers, proxy, name)
            if " + " not in proxy:
                yield from _leads(rows, proxy, name)
        yield from _second(rows, numbers, proxy)
    yield from unproved(rows)


def _margins(rows: Rows, numbers: Numbers, proxy: str, name: str) -> Iterator[str]:
    """What each margin buys, on the collections that have a plan with it and without."""
    start = by_column(numbers, line_of(proxy, "θ", 0))
    holds = f"holds: {name}"
    if holds not in start:
        return
    text = (
        f"Planned against {proxy}, attacked by {name}: without a margin there is no plan for "
        f"{percent(start[NO_PLAN])} of the collections, and {percent(start[holds])} of the plans "
        f"hold ({amount(start[WITHHELD])} withheld)."
    )
    for margin in QUOTED_MARGINS:
        better, more, _ = stats.compare_success(rows, name, (proxy, "θ", 0.0), (proxy, "θ", margin))
        line = by_column(numbers, line_of(proxy, "θ", margin))
        if better.count and NO_PLAN in line:
            text += (
                f" θ = {margin:g}: {amount(better, sign=True)} of the plans, for "
                f"{amount(more, sign=True)} of the photos (same n = {better.count}; no plan for "
                f"{line[NO_PLAN].ours * 100:.0f} %);"
            )
    apart = by_column(numbers, f"{proxy} and {name}").get(APART)
    if apart is not None:
        text += f" the two models' gains are {apart.ours:.2f} nats a photo apart"
    yield text.rstrip(";.") + "."


def _leads(rows: Rows, proxy: str, name: str) -> Iterator[str]:
    """Leads of so many √n, each beside the θ that withholds most nearly as much."""
    texts = [
        f"{lead:g} √n beside θ = {match.margin:g}: θ {amount(match.better, sign=True)} of the "
        f"plans, {amount(match.more, sign=True)} withheld (n = {match.better.count}): "
        f"{match.verdict}"
        for lead in LEADS
        if (match := match_lead(rows, proxy, name, lead))
    ]
    if texts:
        yield f"{proxy} against {name}, a lead that grows like √n: " + "; ".join(texts) + "."


def match_lead(rows: Rows, proxy: str, name: str, lead: float) -> MarginMatch | None:
    """A lead of so many √n beside the margin that costs most nearly as much."""
    plan = (proxy, "√n", lead)
    return stats.match_margin(rows, name, plan, proxy, margins=MARGINS[1:], called="the lead")


def match_second(rows: Rows, proxy: str, name: str) -> MarginMatch | None:
    """A plan against two models beside a margin against the first of them alone."""
    first, called = proxy.partition(" + ")[0], "the plan against both"
    return stats.match_margin(
        rows, name, (proxy, "θ", 0.0), first, margins=MARGINS[1:], called=called
    )


def _second(rows: Rows, numbers: Numbers, proxy: str) -> Iterator[str]:
    """A second attacker beside a margin against the first alone: for itself, and for a third."""
    first, _, other = proxy.partition(" + ")
    largest = by_column(numbers, line_of(first, "θ", MARGINS[-1]))
    holds = f"holds: {other}"
    if holds not in largest:
        return
    two, one, _ = stats.compare_costs(rows, (proxy, "θ", 0.0), (first, "θ", MARGINS[-1]))
    text = (
        f"Planned against {proxy}, every plan holds for {other}, by promise, and withholds "
        f"{two.ours:.2f} of the photos; with θ = {MARGINS[-1]:g} against {first} alone "
        f"{percent(largest[holds])} of the plans hold for it, for {one.ours:.2f} of the photos "
        f"(both of the {one.count} collections that have both plans)."
    )
    for name in _attackers(rows, proxy):
        better, more, _ = stats.compare_success(rows, name, (first, "θ", 0.0), (proxy, "θ", 0.0))
        match = match_second(rows, proxy, name)
        if better.count and match is not None:
            text += (
                f" For {name} the second attacker brings {amount(better, sign=True)} of the plans "
                f"for {amount(more, sign=True)} of the photos (n = {better.count}); beside it, θ = "
                f"{match.margin:g} against {first} alone: {amount(match.better, sign=True)} of the "
                f"plans, {amount(match.more, sign=True)} withheld (n = {match.better.count}): "
                f"{match.verdict}."
            )
    yield text


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Success against photos withheld, one panel for each attacker, a mark for each θ.

    Leads are left out: so many collections have no plan with one that the others' means would
    mislead. The sentences set them beside θ on the same collections.
    """
    names = _attackers(rows)
    proxies = list(dict.fromkeys(str(r["proxy"]) for r in rows))
    colours = (LIGHT.kept, LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
    figure, grid = new_panels(len(names), (2.9 * len(names), 3.8), sharey=True, sharex=True)
    handles: Figure = {}
    for axes, name in zip(grid, names, strict=True):
        for proxy, colour, marker in zip(proxies, colours, "os^Dv", strict=False):
            lines = [by_column(numbers, line_of(proxy, "θ", margin)) for margin in MARGINS]
            points = [
                (line[WITHHELD].ours, line[f"holds: {name}"])
                for line in lines
                if WITHHELD in line and f"holds: {name}" in line
            ]
            if points:
                handle = axes.errorbar(
                    [x for x, _ in points], [n.ours for _, n in points],
                    np.array([bar(n, share=True) for _, n in points]).T, ls="-", marker=marker,
                    color=colour, capsize=1.5, elinewidth=0.7,
                )  # fmt: skip
                handles.setdefault(f"against {proxy}", handle)
        axes.set_title(f"attacked by {name}")
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04))
    grid[0].set_ylabel("plans that hold, of those he had")
    figure.legend(handles.values(), list(handles), loc="outside lower center", ncols=3)
    return figure
