"""An album: photos ready to be scored, and every other file with the reason why it is not.

One bad file never stops the reading. It fails only where there is nothing to read, or where no
worker can be started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from elsewhere.album import metadata
from elsewhere.album.archives import is_archive
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.discovery import Candidate, find_photos
from elsewhere.album.files import SkippedFile, known_kind, natural_key, one_line
from elsewhere.album.metadata import Metadata
from elsewhere.album.renditions import Recipe, Rendition, Spool, accept_rendition
from elsewhere.album.workers import Limits, Reply, Workers
from elsewhere.errors import FileError
from elsewhere.formats.validation import kind_of
from elsewhere.values.versions import Edit

album_workers = partial(Workers, "elsewhere.album.worker:read")
"""Start a pool of workers that read photos, for `read_album`; takes `limits`."""

_MAX_VERSION_BYTES = 64 << 20
"""Of all versions that a worker makes at once, about."""


@dataclass(frozen=True)
class Photo:
    """One photo of an album."""

    id: str
    """Its name below the folder that was given: printable and unique in the album."""
    path: Path
    """The original, which is never opened for writing."""
    rendition: Rendition
    metadata: Metadata
    original: str = ""
    """SHA-256 of the original; empty where nobody read it."""


@dataclass(frozen=True)
class Album:
    """All photos that could be read, in natural order, and all files that were skipped."""

    photos: tuple[Photo, ...]
    skipped: tuple[SkippedFile, ...]
    recipe: Recipe
    spool: Spool | None = field(default=None, repr=False, compare=False)
    """Where the renditions are; None: they are not kept."""
    folders: tuple[Path, ...] = ()
    """The folders and archives that were given: nothing is ever exported into these."""

    def close(self) -> None:
        """Delete the renditions; at the latest they go when the program ends."""
        if self.spool is not None:
            self.spool.close()


@dataclass(frozen=True)
class Step:
    """How far the work is: a job reports each step on its caller's own thread.

    Reading reports one step when the files are found, then one after each of them.
    """

    stage: Literal["reading", "scoring", "text", "planning", "writing", "proving", "telling"]
    done: int
    total: int
    """How many there are; of those to be scored, as far as is known. 0 where nobody knows."""
    name: str = ""
    """The file that was just done; empty when only the numbers changed."""
    skipped: tuple[SkippedFile, ...] = ()
    """The files that were just skipped."""
    photo: Photo | None = None
    """The photo that was just read, so that it can be scored and shown at once."""


def read_album(
    paths: Iterable[str | Path],
    *,
    recipe: Recipe | None = None,
    limits: Limits | None = None,
    pixels: int = MAX_PIXELS,
    workers: Workers | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> Album:
    """Read folders, zip archives and files: find the photos, render each once, read their metadata.

    To read several albums pass `workers` (`album_workers`); they keep their own limits.
    """
    recipe = recipe or Recipe()
    roots = [Path(path) for path in paths]
    with nullcontext(workers) if workers else album_workers(limits) as pool:
        discovery = find_photos(roots)  # while the workers start
        spool = Spool()
        photos: dict[str, Photo] = {}
        skipped = list(discovery.skipped)
        total = len(discovery.photos)
        progress(Step("reading", 0, total, skipped=discovery.skipped))
        requests: Iterator[dict[str, object]] = (
            {
                "files": [candidate.path, *candidate.sidecars],
                "max_side": recipe.max_side,
                "pixels": pixels,
            }
            for candidate in discovery.photos
        )
        replies = zip(discovery.photos, pool.each(requests), strict=True)
        for number, (candidate, reply) in enumerate(replies, 1):
            result = _photo(candidate, reply, recipe, spool)
            if isinstance(result, Photo):
                first = photos.setdefault(result.rendition.digest, result)
                if first is not result:
                    known = first.metadata.completed_by(result.metadata)
                    original = min(first.original, result.original)
                    photos[result.rendition.digest] = replace(
                        first, metadata=known, original=original
                    )
                    result.rendition.forget()
                    reason = f"it shows exactly the same picture as {first.id}, which is read"
                    result = SkippedFile(result.path, result.id, "duplicate", reason, first.id)
            if isinstance(result, SkippedFile):
                skipped.append(result)
                progress(Step("reading", number, total, candidate.name, skipped=(result,)))
            else:
                progress(Step("reading", number, total, candidate.name, photo=result))
    skipped.sort(key=lambda file: natural_key(file.name))
    folders = tuple(path for path in roots if path.is_dir() or is_archive(path))
    return Album(tuple(photos.values()), tuple(skipped), recipe, spool, folders)


def _photo(candidate: Candidate, reply: Reply, recipe: Recipe, spool: Spool) -> Photo | SkippedFile:
    """A worker's answer, trusted only as far as it can be checked."""
    path, name = candidate.path, candidate.name
    if reply.failed:
        detail = one_line(str(reply.answer.get("detail", "")))
        return SkippedFile(path, name, known_kind(reply.failed, "damaged"), detail)
    if len(reply.blobs) != 1:
        return SkippedFile(path, name, "crash")
    try:
        rendition = accept_rendition(reply.blobs[0], recipe, spool)
    except FileError as problem:
        return SkippedFile(path, name, "crash", str(problem))
    known = metadata.from_json(reply.answer.get("metadata"))
    return Photo(name, path, rendition, known, reply.digest)


def render_versions(
    photo: Photo,
    edits: Sequence[Edit],
    *,
    workers: Workers,
    spool: Spool,
    recipe: Recipe | None = None,
    pixels: int = MAX_PIXELS,
) -> list[Rendition | None]:
    """The renditions of a photo after each edit, made from its original, in the order of `edits`.

    They are put into `spool`; `recipe` is that of the album. None stands for an edit that leaves
    nothing of a photo this small. FileError where the original cannot be read any more, or is
    another file by now.
    """
    recipe = recipe or Recipe()
    share = -(-len(edits) // workers.count)  # all workers have some
    count = max(1, min(share, _MAX_VERSION_BYTES // max(1, photo.rendition.size)))
    batches = [edits[start : start + count] for start in range(0, len(edits), count)]
    requests = (
        {
            "files": [photo.path],
            "max_side": recipe.max_side,
            "pixels": pixels,
            "edits": kind_of(tuple[Edit, ...]).write(batch),
        }
        for batch in batches
    )
    versions: list[Rendition | None] = []
    problem = ""
    for batch, reply in zip(batches, workers.each(requests), strict=True):  # to the end in any case
        if reply.failed or len(reply.blobs) != len(batch):
            detail = one_line(str(reply.answer.get("detail", "")))
            skipped = SkippedFile(photo.path, photo.id, known_kind(reply.failed, "crash"), detail)
            problem = f"{photo.id} cannot be edited: {skipped.reason}"
        elif photo.original not in ("", reply.digest):
            problem = f"{photo.id} changed since the album was read: read it again"
        else:
            try:
                versions += (accept_rendition(b, recipe, spool) if b else None for b in reply.blobs)
            except FileError as refusal:
                problem = f"{photo.id} cannot be edited: {refusal}"
    if problem:
        for version in versions:
            if version is not None:
                version.forget()
        raise FileError(problem)
    return versions
