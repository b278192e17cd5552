"""Every kind of photo becomes upright pixels; every kind of damage becomes one sentence."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from elsewhere.errors import FileError
from elsewhere.scorers import images
from elsewhere.scorers.images import upright
from tests.scorers.models import picture


def encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    content = io.BytesIO()
    image.save(content, format, **options)
    return content.getvalue()


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_every_format_is_read(format: str) -> None:
    made = picture(1, 320, 240)
    seen = np.asarray(upright(encoded(Image.fromarray(made), format), "a", (224, 224)))
    assert seen.shape == (240, 320, 3)
    assert np.abs(seen.astype(int) - made).mean() < 6


def test_heic_is_read() -> None:
    """The encoder is not among our dependencies, so the file was made once and is kept here."""
    seen = upright((Path(__file__).parent / "data" / "red_left.heic").read_bytes(), "a", (8, 8))
    pixels = np.asarray(seen).astype(int)
    assert seen.mode == "RGB"
    assert pixels[:, : seen.width // 3, 0].mean() > 150
    assert pixels[:, -seen.width // 3 :, 2].mean() > 150


def test_a_large_jpeg_is_decoded_small_but_not_too_small() -> None:
    large = encoded(Image.fromarray(picture(2, 4000, 3000)), "JPEG")
    assert upright(large, "a", (224, 224)).size == (500, 375)
    assert upright(large, "a", (400, 300)).size == (1000, 750)


def test_reducing_changes_little_of_what_a_scorer_sees() -> None:
    made = Image.fromarray(picture(3, 2000, 1600))
    reduced = upright(encoded(made, "JPEG", quality=95), "a", (224, 224)).resize((224, 224))
    whole = made.resize((224, 224), Image.Resampling.BICUBIC)
    assert np.abs(np.asarray(reduced).astype(int) - np.asarray(whole)).mean() < 4


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_camera_may_be_held_in_any_way(orientation: int) -> None:
    """Red at the top left, whichever way the sensor was turned."""
    upside = Image.new("RGB", (60, 40), "blue")
    upside.paste("red", (0, 0, 20, 20))
    back = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    stored = upside if back is None else upside.transpose(Image.Transpose(back))
    exif = Image.Exif()
    exif[0x0112] = orientation
    seen = upright(encoded(stored, "PNG", exif=exif), "a", (8, 8))
    assert seen.size == (60, 40)
    assert seen.getpixel((5, 5)) == (255, 0, 0)
    assert seen.getpixel((55, 35)) == (0, 0, 255)


def test_a_bent_orientation_tag_does_not_cost_the_photo() -> None:
    whole = encoded(Image.new("RGB", (20, 10), "green"), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff")
    assert upright(whole, "a", (8, 8)).size == (20, 10)


def test_see_through_parts_lie_on_white() -> None:
    clear = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    assert upright(encoded(clear, "PNG"), "a", (4, 4)).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("mode", ["L", "P", "1", "CMYK", "LA"])
def test_other_colour_modes_become_rgb(mode: str) -> None:
    format = "JPEG" if mode == "CMYK" else "PNG"
    grey = Image.new("RGB", (16, 16), (250, 250, 250)).convert(mode)
    seen = upright(encoded(grey, format), "a", (4, 4))
    assert seen.mode == "RGB"
    assert min(seen.getpixel((3, 3))) > 200  # type: ignore[arg-type]


def test_sixteen_bits_are_scaled_and_not_clipped() -> None:
    deep = Image.fromarray(np.full((8, 8), 0x8000, np.uint16))
    assert upright(encoded(deep, "PNG"), "a", (4, 4)).getpixel((0, 0)) == (128, 128, 128)


def damaged() -> dict[str, bytes]:
    whole = encoded(Image.fromarray(picture(4, 320, 240)), "JPEG")
    png = encoded(Image.fromarray(picture(4, 320, 240)), "PNG")
    return {
        "text": b"not a photo at all",
        "gif": encoded(Image.new("P", (4, 4)), "GIF"),
        "cut jpeg": whole[: len(whole) // 2],
        "cut png": png[: len(png) // 2],
        "header only": whole[:200],
        "scrambled png": png[:60] + bytes(200) + png[260:],
        "false heic": b"\0\0\0\x18ftypheic" + bytes(100),
    }


@pytest.mark.parametrize("kind", damaged())
def test_damage_is_one_sentence_that_names_the_file(kind: str) -> None:
    with pytest.raises(FileError, match=r"^trip/a\.jpg .*: leave it out") as caught:
        upright(damaged()[kind], "trip/a.jpg", (224, 224))
    assert "\n" not in str(caught.value)


def test_too_many_pixels_are_refused_before_they_are_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(images, "MAX_PIXELS", 1000)
    wide = encoded(Image.new("RGB", (100, 100)), "PNG")
    with pytest.raises(FileError, match=r"a\.png has 100 × 100 pixels.*make it smaller"):
        upright(wide, "a.png", (8, 8))
    big = encoded(Image.new("RGB", (200, 200)), "JPEG")  # 25 × 25 once reduced: fits
    assert upright(big, "a.jpg", (8, 8)).size == (25, 25)


def test_a_decompression_bomb_is_refused() -> None:
    claim = bytearray(encoded(Image.new("1", (8, 8)), "PNG"))
    import struct
    import zlib

    claim[16:24] = struct.pack(">II", 60_000, 60_000)
    claim[29:33] = struct.pack(">I", zlib.crc32(bytes(claim[12:29])))
    with pytest.raises(FileError, match="more pixels than a camera makes"):
        upright(bytes(claim), "a.png", (8, 8))
