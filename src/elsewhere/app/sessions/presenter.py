"""What the page says of an album and its plan, in the words of the command line's verdict.

The page shows these as they are: it makes no sentence of its own about what is hidden, so there is
one place where the words are chosen. A place is called by what is hidden of it (its region, its
country). The k that is named is the one that the plan reaches, in the headline as on the slider and
the map; where a top was drawn in secret it is at least the one drawn, which is not told.

What could be asked for instead, as buttons: each with the wishes that it stands for.

One photo, looked at closely: its own places, what it changes, what its file tells.

From the house's values to what the page is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere import messages
from elsewhere.album import Photo, SkippedFile
from elsewhere.app.api import models
from elsewhere.app.sessions.jobs import left_of
from elsewhere.app.sessions.photo_index import SIDES
from elsewhere.app.sessions.planning import PlannedAnswer, PlanningSession
from elsewhere.audit import Guess
from elsewhere.errors import InputError, NoPhotoError, PlaceError
from elsewhere.example import ALBUM
from elsewhere.globe import Place, place
from elsewhere.messages import Surface
from elsewhere.messages.numbers import chance, number_text, ordinal
from elsewhere.service import ScoredAlbum
from elsewhere.service.album_audit import metadata_leaks, photo_leaks
from elsewhere.service.beliefs import (
    Belief,
    album_guesses,
    likeliest_cells,
    named_cell,
    photo_probabilities,
)
from elsewhere.service.places import hidden_names
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.report import album_name, limitations
from elsewhere.service.threats import Threat
from elsewhere.values.outcome import Alternative, Change
from elsewhere.values.plan import Status
from elsewhere.values.wording import counted, listed

if TYPE_CHECKING:
    from elsewhere.app.sessions.workspace import Workspace

FOUND = 25
"""A place that comes further down than this is not found: nobody beliefs through so many."""


def plain(sentence: str) -> str:
    """A sentence of the command line as it stands on a page: without options, with a capital."""
    return messages.capitalized(sentence)


def found(entry: PlannedAnswer, guess: str) -> str:
    """What the first attacker makes of the album as it is; `guess` where no place is known."""
    attack, photos = entry.seen.attacks[0], counted(len(entry.seen.photos), "photo")
    if entry.beliefs is None:
        return f"From these {photos} {attack.called} guesses {guess}."
    cells = attack.about.cells
    ranks: dict[str, int] = {}
    for view in entry.beliefs.before:
        if view.scorer == attack.word:  # its own photos may give a place away more than all do
            name = view.threat.hides
            ranks[name] = min(view.rank, ranks.get(name, view.rank))
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
    return messages.verdict(plan) if plan.blocked is not None else plan.plan.explanation


def against(entry: PlannedAnswer) -> str:
    """Whom the promise is against and how good they are: never left for somebody to unfold."""
    assert entry.plan is not None
    plan, attacks = entry.plan, entry.seen.attacks
    who = listed([attack.called for attack in attacks])
    many = len(hidden_names(plan.hidden, plan.wishes.width))
    better = f"a better one may find {'it' if many == 1 else 'them'}"
    how_good = messages.accuracy(plan).replace(" %", "\u00a0%")
    return f"Against {who}{how_good}; {better}."


def alone_sentence(watch: Threat, rank: int, likely: float) -> str:
    """Where one photo by itself puts what is hidden."""
    return f"Alone it puts {watch.hides} {ordinal(rank)} ({chance(likely)})."


def change(watch: Threat, now: Belief | None, then: Belief | None, *, shared: bool) -> str:
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
) -> models.NoPhotosModel:
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
    return models.NoPhotosModel(
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
    return messages.secret_top(wishes)


def _out(entry: PlannedAnswer) -> str:
    """How many go, those that the person dropped apart."""
    assert entry.plan is not None
    plan = entry.plan.plan
    dropped = len(set(plan.withheld) & set(plan.promise.drop))
    chosen = len(plan.withheld) - dropped
    if not dropped:
        return f"{counted(chosen, 'photo')} withheld"
    return f"{chosen} withheld and {dropped} dropped" if chosen else f"{dropped} dropped"


MOST = 4
"""More buttons than anybody reads."""


def suggestions_for(entry: PlannedAnswer) -> list[models.AlternativeModel]:
    """The ways out of there being no plan, as far as a click can take them."""
    plan = entry.plan
    if plan is None or plan.plan.found or plan.advice is None:
        return []
    made = [_made(entry, way) for way in plan.advice.alternatives]
    return [one for one in made if one is not None][:MOST]


def names_instead(problem: PlaceError) -> list[str]:
    """The places that may have been meant by a name, by names that are understood."""
    near = [one.label for one in problem.choices if isinstance(one, Place)]
    return [name for name in dict.fromkeys(near) if _understood(name)][:MOST]


def _understood(name: str) -> bool:
    try:
        place(name)
    except PlaceError:
        return False
    return True


def _made(entry: PlannedAnswer, way: Alternative) -> models.AlternativeModel | None:
    wishes = entry.wishes
    change = _change(entry, way)
    if change is None:
        return None
    words, update = change
    if way.change in {Change.TOP, Change.MARGIN} and way.top is not None:
        update = {**update, "top": way.top}
    return models.AlternativeModel(words=words, wishes=wishes.model_copy(update=update))


def _change(entry: PlannedAnswer, way: Alternative) -> tuple[str, dict[str, object]] | None:
    """The words of a button, and what it changes; None where it takes more than a click."""
    wishes = entry.wishes
    ids = {entry.seen.photos[n].id for n in way.photos if n < len(entry.seen.photos)}
    what = next(iter(ids)) if len(ids) == 1 else counted(len(ids), "photo")
    match way.change:
        case Change.UNPIN:
            return f"Unpin {what}", {"keep": [one for one in wishes.keep if one not in ids]}
        case Change.TAKE_BACK:
            return f"Take {what} back", {"drop": [one for one in wishes.drop if one not in ids]}
        case Change.TOP:
            return f"Ask for top {way.top}", {}
        case Change.MARGIN:
            return f"No margin{f', top {way.top}' if way.top else ''}", {"margin": "none"}
        case Change.HIDE:
            return f"Hide {way.name} only", {"hide": [way.name]}
        case Change.LEVEL:
            return f"Hide the {way.name} only", {"hide_level": way.name}
        case Change.RADIUS if way.amount:
            near: dict[str, object] = {"hide_level": None, "radius_km": way.amount}
            return f"Hide {way.amount:g} km around it only", near
        case Change.PRIOR:
            return "As if nobody knew more", {"prior": None}
        case Change.BUDGET:
            return f"Withhold up to {way.amount:g}", {"budget": int(way.amount)}
        case _:
            return None


ALONE = 5


def details_of(table: Workspace, n: int) -> models.PhotoDetailsModel:
    """The photo with this number on the table."""
    entry = table.desk.now
    seen = entry.seen
    if not 0 <= n < len(seen.photos):
        raise InputError(f"there is no photo {n} on the table: it has {len(seen.photos)}")
    photo, attack = seen.photos[n], seen.attacks[0]
    likely = photo_probabilities(seen, n)
    known = photo.metadata
    own, alone = None, ""
    watch = _watching(entry, n)
    if watch is not None and entry.beliefs is not None:
        own = min(1.0, float(likely[watch.zone.cells].sum()))
        rank = entry.beliefs.own_ranks[n]
        alone = "" if rank is None else alone_sentence(watch, rank, own)
    return models.PhotoDetailsModel(
        photo=photos_of(entry, table.link, n)[0],
        picture=table.link(photo, SIDES[1]),
        guesses=guess_models(likeliest_cells(likely, attack.about.globe, ALONE)),
        own_p=own,
        alone=alone,
        changes=_changes(entry, n),
        leaks=photo_leaks(photo),
        time=known.time.isoformat() if known.time else None,
        rating=known.rating,
    )


def _watching(entry: PlannedAnswer, n: int) -> Threat | None:
    """The first scorer's watch over the hidden place that the photo speaks of."""
    watches = () if entry.beliefs is None else entry.beliefs.threats
    mine = (one for one in watches if one.attack == 0 and (one.sees is None or n in one.sees))
    return next(mine, None)


