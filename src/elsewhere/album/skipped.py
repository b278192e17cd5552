"""A file that is not in the album, and why: every file that was met is named in one place.

The kind is one word for programs; the reason is a sentence for people, which names no folder of
theirs, so that it can be quoted. Nothing is left out in silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from elsewhere.album.files import PHOTO_SUFFIXES

REASONS: Final = {
    "animated": "it moves, or has several pages: only still photos are read",
    "companion": "it goes with a photo that is read: the still half of it is enough",
    "crash": "decoding it crashed the decoder: leave it out or save it anew",
    "damaged": "it is cut short or damaged: leave it out or copy it anew",
    "duplicate": "its content is there twice: once is enough",
    "empty": "it has no bytes: copy it anew",
    "foreign": "it is no photo of a kind that is read (JPEG, PNG, WebP, TIFF, AVIF, HEIC)",
    "hidden": "it is hidden, or the system's own",
    "large": "it is larger than a photo may be: make it smaller",
    "link": "it is a link: name what it leads to",
    "memory": "decoding it takes more memory than a photo may: make it smaller",
    "original": "it was edited: the edited one is read",
    "pixels": "it has more pixels than a photo may: make it smaller",
    "raw": "it is a raw file: develop it to JPEG or TIFF first",
    "sidecar": "it is a note about a photo, never shared",
    "special": "it is no plain file",
    "time": "decoding it takes longer than a photo may: leave it out or save it anew",
    "unreadable": "it cannot be read: check its permissions",
    "unscored": "a scorer could not score it: see what the scorer says of it",
    "unsupported": "its pixels are of a kind that is not understood: save it as JPEG",
    "video": "it is a video: only photos are read",
}
"""Every kind, with the sentence that stands where nothing more precise can be said."""

_LOST: Final = frozenset({
    "animated", "crash", "damaged", "empty", "large", "memory", "pixels", "raw", "time",
    "unreadable", "unscored", "unsupported",
})  # fmt: skip


@dataclass(frozen=True)
class SkippedFile:
    """One file (or folder) that was met and not taken."""

    path: Path
    name: str
    """How it is called for people: below the folder that was given, and printable."""
    kind: str
    """One of KINDS."""
    reason: str
    """What was found, and what to do about it."""

    def __post_init__(self) -> None:
        assert self.kind in REASONS, self.kind

    @property
    def lost(self) -> bool:
        """Whether somebody may miss it: a photo, or what calls itself one, that is not read."""
        if self.kind == "foreign":
            return self.path.suffix.lower() in PHOTO_SUFFIXES
        return self.kind in _LOST


def skip(path: Path, name: str, kind: str, reason: str = "") -> SkippedFile:
    """A file with its reason, or with the sentence of its kind."""
    return SkippedFile(path, name, kind, reason or REASONS[kind])
