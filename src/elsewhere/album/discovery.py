"""Which files of a folder are photos, and why each of the others is not.

Folders are walked to the bottom in natural order. Links are not followed: what they lead to is
either found under its own name or was not meant. Everything that is met is accounted for, as a
photo or as left out with its reason. Files are only sniffed here, never decoded.

Files that belong together, as phones and cameras write them.

One press of the button may leave a still and a film (live photo), a JPEG and a raw file, the
original and its edit, and notes beside each. One of them is the photo that would be shared; the
others are named as what they are, and the notes are read for what they say about it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from elsewhere.album.files import (
    HEAD_BYTES,
    MAX_BYTES,
    PHOTO_KINDS,
    SIDECAR_SUFFIXES,
    NotPlainError,
    file_digest,
    file_kind,
    natural_key,
    read_start,
)
from elsewhere.album.skipped import SkippedFile, skip
from elsewhere.errors import InputError
from elsewhere.values.wording import printable

_SYSTEM = frozenset({"thumbs.db", "desktop.ini", "@eadir", "$recycle.bin", "__macosx", "icon\r"})
_SAMPLE = 65536
"""Files of one size are compared by so many bytes first, and in full only where these agree."""
_FOREIGN = {
    "gif": "it is a GIF, which has too few colours to be a photo: save it as JPEG",
    "bmp": "it is a BMP: save it as PNG or JPEG",
    "zip": "it is a zip archive: unpack it first",
    "pdf": "it is a PDF: save its pictures as JPEG",
    "photoshop": "it is a Photoshop file: save it as JPEG or TIFF",
    "jpeg xl": "it is a JPEG XL, which cannot be read yet: save it as JPEG",
    "jpeg 2000": "it is a JPEG 2000: save it as JPEG",
}


@dataclass(frozen=True)
class Discovery:
    """All that was met: photos to be read, and files left out."""

    photos: tuple[Candidate, ...]
    left: tuple[SkippedFile, ...]


@dataclass(frozen=True)
class _Met:
    """One plain file, or what stands in its place."""

    path: Path
    name: str
    problem: SkippedFile | None = None


def find_photos(paths: Iterable[str | Path]) -> Discovery:
    """The photos of folders and files, in natural order folder by folder; each file once."""
    given = [Path(path) for path in paths]
    if not given:
        raise InputError("no photo was given: name a folder or at least one file")
    met: dict[str, _Met] = {}
    for root in given:
        if not os.path.lexists(root):
            raise InputError(f"{printable(root)} does not exist: give photos, or a folder of them")
        if root.is_dir():
            prefix = f"{root.resolve().name}/" if len(given) > 1 else ""
            entries = sorted(_walked(root, prefix), key=lambda one: natural_key(one.name))
        else:
            entries = [_named_outright(root)]
        for one in entries:
            met.setdefault(os.path.realpath(one.path) if not one.problem else str(one.path), one)
    return _sorted_out(_unique(met.values()))


def _walked(root: Path, prefix: str) -> Iterator[_Met]:
    """Every entry below a folder; what is no plain file comes with its reason."""
    inside = root.resolve()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as problem:
            yield _refused(folder, _below(folder, root, prefix), "unreadable", _words(problem))
            continue
        for entry in entries:
            path = Path(entry.path)
            name = _below(path, root, prefix)
            try:
                if entry.is_symlink() or getattr(entry, "is_junction", lambda: False)():
                    yield _refused(path, name, "link", _where_to(path, inside))
                elif entry.name.startswith(".") or entry.name.casefold() in _SYSTEM:
                    yield _refused(path, name, "hidden")
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield _Met(path, name)
                else:
                    yield _refused(path, name, "special")
            except OSError as problem:
                yield _refused(path, name, "unreadable", _words(problem))


def _named_outright(path: Path) -> _Met:
    """A file that somebody typed: links are followed and hidden files taken, for it was meant."""
    name = printable(path.name)
    try:
        if path.is_file():
            return _Met(path, name)
        kind = "special" if path.exists() else "link"
        return _refused(path, name, kind, "" if kind == "special" else "it is a link to nothing")
    except OSError as problem:
        return _refused(path, name, "unreadable", _words(problem))


def _where_to(link: Path, inside: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "it is a link to nothing, or to itself"
    if target.is_relative_to(inside):
        return "it is a link inside the folder: what it leads to is read under its own name"
    return "it is a link that leads out of the folder: name what it leads to"


def _sorted_out(met: list[_Met]) -> Discovery:
    """Each file by what its bytes say it is."""
    out = [one.problem for one in met if one.problem]
    notes: list[Candidate] = []
    known: list[Candidate] = []
    for one in met:
        if one.problem:
            continue
        if one.path.suffix.lower() in SIDECAR_SUFFIXES:
            notes.append(Candidate(one.path, one.name, "sidecar"))
            continue
        sniffed = _sniffed(one)
        if isinstance(sniffed, SkippedFile):
            out.append(sniffed)
        else:
            known.append(sniffed)
    photos, companions = pair_files(known, notes)
    taken, doubles = _without_doubles(photos)
    out += companions + doubles
    return Discovery(tuple(taken), tuple(sorted(out, key=lambda one: natural_key(one.name))))


def _sniffed(one: _Met) -> Candidate | SkippedFile:
    try:
        size = one.path.stat().st_size
        if size == 0:
            return skip(one.path, one.name, "empty")
        kind = file_kind(read_start(one.path, HEAD_BYTES), one.path.suffix)
    except NotPlainError:
        return skip(one.path, one.name, "special")
    except OSError as problem:
        return skip(one.path, one.name, "unreadable", _words(problem))
    if kind in PHOTO_KINDS and size > MAX_BYTES:
        reason = f"it has more than {MAX_BYTES >> 20} MiB: make it smaller"
        return skip(one.path, one.name, "large", reason)
    if kind in PHOTO_KINDS or kind in ("raw", "video"):
        return Candidate(one.path, one.name, kind, size)
    return skip(one.path, one.name, "foreign", _FOREIGN.get(kind, ""))


def _without_doubles(photos: list[Candidate]) -> tuple[list[Candidate], list[SkippedFile]]:
    """Of files with equal bytes the one with the plainest name: IMG_6.jpg, not IMG_6 (1).jpg.

    What cannot be compared is kept, to fail by name.
    """
    groups: dict[tuple[int, bytes], list[Candidate]] = {}
    by_size: dict[int, list[Candidate]] = {}
    for photo in photos:
        by_size.setdefault(photo.size, []).append(photo)
    for size, alike in by_size.items():
        for photo in alike if len(alike) > 1 else ():
            try:
                groups.setdefault((size, read_start(photo.path, _SAMPLE)), []).append(photo)
            except OSError:
                continue
    first: dict[str, Candidate] = {}
    out: dict[Path, SkippedFile] = {}
    notes: dict[Path, tuple[Path, ...]] = {}
    for alike in groups.values():
        for photo in sorted(alike, key=lambda one: len(one.name)) if len(alike) > 1 else ():
            try:
                same = first.setdefault(file_digest(photo.path), photo)
            except OSError:
                continue
            if same is not photo:
                reason = f"it is the same file as {same.name}, which is read"
                out[photo.path] = skip(photo.path, photo.name, "duplicate", reason)
                # A note beside the second copy is about the first just as well.
                notes[same.path] = notes.get(same.path, same.sidecars) + photo.sidecars
    taken = [
        replace(photo, sidecars=notes.get(photo.path, photo.sidecars))
        for photo in photos
        if photo.path not in out
    ]
    return taken, list(out.values())


def _unique(met: Iterable[_Met]) -> list[_Met]:
    """Names that differ, for photos are told apart by them."""
    used: set[str] = set()
    result = []
    for one in met:
        name, number = one.name, 2
        while name in used:
            name, number = f"{one.name} ({number})", number + 1
        used.add(name)
        problem = one.problem and SkippedFile(one.path, name, one.problem.kind, one.problem.reason)
        result.append(_Met(one.path, name, problem))
    return result


def _refused(path: Path, name: str, kind: str, reason: str = "") -> _Met:
    return _Met(path, name, skip(path, name, kind, reason))


def _below(path: Path, root: Path, prefix: str) -> str:
    return printable(prefix + path.relative_to(root).as_posix())


def _words(problem: OSError) -> str:
    return f"it cannot be read ({problem.strerror or problem}): check it and its permissions"


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
"""Takeout cuts names: so many characters remain before `.json`."""


@dataclass(frozen=True)
class Candidate:
    """A file that is probably a photo, with the notes that lie beside it."""

    path: Path
    name: str
    kind: str
    size: int = 0
    sidecars: tuple[Path, ...] = ()


def pair_files(
    files: Iterable[Candidate], notes: Iterable[Candidate]
) -> tuple[list[Candidate], list[SkippedFile]]:
    """The photos with their notes, in the order given, and all the rest with reasons."""
    files = list(files)
    photos = [file for file in files if file.kind in PHOTO_KINDS]
    stills = {_key(photo.path): photo for photo in reversed(photos)}
    out: list[SkippedFile] = []
    for file in files:
        still = stills.get(_key(file.path))
        if file.kind == "video" and still:
            reason = f"it is the moving half of {still.name} (live photo): only stills are read"
            out.append(skip(file.path, file.name, "companion", reason))
        elif file.kind == "raw" and still:
            reason = f"it is the raw twin of {still.name}: raw files are not read"
            out.append(skip(file.path, file.name, "companion", reason))
        elif file.kind not in PHOTO_KINDS:
            out.append(skip(file.path, file.name, file.kind))
    edits = _edits(photos)
    beside, unread = _notes(photos, notes)
    for photo in photos:
        edit = edits.get(photo.path)
        if edit:
            reason = f"it was edited: {edit.name} is read in its place"
            out.append(skip(photo.path, photo.name, "original", reason))
            # The edit may have lost what the notes on the original still know.
            beside.setdefault(edit.path, []).extend(beside.get(photo.path, ()))
    taken = [
        replace(photo, sidecars=_in_turn(beside.get(photo.path, ())))
        for photo in photos
        if photo.path not in edits
    ]
    return taken, out + unread


def sidecars_in_folder(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The notes of a folder by the name of the photo that each is about.

    For who has a list of photos and does not search folders. A folder that cannot be listed has
    no notes; most have none at all, and then the names of their photos are not kept either.
    """

    def files(notes: bool) -> list[Candidate]:
        with os.scandir(folder) as found:
            paths = (Path(one.path) for one in found if not one.name.startswith("."))
            wanted = [p for p in paths if (p.suffix.lower() in SIDECAR_SUFFIXES) == notes]
        return [Candidate(path, path.name, "sidecar" if notes else "") for path in sorted(wanted)]

    try:
        notes = files(notes=True)
        photos = files(notes=False) if notes else []
    except OSError:
        return {}
    beside, _ = _notes(photos, notes)
    for original, edit in _edits(photos).items():
        beside.setdefault(edit.path, []).extend(beside.get(original, ()))
    return {path.name: _in_turn(about) for path, about in beside.items() if about}


