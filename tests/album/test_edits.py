"""No covered or cropped pixel can be read from any byte of a version."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from elsewhere.album import Photo, Recipe, Rendition, read_album, render_versions
from elsewhere.album.edits import COLOUR
from elsewhere.album.renditions import Spool, segments, size_if_bare
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.values.versions import Edit, Rectangle
from tests.album.makers import GPS, encoded, exif, jpeg

COVER = Rectangle(310, 270, 555, 690)
COVERED = Edit(covers=(COVER,))
CROPPED = Edit(Rectangle(120, 90, 870, 1000))
BOTH = Edit(Rectangle(0, 0, 777, 913), (COVER, Rectangle(600, 0, 640, 1000)))


@pytest.fixture
def spool() -> Iterator[Spool]:
    kept = Spool()
    yield kept
    kept.close()


def noise(width: int, height: int, seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def lost_pixels(edit: Edit, width: int, height: int) -> NDArray[np.bool_]:
    """The pixels of an upright picture that an edit takes out, or touches."""
    lost = np.zeros((height, width), dtype=bool)
    if edit.crop is not None:
        crop = edit.crop
        lost[:] = True
        top, bottom = -(-crop.top * height // 1000), crop.bottom * height // 1000
        left, right = -(-crop.left * width // 1000), crop.right * width // 1000
        lost[top:bottom, left:right] = False
    for cover in edit.covers:
        top, bottom = cover.top * height // 1000, -(-cover.bottom * height // 1000)
        left, right = cover.left * width // 1000, -(-cover.right * width // 1000)
        lost[top:bottom, left:right] = True
    return lost


def lay_down(pixels: NDArray[np.uint8], orientation: int) -> Image.Image:
    """The pixels as a camera stores them that was held in this orientation."""
    image = Image.fromarray(pixels)
    turn = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }.get(orientation)
    return image if turn is None else image.transpose(turn)


def render(
    content: bytes,
    path: Path,
    edits: list[Edit],
    pool: Workers,
    spool: Spool,
    *,
    max_side: int | None = 2048,
) -> list[bytes]:
    path.write_bytes(content)
    recipe = Recipe(max_side)
    album = read_album([path], recipe=recipe, workers=pool)
    (photo,) = album.photos
    versions = render_versions(photo, edits, workers=pool, spool=spool, recipe=recipe)
    album.close()
    return [version.content if version else b"" for version in versions]


KINDS: list[Any] = [
    ("PNG", {}, None),
    ("PNG", {}, 300),
    ("TIFF", {}, None),
    ("JPEG", {"quality": 95, "subsampling": "4:4:4"}, None),
    ("JPEG", {"quality": 60, "subsampling": "4:2:0"}, None),
    ("JPEG", {"quality": 60, "subsampling": "4:2:0"}, 300),
    ("JPEG", {"quality": 75, "subsampling": "4:2:2"}, 233),
    ("JPEG", {"quality": 75, "subsampling": "4:2:0", "progressive": True}, 150),
    ("WEBP", {"lossless": True, "exact": True}, None),
    ("AVIF", {"quality": 100, "subsampling": "4:4:4"}, 300),
]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("stored", KINDS)
def test_originals_that_differ_only_in_what_is_taken_out_give_the_same_bytes(
    stored: tuple[str, dict[str, Any], int | None],
    orientation: int,
    tmp_path: Path,
    pool: Workers,
    spool: Spool,
) -> None:
    kind, options, max_side = stored
    width, height = 601, 437
    edits = [COVERED, CROPPED, BOTH]
    first = noise(width, height, 1)
    for number, edit in enumerate(edits):
        second = first.copy()
        lost = lost_pixels(edit, width, height)
        second[lost] = noise(width, height, 2)[lost]
        results = [
            render(
                encoded(
                    lay_down(pixels, orientation), kind, exif=exif(None, orientation), **options
                ),
                tmp_path / f"{name}.{kind.lower()}",
                [edit],
                pool,
                spool,
                max_side=max_side,
            )
            for name, pixels in (("first", first), ("second", second))
        ]
        assert results[0] == results[1], f"edit {number}"


def first_scans(content: bytes, count: int) -> bytes:
    """A progressive JPEG as an interrupted download leaves it, with an end marker."""
    starts = [part.start - 4 for part in segments(content) if part.marker == 0xDA]
    assert count < len(starts)
    return content[: starts[count]] + b"\xff\xd9"


@pytest.mark.parametrize("scans", [1, 5])
@pytest.mark.parametrize(
    "stored",
    [("4:2:0", 1, None), ("4:2:0", 6, 300), ("4:2:2", 8, None), ("4:4:4", 3, 150)],
)
def test_a_decoder_that_guesses_missing_scans_does_not_spread_what_is_taken_out(
    stored: tuple[str, int, int | None],
    scans: int,
    tmp_path: Path,
    pool: Workers,
    spool: Spool,
) -> None:
    subsampling, orientation, max_side = stored
    width, height = 601, 437
    small = Image.fromarray(noise(26, 19, 1))
    first = np.asarray(small.resize((width, height), Image.Resampling.BICUBIC))
    for number, edit in enumerate([COVERED, CROPPED]):
        second = first.copy()
        lost = lost_pixels(edit, width, height)
        second[lost] = noise(width, height, 2)[lost]
        results = []
        for pixels in (first, second):
            whole = encoded(
                lay_down(pixels, orientation),
                "JPEG",
                exif=exif(None, orientation),
                quality=75,
                subsampling=subsampling,
                progressive=True,
            )
            content = first_scans(whole, scans)
            results.append(
                render(content, tmp_path / "cut.jpg", [edit], pool, spool, max_side=max_side)
            )
        assert results[0] == results[1], f"edit {number}"


@pytest.mark.parametrize("orientation", [1, 6, 8])
def test_what_is_left_is_the_upright_picture(
    orientation: int, tmp_path: Path, pool: Workers, spool: Spool
) -> None:
    """Painted as little more as decoding makes necessary, and everything else as it was."""
    y, x = np.mgrid[0:480, 0:640]
    pixels = np.stack([x * 255 // 640, y * 255 // 480, 0 * x + 90], axis=2).astype(np.uint8)
    content = encoded(
        lay_down(pixels, orientation), "JPEG", quality=95, exif=exif(GPS, orientation)
    )
    covered, cropped = render(content, tmp_path / "a.jpg", [COVERED, CROPPED], pool, spool)
    seen = np.asarray(Image.open(io.BytesIO(covered))).astype(int)
    assert seen.shape == (480, 640, 3)
    painted = np.abs(seen - COLOUR).max(axis=2) < 6
    top, bottom = COVER.top * 480 // 1000, COVER.bottom * 480 // 1000
    left, right = COVER.left * 640 // 1000, COVER.right * 640 // 1000
    assert painted[top:bottom, left:right].all()
    around = np.ones_like(painted)
    around[top - 34 : bottom + 34, left - 34 : right + 34] = False
    assert np.abs(seen - pixels)[around].max() < 25
    kept = Image.open(io.BytesIO(cropped))
    assert 440 <= kept.width <= 480 and 400 <= kept.height <= 437
    offset = 480 - kept.height  # the crop reaches the bottom
    right_edge = 640 * 870 // 1000
    column = np.asarray(kept)[kept.height // 2, 0].astype(int)
    assert column[1] == pytest.approx((offset + kept.height // 2) * 255 / 480, abs=8)
    assert column[0] == pytest.approx((right_edge - kept.width) * 255 / 640, abs=12)


def test_a_version_is_a_bare_picture(tmp_path: Path, pool: Workers, spool: Spool) -> None:
    """No metadata, no thumbnail, nothing behind the picture."""
    small = encoded(Image.fromarray(noise(64, 48, 4)), "JPEG")
    planted = exif(GPS)
    planted[0x9286] = b"a thumbnail: " + small
    content = jpeg(3, 640, 480, exif=planted, comment=b"planted") + b"behind" + small
    for version in render(content, tmp_path / "a.jpg", [COVERED, CROPPED, BOTH], pool, spool):
        size_if_bare(version)
        assert {part.marker for part in segments(version)} == {
            *(0xD8, 0xE0, 0xDB, 0xC0, 0xC4, 0xDA, 0xD9)
        }


def test_versions_come_in_the_order_of_their_edits(
    tmp_path: Path, pool: Workers, spool: Spool
) -> None:
    edits = [Edit(Rectangle(0, 0, 1000, bottom)) for bottom in range(500, 1000, 50)]
    path = tmp_path / "a.png"
    path.write_bytes(encoded(Image.fromarray(noise(100, 200, 1)), "PNG"))
    album = read_album([path], workers=pool)
    versions = render_versions(album.photos[0], edits, workers=pool, spool=spool)
    assert [version.height for version in versions if version] == list(range(100, 200, 10))
    album.close()


def test_a_crop_that_leaves_nothing_of_a_small_photo_is_no_version(
    tmp_path: Path, pool: Workers, spool: Spool
) -> None:
    edits = [Edit(Rectangle(400, 400, 450, 450)), COVERED]
    nothing, covered = render(jpeg(1, 32, 24), tmp_path / "a.jpg", edits, pool, spool)
    assert nothing == b"" and size_if_bare(covered) == (32, 24)


def test_an_original_that_changed_or_went_is_not_edited(
    tmp_path: Path, pool: Workers, spool: Spool
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg(1))
    album = read_album([path], workers=pool)
    (photo,) = album.photos
    album.close()

    def attempt(photo: Photo) -> list[Rendition | None]:
        return render_versions(photo, [COVERED], workers=pool, spool=spool)

    assert attempt(photo) and attempt(replace(photo, original=""))
    path.write_bytes(jpeg(2))
    with pytest.raises(FileError, match=r"a\.jpg changed since .* read it again"):
        attempt(photo)
    path.write_bytes(b"no photo")
    with pytest.raises(FileError, match=r"a\.jpg cannot be edited: "):
        attempt(photo)
    path.unlink()
    with pytest.raises(FileError, match=r"a\.jpg cannot be edited: it cannot be read"):
        attempt(photo)
    path.write_bytes(jpeg(1))
    assert attempt(photo), "the workers are still there"
