"""The sentences that only the app's page shows.

A place is called by what is hidden of it: its region, its country. The top that is named is the
one that the plan reaches. Where a top was drawn in secret, that is at least the one drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elsewhere.messages.key_numbers import rank_text
from elsewhere.messages.phrases import chance, first_guesses, near, number_text, ordinal
from elsewhere.messages.verdict import accuracy, secret_top
from elsewhere.values.outcome import Alternative, Change, Outcome
from elsewhere.values.plan import Status
from elsewhere.values.versions import picture_lost
from elsewhere.values.wording import counted, listed

MAX_FOUND_RANK = 25
"""A place further down does not count as found."""
MAX_NAMED = 2
"""Of more places than this the headline tells the number: the list has their names."""


def model_guess(guess: str) -> str:
    """What is known of an album whose place nobody knows, without a full stop."""
    return (
        "No photo says where it was taken: say where, and it can be hidden (the first guess from "
        f"the pictures is {guess})"
    )


def nearby(ranks: Mapping[str, int], *, radius_km: float, limit: int, whole: bool = False) -> str:
    """What guesses find in the album as it is, without a full stop.

    `ranks` are by hidden place; above `limit` none of so many guesses is near. `whole` places are
    regions or countries.
    """
    found = {name: rank for name, rank in ranks.items() if rank <= limit}
    if len(ranks) > MAX_NAMED:
        return (
            f"The first {limit} guesses come within {radius_km:g} km of {len(found) or 'none'} of "
            f"your {len(ranks)} places"
        )
    if not found:
        nowhere = near(listed(list(ranks)), radius_km, whole=whole)
        return f"None of the first {limit} guesses lands {nowhere}"
    first, *others = (
        (ordinal(rank), near(name, radius_km, whole=whole)) for name, rank in found.items()
    )
    guess = "first" if first[0] == "1st" else first[0]
    then = "".join(f", the {rank} {where}" for rank, where in others)
    return f"The {guess} guess lands {first[1]}{then}"


def findings(model: str, photos: int, ranks: Mapping[str, int], cells: int) -> str:
    """What a model finds in the album as it is; `ranks` are by hidden place. No full stop."""
    who = f"From these {counted(photos, 'photo')} {model}"
    if len(ranks) > MAX_NAMED:
        found = sum(rank <= MAX_FOUND_RANK for rank in ranks.values())
        within = f"among its first {MAX_FOUND_RANK} of {cells} cells"
        return f"{who} finds {found or 'none'} of your {len(ranks)} places {within}"
    if not any(rank <= MAX_FOUND_RANK for rank in ranks.values()):
        names = listed([f"{name} ({ordinal(rank)} of {cells})" for name, rank in ranks.items()])
        return f"{who} does not find {names}"
    if len(ranks) > 1 and set(ranks.values()) == {1}:
        return f"{who} finds {listed(list(ranks))}, each 1st, from its own photos"
    names = listed([f"{name} {ordinal(rank)}" for name, rank in ranks.items()])
    return f"{who} finds {names} of {cells} cells"


def headline(found: str, outcome: Outcome, *, posted: bool) -> str:
    """The sentence on top: what is found, as a clause, and what the plan does about it."""
    return f"{found}; {_plan_effect(outcome, posted=posted)}."


def _plan_effect(outcome: Outcome, *, posted: bool) -> str:
    plan, wishes = outcome.plan, outcome.wishes
    if plan.status == Status.INFEASIBLE:
        if posted:
            return "with what is public already, no plan hides that"
        pinned = wishes.keep or wishes.drop
        return f"{'with these pins, ' if pinned else ''}no plan hides that"
    if plan.status == Status.UNKNOWN:
        return "a plan is being looked for"
    if not outcome.newly_shared:
        return "every photo that may be kept is public already"
    several, withheld = len(outcome.hidden_names) > 1, len(plan.withheld)
    if outcome.empty:
        them = "them all" if several else "it"
        return f"withholding {withheld or 'nothing'} does not hide {them}"
    top = plan.protected_k
    among = "the first guess" if top == 1 else f"among the first {top}"
    not_among = f"{'none is' if several else 'it is not'} {among}"
    if outcome.radius_km is not None:
        top = wishes.top or top  # of places the plan reaches just the secret top
        not_among = "the first one does not" if top == 1 else f"none of the first {top} does"
    edited = f"crop or cover {len(outcome.edits)}" if outcome.edits else ""
    of_all = f" of {counted(outcome.photos, 'photo')}"
    if not withheld:
        return (
            f"{edited}{of_all} and {not_among}"
            if edited
            else f"nothing needs withholding: {not_among}"
        )
    return f"withhold {withheld}{of_all}{f', {edited}' if edited else ''} and {not_among}"


def sharing_counts(outcome: Outcome) -> str:
    """How many photos are shared, edited and withheld; empty where none is edited."""
    edits, photos = outcome.edits, outcome.photos
    if not outcome.plan.found or not edits:
        return ""
    lost = 100 * float(sum(map(picture_lost, edits.values())) / len(edits))
    share = f"{lost:.0f}" if lost >= 1 else "under 1"
    withheld = sum(n < photos for n in outcome.plan.withheld)
    out = f", {withheld} withheld" if withheld else ""
    return (
        f"{photos - withheld} of {counted(photos, 'photo')} shared, {len(edits)} of them "
        f"cropped or covered ({share}\u00a0% of their picture){out}"
    )


def proof(outcome: Outcome, *, proved: bool) -> str:
    """How sure the plan is, in a few words."""
    plan, wishes = outcome.plan, outcome.wishes
    if plan.status == Status.INFEASIBLE:
        return "Impossible: proved" if proved else "Impossible"
    if plan.status == Status.UNKNOWN:
        return "No plan was found yet"
    dropped = outcome.dropped
    chosen = len(plan.withheld) - dropped
    out = f"{counted(chosen, 'photo')} withheld"
    if dropped:
        out = f"{chosen} withheld and {dropped} dropped" if chosen else f"{dropped} dropped"
    budget, weighted = wishes.budget is not None, plan.promise.values is not None
    # the plan may reach more than was asked for, so the sentence names what it is the fewest for
    goal = secret_top(wishes)
    if wishes.exact_top and wishes.top:
        goal = f" for {counted(wishes.top, 'guess', 'guesses')}"
    if outcome.empty:
        return f"{out}: too few to hide it{'' if proved else ', as far as is known'}"
    if plan.promise.versions is not None and not budget:
        out += f", {len(outcome.edits)} edited" if outcome.edits else ""
        best = "the best so far" if plan.status != Status.OPTIMAL else "the least loss"
        return f"{out}: {best} among the versions tried{goal}"
    if plan.status != Status.OPTIMAL:
        bound = f", at least {number_text(plan.bound)} must go{goal}" if plan.bound > 0 else goal
        return f"{out}: the best so far{'' if budget or weighted else bound}"
    if budget:
        tried = "" if plan.promise.versions is None else ", among the versions tried"
        return f"{out}: proved the best for this budget{tried}"
    if not plan.withheld:
        return f"Nothing to withhold{goal}: proved"
    return f"{out}: proved the {'least loss' if weighted else 'fewest'}{goal}"


def against(outcome: Outcome) -> str:
    """Whom the promise is against, how good they are, and that a better model may exist."""
    them = "it" if len(outcome.hidden_names) == 1 else "them"
    how_good = accuracy(outcome).replace(" %", "\u00a0%")
    return f"Against {listed(outcome.models)}{how_good}; a better one may find {them}."


def photo_alone(
    hidden: str,
    rank: int,
    probability: float,
    radius_km: float | None = None,
    limit: int | None = None,
    *,
    whole: bool = False,
) -> str:
    """Where one photo alone puts what is hidden; with a radius, how near its guesses are."""
    if radius_km is None:
        return f"Alone it puts {hidden} {ordinal(rank)} ({chance(probability)})."
    where = hidden if whole else f"the {radius_km:g} km around {hidden}"
    return f"Alone it gives {where} {chance(probability)} ({rank_text(rank, limit)})."


def photo_effect(
    hidden: str,
    now: int | None,
    then: int | None,
    *,
    shared: bool,
    own: bool,
    limit: int | None = None,
) -> str:
    """What changes if one photo is shared or withheld instead; ranks before and after.

    A rank above `limit` is none: the place is not among so many guesses.
    """
    photos = "its own shared photos" if own else "the shared photos"
    if now is None or then is None:
        return f"It is the only photo of {hidden} that would be shared."
    if now == then:
        return f"With or without it, {hidden} {_comes(now, limit)} from {photos}."
    without = "Without it" if shared else "With it"
    before = (
        f"not {ordinal(now)}"
        if limit is None or now <= limit
        else f"now not among the first {limit}"
    )
    return f"{without}, {hidden} {_comes(then, limit)} from {photos}, {before}."


def _comes(rank: int, limit: int | None) -> str:
    if limit is not None and rank > limit:
        return f"is not among the first {limit}"
    return f"comes {ordinal(rank)}"


def reading_failed(reason: str) -> str:
    """That the text on the photos was not read, and what can be done."""
    return (
        f"The text on the photos could not be read ({reason}), and a sign may name the place: read "
        "it again, or go on without reading it."
    )


def no_photos(
    files: int, hidden: int, folders: Sequence[str], *, uploaded: bool, damaged: bool
) -> tuple[str, str]:
    """Title and sentence where no photo can be read, among so many files and hidden files."""
    title = "No photo could be read" if damaged else "There is no photo here"
    where = " in what you dropped" if uploaded else f" in {listed(folders)}" if folders else ""
    where += f" (except {counted(hidden, 'hidden file')})" if hidden else ""
    if not files:
        return title, f"There is no file{where}."
    if files == 1:
        why = "it cannot be read" if damaged else "it is not a photo"
        return title, f"There is 1 file{where}, and {why}."
    why = "no photo among them can be read" if damaged else "none of them is a photo"
    return title, f"There are {files} files{where}, and {why}."


def alternative_button(alternative: Alternative, ids: Sequence[str]) -> str:
    """The text of a button; empty where the change takes more than a click."""
    photos = ids[0] if len(ids) == 1 else counted(len(ids), "photo")
    top, name, amount = alternative.top, alternative.name, alternative.amount
    match alternative.change:
        case Change.UNPIN:
            return f"Unpin {photos}"
        case Change.TAKE_BACK:
            return f"Take {photos} back"
        case Change.TOP:
            return f"Count only {first_guesses(top or 1)}"
        case Change.MARGIN:
            return f"No margin{f', {first_guesses(top)}' if top else ''}"
        case Change.HIDE:
            return f"Hide {name} only"
        case Change.LEVEL:
            return f"Hide the {name} only"
        case Change.RADIUS if amount:
            return f"Hide {amount:g} km around it only"
        case Change.PRIOR:
            return "Assume that the audience knows nothing"
        case Change.BUDGET:
            return f"Withhold up to {amount:g}"
    return ""
