"""The frontier of what is on the table, as a job that tells each point as it is solved."""

from __future__ import annotations

from elsewhere.app.api import models
from elsewhere.app.api.models import Event
from elsewhere.app.sessions.answers import PlannedAnswer, as_typed
from elsewhere.app.sessions.jobs import Job
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError
from elsewhere.service.frontier import greedy_frontier, greedy_needs, steps, tables
from elsewhere.service.planning.plan_album import plan_album

PATIENCE = 10.0
"""Seconds; points stay open where that is not enough."""
ASIDE = 1.0
"""Seconds for how few photos the top itself would need."""


def start_frontier(table: Workspace) -> Job:
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
        few = _exactly(entry, job)
        if few is not None:
            job.say(Event(exactly=few))
        scores = tables(entry.seen, plan, entry.posted)
        greedy = greedy_frontier(plan.plan.promise, scores)
        greedy_k = dict(greedy)
        for step in steps(plan, scores, greedy, patience=PATIENCE, stopped=job.unwanted):
            job.check()
            job.say(
                Event(
                    point=models.Point(
                        withheld=step.withheld,
                        protected_k=step.protected,
                        bound=step.bound,
                        proved=step.proved,
                        greedy_k=greedy_k.get(step.withheld),
                    )
                )
            )
        if plan.plan.found and plan.top is not None:
            would = greedy_needs(greedy, plan.top)
            if would is not None:
                job.say(Event(greedy=would))

    return table.jobs.start("frontier", work, about=entry.wishes)


def _exactly(entry: PlannedAnswer, job: Job) -> int | None:
    """How many photos the top that was asked for needs, where a larger one was drawn for it."""
    wishes = entry.wishes
    if wishes.budget is not None or wishes.exact_top or entry.plan is None:
        return None
    if not entry.plan.plan.found:
        return None
    exact = wishes.model_copy(update={"exact_top": True})
    found = plan_album(
        entry.seen,
        entry.places,
        as_typed(exact, ASIDE),
        posted=entry.posted,
        stopped=job.unwanted,
        reasons=False,
    )
    return len(found.plan.withheld) if found.plan.found else None
