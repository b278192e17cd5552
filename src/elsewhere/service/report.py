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
from elsewhere.audit import Guess, Leaking
from elsewhere.audit.inference import TOP, rank
from elsewhere.globe import cell_names, ground
from elsewhere.globe.places import CONTINENT_OF
from elsewhere.messages import Surface, as_sentence
from elsewhere.messages.report import audit_verdict, limits, photo_effect, plan_state
from elsewhere.report import Contents, page
from elsewhere.report.contents import (
    AttackerAccuracy,
    AttackerView,
    Explanation,
    PhotoPicture,
    PhotoState,
    SkippedReason,
)
from elsewhere.service.album_audit import (
    AlbumAudit,
    Opinions,
    audit_model,
    audit_threat,
    metadata_leaks,
    possible_cells,
)
from elsewhere.service.export import Export
from elsewhere.service.frontier import album_frontier
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.private_files import REPORT, make_private, write_private
from elsewhere.service.scored_album import ScoredAlbum, model_name
from elsewhere.service.selection import cells_of
from elsewhere.service.threats import Threat
from elsewhere.values.outcome import PhotoEffect
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
_MIN_RATIO = 1.5
"""A photo speaks against a decoy where it looks so many times more like the place."""


def write_report(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    folder: Path,
    *,
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Path:
    """Write the report of a plan into a private folder, and return its path.

    `shared` is the copy, where one was made; `command` is what the user typed.
    """
    contents = plan_contents(scored, album_plan, shared=shared, command=command, patience=patience)
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
    shared: Export | None = None,
    command: str = "",
    patience: float = PATIENCE,
) -> Contents:
    """What the report of a plan says."""
    plan, threats, posted = album_plan.plan, album_plan.threats, album_plan.posted
    full, full_views, other_views = _views(scored, threats, posted=posted, album_plan=album_plan)
    notes = [*messages.notes(album_plan, Surface.REPORT), *(shared.notes if shared else ())]
    states = [PhotoState.AUDITED] * len(scored.photos)
    if plan.found:
        states = [PhotoState.SHARED] * len(scored.photos)
        for number in posted.already:
            states[number] = PhotoState.PUBLIC
        for number in plan.withheld:
            states[number] = PhotoState.WITHHELD
    else:
        notes.insert(0, plan.explanation)
    remarks = dict.fromkeys((*plan.promise.keep, *plan.promise.drop), "as you asked")
    for file in shared.files if shared else ():
        asked = f", {remarks[file.number]}" if file.number in remarks else ""
        remarks[file.number] = f"as {file.name}{asked}"
    contents = _contents(
        scored,
        full_views,
        other_views,
        verdict=messages.verdict(album_plan),
        state=plan_state(plan),
        notes=notes,
        states=states,
        remarks=remarks,
        places=[(place.lat, place.lon) for place in album_plan.hidden],
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
        verdict=audit_verdict([view.before for view in views]),
        state="Looked at; nothing is withheld",
        notes=[messages.note(note, Surface.REPORT) for note in audit.notes],
        states=[PhotoState.AUDITED] * len(scored.photos),
        remarks={},
        places=[(threat.place.lat, threat.place.lon) for threat in threats],
        leaks=audit.leaks,
        posted=posted,
        command=command,
        shared=None,
    )


def album_name(scored: ScoredAlbum) -> str:
    """What to call an album: after its folders, else after its photos."""
    names = [folder.resolve().name for folder in scored.album.folders]
    return listed([name for name in names if name]) or counted(len(scored.photos), "photo")


