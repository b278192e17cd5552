"""What `verify` says: its values as sentences."""

from __future__ import annotations

from elsewhere.messages.phrases import among, first_places, near, none_better_claim
from elsewhere.values.problems import Attack, ProblemKind as Plan
from elsewhere.values.verification import (
    Claim,
    Condition,
    ConditionKind,
    CopyGuess,
    CopyNote,
    CopyNoteKind,
    CopyProblem,
    CopyProblemKind,
    TriedAttacks,
    Verification,
)
from elsewhere.values.wording import counted, listed

MAX_CELLS = 3
"""Cells that are named."""

PROBLEMS = {
    CopyProblemKind.NOT_A_COPY: "{detail}",
    CopyProblemKind.ADDED: "{file} was added after the export: take it out",
    CopyProblemKind.ADDED_UNREADABLE: "{file} was added: {detail}",
    CopyProblemKind.ADDED_TWICE: "{file} was added, a second copy of {other}: take it out",
    CopyProblemKind.RENAMED: "{other} was renamed to {file}: rename it back",
    CopyProblemKind.UNREADABLE: "{detail}",
    CopyProblemKind.CHANGED: "{file} was changed after the export: the promise is not about it, so "
    "export again",
    CopyProblemKind.SWAPPED: "{file} holds the photo of {other}: the promise is not about it, so "
    "export again",
    CopyProblemKind.MISSING: "{file} is missing: the promise is about all files together, so "
    "put it back or export again",
    CopyProblemKind.TOO_LARGE: "{file} claims to be larger than any photo",
    CopyProblemKind.NOT_BARE: "{file} is not a bare picture: {detail}",
    CopyProblemKind.NOT_SCORED: "{detail}",
    CopyProblemKind.OTHER_CELLS: "the certificate says that {place} is hidden from {model}, but "
    "what it promises is about other cells",
    CopyProblemKind.OTHER_PLACES: "the certificate says that {place} is hidden from {model}, but "
    "what it promises is about other positions",
    CopyProblemKind.TOO_FEW: "{place}, by {model} on {scope}: fewer places come before it than "
    "promised",
    CopyProblemKind.OTHER_RIVALS: "{place}, by {model} on {scope}: the places that come before "
    "it, or their lead, are not those that were certified",
    CopyProblemKind.ALONE: "{file} alone: fewer places come before {place} for {model} than was "
    "promised of each photo",
    CopyProblemKind.FALSE_PLAN: "the certificate's plan is not true: {plan}",
    CopyProblemKind.GIVEN_AWAY: "from the files alone, {place} is {among} of {model}: the promise "
    "holds only with what the certificate adds, which is not in the copy",
    CopyProblemKind.NOTHING_PROMISED: "the certificate promises nothing",
}
NEAR_GIVEN_AWAY = (
    "from the files alone, {one_of} of {model} is within {radius_km:g} km of {place}: the promise "
    "holds only with what the certificate adds, which is not in the copy"
)
"""Instead of GIVEN_AWAY, where places are circles."""
FALSE_PLANS = {
    Plan.OTHER_PROMISE: "it was made for another promise",
    Plan.ATTACKER_COUNT: "it is against a different number of attackers",
    Plan.SCORES_SHAPE: "it was made from scores of another size",
    Plan.OTHER_SCORES: "it was made from other scores",
    Plan.OTHER_SCORER: "it was made with another model",
    Plan.NO_ATTACKER: "it names no attacker",
    Plan.PINS: "its photos that must stay or go are not a list of photos",
    Plan.GROUPS: "its groups are not lists of photos",
    Plan.VALUES: "its values are not one positive number for each photo",
    Plan.VERSIONS: "its versions are not those of its photos, or cost too much",
    Plan.BUDGET: "its budget is not a number of photos or a cost",
    Plan.TRUTH: "what it hides is not a list of cells",
    Plan.RIVALS: "its rivals are not a list of other cells",
    Plan.SEES: "what an attacker sees is not a list of photos",
    Plan.TOP: "its top is not a number from 1 up",
    Plan.EACH_PHOTO: "its top for each photo is not a number from 1 up",
    Plan.MARGIN: "its margin or lead is not a finite number from 0 up",
    Plan.PRIOR: "its prior is not one number for each cell",
    Plan.POINTS: "it hides places from a model that knows only cells",
    Plan.POSITIONS: "what it hides is not a list of positions with a radius",
    Plan.STATUS: "its status is unknown",
    Plan.PHOTOS: "its photos are not a list of photos",
    Plan.OTHER_ALBUM: "what it withholds and keeps does not make up the album",
    Plan.CHOICES: "it does not name one version of each photo that it keeps",
    Plan.NOTHING_KEPT: "it keeps no photo",
    Plan.VIEW_COUNT: "it does not have one view for each attacker",
    Plan.SEVERAL: "it does not say that there are several attackers",
    Plan.PINNED_WITHHELD: "it withholds a photo that must stay",
    Plan.DROPPED_KEPT: "it keeps a photo that must go",
    Plan.GROUP_PARTED: "it separates photos that belong together",
    Plan.OVER_BUDGET: "it withholds more than its budget",
    Plan.OVER_COST: "it costs more than its budget",
    Plan.COST: "it states a wrong cost",
    Plan.RESTS_ON_ZERO: "what it says about probabilities of zero is wrong",
    Plan.BOUND_INEXACT: "its bound is not an exact number",
    Plan.BOUND: "its bound contradicts it",
    Plan.BOUND_ABOVE_COST: "its bound contradicts it",
    Plan.BOUND_BELOW_COST: "its bound contradicts it",
    Plan.BOUND_BELOW_REACHED: "its bound contradicts it",
    Plan.BOUND_ABOVE_REACHED: "its bound contradicts it",
    Plan.CHEAPER: "a plan that costs less exists",
    Plan.FURTHER: "a plan that protects more exists",
    Plan.BETTER: "a better plan exists",
    Plan.NOT_A_PLAN: "it says that there is no plan",
    Plan.EMPTY_CARRIES: "it says that there is no plan, but has one",
    Plan.EMPTY_BOUND: "it says that there is no plan, but has a bound",
    Plan.NOT_INFEASIBLE: "it says that there is no plan, but there is one",
    Plan.PROOF_PLACES: "the proof that none is better is wrong about hidden places",
    Plan.PROOF_OF_NOTHING: "there is nothing to prove of it",
    Plan.PROOF_TREES: "the proof that none is better is another plan's",
    Plan.PROOF_NODE: "the proof that none is better is damaged",
    Plan.PROOF_OPEN: "the proof that none is better is incomplete",
}
NOTES = {
    CopyNoteKind.MOVED: "the copy was moved or unpacked since: its certificate is {about}",
    CopyNoteKind.OTHER_BITS: "the scores by {about} differ in their last bits from those that the "
    "plan was made with, as can happen on another machine: the promise was checked on the new "
    "scores, and holds; that no smaller set is enough was proved on the old ones",
    CopyNoteKind.LOOKED_UP: "{about} looks scores up by a photo's name, so they were not computed "
    "from the files",
    CopyNoteKind.FOUND: "not covered by the promise: {about} comes within {radius} km of what is "
    "hidden with one of its first {places} places, when it {attacks}",
    CopyNoteKind.OTHER_HITS: "the attacks that no promise covers were tried on {about} again, and "
    "came out otherwise than the certificate says",
    CopyNoteKind.TELLING_TEXT: "not covered by the promise: on {about} “{excerpt}” can be read, "
    "which may mean {label}, in what is hidden or within {km} km of it",
    CopyNoteKind.TEXT_NOT_READ: "not covered by the promise: {about} has more text than can be "
    "read, or could not be searched for it",
    CopyNoteKind.NO_TELLING_TEXT: "beside the promise, text on the files was looked for (scripts: "
    "{about}): what was read names no place within {km} km of what is hidden; lines found and not "
    "read: {unread}",
    CopyNoteKind.NO_TEXT_NEAR: "beside the promise, text on the files was looked for (scripts: "
    "{about}): what was read names no place within {km} km of the middle of what is hidden, but "
    "the certificate does not say how far that reaches; lines found and not read: {unread}",
}
ATTACKS = {
    Attack.POSTERIOR: "adds up the photos as it should",
    Attack.LINEAR_POOLING: "averages the photos' probabilities",
    Attack.HALVES: "takes half of the photos",
    Attack.SMALLER_CIRCLES: "draws smaller circles",
    Attack.LARGER_CIRCLES: "draws larger circles",
    Attack.POPULATION: "knows where people live",
    Attack.EXCLUDER: "strikes out the first guesses of every photo, knowing how this tool works",
}
CONDITIONS = {
    ConditionKind.POSTED: "only together with {photos} not in the copy, whose scores only the "
    "certificate has",
    ConditionKind.PRIOR: "only if {model} believes of places beforehand what the certificate says",
    ConditionKind.PART: "only where {model} adds up {count} of {total} photos for {place}",
    ConditionKind.TIES: "only where a tie counts as hidden: other places come level with {place} "
    "for {model}, not before it",
    ConditionKind.NO_MAP: "only if the certificate is right about which cells {place} lies in: "
    "{model} has no map of them",
    ConditionKind.LABEL: 'only for what the certificate calls "{place}", which lies near {detail}',
    ConditionKind.POSSIBLE: "only if {model} knows beforehand that {place} is in {count} of its "
    "{total} cells",
    ConditionKind.SMALL_PLACES: "only for places of {count} km: {model} may guess within {total} "
    "km of {place}",
    ConditionKind.FINE_CELLS: "only for the cells of {place}, which {model} has as small as towns: "
    "it may guess one beside them ({count} hidden)",
    ConditionKind.CELLS_BESIDE: "only for {count} of the cells of {model} within {total} km of "
    "{place}: it may guess one beside them",
    ConditionKind.WEAKER_MODEL: "only against {model}, which is weaker than the built-in model",
    ConditionKind.NOTHING_PROMISED: "only because nothing is promised of {place} against {model}, "
    "which may guess it first",
    ConditionKind.EXEMPT: "only where nobody looks at {detail} alone, which had to stay and "
    "{shows} {model} {place}",
    ConditionKind.OWN_PHOTOS: "also by {model} from {count} of {total} photos, those "
    "of {place} alone",
    ConditionKind.EACH_PHOTO: "each of {photos} alone hides {place} from {model} too",
    ConditionKind.NOT_EACH_PHOTO: "nothing is promised of {place} by {model} from one photo alone",
    ConditionKind.COARSE: "{model} knows nothing nearer to {place} than {count} km, so it cannot "
    "tell {total} km apart there: what stands for it is hidden",
    ConditionKind.RIVALS: "{count} of {total} cells of {model} count as other guesses than {place}",
    ConditionKind.MARGIN: "with a margin of {count} for each photo, by {model} for {place}",
    ConditionKind.LEAD: "with a lead of {count}, by {model} for {place}",
    ConditionKind.STRICT: "a tie does not count as hidden",
    ConditionKind.BUDGET: "at most {photos} withheld",
    ConditionKind.COST: "what edits lose and photos withheld are worth, at most {detail}",
    ConditionKind.PINNED: "{photos} had to stay",
    ConditionKind.DROPPED: "{photos} had to go",
    ConditionKind.GROUPS: "{groups} stay or go together",
    ConditionKind.VALUES: "photos have values of their own",
}


