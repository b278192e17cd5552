"""Closing the gap between a bound and a plan, so that stopping early still says something.

The main search looks through the whole gap at once, improving the plan on the way: that is
quickest where the first plan is nearly the best. Where it takes long, it takes turns with
yes-or-no questions in between, which raise the bound (and sometimes find a better plan) by
narrowing the gap from below.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import Search

FIRST_TURN = 100_000
"""Work that the main search may do before the first question is asked."""
SEVERAL_TURN = 3_000
"""The same for several attackers, where the first plan may be far from the best."""
FIRST_QUESTION = 1_500
"""Work spent on a question before an easier one is asked."""
HALFWAY = 0.6
"""Where in the gap to ask: below the middle of the work, as proofs get harder upwards."""


class Task(Protocol):
    """Something to be made small by searching."""

    value: int
    """The least value that is known."""

    def search(self, cutoff: int, limits: Limits, *, one_is_enough: bool) -> Search:
        """A search for values of at most `cutoff` that keeps `value` up to date."""

    def tighten(self, search: Search) -> None:
        """Tell a search that only values below `value` are of interest now."""


def close_gap(task: Task, low: int, limits: Limits, turn: int = FIRST_TURN) -> int:
    """Narrow [low, task.value] until both meet or the limits are met; the bound that is proved.

    A question that came to its end without an answer proves that nothing is as low as its cutoff.
    """
    if low >= task.value:
        return low
    main = task.search(task.value - 1, Limits(), one_is_enough=False)
    questions = _Questions(task)
    while not limits.spent():
        task.tighten(main)
        if _run(main, turn, limits):
            return task.value
        low = questions.ask(low, turn, limits)
        if low >= task.value:
            break
        turn *= 2
    return low


class _Questions:
    """Asks whether a value in between can be had, and learns how hard a question may be."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.patience = FIRST_QUESTION
        self.where = HALFWAY

    def ask(self, low: int, turn: int, limits: Limits) -> int:
        """Ask for one turn; the bound proved by then."""
        until = limits.done + turn
        while low < self.task.value and limits.done < until and not limits.spent():
            cutoff = low + int(self.where * (self.task.value - 1 - low))
            question = self.task.search(cutoff, Limits(), one_is_enough=True)
            finished = _run(question, self.patience, limits)
            if self.task.value <= cutoff:
                continue
            if finished:
                low = cutoff + 1
                self.where = min(HALFWAY, 1.5 * self.where)
            elif cutoff > low and self.where > 0.02:
                self.where /= 2
            else:
                self.where, self.patience = HALFWAY, 2 * self.patience
        return low


def _run(search: Search, turn: int, limits: Limits) -> bool:
    """Let a search do some more work, counted in `limits`; whether it came to its end."""
    search.limits = replace(limits, work=min(limits.work, limits.done + turn))
    finished = search.run()
    limits.done = search.limits.done
    return finished
