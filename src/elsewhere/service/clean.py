"""A clean copy that hides nothing: every photo without its metadata, and no promise.

It is for albums where no plan exists or no place is known. The files are those that `protect` would
write, as safely: originals are never opened for writing, and the copy appears whole or not at all.
There is no certificate, because there is nothing to certify.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from elsewhere.album import Photo, Recipe, SkippedFile, Step
from elsewhere.album.album import read_album
from elsewhere.album.copies import Copy
from elsewhere.album.export import (
    Names,
    Order,
    OutgoingFile,
    check_target,
    choose_names,
    export,
    kept_names_warning,
)
from elsewhere.errors import CheckError, InputError, NoPhotoError
from elsewhere.formats.copy_certificate import SharedFile
from elsewhere.messages.verification import problem_text
from elsewhere.service.private_files import back_up, private_folder, record_staging
from elsewhere.service.scored_album import no_photo_reason
from elsewhere.service.selection import select_pinned
from elsewhere.service.verify import bare_problem


@dataclass(frozen=True)
class CleanCopy:
    """A copy without metadata, of which nothing is promised."""

    target: Path
    files: tuple[SharedFile, ...]
    """By name, as they lie in the copy."""
    photos: tuple[Photo, ...]
    """Those that are in it."""
    skipped: tuple[SkippedFile, ...] = ()
    """Every file of the album that is not, with its reason."""
    dropped: tuple[str, ...] = ()
    """The names of the photos that were left out as the user asked."""
    notes: tuple[str, ...] = ()


def clean_album(
    paths: Sequence[Path],
    target: Path,
    *,
    drop: Sequence[str] = (),
    recipe: Recipe | None = None,
    order: Order = "shuffled",
    names: Names = "neutral",
    progress: Callable[[Step], None] = lambda step: None,
) -> CleanCopy:
    """Read an album and write all photos but those to `drop` without metadata; hide no place."""
    choose_names((), order, names)
    check_target(target, [path for path in paths if path.is_dir()])
    album = read_album(paths, recipe=recipe, progress=progress)
    try:
        if not album.photos:
            raise NoPhotoError(no_photo_reason(album.skipped), list(album.skipped))
        return export_clean(
            album.photos,
            target,
            folders=album.folders,
            skipped=album.skipped,
            drop=drop,
            order=order,
            names=names,
            progress=progress,
        )
    finally:
        album.close()


def export_clean(
    photos: Sequence[Photo],
    target: Path,
    *,
    folders: Sequence[Path] = (),
    skipped: Sequence[SkippedFile] = (),
    drop: Sequence[str] = (),
    order: Order = "shuffled",
    names: Names = "neutral",
    progress: Callable[[Step], None] = lambda step: None,
) -> CleanCopy:
    """Write the renditions of photos to `target`, a new folder or `.zip`, and check the files.

    `folders` are those of the originals. Where anything goes wrong, nothing is left behind.
    """
    check_target(target, folders)
    ids = [photo.id for photo in photos]
    dropped = set(select_pinned((), drop, ids, skipped)[1])
    kept = [number for number in range(len(photos)) if number not in dropped]
    if not kept:
        raise InputError("there is nothing to share: every photo is dropped")
    called = choose_names([ids[number] for number in kept], order, names)
    files = tuple(
        SharedFile(name, ids[n], photos[n].rendition.digest, photos[n].rendition.size, n)
        for name, n in zip(called, kept, strict=True)
    )

    def prove(copy: Copy) -> None:
        for done, file in enumerate(files, 1):
            if problem := bare_problem(file.name, copy.read(file.name)):
                raise CheckError(f"nothing is exported: {problem_text(problem)}")
            progress(Step("proving", done, len(files), file.name))

    outgoing = [OutgoingFile(file.name, photos[file.number].rendition) for file in files]
    with record_staging(target.parent):
        export(
            outgoing,
            target,
            prove,
            written=lambda done, name: progress(Step("writing", done, len(files), name)),
        )
    back_up(private_folder(target))  # the certificate of an earlier copy is not about this one
    return CleanCopy(
        target,
        tuple(sorted(files, key=lambda file: file.name)),
        tuple(photos[number] for number in kept),
        tuple(skipped),
        tuple(ids[number] for number in sorted(dropped)),
        (kept_names_warning(called),) if names == "keep" else (),
    )
