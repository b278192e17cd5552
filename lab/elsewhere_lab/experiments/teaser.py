"""Figure 1: sixteen photos, what greedy withholds and what is needed, and where the guesses lie."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from elsewhere.globe import countries
from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import partitions, spread
from elsewhere_lab.experiments import say
from elsewhere_lab.plots import Figure
from elsewhere_lab.solving import fewest, greedy_fewest, greedy_steps
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

TOP = 5
KIND = "R-16"
PAPER = {"optimal": 4, "greedy": 12}
PLANS = ("everything", "greedy", "optimal")
_NAME = 33  # letters of a cell's name that fit beside its bar
_SHORT = {"United States": "USA", "United Kingdom": "UK"}
_LEAST = 3.0  # degrees of latitude that a map shows at least: enough for a coast line
_SHAPE = 1.9  # how many times as wide as high a map is
_EMPTY: dict[str, Value] = dict.fromkeys(
    ("what", "plan", "item", "rank", "truth", "value", "name", "lat", "lon")
)


def parts_teaser(source: Source, scale: Scale) -> list[Part]:
    """One part: the collections of up to 128 cells."""
    return [Part("all", {"cells": spread(source.cells, scale.cells)[:128]})]


def measure_teaser(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """The chosen collection: for each plan its photos, and its first cells with their belief."""
    chosen, searched = _choose(source, part.settings["cells"])
    if chosen is None:
        return
    each, greedy, withheld = chosen
    order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
    gone: dict[str, set[int]] = {"everything": set(), "optimal": set(withheld)}
    gone["greedy"] = set(order[:greedy].tolist())
    yield _EMPTY | {"what": "looked at", "value": searched}
    for plan in PLANS:
        kept = [photo for photo in range(each.photos) if photo not in gone[plan]]
        total = each.scores[kept].astype(float).sum(axis=0)
        belief = np.exp(total - np.logaddexp.reduce(total))
        first = np.argsort(-total, kind="stable")[:TOP].tolist()
        for cell in dict.fromkeys((*first, each.truth)):
            lat, lon = source.on_earth(cell) or (None, None)
            yield {
                "what": "cell", "plan": plan, "item": cell,
                "rank": int((total > total[cell]).sum()) + 1, "truth": int(cell == each.truth),
                "value": round(float(belief[cell]), 6), "name": source.cell_name(cell), "lat": lat,
                "lon": lon,
            }  # fmt: skip
        for photo in range(each.photos):
            yield _EMPTY | {
                "what": "photo", "plan": plan, "item": photo, "truth": int(photo in gone[plan]),
                "value": round(float(each.scores[photo, each.truth]), 3),
            }  # fmt: skip


def _choose(
    source: Source, cells: list[int]
) -> tuple[tuple[Collection, int, tuple[int, ...]] | None, int]:
    """The collection nearest to the paper's example with what plans withhold; of how many."""
    chosen = None
    nearest, searched = 99, 0
    for cell in cells:
        for each in partitions(source, cell, KIND, 1):
            searched += 1
            steps = greedy_steps(each.scores, each.truth)
            greedy = greedy_fewest(steps, TOP)
            if greedy is None or greedy < PAPER["greedy"] - 3 or steps[0]:
                continue  # too tame, whatever the best plan is; or the place was not found at once
            withheld = fewest(each.scores, each.truth, TOP).withheld
            distance = abs(greedy - PAPER["greedy"]) + abs(len(withheld) - PAPER["optimal"])
            if distance < nearest:
                nearest, chosen = distance, (each, greedy, withheld)
    return chosen, searched


def withheld(rows: Rows, plan: str) -> list[int]:
    """The photos that a plan withholds."""
    photos = [row for row in rows if row["what"] == "photo" and row["plan"] == plan]
    return [int(number(row["item"])) for row in photos if row["truth"]]


