"""A rendition is its pixels and nothing else, proved on the bytes."""

from __future__ import annotations

import io
import warnings
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from elsewhere.album.renditions import (
    PREVIEW_QUALITY,
    SOS,
    NotJpegError,
    Recipe,
    Rendition,
    Spool,
    accept_rendition,
    can_hold_pixels,
    encode_jpeg,
    segments,
    size_if_bare,
)
from elsewhere.errors import FileError, InputError
from tests.album import makers
from tests.album.makers import display_p3, exif, jpeg, picture, segment, with_segments


def rendition(content: bytes, recipe: Recipe | None = None) -> Rendition:
    return accept_rendition(content, recipe or Recipe(), Spool())


def test_a_rendition_holds_a_picture_and_nothing_else() -> None:
    image = picture(1)
    image.info = {"comment": b"planted", "dpi": (300, 300), "icc_profile": display_p3()}
    image.info["exif"] = exif().tobytes()
    content = encode_jpeg(image)
    assert size_if_bare(content) == (96, 64)
    assert {one.marker for one in segments(content)} == {0xD8, 0xE0, 0xDB, 0xC0, 0xC4, 0xDA, 0xD9}
    again = Image.open(io.BytesIO(content))
    assert set(again.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
    assert np.abs(np.asarray(again).astype(int) - np.asarray(picture(1))).mean() < 3


def test_equal_pixels_give_equal_bytes() -> None:
    from_png = Image.open(io.BytesIO(makers.png(2)))
    assert encode_jpeg(from_png) == encode_jpeg(picture(2)) != encode_jpeg(picture(3))


def test_chroma_is_halved_and_the_quality_fixed() -> None:
    content = encode_jpeg(picture(1))
    frame = next(one for one in segments(content) if one.marker == 0xC0)
    sampling = [content[frame.start + at] for at in (7, 10, 13)]
    assert sampling == [0x22, 0x11, 0x11]
    table = next(one for one in segments(content) if one.marker == 0xDB)
    assert content[table.start + 1] == 3  # luminance at 90: 16 × 0.2


def test_what_is_handed_over_is_what_was_taken() -> None:
    content = encode_jpeg(picture(4))
    made = rendition(content)
    assert made.content == content
    assert made.digest == sha256(content).hexdigest()
    assert (made.width, made.height, made.size) == (96, 64, len(content))


def test_the_preview_is_small_and_bare_and_of_the_rendition() -> None:
    made = rendition(encode_jpeg(picture(5, 1200, 800)))
    small = made.preview()
    assert size_if_bare(small, PREVIEW_QUALITY) == (320, 213)
    shown = np.asarray(Image.open(io.BytesIO(small))).astype(int)
    assert np.abs(shown - np.asarray(picture(5, 320, 213))).mean() < 4
    assert size_if_bare(made.preview(100), PREVIEW_QUALITY) == (100, 67)


def test_large_pictures_are_shown_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pillow's limit is for strangers' files; a phone makes photos that are larger."""
    made = rendition(encode_jpeg(picture(5, 1200, 800)))
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert size_if_bare(made.preview(), PREVIEW_QUALITY) == (320, 213)
        assert made.open_image().size == (1200, 800)


BARE = encode_jpeg(picture(6))
TABLE, FRAME, SCAN = (BARE.index(bytes([0xFF, marker])) for marker in (0xDB, 0xC0, SOS))
SECRET = b"GPS 43.9475,4.5350 owner=Alice".ljust(64)
NOT_BARE = {
    "nothing": b"",
    "no JPEG": makers.png(1),
    "a byte behind": BARE + b"\0",
    "a second picture behind": BARE + BARE,
    "a comment": with_segments(BARE, segment(0xFE, b"planted")),
    "a comment after the header": BARE[:20] + segment(0xFE, b"planted") + BARE[20:],
    "EXIF": with_segments(BARE, segment(0xE1, exif().tobytes())),
    "another density": BARE[:14] + b"\x01" + BARE[15:],
    "a thumbnail in the header": with_segments(
        b"\xff\xd8" + BARE[20:], segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\1\1abc")
    ),
    "a comment before the end": BARE[:-2] + segment(0xFE, b"planted") + b"\xff\xd9",
    "a profile": jpeg(6, icc_profile=display_p3()),
    "a progressive frame": jpeg(6, progressive=True),
    "grey": makers.encoded(picture(6).convert("L"), "JPEG"),
    "no end": BARE[:-2],
    "fill bytes": BARE[:-2] + b"\xff\xfe",
    "fill bytes before a table": BARE[:TABLE] + b"\xff" * 5000 + BARE[TABLE:],
    "a table that nobody reads": BARE[:TABLE] + segment(0xDB, b"\x03" + SECRET) + BARE[TABLE:],
    "a table of many": BARE[:TABLE] + segment(0xDB, (b"\x03" + SECRET) * 900) + BARE[TABLE:],
    "a Huffman table more": BARE[:TABLE] + segment(0xC4, b"\x03" + bytes(16)) + BARE[TABLE:],
    "other tables": encode_jpeg(picture(6), 91),
    "a table behind the pixels": BARE[:-2] + segment(0xDB, b"\x03" + SECRET) + BARE[-2:],
    "a scan with text for a header": BARE[:SCAN] + segment(SOS, SECRET) + BARE[SCAN:],
    "a second scan": BARE[:-2] + BARE[SCAN:-2] + BARE[-2:],
    "a restart within the pixels": BARE[:-2] + b"\xff\xd0" + BARE[-2:],
    "fill bytes within the pixels": BARE[:-2] + b"\xff" * 20 + BARE[-2:],
    "no width": BARE[: FRAME + 7] + b"\0\0" + BARE[FRAME + 9 :],
}


@pytest.mark.parametrize("content", NOT_BARE.values(), ids=list(NOT_BARE))
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(NotJpegError):
        size_if_bare(content)
    with pytest.raises(FileError, match="not a bare picture"):
        rendition(content)


def test_a_rendition_larger_than_asked_for_is_refused() -> None:
    with pytest.raises(FileError, match="larger than it was asked to be"):
        rendition(encode_jpeg(picture(7, 300, 10)), Recipe(max_side=299))
    assert rendition(encode_jpeg(picture(7, 300, 10)), Recipe(max_side=300)).width == 300
    assert rendition(encode_jpeg(picture(7, 3000, 10)), Recipe(max_side=None)).width == 3000


@pytest.mark.parametrize("side", [0, -5, 63, 65_501])
def test_a_side_out_of_bounds_is_told(side: int) -> None:
    with pytest.raises(InputError, match="out of bounds"):
        Recipe(max_side=side)
    assert str(Recipe(1024)) == "JPEG 90 4:2:0, 1024 px"
    assert str(Recipe(None)) == "JPEG 90 4:2:0, full size"


def test_a_rendition_that_changed_on_the_disk_is_not_handed_out() -> None:
    spool = Spool()
    made = accept_rendition(encode_jpeg(picture(8)), Recipe(), spool)
    spool._file.seek(100)
    spool._file.write(b"\0\1\2\3")
    with pytest.raises(FileError, match="changed while it waited"):
        _ = made.content


def test_the_spool_gives_back_what_it_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spool = Spool()
    starts = [(spool.put(bytes([n]) * n * 1000), n) for n in range(10)]
    for start, n in reversed(starts):
        assert spool.read(start, n * 1000) == bytes([n]) * n * 1000
    spool.close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool()

    class Full:
        def seek(self, at: int) -> None:
            pass

        def write(self, content: bytes) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            pass

    spool._file.close()
    monkeypatch.setattr(spool, "_file", Full())
    with pytest.raises(FileError, match="No space left on device"):
        spool.put(b"x")


@pytest.mark.parametrize("side", [8, 64, 1000, 8000])
@pytest.mark.parametrize("progressive", [False, True])
def test_no_true_photo_is_taken_for_a_lie(side: int, progressive: bool) -> None:
    """One flat colour at the lowest quality is the least that a true JPEG can be."""
    flat = makers.encoded(
        Image.new("L", (side, side)), "JPEG", quality=1, optimize=True, progressive=progressive
    )
    assert can_hold_pixels(len(flat), (side, side), progressive)
    assert not can_hold_pixels(len(flat), (side * 100, side * 100), progressive) or side < 100
