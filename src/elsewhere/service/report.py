"""From a finished job to its private report. What is known is put together; nothing is decided.

The report names the place, so it goes where the certificate goes, readable by its owner only and
written as a whole. Without a plan it shows what an audit found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from elsewhere import messages
from elsewhere.album import Photo
from elsewhere.album.archives import is_archive
from elsewhere.audit import Audit, Guess, Leaking
from elsewhere.audit.inference import TOP
from elsewhere.audit.places import MAX_RANK
from elsewhere.globe import ground
from elsewhere.globe.places import CONTINENT_OF
from elsewhere.messages import Surface, as_sentence
from elsewhere.messages.photo_text import describe_text
from elsewhere.messages.report import (
    audit_verdict,
    limits,
    none_better,
    photo_effect,
    plan_state,
)
from elsewhere.report import Contents, page
from elsewhere.report.contents import (
    AttackerAccuracy,
    AttackerView,
    EditedPicture,
    Explanation,
    PhotoPicture,
    PhotoState,
    ReadText,
    SkippedReason,
)
from elsewhere.service.album_audit import (
    AlbumAudit,
    AuditedText,
    Beliefs,
    Opinions,
    audit_model,
    audit_threat,
    audited_texts,
    metadata_leaks,
    own_positions,
)
from elsewhere.service.edited_album import with_chosen_rows
from elsewhere.service.export import Export
from elsewhere.service.frontier import album_frontier
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.private_files import REPORT, make_private, write_private
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.threats import Threat
from elsewhere.values.outcome import KeyNumbers, PhotoEffect
from elsewhere.values.versions import Edit
from elsewhere.values.wording import counted, listed

PATIENCE = 5.0
"""Seconds for the frontier; its points stay open where that is not enough."""
PREVIEW_SIDES = (320, 240, 200, 160, 128, 96, 64)
"""In pixels, the largest first."""
MAX_PREVIEW_BYTES = 4_200_000
"""For all previews as they are in the page, so that 400 photos fit into five megabytes."""
_CARD_BYTES = 1_200
"""What a photo's name, numbers and frame need at most."""
_SAMPLED_PREVIEWS = 8
_MAX_BELIEFS = 64
"""So many of the likeliest cells are drawn; the list beside the map has fewer."""
_MAX_FULL_VIEWS = 5
"""More places than this are not shown in full."""
_MAX_EXPLAINED = 40
"""So many withheld photos are tried as an example."""
_MAX_POSITIONS = 200
"""Positions that circles are drawn around."""
_MAX_LINES = 6
"""Lines of text that are shown of a photo."""
_MIN_RATIO = 1.5
"""A photo speaks against a decoy where it looks so many times more like the place."""


def write_report(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    folder: Path,
    *,
    edited: ScoredAlbum | None = None,
    shared: Export | None = None,
    proved: bool = False,
    command: str = "",
    patience: float = PATIENCE,
) -> Path:
    """Write the report of a plan into a private folder, and return its path.

    `edited` is the album with the plan's edits, where there are any; `shared` is the copy, where
    one was made; `proved` says whether a proof that no plan is better was checked; `command` is
    what the user typed.
    """
    contents = plan_contents(
        scored,
        album_plan,
        edited=edited,
        shared=shared,
        proved=proved,
        command=command,
        patience=patience,
    )
    make_private(folder)
    write_private(folder / REPORT, page(contents))
    return folder / REPORT


def save_report(contents: Contents, file: Path) -> Path:
    """Write a report to a file that only its owner can read: as a whole, or not at all."""
    write_private(file, page(contents))
    return file


