"""From the service's values to the models that the page receives.

`messages` chooses the words: the page makes no sentence of its own about what is hidden.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from elsewhere import messages
from elsewhere.app.api import models
from elsewhere.app.sessions.planning import PlannedAnswer, PlanningSession
from elsewhere.errors import InputError, NoPhotoError
from elsewhere.messages import Surface, as_sentence, capitalized, page
from elsewhere.messages.photo_text import describe_rest, told_lines
from elsewhere.messages.report import limits
from elsewhere.service import (
    EXAMPLE_ALBUM,
    RANK_LIMIT,
    AlbumPlan,
    Belief,
    Guess,
    Photo,
    SkippedFile,
    Threat,
    album_guesses,
    album_name,
    first_guesses,
    is_archive,
    loss_in_photos,
    metadata_leaks,
    model_name,
    photo_leaks,
    photo_probabilities,
    rectangle_around,
    scorer_names,
    select_places,
    suggested_home,
    telling_text,
)
from elsewhere.values.margins import MARGINS
from elsewhere.values.notes import NoteKind
from elsewhere.values.outcome import Alternative, Change
from elsewhere.values.photo_text import Clue, TextLine
from elsewhere.values.promise import NOT_COVERED
from elsewhere.values.versions import Edit, picture_lost
from elsewhere.values.wishes import LEVELS

MAX_ALTERNATIVES = 4  # more buttons than this are not read
DETAIL_GUESSES = 5
MAP_GUESSES = 30
MAP_PLACES = 10  # circles are few and apart, and each is named
MAP_CELLS = 240  # that the heat on the map is made of: some 6 kB
LEAST_HEAT = 2e-4  # nobody sees a cell that is less likely
MAX_HIDDEN_CIRCLES = 200  # drawn on the map: those of a whole country are many
SIDES = (320, 1280)  # of pictures: for the grid, and for one photo in detail
DEFAULT_RIVALS = 5  # decoys shown under a budget, where no top is asked for


class Links(Protocol):
    """Gives the addresses of pictures."""

    def link(self, photo: Photo, side: int = SIDES[0]) -> str:
        """Of a photo as it is."""

    def edit_link(self, photo: Photo, edit: Edit, side: int) -> str:
        """Of a photo as edited."""


@cache
def choices_model() -> models.ChoicesModel:
    """What a person can choose from; it does not change while the server runs."""
    return models.ChoicesModel(
        scorers=scorer_names(),
        margins={margin.name: margin.stands_for for margin in MARGINS.values()},
        levels=list(LEVELS),
        home=str(Path.home()),
        example=str(EXAMPLE_ALBUM),
        not_covered=NOT_COVERED,
        not_hidden=messages.NOT_HIDDEN,
    )


def skipped_file_models(files: Iterable[SkippedFile]) -> list[models.SkippedFileModel]:
    """Files that were left out, without their paths."""
    return [models.SkippedFileModel.model_validate(file, from_attributes=True) for file in files]


def no_photos_model(
    paths: Sequence[Path], problem: NoPhotoError, *, uploaded: bool = False
) -> models.NoPhotosModel:
    """What was found where there is no photo; `uploaded` are files dropped on the page."""
    files = [file for file in problem.left if isinstance(file, SkippedFile)]
    hidden = sum(file.kind == "hidden" for file in files)
    title, sentence = page.no_photos(
        len(files) - hidden,
        hidden,
        [path.name or str(path) for path in paths if path.is_dir() or is_archive(path)],
        uploaded=uploaded,
        damaged=any(file.lost for file in files),
    )
    return models.NoPhotosModel(title=title, sentence=sentence, files=skipped_file_models(files))


def album_model(
    answer: PlannedAnswer, photos: Sequence[models.PhotoModel], *, uploaded: bool = False
) -> models.AlbumModel:
    """The open album; `uploaded` are files dropped on the page, whose folder is temporary."""
    scored = answer.scored
    is_example = scored.album.folders == (EXAMPLE_ALBUM,)
    name = copy_name = album_name(scored)
    if is_example:
        name, copy_name = "The example album", ""
    elif uploaded and not all(map(is_archive, scored.album.folders)):
        folders = {photo.id.partition("/")[0] for photo in scored.photos if "/" in photo.id}
        single = len(folders) == 1 and all("/" in photo.id for photo in scored.photos)
        name, copy_name = (folders.pop(),) * 2 if single else ("Dropped photos", "")
    return models.AlbumModel(
        name=name,
        copy_name=copy_name,
        photos=list(photos),
        left=skipped_file_models(scored.skipped),
        scorers=[models.ScorerModel(word=m.spec, cells=m.about.cells) for m in scored.models],
    )


def photo_models(
    answer: PlannedAnswer, link: Callable[[Photo], str], only: int | None = None
) -> list[models.PhotoModel]:
    """The photos, or one of them; `link` gives the address of a photo's picture."""
    beliefs, photos = answer.shown_beliefs, answer.scored.photos
    shares = beliefs.shares(answer.plan) if beliefs else [None] * len(photos)
    ranks = beliefs.own_ranks if beliefs else [None] * len(photos)
    labels = {n: place.label for place in answer.places.places for n in place.photos}
    posted = set(answer.posted.already)
    return [
        models.PhotoModel(
            n=n,
            id=photo.id,
            width=photo.rendition.width,
            height=photo.rendition.height,
            thumb=link(photo),
            share=shares[n],
            own_rank=ranks[n],
            place=labels.get(n),
            posted=n in posted,
            state=state,
        )
        for n, (photo, state) in enumerate(zip(photos, photo_states(answer), strict=True))
        if only is None or n == only
    ]


