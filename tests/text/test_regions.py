"""From a map of probabilities to rectangles."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from elsewhere.text.regions import MAX_REGIONS, find_regions


def bar(angle: float, size: tuple[int, int] = (120, 20)) -> np.ndarray:
    """A map with one bar, turned clockwise by so many degrees."""
    picture = Image.new("L", (300, 300))
    left, top = 150 - size[0] // 2, 150 - size[1] // 2
    ImageDraw.Draw(picture).rectangle((left, top, left + size[0] - 1, top + size[1] - 1), fill=255)
    turned = picture.rotate(-angle, Image.Resampling.BILINEAR)
    return np.asarray(turned, np.float32) / 255


@pytest.mark.parametrize("angle", [0, 7, 30, -20, 44])
def test_a_turned_bar_becomes_a_turned_rectangle(angle: float) -> None:
    (region,), more = find_regions(bar(angle))
    growth = 120 * 20 * 1.6 / 140
    assert more == 0
    assert (region.x, region.y) == pytest.approx((150, 150), abs=1.5)
    assert region.width == pytest.approx(120 + growth, abs=4)
    assert region.height == pytest.approx(20 + growth, abs=4)
    assert np.degrees(region.angle) == pytest.approx(angle, abs=2)
    assert region.score > 0.9


def test_a_standing_bar_is_a_line_that_is_read_downwards() -> None:
    (region,), _ = find_regions(bar(0, (20, 120)))
    assert region.width > region.height
    assert np.degrees(region.angle) == pytest.approx(90, abs=1)
    assert region.corners()[0] == pytest.approx((150 + region.height / 2, 150 - region.width / 2))


def test_what_is_connected_is_one_region() -> None:
    shape = np.zeros((60, 60), np.float32)
    shape[10:50, 10:14] = shape[10:50, 40:44] = shape[46:50, 10:44] = 1  # a U
    shape[5:8, 50:58] = 1
    regions, _ = find_regions(shape)
    assert len(regions) == 2


def test_faint_and_tiny_marks_are_no_text() -> None:
    faint = np.zeros((40, 40), np.float32)
    faint[10:20, 5:35] = 0.4
    tiny = np.zeros((40, 40), np.float32)
    tiny[10, 10] = tiny[20:22, 20] = 1
    assert find_regions(faint) == find_regions(tiny) == ([], 0)
    assert find_regions(np.zeros((8, 8), np.float32)) == ([], 0)


def test_ten_thousand_marks_are_counted_and_a_thousand_measured() -> None:
    marks = np.zeros((800, 800), np.float32)
    for row in range(100):
        for column in range(100):
            marks[row * 8 : row * 8 + 4, column * 8 : column * 8 + 5] = 1
    regions, more = find_regions(marks)
    assert (len(regions), more) == (MAX_REGIONS, 10_000 - MAX_REGIONS)