def _in_turn(notes: Iterable[Path]) -> tuple[Path, ...]:
    """Each note once, an editor's before Google's: the first that knows something is believed."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note.suffix.lower() != ".xmp"))


def _key(path: Path) -> tuple[Path, str]:
    """What the files of one press of the button have in common."""
    return path.parent, _PIXEL.sub("", path.stem).casefold()


def _edits(photos: list[Candidate]) -> dict[Path, Candidate]:
    """Original → its edit, where both are there."""
    named: dict[tuple[Path, str], list[Candidate]] = {}
    for photo in photos:
        named.setdefault((photo.path.parent, photo.path.stem.casefold()), []).append(photo)
    found: dict[Path, Candidate] = {}
    for photo in photos:
        stem = photo.path.stem
        apple = _APPLE_EDIT.fullmatch(stem)
        original = apple[1] + apple[2] if apple else _GOOGLE_EDIT.sub("", stem)
        if original != stem:
            for other in named.get((photo.path.parent, original.casefold()), ()):
                found[other.path] = photo
    return found


def _notes(
    photos: list[Candidate], notes: Iterable[Candidate]
) -> tuple[dict[Path, list[Path]], list[SkippedFile]]:
    """Which notes lie beside which photo; notes themselves are never photos."""
    by_name: dict[tuple[Path, str], list[Candidate]] = {}
    by_folder: dict[Path, list[Candidate]] = {}
    for photo in photos:
        by_folder.setdefault(photo.path.parent, []).append(photo)
        for name in {photo.path.name.casefold(), photo.path.stem.casefold()}:
            by_name.setdefault((photo.path.parent, name), []).append(photo)
    beside: dict[Path, list[Path]] = {}
    out: list[SkippedFile] = []
    for note in notes:
        owners: list[Candidate] = []
        suffix = note.path.suffix.lower()
        if suffix == ".xmp":
            owners = by_name.get((note.path.parent, note.path.stem.casefold()), [])
        elif suffix == ".json":
            for name in _takeout_names(note.path.stem):
                owners = owners or by_name.get((note.path.parent, name.casefold()), [])
            owners = owners or _cut_short(note.path.stem, by_folder.get(note.path.parent, []))
        for owner in owners:
            beside.setdefault(owner.path, []).append(note.path)
        if owners:
            reason = f"it is a note about {owners[0].name}: read, never shared"
        else:
            reason = "it is a note, and about no photo here: not read"
        out.append(skip(note.path, note.name, "sidecar", reason))
    return beside, out


def _takeout_names(stem: str) -> Iterator[str]:
    """The photo's name that a Takeout note's name stands for.

    A number that tells equal names apart moves: `IMG_1(2).jpg` has `IMG_1.jpg(2).json`.
    """
    numbered = _NUMBERED.fullmatch(stem)
    base, number = (numbered[1], numbered[2]) if numbered else (stem, "")
    head, dot, tail = base.rpartition(".")
    if dot and tail and _SUPPLEMENT.startswith(f".{tail.casefold()}"):
        base = head
    body, dot, extension = base.rpartition(".")
    yield f"{body}{number}{dot}{extension}" if dot else base + number
    yield base


def _cut_short(stem: str, photos: list[Candidate]) -> list[Candidate]:
    """The photo whose long name was cut to make this note's name."""
    if len(stem) < _TAKEOUT_LENGTH - 1:
        return []
    return [photo for photo in photos if photo.path.name.startswith(stem)]