def photo_states(answer: PlannedAnswer) -> list[models.PhotoState]:
    """What becomes of each photo."""
    plan, photos = answer.feasible_plan, answer.scored.photos
    chosen: dict[str, models.PhotoState] = {
        **dict.fromkeys(answer.wishes.keep, "kept"),
        **dict.fromkeys(answer.wishes.drop, "dropped"),
        **dict.fromkeys((photos[n].id for n in answer.posted.already), "posted"),
        **dict.fromkeys(answer.wishes.posted, "posted"),
    }
    states: list[models.PhotoState] = ["seen"] * len(photos)
    if plan is not None:
        withheld = set(plan.plan.withheld)
        states = ["withheld" if n in withheld else "shared" for n in range(len(photos))]
        states = [
            "edited" if photo.id in plan.edits else state
            for photo, state in zip(photos, states, strict=True)
        ]
    return [chosen.get(photo.id, state) for photo, state in zip(photos, states, strict=True)]


def edit_models(answer: PlannedAnswer, links: Links) -> list[models.EditModel]:
    """How photos are edited that would not go out as they are."""
    edits = answer.feasible_plan.edits if answer.feasible_plan else {}
    return [
        _edit_model(answer, n, edits[photo.id], links)
        for n, photo in enumerate(answer.scored.photos)
        if photo.id in edits
    ]


def _edit_model(answer: PlannedAnswer, n: int, edit: Edit, links: Links) -> models.EditModel:
    photo, crop = answer.scored.photos[n], edit.crop
    return models.EditModel(
        n=n,
        crop=None if crop is None else (crop.left, crop.top, crop.right, crop.bottom),
        covers=[(part.left, part.top, part.right, part.bottom) for part in edit.covers],
        drawn=photo.id in answer.wishes.rectangles,
        lost=float(picture_lost(edit)),
        thumb=links.edit_link(photo, edit, SIDES[0]),
        picture=links.edit_link(photo, edit, SIDES[1]),
    )