def plan_contents(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    *,
    edited: ScoredAlbum | None = None,
    shared: Export | None = None,
    proved: bool = False,
    command: str = "",
    patience: float = PATIENCE,
) -> Contents:
    """What the report of a plan says; without `edited` no edit is shown as it goes out."""
    plan, threats, posted = album_plan.plan, album_plan.threats, album_plan.posted
    full, full_views, other_views = _views(scored, threats, posted=posted, album_plan=album_plan)
    ids = [photo.id for photo in scored.photos]
    edits = {ids.index(name): edit for name, edit in album_plan.edits.items()}
    notes = [*messages.notes(album_plan, Surface.REPORT), *(shared.notes if shared else ())]
    states = [PhotoState.AUDITED] * len(scored.photos)
    if plan.found:
        states = [PhotoState.SHARED] * len(scored.photos)
        for number in posted.already:
            states[number] = PhotoState.PUBLIC
        for number in plan.withheld:
            states[number] = PhotoState.WITHHELD
        for number in edits:
            states[number] = PhotoState.EDITED
    else:
        notes.insert(0, plan.explanation)
    remarks = dict.fromkeys((*plan.promise.keep, *plan.promise.drop), "as you asked")
    remarks.update((ids.index(name), "for readable text") for name in album_plan.telling_photos)
    for file in shared.files if shared else ():
        asked = f", {remarks[file.number]}" if file.number in remarks else ""
        remarks[file.number] = f"as {file.name}{asked}"
    contents = _contents(
        scored,
        full_views,
        other_views,
        edits=edits,
        edited=edited,
        verdict=messages.verdict(album_plan),
        numbers=Beliefs(scored, threats, posted).key_numbers(album_plan),
        state=plan_state(plan),
        notes=notes,
        states=states,
        remarks=remarks,
        places=[(place.lat, place.lon) for place in album_plan.hidden],
        texts=audited_texts(scored, album_plan.hidden, album_plan.wishes),
        leaks=metadata_leaks(scored.photos),
        posted=posted,
        command=command,
        shared=shared,
    )
    frontier = album_frontier(scored, album_plan, patience=patience)
    if not plan.found:
        return replace(contents, holds=False, frontier=frontier)
    return replace(
        contents,
        holds=True,
        frontier=frontier,
        explanation=explain_photo(scored, album_plan, full),
        limits=tuple(limits(album_plan)),
        origin={
            **(contents.origin or {}),
            "holds": "checked, by other code than the search",
            "none better": none_better(plan, proved=proved),
        },
    )


def audit_contents(
    scored: ScoredAlbum,
    audit: AlbumAudit,
    *,
    posted: Posted = NOTHING_POSTED,
    opinions: Opinions | None = None,
    command: str = "",
) -> Contents:
    """What the report of an audit says; where no place is known, what each attacker guesses."""
    threats = audit.threats
    _, views, other_views = _views(scored, threats, posted=posted, opinions=opinions)
    if not threats:
        guesses = (
            audit_model(scored, number, posted=posted, opinions=opinions, top=_MAX_BELIEFS)
            for number in range(len(scored.models))
        )
        views = [AttackerView(found, scope="the whole album") for found in guesses]
    return _contents(
        scored,
        views,
        other_views,
        verdict=audit_verdict(
            [replace(view.before, scorer=model_name(view.before.scorer)) for view in views]
        ),
        numbers=audit.numbers,
        state="Looked at; nothing is withheld",
        notes=[messages.note(note, Surface.REPORT) for note in audit.notes],
        states=[PhotoState.AUDITED] * len(scored.photos),
        remarks={},
        places=[(threat.place.lat, threat.place.lon) for threat in threats],
        texts=audit.texts,
        leaks=audit.leaks,
        posted=posted,
        command=command,
        shared=None,
    )


def album_name(scored: ScoredAlbum) -> str:
    """What to call an album: after its folders and archives, else after its photos."""
    names = [
        folder.stem if is_archive(folder) else folder.resolve().name
        for folder in scored.album.folders
    ]
    return listed([name for name in names if name]) or counted(len(scored.photos), "photo")