def headline(result: Verification, name: str) -> str:
    """The first line: whether the promise is kept, and the conditions that weaken it."""
    if not result:
        return f"{name} does not keep its promise:"
    files = counted(result.files, "file")
    are = "is as it was" if result.files == 1 else "are as they were"
    proved = f"{files} {are} exported, and the promise was proved again on new scores:"
    weaker = [condition_text(condition) for condition in result.conditions if condition.weakens]
    if not weaker:
        return f"{name} keeps its promise: {proved}"
    return f"{name} keeps its promise {'; '.join(dict.fromkeys(weaker))}. {proved}"


def checked_text(result: Verification) -> str:
    """Which of the two was checked: that the promise holds, and that no plan is better."""
    holds = "checked: the promise holds, by the files"
    if result.none_better and result.plan is not None:
        return f"{holds}; {none_better_claim(result.plan)}, by a proof over the scores"
    why = "give --scores to check that too"
    if result.none_better is not None:
        why = "no proof of that could be written"
    return f"{holds}. Not checked: that no plan is better; {why}"


def problem_text(problem: CopyProblem) -> str:
    """What is wrong, in one sentence without any number that is secret."""
    scope = "the whole album" if problem.whole else "its own photos"
    plan = "" if problem.plan is None else FALSE_PLANS[problem.plan]
    text = PROBLEMS[problem.kind]
    if problem.kind == CopyProblemKind.GIVEN_AWAY and problem.radius_km:
        text = NEAR_GIVEN_AWAY
    one_of = f"one of {first_places(problem.first)}" if problem.first > 1 else first_places(1)
    fields = {"scope": scope, "plan": plan, "among": among(problem.first), "one_of": one_of}
    return text.format_map(vars(problem) | fields)


