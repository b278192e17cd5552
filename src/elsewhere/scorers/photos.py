"""Photos as scorers meet them: a name, and bytes that are read when first asked for.

Finding the files is here too: a folder is walked, hidden files are left alone, and the order is
the one a person expects (IMG_2 before IMG_10), the same on every machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere.errors import FileError, InputError
from elsewhere.scorers.images import upright

if TYPE_CHECKING:
    from PIL import Image

SUFFIXES = frozenset({".jpg", ".jpeg", ".jpe", ".png", ".webp", ".tif", ".tiff", ".heic", ".heif"})
"""What counts as a photo inside a folder; a file that is named outright is always tried."""
MAX_BYTES = 256 * 1024 * 1024
"""No photo is larger; what is larger is a mistake and would only fill the memory."""


@dataclass(frozen=True)
class Photo:
    """One photo: what it is called in the scores, and where its bytes are."""

    name: str
    path: Path
    held: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes, once read; only for as long as the photo is being scored."""

    def read(self) -> Photo:
        """The same photo with its bytes at hand, so that they are read once."""
        return replace(self, held=self.content())

    def content(self) -> bytes:
        """The bytes of the file, or one sentence that says why they cannot be had."""
        if self.held is not None:
            return self.held
        try:
            if not self.path.is_file():
                raise FileError(f"{self.name} {_what_else(self.path)}: give a photo")
            if self.path.stat().st_size > MAX_BYTES:
                raise FileError(
                    f"{self.name} is larger than {MAX_BYTES >> 20} MiB: make it smaller"
                )
            content = self.path.read_bytes()
        except OSError as problem:
            raise FileError(
                f"{self.name} cannot be read ({problem.strerror or problem}): "
                "check the file and its permissions"
            ) from None
        if not content:
            raise FileError(f"{self.name} is empty: leave it out or copy it anew")
        return content

    def image(self, least: tuple[int, int]) -> Image.Image:
        """Upright RGB pixels, each side at least `least` (width, height) where the file has it."""
        return upright(self.content(), self.name, least)


def photos_in(folder: Path) -> list[Photo]:
    """Every photo in `folder` and below, in natural order, named by its path inside the folder."""
    if not folder.is_dir():
        what = "is a file, not a folder" if folder.is_file() else "does not exist"
        raise InputError(f"{folder} {what}: give a folder of photos")
    found: list[Photo] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(place, name)
            if not name.startswith(".") and path.suffix.lower() in SUFFIXES:
                found.append(Photo(_printable(path.relative_to(folder)), path))
    if not found:
        raise InputError(
            f"{folder} holds no photo: give a folder with JPEG, PNG, WebP, TIFF or HEIC files"
        )
    return sorted(found, key=lambda photo: natural(photo.name))


def photos_named(paths: Iterable[Path]) -> list[Photo]:
    """The photos that a person typed, in the order typed; a folder stands for what is in it."""
    found: list[Photo] = []
    for path in paths:
        if path.is_dir():
            found += [Photo(_printable(inner.path), inner.path) for inner in photos_in(path)]
        else:
            found.append(Photo(_printable(path), path))
    if not found:
        raise InputError("no photo was given: name at least one")
    return list({photo.name: photo for photo in found}.values())


def natural(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    """A sorting key by which IMG_2 comes before IMG_10, whatever the case of the letters."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    folded = [
        (False, int(part), "") if part[0] in "0123456789" else (True, 0, part.casefold())
        for part in parts
    ]
    return folded, name


def _what_else(path: Path) -> str:
    """What a path is that is no plain file."""
    if path.is_dir():
        return "is a folder"
    return "is no plain file" if path.exists() else "does not exist"


def _printable(path: Path) -> str:
    """A path as text that any file format can hold, even where its bytes are no Unicode."""
    return path.as_posix().encode("utf-8", "backslashreplace").decode("utf-8")
