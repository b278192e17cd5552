"""Files of the user: reading them without a trace, telling what they are, and showing their names.

Originals are opened here only, and for reading only; those in zip archives as well. A pipe or a
device called `.jpg` would block or never end, so only plain files are read, and never more than a
limit. Where the system allows it, even the time of last access stays as it was.

The first bytes decide which decoder is tried, whatever the name. Only raw files need the name as
well, as most begin like a TIFF. A file that is skipped has a kind for programs and a reason for
people.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from elsewhere.values.wording import printable

MAX_BYTES = 256 * 1024 * 1024
"""The largest photo; anything larger is a mistake and would only fill the memory."""

HEAD_BYTES: Final = 64
"""How many bytes `file_kind` needs."""
PHOTO_KINDS: Final = frozenset({"jpeg", "png", "webp", "tiff", "avif", "heic"})
"""The kinds that are read."""
PHOTO_SUFFIXES: Final = frozenset({
    ".avif", ".heic", ".heif", ".jpe", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp",
})  # fmt: skip
"""How names of files of PHOTO_KINDS end."""
RAW_SUFFIXES: Final = frozenset({
    ".3fr", ".ari", ".arw", ".bay", ".cap", ".cr2", ".cr3", ".crw", ".dcr", ".dng", ".erf",
    ".fff", ".gpr", ".iiq", ".k25", ".kdc", ".mef", ".mos", ".mrw", ".nef", ".nrw", ".orf",
    ".pef", ".ptx", ".raf", ".raw", ".rw2", ".rwl", ".sr2", ".srf", ".srw", ".x3f",
})  # fmt: skip
VIDEO_SUFFIXES: Final = frozenset({
    ".3g2", ".3gp", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp", ".mp4", ".mpeg",
    ".mpg", ".mts", ".ogv", ".webm", ".wmv",
})  # fmt: skip
SIDECAR_SUFFIXES: Final = frozenset({".xmp", ".json", ".aae", ".thm", ".pp3", ".dop", ".on1"})

_SIGNATURES: Final = {
    "jpeg": (b"\xff\xd8\xff",),
    "png": (b"\x89PNG\r\n\x1a\n",),
    "gif": (b"GIF8",),
    "raw": (
        b"FUJIFILMCCD-RAW", b"IIRO", b"IIRS", b"MMOR", b"IIU\x00", b"FOVb", b"\x00MRM",
        b"II\x1a\x00\x00\x00HEAPCCDR",
    ),
    "tiff": (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+"),
    "video": (
        b"\x1aE\xdf\xa3", b"\x00\x00\x01\xba", b"FLV\x01", b"OggS", b"0&\xb2u\x8ef\xcf\x11",
    ),
    "jpeg xl": (b"\x00\x00\x00\x0cJXL \r\n\x87\n", b"\xff\x0a"),
    "jpeg 2000": (b"\x00\x00\x00\x0cjP  \r\n\x87\n",),
    "photoshop": (b"8BPS",),
    "pdf": (b"%PDF",),
    "zip": (b"PK\x03\x04",),
    "bmp": (b"BM",),
}  # fmt: skip
"""How files of each kind begin; none of these is the start of another."""
_HEIC_BRANDS: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm"})
_AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})


class NotPlainError(OSError):
    """The path is a pipe, a socket, a device or a folder."""


def open_readonly(path: str | Path) -> io.BufferedReader:
    """A plain file, or one in a zip archive, opened for reading."""
    try:
        return _open_plain(path)
    except (NotADirectoryError, FileNotFoundError):
        from elsewhere.album.archives import open_entry  # which opens its archives here

        entry = open_entry(Path(path))
        if entry is None:
            raise
        return entry


def _open_plain(path: str | Path) -> io.BufferedReader:
    flags = os.O_RDONLY
    # A flag that the platform lacks is left out; none of them changes what is read.
    for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:  # only the owner may keep the time of access
        descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlainError("it is not a plain file")
    return os.fdopen(descriptor, "rb")


def byte_count(file: io.BufferedReader) -> int:
    """How many bytes an open file has."""
    raw = file.raw
    return os.fstat(raw.fileno()).st_size if isinstance(raw, io.FileIO) else cast(Any, raw).size


def read_file(path: str | Path, limit: int = MAX_BYTES) -> bytes | None:
    """All the bytes of a file; None where there are more than `limit`."""
    with open_readonly(path) as file:
        # Reading `limit` bytes would allocate all of them at once, however small the file.
        size = byte_count(file)
        content = file.read(size + 1) if size <= limit else None
    return content if content is not None and len(content) <= limit else None


def file_digest(path: str | Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    with open_readonly(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_kind(head: bytes, suffix: str) -> str:
    """The kind of a file: one of PHOTO_KINDS, another known kind, or "unknown".

    >>> file_kind(b"PK" + bytes([3, 4]), ".jpg")
    'zip'
    """
    suffix = suffix.lower()
    if head[:4] == b"RIFF":
        kind = {b"WEBP": "webp", b"AVI ": "video"}.get(head[8:12], "unknown")
    elif head[4:8] == b"ftyp":
        # an ISO media file: the main brand decides, or a compatible one where it is neutral
        main, length = head[8:12], int.from_bytes(head[:4], "big")
        others = {head[at : at + 4] for at in range(16, min(length, len(head)) - 3, 4)}
        is_neutral = main in (b"mif1", b"msf1")
        if main == b"crx ":
            kind = "raw"
        elif main in _AVIF_BRANDS or (is_neutral and others & _AVIF_BRANDS):
            kind = "avif"
        else:
            kind = "heic" if main in _HEIC_BRANDS or is_neutral else "video"
    elif head[4:8] in (b"moov", b"mdat", b"wide", b"skip"):
        kind = "video"
    else:
        known = (kind for kind, starts in _SIGNATURES.items() if head.startswith(starts))
        kind = next(known, "unknown")
    if kind == "tiff" and (suffix in RAW_SUFFIXES or head[8:10] == b"CR"):
        return "raw"
    if kind == "unknown" and suffix in RAW_SUFFIXES:
        return "raw"
    if kind == "unknown" and suffix in VIDEO_SUFFIXES:
        return "video"
    return kind


def one_line(text: str, limit: int = 200) -> str:
    """Untrusted text on one printable line of at most `limit` characters."""
    line = printable(" ".join(text[: 4 * limit].split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"


def natural_key(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    """A sorting key that puts IMG_2 before IMG_10, whatever the case of the letters.

    >>> sorted(["IMG_10", "img_9", "IMG_2"], key=natural_key)
    ['IMG_2', 'img_9', 'IMG_10']
    """
    parts = re.findall(r"[0-9]{1,99}|[^0-9]+", name)
    key = [
        (False, int(part), "") if part[0] in "0123456789" else (True, 0, part.casefold())
        for part in parts
    ]
    return key, name


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
    "special": "it is not a plain file",
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
    same_as: str = ""
    """The photo that has the same content, by name, where there is one."""

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
