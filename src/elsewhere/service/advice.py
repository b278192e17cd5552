"""What a person should know beside a plan, as values; `messages` words them.

Notes say what to know of the album and its places. Reasons say why there is no plan. Alternatives
are what to ask for instead; `planning.evaluate_alternatives` finds out what each would share.

Posted photos cannot be withheld, but they may be taken down: the fewest that are enough come from
the same problem, with each posted photo free to go and worth more than the whole album.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations

import numpy as np

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.audit.places import place_guesses
from elsewhere.checker.facts import AlbumFacts, with_groups
from elsewhere.globe import cell_names, place as find_place
from elsewhere.globe.areas import distance_km
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.attacks import MAX_ANYWHERE_KM, guesses_near
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.scores import solve_and_check
from elsewhere.service.selection import PlaceSelection, hidden_positions
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

FIRST = 5
"""So many first guesses of a model are compared to a place that is only said."""


def place_mismatches(scored: ScoredAlbum, threats: Sequence[Threat]) -> Iterator[Note]:
    """A note for each place that was said and that no photo's own position and no model's first
    guesses confirm.
    """
    for threat in threats:
        place, model = threat.place, scored.models[threat.model]
        cells, width = model.about.globe, threat.width
        located = any(scored.photos[n].metadata.position is not None for n in place.photos)
        if not threat.own or cells is None or located:
            continue
        own = range(len(scored.photos)) if threat.sees is None else threat.sees
        rows = model.scores.values[[n for n in own if n < len(scored.photos)]]
        if not len(rows):
            continue
        belief = np.exp(combine_rows(rows, model.about.exponents))
        if threat.circles is not None:
            hidden = tuple(sorted(set(hidden_positions(cells, place, width))))
            near = place_guesses(cells, threat.circles.radius_km, hidden)
            centres, masses = near.first(belief, FIRST)
            if near.near[centres].any():
                continue
            (guess,) = near.guesses(centres[:1], masses[:1])
            name, share, away = guess.name, guess.probability, near.best_km(int(centres[0]))
        else:
            best = np.argsort(-belief, kind="stable")[:FIRST].tolist()
            if any(cell in threat.zone for cell in best):
                continue
            name, share = cell_names(cells)[best[0]], float(belief[best[0]])
            away = float(distance_km(cells, place.lat, place.lon)[best[0]])
        names, by = (name, place.label), model_name(model.spec)
        yield Note(NoteKind.OTHER_PLACE, model=by, places=names, share=share, km=away, count=FIRST)


LEAST = 0.03
"""Bytes per pixel of a rendition: a grey screen takes about half of that, even a sunset or a bird
before a plain wall twice as much."""
FOREMOST = 3
"""So many of a threat's kept photos carry its promise most."""
LOOKING = "embedded"
"""The scorer by whose features photos are compared."""
SAME_VIEW = 0.95
"""Photos whose features have this cosine show the same view: of the example's photos, crops and
turns of one by a few degrees mostly have more, and no two different ones as much."""
MAX_LIKE = 3


def low_detail_notes(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    plan: Plan,
    posted: Posted,
    *,
    top: int | None,
    scores: Sequence[Scores],
) -> Iterator[Note]:
    """A note for each photo that shows hardly anything and yet carries the promise.

    `top` is the one asked for, so that the secret one stays so; `scores` are those of each threat.
    """
    kept = posted.newly_shared(plan.kept, len(scored.photos))
    row_of = dict(zip(plan.kept, plan.shared, strict=True))
    plain = set()
    for number in kept:
        rendition = scored.photos[number].rendition
        if rendition.size < LEAST * rendition.width * rendition.height:
            plain.add(number)
    if not plain:
        return
    found: set[int] = set()
    for threat, view, table in zip(threats, plan.views, scores, strict=True):
        numbers = [n for n in plan.kept if threat.sees is None or n in threat.sees]
        rivals = list(view.rivals[:top])
        if not numbers or not rivals or plain.isdisjoint(numbers):
            continue
        rows = table.values[[row_of[number] for number in numbers]]
        rows = np.maximum(rows.astype(np.float64), -1e6)  # what is ruled out stays a number
        truth = rows[:, threat.zone.cells].max(axis=1, keepdims=True)
        gains = (rows[:, rivals] - truth).sum(axis=1)
        first = np.argsort(-gains, kind="stable")[:FOREMOST]
        found |= plain & {numbers[place] for place in first.tolist() if gains[place] > 0}
    for number in sorted(found):
        yield Note(NoteKind.LOW_DETAIL, photos=(scored.photos[number].id,))


