"""The tower's view of a photo: the whole of it, squashed, upright, normalised."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from elsewhere.scorers.tower import MEAN, SIDE, STD, preprocess, preprocess_file


def jpeg(image: Image.Image, **options: object) -> io.BytesIO:
    out = io.BytesIO()
    image.save(out, "JPEG", quality=95, **options)
    out.seek(0)
    return out


def test_a_plain_colour_becomes_its_normalised_value_everywhere() -> None:
    said = preprocess(Image.new("RGB", (640, 480), (200, 100, 50)))
    assert said.shape == (3, SIDE, SIDE) and said.dtype == np.float32 and said.flags.c_contiguous
    for channel, value in enumerate((200, 100, 50)):
        expected = (value / 255 - MEAN[channel]) / STD[channel]
        assert np.abs(said[channel] - expected).max() < 1e-5


def test_nothing_at_the_edges_is_cut_off() -> None:
    wide = Image.new("RGB", (1000, 200), "black")
    wide.paste((255, 255, 255), (0, 0, 100, 200))  # the left tenth
    said = preprocess(wide)
    assert said[0, :, :18].mean() > 1.5 and said[0, :, 30:].max() < 0


def test_grey_transparent_and_palette_pictures_are_taken_as_rgb() -> None:
    for mode in ("L", "RGBA", "P", "1", "CMYK"):
        assert preprocess(Image.new(mode, (300, 300))).shape == (3, SIDE, SIDE)


def test_a_large_jpeg_decoded_at_reduced_scale_gives_nearly_the_same_view() -> None:
    ramp = np.linspace(0, 255, 3000, dtype=np.float32)
    pixels = np.stack([np.tile(ramp, (2000, 1)), np.tile(ramp[:2000, None], (1, 3000))], axis=2)
    image = Image.fromarray(
        np.concatenate([pixels, pixels[:, :, :1]], axis=2).astype(np.uint8), "RGB"
    )
    opened = Image.open(jpeg(image))
    fast = preprocess(opened)
    assert opened.size[0] < 3000, "the draft was not used"
    assert np.abs(fast - preprocess(image)).max() < 0.05


def test_a_photo_is_turned_upright_as_its_metadata_says() -> None:
    image = Image.new("RGB", (400, 300), "black")
    image.paste((255, 255, 255), (0, 0, 400, 60))  # a white band on top
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    said = preprocess_file(jpeg(image, exif=exif.tobytes()))
    assert said[0, -30:].mean() > 1.5 and said[0, :150].max() < 0
