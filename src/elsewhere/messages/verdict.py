"""What a plan means, or why there is none.

The first sentence says what is promised and what it costs, the next how good the models are, the
next what is proved and that a better model may find the place; the word "safe" does not occur. No k
is named but the one asked for: the one really used is secret. Where nothing needs withholding, it
is said of the model, not of the photos.

The last functions are for plans of score files, which know no places.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from elsewhere.messages.notes import note
from elsewhere.messages.phrases import (
    among,
    as_sentence,
    capitalized,
    edit_kind,
    first_guesses,
    loss_text,
    near,
    number_text,
)
from elsewhere.values.notes import NoteKind
from elsewhere.values.outcome import Outcome, Reasons, largest_secret_top
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.versions import picture_lost
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import counted, listed

MAX_NAMES = 5
"""Of more photos than this, only the first are named."""


def verdict(outcome: Outcome) -> str:
    """A few short sentences on a plan, found or not."""
    plan, wishes, photos = outcome.plan, outcome.wishes, outcome.photos
    where, who = _hidden(outcome), listed(outcome.models)
    if outcome.blocked is not None:
        return _blocked(outcome)
    if plan.status == Status.INFEASIBLE:
        return f"Nothing can be shared: {_cannot_hide(outcome)}."
    if plan.status == Status.UNKNOWN:
        if outcome.radius_km is None:
            return (
                f"Nothing is shared: the time ran out before a plan that hides {where} from {who} "
                "was found or ruled out; allow more time."
            )
        if outcome.refuted:
            if outcome.refuted == 1:
                return f"Nothing can be shared: with what is left, {_found_among(outcome)}."
            return (
                f"Nothing can be shared: whichever of these photos are shared, "
                f"{_found_among(outcome)} (all {outcome.refuted} choices were tried)."
            )
        return (
            f"Nothing is shared: no plan that hides {where} from {who} was found or ruled out; "
            "ask for less."
        )
    if not outcome.newly_shared:
        return _nothing_new(outcome)
    places = "place" if len(outcome.hidden_names) == 1 else "places"
    better = f"a better model may find the {places}"
    if wishes.budget is not None:
        return _within_budget(outcome, better) + _dropped_rule(outcome) + _names(outcome)
    hides, good = f"{_hides(outcome)}.", how_good(outcome)
    telling = _dropped_rule(outcome) + _names(outcome)
    alone = f"{capitalized(better)}.{telling}"
    if outcome.one_photo:
        return f"With this photo posted beside what is public, {hides}{good} {alone}"
    dropped = outcome.dropped
    chosen = len(plan.withheld) - dropped
    if plan.promise.versions is not None:
        what, least = _with_versions(outcome, chosen, dropped)
        return f"{what}, {hides}{good} {capitalized(least)}; {better}.{telling}"
    if not chosen:
        beyond = " beyond what you drop" if dropped else ""
        return f"Nothing needs withholding{beyond}: from these photos {hides}{good} {alone}"
    beyond = f" beyond the {dropped} that you drop" if dropped else ""
    kind, loss = "smaller", f"{number_text(plan.bound)} photo{'' if plan.bound == 1 else 's'}"
    if plan.promise.values is not None:
        kind, loss = "cheaper", f"photos worth {number_text(plan.bound)}"
    least = f"no {kind} set of photos is enough"
    if plan.status != Status.OPTIMAL:
        least = f"the search stopped early: at least {loss} must go"
        if outcome.radius_km is not None:
            fewer = "fewer" if kind == "smaller" else "less"
            least = f"at least {loss} must go, and {fewer} than this may be enough"
    return (
        f"With {chosen} of {counted(photos, 'photo')} withheld{beyond}, {hides}{good} "
        f"{capitalized(least)}{secret_top(wishes)}; {better}.{telling}"
    )


def _with_versions(outcome: Outcome, chosen: int, dropped: int) -> tuple[str, str]:
    """What a plan costs that chose among versions, and how far that is proved."""
    plan, edits = outcome.plan, outcome.edits
    of_all = counted(outcome.photos, "photo")
    what = f"With {chosen} of {of_all} withheld"
    what += f" beyond the {dropped} that you drop" if dropped else ""
    given = _other_versions(plan)
    if given:  # edited here, or by others who gave no more than a name and a cost
        how = f"{given} of them in another version"
        if edits:
            lost = sum(map(picture_lost, edits.values()), Fraction(0)) / len(edits)
            kinds = {edit_kind(edit) for edit in edits.values()}
            done = kinds.pop() if len(kinds) == 1 else "cropped or covered"
            how = f"{len(edits)} of them {done} ({100 * float(lost):.0f} % of their picture)"
        gone = f"{chosen} withheld" if chosen else "none withheld"
        gone += f" beyond the {dropped} that you drop" if dropped else ""
        what = f"With {outcome.newly_shared} of {of_all} shared, {how}, and {gone}"
    tried = f"among the {counted(plan.promise.rows, 'version')} tried"
    least = (
        f"this is the least loss {tried}{secret_top(outcome.wishes)}, another edit may lose less"
    )
    if plan.status != Status.OPTIMAL:
        least = (
            f"a plan {tried} may lose less, but none loses less than {loss_text(plan.bound)} photos"
        )
    return what, least


def _hides(outcome: Outcome) -> str:
    """What a plan for a top promises."""
    who, top = listed(outcome.models), outcome.wishes.top
    single = len(outcome.models) == 1
    if outcome.radius_km is not None:
        guesses = "first guess" if top == 1 else f"first {top} guesses"
        theirs = f"{who}'s {guesses}" if single else f"the {guesses} of {who}"
        none = f"{theirs} is not" if top == 1 and single else f"none of {theirs} is"
        return f"{none} {nearness(outcome)}"
    where, does = _hidden(outcome, "any of "), "does" if single else "do"
    if top == 1:
        return f"{who} {does} not guess {where} first"
    return f"{who} {does} not have {where} among {'its' if single else 'their'} first {top} guesses"


def _hidden(outcome: Outcome, of: str = "") -> str:
    """What is hidden by name; `of` stands before the number of places that are too many to name."""
    if len(outcome.hidden_names) > MAX_NAMES:
        return f"{of}the {len(outcome.hidden_names)} hidden places"
    return listed(outcome.hidden_names)


def _found_among(outcome: Outcome) -> str:
    """That something hidden is among the first guesses: the reverse of what is promised."""
    one = "" if outcome.wishes.top == 1 else "one of "
    guesses = first_guesses(outcome.wishes.top or 1)
    return f"{one}{guesses} of {listed(outcome.models)} is {nearness(outcome)}"


def nearness(outcome: Outcome) -> str:
    """Where a guess would be right: "within 25 km of Lisbon, Portugal", "in Portugal"."""
    whole = outcome.wishes.width.level in {"region", "country"}
    return near(_hidden(outcome, "any of "), outcome.radius_km or 0.0, whole=whole)


def _names(outcome: Outcome) -> str:
    """What becomes of photos with a readable name near what is hidden; with a blank before it."""
    text = outcome.text
    if text is None or outcome.one_photo:
        return ""
    counts = {"covered": text.covered, "withheld": text.withheld, "shared as you asked": text.kept}
    found = [f"{count} {what}" for what, count in counts.items() if count]
    if not found:
        return ""
    photos = counted(sum(counts.values()), "photo")
    return f" {photos} with readable names near it: {listed(found)}."


def _dropped_rule(outcome: Outcome) -> str:
    """For which photos no plan keeps the rule for each photo; with a blank before it."""
    together = [value for value in outcome.notes if value.kind is NoteKind.TOGETHER_ONLY]
    if together:
        return f" {as_sentence(note(together[0]))}"
    if not outcome.telling:
        return ""
    single = len(outcome.telling) == 1
    names = listed([outcome.ids[number] for number in outcome.telling], MAX_NAMES)
    tells, it = ("tells", "it") if single else ("each tell", "them")
    return f" Kept or public as you said, {names} {tells} the place alone: no plan can hide {it}."


def accuracy(outcome: Outcome) -> str:
    """How often the models are right in this part of the world, in brackets; empty if unknown."""
    parts = []
    for measured in outcome.accuracy:
        name = f"{measured.model} " if len(outcome.models) > 1 else ""
        close = f"within {measured.km:g} km"
        if measured.level:
            close = f"about the {measured.level}, {close},"
        share = "fewer than 1 %" if measured.share < 0.005 else f"{100 * measured.share:.0f} %"
        parts.append(f"{name}right {close} for {share} of single photos in {measured.region}")
    return f" ({'; '.join(dict.fromkeys(parts))})" if parts else ""


def how_good(outcome: Outcome) -> str:
    """The same as a sentence, with a blank before it; empty if unknown."""
    found: dict[tuple[str, str], list[str]] = {}
    for measured in outcome.accuracy:
        close = f"within {measured.km:g} km"
        if measured.level:
            close = f"about the {measured.level}, {close},"
        share = "fewer than 1 %" if measured.share < 0.005 else f"{100 * measured.share:.0f} %"
        regions = found.setdefault((measured.model, close), [])
        single = "" if regions else " of single photos"
        regions.append(f"for {share}{single} in {measured.region}")
    return "".join(
        f" {capitalized(model)} is right {close} {listed(list(dict.fromkeys(regions)))}."
        for (model, close), regions in found.items()
    )


def secret_top(wishes: Wishes) -> str:
    """That the top is secret, where it is; with a blank before it."""
    if wishes.exact_top or wishes.top is None:
        return ""
    largest = largest_secret_top(wishes.top)
    guesses = counted(wishes.top, "guess", "guesses")
    return f" for {guesses} or more (how many, up to {largest}, stays secret)"


def threat_name(hidden: str, own: bool, model: str = "") -> str:
    """What one attacker looks for: "Lisbon, Portugal from its own photos", and by which model."""
    by = f" by {model}" if model else ""
    return f"{hidden} from {'its own photos' if own else 'the whole album'}{by}"


def infeasibility(
    promise: Promise, reasons: Reasons, ids: Sequence[str], threats: Sequence[str] = ()
) -> str:
    """Why there is no plan. `threats` are names; without them attackers are numbered."""
    if reasons.every_photo:
        return "No plan can do this: every photo must go, and at least one must be kept."
    if promise.budget is not None:
        return (
            f"No plan can do this: {counted(reasons.forced, 'photo')} must go, but the budget is "
            f"{promise.budget}."
        )
    parts = ["No plan can do this."]
    if len(promise.against) > 1:
        kind = "place" if threats else "attacker"
        if reasons.blocking:
            names = [threats[n] if threats else f"attacker {n}" for n in reasons.blocking]
            parts.append(f"Impossible even alone: {listed(names)}.")
        elif reasons.each_alone:
            parts.append(f"Each {kind} alone is possible, but not all together.")
        else:
            parts.append(f"Which {kind} is in the way was not found out in time.")
    if reasons.pinned:
        parts.append(_pins(reasons, ids))
    if reasons.posted:
        posted = counted(reasons.posted, "photo")
        parts.append(f"{posted} posted already cannot be withheld any more.")
    if reasons.drops:
        names = [ids[number] for number in reasons.drops]
        parts.append(f"It could be done if {', '.join(names)} need not be dropped.")
    parts += _best_top(reasons, plain=bool(threats))
    return " ".join(parts)


def _best_top(reasons: Reasons, *, plain: bool) -> list[str]:
    """The largest top that could be had; in `plain` words where it is about an album."""
    top, known = reasons.best_top, reasons.best_top_known
    if top is None:
        unknown = "How many guesses it could be kept from" if plain else "The largest possible top"
        return [] if known else [f"{unknown} was not found out in time."]
    if not top:
        first = "It cannot even be kept from being the first guess."
        return [first if plain else "Not even top 1 is possible."] if known else []
    more = "" if known else " or more"
    if plain:
        return [f"It could be kept from {first_guesses(top)}{more or ', and from no more'}."]
    return [f"The largest possible top is {top}{more}."]


def _pins(reasons: Reasons, ids: Sequence[str]) -> str:
    """Which of the user's own kept photos are in the way."""
    if reasons.pins is None:
        return "Whether the kept photos are the reason was not found out in time."
    if not reasons.pins:
        return "The kept photos are not the reason: without them it cannot be done either."
    single = len(reasons.pins) == 1
    names = listed([ids[number] for number in reasons.pins], MAX_NAMES)
    problem = f"Kept photo {names} is in the way"
    if not single:
        problem = f"Kept photos {names} are together in the way"
    if reasons.sufficient:
        choices = " or ".join(ids[number] for number in reasons.sufficient[:MAX_NAMES])
        return f"{problem}: it is enough to give {'it up' if single else f'up {choices}'}."
    if not reasons.sufficient_known:
        give_up = "it up" if single else "up at least one of them"
        return f"{problem}: give {give_up}, which may not be enough."
    if single:
        return f"{problem}, but giving it up alone is not enough."
    return f"{problem}: more than one of them must be given up."


