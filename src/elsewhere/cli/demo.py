"""`elsewhere demo`: greedy against optimal, on a simulated album."""

from __future__ import annotations

from typing import Annotated

import typer

from elsewhere.cli.program import count, one_sentence


def command(
    photos: Annotated[int, typer.Option(min=2, max=1000, help="How many photos.")] = 64,
    top: Annotated[int, typer.Option(min=1, max=100, help="Hide the place from the top k.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Another number, another album.")] = 1,
) -> None:
    """Plan on a simulated album: what greedy withholds, and what is really needed.

    The album is made up by the simulator, whose scores are like those of a real model; no photo is
    read, and nothing leaves the machine.

    Examples:

    - `elsewhere demo`

    - `elsewhere demo --photos 128 --top 10 --seed 7`
    """
    with one_sentence():
        _show(photos, top, seed)


def _show(photos: int, top: int, seed: int) -> None:
    import time

    import numpy as np
    from rich import box
    from rich.console import Console
    from rich.table import Table

    import elsewhere
    from elsewhere.lab.simulator import world
    from elsewhere.protect import greedy
    from elsewhere.protect.counting import counts
    from elsewhere.protect.problem import plain

    console = Console(highlight=False)
    scores, truth = world("w1", seed=seed).collection(np.random.default_rng(seed), photos)
    problem = plain(scores.values, truth, need=top)
    alone = int(np.median([counts(problem, np.arange(photos) == i)[0] for i in range(photos)]))
    together = counts(problem, np.ones(photos, bool))[0]
    console.print(
        f"{count(photos, 'photo')} taken in cell {truth} of {scores.cells} (simulated). A typical "
        f"one alone leaves {count(alone, 'cell')} more likely than the true one; together they "
        f"leave {together}."
    )

    start = time.perf_counter()
    plan = elsewhere.protect(scores, truth, top=top)
    took = time.perf_counter() - start
    baseline = greedy.solve(problem)

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("plan")
    for name in ("withheld", "share", "cells ahead of the truth"):
        table.add_column(name, justify="right")
    table.add_row("share everything", "0", "0 %", str(together))
    if baseline.kept is not None:
        gone = int((~baseline.kept).sum())
        ahead = counts(problem, baseline.kept)[0]
        table.add_row("greedy", str(gone), f"{gone / photos:.0%}".replace("%", " %"), str(ahead))
    if plan.found:
        gone = len(plan.withheld)
        share = f"{gone / photos:.0%}".replace("%", " %")
        table.add_row(f"elsewhere ({plan.status})", str(gone), share, str(plan.protected_k))
    console.print(table)
    console.print(plan.explanation)
    console.print(
        f"Found, proved and checked again in {took * 1000:.0f} ms. The promise is against this "
        "attacker; a better one may exist."
    )