def _changes(entry: PlannedAnswer, n: int) -> list[str]:
    """What it would change if this one photo went the other way."""
    beliefs, plan = entry.beliefs, entry.plan
    if beliefs is None or plan is None or not plan.plan.found:
        return []
    kept = list(plan.plan.kept)
    shared = n in kept
    other = [one for one in kept if one != n] if shared else sorted([*kept, n])
    told = []
    for number, watch in enumerate(beliefs.threats):
        if watch.attack or (watch.sees is not None and n not in watch.sees):
            continue
        now, then = beliefs.belief(number, kept), beliefs.belief(number, other)
        told.append(change(watch, now, then, shared=shared))
    return list(dict.fromkeys(told))


ON_THE_MAP = 30


def plan_of(entry: PlannedAnswer) -> models.PlanModel | None:
    """A plan for the page; what it reaches is told, the k that was drawn for it is not."""
    if entry.plan is None:
        return None
    plan, wishes, seen = entry.plan.plan, entry.plan.wishes, entry.seen
    rivals: list[Guess] = []
    if plan.views and entry.plan.watches:
        cells = seen.attacks[entry.plan.watches[0].attack].about.globe
        # under a budget as many as are usually asked for
        most = wishes.top or 5
        rivals = [named_cell(cell, cells) for cell in plan.views[0].rivals[:most]]
    photos = len(seen.photos)
    # where there is no plan, buttons say it
    advice = messages.advice(entry.plan, Surface.PAGE)
    notes = [messages.note(note, Surface.PAGE) for note in entry.plan.notes]
    if advice and not plan.found:
        notes.append(advice)
    return models.PlanModel(
        version=entry.version,
        status=plan.status.value,
        proved=entry.proved,
        withheld=list(plan.withheld),
        kept=[n for n in plan.kept if n < photos],
        cost=float(plan.cost),
        bound=float(plan.bound),
        verdict=messages.verdict(entry.plan),
        explanation="" if plan.found else plain(why_not(entry.plan)),
        notes=[plain(note) for note in notes],
        advice=plain(advice) if plan.found else "",
        ways=suggestions_for(entry),
        uncovered=_uncovered(entry),
        protected_k=plan.protected_k if plan.found else 0,
        rivals=guess_models(rivals),
        headline=headline(entry),
        proof=proof(entry),
        against=against(entry),
    )


