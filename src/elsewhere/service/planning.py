"""One plan for an album: which photos to withhold, given its places and a person's wishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from elsewhere import messages
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError
from elsewhere.globe import ground
from elsewhere.globe.places import CONTINENT_OF
from elsewhere.service.advice import (
    blocked_by_posted,
    low_detail_notes,
    plan_independent_notes,
    suggest_alternatives,
)
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum, model_name
from elsewhere.service.scores import (
    candidate_tops,
    solve_and_check,
    solve_with_secret_top,
)
from elsewhere.service.selection import (
    NowhereError,
    budget_of,
    bursts,
    guesses,
    photo_values,
    select_pinned,
    select_places,
)
from elsewhere.service.threats import Threat, find_threats, threat_scores
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.infeasibility import find_reasons
from elsewhere.solver.plans import previous_plan, read_limits
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.margins import margin
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import Accuracy, Advice, Outcome, Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes

TOP = 5
"""What each photo alone must keep the place out of under a budget."""
PATIENCE = 2.0
"""Seconds for each alternative; one that takes longer counts as untried."""
_LEVEL_KM = {"city": 25.0, "region": 200.0, "country": 750.0}
"""How far off a guess may be to be right about one, as such models are measured."""


@dataclass(frozen=True, kw_only=True)
class AlbumPlan(Outcome):
    """What to withhold of an album, with the threats and places that it is about."""

    threats: tuple[Threat, ...]
    hidden: tuple[AlbumPlace, ...]
    public: tuple[AlbumPlace, ...]
    places: Places
    posted: Posted = NOTHING_POSTED
    """What was public already when the plan was made."""
    top: int | None
    """The secret top really used, at least the one asked for; None under a budget."""


def plan_album(
    scored: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    *,
    posted: Posted = NOTHING_POSTED,
    near: Plan | None = None,
    draw: Random | None = None,
    top: int | None = None,
    stopped: Callable[[], bool] | None = None,
    reasons: bool = True,
) -> AlbumPlan:
    """The fewest photos to withhold so that no hidden place is in any model's top k.

    `near` is a plan that this one should resemble. `draw` draws the secret top; `top` is one that
    was drawn before, used where it still can be had. `stopped` ends the search when it returns
    True, and may raise. Without `reasons` nobody finds out why there is no plan, which takes time.
    Where no place is known, a NowhereError carries what the models guess.
    """
    if not places:
        raise NowhereError(guesses(scored))
    photos = len(scored.photos)
    chosen = select_places(places, scored.photos, wishes.hide)
    threats = find_threats(scored, places, chosen.hidden, wishes, posted)
    groups = bursts(scored.photos, places) if wishes.bursts else ()
    keep, drop = select_pinned(
        wishes.keep, wishes.drop, [p.id for p in scored.photos], scored.skipped
    )
    request = _request(scored, threats, wishes, posted=posted, pins=(keep, drop), groups=groups)
    limits = replace(read_limits(wishes.time_limit, wishes.work_limit), stopped=stopped)
    previous = None if near is None else previous_plan(near, request)
    found_reasons: Reasons | None = None

    def explain(promise: Promise, scores: Sequence[Scores], limits: SearchLimits) -> str:
        nonlocal found_reasons
        found_reasons = find_reasons(promise, scores, limits, keep)
        models = [
            model_name(model.spec) if len(scored.models) > 1 else "" for model in scored.models
        ]
        names = [messages.threat_name(t.hidden_name, t.own, models[t.model]) for t in threats]
        return messages.infeasibility(promise, found_reasons, scores[0].ids, names)

    attempts = [request]
    # nobody insists on each photo alone: where that cannot be had, all together matter more
    optional = wishes.each_photo is None and wishes.budget is None
    if optional:
        against = tuple(replace(a, each_photo=None) for a in request.promise.against)
        attempts.append(replace(request, promise=replace(request.promise, against=against)))
    for attempt in attempts:
        explain_attempt = explain if reasons and attempt is attempts[-1] else None
        if wishes.budget is not None:
            plan, k = solve_and_check(attempt, limits, previous, explain_attempt), None
        else:
            assert wishes.top is not None
            tops = iter([wishes.top])
            if not wishes.exact_top:
                rival_count = min(len(threat.rivals) for threat in threats)
                tops = candidate_tops(wishes.top, rival_count, draw, top)
            plan, k = solve_with_secret_top(
                attempt,
                wishes.top,
                tops,
                limits,
                previous=previous,
                explain=explain_attempt,
                useful=lambda plan: bool(posted.newly_shared(plan.kept, photos)),
            )
        if plan.status != Status.INFEASIBLE:
            break
    newly_shared = len(posted.newly_shared(plan.kept, photos))
    notes = plan_independent_notes(
        scored, places, chosen, threats, wishes=wishes, posted=posted, groups=groups
    )
    if plan.found:
        if attempt is not request:
            notes.append(Note(NoteKind.TOGETHER_ONLY))
        elif optional and not newly_shared:
            notes.append(Note(NoteKind.EACH_PHOTO))
        notes += low_detail_notes(scored, threats, plan, posted, wishes.top)
    blocked = advice = None
    if plan.status == Status.INFEASIBLE and posted and reasons:
        blocked = blocked_by_posted(plan.promise, request.scores, posted.pinned(photos))
    if blocked is None and (plan.found or reasons):
        alternatives = suggest_alternatives(
            plan, wishes, chosen.hidden, threats, reasons=found_reasons, photos=photos
        )
        refuted = plan.status == Status.INFEASIBLE and not (posted or wishes.bursts)
        advice = Advice(alternatives) if alternatives or refuted else None
    album_plan = AlbumPlan(
        plan=plan,
        wishes=wishes,
        hidden_names=tuple(dict.fromkeys(threat.hidden_name for threat in threats)),
        public_names=tuple(place.label for place in chosen.public),
        models=tuple(model_name(model.spec) for model in scored.models),
        accuracy=tuple(_accuracy(chosen.hidden, scored.models, wishes)),
        ids=request.scores[0].ids,
        photos=photos,
        newly_shared=newly_shared,
        posted_count=len(posted.ids) + len(posted.already),
        notes=tuple(notes),
        advice=advice,
        blocked=blocked,
        threats=threats,
        hidden=chosen.hidden,
        public=chosen.public,
        places=places,
        posted=posted,
        top=k,
    )
    if not plan.found:
        return album_plan
    # the solver's own words name the secret top
    return replace(album_plan, plan=replace(plan, explanation=messages.verdict(album_plan)))


def evaluate_alternatives(
    scored: ScoredAlbum, album_plan: AlbumPlan, *, draw: Random | None = None
) -> AlbumPlan:
    """The plan with the alternatives that help, and how many photos each would share."""
    advice = album_plan.advice
    candidates = [choice for choice in advice.alternatives if choice.mentioned] if advice else []
    if advice is None or not candidates:
        return album_plan
    helpful = []
    for alternative in candidates:
        wishes = alternative.applied(album_plan.wishes)
        if wishes is None:
            helpful.append(alternative)
            continue
        wishes = replace(wishes, time_limit=PATIENCE)
        places, posted = album_plan.places, album_plan.posted
        try:
            other = plan_album(scored, places, wishes, posted=posted, draw=draw, reasons=False)
        except InputError:
            continue  # it cannot even be asked for
        shared = 0 if other.empty else other.newly_shared
        if other.plan.status == Status.UNKNOWN:
            helpful.append(alternative)
        elif shared > album_plan.newly_shared:
            helpful.append(replace(alternative, shared=shared))
    helpful.sort(key=lambda alternative: -(alternative.shared or 0))
    return replace(album_plan, advice=replace(advice, helpful=tuple(helpful)))


def _request(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    wishes: Wishes,
    *,
    posted: Posted,
    pins: tuple[tuple[int, ...], tuple[int, ...]],
    groups: Sequence[Sequence[int]],
) -> Request:
    """The wishes as the solver reads them, for the top that was asked for."""
    if wishes.top is None and wishes.budget is None:
        raise InputError("ask for a top (fewest withheld) or a budget (furthest down)")
    keep, drop = pins
    for number in set(posted.already) & set(drop):
        raise InputError(
            f"{scored.photos[number].id} is posted already and cannot be dropped any more"
        )
    photos = len(scored.photos)
    values = photo_values(scored.photos, wishes.values, stars=wishes.stars, skipped=scored.skipped)
    costs = [values.get(n, Fraction(1)) for n in range(photos + len(posted.ids))]
    each_photo = wishes.budget is None if wishes.each_photo is None else wishes.each_photo
    each_top = (wishes.top or TOP) if each_photo else False
    return read_request(
        threat_scores(scored, threats, posted),
        [threat.zone.cells.tolist() for threat in threats],
        top=None if wishes.budget is not None else wishes.top,
        budget=None if wishes.budget is None else budget_of(wishes.budget, photos),
        keep=sorted({*keep, *posted.pinned(photos)}),
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=costs if values else None,
        groups=groups,
        rivals=[threat.rivals for threat in threats],
        sees=[threat.sees for threat in threats],
        each_photo=[each_top if threat.own else False for threat in threats],
        strict=wishes.strict,
    )


def _accuracy(
    hidden: Sequence[AlbumPlace], models: Sequence[ModelScores], wishes: Wishes
) -> list[Accuracy]:
    """How often the models are right in the hidden places' part of the world, where known."""
    # a place that the user gave as a region or country is hidden as a whole
    areas = [place.area.kind for place in hidden if place.area is not None]
    levels = [level for level in (wishes.hide_level, *areas) if level in _LEVEL_KM]
    level = max(levels, key=_LEVEL_KM.__getitem__, default="")
    radius = wishes.radius_km
    if level and _LEVEL_KM[level] >= radius:
        radius = _LEVEL_KM[level]
    else:
        level = ""
    codes = {ground(place.lat, place.lon, "country")[0].code for place in hidden}
    found = []
    for model in models:
        table = model.about.accuracy
        for part in sorted({CONTINENT_OF.get(code, "") for code in codes}) if table else ():
            shares, region = (table[part], part) if part in table else (table[""], "the world")
            km = min((km for km in shares if km >= radius), default=max(shares))
            found.append(Accuracy(model_name(model.spec), km, shares[km], region, level))
    return found