def guesses(rows: Rows, plan: str) -> list[Row]:
    """The first guesses that a plan leaves, and the truth, by rank."""
    cells = [row for row in rows if row["what"] == "cell" and row["plan"] == plan]
    return sorted(cells, key=lambda row: number(row["rank"]))


def rank_of_truth(rows: Rows, plan: str) -> int:
    """Where the truth stands among them."""
    return int(number(next(row["rank"] for row in guesses(rows, plan) if row["truth"])))


def summarise_teaser(rows: Rows) -> Iterator[Number]:
    """Photos withheld and the rank of the truth."""
    for plan in PLANS if rows else ():
        gone, paper = float(len(withheld(rows, plan))), PAPER.get(plan)
        theirs = None if paper is None else float(paper)
        yield Number(plan, "photos withheld", gone, paper=theirs)
        yield Number(plan, "rank of the truth", float(rank_of_truth(rows, plan)))


def findings_teaser(rows: Rows, numbers: Numbers) -> list[str]:
    """That it was chosen, of how many, and that the paper's was, too."""
    if not rows:
        return ["No collection here is as striking as the paper's example; run a larger scale."]
    searched = int(number(next(row["value"] for row in rows if row["what"] == "looked at")))
    ours = {plan: len(withheld(rows, plan)) for plan in PAPER}
    return [say("teaser", "chosen", searched=searched, paper=PAPER, ours=ours)]


def draw_teaser(rows: Rows, numbers: Numbers) -> Figure:
    """What each photo says and who withholds it; the first guesses, on a map where there is one."""
    if not rows:
        return None
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    earth = any(row["lat"] is not None for row in rows)
    maps = [f"map of {plan}" for plan in PLANS]
    layout: list[Any] = [["strip"] * 3, *([maps] if earth else []), list(PLANS)]
    tall = (1.0, *((1.25,) if earth else ()), 1.15)
    drawn, grid = plt.subplot_mosaic(
        layout, figsize=(10.2, 2.1 * sum(tall) + 0.4), height_ratios=tall
    )
    _strip(grid["strip"], rows)
    for plan in PLANS:
        if earth:
            _map(grid[f"map of {plan}"], guesses(rows, plan))
        _ranks(grid[plan], guesses(rows, plan))
        head = grid[f"map of {plan}"] if earth else grid[plan]
        gone = len(withheld(rows, plan))
        rank = rank_of_truth(rows, plan)
        shared = f", {gone} withheld" if gone else " shared"
        head.set_title(f"{plan}{shared}: truth at rank {rank}", fontsize=9)
    handles, _ = grid["strip"].get_legend_handles_labels()
    truth, decoy = LIGHT.truth, LIGHT.decoy
    for mark, look in (
        ("o", {"mfc": "none" if earth else truth, "mec": truth, "mew": 2, "label": "truth"}),
        ("D", {"mfc": decoy, "mec": decoy, "label": "other guess, with its rank"}),
    ):
        handles.append(Line2D([], [], ls="none", marker=mark if earth else "s", ms=7, **look))
    drawn.legend(handles=handles, loc="outside lower center", ncols=4)
    return drawn


def _strip(axes: Any, rows: Rows) -> None:
    photos = [r for r in rows if r["what"] == "photo" and r["plan"] == "optimal"]
    shown = np.exp([number(r["value"]) for r in photos])
    axes.bar(range(len(shown)), shown, width=0.7, color=LIGHT.land, edgecolor=LIGHT.faint)
    for plan, mark, colour, height in (
        ("greedy", "P", LIGHT.baseline, 1.36), ("optimal", "X", LIGHT.withheld, 1.16),
    ):  # fmt: skip
        gone = withheld(rows, plan)
        axes.plot(
            gone, [height * shown.max()] * len(gone), mark, color=colour, ms=7, ls="none",
            label=f"withheld by {plan} ({len(gone)})",
        )  # fmt: skip
    axes.set(xticks=range(len(shown)), xticklabels=[str(i + 1) for i in range(len(shown))])
    axes.set(ylim=(0, 1.5 * shown.max()), xlim=(-0.6, len(shown) - 0.4))
    axes.set(xlabel="photo", ylabel="P(truth | photo)")
    axes.set_title("Sixteen photos of one cell: what each says of it, and who withholds it")
    axes.grid(visible=False, axis="x")


