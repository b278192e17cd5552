"""Photos as scorers meet them: a name, and the bytes of a rendition, read when first asked for.

Which files are photos, and how a stranger's file becomes a rendition, is the album room's to say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere.errors import FileError
from elsewhere.scorers.images import decoded

if TYPE_CHECKING:
    from PIL import Image

MAX_BYTES = 256 * 1024 * 1024
"""No photo is larger; what is larger is a mistake and would only fill the memory."""


@dataclass(frozen=True)
class Photo:
    """One photo: what it is called in the scores, and its bytes or where they are."""

    name: str
    path: Path
    held: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes of its rendition; without them, `path` is read as one."""

    def read(self) -> Photo:
        """The same photo with its bytes at hand, so that they are read once."""
        return replace(self, held=self.content())

    def content(self) -> bytes:
        """The bytes of the rendition, or one sentence that says why they cannot be had."""
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
        """RGB pixels, each side at least `least` (width, height) where the rendition has it."""
        return decoded(self.content(), self.name, least)


def _what_else(path: Path) -> str:
    """What a path is that is no plain file."""
    if path.is_dir():
        return "is a folder"
    return "is no plain file" if path.exists() else "does not exist"
