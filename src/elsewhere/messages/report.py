"""What the private report says in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from elsewhere.audit import Audit
from elsewhere.messages.key_numbers import why_withheld
from elsewhere.messages.photo_text import text_check
from elsewhere.messages.phrases import Surface, loss_text, near, none_better_claim, ordinal
from elsewhere.values.margins import margin
from elsewhere.values.outcome import Outcome, PhotoEffect
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wording import counted, listed

_MAX_RATIO = 1_000_000


def plan_state(plan: Plan) -> str:
    """A plan in a few words."""
    if plan.status == Status.INFEASIBLE:
        return "No plan keeps the promise"
    if plan.status == Status.UNKNOWN:
        return "No plan was found in time"
    if plan.promise.budget is not None and plan.promise.versions is not None:
        what = "a value" if plan.promise.values is not None else "a loss"
        return (
            f"The best found within a budget, {what} of {loss_text(plan.promise.budget)}, among "
            "the versions tried"
        )
    if plan.promise.budget is not None:
        return f"The best found within a budget of {counted(plan.promise.budget, 'photo')}"
    if plan.promise.versions is not None:
        if plan.status == Status.FEASIBLE:
            return "The promise holds; less might be lost"
        return "The promise holds, with the least loss among the versions tried"
    if plan.status == Status.FEASIBLE:
        return "The promise holds; fewer photos might do"
    return "The promise holds, with the fewest photos withheld"


def none_better(plan: Plan, *, proved: bool) -> str:
    """Who says that no plan is better, in the report of one that holds."""
    claim = none_better_claim(plan)
    if proved:
        return f"checked, by other code than the search: {claim}, by a proof"
    return f"not checked: that {claim} is the search's word; elsewhere verify --scores checks it"


def audit_verdict(audits: Sequence[Audit]) -> str:
    """What an album gives away, by the audits that are shown in full."""
    first = audits[0]
    if first.radius_km is not None and first.truth is not None:
        return " ".join(_place_found(audit) for audit in audits)
    ranks = [f"{a.truth.label} is number {a.truth.rank}" for a in audits if a.truth is not None]
    if ranks:
        return f"Among the guesses of {first.scorer}, {listed(ranks)}."
    photos = counted(len(first.ids), "photo")
    return f"From {photos} {first.scorer} guesses {first.guesses[0].name}."


def _place_found(audit: Audit) -> str:
    """Which of an attacker's first places is near."""
    assert audit.truth is not None
    truth, rank = audit.truth, audit.truth.rank
    where = near(truth.label, audit.radius_km or 0.0, whole=truth.whole)
    if audit.rank_limit is not None and rank > audit.rank_limit:
        return f"None of the first {audit.rank_limit} guesses of {audit.scorer} is {where}."
    first = "first" if rank == 1 else ordinal(rank)
    return f"The {first} guess of {audit.scorer} is {where}."


def photo_effect(effect: PhotoEffect) -> Iterator[str]:
    """Why a photo is withheld."""
    place, model, limit = effect.place, effect.model, effect.rank_limit
    after = rank_in_words(effect.rank_with, limit)
    if effect.rank_without is None:
        yield f"No other photo of {place} is shared; this one alone would put it {after}."
        return
    if limit is not None and effect.rank_with > limit:
        yield (
            f"{model} has nothing near {place} among its first {limit} guesses, with this photo or "
            f"without. {why_withheld(effect.radius_km or 0.0)}"
        )
        return
    before, photos = (
        rank_in_words(effect.rank_without, limit),
        counted(effect.shared, "shared photo"),
    )
    of_all = "" if effect.cells is None else f" of {effect.cells}"
    if effect.rank_with < effect.rank_without:
        yield (
            f"It alone lifts {place} from {before} to {after}: {model} ranks it {before}{of_all} "
            f"from the {photos}, and {after} with this one added."
        )
    else:
        yield (
            f"{model} ranks {place} {before} from the {photos}, and {after} with this one added, "
            "which is too high for what was asked."
        )
    yield f"By itself it puts {place} {rank_in_words(effect.rank_alone, limit)}."
    if effect.decoy:
        times = f"{effect.ratio:.1f}" if effect.ratio < 10 else f"{effect.ratio:,.0f}"
        if effect.ratio >= _MAX_RATIO:
            times = "more than a million"
        yield (
            f"To that attacker it looks {times} times as much like {place} as like {effect.decoy}, "
            "one of the decoys."
        )


def rank_in_words(rank: int, limit: int | None) -> str:
    """A rank in a sentence.

    >>> rank_in_words(3, 100), rank_in_words(101, 100)
    ('3rd', 'beyond the first 100')
    """
    return f"beyond the first {limit}" if limit is not None and rank > limit else ordinal(rank)


def limits(outcome: Outcome, surface: Surface = Surface.REPORT) -> Iterator[str]:
    """What the promise of a plan does not cover."""
    wishes, public, posted = outcome.wishes, outcome.public_names, outcome.posted_count
    yield (
        f"Other attackers: the promise is against {listed(outcome.models)}. A better model, or "
        "somebody who knows the place, may still find it."
    )
    spare = margin(wishes.margin)
    if spare.theta:
        yield (
            f"Models that differ more than the margin: its {spare.theta:g} for each photo stands "
            f"for {spare.stands_for}, and nothing is proved beyond that."
        )
    else:
        yield (
            "Models that differ at all: no margin was asked for, so a model only a little unlike "
            "the scorers may rank the place higher."
        )
    if wishes.budget is None:
        yield f"More guesses: whoever tries more than {wishes.top} places may reach this one."
    else:
        yield "Any fixed rank: a budget pushes the place down as far as it can, and no further."
    match wishes.width.level:
        case None:
            hidden = f"what lies within {wishes.width.radius_km:g} km of the photos"
        case "cell" | "city" as level:
            hidden = f"each hidden place's {level}"
        case level:
            hidden = f"each hidden place's whole {level}"
    yield f"What lies around: {hidden} is hidden, as outlined on the map, and no more."
    if public:
        yield f"Places that you called public: {listed(public)} may be found from these photos."
    if posted:
        yield (
            f"Other public photos: {counted(posted, 'photo')} already public "
            f"{'was' if posted == 1 else 'were'} counted, and no others."
        )
    else:
        yield (
            "Photos that are public already, yours or others' of the same event: none were counted"
            f"{surface.option('--posted counts them')}."
        )
    yield text_check(outcome)
    yield (
        "What these models do not look for: what a vision-language model or a reverse image search "
        "finds, and the sensor's noise, which links photos to others from the same camera."
    )
    yield (
        "Everything but the pixels: what you write beside the photos, when you post them, who is "
        "in them, and your other accounts."
    )