def photo_details_model(session: PlanningSession, n: int, links: Links) -> models.PhotoDetailsModel:
    """One photo: its own places, what it changes, what its file tells."""
    answer = session.current
    scored, beliefs = answer.shown, answer.shown_beliefs
    if not 0 <= n < len(scored.photos):
        raise InputError(f"there is no photo {n}: the album has {len(scored.photos)}")
    photo = scored.photos[n]
    probabilities = photo_probabilities(scored, n)
    own, alone, threats = None, "", beliefs.first_model_threats(n) if beliefs else []
    if beliefs is not None and threats:
        threat = beliefs.threats[threats[0]]
        own = beliefs.near(threats[0], probabilities)
        rank = beliefs.own_ranks[n]
        if rank is not None:
            near, whole = radius_and_limit(threat), threat.whole_area
            alone = page.photo_alone(threat.hidden_name, rank, own, *near, whole=whole)
        guesses = beliefs.likeliest(threats[0], probabilities, DETAIL_GUESSES)
    else:
        guesses = first_guesses(probabilities, scored.models[0].about.globe, DETAIL_GUESSES)
    edits = answer.feasible_plan.edits if answer.feasible_plan else {}
    edit = edits.get(photo.id) or session.proposal(answer, n)
    return models.PhotoDetailsModel(
        photo=photo_models(answer, links.link, n)[0],
        picture=links.link(photo, SIDES[1]),
        proposal=None if edit is None else _edit_model(answer, n, edit, links),
        guesses=guess_models(guesses),
        own_p=own,
        alone=alone,
        changes=_photo_effects(answer, n, threats),
        leaks=photo_leaks(photo),
        texts=_text_models(answer, photo),
        time=photo.metadata.time.isoformat() if photo.metadata.time else None,
        rating=photo.metadata.rating,
    )


def _text_models(answer: PlannedAnswer, photo: Photo) -> list[models.TextLineModel]:
    """What is written on a photo, and what that may mean."""
    written = answer.scored.texts.get(photo.id)
    if written is None:
        return []
    telling: tuple[tuple[TextLine, Clue], ...] = ()
    if answer.plan is not None:
        telling = telling_text(written, answer.plan.hidden, answer.plan.wishes.width)
    size = photo.rendition.width, photo.rendition.height
    found = []
    for told in told_lines(written, telling):
        part = rectangle_around(told.line.box, size)
        found.append(
            models.TextLineModel(
                words=told.words,
                meaning=told.meaning,
                telling=told.telling,
                box=(part.left, part.top, part.right, part.bottom),
            )
        )
    if rest := describe_rest(written):
        found.append(models.TextLineModel(words=rest, meaning="", telling=True, box=None))
    return found


def _photo_effects(answer: PlannedAnswer, n: int, threats: Sequence[int]) -> list[str]:
    """What changes if this one photo is shared or withheld instead."""
    beliefs, plan = answer.shown_beliefs, answer.feasible_plan
    if beliefs is None or plan is None:
        return []
    kept = set(plan.plan.kept)
    before, after = sorted(kept), sorted(kept ^ {n})
    effects = []
    for number in threats:
        threat = beliefs.threats[number]
        now, then = beliefs.belief(number, before), beliefs.belief(number, after)
        own = threat.own and not threat.whole
        ranks = _rank(now), _rank(then)
        limit = radius_and_limit(threat)[1]
        effects.append(
            page.photo_effect(threat.hidden_name, *ranks, shared=n in kept, own=own, limit=limit)
        )
    name = answer.scored.photos[n].id
    for note in plan.notes:
        if note.kind is NoteKind.LIKE_WITHHELD and name in note.photos:
            effects.append(as_sentence(messages.note(note, Surface.PAGE)))
    return list(dict.fromkeys(effects))


def place_models(
    answer: PlannedAnswer,
    ranks: Mapping[str, int] | None = None,
    said: tuple[float, float] | None = None,
) -> list[models.PlaceModel]:
    """The album's places, the hidden ones marked, those first that are found first.

    `ranks` say by name which guess is the first to find a place; `said` is where home is, as far
    as the user said so before.
    """
    hidden = {place.label for place in answer.plan.hidden} if answer.plan else set()
    if answer.pending:
        chosen = select_places(answer.places, answer.scored.photos, tuple(answer.wishes.hide))
        hidden = {place.label for place in chosen.hidden}
    ranks, home, why = ranks or {}, "", False
    if len(answer.places.places) > 1:
        likely, why = suggested_home(answer.places, answer.scored.photos, said)
        home = likely.label
    found = [
        models.PlaceModel(
            label=place.label,
            lat=place.lat,
            lon=place.lon,
            photos=list(place.photos),
            by_time=list(place.by_time),
            hidden=place.label in hidden,
            rank=ranks.get(place.label),
            home=None if place.label != home else "said" if why else "days",
        )
        for place in answer.places.places
    ]
    return sorted(found, key=lambda place: (place.rank or math.inf, -len(place.photos)))


