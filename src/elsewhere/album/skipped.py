"""Files that are not in the album, each with a kind for programs and a reason for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast, get_args

from elsewhere.album.files import PHOTO_SUFFIXES

SkipKind = Literal[
    "animated", "companion", "crash", "damaged", "duplicate", "empty", "foreign", "hidden",
    "large", "link", "memory", "original", "pixels", "raw", "sidecar", "special", "time",
    "unreadable", "unscored", "unsupported", "video",
]  # fmt: skip

REASONS: Final[dict[SkipKind, str]] = {
    "animated": "it moves, or has several pages: only still photos are read",
    "companion": "it goes with a photo that is read: the still half of it is enough",
    "crash": "decoding it crashed the decoder: leave it out or save it anew",
    "damaged": "it is cut short or damaged: leave it out or copy it anew",
    "duplicate": "its content is there twice: once is enough",
    "empty": "it has no bytes: copy it anew",
    "foreign": "its type is not supported (JPEG, PNG, WebP, TIFF, AVIF and HEIC are)",
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
    "unscored": "the model failed on this photo: see the model's message",
    "unsupported": "its pixels are of a kind that is not supported: save it as JPEG",
    "video": "it is a video: only photos are read",
}
"""The sentence for each kind where nothing more precise is known."""

LOST_KINDS: Final[frozenset[SkipKind]] = frozenset({
    "animated", "crash", "damaged", "empty", "large", "memory", "pixels", "raw", "time",
    "unreadable", "unscored", "unsupported",
})  # fmt: skip
"""Kinds of files that are photos."""


@dataclass(frozen=True)
class SkippedFile:
    """A file or folder that is not in the album."""

    path: Path
    name: str
    """Its name below the folder that was given, printable."""
    kind: SkipKind
    detail: str = ""
    """A more precise reason than that of the kind; names no folder of the user."""

    @property
    def reason(self) -> str:
        """What was found, and what to do about it."""
        return self.detail or REASONS[self.kind]

    @property
    def lost(self) -> bool:
        """Whether the user may miss it: a photo, or a file named like one, that is not read."""
        if self.kind == "foreign":
            return self.path.suffix.lower() in PHOTO_SUFFIXES
        return self.kind in LOST_KINDS


def known_kind(text: str, default: SkipKind) -> SkipKind:
    """`text` as a kind, or `default` where it is none."""
    return cast(SkipKind, text) if text in get_args(SkipKind) else default