def explain_photo(
    scored: ScoredAlbum, album_plan: AlbumPlan, numbers: Iterable[int]
) -> Explanation | None:
    """One withheld photo in words: the one that lifts its place most when it is added to what is
    shared. None where nothing is withheld. `numbers` are threats.
    """
    plan, posted = album_plan.plan, album_plan.posted
    candidates = [n for n in plan.withheld if n not in plan.promise.drop] or list(plan.withheld)
    beliefs = Beliefs(with_chosen_rows(scored, album_plan), album_plan.threats, posted)
    gains = beliefs.shares(album_plan)
    # what gives most away explains best; of very many photos not each is tried
    candidates = sorted(candidates, key=lambda n: (_gain(gains, n), n))[:_MAX_EXPLAINED]
    best: tuple[float, int] | None = None
    effect: PhotoEffect | None = None
    for number in numbers:
        threat = album_plan.threats[number]
        model = scored.models[threat.model]
        sees = range(plan.promise.photos) if threat.sees is None else threat.sees
        shared = [n for n in plan.kept if n in sees]
        before = beliefs.belief(number, plan.kept)
        for photo in candidates:
            if photo not in sees:
                continue
            after, alone = beliefs.belief(number, [*plan.kept, photo]), beliefs.alone(number, photo)
            assert after is not None
            # from 40th to 3rd is more than from 400th to 300th
            lift = (before.rank / after.rank if before is not None else 0.0), -photo
            if best is not None and lift <= best:
                continue
            best = lift
            effect = PhotoEffect(
                photo=scored.photos[photo].id,
                place=threat.hidden_name,
                model=model_name(model.spec),
                cells=model.about.cells if threat.circles is None else None,
                shared=len(shared),
                rank_without=None if before is None else before.rank,
                rank_with=after.rank,
                rank_alone=alone,
                rank_limit=None if threat.circles is None else MAX_RANK,
                radius_km=None if threat.circles is None else threat.circles.radius_km,
            )
            rivals = list(plan.views[number].rivals[: album_plan.wishes.top])
            if rivals:
                against = beliefs.gains(number, photo, rivals)
                decoy = min(range(len(rivals)), key=lambda n: (against[n], rivals[n]))
                gap = -float(against[decoy])
                if math.isfinite(gap) and gap >= math.log(_MIN_RATIO):
                    (name,) = beliefs.rivals(number, [rivals[decoy]])
                    effect = replace(effect, decoy=name.name, ratio=math.exp(min(gap, 50.0)))
    return None if effect is None else Explanation(effect.photo, tuple(photo_effect(effect)))


def _gain(gains: Sequence[float | None], photo: int) -> float:
    gain = gains[photo] if photo < len(gains) else None
    return 0.0 if gain is None else gain