def note_text(note: CopyNote) -> str:
    """A note as a sentence."""
    tried = note.tried
    fields = {"about": note.about, "km": f"{note.km:g}", "unread": str(note.unread)}
    if tried is not None:
        fields["attacks"] = ", or ".join(ATTACKS[attack] for attack in tried.hits)
        fields |= {"radius": f"{tried.radius_km:g}", "places": str(tried.places)}
    if note.clue is not None:
        fields |= {"excerpt": note.clue.excerpt, "label": note.clue.label}
    return NOTES[note.kind].format_map(fields)


def condition_text(condition: Condition) -> str:
    """A condition of the promise."""
    count = f"{condition.count:g}"
    photos = f"{count} {'photo' if condition.count == 1 else 'photos'}"
    groups = f"{count} {'group' if condition.count == 1 else 'groups'} of photos"
    fields = vars(condition) | {"count": count, "photos": photos, "groups": groups}
    fields |= {"total": f"{condition.total:g}", "shows": "shows" if count == "1" else "show"}
    return CONDITIONS[condition.kind].format_map(fields)


def conditions_text(result: Verification) -> str:
    """All conditions of a promise, in one line."""
    return "; ".join(dict.fromkeys(map(condition_text, result.conditions)))


def verified_notes(result: Verification) -> list[str]:
    """All notes beside the verdict, those that weaken it first."""
    weaker = [condition_text(condition) for condition in result.conditions if condition.weakens]
    return [*weaker, *map(guess_text, result.guesses), *map(note_text, result.notes)]