def plan_model(answer: PlannedAnswer) -> models.PlanModel | None:
    """The plan with what it reaches; the secret top that was drawn for it is not in it."""
    outcome = answer.plan
    if outcome is None:
        return None
    plan, scored = outcome.plan, answer.scored
    beliefs = answer.beliefs
    rivals: tuple[Guess, ...] = ()
    numbers: list[tuple[str, str]] = []
    if plan.views and beliefs is not None:
        limit = outcome.wishes.top or DEFAULT_RIVALS
        rivals = beliefs.rivals(0, plan.views[0].rivals[:limit])
    if beliefs is not None:
        numbers = messages.key_numbers(beliefs.key_numbers(outcome), Surface.PAGE)
    advice = capitalized(messages.advice(outcome, Surface.PAGE))
    first, rest = messages.foremost_notes(outcome.notes)
    exempt, rest = messages.dropped_rules(rest)
    notes = [capitalized(messages.note(note, Surface.PAGE)) for note in rest]
    if advice and not plan.found:
        notes.append(advice)
    promised = plan.found and not outcome.empty
    uncovered = limits(outcome, Surface.PAGE) if promised else ()
    verdict = messages.verdict(outcome)
    # what is public already comes before what could still be asked for
    reason = capitalized(verdict if outcome.blocked is not None else plan.explanation)
    return models.PlanModel(
        version=answer.version,
        status=plan.status.value,
        proved=answer.proved,
        withheld=list(plan.withheld),
        kept=[n for n in plan.kept if n < len(scored.photos)],
        cost=float(plan.cost),
        bound=float(plan.bound),
        loss=loss_in_photos(outcome, plan.cost) if plan.found else None,
        verdict=verdict,
        explanation="" if plan.found else reason,
        notes=notes,
        advice=advice if plan.found else "",
        ways=alternative_models(answer),
        uncovered=[capitalized(sentence) for sentence in uncovered],
        protected_k=_shown_top(outcome),
        rivals=guess_models(rivals),
        headline=page.headline(_findings(answer), outcome, posted=bool(answer.posted)),
        proof=page.proof(outcome, proved=answer.proved),
        numbers=[
            models.KeyNumberModel(name=capitalized(name), words=words) for name, words in numbers
        ],
        radius_km=outcome.radius_km,
        finest_km=0.0 if beliefs is None else round(beliefs.finest_km, 1),
        first=[capitalized(messages.note(note, Surface.PAGE)) for note in first],
        exempt="; ".join(messages.note(note, Surface.PAGE) for note in exempt),
        counts=page.sharing_counts(outcome),
        against=page.against(outcome),
    )


def _shown_top(outcome: AlbumPlan) -> int:
    """The top that a plan reaches. Of places that is the secret one, so the one asked for."""
    if not outcome.plan.found:
        return 0
    asked = outcome.wishes.top if outcome.radius_km is not None and not outcome.empty else None
    return asked or outcome.plan.protected_k


def alternative_models(answer: PlannedAnswer) -> list[models.AlternativeModel]:
    """What could be asked for instead with one click, where there is no plan."""
    outcome = answer.plan
    if outcome is None or outcome.plan.found or outcome.advice is None:
        return []
    photos = answer.scored.photos
    buttons = []
    for alternative in outcome.advice.alternatives:
        ids = [photos[n].id for n in alternative.photos if n < len(photos)]
        text = page.alternative_button(alternative, ids)
        if text:
            wishes = answer.wishes.model_copy(update=_update(answer.wishes, alternative, ids))
            buttons.append(models.AlternativeModel(words=text, wishes=wishes))
    return buttons[:MAX_ALTERNATIVES]