def _cannot_hide(outcome: Outcome) -> str:
    """What cannot be had, without the end of the sentence."""
    wishes = outcome.wishes
    within = "" if wishes.prior is None else f" among the places of {wishes.prior} alone"
    where, who = _hidden(outcome), listed(outcome.models)
    if wishes.budget is not None:
        return f"{where} cannot be hidden from {who} with a budget of {wishes.budget}{within}"
    return f"{where} cannot be kept from {first_guesses(wishes.top or 1)} of {who}{within}"


def _blocked(outcome: Outcome) -> str:
    """That the posted photos break the promise, and what to take down."""
    blocked, ids = outcome.blocked, outcome.ids
    assert blocked is not None
    names = listed([ids[n] for n in sorted({*blocked.by, *(blocked.down or ())})], MAX_NAMES)
    first = (
        f"Withholding cannot help any more: with {names} public already, {_cannot_hide(outcome)}"
    )
    if blocked.down is None:
        if blocked.sure:
            return f"{first}; taking photos down does not help either."
        return f"{first}; which photos to take down was not found out in time."
    fewest = " (no fewer are enough)" if blocked.fewest else " (fewer may be enough)"
    fewest = fewest if len(blocked.down) > 1 else ""
    then = ""
    if blocked.withheld:
        then = f", with {counted(len(blocked.withheld), 'photo')} of the album withheld then"
    names = listed([ids[n] for n in blocked.down], MAX_NAMES)
    return f"{first}; taking down {names}{fewest} would make it possible again{then}."


