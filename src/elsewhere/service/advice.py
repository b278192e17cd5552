"""What a person should know beside a plan, as values; `messages` words them.

Notes say what to know of the album and its places. Reasons say why there is no plan. Alternatives
are what to ask for instead; `planning.evaluate_alternatives` finds out what each would share.

Posted photos cannot be withheld, but they may be taken down: the fewest that are enough come from
the same problem, with each posted photo free to go and worth more than the whole album.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.globe import cell_names, place as find_place
from elsewhere.globe.areas import distance_km
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.scores import solve_and_check
from elsewhere.service.selection import PlaceSelection
from elsewhere.service.threats import Threat
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.infeasibility import Inquiry
from elsewhere.solver.requests import Request
from elsewhere.values.margins import margin
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.outcome import Alternative, Blocked, Change, Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import apart_only

SURE = 0.5
FAR_KM = 750.0


def place_mismatches(scored: ScoredAlbum, threats: Sequence[Threat]) -> Iterator[Note]:
    """A note for each place that was told, from whose photos a model is sure of one far away."""
    in_files = {photo.metadata.position for photo in scored.photos}
    for threat in threats:
        place, model = threat.place, scored.models[threat.model]
        cells = model.about.globe
        if not threat.own or cells is None or (place.lat, place.lon) in in_files:
            continue
        own = range(len(scored.photos)) if threat.sees is None else threat.sees
        rows = model.scores.values[[n for n in own if n < len(scored.photos)]]
        if not len(rows):
            continue
        belief = combine_rows(rows, model.about.exponents)
        best = int(np.argmax(belief))
        sure, away = float(np.exp(belief[best])), distance_km(cells, place.lat, place.lon)[best]
        if sure > SURE and away > FAR_KM and best not in threat.zone:
            yield Note(
                NoteKind.OTHER_PLACE,
                model=model_name(model.spec),
                places=(cell_names(cells)[best], place.label),
                share=sure,
                km=float(away),
            )


LEAST = 0.03
"""Bytes per pixel of a rendition: a grey screen takes about half of that, even a sunset or a bird
before a plain wall twice as much."""
FOREMOST = 3
"""So many of a threat's kept photos carry its promise most."""


def low_detail_notes(
    scored: ScoredAlbum, threats: Sequence[Threat], plan: Plan, posted: Posted, top: int | None
) -> Iterator[Note]:
    """A note for each photo that shows hardly anything and yet carries the promise.

    `top` is the one asked for, so that the secret one stays so.
    """
    kept = posted.newly_shared(plan.kept, len(scored.photos))
    plain = set()
    for number in kept:
        rendition = scored.photos[number].rendition
        if rendition.size < LEAST * rendition.width * rendition.height:
            plain.add(number)
    if not plain:
        return
    found: set[int] = set()
    for threat, view in zip(threats, plan.views, strict=True):
        numbers = [n for n in plan.kept if threat.sees is None or n in threat.sees]
        rivals = list(view.rivals[:top])
        if not numbers or not rivals or plain.isdisjoint(numbers):
            continue
        rows = posted.append_to(scored.models[threat.model].scores, threat.model).values[numbers]
        rows = np.maximum(rows.astype(np.float64), -1e6)  # what is ruled out stays a number
        truth = rows[:, threat.zone.cells].max(axis=1, keepdims=True)
        gains = (rows[:, rivals] - truth).sum(axis=1)
        first = np.argsort(-gains, kind="stable")[:FOREMOST]
        found |= plain & {numbers[place] for place in first.tolist() if gains[place] > 0}
    for number in sorted(found):
        yield Note(NoteKind.LOW_DETAIL, photos=(scored.photos[number].id,))


def plan_independent_notes(
    scored: ScoredAlbum,
    places: Places,
    chosen: PlaceSelection,
    threats: Sequence[Threat],
    *,
    wishes: Wishes,
    posted: Posted,
    groups: Sequence[Sequence[int]] = (),
) -> list[Note]:
    """What to know of the album, its places and the models, whatever the plan."""
    notes = [*place_mismatches(scored, threats), *places.notes, *chosen.notes]
    names = apart_only([photo.id for photo in scored.photos])
    by_time = tuple(names[n] for place in places.places for n in place.by_time)
    if by_time:
        notes.append(Note(NoteKind.PLACED_BY_TIME, photos=by_time))
    if places.unplaced and len(places.places) + len(places.unplaced) > 1:
        notes.append(Note(NoteKind.UNPLACED, photos=tuple(names[n] for n in places.unplaced)))
    for threat in threats:
        if threat.own and threat.model == 0:
            own = set(range(len(scored.photos)) if threat.sees is None else threat.sees)
            public = [place.label for place in chosen.public if own.intersection(place.photos)]
            if public:
                labels = (threat.hidden_name, threat.place.label, *public)
                notes.append(Note(NoteKind.PUBLIC_INSIDE, places=labels))
    for number, model in enumerate(scored.models):  # cells larger than what should be hidden
        coarse = [t for t in threats if t.model == number and t.zone.widest_cell_km]
        if coarse:
            notes.append(
                Note(
                    NoteKind.COARSE_CELLS,
                    places=tuple(dict.fromkeys(threat.hidden_name for threat in coarse)),
                    model=model_name(model.spec) if len(scored.models) > 1 else "",
                    km=max(threat.zone.widest_cell_km for threat in coarse),
                    radius_km=coarse[0].zone.radius_km,
                )
            )
    if wishes.prior is not None:
        notes.append(Note(NoteKind.PRIOR, places=(find_place(wishes.prior).label,)))
    if groups:
        photos = sum(map(len, groups))
        notes.append(Note(NoteKind.BURSTS, count=len(groups), photo_count=photos))
    return list(dict.fromkeys([*notes, *posted.notes]))


