"""The frontier of what is on the table, as a job that tells each point as it is solved."""

from __future__ import annotations

from elsewhere.app import contract
from elsewhere.app.contract import Event
from elsewhere.app.jobs import Job
from elsewhere.app.table import Table
from elsewhere.errors import InputError
from elsewhere.job.showing.greedy import greedy_withholds
from elsewhere.job.showing.stairs import greedy_stairs, steps, tables

PATIENCE = 10.0
"""Seconds; points stay open where that is not enough."""


def start_frontier(table: Table) -> Job:
    """The frontier of the wishes that count now."""
    entry = table.desk.now
    plan = entry.plan
    if plan is None:
        raise InputError("no place is known yet, so there is nothing to withhold photos for")
    for running in table.jobs.running("frontier"):
        if running.about is entry.wishes and not running.cancelled.is_set():
            return running  # another window asked for it already
    table.jobs.cancel("frontier")

    def work(job: Job) -> None:
        scores = tables(entry.seen, plan, entry.posted)
        greedy = greedy_stairs(plan.plan.promise, scores)
        greedy_k = dict(greedy)
        for step in steps(plan, scores, greedy, patience=PATIENCE, stopped=job.cancelled):
            job.check()
            job.say(
                Event(
                    point=contract.Point(
                        withheld=step.withheld,
                        protected_k=step.protected,
                        bound=step.bound,
                        proved=step.proved,
                        greedy_k=greedy_k.get(step.withheld),
                    )
                )
            )
        if plan.plan.found and not entry.posted:
            would = greedy_withholds(entry.seen, plan)
            if would is not None:
                job.say(Event(greedy=len(would)))

    return table.jobs.start("frontier", work, about=entry.wishes)