def _nothing_new(outcome: Outcome) -> str:
    """Every photo that is kept is public already: there is a plan, and nothing to share by it."""
    where, who = _hidden(outcome), listed(outcome.models)
    if outcome.plan.status != Status.OPTIMAL and outcome.radius_km is not None:
        return (
            "Nothing more is shared: the best plan found keeps only photos that are public "
            "already, and a better one was neither found nor ruled out."
        )
    if outcome.plan.status != Status.OPTIMAL:
        return (
            "Nothing more is shared: the best plan so far keeps only photos that are public "
            "already, and the time ran out before a better one was found or ruled out; allow more "
            "time."
        )
    if outcome.wishes.budget is not None:
        return (
            f"Nothing more is shared: every photo that may be kept is public already, because "
            f"withholding all others pushes {where} furthest down for {who}."
        )
    return (
        f"Nothing more can be shared: every photo that may be kept is public already, and no plan "
        f"that shares another one hides {where} from {who}{secret_top(outcome.wishes)}."
    )


def _within_budget(outcome: Outcome, better: str) -> str:
    plan, photos = outcome.plan, counted(outcome.photos, "photo")
    where, who, good = _hidden(outcome), listed(outcome.models), how_good(outcome)
    proved = plan.status == Status.OPTIMAL
    what = f"With {len(plan.withheld)} of {photos} withheld"
    what += f" and {len(outcome.edits)} cropped or covered" if outcome.edits else ""
    if outcome.empty:
        limit = f"at most {loss_text(plan.promise.budget or 0)} of {photos}"
        if plan.promise.values is not None and plan.promise.versions is not None:
            limit = f"photos worth at most {loss_text(plan.promise.budget or 0)}"
        cannot = f"Withholding {limit} cannot hide {where}"
        if not proved:
            cannot = f"No plan that withholds {limit} and hides {where} was found in time"
        return f"{cannot}: the first guess of {who} may be right.{good} Raise the budget."
    best = "no plan within the budget does better"
    if plan.promise.versions is not None:
        tried = counted(plan.promise.rows, "version")
        best += f" among the {tried} tried, another edit may do better"
    if not proved:
        best = f"a plan within the budget might reach {number_text(plan.bound)}"
        if outcome.radius_km is not None:
            best = "whether a plan within the budget does better is not known"
    if outcome.radius_km is not None and len(outcome.models) == 1 and plan.protected_k > 1:
        count = plan.protected_k
        return (
            f"{what}, none of {who}'s first {count} guesses is {nearness(outcome)}.{good} "
            f"{capitalized(best)}; {better}."
        )
    return (
        f"{what}, {counted(plan.protected_k, 'other place')} or more come before {where} for {who}."
        f"{good} {capitalized(best)}; {better}."
    )


