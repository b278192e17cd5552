"""Which files of a folder are photos, and why each of the others is not.

Folders are walked to the bottom in natural order. Links are not followed. Every file is accounted
for, as a photo or as skipped. Only the first bytes are read here; nothing is decoded. A zip archive
that was given is walked like a folder; one that lies in a folder is not opened.

Phones and cameras write files that belong together: a still and a film (live photo), a JPEG and a
raw file, an original and its edit, sidecars beside each. One of them is the photo that would be
shared. The others are skipped by name, and the sidecars are read for what they say about it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath

from elsewhere.album.archives import BadArchiveError, is_archive, list_entries
from elsewhere.album.files import (
    HEAD_BYTES,
    MAX_BYTES,
    PHOTO_KINDS,
    SIDECAR_SUFFIXES,
    NotPlainError,
    SkippedFile,
    byte_count,
    file_digest,
    file_kind,
    known_kind,
    natural_key,
    open_readonly,
)
from elsewhere.errors import InputError
from elsewhere.values.wording import printable

_SYSTEM_NAMES = frozenset({
    "thumbs.db", "desktop.ini", "@eadir", "$recycle.bin", "__macosx", "icon\r",
})  # fmt: skip
_SAMPLE_BYTES = 65536
"""Files of one size are compared by this many bytes first, and in full only where these agree."""
_FOREIGN_REASONS = {
    "gif": "it is a GIF, which has too few colours to be a photo: save it as JPEG",
    "bmp": "it is a BMP: save it as PNG or JPEG",
    "zip": "it is a zip archive that is not opened here: unpack it, or give it by itself with a "
    "name ending in .zip",
    "pdf": "it is a PDF: save its pictures as JPEG",
    "photoshop": "it is a Photoshop file: save it as JPEG or TIFF",
    "jpeg xl": "it is a JPEG XL, which cannot be read yet: save it as JPEG",
    "jpeg 2000": "it is a JPEG 2000: save it as JPEG",
}
_APPLE_EDIT = re.compile(r"(IMG_)E(\d+)", re.IGNORECASE)
_GOOGLE_EDIT = re.compile(
    r"-(edited|bearbeitet|bewerkt|editado|editada|modifié|modificato|redigeret|redigerad)"
    r"(?=(\(\d+\))?$)",
    re.IGNORECASE,
)
_PIXEL = re.compile(r"\.(RAW-\d+\.(COVER|ORIGINAL)|RAW-\d+|MP|MV|COVER)$", re.IGNORECASE)
_NUMBERED = re.compile(r"(.*)(\(\d+\))")
_SUPPLEMENT = ".supplemental-metadata"
_TAKEOUT_LENGTH = 46
"""Takeout cuts names: this many characters remain before `.json`."""


@dataclass(frozen=True)
class Candidate:
    """A file that is probably a photo, with the sidecars beside it."""

    path: Path
    name: str
    kind: str = ""
    size: int = 0
    sidecars: tuple[Path, ...] = ()
    inside: PurePosixPath | None = None
    """Its folder in the archive that it lies in. Takeout has several, with one tree of folders."""

    @property
    def folders(self) -> tuple[PurePath, ...]:
        """Where files about it may lie: beside it, else in the same folder of another archive."""
        return (self.path.parent, *((self.inside,) if self.inside is not None else ()))


@dataclass(frozen=True)
class Discovery:
    """Every file that was found: photos to read, and files to skip."""

    photos: tuple[Candidate, ...]
    skipped: tuple[SkippedFile, ...]


def find_photos(paths: Iterable[str | Path]) -> Discovery:
    """The photos of folders and files, in natural order folder by folder; each file once."""
    roots = [Path(path) for path in paths]
    if not roots:
        raise InputError("no photo was given: name a folder or at least one file")
    by_path: dict[str, Candidate | SkippedFile] = {}
    for root in roots:
        if not os.path.lexists(root):
            raise InputError(f"{printable(root)} does not exist: give photos, or a folder of them")
        if root.is_dir():
            prefix = f"{root.resolve().name}/" if len(roots) > 1 else ""
            files = sorted(_walk(root, prefix), key=lambda file: natural_key(file.name))
        elif is_archive(root):
            prefix = f"{root.name}/" if len(roots) > 1 else ""
            files = sorted(_walk_archive(root, prefix), key=lambda file: natural_key(file.name))
        else:
            files = [_check_given_file(root)]
        for file in files:
            is_skipped = isinstance(file, SkippedFile)
            by_path.setdefault(str(file.path) if is_skipped else os.path.realpath(file.path), file)

    used_names: set[str] = set()
    skipped: list[SkippedFile] = []
    candidates: list[Candidate] = []
    sidecars: list[Candidate] = []
    for file in by_path.values():
        name, number = file.name, 2
        while name in used_names:
            name, number = f"{file.name} ({number})", number + 1
        used_names.add(name)
        if isinstance(file, SkippedFile):
            skipped.append(replace(file, name=name))
        elif file.path.suffix.lower() in SIDECAR_SUFFIXES:
            sidecars.append(replace(file, name=name, kind="sidecar"))
        elif isinstance(result := _classify(replace(file, name=name)), SkippedFile):
            skipped.append(result)
        else:
            candidates.append(result)
    photos, companions = pair_files(candidates, sidecars)
    photos, duplicates = _drop_duplicates(photos)
    skipped += companions + duplicates
    return Discovery(tuple(photos), tuple(sorted(skipped, key=lambda file: natural_key(file.name))))


def _walk(root: Path, prefix: str) -> Iterator[Candidate | SkippedFile]:
    """Every entry below a folder."""
    resolved_root = root.resolve()
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as problem:
            name = printable(prefix + folder.relative_to(root).as_posix())
            yield _unreadable(folder, name, problem)
            continue
        for entry in entries:
            path = Path(entry.path)
            name = printable(prefix + path.relative_to(root).as_posix())
            try:
                if entry.is_symlink() or getattr(entry, "is_junction", lambda: False)():
                    yield SkippedFile(path, name, "link", _link_reason(path, resolved_root))
                elif entry.name.startswith(".") or entry.name.casefold() in _SYSTEM_NAMES:
                    yield SkippedFile(path, name, "hidden")
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield Candidate(path, name)
                else:
                    yield SkippedFile(path, name, "special")
            except OSError as problem:
                yield _unreadable(path, name, problem)


def _walk_archive(archive: Path, prefix: str) -> Iterator[Candidate | SkippedFile]:
    """Every entry of an archive."""
    try:
        entries = list_entries(archive)
    except BadArchiveError as problem:
        yield SkippedFile(archive, printable(archive.name), "unreadable", str(problem))
        return
    for entry in entries:
        path, name = archive / entry.name, printable(prefix + entry.name)
        parts = entry.name.split("/")
        if entry.kind is not None:
            yield SkippedFile(path, name, entry.kind, entry.reason)
        elif any(part.startswith(".") or part.casefold() in _SYSTEM_NAMES for part in parts):
            yield SkippedFile(path, name, "hidden")
        else:
            yield Candidate(path, name, inside=PurePosixPath(entry.name).parent)


def _check_given_file(path: Path) -> Candidate | SkippedFile:
    """A file that the user named: links are followed and hidden files taken, for it was meant."""
    name = printable(path.name)
    try:
        if path.is_file():
            return Candidate(path, name)
        if path.exists():
            return SkippedFile(path, name, "special")
        return SkippedFile(path, name, "link", "it is a link to nothing")
    except OSError as problem:
        return _unreadable(path, name, problem)


def _link_reason(link: Path, root: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "it is a link to nothing, or to itself"
    if target.is_relative_to(root):
        return "it is a link inside the folder: what it leads to is read under its own name"
    return "it is a link that leads out of the folder: name what it leads to"


def _unreadable(path: Path, name: str, problem: OSError) -> SkippedFile:
    reason = f"it cannot be read ({problem.strerror or problem}): check it and its permissions"
    return SkippedFile(path, name, "unreadable", reason)


def _classify(file: Candidate) -> Candidate | SkippedFile:
    """A file by its first bytes."""
    path, name = file.path, file.name
    try:
        with open_readonly(path) as content:
            size = byte_count(content)
            kind = file_kind(content.read(HEAD_BYTES), path.suffix)
        if size == 0:
            return SkippedFile(path, name, "empty")
    except NotPlainError:
        return SkippedFile(path, name, "special")
    except OSError as problem:
        return _unreadable(path, name, problem)
    if kind in PHOTO_KINDS and size > MAX_BYTES:
        reason = f"it has more than {MAX_BYTES >> 20} MiB: make it smaller"
        return SkippedFile(path, name, "large", reason)
    if kind in PHOTO_KINDS or kind in ("raw", "video"):
        return replace(file, kind=kind, size=size)
    return SkippedFile(path, name, "foreign", _FOREIGN_REASONS.get(kind, ""))


def _drop_duplicates(photos: list[Candidate]) -> tuple[list[Candidate], list[SkippedFile]]:
    """Of files with equal bytes keep the shortest name: IMG_6.jpg, not IMG_6 (1).jpg.

    A file that cannot be compared is kept, and fails by name later.
    """
    by_size: dict[int, list[Candidate]] = {}
    for photo in photos:
        by_size.setdefault(photo.size, []).append(photo)
    by_sample: dict[tuple[int, bytes], list[Candidate]] = {}
    for size, group in by_size.items():
        for photo in group if len(group) > 1 else ():
            with suppress(OSError), open_readonly(photo.path) as file:
                by_sample.setdefault((size, file.read(_SAMPLE_BYTES)), []).append(photo)
    first_by_digest: dict[str, Candidate] = {}
    skipped: dict[Path, SkippedFile] = {}
    sidecars: dict[Path, tuple[Path, ...]] = {}
    for group in by_sample.values():
        for photo in sorted(group, key=lambda photo: len(photo.name)) if len(group) > 1 else ():
            try:
                first = first_by_digest.setdefault(file_digest(photo.path), photo)
            except OSError:
                continue
            if first is not photo:
                reason = f"it is the same file as {first.name}, which is read"
                skipped[photo.path] = SkippedFile(
                    photo.path, photo.name, "duplicate", reason, first.name
                )
                # A sidecar beside the second copy is about the first as well.
                sidecars[first.path] = sidecars.get(first.path, first.sidecars) + photo.sidecars
    unique = [
        replace(photo, sidecars=sidecars.get(photo.path, photo.sidecars))
        for photo in photos
        if photo.path not in skipped
    ]
    return unique, list(skipped.values())


def pair_files(
    files: Iterable[Candidate], sidecars: Iterable[Candidate]
) -> tuple[list[Candidate], list[SkippedFile]]:
    """The photos with their sidecars, in the order given, and all other files with reasons."""
    files = list(files)
    photos = [file for file in files if file.kind in PHOTO_KINDS]
    # what the files of one press of the button have in common
    shots = {
        file.path: (file.path.parent, _PIXEL.sub("", file.path.stem).casefold()) for file in files
    }
    stills = {shots[photo.path]: photo for photo in reversed(photos)}
    skipped: list[SkippedFile] = []
    for file in files:
        still = stills.get(shots[file.path])
        if file.kind == "video" and still:
            reason = f"it is the moving half of {still.name} (live photo): only stills are read"
            skipped.append(SkippedFile(file.path, file.name, "companion", reason))
        elif file.kind == "raw" and still:
            reason = f"it is the raw twin of {still.name}: raw files are not read"
            skipped.append(SkippedFile(file.path, file.name, "companion", reason))
        elif file.kind not in PHOTO_KINDS:
            skipped.append(SkippedFile(file.path, file.name, known_kind(file.kind, "foreign")))
    edits, by_photo, described = _match_sidecars(photos, sidecars)
    for photo in photos:
        if edit := edits.get(photo.path):
            reason = f"it was edited: {edit.name} is read in its place"
            skipped.append(SkippedFile(photo.path, photo.name, "original", reason))
    kept = [
        replace(photo, sidecars=by_photo.get(photo.path, ()))
        for photo in photos
        if photo.path not in edits
    ]
    return kept, skipped + described


def sidecars_in_folder(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The sidecars of a folder by the name of the photo that each is about.

    For callers that have a list of photos. A folder that cannot be listed has no sidecars; most
    folders have none, and then the names of their photos are not kept either.
    """

    def files(sidecars: bool) -> list[Candidate]:
        with os.scandir(folder) as entries:
            paths = (Path(entry.path) for entry in entries if not entry.name.startswith("."))
            wanted = [p for p in paths if (p.suffix.lower() in SIDECAR_SUFFIXES) == sidecars]
        kind = "sidecar" if sidecars else ""
        return [Candidate(path, path.name, kind) for path in sorted(wanted)]

    try:
        sidecars = files(sidecars=True)
        photos = files(sidecars=False) if sidecars else []
    except OSError:
        return {}
    _, by_photo, _ = _match_sidecars(photos, sidecars)
    return {path.name: about for path, about in by_photo.items() if about}


