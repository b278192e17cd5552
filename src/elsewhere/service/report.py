"""Small pictures for the report: as large as they can be while the whole page stays light.

Who opens the report on a phone must not wait for it, and 400 photos must fit into five megabytes.
So the side is chosen by what a few photos of this album weigh, and checked on all of them.

Which attackers, places and scopes a report shows in full, and of which only the numbers.

A promise may be against many: two scorers, three places, each over its own photos and over the
whole album. The first scorer's view of each place's own photos is what a person understands; the
others are rows of a table.

One withheld photo explained in words, every number computed: what it alone would do.

Of the withheld photos the one is chosen that lifts its place most when it is added to what is
shared. Ranks are those of the audit; the comparison with a decoy is what the attacker says of this
photo alone.

What the promise of a plan does not cover, a sentence each, said of this very plan.

From a finished job to its private report: what is known is laid out, nothing is decided anew.

The report names the place, so it goes where the certificate goes, readable by its owner only and
there all at once. Without a plan it shows what an audit found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from elsewhere import messages
from elsewhere.album import Photo
from elsewhere.audit import Guess
from elsewhere.audit.inference import TOP, Floats, rank
from elsewhere.globe import cell_names, ground
from elsewhere.globe.places import continent
from elsewhere.messages import Surface
from elsewhere.messages.numbers import ordinal
from elsewhere.report import Contents, page
from elsewhere.report.contents import (
    Attacker,
    AttackerView,
    Explanation,
    PhotoPicture,
    PhotoState,
    SkippedFile,
)
from elsewhere.service.album_audit import (
    AlbumAudit,
    Opinions,
    audit_attack,
    audit_watch,
    metadata_leaks,
    world,
)
from elsewhere.service.export import Export
from elsewhere.service.frontier import album_frontier
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.private_files import REPORT, make_private, write_private
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat, cells_of
from elsewhere.values.plan import Status
from elsewhere.values.wishes import HideScope, margin
from elsewhere.values.wording import counted, listed

SIDES = (320, 240, 200, 160, 128, 96, 64)
ROOM = 4_200_000
"""Bytes for the pictures as they stand in the page; the rest of it needs less than what is left
to five megabytes."""
_CARD = 1_200
"""What a photo's name, numbers and frame weigh, at the most."""
_TRIED = 8


