"""Files that belong together, as phones and cameras write them.

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

from elsewhere.album.file_types import PHOTOS, SIDECAR_SUFFIXES
from elsewhere.album.skipped import SkippedFile, skip

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


def paired(
    files: Iterable[Candidate], notes: Iterable[Candidate]
) -> tuple[list[Candidate], list[SkippedFile]]:
    """The photos with their notes, in the order given, and all the rest with reasons."""
    files = list(files)
    photos = [file for file in files if file.kind in PHOTOS]
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
        elif file.kind not in PHOTOS:
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


def notes_in(folder: Path) -> dict[str, tuple[Path, ...]]:
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
