"""The benchmark of platforms: photos are really encoded again, and albums are counted by way."""

from __future__ import annotations

from io import BytesIO

from benchmarks.platforms.__main__ import (
    EVERYTHING,
    KEPT,
    OTHER,
    OWN,
    SHARED,
    Outcome,
    encoded_again,
    table,
)
from PIL import Image


def picture() -> bytes:
    out = BytesIO()
    Image.effect_noise((120, 80), 60).convert("RGB").save(out, "JPEG", quality=90)
    return out.getvalue()


def test_a_photo_is_encoded_again_at_another_quality_and_size() -> None:
    shared = picture()
    worse, smaller = encoded_again(shared, 60, 1), encoded_again(shared, 80, 0.5)
    assert len(worse) < len(shared)
    assert Image.open(BytesIO(worse)).size == (120, 80)
    assert Image.open(BytesIO(smaller)).size == (60, 40)


def test_albums_with_a_plan_are_counted_by_way() -> None:
    safe = {OWN: False, OTHER: False, KEPT: True}
    seen = {OWN: True, OTHER: True, KEPT: False}
    one = Outcome("one", 10, 6, {EVERYTHING: seen, SHARED: safe, "quality 60": seen})
    two = Outcome("two", 5, 4, {EVERYTHING: safe, SHARED: safe, "quality 60": safe})
    none = Outcome("none", 3, 0, {EVERYTHING: seen})
    lines = table([one, two, none]).splitlines()
    cells = {line.split(" | ")[0]: line.split(" | ")[1:] for line in lines[2:5]}
    assert [cell.split(" (")[0] for cell in cells["| as exported"][:3]] == ["2", "0", "0"]
    assert [cell.split(" (")[0] for cell in cells["| quality 60"][:3]] == ["1", "1", "1"]
    assert lines[-1] == "2 of 3 albums have a plan, 10 of their 15 photos are shared."
