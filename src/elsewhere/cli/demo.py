"""`elsewhere demo`: greedy against optimal, on a simulated album."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli.program import one_sentence
from elsewhere.protect.explain import count

if TYPE_CHECKING:
    from rich.console import Console


_DONE = {
    "optimal": "Found, proved and checked again",
    "feasible": "Found and checked again, but stopped before the proof,",
    "infeasible": "Proved that there is no plan",
    "unknown": "Stopped without a plan or a proof",
}


def command(
    photos: Annotated[
        int, typer.Option(min=2, max=1000, metavar="N", help="How many photos.")
    ] = 64,
    top: Annotated[
        int, typer.Option(min=1, max=100, metavar="K", help="Hide the place from the top k.")
    ] = 5,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Another number, another album.")
    ] = 1,
) -> None:
    """Plan on a simulated album: what greedy withholds, and what is really needed.

    The album is made up by the simulator, whose scores are like those of a real model; no photo is
    read, and nothing leaves the machine.

    Examples:

    - `elsewhere demo`

    - `elsewhere demo --photos 128 --top 10 --seed 7`
    """
    with one_sentence():
        from elsewhere.cli.printing import printed

        with printed() as console:
            _show(console, photos, top, seed)


def _show(console: Console, photos: int, top: int, seed: int) -> None:
    import time

    import numpy as np
    from rich import box
    from rich.table import Table

    import elsewhere
    from elsewhere.lab.simulator import world
    from elsewhere.protect.baselines import greedy
    from elsewhere.protect.baselines.counting import counts
    from elsewhere.protect.problem import plain

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
        f"{_DONE[plan.status]} in {_time(took)}. The promise is against this attacker; a better "
        "one may exist."
    )


def _time(seconds: float) -> str:
    """A time for people.

    >>> _time(0.0123), _time(59.96)
    ('12 ms', '60.0 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