def _update(
    wishes: models.WishesModel, alternative: Alternative, ids: Sequence[str]
) -> dict[str, object]:
    """The fields of the wishes that an alternative changes."""
    match alternative.change:
        case Change.UNPIN:
            return {"keep": [photo for photo in wishes.keep if photo not in ids]}
        case Change.TAKE_BACK:
            return {"drop": [photo for photo in wishes.drop if photo not in ids]}
        case Change.TOP:
            return {"top": alternative.top or wishes.top}
        case Change.MARGIN:
            return {"margin": "none", "top": alternative.top or wishes.top}
        case Change.HIDE:
            return {"hide": [alternative.name]}
        case Change.LEVEL:
            return {"hide_level": alternative.name}
        case Change.RADIUS:
            return {"hide_level": None, "radius_km": alternative.amount}
        case Change.PRIOR:
            return {"prior": None}
        case Change.BUDGET:
            return {"budget": int(alternative.amount)}
    return {}


def answer_model(
    session: PlanningSession,
    answer: PlannedAnswer,
    links: Links,
    job: models.JobModel | None = None,
) -> models.AnswerModel:
    """The answer to wishes."""
    beliefs, plan = answer.shown_beliefs, answer.feasible_plan
    return models.AnswerModel(
        wishes=answer.wishes,
        plan=plan_model(answer),
        pending=answer.pending,
        places=place_models(answer, session.place_ranks(answer), session.said_home),
        states=photo_states(answer),
        shares=[] if beliefs is None else beliefs.shares(answer.plan),
        edits=edit_models(answer, links),
        audit_after=view_models(beliefs.after(plan.plan.kept)) if beliefs and plan else [],
        job=job,
        undo=session.undo_state,
    )


def audit_model(answer: PlannedAnswer) -> models.AuditModel:
    """What the album gives away as it is; nothing is known of that while a plan is pending."""
    if answer.pending:
        return models.AuditModel(verdict="", views=[], leaks=_leak_models(answer))
    guesses = () if answer.beliefs else album_guesses(answer.scored, DETAIL_GUESSES)
    return models.AuditModel(
        verdict=f"{_findings(answer, guesses)}.",
        views=view_models(answer.beliefs.before) if answer.beliefs else [],
        leaks=_leak_models(answer),
        guesses=guess_models(guesses),
    )


def _leak_models(answer: PlannedAnswer) -> list[models.LeakModel]:
    return [
        models.LeakModel(kind=leak.kind, photos=len(leak.photos), examples=list(leak.examples))
        for leak in metadata_leaks(answer.scored.photos)
    ]


def _findings(answer: PlannedAnswer, guesses: Sequence[Guess] = ()) -> str:
    """What the first model makes of the album as it is, as a clause; guesses without a place."""
    attack, photos = answer.scored.models[0], len(answer.scored.photos)
    if answer.beliefs is None:
        return page.model_guess(guesses[0].name)
    ranks: dict[str, int] = {}
    for belief in answer.beliefs.before:
        if belief.scorer == attack.spec:  # its own photos may give a place away more than all do
            name = belief.threat.hidden_name
            ranks[name] = min(belief.rank, ranks.get(name, belief.rank))
    first = answer.beliefs.threats[0]
    radius, limit = radius_and_limit(first)
    if radius is None or limit is None:
        return page.findings(model_name(attack.spec), photos, ranks, attack.about.cells)
    return page.nearby(ranks, radius_km=radius, limit=limit, whole=first.whole_area)


