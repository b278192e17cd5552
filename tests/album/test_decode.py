"""Every legal kind of photo becomes upright sRGB pixels of the size that is shared."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms

from elsewhere.album.decode import RefusedError, open_image, render_pixels, webp_size
from tests.album.makers import (
    MP4,
    chunk,
    display_p3,
    encoded,
    exif,
    jpeg,
    picture,
    png,
    png_header,
    with_chunks,
)

DATA = Path(__file__).parent / "data"


@pytest.fixture(autouse=True)
def _as_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", None)


def shown(content: bytes, kind: str, max_side: int | None = 1920) -> np.ndarray[Any, Any]:
    image = render_pixels(open_image(content, kind), max_side)
    assert image.mode == "RGB"
    return np.asarray(image).astype(int)


def test_warming_up_loads_all_decoders() -> None:
    """In a process of its own: here they have been loaded by others."""
    kinds = ("Avif", "Jpeg", "Mpo", "Png", "Tiff", "WebP")
    wanted = {"pi_heif", *(f"PIL.{kind}ImagePlugin" for kind in kinds)}
    told = (
        "import sys; from elsewhere.album import decode; decode.warm_up();"
        f"print(*sorted({wanted} - set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff", "avif"])
def test_every_format_is_read(kind: str) -> None:
    made = picture(1)
    seen = shown(encoded(made, kind.upper()), kind)
    assert seen.shape == (64, 96, 3)
    assert np.abs(seen - np.asarray(made)).mean() < 6


@pytest.mark.parametrize(
    "options", [{}, {"lossless": True}, {"exif": exif()}], ids=["plain", "lossless", "exif"]
)
def test_the_size_of_a_webp_is_in_its_header(options: dict[str, Any]) -> None:
    assert webp_size(encoded(picture(1, 300, 200), "WEBP", **options)) == (300, 200)
    assert webp_size(b"RIFF\0\0\0\0WEBPVP8X") == (0, 0)


@pytest.mark.parametrize("name", ["phone.heic", "turned.heic"])
def test_heic_is_read_upright(name: str) -> None:
    seen = shown((DATA / name).read_bytes(), "heic")
    assert seen.shape == (64, 96, 3)
    left, right = seen[:, :28].mean((0, 1)), seen[:, 40:].mean((0, 1))
    assert left[0] > 200 and left[2] < 80
    assert right[2] > 200 and right[0] < 60


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff", "avif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_camera_may_be_held_in_any_way(kind: str, orientation: int) -> None:
    """Red at the top left, whichever way the sensor was turned."""
    upright = Image.new("RGB", (96, 64), "blue")
    upright.paste("red", (0, 0, 32, 32))
    back = {1: None, 2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}[orientation]
    sensor = upright if back is None else upright.transpose(Image.Transpose(back))
    tags = Image.Exif()
    tags[0x0112] = orientation
    seen = shown(encoded(sensor, kind.upper(), exif=tags.tobytes()), kind)
    assert seen.shape == (64, 96, 3)
    assert seen[8:24, 8:24, 0].min() > 150
    assert seen[40:, 40:, 2].min() > 150


def test_an_orientation_behind_the_pixels_counts() -> None:
    content = png(1, 90, 60)
    tags = exif(orientation=6).tobytes().removeprefix(b"Exif\0\0")
    late = content[:-12] + chunk(b"eXIf", tags) + content[-12:]
    assert shown(late, "png").shape == (90, 60, 3)


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff"])
def test_the_long_side_is_bounded_and_nothing_is_enlarged(kind: str) -> None:
    content = encoded(picture(2, 1000, 500), kind.upper())
    assert shown(content, kind, 400).shape == (200, 400, 3)
    assert shown(content, kind, 2000).shape == (500, 1000, 3)
    assert shown(content, kind, None).shape == (500, 1000, 3)


def test_a_large_jpeg_is_decoded_small() -> None:
    content = jpeg(3, 4000, 3000)
    image = open_image(content, "jpeg")
    seen = np.asarray(render_pixels(image, 1920)).astype(int)
    assert image.size == (2000, 1500)  # the decoder's work, before resizing
    assert seen.shape == (1440, 1920, 3)
    whole = Image.open(io.BytesIO(content)).resize((1920, 1440), Image.Resampling.LANCZOS)
    assert np.abs(seen - np.asarray(whole)).mean() < 1


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff"])
def test_a_half_that_is_nearly_right_is_not_resized_again(kind: str) -> None:
    """Alike for every kind: a photo's size must not tell what it was saved as."""
    content = encoded(picture(3, 1200, 901), kind.upper())
    for most, wide, high in [
        (640, 600, 451),
        (600, 600, 451),
        (599, 599, 450),
        (700, 700, 526),
        (300, 300, 226),
    ]:
        assert shown(content, kind, most).shape == (high, wide, 3), most


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "CMYK", "P", "I;16"])
def test_a_half_shows_what_the_whole_does(mode: str) -> None:
    image = picture(4, 400, 300).convert("L" if mode == "I;16" else mode)
    if mode == "I;16":
        image = Image.fromarray(np.asarray(image).astype(np.uint16) * 257)
    content = encoded(image, "TIFF")
    half, whole = shown(content, "tiff", 200), shown(content, "tiff", None)
    assert half.shape == (150, 200, 3)
    shrunk = np.asarray(
        Image.fromarray(whole.astype(np.uint8)).resize((200, 150), Image.Resampling.BOX)
    )
    assert np.abs(half.astype(int) - shrunk).mean() < 2


