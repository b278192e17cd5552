"""The benchmark of edits, in small: what it counts, and the attacks that know of covers."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from benchmarks.edits.__main__ import attack_table, table
from benchmarks.edits.measure import ATTACKERS, FILLED, PLAIN, Outcome, fill_covers
from benchmarks.edits.trips import placed
from PIL import Image

from elsewhere.album import read_album
from elsewhere.values.versions import Edit, Rectangle

NOBODY = dict.fromkeys(ATTACKERS, False)


def picture(covered: tuple[int, int, int, int] | None = None) -> bytes:
    image = Image.new("RGB", (200, 100), (200, 40, 40))
    if covered:
        image.paste((128, 128, 128), covered)
    out = BytesIO()
    image.save(out, "JPEG", quality=95)
    return out.getvalue()


def test_a_withheld_photo_is_lost_whole() -> None:
    outcome = Outcome("edits", 10, True, 6, (0.25, 0.5))
    assert outcome.withheld == 2
    assert outcome.lost == 2.75


def test_albums_are_added_up() -> None:
    hits = {PLAIN: NOBODY}
    found = {**NOBODY, "dino": True}
    outcomes = [
        Outcome("edits", 10, True, 6, (0.25, 0.5), 4, 12, 320, 40.0, {**hits, FILLED: found}),
        Outcome("edits", 10, False, 0, hits=hits),
    ]
    row = table(outcomes).splitlines()[2].split(" | ")
    assert row[1:4] == ["2", "1", "20"]
    assert row[6].startswith("12 (")
    assert row[7:10] == ["0.64", "0.38", "0.50"]
    assert row[10:] == ["12", "80", "5.0 |"]
    as_shared, filled = (line.split(" | ") for line in attack_table(outcomes).splitlines()[2:])
    assert as_shared[3].startswith("0 (")
    assert filled[1] == FILLED
    assert filled[3].startswith("1 (")


@pytest.mark.parametrize("crop", [None, Rectangle(0, 0, 800, 1000)])
def test_covers_are_filled_in_by_what_is_around_them(crop: Rectangle | None) -> None:
    width = 200 if crop is None else 160
    image = Image.open(BytesIO(picture((50, 25, 100, 75)))).crop((0, 0, width, 100))
    out = BytesIO()
    image.save(out, "JPEG", quality=95)
    filled = fill_covers(out.getvalue(), Edit(crop, (Rectangle(250, 250, 500, 750),)))
    pixels = np.asarray(Image.open(BytesIO(filled)), dtype=np.float64)
    assert pixels.shape == (100, width, 3)
    assert np.abs(pixels - (200, 40, 40)).max() < 40


def test_a_position_is_written_before_a_picture(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(placed(picture(), -33.87, 151.21))
    album = read_album([tmp_path])
    position = album.photos[0].metadata.position
    album.close()
    assert position == pytest.approx((-33.87, 151.21), abs=1e-4)
