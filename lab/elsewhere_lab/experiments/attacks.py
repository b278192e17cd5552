"""Attackers that a plan was not made against."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere_lab import attackers, collections, plots, statistics as stats
from elsewhere_lab.attackers import ALONE, CAREFUL, PLAIN, STRATEGIES
from elsewhere_lab.collections import ALBUMS, TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.experiments import say
from elsewhere_lab.solving import Result, list_unproved, rank_ahead, solve_quietly
from elsewhere_lab.sources import Simulator, Source
from elsewhere_lab.statistics import MORE, NO_PLAN, WITHHELD, by_column, unique
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

# transfer: Plan against some models, be attacked with others

MARGINS = (0.0, 0.1, 0.15, 0.3, 0.5, 0.75, 1.0)  # θ, nats for each kept photo
LEADS = (0.2, 0.4, 0.8)
"""Nats for each √n, n the photos of the album: one total, which grows more slowly than θ·n."""
SEVERAL_MARGINS = (0.0, 0.15, 0.5)  # of plans against several models at once
QUOTED_MARGINS = (0.15, 0.5, 1.0)  # those in the sentences; the table has them all
PROXIES = (
    ("half-a",), ("embedded",), ("half-a", "half-b"), ("embedded", "retrieval"),
    ("embedded", "dino"),
)  # fmt: skip
"""Whom plans are made against, as far as the source has them."""
TRAINED_TOGETHER = {
    "embedded": {"half-a", "half-b"}, "half-a": {"embedded"}, "half-b": {"embedded"},
}  # fmt: skip
"""Models that share photos they were trained on: no attack from a stranger, so not counted."""
APART, LEAD_NAME = "apart, nats a photo", "the lead"
_COLOURS = (LIGHT.kept, LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
parts_transfer = partial(sample_parts, kinds=("R-16", "R-32"), share=0.2)


def measure_transfer(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, plan and attacker that it was not made against.

    `holds` is empty for an attacker who never had the place.
    """
    for cell in part.settings["numbers"]:
        each, models = collections.several_views(source, part.settings["kind"], cell)
        known = [proxy for proxy in PROXIES if set(proxy) <= set(models)]
        for proxy in known or [(next(iter(models)),)]:
            against = [models[name] for name in proxy]
            related = set(proxy).union(*(TRAINED_TOGETHER.get(name, set()) for name in proxy))
            guards = [("θ", theta) for theta in (MARGINS if len(proxy) == 1 else SEVERAL_MARGINS)]
            guards += [("√n", lead) for lead in LEADS] if len(proxy) == 1 else []
            for guard, size in guards:
                rule = {"margin": size} if guard == "θ" else {"lead": size * math.sqrt(each.photos)}
                plan = solve_quietly(against, each.truth, top=TOP, **rule)
                for name in [name for name in models if name not in related]:
                    had = rank_ahead(models[name], each.truth) < TOP
                    holds = None
                    if had and plan.kept is not None:
                        holds = int(rank_ahead(models[name][plan.kept], each.truth) >= TOP)
                    apart = collections.distance(against[0], models[name], each.truth)
                    yield {
                        **each.key, "proxy": " + ".join(proxy), "guard": guard, "amount": size,
                        "attacker": name, "had": int(had), "holds": holds,
                        "apart": round(apart, 4), "withheld": plan.withheld,
                        "status plan": plan.status,
                    }  # fmt: skip


def plan_line(proxy: str, guard: str, size: float) -> str:
    """What a plan is called."""
    return f"{proxy}, {guard} {size:g}" if guard == "θ" else f"{proxy}, {size:g} {guard}"


