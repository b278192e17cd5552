"""Renditions become pixels; whatever is none, or damaged, becomes one sentence."""

from __future__ import annotations

import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from elsewhere.errors import FileError
from elsewhere.scorers import protocol
from elsewhere.scorers.protocol import Photo
from tests.scorers.models import picture


def decoded(content: bytes, name: str, least: tuple[int, int]) -> Image.Image:
    return Photo(name, Path(name), content).image(least)


def encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    content = io.BytesIO()
    image.save(content, format, **options)
    return content.getvalue()


@pytest.mark.parametrize("format", ["JPEG", "PNG"])
def test_both_formats_are_read(format: str) -> None:
    made = picture(1, 320, 240)
    seen = np.asarray(decoded(encoded(Image.fromarray(made), format), "a", (224, 224)))
    assert seen.shape == (240, 320, 3)
    assert np.abs(seen.astype(int) - made).mean() < 6


@pytest.mark.parametrize("format", ["WEBP", "TIFF", "GIF", "AVIF"])
def test_what_the_album_has_not_rendered_is_not_even_tried(format: str) -> None:
    """A stranger's file is decoded in a process of its own, never here."""
    strange = encoded(Image.fromarray(picture(1, 32, 24)), format)
    with pytest.raises(FileError, match=r"is not a rendition .*: have the album render it first"):
        decoded(strange, "a", (8, 8))


def test_no_other_decoder_can_be_reached_from_here() -> None:
    source = inspect.getsource(protocol)
    assert "pi_heif" not in source
    assert protocol.FORMATS == ("JPEG", "PNG")


def test_a_large_jpeg_is_decoded_small_but_not_too_small() -> None:
    large = encoded(Image.fromarray(picture(2, 4000, 3000)), "JPEG")
    assert decoded(large, "a", (224, 224)).size == (500, 375)
    assert decoded(large, "a", (400, 300)).size == (1000, 750)


def test_reducing_changes_little_of_what_a_scorer_sees() -> None:
    made = Image.fromarray(picture(3, 2000, 1600))
    reduced = decoded(encoded(made, "JPEG", quality=95), "a", (224, 224)).resize((224, 224))
    whole = made.resize((224, 224), Image.Resampling.BICUBIC)
    assert np.abs(np.asarray(reduced).astype(int) - np.asarray(whole)).mean() < 4


@pytest.mark.parametrize("mode", ["L", "P", "1", "LA"])
def test_other_colour_modes_become_rgb(mode: str) -> None:
    grey = Image.new("RGB", (16, 16), (250, 250, 250)).convert(mode)
    seen = decoded(encoded(grey, "PNG"), "a", (4, 4))
    assert seen.mode == "RGB"
    assert min(seen.getpixel((3, 3))) > 200  # type: ignore[arg-type]


def damaged() -> dict[str, bytes]:
    whole = encoded(Image.fromarray(picture(4, 320, 240)), "JPEG")
    png = encoded(Image.fromarray(picture(4, 320, 240)), "PNG")
    return {
        "cut jpeg": whole[: len(whole) // 2],
        "cut png": png[: len(png) // 2],
        "scrambled png": png[:60] + bytes(200) + png[260:],
    }


@pytest.mark.parametrize("kind", damaged())
def test_damage_is_one_sentence_that_names_the_file(kind: str) -> None:
    with pytest.raises(FileError, match=r"^trip/a\.jpg .*: leave it out") as caught:
        decoded(damaged()[kind], "trip/a.jpg", (224, 224))
    assert "\n" not in str(caught.value)


def test_too_many_pixels_are_refused_before_they_are_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "MAX_PIXELS", 1000)
    wide = encoded(Image.new("RGB", (100, 100)), "PNG")
    with pytest.raises(FileError, match=r"a\.png has 100 × 100 pixels.*make it smaller"):
        decoded(wide, "a.png", (8, 8))
    big = encoded(Image.new("RGB", (200, 200)), "JPEG")  # 25 × 25 once reduced: fits
    assert decoded(big, "a.jpg", (8, 8)).size == (25, 25)


def test_a_decompression_bomb_is_refused() -> None:
    claim = bytearray(encoded(Image.new("1", (8, 8)), "PNG"))
    import struct
    import zlib

    claim[16:24] = struct.pack(">II", 60_000, 60_000)
    claim[29:33] = struct.pack(">I", zlib.crc32(bytes(claim[12:29])))
    with pytest.raises(FileError, match="more pixels than a camera makes"):
        decoded(bytes(claim), "a.png", (8, 8))