def _match_sidecars(
    photos: list[Candidate], sidecars: Iterable[Candidate]
) -> tuple[dict[Path, Candidate], dict[Path, tuple[Path, ...]], list[SkippedFile]]:
    """The edit of each original that has one, the sidecars of each photo, all sidecars as skipped.

    Each sidecar once, an editor's before Google's: the first that knows something is believed.
    """
    by_name: dict[tuple[PurePath, str], list[Candidate]] = {}
    by_folder: dict[PurePath, list[Candidate]] = {}
    for photo in photos:
        for folder in photo.folders:
            by_folder.setdefault(folder, []).append(photo)
            for name in {photo.path.name.casefold(), photo.path.stem.casefold()}:
                by_name.setdefault((folder, name), []).append(photo)
    edits: dict[Path, Candidate] = {}
    for photo in photos:
        stem = photo.path.stem
        apple = _APPLE_EDIT.fullmatch(stem)
        original = (apple[1] + apple[2] if apple else _GOOGLE_EDIT.sub("", stem)).casefold()
        if original != stem.casefold():
            for other in by_name.get((photo.path.parent, original), ()):
                if other.path.stem.casefold() == original:
                    edits[other.path] = photo
    by_photo: dict[Path, list[Path]] = {}
    skipped: list[SkippedFile] = []
    for sidecar in sidecars:
        owners: list[Candidate] = []
        for folder in sidecar.folders:
            owners = owners or _owners(sidecar.path, folder, by_name, by_folder)
        for owner in owners:
            by_photo.setdefault(owner.path, []).append(sidecar.path)
        if owners:
            reason = f"it is a note about {owners[0].name}: read, never shared"
        else:
            reason = "it is a note, and about no photo here: not read"
        skipped.append(SkippedFile(sidecar.path, sidecar.name, "sidecar", reason))
    # An edit may have lost what the sidecars of its original still know.
    for photo in photos:
        if edit := edits.get(photo.path):
            by_photo.setdefault(edit.path, []).extend(by_photo.get(photo.path, ()))
    ordered = {
        path: tuple(sorted(dict.fromkeys(about), key=lambda file: file.suffix.lower() != ".xmp"))
        for path, about in by_photo.items()
    }
    return edits, ordered, skipped


