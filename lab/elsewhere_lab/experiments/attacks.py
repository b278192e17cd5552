"""Attackers that a plan was not made against."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere_lab import attackers, statistics as stats
from elsewhere_lab.attackers import ALONE, CAREFUL, PLAIN, STRATEGIES, try_strategies
from elsewhere_lab.collections import (
    ALBUMS,
    TOP,
    distance,
    endangered,
    kinds_of,
    sample_parts,
    several_views,
)
from elsewhere_lab.plots import Figure, bar, legend_below, new_panels
from elsewhere_lab.solving import Result, rank_ahead, solve_quietly, unproved
from elsewhere_lab.sources import Simulated, Source
from elsewhere_lab.statistics import (
    MORE,
    NO_PLAN,
    WITHHELD,
    MarginMatch,
    amount,
    by_column,
    percent,
)
from elsewhere_lab.values import (
    Collection,
    FloatMatrix,
    Number,
    Numbers,
    Part,
    Row,
    Rows,
    Scale,
    Value,
    number,
)

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
APART = "apart, nats a photo"
parts_transfer = partial(sample_parts, kinds=("R-16", "R-32"), share=0.2)


def measure_transfer(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
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
    each: Collection, models: Mapping[str, FloatMatrix], proxy: tuple[str, ...], guard: str,
    size: float,
) -> list[Row]:  # fmt: skip
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


def plan_line(proxy: str, guard: str, size: float) -> str:
    """What a plan is called."""
    return f"{proxy}, {guard} {size:g}" if guard == "θ" else f"{proxy}, {size:g} {guard}"


def _attackers(rows: Rows, proxy: str | None = None) -> list[str]:
    return list(dict.fromkeys(str(r["attacker"]) for r in rows if proxy in (None, r["proxy"])))


def summarise_transfer(rows: Rows) -> Iterator[Number]:
    """For each plan: no plan, what is withheld, and how often plans hold for whom."""
    for plan in dict.fromkeys(
        (str(r["proxy"]), str(r["guard"]), number(r["amount"])) for r in rows
    ):
        mine = [r for r in rows if (r["proxy"], r["guard"], r["amount"]) == plan]
        line = plan_line(*plan)
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


def findings_transfer(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What margins, leads and second attackers buy, and what they cost."""
    for proxy in dict.fromkeys(str(r["proxy"]) for r in rows):
        for name in _attackers(rows, proxy):
            yield from _margin_sentences(rows, numbers, proxy, name)
            if " + " not in proxy:
                yield from _lead_sentences(rows, proxy, name)
        yield from _second_sentences(rows, numbers, proxy)
    yield from unproved(rows)


def _margin_sentences(rows: Rows, numbers: Numbers, proxy: str, name: str) -> Iterator[str]:
    """What each margin buys, on the collections that have a plan with it and without."""
    start = by_column(numbers, plan_line(proxy, "θ", 0))
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
        line = by_column(numbers, plan_line(proxy, "θ", margin))
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


def _lead_sentences(rows: Rows, proxy: str, name: str) -> Iterator[str]:
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


def _second_sentences(rows: Rows, numbers: Numbers, proxy: str) -> Iterator[str]:
    """A second attacker beside a margin against the first alone: for itself, and for a third."""
    first, _, other = proxy.partition(" + ")
    largest = by_column(numbers, plan_line(first, "θ", MARGINS[-1]))
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


def draw_transfer(rows: Rows, numbers: Numbers) -> Figure:
    """Success against photos withheld, one panel for each attacker, a mark for each θ."""
    names = _attackers(rows)
    proxies = list(dict.fromkeys(str(r["proxy"]) for r in rows))
    colours = (LIGHT.kept, LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
    figure, grid = new_panels(len(names), (2.9 * len(names), 3.8), sharey=True, sharex=True)
    handles: Figure = {}
    for axes, name in zip(grid, names, strict=True):
        for proxy, colour, marker in zip(proxies, colours, "os^Dv", strict=False):
            lines = [by_column(numbers, plan_line(proxy, "θ", margin)) for margin in MARGINS]
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
            plan, k = secret_plan(each, times, rng)
            yield _adaptive_row(each, SECRET_LABELS[times], plan, k, times)
        # values that differ by up to half: which of the near-optimal plans is best is chance
        values = [100 + int(rng.integers(51)) for _ in range(each.photos)]
        plan = solve_quietly(each.scores, each.truth, top=TOP, values=values)
        yield _adaptive_row(each, ANY_PLAN, plan, TOP, 1)


def secret_plan(each: Collection, times: int, rng: np.random.Generator) -> tuple[Result, int]:
    """The plan for a k drawn as `protect` draws it: where it cannot be had, a smaller one."""
    k = int(rng.integers(TOP, times * TOP + 1))
    while True:
        plan = solve_quietly(each.scores, each.truth, top=k)
        if plan.kept is not None or k == TOP:
            return plan, k
        k = int(rng.integers(TOP, k))


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
    for kind in kinds_of(rows):
        every = [row for row in rows if row["kind"] == kind]
        for way in (*SECRET_LABELS.values(), ANY_PLAN):
            planned = [r for r in every if r["way"] == way and r["withheld"] is not None]
            line = f"{kind}, {way}"
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


def draw_adaptive(rows: Rows, numbers: Numbers) -> Figure:
    """Success of the best single guess against photos withheld."""
    from matplotlib.ticker import MultipleLocator

    kinds = kinds_of(rows)
    figure, grid = new_panels(len(kinds), (2.9 * len(kinds), 3.3), sharey=True, sharex=True)
    for axes, kind in zip(grid, kinds, strict=True):
        for way, marker, colour in zip(
            (*SECRET_LABELS.values(), ANY_PLAN), "os^Dv", _ADAPTIVE_COLOURS, strict=True
        ):
            line = by_column(numbers, f"{kind}, {way}")
            if BEST_RANK in line:
                hit = line[BEST_RANK]
                low, high = bar(hit, share=True)
                axes.errorbar(
                    [line[WITHHELD].ours], [hit.ours], [[low], [high]], fmt=marker, color=colour,
                    capsize=2, ms=6, label=way,
                )  # fmt: skip
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04), title=kind)
        axes.xaxis.set_major_locator(MultipleLocator(0.1))
    grid[0].set_ylabel("his best guess is right")
    legend_below(figure, grid[0], 3)
    return figure