def _map(axes: Any, mine: Rows) -> None:
    """The coast line, the truth's ring and the guesses' ranks."""
    from matplotlib.collections import PolyCollection

    rings = [
        ring[:, ::-1] for code, outline in countries().items() if code != "AQ"
        for ring in outline.rings if len(ring) > 12
    ]  # fmt: skip
    axes.add_collection(
        PolyCollection(rings, fc=LIGHT.land, ec=LIGHT.land, lw=0.3, rasterized=True)
    )
    for row in mine[::-1]:
        lat, lon, rank = (number(row[key]) for key in ("lat", "lon", "rank"))
        if row["truth"]:
            axes.plot(lon, lat, "o", ms=15, mfc="none", mec=LIGHT.truth, mew=2)
        if rank <= TOP:
            axes.plot(lon, lat, "D", ms=9, color=LIGHT.truth if row["truth"] else LIGHT.decoy)
            axes.annotate(
                f"{rank:.0f}", (lon, lat), ha="center", va="center_baseline", color=LIGHT.card,
                fontsize=6.5, fontweight="bold",
            )  # fmt: skip
    # as close as the truth and the guesses allow, with a length to measure by
    lats, lons = (np.array([number(row[key]) for row in mine]) for key in ("lat", "lon"))
    middle = (lats.min() + lats.max()) / 2, (lons.min() + lons.max()) / 2
    narrow = float(np.cos(np.radians(middle[0])))
    high = max(_LEAST, 1.5 * np.ptp(lats), 1.3 * np.ptp(lons) * narrow / _SHAPE)
    wide = high * _SHAPE / narrow
    axes.set(
        ylim=(middle[0] - high / 2, middle[0] + high / 2),
        xlim=(middle[1] - wide / 2, middle[1] + wide / 2),
        aspect=1 / narrow,
    )
    km = 10 ** np.floor(np.log10(high * 111 / 2))
    start = middle[1] - 0.47 * wide, middle[0] - 0.42 * high
    axes.plot([start[0], start[0] + km / 111 / narrow], [start[1]] * 2, color=LIGHT.ink, lw=1.5)
    axes.annotate(
        f"{km:,.0f} km", start, (0, 3), textcoords="offset points", fontsize=7, color=LIGHT.ink
    )
    axes.set(xticks=[], yticks=[])
    axes.set_facecolor(LIGHT.sea)
    axes.grid(visible=False)


def _ranks(axes: Any, mine: Rows) -> None:
    """The first guesses by name, with what is believed of each; the truth wherever it stands."""
    for at, row in enumerate(mine):
        colour = LIGHT.truth if row["truth"] else LIGHT.decoy
        belief = number(row["value"])
        axes.barh(at, belief, color=colour, height=0.62)
        name = _shortened(str(row["name"]))
        beside = f"{number(row['rank']):.0f}  {name}{'  (truth)' if row['truth'] else ''}"
        axes.annotate(
            f" {beside}", (belief, at), va="center", fontsize=7.5,
            color=LIGHT.truth if row["truth"] else LIGHT.ink,
            fontweight="bold" if row["truth"] else "normal",
        )  # fmt: skip
    axes.set(ylim=(len(mine) - 0.4, -0.6), yticks=[], xlim=(0, 2.3), xticks=[0, 0.5, 1])
    axes.set_xlabel("belief")
    axes.grid(visible=False)


def _shortened(name: str) -> str:
    for long, short in _SHORT.items():
        name = name.replace(long, short)
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
