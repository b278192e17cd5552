"""Attackers who know that ten pictures of one fountain are not ten pieces of evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab import attackers, statistics as stats
from elsewhere_lab.attackers import CAREFUL, PLAIN, STRATEGIES, try_strategies
from elsewhere_lab.collections import ALBUMS, TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.plots import Figure
from elsewhere_lab.solving import unproved
from elsewhere_lab.sources import Simulated, Source
from elsewhere_lab.statistics import MORE, NO_PLAN, WITHHELD, amount, by_column, percent
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale

OTHERS = tuple(attackers.REPEATS)
TOGETHER = "the sum, scenes together"
"""Photos of one scene stay or go together: what `--bursts` does to those of one moment."""


def parts(source: Source, scale: Scale) -> list[Part]:
    """Albums; of real photos collections of 32 too. Simulated ones have no repeats at all."""
    kinds = (ALBUMS,) if source.kind == "simulator" else (ALBUMS, "R-32")
    return sample_parts(source, scale, kinds)


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each strategy."""
    for each in endangered(source, part):
        scene = scenes(source, each)

        def holds(
            name: str, each: Collection, kept: Sequence[int], scene: NDArray[np.intp] = scene
        ) -> bool:
            power, scene_of = attackers.REPEATS[name], scene[list(kept)]
            return attackers.holds(
                lambda shown: attackers.by_scene(shown, scene_of, power),
                each.scores[list(kept)], each.truth, TOP,
            )  # fmt: skip

        before = {name: holds(name, each, range(each.photos)) for name in OTHERS}
        every = [np.flatnonzero(scene == number).tolist() for number in np.unique(scene)]
        together = {"groups": [photos for photos in every if len(photos) > 1]}
        tried = try_strategies(each, STRATEGIES | {TOGETHER: together}, before, holds)
        yield from [{**row, "scenes": len(every)} for row in tried]


def scenes(source: Source, each: Collection) -> NDArray[np.intp]:
    """Which scene each photo is of: as the simulator made them, or as scores let them be found."""
    if isinstance(source, Simulated) and each.kind == ALBUMS:
        rng = np.random.default_rng([source.seed, 2, each.number])
        cell, _, scene = source.world.staged(rng)
        assert (cell, len(scene)) == (each.truth, each.photos)
        return scene
    return attackers.scenes(each.scores.astype(np.float64))


def summarise(rows: Rows) -> list[Number]:
    """How often the place stays out of the top k, what it costs, and how many scenes there are."""
    numbers = attackers.summarise_strategies(rows, OTHERS)
    for kind in kinds_of(rows):
        mine = [row for row in rows if row["kind"] == kind and row["way"] == PLAIN]
        numbers.append(Number(f"{kind}, {PLAIN}", "scenes", *stats.mean_of(mine, "scenes")))
    return numbers


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How plans hold against the worst of these attackers."""
    for kind in kinds_of(rows):
        plain, careful, bursts = (
            by_column(numbers, f"{kind}, {way}") for way in (PLAIN, CAREFUL, TOGETHER)
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
        before, after = stats.same([r for r in rows if r["kind"] == kind], worst, (PLAIN, TOGETHER))
        gain = "no gain that these would show"
        if after.ours > before.ours and stats.differ(before, after):
            gain = "scenes that stay or go together hold better"
        text += f"Where both have a plan they hold in {percent(after)} instead of "
        yield f"{text}{percent(before)}: {gain}."
    yield from unproved(rows)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Holding by attacker, one series for each strategy."""
    return attackers.draw_strategies(rows, numbers, OTHERS)