# subset: Attackers who look at a part of the photos, or distrust some

SUBSET_OTHERS = ("any one photo", *attackers.PARTIAL, "one photo less")
"""The first and the last are the worst case: any kept photo alone, any kept photo gone."""
parts_subset = sample_parts


def measure_subset(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, strategy, and attacker."""
    for each in endangered(source, part):
        before = {name: _holds_for_subset(name, each, range(each.photos)) for name in SUBSET_OTHERS}
        yield from try_strategies(each, STRATEGIES, before, _holds_for_subset)


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


def summarise_subset(rows: Rows) -> list[Number]:
    """How often the place stays out of the top k."""
    return attackers.summarise_strategies(rows, SUBSET_OTHERS)


def advice_subset(kind: str, rows: Rows, numbers: Numbers) -> str:
    """The attackers against whom it helps to hold each photo to the top, too."""
    mine = [row for row in rows if row["kind"] == kind]
    pairs = (stats.same(mine, name, (PLAIN, ALONE)) for name in SUBSET_OTHERS[1:])
    return "".join(
        f" Against {after.column} they hold in {percent(after)}, plans for the sum of the same "
        f"collections in {percent(before)}."
        for before, after in pairs
        if stats.differ(before, after)
    )


def draw_subset(rows: Rows, numbers: Numbers) -> Figure:
    """Holding by attacker, one series for each strategy."""
    return attackers.draw_strategies(rows, numbers, SUBSET_OTHERS)


# correlated: Attackers who know that ten pictures of one fountain are not ten pieces of evidence

CORRELATED_OTHERS = tuple(attackers.REPEATS)
TOGETHER = "the sum, scenes together"
"""Photos of one scene stay or go together: what `--bursts` does to those of one moment."""


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
        tried = try_strategies(each, STRATEGIES | {TOGETHER: together}, before, holds)
        yield from [{**row, "scenes": len(every)} for row in tried]


def scenes_of(source: Source, each: Collection) -> NDArray[np.intp]:
    """Which scene each photo is of: as the simulator made them, or as scores let them be found."""
    if isinstance(source, Simulated) and each.kind == ALBUMS:
        rng = np.random.default_rng([source.seed, 2, each.number])
        cell, _, scene = source.world.staged(rng)
        assert (cell, len(scene)) == (each.truth, each.photos)
        return scene
    return attackers.scenes(each.scores.astype(np.float64))


def summarise_correlated(rows: Rows) -> list[Number]:
    """How often the place stays out of the top k, what it costs, and how many scenes there are."""
    numbers = attackers.summarise_strategies(rows, CORRELATED_OTHERS)
    for kind in kinds_of(rows):
        mine = [row for row in rows if row["kind"] == kind and row["way"] == PLAIN]
        numbers.append(Number(f"{kind}, {PLAIN}", "scenes", *stats.mean_of(mine, "scenes")))
    return numbers


def findings_correlated(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How plans hold against the worst of these attackers."""
    for kind in kinds_of(rows):
        plain, careful, bursts = (
            by_column(numbers, f"{kind}, {way}") for way in (PLAIN, CAREFUL, TOGETHER)
        )
        had = [
            name
            for name in CORRELATED_OTHERS
            if name in plain and name in careful and name in bursts
        ]
        if not had:
            continue
        worst = min(had, key=lambda name: plain[name].ours)
        text = (
            f"{kind} ({plain['scenes'].ours:.1f} scenes): against somebody who discounts "
            f"near-repeats ({worst}) plans for the sum hold in {percent(plain[worst])}, with a "
            f"margin of 0.1 in {percent(careful[worst])} ({amount(careful[MORE], sign=True)} "
            f"withheld on the same collections), with scenes kept or withheld whole in "
            f"{percent(bursts[worst])} "
        )
        if MORE in bursts:
            text += (
                f"({amount(bursts[MORE], sign=True)} withheld on the same collections, "
                f"{amount(bursts[WITHHELD])} in all; no plan for {percent(bursts[NO_PLAN])}, "
                f"otherwise for {percent(plain[NO_PLAN])}). "
            )
        before, after = stats.same([r for r in rows if r["kind"] == kind], worst, (PLAIN, TOGETHER))
        gain = "no gain that these would show"
        if after.ours > before.ours and stats.differ(before, after):
            gain = "scenes that stay or go together hold better"
        text += f"Where both have a plan they hold in {percent(after)} instead of "
        yield f"{text}{percent(before)}: {gain}."
    yield from unproved(rows)


def draw_correlated(rows: Rows, numbers: Numbers) -> Figure:
    """Holding by attacker, one series for each strategy."""
    return attackers.draw_strategies(rows, numbers, CORRELATED_OTHERS)