def summarise_transfer(rows: Rows) -> Iterator[Number]:
    """For each plan: no plan, what is withheld, and how often plans hold for whom."""
    for plan in dict.fromkeys(
        (str(r["proxy"]), str(r["guard"]), number(r["amount"])) for r in rows
    ):
        proxy, guard, size = plan
        mine = stats.select(rows, proxy=proxy, guard=guard, amount=size)
        line = plan_line(*plan)
        shares = {(r["kind"], r["number"]): stats.withheld_share(r) for r in mine}.values()
        yield Number(line, NO_PLAN, *stats.mean([float(share is None) for share in shares]))
        yield Number(line, WITHHELD, *stats.mean([s for s in shares if s is not None]))
        yield replace(stats.compare_costs(rows, (proxy, "θ", 0.0), plan)[2], line=line)
        for name in unique(rows, "attacker"):
            held = stats.mean_of(stats.select(mine, attacker=name), "holds")
            if held[2]:
                yield Number(line, f"holds: {name}", *held)
    for proxy in [proxy for proxy in unique(rows, "proxy") if " + " not in proxy]:
        for name in unique(stats.select(rows, proxy=proxy), "attacker"):
            # every plan of a collection has the same distance: one row of it is enough
            pair = stats.select(rows, proxy=proxy, attacker=name)
            squares = {(r["kind"], r["number"]): number(r["apart"]) ** 2 for r in pair}
            root = math.sqrt(sum(squares.values()) / len(squares))
            yield Number(f"{proxy} and {name}", APART, root, math.nan, len(squares))


