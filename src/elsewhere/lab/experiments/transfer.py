"""Plan against some models, be attacked with others: other heads, another backbone, retrieval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab.models import Several, collection
from elsewhere.lab.quick import quick
from elsewhere.lab.solving import ahead, unproved
from elsewhere.lab.some import TOP, parts
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Experiment, Number, Part, Row, Scale, mean, number

MARGINS = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5)
"""θ, nats for each kept photo."""
LEADS = (0.05, 0.1, 0.2, 0.4)
"""Nats for each √n, n the photos of the album: one total, which grows more slowly than θ·n."""
SEVERAL = (0.0, 0.1, 0.2)
"""Plans against several models at once need less of a margin."""
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


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """Few collections: each is planned for dozens of times."""
    kinds = ("R-16", "R-32") if source.kind == "simulator" else ("R-16", "R-32", "Albums")
    return parts(source, scale, kinds, share=0.2)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection, plan and attacker that it was not made against."""
    rows: list[Row] = []
    for at in part.wish["numbers"]:
        each = collection(source, part.wish["kind"], at)
        known = [proxy for proxy in PROXIES if set(proxy) <= set(each.models)]
        for proxy in known or [(next(iter(each.models)),)]:
            for guard, amount in _guards(proxy):
                rows += _tried(each, proxy, guard, amount)
    return rows


def _guards(proxy: tuple[str, ...]) -> list[tuple[str, float]]:
    if len(proxy) > 1:
        return [("θ", amount) for amount in SEVERAL]
    return [("θ", amount) for amount in MARGINS] + [("√n", amount) for amount in LEADS]


def _tried(each: Several, proxy: tuple[str, ...], guard: str, amount: float) -> list[Row]:
    """The plan, and each attacker's view of it."""
    against = [each.models[name] for name in proxy]
    wish = {"margin": amount} if guard == "θ" else {"lead": amount * math.sqrt(each.photos)}
    plan = quick(against, each.truth, top=TOP, **wish)
    kin = set().union(*(TRAINED_TOGETHER.get(name, set()) for name in proxy))
    rows: list[Row] = []
    for name, scores in each.models.items():
        if name in proxy or name in kin:
            continue
        had = ahead(scores, each.truth) < TOP
        holds = plan.kept is not None and ahead(scores[plan.kept], each.truth) >= TOP
        rows.append(
            {
                "kind": each.kind, "number": each.number, "photos": each.photos,
                "proxy": " + ".join(proxy), "guard": guard, "amount": amount,
                "attacker": name, "had": int(had), "holds": int(holds),
                "withheld": plan.withheld, "status plan": plan.status,
            }
        )  # fmt: skip
    return rows


def summarise(rows: Sequence[Row]) -> list[Number]:
    """For each plan: the share withheld, and how often it holds against those who had the place."""
    result = []
    for proxy, guard, amount in dict.fromkeys((r["proxy"], r["guard"], r["amount"]) for r in rows):
        mine = [
            r for r in rows
            if (r["proxy"], r["guard"], r["amount"]) == (proxy, guard, amount)
        ]  # fmt: skip
        line = f"{proxy}, {guard} {amount}" if guard == "θ" else f"{proxy}, {amount} {guard}"
        once = {(r["kind"], r["number"]): r for r in mine}.values()
        found = [r for r in once if r["withheld"] is not None]
        gone = mean([number(r["withheld"]) / number(r["photos"]) for r in found])
        result.append(Number(line, "withheld", *gone))
        for name in dict.fromkeys(str(r["attacker"]) for r in rows):
            held = [number(r["holds"]) for r in mine if r["attacker"] == name and r["had"]]
            if held:
                result.append(Number(line, f"holds: {name}", *mean(held)))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for proxy in dict.fromkeys(str(r["proxy"]) for r in rows):
        for name in dict.fromkeys(str(r["attacker"]) for r in rows):
            points = curve(numbers, proxy, "θ", name)
            if len(points) < 2:
                continue
            start = points[0]
            enough = next((p for p in points if p[2] >= 0.9), points[-1])
            told.append(
                f"Planned against {proxy}, attacked by {name}: without a margin {start[2]:.0%} of "
                f"the plans hold ({start[1]:.2f} withheld); θ = {enough[0]:g} makes it "
                f"{enough[2]:.0%} ({enough[1]:.2f} withheld)."
            )
            rival = curve(numbers, proxy, "√n", name)
            if rival:
                better = sum(_at(points, gone) > held + 1e-9 for _, gone, held in rival)
                told.append(
                    f"{proxy} against {name}: for the same share withheld θ per photo holds more "
                    f"often than a lead that grows like √n at {better} of {len(rival)} settings."
                )
    return told + unproved(rows)


def curve(
    numbers: Sequence[Number], proxy: str, guard: str, name: str
) -> list[tuple[float, float, float]]:
    """(amount, share withheld, how often it holds), by amount."""
    result = []
    for amount in sorted({*MARGINS, *LEADS}):
        line = f"{proxy}, θ {amount}" if guard == "θ" else f"{proxy}, {amount} √n"
        mine = {n.column: n.ours for n in numbers if n.line == line}
        if f"holds: {name}" in mine:
            result.append((amount, mine["withheld"], mine[f"holds: {name}"]))
    return result


def _at(points: Sequence[tuple[float, float, float]], gone: float) -> float:
    """How often θ holds when this share is withheld, between the measured ones."""
    order = sorted(points, key=lambda p: p[1])
    return float(np.interp(gone, [p[1] for p in order], [p[2] for p in order]))


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Success against photos withheld, one panel for each attacker."""
    import matplotlib.pyplot as plt

    from elsewhere.report.look import LIGHT

    names = list(dict.fromkeys(str(r["attacker"]) for r in rows))
    proxies = list(dict.fromkeys(str(r["proxy"]) for r in rows))
    colours = (LIGHT.kept, LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
    look = dict(zip(proxies, zip(colours, "os^Dv", strict=True), strict=False))
    figure, grid = plt.subplots(
        1, len(names), figsize=(2.9 * len(names), 3.6), sharey=True, sharex=True, squeeze=False
    )
    seen: dict[str, Any] = {}
    for axes, name in zip(grid[0], names, strict=True):
        for proxy, (colour, marker) in look.items():
            for guard, style, text in (("θ", "-", proxy), ("√n", ":", f"{proxy}, lead like √n")):
                points = curve(numbers, proxy, guard, name)
                if points:
                    (line,) = axes.plot(
                        [p[1] for p in points], [p[2] for p in points], ls=style, marker=marker,
                        color=colour, mfc=colour if guard == "θ" else "none",
                    )  # fmt: skip
                    seen.setdefault(text, line)
        axes.set_title(f"attacked by {name}")
        axes.set(xlabel="share of photos withheld", ylim=(0, 1.04))
    grid[0][0].set_ylabel("holds, of those he had")
    figure.legend(
        seen.values(), [f"against {text}" for text in seen], loc="outside lower center", ncols=3
    )
    return {"transfer": figure}


EXPERIMENT = Experiment(
    name="transfer",
    title="Other attackers: other heads, another backbone, retrieval",
    about=(
        "Plans (top 5) are made against one model or several and tried on models that they were "
        "not made against: half-a and half-b are heads on one tower, trained on different photos; "
        "embedded is trained on both; dino has a backbone of its own; retrieval looks up what a "
        "photo resembles. Of the collections that an attacker had in his top 5, the share in "
        "which the plan holds (no plan: it does not), with θ for each photo or with a lead that "
        "grows like √n, and the share of photos withheld. In the simulator, other is a model that "
        "agrees less."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    models=2,
)