def _owners(
    sidecar: Path,
    folder: PurePath,
    by_name: Mapping[tuple[PurePath, str], list[Candidate]],
    by_folder: Mapping[PurePath, list[Candidate]],
) -> list[Candidate]:
    """The photos of a folder that a sidecar is about, by its name."""
    stem, suffix = sidecar.stem, sidecar.suffix.lower()
    if suffix == ".xmp":
        return by_name.get((folder, stem.casefold()), [])
    if suffix != ".json":
        return []
    # A number that tells equal names apart moves: IMG_1(2).jpg has IMG_1.jpg(2).json.
    numbered = _NUMBERED.fullmatch(stem)
    base, number = (numbered[1], numbered[2]) if numbered else (stem, "")
    head, dot, tail = base.rpartition(".")
    if dot and tail and _SUPPLEMENT.startswith(f".{tail.casefold()}"):
        base = head
    body, dot, extension = base.rpartition(".")
    full = f"{body}{number}{dot}{extension}" if dot else base + number
    for name in (full, base):
        if owners := by_name.get((folder, name.casefold())):
            return owners
    if len(stem) >= _TAKEOUT_LENGTH - 1:  # the photo's name was cut
        return [photo for photo in by_folder.get(folder, ()) if photo.path.name.startswith(stem)]
    return []