def findings_transfer(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What margins, leads and second attackers buy, and what they cost."""
    for proxy in unique(rows, "proxy"):
        for name in unique(stats.select(rows, proxy=proxy), "attacker"):
            yield from _margin_sentences(rows, numbers, proxy, name)
            leads = [
                say("transfer", "lead", lead=lead, match=match)
                for lead in (LEADS if " + " not in proxy else ())
                if (match := match_lead(rows, proxy, name, lead))
            ]
            if leads:
                text = "; ".join(leads)
                yield f"{proxy} against {name}, a lead that grows like √n: {text}."
        yield from _second_sentences(rows, numbers, proxy)
    yield from list_unproved(rows)


def _margin_sentences(rows: Rows, numbers: Numbers, proxy: str, name: str) -> Iterator[str]:
    """What each margin buys, on the collections that have a plan with it and without."""
    start = by_column(numbers, plan_line(proxy, "θ", 0))
    holds = f"holds: {name}"
    if holds not in start:
        return
    text = say("transfer", "start", proxy=proxy, name=name, start=start, held=start[holds])
    for margin in QUOTED_MARGINS:
        better, more, _ = stats.compare_success(rows, name, (proxy, "θ", 0.0), (proxy, "θ", margin))
        line = by_column(numbers, plan_line(proxy, "θ", margin))
        if better.count and NO_PLAN in line:
            none = line[NO_PLAN].ours * 100
            bought = say("transfer", "margin", margin=margin, better=better, more=more, none=none)
            text += f" {bought}"
    apart = by_column(numbers, f"{proxy} and {name}").get(APART)
    if apart is not None:
        text += f" the two models' gains are {apart.ours:.2f} nats a photo apart"
    yield text.rstrip(";.") + "."


def match_lead(rows: Rows, proxy: str, name: str, lead: float) -> stats.MarginMatch | None:
    """A lead of so many √n beside the margin that costs most nearly as much."""
    plan = (proxy, "√n", lead)
    return stats.match_margin(rows, name, plan, proxy, margins=MARGINS[1:], called=LEAD_NAME)


def match_second(rows: Rows, proxy: str, name: str) -> stats.MarginMatch | None:
    """A plan against two models beside a margin against the first of them alone."""
    first, called = proxy.partition(" + ")[0], "the plan against both"
    return stats.match_margin(
        rows, name, (proxy, "θ", 0.0), first, margins=MARGINS[1:], called=called
    )


def _second_sentences(rows: Rows, numbers: Numbers, proxy: str) -> Iterator[str]:
    """A second attacker beside a margin against the first alone: for itself, and for a third."""
    first, _, other = proxy.partition(" + ")
    largest = by_column(numbers, plan_line(first, "θ", MARGINS[-1]))
    holds = f"holds: {other}"
    if holds not in largest:
        return
    both, alone, _ = stats.compare_costs(rows, (proxy, "θ", 0.0), (first, "θ", MARGINS[-1]))
    text = say(
        "transfer", "both", proxy=proxy, other=other, both=both, margin=MARGINS[-1], first=first,
        held=largest[holds], alone=alone,
    )  # fmt: skip
    for name in unique(stats.select(rows, proxy=proxy), "attacker"):
        better, more, _ = stats.compare_success(rows, name, (first, "θ", 0.0), (proxy, "θ", 0.0))
        match = match_second(rows, proxy, name)
        if better.count and match is not None:
            text += " " + say(
                "transfer", "second", name=name, better=better, more=more, match=match, first=first
            )
    yield text


def draw_transfer(rows: Rows, numbers: Numbers) -> plots.Figure:
    """Success against photos withheld, one panel for each attacker, a mark for each θ."""
    names = unique(rows, "attacker")
    figure, grid = plots.new_panels(len(names), (2.9 * len(names), 3.8), sharey=True, sharex=True)
    handles: dict[str, Any] = {}
    for axes, name in zip(grid, names, strict=True):
        column = f"holds: {name}"
        for proxy, colour, marker in zip(unique(rows, "proxy"), _COLOURS, "os^Dv", strict=False):
            lines = [by_column(numbers, plan_line(proxy, "θ", margin)) for margin in MARGINS]
            lines = [line for line in lines if WITHHELD in line and column in line]
            if lines:
                handle = axes.errorbar(
                    [line[WITHHELD].ours for line in lines], [line[column].ours for line in lines],
                    plots.error_bars([line[column] for line in lines], share=True), ls="-",
                    marker=marker, color=colour, capsize=1.5, elinewidth=0.7,
                )  # fmt: skip
                handles.setdefault(f"against {proxy}", handle)
        axes.set_title(f"attacked by {name}")
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04))
    grid[0].set_ylabel("plans that hold, of those he had")
    figure.legend(handles.values(), list(handles), loc="outside lower center", ncols=3)
    return figure


# adaptive: An attacker who knows the tool: he guesses the cell just outside the top, not the first

SECRET_FACTORS = (1, 2, 3, 5)
"""The secret k is drawn evenly from k to so many times k; 1 is the plain k."""
SECRET_LABELS = {1: "k itself"} | {
    times: f"secret k up to {times}k" for times in SECRET_FACTORS[1:]
}
ANY_PLAN = "k itself, any near-optimal plan"
BEST_RANK = "guesses the best rank"
_ADAPTIVE_SEED = 20261115
_ADAPTIVE_COLOURS = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept, LIGHT.truth, LIGHT.ink)
parts_adaptive = sample_parts


def measure_adaptive(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    for each in endangered(source, part):
        rng = np.random.default_rng([_ADAPTIVE_SEED, each.number, each.photos])
        for times in SECRET_FACTORS:
            # as `protect` draws it: where a k cannot be had, a smaller one
            k = int(rng.integers(TOP, times * TOP + 1))
            plan = solve_quietly(each.scores, each.truth, top=k)
            while plan.kept is None and k > TOP:
                k = int(rng.integers(TOP, k))
                plan = solve_quietly(each.scores, each.truth, top=k)
            yield _adaptive_row(each, SECRET_LABELS[times], plan, k, times)
        # values that differ by up to half: which of the near-optimal plans is best is chance
        values = [100 + int(rng.integers(51)) for _ in range(each.photos)]
        plan = solve_quietly(each.scores, each.truth, top=TOP, values=values)
        yield _adaptive_row(each, ANY_PLAN, plan, TOP, 1)


def _adaptive_row(each: Collection, way: str, plan: Result, k: int, times: int) -> Row:
    """What is withheld, and which of his guesses are right."""
    row: dict[str, Value] = {
        **each.key, "way": way, "k": k, "withheld": None, "ahead": None, "first": None,
        "next": None, "slack": None, "status plan": plan.status,
    }  # fmt: skip
    if plan.kept is None:
        return row
    total = each.scores[plan.kept].astype(np.float64).sum(axis=0)
    order = np.argsort(-total, kind="stable")
    gaps = -np.diff(total[order])
    # ranks k+1 to the last that a secret k can leave; the gap is to the cell before
    last = max(times, 3) * TOP + 1
    least = TOP + int(np.argmin(gaps[TOP - 1 : last - 1]))
    return row | {
        "withheld": plan.withheld,
        "ahead": rank_ahead(each.scores[plan.kept], each.truth),
        "first": int(order[0] == each.truth),
        "next": int(order[TOP] == each.truth),
        "slack": int(order[least] == each.truth),
    }


def learned_guesses(ranks: Sequence[int]) -> list[float]:
    """Whether each rank is the one that is most common in the other half of them.

    >>> learned_guesses([5, 5, 6, 5])
    [1.0, 1.0, 0.0, 1.0]
    """
    halves = ranks[::2], ranks[1::2]
    best = [
        min((-count, rank) for rank, count in Counter(half).items())[1] if half else None
        for half in halves
    ]
    return [float(rank == best[1 - i % 2]) for i, rank in enumerate(ranks)]


def summarise_adaptive(rows: Rows) -> Iterator[Number]:
    """How often each guess is right, and what the plans cost."""
    guesses = {"the first": "first", "rank k+1": "next", "the least slack": "slack"}
    for line, way, every, own in stats.lines_of(rows, "way"):
        planned = [row for row in own if row["withheld"] is not None]
        for guess, field in guesses.items():
            yield Number(line, f"guesses {guess}", *stats.mean_of(planned, field))
        hits = learned_guesses([int(number(row["ahead"])) for row in planned])
        yield Number(line, BEST_RANK, *stats.mean(hits))
        yield from stats.costs(every, line, way, SECRET_LABELS[1])


def advice_adaptive(kind: str, rows: Rows, numbers: Numbers) -> str:
    """Whether the secret k helps."""
    plain, hidden = (
        by_column(numbers, f"{kind}, {SECRET_LABELS[times]}")[BEST_RANK] for times in (1, 3)
    )
    if stats.differ(plain, hidden):
        return "Leave the k secret."
    return "So few collections do not show that a secret k helps."


def draw_adaptive(rows: Rows, numbers: Numbers) -> plots.Figure:
    """Success of the best single guess against photos withheld."""
    from matplotlib.ticker import MultipleLocator

    kinds = kinds_of(rows)
    figure, grid = plots.new_panels(len(kinds), (2.9 * len(kinds), 3.3), sharey=True, sharex=True)
    ways = (*SECRET_LABELS.values(), ANY_PLAN)
    for axes, kind in zip(grid, kinds, strict=True):
        for way, marker, colour in zip(ways, "os^Dv", _ADAPTIVE_COLOURS, strict=True):
            line = by_column(numbers, f"{kind}, {way}")
            if hit := line.get(BEST_RANK):
                axes.errorbar(
                    [line[WITHHELD].ours], [hit.ours], plots.error_bars([hit], share=True),
                    fmt=marker, color=colour, capsize=2, ms=6, label=way,
                )  # fmt: skip
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04), title=kind)
        axes.xaxis.set_major_locator(MultipleLocator(0.1))
    grid[0].set_ylabel("his best guess is right")
    plots.legend_below(figure, grid[0], 3)
    return figure


# subset: Attackers who look at a part of the photos, or distrust some

SUBSET_OTHERS = ("any one photo", *attackers.PARTIAL, "one photo less")
"""The first and the last are the worst case: any kept photo alone, any kept photo gone."""
parts_subset = sample_parts
summarise_subset = partial(attackers.summarise_strategies, names=SUBSET_OTHERS)
draw_subset = partial(attackers.draw_strategies, names=SUBSET_OTHERS)


def measure_subset(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, strategy, and attacker."""
    for each in endangered(source, part):
        before = {name: _holds_for_subset(name, each, range(each.photos)) for name in SUBSET_OTHERS}
        yield from attackers.try_strategies(each, STRATEGIES, before, _holds_for_subset)


def _holds_for_subset(name: str, each: Collection, kept: Sequence[int]) -> bool:
    rows = each.scores[list(kept)]
    if name == "any one photo":
        return all(rank_ahead(rows[[i]], each.truth) >= TOP for i in range(len(rows)))
    if name == "one photo less":
        whole = rows.astype(np.float64)
        total = whole.sum(axis=0)
        return all(
            int((left >= left[each.truth]).sum()) - 1 >= TOP
            for left in (total - row for row in whole[: len(rows) if len(rows) > 1 else 0])
        )
    return attackers.holds(attackers.PARTIAL[name], rows, each.truth, TOP)


def advice_subset(kind: str, rows: Rows, numbers: Numbers) -> str:
    """The attackers against whom it helps to hold each photo to the top, too."""
    mine = stats.select(rows, kind=kind)
    pairs = (stats.same(mine, name, (PLAIN, ALONE)) for name in SUBSET_OTHERS[1:])
    return "".join(
        f" Against {after.column} they hold in {after:percent}, plans for the sum of the same "
        f"collections in {before:percent}."
        for before, after in pairs
        if stats.differ(before, after)
    )


# correlated: Attackers who know that ten pictures of one fountain are not ten pieces of evidence

CORRELATED_OTHERS = tuple(attackers.REPEATS)
TOGETHER = "the sum, scenes together"
"""Photos of one scene stay or go together: what `--bursts` does to those of one moment."""
draw_correlated = partial(attackers.draw_strategies, names=CORRELATED_OTHERS)


def parts_correlated(source: Source, scale: Scale) -> list[Part]:
    """Albums; of real photos collections of 32 too. Simulated ones have no repeats at all."""
    kinds = (ALBUMS,) if source.kind == "simulator" else (ALBUMS, "R-32")
    return sample_parts(source, scale, kinds)


def measure_correlated(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each strategy."""
    for each in endangered(source, part):
        scene = scenes_of(source, each)

        def holds(
            name: str, each: Collection, kept: Sequence[int], scene: NDArray[np.intp] = scene
        ) -> bool:
            power, scene_of = attackers.REPEATS[name], scene[list(kept)]
            return attackers.holds(
                lambda shown: attackers.by_scene(shown, scene_of, power),
                each.scores[list(kept)], each.truth, TOP,
            )  # fmt: skip

        before = {name: holds(name, each, range(each.photos)) for name in CORRELATED_OTHERS}
        every = [np.flatnonzero(scene == number).tolist() for number in np.unique(scene)]
        together = {"groups": [photos for photos in every if len(photos) > 1]}
        tried = attackers.try_strategies(each, STRATEGIES | {TOGETHER: together}, before, holds)
        yield from [{**row, "scenes": len(every)} for row in tried]


def scenes_of(source: Source, each: Collection) -> NDArray[np.intp]:
    """Which scene each photo is of: as the simulator made them, or as scores let them be found."""
    if isinstance(source, Simulator) and each.kind == ALBUMS:
        rng = np.random.default_rng([source.seed, 2, each.number])
        cell, _, scene = source.world.draw_scenes(rng)
        assert (cell, len(scene)) == (each.truth, each.photos)
        return scene
    return attackers.scenes(each.scores.astype(np.float64))


def summarise_correlated(rows: Rows) -> Iterator[Number]:
    """How often the place stays out of the top k, what it costs, and how many scenes there are."""
    yield from attackers.summarise_strategies(rows, CORRELATED_OTHERS)
    for kind in kinds_of(rows):
        mine = stats.select(rows, kind=kind, way=PLAIN)
        yield Number(f"{kind}, {PLAIN}", "scenes", *stats.mean_of(mine, "scenes"))


def findings_correlated(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How plans hold against the worst of these attackers."""
    for kind in kinds_of(rows):
        lines = [by_column(numbers, f"{kind}, {way}") for way in (PLAIN, CAREFUL, TOGETHER)]
        plain, careful, bursts = lines
        had = [name for name in CORRELATED_OTHERS if all(name in line for line in lines)]
        if not had:
            continue
        worst = min(had, key=lambda name: plain[name].ours)
        text = say(
            "correlated", "worst", kind=kind, scenes=plain["scenes"], worst=worst,
            plain=plain[worst], careful=careful[worst], more=careful[MORE], bursts=bursts[worst],
        )  # fmt: skip
        if MORE in bursts:
            text += say("correlated", "bursts", bursts=bursts, none=plain[NO_PLAN])
        before, after = stats.same(stats.select(rows, kind=kind), worst, (PLAIN, TOGETHER))
        gain = "no gain that these would show"
        if after.ours > before.ours and stats.differ(before, after):
            gain = "scenes that stay or go together hold better"
        text += f"Where both have a plan they hold in {after:percent} instead of "
        yield f"{text}{before:percent}: {gain}."
    yield from list_unproved(rows)