def like_withheld_notes(scored: ScoredAlbum, plan: Plan, posted: Posted) -> list[Note]:
    """A note for each photo that is shared as it is and looks like a withheld one; the likest."""
    features = next((m.features for m in scored.models if m.spec == LOOKING), None)
    versions, photos = plan.promise.versions, len(scored.photos)
    row_of = dict(zip(plan.kept, plan.shared, strict=True))
    shared = [
        number
        for number in posted.newly_shared(plan.kept, photos)
        if versions is None or not versions[row_of[number]].cost
    ]
    withheld = [number for number in plan.withheld if number < photos]
    if features is None or not shared or not withheld:
        return []
    seen = features / np.maximum(np.linalg.norm(features, axis=1, keepdims=True), 1e-9)
    agreement = seen[shared] @ seen[withheld].T
    likest = agreement.max(axis=1)
    first = [n for n in np.argsort(-likest, kind="stable").tolist() if likest[n] >= SAME_VIEW]
    pairs = ((shared[n], withheld[int(agreement[n].argmax())]) for n in first[:MAX_LIKE])
    ids = [photo.id for photo in scored.photos]
    return [Note(NoteKind.LIKE_WITHHELD, photos=(ids[one], ids[other])) for one, other in pairs]


def exempt_photos(plan: Plan, scores: Sequence[Scores], *, quick: bool) -> tuple[int, ...]:
    """The photos that tell a hidden place alone and stay because they must, ascending.

    `quick` takes those that only seem to for such photos, too.
    """
    promise = plan.promise
    if not promise.keep or not any(against.each_photo for against in promise.against):
        return ()
    pinned = with_groups(promise, promise.keep)
    shared = {row: n for n, row in zip(plan.kept, plan.shared, strict=True) if n in pinned}
    looked_at = () if quick else shared
    telling = AlbumFacts(replace(promise, keep=()), scores, shared=looked_at).revealing
    return tuple(sorted(shared[row] for row in shared.keys() & telling.keys()))


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
    first: list[Note] = []  # where a model cannot tell places of the radius apart
    for number, model in enumerate(scored.models):
        for kind in (NoteKind.COARSE_PLACES, NoteKind.COARSE_CELLS):
            by_circles = kind == NoteKind.COARSE_PLACES
            coarse = {
                threat.hidden_name: threat.resolution_km or threat.zone.widest_cell_km
                for threat in threats
                if threat.model == number
                and (threat.circles is not None) == by_circles
                and (threat.resolution_km if by_circles else threat.zone.widest_cell_km)
            }
            if coarse:
                note = Note(
                    kind,
                    places=tuple(coarse),
                    model=model_name(model.spec) if by_circles or len(scored.models) > 1 else "",
                    km=max(coarse.values()),
                    radius_km=wishes.width.radius_km,
                )
                (first if by_circles else notes).append(note)
    if wishes.prior is not None:
        notes.append(Note(NoteKind.PRIOR, places=(find_place(wishes.prior).label,)))
    if groups:
        photos = sum(map(len, groups))
        notes.append(Note(NoteKind.BURSTS, count=len(groups), photo_count=photos))
    return list(dict.fromkeys([*first, *notes, *posted.notes]))


MAX_CHOICES = 63
"""Choices of photos that are tried one by one, where no plan was found."""