def explain_plan(plan: Plan) -> str:
    """What a plan does, and how far that is proved; or that none was found in time."""
    promise, withheld = plan.promise, len(plan.withheld)
    if plan.status == Status.UNKNOWN and _radius(promise):
        return f"No plan for {counted(promise.photos, 'photo')} was found and none was ruled out."
    if plan.status == Status.UNKNOWN:
        return (
            f"Stopped early: no plan for {counted(promise.photos, 'photo')} was found and none was "
            "ruled out; allow more time or work."
        )
    proved = plan.status == Status.OPTIMAL
    if promise.versions is not None:
        return _explain_versions(plan)
    what = f"Withhold {withheld} of {counted(promise.photos, 'photo')}"
    if promise.budget is not None:
        rank = "ranks" if plan.protected_k == 1 else "rank"
        kind = "place" if _radius(promise) else "cell"
        what = f"{what}: {counted(plan.protected_k, kind)} then {rank} above the truth"
        if proved:
            return f"{what}, and no plan within {promise.budget} does better."
        if plan.bound == plan.protected_k:
            return (
                f"{what}, and no plan within {promise.budget} protects more; "
                "whether one does so at less cost was not proved."
            )
        return f"{what}; stopped early, a better plan may reach {number_text(plan.bound)}."
    hides = _hidden_from_top(promise)
    limited = "a better plan may exist"
    if not _radius(promise):
        limited = f"stopped early, so {limited}"
    if not withheld:
        photos = f"all {promise.photos} photos" if promise.photos > 1 else "the one photo"
        return f"Share {photos}: {hides} as it is."
    worth = "" if promise.values is None else f" (worth {number_text(plan.cost)})"
    if proved:
        kind = "smaller" if promise.values is None else "cheaper"
        return f"{what}{worth}: {hides}, and no {kind} set is enough."
    return f"{what}{worth}: {hides}; {limited}, but none below {number_text(plan.bound)}."


