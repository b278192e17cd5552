"""From a plan to a copy that may be handed out: written, read again, scored again, proved, named.

The album's export writes the files and gives the final name. Here the copy is proved as it lies on
the disk, by the code of `verify` and from the text of the certificate itself. The certificate is on
the disk before the copy has its name, so that there is no copy without one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from elsewhere import messages
from elsewhere.album import Step
from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.export import (
    Names,
    Order,
    OutgoingFile,
    are_separate,
    check_target,
    choose_names,
    export,
    kept_names_warning,
)
from elsewhere.album.places import AlbumPlace
from elsewhere.errors import CheckError, FileError, InputError
from elsewhere.formats.copy_certificate import (
    CertifiedThreat,
    CopyCertificate,
    HiddenPlace,
    Model,
    PostedPhoto,
    SharedFile,
    read_copy_certificate,
    seal,
)
from elsewhere.formats.plan_certificate import certificate_from_record
from elsewhere.globe import between_km
from elsewhere.messages.verification import note_text, problem_text
from elsewhere.service.ledger import Ledger, new_entries
from elsewhere.service.photo_texts import TextReader
from elsewhere.service.private_files import (
    find_certificate,
    give_usual_name,
    make_private,
    new_certificate,
    private_folder,
    record_staging,
    unwritable,
    write_private,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import proved_record
from elsewhere.service.selection import kept_by_name
from elsewhere.service.text_covers import TextRule, read_twice
from elsewhere.service.threats import Threat, threat_scores
from elsewhere.service.verify import certified_attacks, prove_copy
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.verification import Verification

if TYPE_CHECKING:
    from elsewhere.service.planning import AlbumPlan


@dataclass(frozen=True)
class Export:
    """A copy that was proved and has its name."""

    target: Path
    files: tuple[SharedFile, ...]
    """By name, as they lie in the copy."""
    certificate: Path
    private: Path
    """The folder that holds the certificate, for whatever else names the place."""
    reproved: int
    """Against how many views the promise was proved: models × hidden places × scopes."""
    notes: tuple[str, ...] = ()
    """What has to be said: names that were kept, scores that differed in their last bits."""
    unread: int = 0
    """Lines of text on the files that were found and not read."""


def export_album(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    target: Path,
    *,
    private: Path | None = None,
    order: Order = "shuffled",
    names: Names = "neutral",
    remember: Ledger | None = None,
    planned_on: Sequence[Scores] | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> Export:
    """Write the kept renditions to `target`, a new folder or `.zip`, and prove the promise anew.

    Where the plan chose among versions, `scored` has the edits that it chose (`apply_edits`), and
    `planned_on` is the table of all versions for each attacker that the plan was made with.

    The certificate goes to a folder of the target's own, in `private` or in the user's data
    directory. What is posted already counts, and is not written again.
    `remember` is the ledger that this export is written down in, if and only if it gets its name.
    Where anything goes wrong, nothing is left behind.
    """
    target = Path(target)
    folder = check_copy_target(scored.album.folders, target, private, order=order, names=names)
    files = _files(scored, album_plan, order, names)
    document = _document(scored, album_plan, files, planned_on)
    certificate = read_copy_certificate(document)
    path, verdict, unread = new_certificate(folder), Verification(), 0

    def prove(copy: Copy) -> None:
        nonlocal verdict, unread
        verdict = prove_copy(copy, certificate, progress=progress)
        if verdict.problems:
            raise CheckError(
                "nothing is exported, because the copy did not keep the promise when it was read "
                f"and scored again: {'; '.join(map(problem_text, verdict.problems))}"
            )
        unread = _check_texts(scored, album_plan, files)
        with _nothing_exported():
            make_private(folder)  # again: an export to the same target that failed removes it
            write_private(path, document)
        if remember is not None:
            entries = new_entries(scored, album_plan.places, {file.number for file in files})
            naming.enter_context(remember.recording(entries, target))

    outgoing = [OutgoingFile(file.name, scored.photos[file.number].rendition) for file in files]
    with _nothing_exported():
        make_private(folder)
    try:
        with record_staging(target.parent), ExitStack() as naming:
            export(
                outgoing,
                target,
                prove,
                written=lambda done, name: progress(Step("writing", done, len(files), name)),
            )
    except BaseException:
        if not _is_certified(target, path, private):  # a certificate of nothing
            with suppress(OSError):
                path.unlink(missing_ok=True)
                folder.rmdir()
        raise
    path = give_usual_name(path)
    notes = [kept_names_warning([file.name for file in files])] if names == "keep" else []
    notes += map(note_text, verdict.notes)
    by_name = tuple(sorted(files, key=lambda file: file.name))
    return Export(target, by_name, path, folder, verdict.reproved, tuple(notes), unread)


def _check_texts(scored: ScoredAlbum, album_plan: AlbumPlan, files: Sequence[SharedFile]) -> int:
    """Refuse files with telling text; how many lines of the others were found and not read.

    Edited photos are read now, as they are shared and enlarged as a whole. The others were read
    when they were scored, and are shared as they were then. What the user keeps by its name may say
    what it will.
    """
    ids = [photo.id for photo in scored.photos]
    named = kept_by_name(album_plan.wishes.keep, ids, scored.skipped)
    rule, unread = TextRule(album_plan.hidden, album_plan.wishes.width), 0
    with TextReader() as reader:
        for file in files:
            if file.photo not in scored.texts:
                continue
            readings = [scored.texts[file.photo]]
            if file.edit is not None:
                rendition = scored.photos[file.number].rendition
                readings = read_twice(reader, file.photo, rendition)
            unread += readings[0].unread
            if file.number not in named and rule.is_broken(readings):
                which = file.photo if file.edit is None else f"the edited {file.photo}"
                raise CheckError(
                    "nothing is exported, because a name near what is hidden can still be read in "
                    f"{which}: withhold it with --drop, or share it so with --keep and its name"
                )
    return unread


def _is_certified(target: Path, certificate: Path, private: Path | None) -> bool:
    """Whether the copy at `target` is the one that a certificate is about; in doubt it is."""
    if not target.exists():
        return False
    with suppress(FileError, OSError):
        return find_certificate(open_copy(target), target, private) == certificate
    return True


def check_copy_target(
    folders: Sequence[Path],
    target: Path,
    private: Path | None = None,
    *,
    order: Order = "shuffled",
    names: Names = "neutral",
) -> Path:
    """The private folder of a copy at `target`; raises as `export_album` would, before any work.

    `folders` are those of the originals.
    """
    choose_names((), order, names)
    check_target(target, folders)
    folder = private_folder(target, private)
    if not all(are_separate(target, other) for other in (folder, private or folder)):
        raise InputError(
            f"the private folder {private or folder} must not lie in or around {target}, which is "
            "handed out: choose another one"
        )
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        code = errno.EACCES if there.is_dir() else errno.ENOTDIR
        with _nothing_exported():
            raise unwritable(folder, OSError(code, os.strerror(code)))
    return folder


def _files(
    scored: ScoredAlbum, album_plan: AlbumPlan, order: Order, names: Names
) -> tuple[SharedFile, ...]:
    """The files of the copy, by the photos' numbers: what is kept and not out already."""
    plan = album_plan.plan
    if not plan.found:
        raise InputError(f"there is nothing to share: the plan is {plan.status}")
    if album_plan.empty:
        raise InputError(
            "there is nothing to share: within this budget a hidden place may still be the first "
            "guess; raise it"
        )
    numbers = album_plan.posted.newly_shared(plan.kept, len(scored.photos))
    if not numbers:
        raise InputError(
            "there is nothing to share: every photo that may be kept is public already"
        )
    photos = [scored.photos[number] for number in numbers]
    called = choose_names([photo.id for photo in photos], order, names)
    return tuple(
        SharedFile(
            name,
            photo.id,
            photo.rendition.digest,
            photo.rendition.size,
            number,
            scored.edits.get(photo.id),
        )
        for name, photo, number in zip(called, photos, numbers, strict=True)
    )


