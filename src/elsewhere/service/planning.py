"""One plan for an album: which photos to withhold, given its places and a person's wishes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from random import Random

import numpy as np

from elsewhere import messages
from elsewhere.album.places import AlbumPlace, Places, likely_home
from elsewhere.checker.facts import AlbumFacts
from elsewhere.errors import CheckError, InputError
from elsewhere.globe import ground
from elsewhere.globe.places import CONTINENT_OF
from elsewhere.service.advice import (
    blocked_by_posted,
    exempt_photos,
    like_withheld_notes,
    low_detail_notes,
    plan_independent_notes,
    priced_changes,
    refuted_choices,
    suggest_alternatives,
)
from elsewhere.service.album_versions import AlbumVersions, album_versions
from elsewhere.service.attacks import MAX_ANYWHERE_KM, find_hits
from elsewhere.service.photo_texts import (
    check_texts,
    hides_text,
    photos_with_telling_text,
    telling_text_notes,
)
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ModelScores, ScoredAlbum, model_name
from elsewhere.service.scores import solve_and_check, solve_with_secret_top
from elsewhere.service.secret_top import album_draw, secret_tops
from elsewhere.service.selection import (
    NowhereError,
    budget_of,
    bursts,
    guesses,
    hidden_name,
    kept_by_name,
    photo_values,
    select_pinned,
    select_places,
)
from elsewhere.service.threats import Threat, find_threats, threat_scores
from elsewhere.solver.circle_plans import MAX_TOP
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.infeasibility import find_reasons
from elsewhere.solver.plans import previous_plan, read_limits
from elsewhere.solver.requests import Request, first_rows, read_request
from elsewhere.values.margins import margin
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import Accuracy, Advice, Alternative, Change, Outcome, Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import Attack
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.versions import Edit, ScoredVersion
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import apart_only

TOP = 5
"""What each photo alone must keep the place out of under a budget."""
ALTERNATIVE_WORK = 20_000
"""Work for each alternative; what is not found within it is not known."""
TIGHTENINGS = (2, 4)
"""How many times the top is tried where an attack that no row is about finds a place."""
MAX_ATTACKED_PHOTOS = 500
"""Kept photos up to which such attacks are tried on a plan; an export tries them on any."""
MAX_PRICED_PHOTOS = 500
"""Photos of an album up to which its prices are tried: each is a plan."""
PRICE_SECONDS = 20.0
"""Time for all prices; what is not found out by then is said not to have been tried."""
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
    attacked: bool = False
    """Whether all attacks that no promise is about, and that can be tried on it, were tried."""
    versions: AlbumVersions | None = None
    """The versions of photos that it was chosen among; None where photos are shared as they are."""
    confirmed: bool = False
    """Whether models that confirm edits do not find the place in all that it shares together."""

    @property
    def unconfirmed(self) -> bool:
        """Whether it has edits that must be confirmed together before it is exported."""
        return self.plan.found and bool(self.edits) and not self.confirmed

    @property
    def editable(self) -> tuple[int, ...]:
        """The photos that an edit may save: withheld, and not because the user drops them."""
        withheld = self.plan.withheld if self.plan.found else range(self.photos)
        out = {*self.posted.already, *self._dropped}
        return tuple(n for n in withheld if n < self.photos and n not in out)

    @property
    def edits(self) -> dict[str, Edit]:
        """How photos are edited that the plan does not share as they are, by name."""
        if self.versions is None:
            return {}
        edits = self.versions.edits(self.plan.choices)
        return {self.ids[number]: edit for number, edit in edits.items()}

    @property
    def chosen(self) -> int:
        """How many photos it withholds, beside those that the user drops."""
        return len({*self.plan.withheld} - self._dropped)

    @property
    def _dropped(self) -> set[int]:
        """The photos that the user drops, and that are not withheld for their text."""
        telling = {*self.telling_photos}
        return {n for n in self.plan.promise.drop if self.ids[n] not in telling}

    @property
    def telling_photos(self) -> tuple[str, ...]:
        """The photos that are withheld for their readable text."""
        return tuple(
            photo
            for note in self.notes
            if note.kind == NoteKind.TELLING_TEXT
            for photo in note.photos
        )


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
    attacked: bool = False,
    quick: bool = False,
    candidates: Mapping[int, Sequence[ScoredVersion]] | None = None,
    threats: tuple[Threat, ...] | None = None,
) -> AlbumPlan:
    """The fewest photos to withhold so that no hidden place is in any model's top k.

    `near` is a plan that this one should resemble. `draw` draws the secret top, by the album and
    the user's key where it is None; `top` is one that was drawn before, used where it still can be
    had. `stopped` ends the search when it returns True, and may raise. Without `reasons` nobody
    finds out why there is no plan, which takes time. With `attacked`, attacks that no promise is
    about are tried on the plan; where one finds a place, larger tops are tried. A `quick` plan says
    of pinned photos that they tell a place alone where they seem to.

    `candidates` are versions of some photos, by number: the plan then has the least loss among them
    and names the rows chosen (`Plan.choices`, `AlbumPlan.edits`). A photo with a readable name is
    withheld, or shared in a version that covers all such names. `threats` are
    those of an earlier plan for the same places, which need not be found again.
    Where no place is known, a NowhereError carries what the models guess.
    """
    if not places:
        raise NowhereError(guesses(scored))
    photos, same_draw = len(scored.photos), copy(draw)
    chosen = select_places(places, scored.photos, wishes.hide)
    threats = threats or find_threats(scored, places, chosen.hidden, wishes, posted)
    groups = bursts(scored.photos, places) if wishes.bursts else ()
    keep, drop = select_pinned(
        wishes.keep, wishes.drop, [p.id for p in scored.photos], scored.skipped
    )
    telling = with_names = photos_with_telling_text(scored, chosen.hidden, wishes, posted)
    named = kept_by_name(wishes.keep, [p.id for p in scored.photos], scored.skipped)

    def hides(number: int, edit: Edit | None) -> bool:
        return hides_text(scored, number, edit, chosen.hidden, wishes.width)

    allowed = {**(candidates or {})}
    for number in {*telling} & allowed.keys() - named:  # only in versions that cover the text
        allowed[number] = tuple(v for v in allowed[number] if hides(number, v.edit))
    versions = album_versions(scored, allowed, posted)
    if versions is not None:
        choices = {n: versions.candidates.get(n, (None,)) for n in telling}
        telling = tuple(n for n in telling if not all(v and hides(n, v.edit) for v in choices[n]))
    keep = tuple(number for number in keep if number in named or number not in telling)
    text_notes = telling_text_notes(scored, telling, keep, drop)
    drop = tuple(sorted({*drop, *telling} - set(keep)))
    request = _request(
        scored, threats, wishes, posted=posted, pins=(keep, drop), groups=groups, versions=versions
    )
    ids = first_rows(request.scores[0], request.promise.versions).ids
    counted = _photos_with_counted_text(scored, threats, posted, versions, request.scores)
    if shareable := tuple(ids[n] for n in counted if n not in drop):
        text_notes.append(Note(NoteKind.TEXT_COUNTED, photos=shareable))
    limits = read_limits(wishes.time_limit, wishes.work_limit)
    limits = replace(limits, stopped=stopped, thorough=attacked)
    previous = None if near is None else previous_plan(near, request)
    found_reasons: Reasons | None = None

    def explain(promise: Promise, scores: Sequence[Scores], limits: SearchLimits) -> str:
        nonlocal found_reasons
        found_reasons = find_reasons(promise, scores, limits, keep)
        models = [
            model_name(model.spec) if len(scored.models) > 1 else "" for model in scored.models
        ]
        names = [messages.threat_name(t.hidden_name, t.own, models[t.model]) for t in threats]
        return messages.infeasibility(promise, found_reasons, ids, names)

    attempts = [request]
    # nobody insists on each photo alone: where that cannot be had, all together matter more
    optional = wishes.each_photo is None and wishes.budget is None
    if optional:
        against = tuple(replace(a, each_photo=None) for a in request.promise.against)
        attempts.append(replace(request, promise=replace(request.promise, against=against)))
    ruled_out, first = False, None
    for attempt in attempts:
        explain_attempt = explain if reasons and attempt is attempts[-1] else None
        if wishes.budget is not None:
            plan, k = solve_and_check(attempt, limits, previous, explain_attempt), None
        else:
            assert wishes.top is not None
            tops = iter([wishes.top])
            if not wishes.exact_top:
                limits_of = [MAX_TOP if t.rivals is None else len(t.rivals) for t in threats]
                rival_count = min(limits_of)
                draw = draw or album_draw(scored.photos)
                tops = secret_tops(wishes.top, rival_count, draw, top)
            drawn_first = next(tops)
            first = first or drawn_first
            tops = chain([drawn_first], tops)
            plan, k = solve_with_secret_top(
                attempt,
                wishes.top,
                tops,
                limits,
                previous=previous,
                explain=explain_attempt,
                useful=lambda plan: bool(posted.newly_shared(plan.kept, photos)),
            )
        # a plan for places may be neither found nor ruled out within all limits
        if plan.found or (plan.status == Status.UNKNOWN and limits.exhausted()):
            break
        ruled_out = plan.status == Status.INFEASIBLE
    hits: dict[int, tuple[Attack, ...]] = {}
    drawn, complete = k, True
    if attacked and plan.found and k is not None:
        plan, k, hits, complete = _withstand(
            scored, threats, attempt, (plan, k), posted=posted, limits=limits
        )
    lowered = attempt is not request or bool(hits) or k != first
    if plan.found and lowered and (telling or counted):
        # text that rules out a larger k, or each photo alone, must not make a plan share more
        again = partial(
            plan_album,
            places=places,
            posted=posted,
            near=near,
            draw=same_draw,
            top=first,
            stopped=stopped,
            attacked=attacked,
            candidates=candidates,
        )
        plain = again(replace(scored, texts={}), wishes=wishes, reasons=False)
        less = set(plain.plan.withheld) - {*keep, *drop}
        if plain.plan.found and plain.plan.cost > plan.cost and less:
            withheld = (plain.ids[number] for number in sorted(less))
            fewer = replace(wishes, drop=(*wishes.drop, *withheld))
            return replace(again(scored, wishes=fewer, reasons=reasons), wishes=wishes)
    newly_shared = len(posted.newly_shared(plan.kept, photos))
    notes = plan_independent_notes(
        scored, places, chosen, threats, wishes=wishes, posted=posted, groups=groups
    )
    notes += text_notes
    exempt = exempt_photos(plan, request.scores, quick=quick) if plan.found else ()
    if plan.found:
        if attempt is not request:
            notes.append(Note(NoteKind.TOGETHER_ONLY, ruled_out=ruled_out))
        elif optional and not newly_shared:
            notes.append(Note(NoteKind.EACH_PHOTO))
        if exempt:
            names = apart_only(ids)
            notes.append(Note(NoteKind.TELLS_ALONE, photos=tuple(names[n] for n in exempt)))
        if k != drawn:
            notes.append(Note(NoteKind.TIGHTENED))
        for number, attacks in hits.items():
            name = model_name(scored.models[number].spec)
            notes.append(Note(NoteKind.FOUND_BY_ATTACKS, model=name, attacks=attacks))
        notes += like_withheld_notes(scored, plan, posted)
        notes += low_detail_notes(
            scored, threats, plan, posted, top=wishes.top, scores=request.scores
        )
    if limits.time_decided and plan.status in (Status.FEASIBLE, Status.UNKNOWN):
        notes.append(Note(NoteKind.TIME_DECIDED))
    blocked, advice, refuted_count = None, None, 0
    if plan.status == Status.UNKNOWN and wishes.top is not None and not limits.time_decided:
        refuted_count = refuted_choices(scored, threats, plan.promise, posted, wishes.top)
    if plan.status == Status.INFEASIBLE and posted and reasons:
        blocked = blocked_by_posted(plan.promise, request.scores, posted.pinned(photos))
    if blocked is not None and blocked.down:
        # what is withheld then is what will be: with the same top, and each photo alone, too
        then = plan_album(
            scored,
            places,
            wishes,
            posted=posted.without(blocked.down, photos),
            draw=same_draw,
            top=top,
            stopped=stopped,
            reasons=False,
            candidates=candidates,
        ).plan
        if then.found:
            rest = (n for n in then.withheld if n < photos and n not in blocked.down)
            blocked = replace(blocked, withheld=tuple(rest))
    if blocked is None and (plan.found or reasons):
        alternatives = suggest_alternatives(
            plan, wishes, chosen.hidden, threats, reasons=found_reasons, photos=photos
        )
        refuted = plan.status == Status.INFEASIBLE and not (posted or wishes.bursts)
        advice = Advice(alternatives) if alternatives or refuted else None
    edited = {} if versions is None else versions.edits(plan.choices)
    album_plan = AlbumPlan(
        plan=plan,
        wishes=wishes,
        hidden_names=tuple(dict.fromkeys(threat.hidden_name for threat in threats)),
        public_names=tuple(place.label for place in chosen.public),
        models=tuple(model_name(model.spec) for model in scored.models),
        accuracy=tuple(_accuracy(chosen.hidden, scored.models, wishes)),
        ids=ids,
        photos=photos,
        newly_shared=newly_shared,
        posted_count=len(posted.ids) + len(posted.already),
        notes=tuple(notes),
        advice=advice,
        blocked=blocked,
        refuted=refuted_count,
        telling=exempt,
        threats=threats,
        hidden=chosen.hidden,
        public=chosen.public,
        places=places,
        posted=posted,
        top=k,
        attacked=attacked and complete,
        versions=versions,
        text=check_texts(
            scored,
            with_names,
            plan,
            edited,
            [number for number in with_names if not hides(number, edited.get(number))],
        ),
    )
    if not plan.found:
        return album_plan
    # the solver's own words name the secret top
    return replace(album_plan, plan=replace(plan, explanation=messages.verdict(album_plan)))


def keep_with_text(scored: ScoredAlbum, album_plan: AlbumPlan) -> AlbumPlan | None:
    """A plan that was made before the photos' text was read, where no text says anything near.

    None where some text counts, so that a plan must be made with it.
    """
    posted, versions, plan = album_plan.posted, album_plan.versions, album_plan.plan
    tables = threat_scores(scored, album_plan.threats, posted, versions)
    if (
        not plan.found
        or photos_with_telling_text(scored, album_plan.hidden, album_plan.wishes, posted)
        or _photos_with_counted_text(scored, album_plan.threats, posted, versions, tables)
    ):
        return None
    edited = {} if versions is None else versions.edits(plan.choices)
    read = replace(album_plan, text=check_texts(scored, (), plan, edited))
    return replace(read, plan=replace(plan, explanation=messages.verdict(read)))


def plan_versions(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    candidates: Mapping[int, Sequence[ScoredVersion]],
    *,
    stopped: Callable[[], bool] | None = None,
) -> AlbumPlan:
    """A plan with versions of some photos to choose among, or this one where they do not help.

    For the same wishes and the same secret top, near this plan. `candidates` are versions by the
    photo's number, the photo as it is among them where it may be shared so.
    """
    other = plan_album(
        scored,
        album_plan.places,
        album_plan.wishes,
        posted=album_plan.posted,
        near=album_plan.plan if album_plan.plan.found else None,
        top=album_plan.top,
        stopped=stopped,
        reasons=not album_plan.plan.found,
        attacked=album_plan.attacked,
        candidates=candidates,
    )
    return other if _merit(other) > _merit(album_plan) else album_plan


def withheld_together(scored: ScoredAlbum, album_plan: AlbumPlan) -> tuple[int, ...]:
    """The photos of `editable` that are withheld for what the album tells, and not for themselves.

    Each of them has a version, or is one, that does not tell a hidden place alone.
    """
    tables = threat_scores(scored, album_plan.threats, album_plan.posted, album_plan.versions)
    harmless = AlbumFacts(album_plan.plan.promise, tables).cheapest
    return tuple(number for number in album_plan.editable if number in harmless)


def shared_by_telling(scored: ScoredAlbum, album_plan: AlbumPlan) -> tuple[int, ...]:
    """The photos that a plan shares as they are, what tells most of a hidden place first.

    Where photos are withheld for what all tell together, an edit of one of these may save another.
    How much one tells is by how much it favours what is hidden over what comes before it, most of
    all threats. Pinned ones are among them, and public ones are not.
    """
    plan, posted = album_plan.plan, album_plan.posted
    edited = {} if album_plan.versions is None else album_plan.versions.edits(plan.choices)
    numbers = [n for n in posted.newly_shared(plan.kept, album_plan.photos) if n not in edited]
    told = np.full(len(numbers), -np.inf)
    for threat, view in zip(album_plan.threats, plan.views, strict=True):
        rows = scored.models[threat.model].scores.values[numbers].astype(np.float64)
        if not view.rivals or not len(threat.zone):
            continue
        hidden = rows[:, threat.zone.cells].max(axis=1)
        favours = hidden - np.maximum(rows[:, list(view.rivals)], -1e6).mean(axis=1)
        seen = np.ones(len(numbers), bool)
        if threat.sees is not None:
            seen = np.isin(numbers, threat.sees)
        told = np.where(seen, np.maximum(told, favours), told)
    return tuple(numbers[place] for place in np.argsort(-told, kind="stable").tolist())


def _photos_with_counted_text(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    posted: Posted,
    versions: AlbumVersions | None,
    tables: Sequence[Scores],
) -> tuple[int, ...]:
    """The photos whose text says something of what is hidden, so that it counts in these tables."""
    if not scored.texts:
        return ()
    own = threat_scores(replace(scored, texts={}), threats, posted, versions)
    rows: set[int] = set()
    for table, plain in {id(t): (t, p) for t, p in zip(tables, own, strict=True)}.values():
        if table is not plain:
            rows.update(np.flatnonzero((table.values != plain.values).any(axis=1)).tolist())
    photos = rows if versions is None else {versions.rows[row][0] for row in rows}
    return tuple(sorted(photos))


def _merit(album_plan: AlbumPlan) -> tuple[bool, bool, int, int, Fraction]:
    """What is better in a plan for the same wishes is larger.

    Attacks that still find a place count before the cost, where they were tried on it.
    """
    plan = album_plan.plan
    together_only = any(note.kind == NoteKind.TOGETHER_ONLY for note in album_plan.notes)
    reached = 0 if plan.promise.budget is None else plan.protected_k
    found = [note for note in album_plan.notes if note.kind is NoteKind.FOUND_BY_ATTACKS]
    hits = sum(attack is not Attack.EXCLUDER for note in found for attack in note.attacks)
    return plan.found, not together_only, reached, -hits, -Fraction(plan.cost)


def _withstand(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    request: Request,
    found: tuple[Plan, int],
    *,
    posted: Posted,
    limits: SearchLimits,
) -> tuple[Plan, int, dict[int, tuple[Attack, ...]], bool]:
    """The plan, or one for a larger top that fewer attacks find a place from; and what does.

    Last, whether the clock left time for all of it.

    The excluder is tried and told of, but no top is raised for him: he is one of many who may know
    the tool, and a larger k is what he would expect then. A tighter plan is not called optimal, for
    the top that was drawn may need less.
    """
    plan, k = found
    photos = len(scored.photos)
    least = len(posted.newly_shared(plan.kept, photos)) / 2
    best = (plan, k, _find_hits(scored, threats, request, plan))
    for factor in TIGHTENINGS:
        top = min(factor * k, MAX_TOP)
        if not _count_hits(best[2]):
            break
        if limits.out_of_time():
            limits.time_decided = True
            return *best, False
        against = tuple(replace(attacker, top=top) for attacker in request.promise.against)
        attempt = replace(request, promise=replace(request.promise, against=against))
        try:
            part = replace(limits, done=0)
            other = solve_and_check(attempt, part, explain=None)
            limits.time_decided = limits.time_decided or part.time_decided
        except (InputError, CheckError):  # the plan that is there stays
            break
        if not other.found or len(posted.newly_shared(other.kept, photos)) < max(1, least):
            break
        hits = _find_hits(scored, threats, request, other)
        if _count_hits(hits) < _count_hits(best[2]):
            best = (replace(other, status=Status.FEASIBLE, bound=plan.bound), top, hits)
    return *best, True


def _count_hits(hits: dict[int, tuple[Attack, ...]]) -> int:
    """How many attacks a larger top may help against."""
    return sum(attack is not Attack.EXCLUDER for found in hits.values() for attack in found)


def _find_hits(
    scored: ScoredAlbum, threats: Sequence[Threat], request: Request, plan: Plan
) -> dict[int, tuple[Attack, ...]]:
    """By model, the attacks that find something hidden in the kept photos."""
    found: dict[int, tuple[Attack, ...]] = {}
    for number, threat in enumerate(threats):
        circles, about = threat.circles, scored.models[threat.model].about
        if circles is None or not threat.whole or circles.radius_km > MAX_ANYWHERE_KM:
            continue
        top = request.promise.against[number].top
        if threat.model not in found and top is not None:
            rows = request.scores[number].values[list(plan.shared)]
            if len(rows) <= MAX_ATTACKED_PHOTOS:
                found[threat.model] = find_hits(about, rows, circles, top, threat.rivals)
    return {model: hits for model, hits in found.items() if hits}


def evaluate_alternatives(
    scored: ScoredAlbum, album_plan: AlbumPlan, *, draw: Random | None = None
) -> AlbumPlan:
    """The plan with the alternatives that help, and how many photos each would share."""
    advice = album_plan.advice
    if advice is None or not any(choice.mentioned for choice in advice.alternatives):
        return album_plan
    tried = [_try(scored, album_plan, choice, draw) for choice in advice.alternatives]
    possible = tuple(choice for choice in tried if choice is not None)
    helpful = [
        choice
        for choice in possible
        if (choice.shared is None and choice.mentioned)
        or (choice.shared or 0) > album_plan.newly_shared
    ]
    helpful.sort(key=lambda choice: -(choice.shared or 0))
    return replace(album_plan, advice=Advice(possible, tuple(helpful)))


def price_wishes(
    scored: ScoredAlbum, album_plan: AlbumPlan, by_ease: Sequence[str] = ()
) -> AlbumPlan:
    """The plan with its price list: what each part of the wishes costs, by the same draw.

    `by_ease` are the names of hidden places, the most easily found first.
    """
    wishes, threats = album_plan.wishes, album_plan.threats
    if album_plan.empty and album_plan.photos <= MAX_PRICED_PHOTOS:
        return replace(album_plan, prices=_enough_budget(scored, album_plan))
    order = {name: number for number, name in enumerate(by_ease)}
    hidden = sorted(
        album_plan.hidden,
        key=lambda place: order.get(hidden_name(place, wishes.width), len(order)),
    )
    home = likely_home(album_plan.places, scored.photos) if len(hidden) > 1 else None
    lines = priced_changes(album_plan.plan, wishes, hidden, threats, home)
    known = {
        replace(tried, mentioned=True, shared=None, withheld=None, tried=False): tried
        for tried in (album_plan.advice.alternatives if album_plan.advice else ())
        if tried.tried
    }
    prices, end = [], time.monotonic() + PRICE_SECONDS
    for line in lines:
        price: Alternative | None = known.get(line, line)
        if line not in known and album_plan.photos <= MAX_PRICED_PHOTOS and time.monotonic() < end:
            price = _try(scored, album_plan, line, None, lambda: time.monotonic() >= end)
            if time.monotonic() >= end:  # what was interrupted is not known
                price = line
        if price is not None:
            prices.append(price)
    return replace(album_plan, prices=tuple(prices))


def _enough_budget(scored: ScoredAlbum, album_plan: AlbumPlan) -> tuple[Alternative, ...]:
    """The budget that is enough to keep the place from being the first guess, where one is."""
    wishes = replace(album_plan.wishes, top=1, budget=None, exact_top=True, each_photo=False)
    other = _plan_like(scored, album_plan, wishes, None)
    if not other.plan.found or other.empty:
        return ()
    amount = len(other.plan.withheld)
    return (Alternative(Change.BUDGET, amount=amount, shared=other.newly_shared, tried=True),)


def _try(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    alternative: Alternative,
    draw: Random | None,
    stopped: Callable[[], bool] | None = None,
) -> Alternative | None:
    """The alternative with what it would share; None where it cannot be asked for."""
    wishes = alternative.applied(album_plan.wishes)
    if wishes is None:
        return alternative
    try:
        other = _plan_like(scored, album_plan, wishes, draw, stopped)
    except InputError:
        return None
    if other.plan.status == Status.UNKNOWN and not other.refuted:
        return replace(alternative, tried=True)
    return replace(
        alternative,
        tried=True,
        shared=0 if other.empty else other.newly_shared,
        withheld=other.chosen if other.plan.found and not other.empty else None,
    )


def _plan_like(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    wishes: Wishes,
    draw: Random | None,
    stopped: Callable[[], bool] | None = None,
) -> AlbumPlan:
    """A quick plan of the same photos for other wishes."""
    versions = album_plan.versions
    return plan_album(
        scored,
        album_plan.places,
        replace(wishes, time_limit=None, work_limit=ALTERNATIVE_WORK),
        posted=album_plan.posted,
        draw=draw,
        stopped=stopped,
        reasons=False,
        # a plan that was made tighter is compared with one that would be
        attacked=any(note.kind is NoteKind.TIGHTENED for note in album_plan.notes),
        candidates=None if versions is None else versions.candidates,
    )


def _request(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    wishes: Wishes,
    *,
    posted: Posted,
    pins: tuple[tuple[int, ...], tuple[int, ...]],
    groups: Sequence[Sequence[int]],
    versions: AlbumVersions | None = None,
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
    budget: int | Fraction | None = None
    if wishes.budget is not None:
        budget = budget_of(wishes.budget, photos)
        if versions is not None:  # so many photos of average value
            budget = budget * sum(costs[:photos], Fraction(0)) / photos
    each_photo = wishes.budget is None if wishes.each_photo is None else wishes.each_photo
    each_top = (wishes.top or TOP) if each_photo else False
    return read_request(
        threat_scores(scored, threats, posted, versions),
        [threat.circles or threat.zone.cells.tolist() for threat in threats],
        top=None if wishes.budget is not None else wishes.top,
        budget=budget,
        keep=sorted({*keep, *posted.pinned(photos)}),
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=costs if values else None,
        groups=groups,
        rivals=[threat.rivals for threat in threats],
        sees=[threat.sees for threat in threats],
        each_photo=[each_top if threat.own else False for threat in threats],
        strict=wishes.strict,
        versions=None if versions is None else versions.costs(costs),
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
