"""Photos of the album that are public in an edited version, known again by their certificates.

A certificate names the files of a copy, the photo of each and its edit. Names of photos repeat from
album to album, so the edit is made again: where that gives the very bytes that were exported, the
photo is the one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from pathlib import PurePosixPath

from elsewhere.album import Rendition, album_workers, render_versions
from elsewhere.album.renditions import Spool
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.formats.copy_certificate import SharedFile
from elsewhere.scorers import RowCache
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.private_files import own_certificates, read_private
from elsewhere.service.scored_album import PublicVersion, ScoredAlbum
from elsewhere.values.versions import Edit


def find_exported(
    scored: ScoredAlbum, digests: Collection[str], *, workers: Workers | None = None
) -> dict[str, tuple[int, Edit]]:
    """By its SHA-256, the photo and the edit of each file that was exported edited."""
    wanted = {file.sha256: file for file in _exported_files() if file.sha256 in digests}
    edited = {digest: file for digest, file in wanted.items() if file.edit is not None}
    named = _by_name(scored)
    found: dict[str, tuple[int, Edit]] = {}
    if not any(_name(file.photo) in named for file in edited.values()):
        return found
    with nullcontext(workers) if workers else album_workers() as pool:
        for digest, file in edited.items():
            assert file.edit is not None
            for number in named.get(_name(file.photo), ()):
                if _digest_of(scored, number, file.edit, pool) == digest:
                    found[digest] = number, file.edit
                    break
    return found


def last_exported(
    scored: ScoredAlbum, numbers: Collection[int], *, workers: Workers | None = None
) -> dict[int, Edit]:
    """By number, the edit with which photos of the album were exported last; none as they are."""
    named = _by_name(scored)
    exported: dict[int, list[SharedFile]] = {}
    for file in _exported_files():
        for number in named.get(_name(file.photo), ()):
            if number in numbers:
                exported.setdefault(number, []).append(file)
    if not any(file.edit is not None for files in exported.values() for file in files):
        return {}
    edits: dict[int, Edit] = {}
    with nullcontext(workers) if workers else album_workers() as pool:
        for number, files in sorted(exported.items()):
            photo = scored.photos[number]
            for file in files:
                if file.edit is None and file.sha256 == photo.rendition.digest:
                    break
                edit = file.edit
                if edit is not None and _digest_of(scored, number, edit, pool) == file.sha256:
                    edits[number] = edit
                    break
    return edits


def see_edited(
    scored: ScoredAlbum,
    edits: Mapping[int, Edit],
    *,
    workers: Workers | None = None,
    cache: RowCache | None = None,
) -> dict[int, PublicVersion]:
    """What the models see in photos with these edits, by number: in the bytes as exported."""
    named = {scored.photos[number].id: edit for number, edit in edits.items()}
    seen = apply_edits(scored, named, workers=workers, cache=cache)
    return {
        number: PublicVersion(
            tuple(model.scores.values[number] for model in seen.models),
            tuple(None if m.features is None else m.features[number] for m in seen.models),
            edit,
        )
        for number, edit in edits.items()
    }


def _exported_files() -> Iterator[SharedFile]:
    """The files of all copies whose certificates are kept, the latest copy first."""
    for certificate in own_certificates():
        with suppress(FileError):
            yield from read_private(certificate).files


def _by_name(scored: ScoredAlbum) -> Mapping[str, list[int]]:
    """The photos of each file name: the folder that was given may be another one now."""
    found: dict[str, list[int]] = {}
    for number, photo in enumerate(scored.photos):
        found.setdefault(_name(photo.id), []).append(number)
    return found


def _name(photo: str) -> str:
    return PurePosixPath(photo).name


def _digest_of(scored: ScoredAlbum, number: int, edit: Edit, workers: Workers) -> str:
    """The SHA-256 of a photo as it would be exported after an edit; empty where it cannot be."""
    album = scored.album
    spool = album.spool or Spool()
    renditions: Iterable[Rendition | None] = ()
    with suppress(FileError):
        renditions = render_versions(
            scored.photos[number], [edit], workers=workers, spool=spool, recipe=album.recipe
        )
    for rendition in renditions:
        if rendition is not None:
            rendition.forget()
            return rendition.digest
    return ""
