"""Bytes decide what a file is; names only where bytes cannot."""

from __future__ import annotations

import pytest

from elsewhere.album.file_names import HEAD, kind_of, natural, printable, shortened
from tests.album.makers import MP4, VIDEO, box, encoded, jpeg, picture, png, tiff


@pytest.mark.parametrize("suffix", [".jpg", ".heic", "", ".txt", ".NEF"])
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (jpeg(), "jpeg"),
        (png(), "png"),
        (encoded(picture(1), "WEBP"), "webp"),
        (encoded(picture(1), "AVIF"), "avif"),
        (encoded(picture(1), "GIF"), "gif"),
        (box(b"ftyp", b"heic\0\0\0\0mif1heic"), "heic"),
        (box(b"ftyp", b"mif1\0\0\0\0mif1heic"), "heic"),
        (box(b"ftyp", b"mif1\0\0\0\0mif1avif"), "avif"),
        (MP4, "video"),
        (VIDEO, "video"),
        (b"PK\x03\x04rest", "zip"),
    ],
)
def test_the_name_does_not_matter(content: bytes, kind: str, suffix: str) -> None:
    assert kind_of(content[:HEAD], suffix) == kind


def test_raw_files_begin_like_tiff() -> None:
    content = tiff([(0x100, 4, 1, 9)])[:HEAD]
    assert kind_of(content, ".tif") == "tiff"
    assert kind_of(content, ".NEF") == "raw"
    assert kind_of(b"II*\0\x10\0\0\0CR\2\0", ".tif") == "raw"
    assert kind_of(b"\1\2\3", ".cr3") == "raw"
    assert kind_of(b"\1\2\3", ".mov") == "video"
    assert kind_of(b"\1\2\3", ".jpg") == kind_of(b"", "") == "unknown"


def test_names_are_harmless() -> None:
    assert printable("a\x1b[2J\u202e\udcff\u2028b é") == r"a\x1b[2J\u202e\udcff\u2028b é"
    assert shortened("two\n words  " + "x" * 500).startswith("two words xxx")
    assert len(shortened("x" * 10_000)) == 200
    assert sorted(["b10", "B9", "a", "b1"], key=natural) == ["a", "b1", "B9", "b10"]
    assert natural("9" * 250)
