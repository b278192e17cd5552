"""Names of files as text: in the order a person expects, and harmless on a terminal.

A file may be called anything: with line breaks, escape codes that repaint the screen, marks that
turn the reading direction so that `gpj.exe` looks like a photo, bytes that are no Unicode. What
is shown is always one line of plain characters, with the rest spelled out.

What a file is, told by its first bytes; its name is only asked where the bytes cannot say.

A name is what somebody typed. Bytes decide which decoder is tried, so that a zip that is called
`.jpg` is never handed to a decoder, and a JPEG that is called `.heic` is simply read. Only raw
files need the name too: most of them begin like any TIFF.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath
from typing import Final

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that move the cursor, turn the text or show nothing."""


def printable(name: str | PurePath) -> str:
    r"""A name as one line that any terminal and any file format can hold.

    >>> printable("a\nb\u202egpj.exe")
    'a\\nb\\u202egpj.exe'
    """
    text = name.as_posix() if isinstance(name, PurePath) else name
    return "".join(
        mark.encode("unicode_escape").decode("ascii")
        if unicodedata.category(mark) in _UNSEEN
        else mark
        for mark in text
    )


def one_line(text: str, most: int = 200) -> str:
    """A text from a stranger, on one line and no longer than a person would read."""
    line = printable(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def natural_key(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    """A sorting key by which IMG_2 comes before IMG_10, whatever the case of the letters.

    >>> sorted(["IMG_10", "img_9", "IMG_2"], key=natural)
    ['IMG_2', 'img_9', 'IMG_10']
    """
    parts = re.findall(r"[0-9]{1,99}|[^0-9]+", name)
    key = [
        (False, int(part), "") if part[0] in "0123456789" else (True, 0, part.casefold())
        for part in parts
    ]
    return key, name


HEAD_BYTES: Final = 64
"""How many bytes are needed to tell."""

PHOTO_KINDS: Final = frozenset({"jpeg", "png", "webp", "tiff", "avif", "heic"})
"""The kinds that are read."""

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

_BEGINNINGS: Final = (
    (b"\xff\xd8\xff", "jpeg"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"GIF8", "gif"),
    (b"FUJIFILMCCD-RAW", "raw"),
    (b"IIRO", "raw"),
    (b"IIRS", "raw"),
    (b"MMOR", "raw"),
    (b"IIU\x00", "raw"),
    (b"FOVb", "raw"),
    (b"\x00MRM", "raw"),
    (b"II\x1a\x00\x00\x00HEAPCCDR", "raw"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
    (b"II+\x00", "tiff"),
    (b"MM\x00+", "tiff"),
    (b"\x1aE\xdf\xa3", "video"),
    (b"\x00\x00\x01\xba", "video"),
    (b"FLV\x01", "video"),
    (b"OggS", "video"),
    (b"0&\xb2u\x8ef\xcf\x11", "video"),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", "jpeg xl"),
    (b"\xff\x0a", "jpeg xl"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "jpeg 2000"),
    (b"8BPS", "photoshop"),
    (b"%PDF", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"BM", "bmp"),
)
_HEIC_BRANDS: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm"})
_AVIF_BRANDS: Final = frozenset({b"avif", b"avis"})


def file_kind(head: bytes, suffix: str) -> str:
    """The kind of a file: one of PHOTOS, or what else it is; "unknown" where nothing fits.

    >>> kind_of(b"PK" + bytes([3, 4]), ".jpg")
    'zip'
    """
    suffix = suffix.lower()
    kind = _told_by(head)
    if kind == "tiff" and (suffix in RAW_SUFFIXES or head[8:10] == b"CR"):
        return "raw"
    if kind == "unknown" and suffix in RAW_SUFFIXES:
        return "raw"
    if kind == "unknown" and suffix in VIDEO_SUFFIXES:
        return "video"
    return kind


def _told_by(head: bytes) -> str:
    if head[:4] == b"RIFF":
        return {b"WEBP": "webp", b"AVI ": "video"}.get(head[8:12], "unknown")
    if head[4:8] == b"ftyp":
        return _boxed(head)
    if head[4:8] in (b"moov", b"mdat", b"wide", b"skip"):
        return "video"
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    return "unknown"


def _boxed(head: bytes) -> str:
    """Photos and videos share one container; its brands say which it is.

    The main brand may be the neutral `mif1`; then one of the compatible ones decides.
    """
    main, length = head[8:12], int.from_bytes(head[:4], "big")
    others = {head[at : at + 4] for at in range(16, min(length, len(head)) - 3, 4)}
    if main == b"crx ":
        return "raw"
    if main in _AVIF_BRANDS:
        return "avif"
    if main in _HEIC_BRANDS:
        return "heic"
    if main in (b"mif1", b"msf1"):
        return "avif" if others & _AVIF_BRANDS else "heic"
    return "video"