def claim_text(claim: Claim) -> str:
    """What was proved of one place."""
    if claim.radius_km:
        lat, lon = claim.position
        more = f", or of {counted(claim.others, 'more position')}" if claim.others else ""
        where = "" if claim.whole else f" ({lat:.3f}, {lon:.3f}){more}"
        theirs = f"{first_places(claim.first)} of {claim.radius_km:g} km of {claim.model}"
        none = f"{theirs} is not" if claim.first == 1 else f"none of {theirs} is"
        return f"{none} {near(claim.place, claim.radius_km, whole=claim.whole)}{where}"
    where = ""
    if claim.names:
        of = "the cell of" if len(claim.names) == 1 else f"{len(claim.names)} cells:"
        where = f" ({of} {listed(claim.names, MAX_CELLS)})"
    if claim.asked:
        return f"{claim.place}{where} is not {among(claim.first)} of {claim.model}"
    places = counted(claim.first, "other place")
    return f"{places} or more come before {claim.place}{where} for {claim.model}"


def guess_text(guess: CopyGuess) -> str:
    """What a model guesses from the files alone."""
    if guess.radius_km:
        any_near = "one" if guess.found else "none"
        of = f"{any_near} of its first {guess.first} places is"
        if guess.first == 1:
            of = "its first place is" if guess.found else "its first place is not"
        return (
            f"from these files alone {guess.model} guesses {listed(guess.names)} first; {of} "
            f"{near(guess.place, guess.radius_km, whole=guess.whole)}"
        )
    is_found = "is" if guess.found else "is not"
    return (
        f"from these files alone {guess.model} guesses {listed(guess.names)} first; {guess.place} "
        f"{is_found} {among(guess.first)}"
    )


def attacks_text(tried: TriedAttacks) -> str:
    """What was tried beside the proof, and what came of it."""
    count, hits = counted(len(tried.tried), "attack"), len(tried.hits)
    found = f"{hits or 'none'} of them comes" if hits < 2 else f"{hits} of them come"
    return (
        f"{count} were tried beside the proof with {tried.model}: {found} within "
        f"{tried.radius_km:g} km of what is hidden with the first {tried.places} places"
    )
