"""Attackers who know that ten pictures of one fountain are not ten pieces of evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab import attackers
from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD, same
from elsewhere_lab.sampling import TOP, in_part, kinds_of, means, parts
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Simulated, Source
from elsewhere_lab.statistics import amount, apart, found, percent
from elsewhere_lab.strategies import CAREFUL, PLAIN, WAYS, drawn, planned, summary
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale

OTHERS = tuple(attackers.REPEATS)
TOGETHER = "the sum, scenes together"
"""Photos of one scene stay or go together: what `--bursts` does to those of one moment."""


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """Albums; of real photos collections of 32 too. Simulated ones have no repeats at all."""
    return parts(source, scale, ("Albums",) if source.kind == "simulator" else ("Albums", "R-32"))


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    rows: list[Row] = []
    for each in in_part(source, part):
        if ahead(each.scores, each.truth) < TOP:
            scene = scenes(source, each)

            def holds(
                name: str,
                each: Collection,
                kept: Sequence[int],
                scene: NDArray[np.intp] = scene,
            ) -> bool:
                power, mine = attackers.REPEATS[name], scene[list(kept)]
                return attackers.holds(
                    lambda shown: attackers.by_scene(shown, mine, power),
                    each.scores[list(kept)], each.truth, TOP,
                )  # fmt: skip

            before = {name: holds(name, each, range(each.photos)) for name in OTHERS}
            together = [np.flatnonzero(scene == one).tolist() for one in np.unique(scene)]
            groups = [group for group in together if len(group) > 1]
            ways = WAYS | {TOGETHER: {"groups": groups}}
            rows += [{**row, "scenes": len(together)} for row in planned(each, ways, before, holds)]
    return rows


def scenes(source: Source, each: Collection) -> NDArray[np.intp]:
    """Which scene each photo is of: as the simulator made them, or as scores let them be found."""
    if isinstance(source, Simulated) and each.kind == "Albums":
        made = np.random.default_rng([source.seed, 2, each.number])
        cell, _, scene = source.world.staged(made)
        assert (cell, len(scene)) == (each.truth, each.photos)
        return scene
    return attackers.scenes(each.scores.astype(np.float64))


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How often the place stays out of the top k, what it costs, and how many scenes there are."""
    numbers = summary(rows, OTHERS)
    for kind in kinds_of(rows):
        mine = [row for row in rows if row["kind"] == kind and row["way"] == PLAIN]
        numbers.append(Number(f"{kind}, {PLAIN}", "scenes", *means(mine, "scenes")))
    return numbers


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        plain, careful, bursts = (
            found(numbers, f"{kind}, {way}") for way in (PLAIN, CAREFUL, TOGETHER)
        )
        had = [name for name in OTHERS if name in plain and name in careful and name in bursts]
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
        mine = [row for row in rows if row["kind"] == kind]
        before, after = same(mine, worst, (PLAIN, TOGETHER))
        text += (
            f"Where both have a plan they hold in {percent(after)} instead of {percent(before)}: "
            + (
                "scenes that stay or go together hold better."
                if after.ours > before.ours and apart(before, after)
                else "no gain that these would show."
            )
        )
        told.append(text)
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Holding by attacker, one line for each way to plan."""
    return {"correlated": drawn(rows, numbers, OTHERS)}


EXPERIMENT = Experiment(
    name="correlated",
    title="Attackers who discount near-repeats",
    about=(
        "Photos of one scene repeat each other, and a sum counts each of them in full. These "
        "attackers count a scene once, or n photos of it as √n. In the simulator they are told "
        "which photos are of one scene; of real photos nobody knows, and they take those whose "
        "scores correlate by .9 and more. How often plans keep the place out of their first five, "
        "over the collections in which they had it and that have a plan; with scenes together, "
        "each scene stays or goes as a whole. One place: an album of the truth file."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