def _uncovered(entry: PlannedAnswer) -> list[str]:
    plan = entry.plan
    if plan is None or not plan.plan.found or plan.empty:
        return []
    return [plain(one) for one in limitations(plan, entry.posted, Surface.PAGE)]


def answer_of(
    desk: PlanningSession, entry: PlannedAnswer, job: models.JobModel | None = None
) -> models.AnswerModel:
    """The answer to a wish."""
    beliefs, plan = entry.beliefs, entry.plan
    found = plan is not None and plan.plan.found
    return models.AnswerModel(
        wishes=entry.wishes,
        plan=plan_of(entry),
        places=places_of_entry(entry),
        states=states(entry),
        shares=[] if beliefs is None else beliefs.shares(plan),
        audit_after=view_models(beliefs.after(plan.plan.kept))
        if beliefs and plan and found
        else [],
        job=job,
        undo=desk.ways,
    )


def places_of_entry(entry: PlannedAnswer) -> list[models.PlaceModel]:
    """The album's places, the hidden ones marked."""
    hidden = {one.label for one in entry.plan.hidden} if entry.plan else set()
    return [
        models.PlaceModel(
            label=one.label,
            lat=one.lat,
            lon=one.lon,
            photos=list(one.photos),
            by_time=list(one.by_time),
            hidden=one.label in hidden,
        )
        for one in entry.places.places
    ]


def states(entry: PlannedAnswer) -> list[models.PhotoState]:
    """What becomes of each photo."""
    plan, photos = entry.plan, entry.seen.photos
    pinned: dict[str, models.PhotoState] = {
        **dict.fromkeys(entry.wishes.keep, "kept"),
        **dict.fromkeys(entry.wishes.drop, "dropped"),
        **dict.fromkeys((photos[n].id for n in entry.posted.already), "posted"),
        **dict.fromkeys(entry.wishes.posted, "posted"),
    }
    withheld = set(plan.plan.withheld) if plan else set()
    found = plan is not None and plan.plan.found
    rest: list[models.PhotoState] = [
        "seen" if not found else "withheld" if n in withheld else "shared"
        for n in range(len(photos))
    ]
    return [pinned.get(photo.id, rest[n]) for n, photo in enumerate(photos)]


def photos_of(
    entry: PlannedAnswer, thumb: Callable[[Photo], str], only: int | None = None
) -> list[models.PhotoModel]:
    """The photos on the table, or one of them; `thumb` gives the link to one's picture."""
    beliefs, photos = entry.beliefs, entry.seen.photos
    shares = beliefs.shares(entry.plan) if beliefs else [None] * len(photos)
    ranks = beliefs.own_ranks if beliefs else [None] * len(photos)
    place_of = {n: one.label for one in entry.places.places for n in one.photos}
    out = set(entry.posted.already)
    return [
        models.PhotoModel(
            n=n,
            id=photo.id,
            width=photo.rendition.width,
            height=photo.rendition.height,
            thumb=thumb(photo),
            share=shares[n],
            own_rank=ranks[n],
            place=place_of.get(n),
            posted=n in out,
            state=state,
        )
        for n, (photo, state) in enumerate(zip(photos, states(entry), strict=True))
        if only is None or n == only
    ]