def belief_model(answer: PlannedAnswer, number: int | None) -> models.BeliefModel:
    """What one threat believes before and after; without places, what the first model believes.

    Without a number it is the first threat that sees anything of what would be shared.
    """
    beliefs, plan, scored = answer.beliefs, answer.plan, answer.scored
    if beliefs is None or plan is None:
        guesses = guess_models(album_guesses(scored, MAP_GUESSES))
        return models.BeliefModel(
            watch=0, watches=[], place=None, hides=None, before=guesses, after=[],
            rank_before=None, rank_after=None, rank_limit=None, radius_km=None, hidden=[],
            zone=[], rivals=[], heat_before=[], heat_after=[],
        )  # fmt: skip
    kept = plan.plan.kept if plan.plan.found else None
    numbers = range(len(beliefs.threats))
    if number is None:
        number = next((n for n in numbers if beliefs.belief(n, kept) is not None), 0)
    number = min(number, numbers[-1])
    threat = beliefs.threats[number]
    cells = scored.models[threat.model].about.globe
    before, now = beliefs.probabilities(number, None), beliefs.belief(number, None)
    shown = answer.shown_beliefs or beliefs
    after = None if kept is None else shown.probabilities(number, kept)
    then = None if kept is None else shown.belief(number, kept)
    rivals = plan.plan.views[number].rivals if plan.plan.views else ()
    boxes = [
        (float(south), float(west), float(north), float(east))
        for cell in (threat.zone.cells.tolist() if threat.circles is None else ())
        for south, west, north, east in (cells.boxes_of(cell) if cells is not None else ())
    ]
    hidden = () if threat.circles is None else threat.circles.positions
    # photos of one street are one circle to the eye
    middles = list(dict.fromkeys((round(lat, 2), round(lon, 2)) for lat, lon in hidden))
    radius, limit = radius_and_limit(threat)
    count = MAP_GUESSES if radius is None else MAP_PLACES
    return models.BeliefModel(
        watch=number,
        watches=beliefs.names,
        place=threat.place.label,
        hides=threat.hidden_name,
        before=[] if before is None else guess_models(beliefs.likeliest(number, before, count)),
        after=[] if after is None else guess_models(beliefs.likeliest(number, after, count)),
        rank_before=_rank(now),
        rank_after=_rank(then),
        rank_limit=limit,
        radius_km=radius,
        hidden=middles[:: 1 + len(middles) // MAX_HIDDEN_CIRCLES],
        zone=boxes,
        rivals=guess_models(
            beliefs.rivals(number, rivals[: plan.wishes.top or DEFAULT_RIVALS], after)
        ),
        heat_before=[]
        if before is None
        else _rounded(beliefs.likely_cells(number, before, MAP_CELLS)),
        heat_after=[]
        if after is None
        else _rounded(beliefs.likely_cells(number, after, MAP_CELLS)),
    )


def _rounded(cells: Iterable[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Cells as the map needs them, without those that nobody would see."""
    return [(round(lat, 2), round(lon, 2), round(p, 4)) for lat, lon, p in cells if p >= LEAST_HEAT]


def _rank(belief: Belief | None) -> int | None:
    return None if belief is None else belief.rank


def radius_and_limit(threat: Threat) -> tuple[float | None, int | None]:
    """How near a guess must be, and the largest rank that counts; None for coarse cells."""
    return (None, None) if threat.circles is None else (threat.circles.radius_km, RANK_LIMIT)


def guess_models(guesses: Iterable[Guess]) -> list[models.GuessModel]:
    """Places by name."""
    return [
        models.GuessModel(cell=g.cell, name=g.name, lat=g.lat, lon=g.lon, p=g.probability)
        for g in guesses
    ]


def view_models(beliefs: Iterable[Belief]) -> list[models.ViewModel]:
    """What attackers believe."""
    return [
        models.ViewModel(
            scorer=belief.scorer,
            hides=belief.threat.hidden_name,
            whole=belief.threat.whole,
            photos=belief.photos,
            cells=belief.cells,
            radius_km=radius_and_limit(belief.threat)[0],
            rank=belief.rank,
            rank_limit=radius_and_limit(belief.threat)[1],
            p=belief.probability,
            guesses=guess_models(belief.guesses),
        )
        for belief in beliefs
    ]