def previews(photos: Sequence[Photo], room: int = ROOM) -> tuple[bytes, ...]:
    """A small JPEG of every rendition, all of the same side; the smallest where none fits."""
    step = max(1, len(photos) // _TRIED)
    for side in SIDES:
        last = side == SIDES[-1]
        few = [photo.rendition.preview(side) for photo in photos[::step]]
        if not last and weight(few) * len(photos) / max(1, len(few)) > room:
            continue
        made = tuple(photo.rendition.preview(side) for photo in photos)
        if last or weight(made) <= room:
            return made
    raise AssertionError("the smallest side is always taken")


def weight(made: Sequence[bytes]) -> int:
    """Bytes in the page: base64 makes four of three."""
    return sum((len(one) + 2) // 3 * 4 + _CARD for one in made)


ON_THE_MAP = 64
"""So many of the likeliest cells are drawn; the list beside the map has fewer."""
MOST = 5
"""More places than this are not shown in full."""


@dataclass(frozen=True)
class ReportViews:
    """What is shown."""

    full: tuple[AttackerView, ...]
    other_views: tuple[AttackerView, ...]
    numbers: tuple[int, ...] = ()
    """Which watches are shown in full."""

    @property
    def shares(self) -> Mapping[str, tuple[float, str]]:
        """Each photo's share and of which place: as the first full scene that sees it has it."""
        found: dict[str, tuple[float, str]] = {}
        for scene in self.full:
            truth = scene.before.truth
            if truth is None:
                continue
            for name, gain in zip(scene.before.ids, truth.shares.gains, strict=True):
                found.setdefault(name, (gain, truth.label))
        return found


def planned_scenes(
    seen: ScoredAlbum, album_plan: AlbumPlan, *, posted: Posted, opinions: Opinions | None
) -> ReportViews:
    """Every watch of a plan, before and after it."""
    plan, made = album_plan.plan, album_plan.watches

    def scene(number: int) -> AttackerView:
        before = audit_watch(
            seen, made, number, posted=posted, opinions=opinions, plan=album_plan, top=ON_THE_MAP
        )
        assert before is not None, "a watch sees at least one photo"
        after = None
        if plan.found:
            after = audit_watch(
                seen, made, number, posted=posted, plan=album_plan, kept=plan.kept, top=ON_THE_MAP
            )
        decoys: tuple[Guess, ...] = ()
        if after is not None and after.truth is not None and after.truth.shares.from_plan:
            decoys = after.truth.shares.rivals[: album_plan.wishes.top or TOP]
        watch = made[number]
        return AttackerView(
            before, after, decoys, _ground(seen, watch), _scope(watch), *_right(watch)
        )

    return _sorted(made, scene)


def seen_scenes(
    seen: ScoredAlbum, audit: AlbumAudit, *, posted: Posted, opinions: Opinions | None
) -> ReportViews:
    """Every watch of an audit; where no place is known, what each attacker guesses."""
    if not audit.watches:
        found = [
            audit_attack(seen, number, posted=posted, opinions=opinions, top=ON_THE_MAP)
            for number in range(len(seen.attacks))
        ]
        return ReportViews(tuple(AttackerView(one, scope="the whole album") for one in found), ())

    def scene(number: int) -> AttackerView:
        watch = audit.watches[number]
        before = audit_watch(
            seen, audit.watches, number, posted=posted, opinions=opinions, top=ON_THE_MAP
        )
        assert before is not None, "a watch sees at least one photo"
        return AttackerView(before, None, (), _ground(seen, watch), _scope(watch), *_right(watch))

    return _sorted(audit.watches, scene)


def _sorted(made: Sequence[Threat], scene: Callable[[int], AttackerView]) -> ReportViews:
    """The first scorer's view of each place's own photos in full, the rest as numbers."""
    first: dict[str, int] = {}
    for number, watch in enumerate(made):
        if watch.attack == 0:
            first.setdefault(watch.hides, number)  # own photos come before the whole album
    full = tuple(first.values())[:MOST]
    rest = [number for number in range(len(made)) if number not in full]
    return ReportViews(tuple(map(scene, full)), tuple(map(scene, rest)), full)


def _scope(watch: Threat) -> str:
    return "the whole album" if watch.whole else "its own photos"


def _right(watch: Threat) -> tuple[str, float | None]:
    """Where a guess is right, in words, and within which radius where that is all there is to it.

    Whoever hides a country does not ask how near to a town a guess comes.
    """
    width = watch.width
    if watch.place.area is not None or width.level in {"city", "region", "country"}:
        return f"in {watch.hides}", None
    if width.km:
        return f"within {width.km:g} km", width.km
    return "in its cell", None


def _ground(seen: ScoredAlbum, watch: Threat) -> tuple[tuple[float, float, float, float], ...]:
    """The boxes of the zone."""
    cells = seen.attacks[watch.attack].about.globe
    if cells is None:
        return ()
    return tuple(
        (float(south), float(west), float(north), float(east))
        for cell in watch.zone.cells.tolist()
        for south, west, north, east in cells.boxes_of(cell)
    )


_MILLION = 1e6


@dataclass(frozen=True)
class _Lift:
    """What one photo does to one watch."""

    photo: int
    number: int
    """Of the watch."""
    before: int | None
    """The rank without it; None where no other photo is shared."""
    after: int

    @property
    def size(self) -> float:
        """How many times nearer to the top: from 40th to 3rd is more than from 400th to 300th.

        Where no other photo is shared there is nothing to be lifted from, which says less.
        """
        return self.before / self.after if self.before is not None else 0.0


def explain_photo(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, numbers: Iterable[int]
) -> Explanation | None:
    """One withheld photo in words; None where nothing is withheld. `numbers` are watches."""
    plan = album_plan.plan
    candidates = [n for n in plan.withheld if n not in plan.promise.drop] or list(plan.withheld)
    lifts = [
        lift for number in numbers for lift in _lifts(seen, album_plan, posted, number, candidates)
    ]
    if not lifts:
        return None
    best = max(lifts, key=lambda lift: (lift.size, -lift.photo))
    name = seen.photos[best.photo].id
    return Explanation(name, tuple(_sentences(seen, album_plan, posted, best)))


def _lifts(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, number: int, photos: Sequence[int]
) -> list[_Lift]:
    watch = album_plan.watches[number]
    values, zone = _values(seen, album_plan, posted, number), watch.zone.cells
    sees = set(watch.sees if watch.sees is not None else range(len(values)))
    shared = [n for n in album_plan.plan.kept if n in sees]
    before = rank(values[shared], zone) if shared else None
    return [
        _Lift(photo, number, before, rank(values[[*shared, photo]], zone))
        for photo in photos
        if photo in sees
    ]


def _values(seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, number: int) -> Floats:
    """The rows that a watch adds up, without the cells that its audience rules out."""
    watch = album_plan.watches[number]
    scores = posted.behind(seen.attacks[watch.attack].scores, watch.attack)
    values = scores.values.astype(np.float64)
    cells = world(album_plan.watches, watch)
    if cells is not None:
        ruled_out = np.ones(values.shape[1], dtype=bool)
        ruled_out[list(cells)] = False
        values[:, ruled_out] = -np.inf
    return values


def _sentences(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, lift: _Lift
) -> Iterable[str]:
    watch = album_plan.watches[lift.number]
    attack, label = seen.attacks[watch.attack], watch.hides
    values, zone = _values(seen, album_plan, posted, lift.number), watch.zone.cells
    sees = set(watch.sees if watch.sees is not None else range(len(values)))
    shared = sum(n in sees for n in album_plan.plan.kept)
    if lift.before is None:
        alone = ordinal(lift.after)
        yield f"No other photo of {label} is shared; this one alone would put it {alone}."
        return
    photos = counted(shared, "shared photo")
    if lift.after < lift.before:
        yield (
            f"It alone lifts {label} from {ordinal(lift.before)} to {ordinal(lift.after)}: from "
            f"the {photos} {attack.called} has it {ordinal(lift.before)} of {attack.about.cells}, "
            f"and with this one added {ordinal(lift.after)}."
        )
    else:
        yield (
            f"From the {photos} {attack.called} has {label} {ordinal(lift.before)}, and with this "
            f"one added {ordinal(lift.after)}, which is too near for what was asked."
        )
    yield f"By itself it puts {label} {ordinal(rank(values[[lift.photo]], zone))}."
    yield from _against_decoys(seen, album_plan, lift, values)


def _against_decoys(
    seen: ScoredAlbum, album_plan: AlbumPlan, lift: _Lift, values: Floats
) -> Iterable[str]:
    """The decoy that this photo speaks against most."""
    watch, view = album_plan.watches[lift.number], album_plan.plan.views[lift.number]
    decoys = list(view.rivals[: album_plan.wishes.top])
    if not decoys:
        return
    row = values[lift.photo]
    truth = float(row[watch.zone.cells].max())
    worst = min(decoys, key=lambda cell: (row[cell], cell))
    gap = truth - float(row[worst])
    if not math.isfinite(gap) or gap < math.log(1.5):
        return
    times = math.exp(min(gap, 50.0))
    told = f"{times:.1f}" if times < 10 else f"{times:,.0f}" if times < _MILLION else "a million"
    more = "more than " if times >= _MILLION else ""
    decoy = cell_names(cells_of(seen.attacks[watch.attack]))[worst]
    yield (
        f"To that attacker it looks {more}{told} times as much like {watch.hides} as like "
        f"{decoy}, one of the decoys."
    )


def limitations(
    seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted, surface: Surface = Surface.REPORT
) -> Iterator[str]:
    """Every limit that a person should know of before sharing."""
    wishes, words = album_plan.wishes, listed([attack.called for attack in seen.attacks])
    width = wishes.width
    yield (
        f"Other attackers: the promise is against {words}. A better model, or somebody who knows "
        "the place, may still find it."
    )
    spare = margin(wishes.margin)
    if spare.theta:
        yield (
            f"Models that differ more than the margin: its {spare.theta:g} nats a photo stand for "
            f"{spare.stands_for}, and nothing is proved beyond that."
        )
    else:
        yield (
            "Models that differ at all: no margin was asked for, so a model only a little unlike "
            "the scorers may rank the place higher."
        )
    if wishes.budget is None:
        yield f"More guesses: whoever may try more than {wishes.top} places may come to this one."
    else:
        yield "Any fixed rank: under a budget the place goes as far down as the budget reaches."
    yield f"What lies around: {_hidden(width)} is hidden, as outlined on the map, and no more."
    if album_plan.public:
        names = listed([place.label for place in album_plan.public])
        yield f"Places that you called public: {names} may be found from these photos."
    if posted:
        many = len(posted.ids) + len(posted.already)
        yield (
            f"Other photos that are out: {counted(many, 'photo')} already public "
            f"{'was' if many == 1 else 'were'} counted, and no others."
        )
    else:
        yield (
            "Photos that are out already, yours or others' of the same event: none were counted"
            f"{surface.option('--posted counts them')}."
        )
    yield (
        "What these models do not look for: words and signs that can be read, what a model of "
        "language and vision or a search by image makes of it, and the sensor's noise, which links "
        "photos to others of the same camera."
    )
    yield (
        "Everything but the pixels: what you write beside the photos, when you post them, who is "
        "in them, and your other accounts."
    )


def _hidden(width: HideScope) -> str:
    if width.level is None:
        return f"what lies within {width.radius_km:g} km of each hidden place"
    return {"cell": "each hidden place's cell", "city": "each hidden place's city"}.get(
        width.level, f"each hidden place's whole {width.level}"
    )


PATIENCE = 5.0
"""Seconds for the staircase; its points stay open where that is not enough."""


def write_report(
    seen: ScoredAlbum,
    album_plan: AlbumPlan,
    folder: Path,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Path:
    """Write the report of a plan into a private folder, and say where it is.

    `shared` is the copy, where one was made; `command` is what the user typed.
    """
    made = plan_contents(
        seen,
        album_plan,
        posted=posted,
        opinions=opinions,
        shared=shared,
        command=command,
        patience=patience,
    )
    make_private(folder)
    return save_report(made, folder / REPORT)


def save_report(contents: Contents, file: Path) -> Path:
    """Write a report to a file that only its owner can read: all at once, or not at all."""
    write_private(file, page(contents))
    return file


def plan_contents(
    seen: ScoredAlbum,
    album_plan: AlbumPlan,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Contents:
    """What the report of a plan says."""
    plan = album_plan.plan
    scenes = planned_scenes(seen, album_plan, posted=posted, opinions=opinions)
    notes = [*messages.notes(album_plan, Surface.REPORT), *(shared.notes if shared else ())]
    if not plan.found:
        notes.insert(0, plan.explanation)
    return Contents(
        album=album_name(seen),
        verdict=messages.verdict(album_plan),
        holds=plan.found,
        state=_state(album_plan),
        photos=_shots(seen, scenes, _fates(seen, album_plan, posted), _remarks(album_plan, shared)),
        notes=tuple(_sentence(note) for note in notes),
        views=scenes.full,
        other_views=scenes.other_views,
        frontier=album_frontier(seen, album_plan, posted, patience=patience),
        explanation=explain_photo(seen, album_plan, posted, scenes.numbers) if plan.found else None,
        limits=tuple(limitations(seen, album_plan, posted)) if plan.found else (),
        attackers=_attackers(seen, [(place.lat, place.lon) for place in album_plan.hidden]),
        leaks=metadata_leaks(seen.photos),
        skipped=_left(seen, posted),
        command=command,
        origin=_made(seen, shared),
    )


def audit_contents(
    seen: ScoredAlbum,
    audit: AlbumAudit,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    command: str = "",
) -> Contents:
    """What a report says where nothing was planned: the album as its attackers see it."""
    scenes = seen_scenes(seen, audit, posted=posted, opinions=opinions)
    where = dict.fromkeys((watch.place.lat, watch.place.lon) for watch in audit.watches)
    best = scenes.full[0].before
    photos = counted(len(best.ids), "photo")
    verdict = f"From {photos} {best.scorer} guesses {best.guesses[0].name}."
    if best.truth is not None:
        truths = [scene.before.truth for scene in scenes.full]
        told = [f"{one.label} is number {one.rank}" for one in truths if one is not None]
        verdict = f"Of the guesses of {best.scorer}, {listed(told)}."
    return Contents(
        album=album_name(seen),
        verdict=verdict,
        holds=None,
        state="Looked at; nothing is withheld",
        photos=_shots(seen, scenes, [PhotoState.AUDITED] * len(seen.photos), {}),
        notes=tuple(_sentence(messages.note(note, Surface.REPORT)) for note in audit.notes),
        views=scenes.full,
        other_views=scenes.other_views,
        attackers=_attackers(seen, list(where)),
        leaks=audit.leaks,
        skipped=_left(seen, posted),
        command=command,
        origin=_made(seen, None),
    )


def album_name(seen: ScoredAlbum) -> str:
    """What to call an album: after its folders, else after its photos."""
    names = [folder.resolve().name for folder in seen.album.folders]
    return listed([name for name in names if name]) or counted(len(seen.photos), "photo")


def _state(album_plan: AlbumPlan) -> str:
    status, budget = album_plan.plan.status, album_plan.plan.promise.budget
    if status == Status.INFEASIBLE:
        return "No plan keeps the promise"
    if status == Status.UNKNOWN:
        return "No plan was found in time"
    if budget is not None:
        return f"The best found within a budget of {counted(budget, 'photo')}"
    if status == Status.FEASIBLE:
        return "The promise holds; fewer photos might do"
    return "The promise holds, with the fewest photos withheld"


def _fates(seen: ScoredAlbum, album_plan: AlbumPlan, posted: Posted) -> list[PhotoState]:
    plan = album_plan.plan
    if not plan.found:
        return [PhotoState.AUDITED] * len(seen.photos)
    withheld, out = set(plan.withheld), set(posted.already)
    return [
        PhotoState.WITHHELD
        if n in withheld
        else PhotoState.PUBLIC
        if n in out
        else PhotoState.SHARED
        for n in range(len(seen.photos))
    ]


def _remarks(album_plan: AlbumPlan, shared: Export | None) -> Mapping[int, str]:
    """What is to be said of single photos: that somebody asked for it, and its new name."""
    promise = album_plan.plan.promise
    told = dict.fromkeys((*promise.keep, *promise.drop), "as you asked")
    for file in shared.files if shared else ():
        asked = f", {told[file.number]}" if file.number in told else ""
        told[file.number] = f"as {file.name}{asked}"
    return told


def _shots(
    seen: ScoredAlbum, scenes: ReportViews, fates: Sequence[PhotoState], remarks: Mapping[int, str]
) -> tuple[PhotoPicture, ...]:
    pictures = previews(seen.photos)
    shares = scenes.shares
    photos = []
    for number, (photo, fate, picture) in enumerate(zip(seen.photos, fates, pictures, strict=True)):
        gain, place = shares.get(photo.id, (None, ""))
        photos.append(PhotoPicture(photo.id, fate, picture, gain, place, remarks.get(number, "")))
    return tuple(photos)


def _attackers(seen: ScoredAlbum, where: Sequence[tuple[float, float]]) -> tuple[Attacker, ...]:
    codes = {ground(lat, lon, "country")[0].code for lat, lon in where}
    here = tuple(sorted({continent(code) for code in codes} - {""}))
    return tuple(
        Attacker(attack.word, attack.about.cells, attack.about.accuracy, here)
        for attack in seen.attacks
    )


def _left(seen: ScoredAlbum, posted: Posted) -> tuple[SkippedFile, ...]:
    return tuple(SkippedFile(one.name, one.reason) for one in (*seen.left, *posted.left))


def _made(seen: ScoredAlbum, shared: Export | None) -> Mapping[str, str]:
    from importlib.metadata import version  # only here: it is slow to import

    told = {
        "elsewhere": version("elsewhere"),
        "scorers": ", ".join(
            f"{attack.word} ({attack.about.fingerprint[:12]})" for attack in seen.attacks
        ),
        "renditions": str(seen.album.recipe),
    }
    if shared is not None:
        told |= {
            "copy": str(shared.target),
            "certificate": str(shared.certificate),
            "proved again": f"on the copy itself, against {counted(shared.reproved, 'view')}",
        }
    return told


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:] + ("" if note.endswith((".", "!", "?")) else ".")