def previews(photos: Sequence[Photo], limit: int = MAX_PREVIEW_BYTES) -> tuple[bytes, ...]:
    """A small JPEG of every rendition, all of the same side, as large as the limit allows.

    The side is chosen by a sample of the photos and checked on all of them. The smallest side is
    used where none fits.
    """
    step = max(1, len(photos) // _SAMPLED_PREVIEWS)
    for side in PREVIEW_SIDES[:-1]:
        sample = [photo.rendition.preview(side) for photo in photos[::step]]
        if page_bytes(sample) * len(photos) / max(1, len(sample)) <= limit:
            pictures = tuple(photo.rendition.preview(side) for photo in photos)
            if page_bytes(pictures) <= limit:
                return pictures
    return tuple(photo.rendition.preview(PREVIEW_SIDES[-1]) for photo in photos)


def page_bytes(pictures: Sequence[bytes]) -> int:
    """How many bytes previews need in the page: base64 makes four of three."""
    return sum((len(picture) + 2) // 3 * 4 + _CARD_BYTES for picture in pictures)


def _contents(
    scored: ScoredAlbum,
    views: Sequence[AttackerView],
    other_views: Sequence[AttackerView],
    *,
    verdict: str,
    numbers: KeyNumbers | None,
    state: str,
    notes: Sequence[str],
    states: Sequence[PhotoState],
    remarks: Mapping[int, str],
    places: Sequence[tuple[float, float]],
    texts: Sequence[AuditedText],
    leaks: tuple[Leaking, ...],
    posted: Posted,
    command: str,
    shared: Export | None,
    edits: Mapping[int, Edit] | None = None,
    edited: ScoredAlbum | None = None,
) -> Contents:
    """What all reports have; `states`, `remarks` and `edits` are of the photos, by number.

    A photo's share is that of the first view that sees it.
    """
    from importlib.metadata import version  # slow to import

    shares = _shares([view.before for view in views])
    shares_edited = _shares([view.after for view in views if view.after is not None])
    edits = edits or {}
    as_edited = [edited.photos[number] for number in edits] if edited is not None else []
    pictures = previews([*scored.photos, *as_edited])
    shown = dict(zip(edits, pictures[len(scored.photos) :], strict=False))
    read = {
        audited.text.photo: tuple(
            ReadText(*told) for told in describe_text(audited.text, audited.telling, _MAX_LINES)
        )
        for audited in texts
    }
    photos = [
        PhotoPicture(
            photo.id,
            state,
            preview,
            shares.get(photo.id),
            remarks.get(number, ""),
            EditedPicture(edits[number], shown.get(number, b""), shares_edited.get(photo.id))
            if number in edits
            else None,
            read.get(photo.id, ()),
        )
        for number, (photo, state, preview) in enumerate(
            zip(scored.photos, states, pictures[: len(scored.photos)], strict=True)
        )
    ]
    models = ", ".join(f"{model.spec} ({model.about.fingerprint[:12]})" for model in scored.models)
    origin = {
        "elsewhere": version("elsewhere"),
        "scorers": models,
        "renditions": str(scored.album.recipe),
    }
    if shared is not None:
        origin |= {
            "copy": str(shared.target),
            "certificate": str(shared.certificate),
            "proved again": f"on the copy itself, against {counted(shared.reproved, 'view')}",
        }
    key_numbers = [] if numbers is None else messages.key_numbers(numbers, Surface.REPORT)
    countries = {ground(lat, lon, "country")[0].code for lat, lon in places}
    here = tuple(sorted({CONTINENT_OF.get(code, "") for code in countries} - {""}))
    return Contents(
        album=album_name(scored),
        verdict=verdict,
        holds=None,
        state=state,
        photos=tuple(photos),
        numbers=tuple(text for _, text in key_numbers),
        measured=None if numbers is None else numbers.measured,
        notes=tuple(as_sentence(note) for note in notes),
        views=tuple(views),
        other_views=tuple(other_views),
        attackers=tuple(
            AttackerAccuracy(
                model.spec,
                None if model.about.points is not None else model.about.cells,
                model.about.accuracy,
                here,
            )
            for model in scored.models
        ),
        leaks=leaks,
        skipped=tuple(
            SkippedReason(file.name, file.reason) for file in (*scored.skipped, *posted.skipped)
        ),
        command=command,
        origin=origin,
    )


def _shares(audits: Sequence[Audit]) -> dict[str, float]:
    """By photo's name, its share in the first audit that sees it."""
    shares: dict[str, float] = {}
    for audit in audits:
        if audit.truth is not None:
            for name, gain in zip(audit.ids, audit.truth.shares.gains, strict=True):
                shares.setdefault(name, gain)
    return shares


def _spread(positions: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Positions about a kilometre apart, and not too many of them."""
    apart = sorted({(round(lat, 2), round(lon, 2)) for lat, lon in positions})
    return tuple(apart[:: 1 + (len(apart) - 1) // _MAX_POSITIONS])


def _views(
    scored: ScoredAlbum,
    threats: Sequence[Threat],
    *,
    posted: Posted,
    opinions: Opinions | None = None,
    album_plan: AlbumPlan | None = None,
) -> tuple[list[int], list[AttackerView], list[AttackerView]]:
    """The threats that are shown in full, by number; their views; those that are rows of a table.

    A person understands the first scorer's view of each place's own photos.
    """
    first: dict[str, int] = {}
    for number, threat in enumerate(threats):
        if threat.model == 0:
            first.setdefault(threat.hidden_name, number)  # own photos come before the whole album
    full = list(first.values())[:_MAX_FULL_VIEWS]
    audit = partial(audit_threat, posted=posted, plan=album_plan, top=_MAX_BELIEFS)
    goes_out = scored if album_plan is None else with_chosen_rows(scored, album_plan)
    views = []
    for number, threat in enumerate(threats):
        before = audit(scored, threats, number, opinions=opinions)
        assert before is not None, "a threat sees at least one photo"
        after, decoys = None, tuple[Guess, ...]()
        if album_plan is not None and album_plan.plan.found:
            after = audit(goes_out, threats, number, kept=album_plan.plan.kept)
            if after is not None and after.truth is not None and after.truth.shares.from_plan:
                decoys = after.truth.shares.rivals[: album_plan.wishes.top or TOP]
        cells, width = scored.models[threat.model].about.globe, threat.width
        boxes: list[list[float]] = []
        positions: tuple[tuple[float, float], ...] = ()
        if threat.circles is not None and not threat.whole_area:
            positions = _spread(own_positions(scored, threat))
        elif cells is not None:
            boxes = cells.boxes[np.isin(cells.owner, threat.zone.cells)].tolist()
        # whoever hides a country does not ask how near to a town a guess comes
        target, radius_km = "in its cell", None
        if threat.whole_area or width.level == "city":
            target = f"in {threat.hidden_name}"
        elif width.km:
            target, radius_km = f"within {width.km:g} km", width.km
        views.append(
            AttackerView(
                before,
                after,
                decoys,
                zone=tuple((box[0], box[1], box[2], box[3]) for box in boxes),
                scope="the whole album" if threat.whole else "its own photos",
                target=target,
                radius_km=radius_km,
                positions=positions,
            )
        )
    rest = [view for number, view in enumerate(views) if number not in full]
    return full, [views[number] for number in full], rest
