"""Plan against some models, be attacked with others: other heads, another backbone, retrieval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from elsewhere_lab.comparison import NO_PLAN, WITHHELD, withheld
from elsewhere_lab.models import Several, collection, distance
from elsewhere_lab.plan_comparisons import Likened, beside_margin, both, costs_of
from elsewhere_lab.plots import bars
from elsewhere_lab.sampling import TOP, parts
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, found, percent
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, mean, number

MARGINS = (0.0, 0.1, 0.15, 0.3, 0.5, 0.75, 1.0)
"""θ, nats for each kept photo."""
LEADS = (0.2, 0.4, 0.8)
"""Nats for each √n, n the photos of the album: one total, which grows more slowly than θ·n."""
SEVERAL = (0.0, 0.15, 0.5)
"""Plans against several models at once."""
TOLD = (0.15, 0.5, 1.0)
"""The margins that sentences tell of; the table has them all."""
PROXIES = (
    ("half-a",), ("embedded",), ("half-a", "half-b"), ("embedded", "retrieval"),
    ("embedded", "dino"),
)  # fmt: skip
"""Whom plans are made against, as far as the source has them."""
TRAINED_TOGETHER = {
    "embedded": {"half-a", "half-b"},
    "half-a": {"embedded"},
    "half-b": {"embedded"},
}
"""Models that share photos they were trained on: no attack from a stranger, so not counted."""
APART = "apart, nats a photo"


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """Few collections, each is planned for dozens of times; of sizes that may be averaged over."""
    return parts(source, scale, ("R-16", "R-32"), share=0.2)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection, plan and attacker that it was not made against."""
    rows: list[Row] = []
    for at in part.wish["numbers"]:
        each = collection(source, part.wish["kind"], at)
        known = [proxy for proxy in PROXIES if set(proxy) <= set(each.models)]
        for proxy in known or [(next(iter(each.models)),)]:
            for guard, how_much in _guards(proxy):
                rows += _tried(each, proxy, guard, how_much)
    return rows


def _guards(proxy: tuple[str, ...]) -> list[tuple[str, float]]:
    if len(proxy) > 1:
        return [("θ", how_much) for how_much in SEVERAL]
    return [("θ", how_much) for how_much in MARGINS] + [("√n", how_much) for how_much in LEADS]


def _tried(each: Several, proxy: tuple[str, ...], guard: str, how_much: float) -> list[Row]:
    """The plan, and each attacker's view of it; no field for one who never had the place."""
    against = [each.models[name] for name in proxy]
    wish = {"margin": how_much} if guard == "θ" else {"lead": how_much * math.sqrt(each.photos)}
    plan = unexplained_plan(against, each.truth, top=TOP, **wish)
    kin = set().union(*(TRAINED_TOGETHER.get(name, set()) for name in proxy))
    rows: list[Row] = []
    for name, scores in each.models.items():
        if name in proxy or name in kin:
            continue
        had = ahead(scores, each.truth) < TOP
        holds = None
        if had and plan.kept is not None:
            holds = int(ahead(scores[plan.kept], each.truth) >= TOP)
        rows.append(
            {
                "kind": each.kind, "number": each.number, "photos": each.photos,
                "proxy": " + ".join(proxy), "guard": guard, "amount": how_much,
                "attacker": name, "had": int(had), "holds": holds,
                "apart": round(distance(against[0], scores, each.truth), 4),
                "withheld": plan.withheld, "status plan": plan.status,
            }
        )  # fmt: skip
    return rows


def line_of(proxy: str, guard: str, how_much: float) -> str:
    """What a plan is called."""
    return f"{proxy}, {guard} {how_much:g}" if guard == "θ" else f"{proxy}, {how_much:g} {guard}"