def _document(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    files: Sequence[SharedFile],
    planned_on: Sequence[Scores] | None,
) -> str:
    """The certificate's text. The plan is proved on the scores that it was made with, once more."""
    plan, numbers = album_plan.plan, [file.number for file in files]
    posted = album_plan.posted
    tables = [posted.append_to(model.scores, number) for number, model in enumerate(scored.models)]
    plain = [tables[threat.model] for threat in album_plan.threats]
    planned_on = planned_on or threat_scores(scored, album_plan.threats, posted)
    counted = any(
        table is not own and table.digest != own.digest
        for table, own in zip(planned_on, plain, strict=True)
    )
    body = proved_record(plan, planned_on)
    public = [number for number in plan.kept if number not in numbers]
    features = [
        posted.append_features(model.features, number) for number, model in enumerate(scored.models)
    ]
    models = []
    for model, table, seen in zip(scored.models, tables, features, strict=True):
        name, colon, file = model.spec.partition(":")
        spec, about = model.spec, model.about
        if colon and os.path.lexists(file):  # to be found again from any folder
            spec = f"{name}:{Path(file).absolute()}"
        rows = numbers if seen is None else numbers + public
        digest = Scores(table.values[rows]).digest
        models.append(Model(spec, about.name, about.fingerprint, about.grid, about.cells, digest))
    certificate = CopyCertificate(
        top=album_plan.wishes.top if plan.promise.budget is None else None,
        verdict=messages.verdict(album_plan),
        hidden=tuple(_certified_place(place, album_plan.threats) for place in album_plan.hidden),
        watches=tuple(
            CertifiedThreat(
                watch.model,
                album_plan.hidden.index(watch.place),
                watch.whole,
                float(watch.circles.radius_km if watch.circles else watch.zone.radius_km),
            )
            for watch in album_plan.threats
        ),
        models=tuple(models),
        recipe=str(scored.album.recipe),
        photos=tables[0].ids,
        files=tuple(files),
        posted=tuple(_posted_photo(number, tables, features) for number in public),
        plan=certificate_from_record(body),
        texts=True if counted and plan.promise.versions is None else None,
    )
    kept = [Scores(table.values[list(plan.kept)]) for table in tables]
    tried = certified_attacks(certificate, [model.about for model in scored.models], kept)
    return seal(replace(certificate, tried=tuple(tried) or None), body)


def _certified_place(place: AlbumPlace, threats: Sequence[Threat]) -> HiddenPlace:
    """A hidden place; of an area that is hidden by circles, the position nearest to its middle."""
    lat, lon = place.lat, place.lon
    circles = next((t.circles for t in threats if t.place == place and t.circles), None)
    if circles is not None:
        lats, lons = np.array(circles.positions).T
        nearest = int(between_km(lat, lon, lats, lons).argmin())
        lat, lon = circles.positions[nearest]
    return HiddenPlace(place.label, lat, lon)


def _posted_photo(
    number: int, tables: Sequence[Scores], features: Sequence[FloatMatrix | None]
) -> PostedPhoto:
    """A photo that is out already, by its features, which are small, or its rows."""
    seen = [() if known is None else tuple(known[number].tolist()) for known in features]
    rows = [
        () if known else tuple(table.values[number].tolist())
        for known, table in zip(seen, tables, strict=True)
    ]
    return PostedPhoto(number, tuple(rows), tuple(seen) if any(seen) else None)


@contextmanager
def _nothing_exported() -> Iterator[None]:
    """Without a certificate there is no copy, and that is said."""
    try:
        yield
    except FileError as problem:
        raise FileError(f"nothing is exported without a certificate: {problem}") from None