def explain_photo(
    scored: ScoredAlbum, album_plan: AlbumPlan, numbers: Iterable[int]
) -> Explanation | None:
    """One withheld photo in words: the one that lifts its place most when it is added to what is
    shared. None where nothing is withheld. `numbers` are threats.
    """
    plan = album_plan.plan
    candidates = [n for n in plan.withheld if n not in plan.promise.drop] or list(plan.withheld)
    best: tuple[float, int] | None = None
    effect: PhotoEffect | None = None
    for number in numbers:
        threat = album_plan.threats[number]
        model, zone = scored.models[threat.model], threat.zone.cells
        scores = album_plan.posted.append_to(model.scores, threat.model)
        values = scores.values.astype(np.float64)
        possible = possible_cells(album_plan.threats, threat)
        if possible is not None:
            values[:, np.setdiff1d(np.arange(scores.cells), possible)] = -np.inf
        sees = set(threat.sees if threat.sees is not None else range(len(values)))
        shared = [n for n in plan.kept if n in sees]
        before = rank(values[shared], zone) if shared else None
        for photo in candidates:
            if photo not in sees:
                continue
            after = rank(values[[*shared, photo]], zone)
            # from 40th to 3rd is more than from 400th to 300th
            lift = (before / after if before is not None else 0.0), -photo
            if best is not None and lift <= best:
                continue
            best = lift
            effect = PhotoEffect(
                photo=scored.photos[photo].id,
                place=threat.hidden_name,
                model=model_name(model.spec),
                cells=model.about.cells,
                shared=len(shared),
                rank_without=before,
                rank_with=after,
                rank_alone=rank(values[[photo]], zone),
            )
            rivals = list(plan.views[number].rivals[: album_plan.wishes.top])
            if rivals:
                row = values[photo]
                decoy = min(rivals, key=lambda cell: (row[cell], cell))
                gap = float(row[zone].max()) - float(row[decoy])
                if math.isfinite(gap) and gap >= math.log(_MIN_RATIO):
                    name = cell_names(cells_of(model.spec, model.about))[decoy]
                    effect = replace(effect, decoy=name, ratio=math.exp(min(gap, 50.0)))
    return None if effect is None else Explanation(effect.photo, tuple(photo_effect(effect)))


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
    state: str,
    notes: Sequence[str],
    states: Sequence[PhotoState],
    remarks: Mapping[int, str],
    places: Sequence[tuple[float, float]],
    leaks: tuple[Leaking, ...],
    posted: Posted,
    command: str,
    shared: Export | None,
) -> Contents:
    """What all reports have; `states` and `remarks` are of the photos, by number.

    A photo's share is that of the first view that sees it.
    """
    from importlib.metadata import version  # slow to import

    shares: dict[str, float] = {}
    for view in views:
        truth = view.before.truth
        if truth is not None:
            for name, gain in zip(view.before.ids, truth.shares.gains, strict=True):
                shares.setdefault(name, gain)
    photos = [
        PhotoPicture(photo.id, state, preview, shares.get(photo.id), remarks.get(number, ""))
        for number, (photo, state, preview) in enumerate(
            zip(scored.photos, states, previews(scored.photos), strict=True)
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
    countries = {ground(lat, lon, "country")[0].code for lat, lon in places}
    here = tuple(sorted({CONTINENT_OF.get(code, "") for code in countries} - {""}))
    return Contents(
        album=album_name(scored),
        verdict=verdict,
        holds=None,
        state=state,
        photos=tuple(photos),
        notes=tuple(as_sentence(note) for note in notes),
        views=tuple(views),
        other_views=tuple(other_views),
        attackers=tuple(
            AttackerAccuracy(model.spec, model.about.cells, model.about.accuracy, here)
            for model in scored.models
        ),
        leaks=leaks,
        skipped=tuple(
            SkippedReason(file.name, file.reason) for file in (*scored.skipped, *posted.skipped)
        ),
        command=command,
        origin=origin,
    )


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
    audit = partial(audit_threat, scored, threats, posted=posted, plan=album_plan, top=_MAX_BELIEFS)
    views = []
    for number, threat in enumerate(threats):
        before = audit(number, opinions=opinions)
        assert before is not None, "a threat sees at least one photo"
        after, decoys = None, tuple[Guess, ...]()
        if album_plan is not None and album_plan.plan.found:
            after = audit(number, kept=album_plan.plan.kept)
            if after is not None and after.truth is not None and after.truth.shares.from_plan:
                decoys = after.truth.shares.rivals[: album_plan.wishes.top or TOP]
        cells, width = scored.models[threat.model].about.globe, threat.width
        boxes: list[list[float]] = []
        if cells is not None:
            boxes = cells.boxes[np.isin(cells.owner, threat.zone.cells)].tolist()
        # whoever hides a country does not ask how near to a town a guess comes
        target, radius_km = "in its cell", None
        if threat.place.area is not None or width.level in {"city", "region", "country"}:
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
            )
        )
    rest = [view for number, view in enumerate(views) if number not in full]
    return full, [views[number] for number in full], rest