def summarise(rows: Sequence[Row]) -> list[Number]:
    """For each plan: no plan, what is withheld, and how often plans hold for whom.

    How often is told of the plans that there are, by those who had the place before; how far an
    attacker's gains are from those of the model planned against, a photo, is the unit of θ.
    """
    result = []
    for proxy, guard, how_much in dict.fromkeys(
        (str(r["proxy"]), str(r["guard"]), number(r["amount"])) for r in rows
    ):
        mine = [
            r for r in rows if (r["proxy"], r["guard"], r["amount"]) == (proxy, guard, how_much)
        ]
        line = line_of(proxy, guard, how_much)
        once = list({(r["kind"], r["number"]): r for r in mine}.values())
        result.append(Number(line, NO_PLAN, *mean([float(r["withheld"] is None) for r in once])))
        gone = [share for r in once if (share := withheld(r)) is not None]
        result.append(Number(line, WITHHELD, *mean(gone)))
        more = costs_of(rows, (proxy, "θ", 0.0), (proxy, guard, how_much))[2]
        result.append(replace(more, line=line))
        for name in dict.fromkeys(str(r["attacker"]) for r in rows):
            held = [
                number(r["holds"]) for r in mine if r["attacker"] == name and r["holds"] is not None
            ]
            if held:
                result.append(Number(line, f"holds: {name}", *mean(held)))
    for proxy, name in dict.fromkeys((str(r["proxy"]), str(r["attacker"])) for r in rows):
        if " + " not in proxy:
            # every plan of a collection tells the same distance: one row of it is enough
            off = {
                (r["kind"], r["number"]): number(r["apart"]) ** 2
                for r in rows
                if (r["proxy"], r["attacker"]) == (proxy, name)
            }
            root = math.sqrt(sum(off.values()) / len(off))
            result.append(Number(f"{proxy} and {name}", APART, root, float("nan"), len(off)))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for proxy in dict.fromkeys(str(r["proxy"]) for r in rows):
        for name in dict.fromkeys(str(r["attacker"]) for r in rows if r["proxy"] == proxy):
            told += _margins(rows, numbers, proxy, name)
            if " + " not in proxy:
                told += _leads(rows, proxy, name)
        told += _second(rows, numbers, proxy)
    return told + unproved(rows)


def _margins(rows: Sequence[Row], numbers: Sequence[Number], proxy: str, name: str) -> list[str]:
    """What each margin buys, on the collections that have a plan with it and without."""
    start = found(numbers, line_of(proxy, "θ", 0))
    holds = f"holds: {name}"
    if holds not in start:
        return []
    text = (
        f"Planned against {proxy}, attacked by {name}: without a margin there is no plan for "
        f"{percent(start[NO_PLAN])} of the collections, and {percent(start[holds])} of the plans "
        f"hold ({amount(start[WITHHELD])} withheld)."
    )
    for margin in TOLD:
        better, more, _ = both(rows, name, (proxy, "θ", 0.0), (proxy, "θ", margin))
        line = found(numbers, line_of(proxy, "θ", margin))
        if better.count and NO_PLAN in line:
            text += (
                f" θ = {margin:g}: {amount(better, sign=True)} of the plans, for "
                f"{amount(more, sign=True)} of the photos (same n = {better.count}; no plan for "
                f"{line[NO_PLAN].ours * 100:.0f} %);"
            )
    apart = found(numbers, f"{proxy} and {name}").get(APART)
    if apart is not None:
        text += f" the two models' gains are {apart.ours:.2f} nats a photo apart"
    return [text.rstrip(";.") + "."]


def _leads(rows: Sequence[Row], proxy: str, name: str) -> list[str]:
    """Leads of so many √n, each beside the θ that withholds most nearly as much."""
    told = [
        f"{lead:g} √n beside θ = {like.margin:g}: θ {amount(like.better, sign=True)} of the plans, "
        f"{amount(like.more, sign=True)} withheld (n = {like.better.count}): {like.verdict}"
        for lead in LEADS
        if (like := beside_lead(rows, proxy, name, lead))
    ]
    if not told:
        return []
    return [f"{proxy} against {name}, a lead that grows like √n: " + "; ".join(told) + "."]


def beside_lead(rows: Sequence[Row], proxy: str, name: str, lead: float) -> Likened | None:
    """A lead of so many √n beside the margin that costs most nearly as much."""
    plan = (proxy, "√n", lead)
    return beside_margin(rows, name, plan, proxy, margins=MARGINS[1:], called="the lead")


def beside_second(rows: Sequence[Row], proxy: str, name: str) -> Likened | None:
    """A plan against two models beside a margin against the first of them alone."""
    first, plan = proxy.partition(" + ")[0], (proxy, "θ", 0.0)
    return beside_margin(
        rows, name, plan, first, margins=MARGINS[1:], called="the plan against both"
    )