def refuted_choices(
    scored: ScoredAlbum, threats: Sequence[Threat], promise: Promise, posted: Posted, top: int
) -> int:
    """How many choices of photos there are, where each has something hidden in a model's first
    places; 0 where one has not, or where there are too many to try.
    """
    stay, gone = (with_groups(promise, pins) for pins in (promise.keep, promise.drop))
    units = {with_groups(promise, [photo]) for photo in range(promise.photos)}
    free = sorted((unit for unit in units if not unit & (stay | gone)), key=sorted)
    choices = (1 << len(free)) - (0 if stay else 1)
    if choices > MAX_CHOICES or any(threat.rivals is not None for threat in threats):
        return 0
    for chosen in chain.from_iterable(combinations(free, n) for n in range(len(free) + 1)):
        photos = stay.union(*chosen)
        if photos and not any(_finds(scored, threat, photos, posted, top) for threat in threats):
            return 0
    return choices


def _finds(
    scored: ScoredAlbum, threat: Threat, photos: Collection[int], posted: Posted, top: int
) -> bool:
    """Whether something hidden is among the first places that a threat guesses from photos."""
    model, circles = scored.models[threat.model], threat.circles
    seen = sorted(photos if threat.sees is None else set(photos) & set(threat.sees))
    if circles is None or not seen or circles.radius_km > MAX_ANYWHERE_KM:
        return False
    rows = posted.append_to(model.scores, threat.model).values[seen]
    return guesses_near(model.about, rows, circles, top)


NEARLY_ALL = 0.8
"""A plan that withholds such a share of the photos comes with advice."""
NARROWER = {"country": ("region", "city"), "region": ("city",)}
"""The levels below; below a city, and around a place, a radius is smaller."""
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
    circles = any(against.circles is not None for against in plan.promise.against)
    if plan.status == Status.INFEASIBLE or (plan.status == Status.UNKNOWN and circles):
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


def priced_changes(
    plan: Plan,
    wishes: Wishes,
    hidden: Sequence[AlbumPlace],
    threats: Sequence[Threat],
    home: AlbumPlace | None = None,
) -> tuple[Alternative, ...]:
    """What each part of the wishes may cost: the lines of a price list, none of them tried.

    They are in the order in which they are worth trying: home alone, each part, then the `hidden`
    places one by one, as they are given.
    """
    if wishes.top is None or wishes.budget is not None:
        return ()
    if plan.found and not set(plan.withheld) - set(plan.promise.drop):
        return ()
    labels = list(dict.fromkeys(place.label for place in hidden))
    lines = []
    if home is not None and home.label in labels and len(labels) > 1:
        lines.append(Alternative(Change.HIDE, home=home.label))
        labels.remove(home.label)
    if wishes.top > 1:
        lines.append(Alternative(Change.TOP, top=wishes.top // 2))
    if margin(wishes.margin).theta:
        lines.append(Alternative(Change.MARGIN))
    lines += _narrower(wishes, threats)
    if any(against.each_photo is not None for against in plan.promise.against):
        lines.append(Alternative(Change.EACH_PHOTO))
    if len(hidden) > 1:
        lines += [Alternative(Change.HIDE, name=label) for label in labels]
    return tuple(lines)


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
    if top != reachable and top is not None and top > 1:
        yield Alternative(Change.TOP, top=1, mentioned=False)
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
    """Less wide, where circles or more than one cell are hidden; an audience that knows less."""
    wide = any(threat.circles is not None or len(threat.zone) > 1 for threat in threats)
    if wishes.hide_level != "cell" and wide:
        levels = NARROWER.get(wishes.hide_level or "", ())
        if levels:
            for level in levels:
                yield Alternative(Change.LEVEL, name=level, mentioned=level == levels[0])
        elif wishes.radius_km > NEAR_KM and not any(threat.resolution_km for threat in threats):
            yield Alternative(Change.RADIUS, amount=NEAR_KM)
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