NEARLY_ALL = 0.8
"""A plan that withholds such a share of the photos comes with advice."""
NARROWER = {"country": "region", "region": "city"}
"""The next level down; below a city, and around a place, a radius is smaller."""
NEAR_KM = 5.0
"""A neighbourhood: the smallest radius worth asking for."""


def suggest_alternatives(
    plan: Plan,
    wishes: Wishes,
    hidden: Sequence[AlbumPlace],
    threats: Sequence[Threat],
    *,
    reasons: Reasons | None,
    photos: int,
) -> tuple[Alternative, ...]:
    """What to try instead of a plan that shares nothing, or next to nothing."""
    if plan.status == Status.INFEASIBLE:
        return tuple(_where_nothing_is_shared(wishes, hidden, threats, reasons or Reasons()))
    chosen = [number for number in plan.withheld if number not in plan.promise.drop]
    if not plan.found or len(chosen) < NEARLY_ALL * photos:
        return ()
    alternatives = [Alternative(Change.HIDE)] if len(hidden) > 1 else []
    alternatives += _narrower(wishes, threats)
    if wishes.budget is not None:
        alternatives.append(Alternative(Change.BUDGET))
    elif wishes.top is not None and wishes.top > 1:
        alternatives.append(Alternative(Change.TOP, top=wishes.top // 2))
    return tuple(alternatives)


def _where_nothing_is_shared(
    wishes: Wishes, hidden: Sequence[AlbumPlace], threats: Sequence[Threat], reasons: Reasons
) -> Iterator[Alternative]:
    for photo in reasons.sufficient:
        yield Alternative(Change.UNPIN, photos=(photo,), mentioned=False)
    if reasons.pins and not reasons.sufficient:
        yield Alternative(Change.UNPIN, photos=reasons.pins, mentioned=False)
    if reasons.drops:
        yield Alternative(Change.TAKE_BACK, photos=reasons.drops, mentioned=False)
    if wishes.budget is not None:
        if reasons.forced and not reasons.every_photo:
            yield Alternative(Change.BUDGET, amount=reasons.forced)
        return
    assert wishes.top is not None
    # where pins are to blame all else is beside the point, unless it is known to help
    reachable = reasons.reachable_top
    top = reachable
    if top is None and wishes.top > 1 and not reasons.pins:
        top = wishes.top // 2
    if top:
        yield Alternative(Change.TOP, top=top)
    if reasons.pins:
        return
    if margin(wishes.margin).theta:
        bare = reasons.bare_top
        if bare is None or bare >= wishes.top:
            yield Alternative(Change.MARGIN)
        elif bare > (reachable or 0):
            yield Alternative(Change.MARGIN, top=bare)
    blocked = {threats[number].place.label for number in reasons.blocking}
    if len(hidden) > 1:
        names = [place.label for place in hidden if place.label not in blocked]
        for number, name in enumerate(names):
            yield Alternative(Change.HIDE, name=name, mentioned=not number)
    yield from _narrower(wishes, [threats[number] for number in reasons.blocking] or threats)
    if wishes.each_photo:
        yield Alternative(Change.EACH_PHOTO)


def _narrower(wishes: Wishes, threats: Sequence[Threat]) -> Iterator[Alternative]:
    """Less wide, where more than one cell is hidden, and an audience that knows less."""
    if wishes.hide_level != "cell" and any(len(threat.zone) > 1 for threat in threats):
        level = NARROWER.get(wishes.hide_level or "")
        if level is not None:
            yield Alternative(Change.LEVEL, name=level)
        elif wishes.radius_km:
            near = NEAR_KM if wishes.radius_km > NEAR_KM else 0
            yield Alternative(Change.RADIUS, amount=near)
    if wishes.prior is not None:
        yield Alternative(Change.PRIOR)


PATIENCE = 15.0
"""Seconds for finding out what to take down."""


def blocked_by_posted(
    promise: Promise, scores: Sequence[Scores], posted: Sequence[int]
) -> Blocked | None:
    """Why an impossible promise is impossible, where the posted photos alone are the reason.

    None where it could be kept with them, if only the user's own pins were given up, or where that
    could not be found out.
    """
    if not posted or promise.budget is not None:
        return None
    posted = tuple(sorted(posted))
    deadline = time.monotonic() + PATIENCE
    # the user's pins are given up first: they are not public yet
    posted_only = replace(promise, keep=posted)
    if _solve(posted_only, scores, deadline).status != Status.INFEASIBLE:
        return None
    sure = True
    by = Inquiry(posted_only, scores, deadline).pins_in_the_way(posted) or posted
    values = list(promise.values or [Fraction(1)] * promise.photos)
    heavy = sum((value for n, value in enumerate(values) if n not in posted), Fraction(1))
    for number in posted:
        values[number] = heavy
    for keep in dict.fromkeys([tuple(pin for pin in promise.keep if pin not in posted), ()]):
        weighted = replace(promise, keep=keep, values=tuple(values))
        plan = _solve(weighted, scores, deadline)
        sure = sure and plan.status != Status.UNKNOWN
        if plan.found:
            down = tuple(n for n in plan.withheld if n in posted)
            rest = tuple(n for n in plan.withheld if n not in posted)
            return Blocked(by, down, plan.status == Status.OPTIMAL, rest)
    return Blocked(by, None, sure=sure)


def _solve(promise: Promise, scores: Sequence[Scores], deadline: float) -> Plan:
    limits = SearchLimits(deadline=deadline, work=float("inf"))
    return solve_and_check(Request(promise, tuple(scores), len(scores) > 1), limits, explain=None)
