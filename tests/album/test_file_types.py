"""Bytes decide what a file is; names only where bytes cannot."""

from __future__ import annotations

import pytest

from elsewhere.album.files import HEAD_BYTES, file_kind, natural_key, one_line
from elsewhere.values.wording import printable
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
    assert file_kind(content[:HEAD_BYTES], suffix) == kind


def test_raw_files_begin_like_tiff() -> None:
    content = tiff([(0x100, 4, 1, 9)])[:HEAD_BYTES]
    assert file_kind(content, ".tif") == "tiff"
    assert file_kind(content, ".NEF") == "raw"
    assert file_kind(b"II*\0\x10\0\0\0CR\2\0", ".tif") == "raw"
    assert file_kind(b"\1\2\3", ".cr3") == "raw"
    assert file_kind(b"\1\2\3", ".mov") == "video"
    assert file_kind(b"\1\2\3", ".jpg") == file_kind(b"", "") == "unknown"


def test_names_are_harmless() -> None:
    assert printable("a\x1b[2J\u202e\udcff\u2028b é") == r"a\x1b[2J\u202e\udcff\u2028b é"
    assert one_line("two\n words  " + "x" * 500).startswith("two words xxx")
    assert len(one_line("x" * 10_000)) == 200
    assert sorted(["b10", "B9", "a", "b1"], key=natural_key) == ["a", "b1", "B9", "b10"]
    assert natural_key("9" * 250)