def _radius(promise: Promise) -> float | None:
    """The radius of the places, where every attacker guesses such."""
    circles = [against.circles for against in promise.against]
    found = [hidden.radius_km for hidden in circles if hidden is not None]
    return min(found) if found and None not in circles else None


def _hidden_from_top(promise: Promise) -> str:
    """What a guarantee hides, as in "the truth is not among the top 5"."""
    tops, radius = [against.top or 0 for against in promise.against], _radius(promise)
    top = f"the top {tops[0]}"
    if len(set(tops)) > 1:
        top = f"the attackers' top {', '.join(map(str, tops))}"
    if radius:
        return f"no place of {top} is within {radius:g} km of what is hidden"
    return f"the truth is not among {top}"


def _other_versions(plan: Plan) -> int:
    """How many photos a plan shares in another version than as they are."""
    versions = plan.promise.versions or ()
    return sum(versions[row].cost > 0 for row in plan.choices)


def _explain_versions(plan: Plan) -> str:
    """What a plan with versions does, and how far that is proved."""
    promise, edited = plan.promise, _other_versions(plan)
    what = f"Share {len(plan.kept)} of {counted(promise.photos, 'photo')}"
    if edited:
        what += f", {edited} of them edited"
    what += f", at a loss of {loss_text(plan.cost)}"
    tried = f"among the {counted(promise.rows, 'version')} tried; another edit may lose less"
    if promise.budget is not None:
        rank = "ranks" if plan.protected_k == 1 else "rank"
        kind = "place" if _radius(promise) else "cell"
        what = f"{what}: {counted(plan.protected_k, kind)} then {rank} above the truth"
        if plan.bound == plan.protected_k:
            return f"{what}, the most within the budget {tried}."
        return f"{what}; stopped early, a better plan may reach {number_text(plan.bound)}."
    what = f"{what}: {_hidden_from_top(promise)}"
    if plan.status == Status.OPTIMAL:
        return f"{what}. This is the least loss {tried}."
    early = "" if _radius(promise) else "stopped early, so "
    return f"{what}; {early}a better plan may exist, but none below {loss_text(plan.bound)}."


def cells_verdict(plan: Plan, truth: Sequence[int], wishes: Wishes, photos: int) -> str:
    """What a plan means where the truth is cells; it names no k but the one asked for."""
    what = f"cell {truth[0]}" if len(truth) == 1 else f"the zone of {len(truth)} cells"
    wish = f"top {wishes.top}" if wishes.budget is None else f"a budget of {wishes.budget}"
    if plan.status == Status.INFEASIBLE:
        return f"Nothing can be shared: {what} cannot be hidden from these scores with {wish}."
    if plan.status == Status.UNKNOWN:
        return (
            f"Nothing is shared: the work limit was reached before a plan that hides {what} was "
            "found; allow more."
        )
    share = f"{len(plan.withheld)} of {counted(photos, 'photo')}"
    given = _other_versions(plan)
    if given:
        share = f"{given} of {counted(photos, 'photo')} in another version and {len(plan.withheld)}"
    if wishes.budget is not None:
        k = plan.protected_k
        if not k:
            return f"Nothing is shared: with {wish} withheld, {what} may stay the first guess."
        return f"With {share} withheld, {counted(k, 'other cell')} or more come before {what}."
    least = "no smaller set is enough for the top that was drawn"
    if plan.promise.versions is not None:
        least = "this is the least loss among the versions given, for the top that was drawn"
    if plan.status != Status.OPTIMAL:
        least = f"the search stopped early: at least {number_text(plan.bound)} must go"
    return f"With {share} withheld, {what} is not {among(wishes.top or 1)}; {least}."
