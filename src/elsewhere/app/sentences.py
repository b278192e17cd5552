"""What the page says of an album and its plan, in the words of the command line's verdict.

The page shows these as they are: it makes no sentence of its own about what is hidden, so there is
one place where the words are chosen. A place is called by what is hidden of it (its region, its
country), and no k is named but the one that was asked for.
"""

from __future__ import annotations

from elsewhere.app import contract
from elsewhere.app.entries import Entry
from elsewhere.job.planning.album_plan import AlbumPlan
from elsewhere.job.planning.truths import hidden_names
from elsewhere.job.planning.watches import Watch
from elsewhere.protect.explain import number
from elsewhere.protect.plan import Status
from elsewhere.report.words import chance, ordinal
from elsewhere.words import counted, listed


def found(entry: Entry, guess: str) -> str:
    """What the first attacker makes of the album as it is; `guess` where no place is known."""
    attack, photos = entry.seen.attacks[0], counted(len(entry.seen.photos), "photo")
    if entry.looks is None:
        return f"From these {photos} {attack.called} guesses {guess}."
    ranks: dict[str, int] = {}
    for view in entry.looks.before:
        if view.scorer == attack.word:  # its own photos may give a place away more than all do
            ranks[view.hides] = min(view.rank, ranks.get(view.hides, view.rank))
    told = listed([f"{name} {ordinal(rank)}" for name, rank in ranks.items()])
    return f"From these {photos} {attack.called} finds {told} of {attack.about.cells} places."


def headline(entry: Entry) -> str:
    """The one sentence on top: what is found, and what the plan does about it."""
    assert entry.plan is not None
    return f"{found(entry, '').rstrip('.')}; {_but(entry, entry.plan)}."


def promised(entry: Entry) -> int:
    """The top that a plan keeps the places out of: the one asked for, or what a budget reached."""
    assert entry.plan is not None
    if not entry.plan.plan.found:
        return 0
    top = entry.plan.wishes.top
    return entry.plan.plan.protected_k if top is None else top


def proof(entry: Entry) -> str:
    """How sure the plan is, in a few words."""
    assert entry.plan is not None
    plan, budget = entry.plan.plan, entry.plan.wishes.budget is not None
    out = f"{counted(len(plan.withheld), 'photo')} withheld"
    if plan.status == Status.INFEASIBLE:
        return "No plan can do this: proved" if entry.proved else "No plan can do this"
    if plan.status == Status.UNKNOWN:
        return "No plan was found yet"
    if plan.status != Status.OPTIMAL:
        if budget or plan.promise.values is not None:
            return f"{out}: the best so far"
        return f"{out}: the best so far, at least {number(plan.bound)} must go"
    if budget:
        return f"{out}: proved the best they can do"
    if not plan.withheld:
        return "Nothing to withhold: proved"
    least = "the fewest" if plan.promise.values is None else "the least loss"
    return f"{out}: proved {least}"


def alone(watch: Watch, rank: int, likely: float) -> str:
    """Where one photo by itself puts what is hidden."""
    return f"Alone it puts {watch.hides} {ordinal(rank)} ({chance(likely)})."


def change(
    watch: Watch, now: contract.View | None, then: contract.View | None, *, shared: bool
) -> str:
    """What it would change if one photo went the other way, seen by one watch."""
    whose = "its own photos" if watch.own and not watch.whole else "the whole album"
    if now is None or then is None:
        return f"It is the only photo of {watch.hides} that would be shared."
    if now.rank == then.rank:
        return f"It moves {watch.hides} no place up or down, from {whose}."
    verb = "Without it" if shared else "With it"
    return (
        f"{verb} {watch.hides} goes from {ordinal(now.rank)} to {ordinal(then.rank)}, from {whose}."
    )


def _but(entry: Entry, album_plan: AlbumPlan) -> str:
    """The second half of the headline."""
    plan, photos = album_plan.plan, len(entry.seen.photos)
    if plan.status == Status.INFEASIBLE:
        if entry.posted:
            return "with what is public already, no plan hides that"
        pinned = entry.wishes.keep or entry.wishes.drop
        return f"{'as things are pinned, ' if pinned else ''}no plan hides that"
    if plan.status == Status.UNKNOWN:
        return "a plan is being looked for"
    if not entry.posted.fresh(plan.kept, photos):
        return "every photo that may be kept is public already"
    several = len(hidden_names(album_plan.hidden, album_plan.wishes.width)) > 1
    what = f"withhold {len(plan.withheld) or 'nothing'} and"
    k = promised(entry)
    if not k:
        return f"{what} {'one of them' if several else 'it'} may still be found first"
    among = "the first guess" if k == 1 else f"among the first {k}"
    return f"{what} {'none is' if several else 'it is not'} {among}"