def test_display_p3_becomes_srgb() -> None:
    """A P3 red lies outside sRGB; a mild colour moves by what the two profiles differ."""
    profile = display_p3()
    mild = Image.new("RGB", (64, 64), (180, 120, 100))
    reference = ImageCms.profileToProfile(
        mild,
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        ImageCms.createProfile("sRGB"),
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
    )
    assert reference is not None
    seen = shown(encoded(mild, "PNG", icc_profile=profile), "png")
    assert np.abs(seen - np.asarray(reference)).max() <= 1
    assert np.abs(seen - np.asarray(mild)).max() >= 5
    for kind in ("jpeg", "webp", "tiff", "avif"):
        also = shown(encoded(mild, kind.upper(), icc_profile=profile, quality=95), kind)
        assert np.abs(also - seen).mean() < 3


@pytest.mark.parametrize("profile", [b"noise" * 100, display_p3()[:300], b""])
def test_a_profile_that_cannot_be_used_is_ignored(profile: bytes) -> None:
    plain = picture(4)
    seen = shown(encoded(plain, "PNG", icc_profile=profile), "png")
    assert np.array_equal(seen, np.asarray(plain))


def test_a_profile_of_another_kind_of_pixels_is_ignored() -> None:
    grey = picture(4).convert("L")
    seen = shown(encoded(grey, "PNG", icc_profile=display_p3()), "png")
    assert np.array_equal(seen[..., 0], np.asarray(grey))


def test_see_through_parts_lie_on_white() -> None:
    layer = Image.new("RGBA", (40, 40), (200, 0, 0, 255))
    layer.paste((0, 0, 0, 0), (0, 0, 20, 40))
    palette = layer.convert("RGB").quantize(4)
    clear = palette.getpixel((5, 5))
    for content, kind in (
        (encoded(layer, "PNG"), "png"),
        (encoded(layer, "WEBP", lossless=True), "webp"),
        (encoded(layer, "TIFF"), "tiff"),
        (encoded(palette, "PNG", transparency=clear), "png"),
        (encoded(layer.convert("LA"), "PNG"), "png"),
    ):
        seen = shown(content, kind)
        assert seen[:, :18].min() == 255
        assert seen[:, 22:, 1].max() < 100


def test_grey_of_sixteen_bits_is_scaled_not_clipped() -> None:
    deep = Image.fromarray(np.linspace(0, 65535, 64 * 64).reshape(64, 64).astype(np.uint16))
    for kind in ("png", "tiff"):
        seen = shown(encoded(deep, kind.upper()), kind)
        assert seen.min() == 0 and seen.max() >= 254
        assert abs(seen.mean() - 127.5) < 1.5


def test_colours_of_sixteen_bits_are_scaled() -> None:
    import zlib

    row = b"\0" + b"\x80\x00\x40\x00\xff\xff" * 8
    content = png_header(8, 8, depth=16) + chunk(b"IDAT", zlib.compress(row * 8))
    seen = shown(content + chunk(b"IEND", b""), "png")
    assert seen[0, 0].tolist() == [128, 64, 255]


def test_cmyk_and_lab_become_srgb() -> None:
    ink = Image.new("CMYK", (32, 32), (255, 0, 0, 0))
    for kind in ("jpeg", "tiff"):
        cyan = shown(encoded(ink, kind.upper()), kind)[16, 16]
        assert cyan[0] < 60 and cyan[2] > 180
    lab = shown(encoded(Image.new("LAB", (32, 32), (128, 128, 128)), "TIFF"), "tiff")[16, 16]
    assert np.ptp(lab) <= 3 and 105 < lab[0] < 135


def test_what_follows_the_picture_is_not_looked_at() -> None:
    first, second = picture(5), picture(6)
    alone = shown(encoded(first, "JPEG", quality=90), "jpeg")
    stereo = encoded(first, "MPO", quality=90, save_all=True, append_images=[second])
    assert np.array_equal(shown(stereo, "jpeg"), alone)
    assert np.array_equal(shown(encoded(first, "JPEG", quality=90) + MP4, "jpeg"), alone)


def test_limits_on_pixels() -> None:
    big = png_header(20000, 20000) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")
    with pytest.raises(RefusedError, match="20000 × 20000 pixels") as refused:
        shown(big, "png")
    assert refused.value.kind == "pixels"
    with pytest.raises(RefusedError, match="96 × 64"):
        render_pixels(open_image(png(1), "png"), 1920, max_pixels=6000)
    with pytest.raises(RefusedError, match="too long for a JPEG"):
        shown(png_header(70000, 1) + chunk(b"IEND", b""), "png", None)


def test_texts_do_not_matter() -> None:
    plain = png(7)
    assert np.array_equal(
        shown(with_chunks(plain, chunk(b"tEXt", b"a\0b")), "png"), shown(plain, "png")
    )
