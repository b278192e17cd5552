"""Photos in bytes are what the tower is given."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image
from training.views import squash

from elsewhere.scorers.tower import MEAN, STD, preprocess_file


def test_a_square_is_what_the_tower_gets_before_its_values_are_scaled() -> None:
    content = io.BytesIO()
    noise = np.random.default_rng(3).integers(0, 256, (700, 1100, 3), dtype=np.uint8)
    turned = Image.Exif()
    turned[0x0112] = 6
    Image.fromarray(noise).save(content, "JPEG", exif=turned)
    small, square = squash(content.getvalue(), (160, 224))
    assert small.shape == (160, 160, 3)
    given = (square / 255 - MEAN) / STD
    expected = preprocess_file(io.BytesIO(content.getvalue())).transpose(1, 2, 0)
    assert np.abs(given - expected).max() < 1e-5