def album_of(entry: PlannedAnswer, photos: Sequence[models.PhotoModel]) -> models.AlbumModel:
    """The album as it lies on the table."""
    seen = entry.seen
    return models.AlbumModel(
        name=_called(seen),
        photos=list(photos),
        left=[left_of(one) for one in seen.left],
        scorers=[
            models.ScorerModel(word=attack.word, cells=attack.about.cells)
            for attack in seen.attacks
        ],
    )


def _called(seen: ScoredAlbum) -> str:
    """What an album is called here: the example's folder says nothing."""
    example = seen.album.folders == (ALBUM,)
    return "The example album" if example else album_name(seen)


def audit_of(entry: PlannedAnswer) -> models.AuditModel:
    """What the album gives away as it is."""
    leaks = [
        models.LeakModel(kind=one.kind, photos=len(one.photos), examples=list(one.examples))
        for one in metadata_leaks(entry.seen.photos)
    ]
    if entry.beliefs is not None:
        verdict = found(entry, "")
        return models.AuditModel(
            verdict=verdict, views=view_models(entry.beliefs.before), leaks=leaks
        )
    best = album_guesses(entry.seen, 5)
    verdict = found(entry, best[0].name)
    return models.AuditModel(verdict=verdict, views=[], leaks=leaks, guesses=guess_models(best))


def belief_of(entry: PlannedAnswer, number: int | None) -> models.BeliefModel:
    """What one watch believes before and after; without places, what the first scorer does.

    Where none is asked for it is the first that sees anything of what would be shared.
    """
    beliefs, plan, seen = entry.beliefs, entry.plan, entry.seen
    if beliefs is None or plan is None:
        first = guess_models(album_guesses(seen, ON_THE_MAP))
        return models.BeliefModel(
            watch=0, watches=[], place=None, hides=None, before=first, after=[],
            rank_before=None, rank_after=None, zone=[], rivals=[],
        )  # fmt: skip
    kept = plan.plan.kept if plan.plan.found else None
    if number is None:
        every = range(len(beliefs.threats))
        number = next((n for n in every if beliefs.belief(n, kept) is not None), 0)
    number = min(number, len(beliefs.threats) - 1)
    watch = beliefs.threats[number]
    cells = seen.attacks[watch.attack].about.globe
    before, after = beliefs.probabilities(number, None), None
    if kept is not None:
        after = beliefs.probabilities(number, kept)
    views = beliefs.belief(number, None), beliefs.belief(number, kept) if kept is not None else None
    held = plan.plan.views[number].rivals if plan.plan.views else ()
    boxes = [
        (float(south), float(west), float(north), float(east))
        for cell in watch.zone.cells.tolist()
        for south, west, north, east in (cells.boxes_of(cell) if cells is not None else ())
    ]
    return models.BeliefModel(
        watch=number,
        watches=beliefs.names,
        place=watch.place.label,
        hides=watch.hides,
        before=[] if before is None else guess_models(likeliest_cells(before, cells, ON_THE_MAP)),
        after=[] if after is None else guess_models(likeliest_cells(after, cells, ON_THE_MAP)),
        rank_before=None if views[0] is None else views[0].rank,
        rank_after=None if views[1] is None else views[1].rank,
        zone=boxes,
        rivals=guess_models(
            named_cell(cell, cells, 0.0 if after is None else float(after[cell]))
            for cell in held[: plan.wishes.top or 5]
        ),
    )


def guess_models(guesses: Iterable[Guess]) -> list[models.GuessModel]:
    """Guesses for the page."""
    return [
        models.GuessModel(
            cell=guess.cell, name=guess.name, lat=guess.lat, lon=guess.lon, p=guess.probability
        )
        for guess in guesses
    ]


def view_models(beliefs: Iterable[Belief]) -> list[models.ViewModel]:
    """Beliefs for the page."""
    return [
        models.ViewModel(
            scorer=belief.scorer,
            hides=belief.threat.hides,
            whole=belief.threat.whole,
            photos=belief.photos,
            cells=belief.cells,
            rank=belief.rank,
            p=belief.probability,
            guesses=guess_models(belief.guesses),
        )
        for belief in beliefs
    ]
