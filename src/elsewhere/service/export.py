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
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere import messages
from elsewhere.album import Step
from elsewhere.album.copies import Copy
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
from elsewhere.messages.verification import note_text, problem_text
from elsewhere.service.ledger import Ledger, new_entries
from elsewhere.service.private_files import (
    CERTIFICATE,
    back_up,
    make_private,
    private_folder,
    put_back,
    record_staging,
    unwritable,
    write_private,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import proved_record
from elsewhere.service.verify import prove_copy
from elsewhere.values.scores import Scores
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


def export_album(
    scored: ScoredAlbum,
    album_plan: AlbumPlan,
    target: Path,
    *,
    private: Path | None = None,
    order: Order = "shuffled",
    names: Names = "neutral",
    remember: Ledger | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> Export:
    """Write the kept renditions to `target`, a new folder or `.zip`, and prove the promise anew.

    The certificate goes to a folder of the target's own, in `private` or in the user's data
    directory. What is posted already counts, and is not written again.
    `remember` is the ledger that this export is written down in, if and only if it gets its name.
    Where anything goes wrong, nothing is left behind.
    """
    target = Path(target)
    folder = check_copy_target(scored.album.folders, target, private, order=order, names=names)
    files = _files(scored, album_plan, order, names)
    document = _document(scored, album_plan, files)
    certificate = read_copy_certificate(document)
    path, verdict = folder / CERTIFICATE, Verification()
    earlier: list[tuple[Path, Path]] | None = None

    def prove(copy: Copy) -> None:
        nonlocal verdict, earlier
        verdict = prove_copy(copy, certificate, progress=progress)
        if verdict.problems:
            raise CheckError(
                "nothing is exported, because the copy did not keep the promise when it was read "
                f"and scored again: {'; '.join(map(problem_text, verdict.problems))}"
            )
        with _nothing_exported():
            earlier = back_up(folder)
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
        if not target.exists():  # take away a certificate of nothing; put back what was there
            with suppress(OSError):
                if earlier is not None:
                    path.unlink(missing_ok=True)
                    put_back(earlier)
                folder.rmdir()
        raise
    notes = [kept_names_warning([file.name for file in files])] if names == "keep" else []
    notes += map(note_text, verdict.notes)
    by_name = tuple(sorted(files, key=lambda file: file.name))
    return Export(target, by_name, path, folder, verdict.reproved, tuple(notes))


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
        SharedFile(name, photo.id, photo.rendition.digest, photo.rendition.size, number)
        for name, photo, number in zip(called, photos, numbers, strict=True)
    )


def _document(scored: ScoredAlbum, album_plan: AlbumPlan, files: Sequence[SharedFile]) -> str:
    """The certificate's text. The plan is proved on the scores that it was made with, once more."""
    plan, rows = album_plan.plan, [file.number for file in files]
    posted = album_plan.posted
    tables = [posted.append_to(model.scores, number) for number, model in enumerate(scored.models)]
    body = proved_record(plan, [tables[watch.model] for watch in album_plan.threats])
    public = [number for number in plan.kept if number not in rows]
    models = []
    for attack in scored.models:
        name, colon, file = attack.spec.partition(":")
        spec, about = attack.spec, attack.about
        if colon and os.path.lexists(file):  # to be found again from any folder
            spec = f"{name}:{Path(file).absolute()}"
        digest = Scores(attack.scores.values[rows]).digest
        models.append(Model(spec, about.name, about.fingerprint, about.grid, about.cells, digest))
    certificate = CopyCertificate(
        top=album_plan.wishes.top if plan.promise.budget is None else None,
        verdict=messages.verdict(album_plan),
        hidden=tuple(HiddenPlace(p.label, p.lat, p.lon) for p in album_plan.hidden),
        watches=tuple(
            CertifiedThreat(
                watch.model,
                album_plan.hidden.index(watch.place),
                watch.whole,
                float(watch.zone.radius_km),
            )
            for watch in album_plan.threats
        ),
        models=tuple(models),
        recipe=str(scored.album.recipe),
        photos=tables[0].ids,
        files=tuple(files),
        posted=tuple(
            PostedPhoto(number, tuple(tuple(table.values[number].tolist()) for table in tables))
            for number in public
        ),
        plan=certificate_from_record(body),
    )
    return seal(certificate, body)


@contextmanager
def _nothing_exported() -> Iterator[None]:
    """Without a certificate there is no copy, and that is said."""
    try:
        yield
    except FileError as problem:
        raise FileError(f"nothing is exported without a certificate: {problem}") from None
