"""One photo at a time: what it costs not to know the rest, and what the ledger is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.service.next_photo import Answer, OneByOne
from elsewhere.solver.requests import read_request
from elsewhere_lab.plots import beside, names_aslant, pick
from elsewhere_lab.sampling import TOP, in_part, kinds_of, means, parts
from elsewhere_lab.solving import ahead, fewest, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, found, percent
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, mean, number

KINDS = ("R-16", "Albums")
LARGEST = 32
"""Albums are cut to so many photos: each of them asks for a plan."""
FORGETFUL, LEDGER, AGAIN, KNOWN, OPTIMUM = (
    "each alone, no ledger", "ledger, each asked once", "ledger, asked again",
    "ledger, the rest known", "all at once",
)  # fmt: skip
POLICIES = (FORGETFUL, LEDGER, AGAIN, KNOWN, OPTIMUM)
_ORDER = 20261117


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way to post it."""
    rows: list[Row] = []
    for each in in_part(source, part):
        scores = each.scores[:LARGEST]
        if ahead(scores, each.truth) >= TOP:
            continue
        order = np.random.default_rng([_ORDER, each.number]).permutation(len(scores)).tolist()
        best = fewest(scores, each.truth, TOP)
        public = {
            FORGETFUL: _alone(scores, each.truth, order),
            LEDGER: _once(scores, each.truth, order),
            AGAIN: _again(scores, each.truth, order),
            KNOWN: _known(scores, each.truth, order),
            OPTIMUM: list(best.kept),
        }
        for policy, out in public.items():
            holds = not out or ahead(scores[list(out)], each.truth) >= TOP
            rows.append(
                {
                    "kind": each.kind, "number": each.number, "photos": len(scores),
                    "policy": policy, "withheld": len(scores) - len(out), "holds": int(holds),
                    "status best": str(best.status),
                }
            )  # fmt: skip
    return rows


def _alone(scores: Any, truth: int, order: Sequence[int]) -> list[int]:
    """Each photo is judged by itself, and what was posted before is forgotten."""
    return [photo for photo in order if ahead(scores[[photo]], truth) >= TOP]


def _once(scores: Any, truth: int, order: Sequence[int]) -> list[int]:
    """A photo goes out when the promise holds with it and what is out; otherwise never."""
    out: list[int] = []
    for photo in order:
        if ahead(scores[[*out, photo]], truth) >= TOP:
            out.append(photo)
    return out


def _again(scores: Any, truth: int, order: Sequence[int]) -> list[int]:
    """The same, but photos that were refused are asked about again until nothing changes."""
    out: list[int] = []
    waiting = list(order)
    while True:
        left = []
        for photo in waiting:
            if ahead(scores[[*out, photo]], truth) >= TOP:
                out.append(photo)
            else:
                left.append(photo)
        if len(left) == len(waiting):
            return out
        waiting = left


def _known(scores: Any, truth: int, order: Sequence[int]) -> list[int]:
    """`elsewhere next` with the whole album before it: photos that would cost others stay back."""
    posting = OneByOne(read_request(scores, truth, top=TOP))
    waiting = list(order)
    while True:
        left = []
        for photo in waiting:
            said = posting.ask(photo)
            if said.answer == Answer.KEEP and said.more == 0:
                posting.post(photo)
            elif said.answer != Answer.WITHHOLD or said.more > 0:
                left.append(photo)
        if len(left) == len(waiting):
            return list(posting.public)
        waiting = left


def summarise(rows: Sequence[Row]) -> list[Number]:
    """The share withheld, and how often the promise holds for what is out in the end.

    All policies are tried on all collections. Where no plan exists nothing is shared at once, and
    all of it counts as withheld; `more` is against all at once, collection by collection.
    """
    result = []
    for kind in kinds_of(rows):
        every = [row for row in rows if row["kind"] == kind]
        best = {row["number"]: _share(row) for row in every if row["policy"] == OPTIMUM}
        for policy in POLICIES:
            mine = [row for row in every if row["policy"] == policy]
            line = f"{kind}, {policy}"
            result.append(Number(line, "withheld", *mean([_share(row) for row in mine])))
            more = [_share(row) - best[row["number"]] for row in mine]
            result.append(Number(line, "more", *mean(more)))
            nothing = [float(row["withheld"] == row["photos"]) for row in mine]
            result.append(Number(line, "nothing shared", *mean(nothing)))
            result.append(Number(line, "holds", *means(mine, "holds")))
    return result


def _share(row: Row) -> float:
    return number(row["withheld"]) / number(row["photos"])


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        line = {policy: found(numbers, f"{kind}, {policy}") for policy in POLICIES}
        if not all(line.values()):
            continue
        lost = line[FORGETFUL]["holds"]
        away = Number(lost.line, lost.column, 1 - lost.ours, lost.error, lost.count)
        text = (
            f"{kind}: planned at once, {amount(line[OPTIMUM]['withheld'])} of the photos are "
            f"withheld; one at a time with the ledger {amount(line[AGAIN]['more'], sign=True)} "
            f"of them more, {amount(line[KNOWN]['more'], sign=True)} when it knows the photos that "
            f"may still come. Without the ledger {percent(away)} of the collections give the place "
            "away in the end, though no photo does alone."
        )
        told.append(text + (" Keep the ledger." if lost.ours < 1 else ""))
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """What is withheld and how often the promise holds, by policy."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.9))
    for axes, column in zip(grid, ("withheld", "holds"), strict=True):
        look = zip(kinds_of(rows), (LIGHT.kept, LIGHT.decoy), "os", strict=False)
        for i, (kind, colour, marker) in enumerate(look):
            values = [pick(numbers, f"{kind}, {policy}", column) for policy in POLICIES]
            share = column == "holds"
            beside(axes, values, (i, 2), colour=colour, marker=marker, name=kind, share=share)
        names_aslant(axes, POLICIES)
        axes.set_ylim(-0.03, 1.04)
    grid[0].set_title("Share of photos withheld")
    grid[1].set_title("The promise holds in the end")
    grid[1].legend(loc="lower right")
    return {"online": figure}


EXPERIMENT = Experiment(
    name="online",
    title="One photo at a time",
    about=(
        "Photos come in a random order and each is posted or not (top 5). Each judged alone, with "
        "no memory; with the ledger of what is public, asked once or again until nothing changes; "
        "with the ledger and the photos that may still come, as `elsewhere next` does it; and the "
        "whole album planned at once, whose plan need not hold after every single step. Over the "
        "collections that were in the top 5, albums cut to 32 photos, every policy on every one; "
        "`more` is against all at once. One place: an album of the truth file."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS, share=0.2),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
