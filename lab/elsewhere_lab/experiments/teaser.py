"""Figure 1: sixteen photos, what greedy withholds and what is needed, and where the guesses lie."""

from collections.abc import Iterator

import numpy as np

from elsewhere_lab.collections import cells_of, partitions
from elsewhere_lab.plots import Figure
from elsewhere_lab.solving import fewest, greedy_fewest, greedy_steps
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

TOP = 5
KIND = "R-16"
PAPER = {"optimal": 4, "greedy": 12}
PLANS = ("everything", "greedy", "optimal")
_COLUMNS = ("what", "plan", "item", "rank", "truth", "value", "name", "lat", "lon")


def parts_teaser(source: Source, scale: Scale) -> list[Part]:
    """One part: the collections of up to 128 cells."""
    return [Part("all", {"cells": cells_of(source, scale)[:128]})]


def measure_teaser(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """The chosen collection: for each plan its photos, and its first cells with their belief."""
    chosen, searched = _choose(source, part.settings["cells"])
    if chosen is None:
        return
    each, greedy, withheld = chosen
    order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
    gone: dict[str, set[int]] = {"everything": set(), "optimal": set(withheld)}
    gone["greedy"] = set(order[:greedy].tolist())
    yield _row(what="looked at", value=searched)
    for plan in PLANS:
        kept = [photo for photo in range(each.photos) if photo not in gone[plan]]
        total = each.scores[kept].astype(float).sum(axis=0)
        belief = np.exp(total - np.logaddexp.reduce(total))
        first = np.argsort(-total, kind="stable")[:TOP].tolist()
        for cell in dict.fromkeys((*first, each.truth)):
            lat, lon = source.on_earth(cell) or (None, None)
            yield _row(
                what="cell", plan=plan, item=cell, rank=int((total > total[cell]).sum()) + 1,
                truth=int(cell == each.truth), value=round(float(belief[cell]), 6),
                name=source.called(cell), lat=lat, lon=lon,
            )  # fmt: skip
        for photo in range(each.photos):
            score = round(float(each.scores[photo, each.truth]), 3)
            away = int(photo in gone[plan])
            yield _row(what="photo", plan=plan, item=photo, truth=away, value=score)


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


def _row(**fields: Value) -> Row:
    return {column: fields.get(column) for column in _COLUMNS}


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
    return [
        f"One collection of the {searched:,} that were looked at, chosen because it comes nearest "
        f"to the paper's example (greedy {PAPER['greedy']}, optimal {PAPER['optimal']}; here "
        f"greedy {ours['greedy']}, optimal {ours['optimal']}). The paper does not say how its "
        "example was chosen; the averages are in Table 2."
    ]


def draw_teaser(rows: Rows, numbers: Numbers) -> Figure:
    """What each photo says and who withholds it; the first guesses, on a map where there is one."""
    from elsewhere_lab.teaser_figure import figure

    return figure(rows) if rows else None