def _second(rows: Sequence[Row], numbers: Sequence[Number], proxy: str) -> list[str]:
    """A second attacker beside a margin against the first alone: for itself, and for a third."""
    first, _, other = proxy.partition(" + ")
    largest = found(numbers, line_of(first, "θ", MARGINS[-1]))
    holds = f"holds: {other}"
    if holds not in largest:
        return []
    two, one, _ = costs_of(rows, (proxy, "θ", 0.0), (first, "θ", MARGINS[-1]))
    text = (
        f"Planned against {proxy}, every plan holds for {other}, by promise, and withholds "
        f"{two.ours:.2f} of the photos; with θ = {MARGINS[-1]:g} against {first} alone "
        f"{percent(largest[holds])} of the plans hold for it, for {one.ours:.2f} of the photos "
        f"(both of the {one.count} collections that have both plans)."
    )
    for name in dict.fromkeys(str(r["attacker"]) for r in rows if r["proxy"] == proxy):
        better, more, _ = both(rows, name, (first, "θ", 0.0), (proxy, "θ", 0.0))
        like = beside_second(rows, proxy, name)
        if better.count and like is not None:
            text += (
                f" For {name} the second attacker brings {amount(better, sign=True)} of the plans "
                f"for {amount(more, sign=True)} of the photos (n = {better.count}); beside it, θ = "
                f"{like.margin:g} against {first} alone: {amount(like.better, sign=True)} of the "
                f"plans, {amount(like.more, sign=True)} withheld (n = {like.better.count}): "
                f"{like.verdict}."
            )
    return [text]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Success against photos withheld, one panel for each attacker, a mark for each θ.

    Leads are left out: so many collections have no plan with one that the others' means would
    mislead. The sentences set them beside θ on the same collections.
    """
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    names = list(dict.fromkeys(str(r["attacker"]) for r in rows))
    proxies = list(dict.fromkeys(str(r["proxy"]) for r in rows))
    colours = (LIGHT.kept, LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
    look = dict(zip(proxies, zip(colours, "os^Dv", strict=True), strict=False))
    figure, grid = plt.subplots(
        1, len(names), figsize=(2.9 * len(names), 3.8), sharey=True, sharex=True, squeeze=False
    )
    seen: dict[str, Any] = {}
    for axes, name in zip(grid[0], names, strict=True):
        for proxy, (colour, marker) in look.items():
            lines = [found(numbers, line_of(proxy, "θ", margin)) for margin in MARGINS]
            points = [
                (line[WITHHELD].ours, line[f"holds: {name}"])
                for line in lines
                if WITHHELD in line and f"holds: {name}" in line
            ]
            if points:
                reach = np.array([bars(n, share=True) for _, n in points]).T
                drawn = axes.errorbar(
                    [x for x, _ in points], [n.ours for _, n in points], reach, ls="-",
                    marker=marker, color=colour, capsize=1.5, elinewidth=0.7,
                )  # fmt: skip
                seen.setdefault(proxy, drawn)
        axes.set_title(f"attacked by {name}")
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04))
    grid[0][0].set_ylabel("plans that hold, of those he had")
    figure.legend(
        seen.values(), [f"against {text}" for text in seen], loc="outside lower center", ncols=3
    )
    return {"transfer": figure}


EXPERIMENT = Experiment(
    name="transfer",
    title="Other attackers: other heads, another backbone, retrieval",
    about=(
        "Plans (top 5, collections of 16 and of 32) are made against one model or several and "
        "tried on models that they were not made against: half-a and half-b are heads on one "
        "tower, trained on different photos; "
        "embedded is trained on both; retrieval looks up what a photo resembles; dino has a "
        "backbone of its own, and was held out by whole sources where the others were held out by "
        "near-duplicates, so that it knows fewer of the places: not its eyes alone are other. In "
        "the simulator, other is a model that agrees less. How often there is no plan; of the "
        "plans that there are what they withhold, how much more than without a guard (`more than "
        "bare`, the same collections), and how often they hold, by collections that the attacker "
        "had in his top 5; with θ for each photo or with a lead that grows like √n. "
        "Below, how far two models' gains are apart (a photo, over the photos of a collection, "
        "root mean square at the 20 likeliest rivals): what a θ is worth depends on it."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    models=2,
)
