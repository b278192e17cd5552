"""What the page says of an album and its plan, in the words of the command line's verdict.

The page shows these as they are: it makes no sentence of its own about what is hidden, so there is
one place where the words are chosen. A place is called by what is hidden of it (its region, its
country). The k that is named is the one that the plan reaches, in the headline as on the slider and
the map; where a top was drawn in secret it is at least the one drawn, which is not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elsewhere.album import SkippedFile
from elsewhere.app.api import models
from elsewhere.app.sessions.answers import PlannedAnswer
from elsewhere.app.sessions.jobs import left_of
from elsewhere.errors import NoPhotoError
from elsewhere.report.numbers import chance, ordinal
from elsewhere.service.planning.alternatives import without_options
from elsewhere.service.planning.hidden_zones import hidden_names
from elsewhere.service.planning.plan_album import AlbumPlan
from elsewhere.service.planning.secret_top import TIMES
from elsewhere.service.threats import Threat
from elsewhere.service.verdict import accuracy
from elsewhere.solver.explain import number_text
from elsewhere.values.plan import Status
from elsewhere.values.wording import counted, listed

FOUND = 25
"""A place that comes further down than this is not found: nobody looks through so many."""


def plain(sentence: str) -> str:
    """A sentence of the command line as it stands on a page: without options, with a capital."""
    said = without_options(sentence)
    return said[:1].upper() + said[1:]


def found(entry: PlannedAnswer, guess: str) -> str:
    """What the first attacker makes of the album as it is; `guess` where no place is known."""
    attack, photos = entry.seen.attacks[0], counted(len(entry.seen.photos), "photo")
    if entry.looks is None:
        return f"From these {photos} {attack.called} guesses {guess}."
    cells = attack.about.cells
    ranks: dict[str, int] = {}
    for view in entry.looks.before:
        if view.scorer == attack.word:  # its own photos may give a place away more than all do
            ranks[view.hides] = min(view.rank, ranks.get(view.hides, view.rank))
    seen = {name: rank for name, rank in ranks.items() if rank <= FOUND}
    if not seen:
        missed = listed([f"{name} ({ordinal(rank)} of {cells})" for name, rank in ranks.items()])
        return f"From these {photos} {attack.called} does not find {missed}."
    if len(ranks) > 1 and set(ranks.values()) == {1}:
        each = "each 1st, from its own photos"
        return f"From these {photos} {attack.called} finds {listed(list(ranks))}, {each}."
    told = listed([f"{name} {ordinal(rank)}" for name, rank in ranks.items()])
    return f"From these {photos} {attack.called} finds {told} of {cells} places."


def headline(entry: PlannedAnswer) -> str:
    """The one sentence on top: what is found, and what the plan does about it."""
    assert entry.plan is not None
    return f"{found(entry, '').rstrip('.')}; {_but(entry, entry.plan)}."


def reached(entry: PlannedAnswer) -> int:
    """So many first guesses the plan keeps the places out of."""
    assert entry.plan is not None
    return entry.plan.plan.protected_k if entry.plan.plan.found else 0


def proof(entry: PlannedAnswer) -> str:
    """How sure the plan is, in a few words."""
    assert entry.plan is not None
    plan, budget = entry.plan.plan, entry.plan.wishes.budget is not None
    if plan.status == Status.INFEASIBLE:
        return "No plan can do this: proved" if entry.proved else "No plan can do this"
    if plan.status == Status.UNKNOWN:
        return "No plan was found yet"
    out = _out(entry)
    if not plan.protected_k:
        too_few = "too few to hide it"
        return f"{out}: {too_few}{'' if entry.proved else ', as far as is known'}"
    if plan.status != Status.OPTIMAL:
        if budget or plan.promise.values is not None:
            return f"{out}: the best so far"
        return f"{out}: the best so far, at least {number_text(plan.bound)} must go{_for(entry)}"
    if budget:
        return f"{out}: proved the best they can do"
    if not plan.withheld:
        return f"Nothing to withhold{_for(entry)}: proved"
    least = "the fewest" if plan.promise.values is None else "the least loss"
    return f"{out}: proved {least}{_for(entry)}"


def why_not(plan: AlbumPlan) -> str:
    """Why there is no plan: what is out already comes before what could still be asked."""
    return plan.verdict if plan.blocked is not None else plan.plan.explanation


def against(entry: PlannedAnswer) -> str:
    """Whom the promise is against and how good they are: never left for somebody to unfold."""
    assert entry.plan is not None
    plan, attacks = entry.plan, entry.seen.attacks
    who = listed([attack.called for attack in attacks])
    many = len(hidden_names(plan.hidden, plan.wishes.width))
    better = f"a better one may find {'it' if many == 1 else 'them'}"
    how_good = accuracy(plan.hidden, attacks, plan.wishes).replace(" %", "\u00a0%")
    return f"Against {who}{how_good}; {better}."


def alone_sentence(watch: Threat, rank: int, likely: float) -> str:
    """Where one photo by itself puts what is hidden."""
    return f"Alone it puts {watch.hides} {ordinal(rank)} ({chance(likely)})."


def change(
    watch: Threat, now: models.View | None, then: models.View | None, *, shared: bool
) -> str:
    """What it would change if one photo went the other way, seen by one watch."""
    whose = "its own photos" if watch.own and not watch.whole else "the whole album"
    if now is None or then is None:
        return f"It is the only photo of {watch.hides} that would be shared."
    if now.rank == then.rank:
        return f"{watch.hides} comes {ordinal(now.rank)} with or without it, from {whose}."
    verb = "Without it" if shared else "With it"
    return (
        f"{verb} {watch.hides} goes from {ordinal(now.rank)} to {ordinal(then.rank)}, from {whose}."
    )


def nothing_in(
    paths: Sequence[Path], problem: NoPhotoError, *, own: bool = False
) -> models.Nothing:
    """What was found where no photo was; `own` are files that were dropped on the page."""
    files = [one for one in problem.left if isinstance(one, SkippedFile)]
    hidden = sum(one.kind == "hidden" for one in files)
    met, lost = len(files) - hidden, any(one.lost for one in files)
    folders = [path.name or str(path) for path in paths if path.is_dir()]
    where = " in what you dropped" if own else f" in {listed(folders)}" if folders else ""
    but = f" (but for {counted(hidden, 'hidden file')})" if hidden else ""
    if not met:
        said = f"There is no file{where}{but}."
    else:
        many = "There is 1 file" if met == 1 else f"There are {met} files"
        no_photo = "it is no photo" if met == 1 else "none of them is a photo"
        unread = "it cannot be read" if met == 1 else "no photo among them can be read"
        said = f"{many}{where}{but}, and {unread if lost else no_photo}."
    return models.Nothing(
        title="No photo could be read" if lost else "There is no photo here",
        sentence=said,
        files=[left_of(one) for one in files],
    )


def _but(entry: PlannedAnswer, album_plan: AlbumPlan) -> str:
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
    many, k = len(plan.withheld), reached(entry)
    if not k:
        them = "them all" if several else "it"
        return f"withholding {many or 'nothing'} does not hide {them}"
    among = "the first guess" if k == 1 else f"among the first {k}"
    if not many:
        return f"nothing needs withholding: {'none is' if several else 'it is not'} {among}"
    return f"withhold {many} and {'none is' if several else 'it is not'} {among}"


def _for(entry: PlannedAnswer) -> str:
    """Which top it is the fewest for: whoever asked for 5 and reads that 7 are reached wonders."""
    assert entry.plan is not None
    wishes = entry.plan.wishes
    if wishes.top is None:
        return ""
    if wishes.exact_top:
        return f" for top {wishes.top}"
    return f" for a top drawn in secret from {wishes.top} to {TIMES * wishes.top}"


def _out(entry: PlannedAnswer) -> str:
    """How many go, those that the person dropped apart."""
    assert entry.plan is not None
    plan = entry.plan.plan
    dropped = len(set(plan.withheld) & set(plan.promise.drop))
    chosen = len(plan.withheld) - dropped
    if not dropped:
        return f"{counted(chosen, 'photo')} withheld"
    return f"{chosen} withheld and {dropped} dropped" if chosen else f"{dropped} dropped"
