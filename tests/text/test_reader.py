"""The reader on drawn signs, and on pictures that are made to trouble it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.text import reader
from elsewhere.text.regions import find_regions
from elsewhere.values.photo_text import READ
from tests.text.signs import CONDITIONS, Sheet, draw_sheet


def lines_of(content: bytes) -> list[list[Any]]:
    answer, _ = reader.read({"contents": [content]})
    lines: list[list[Any]] = answer["lines"]
    return lines


def encoded(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.convert("RGB").save(file, "JPEG", quality=90)
    return file.getvalue()


def written(text: str, height: int = 40, size: tuple[int, int] = (900, 300)) -> Image.Image:
    picture = Image.new("RGB", size, "#dde")
    font = ImageFont.load_default(height)
    ImageDraw.Draw(picture).text((40, 60), text, fill="black", font=font)
    return picture


def read_heights(sheet: Sheet) -> set[int]:
    """The heights of the signs whose name was read where it stands."""
    found, lines = set(), lines_of(sheet.content)
    for sign in sheet.signs:
        left, top, right, bottom = sign.box
        for text, confidence, x0, y0, x1, y1, _ in lines:
            width = min(right, x1) - max(left, x0)
            height = min(bottom, y1) - max(top, y0)
            covers = min(width, height) > 0 and width * height > (right - left) * (bottom - top) / 2
            if covers and text == sign.name and confidence >= READ:
                found.add(sign.height)
    return found


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_sign_on_a_photo_is_read_at_every_size(condition: str) -> None:
    heights = (14, 24, 60, 120)
    sheet = draw_sheet("Latin", "Avignon", condition, heights=heights, size=(1280, 960))
    assert read_heights(sheet) == set(heights)


def test_small_letters_of_a_large_picture_are_found_in_tiles() -> None:
    sheet = draw_sheet("Latin", "Coimbra", heights=(12, 20))
    assert read_heights(sheet) == {12, 20}


def test_what_the_first_looks_suspect_and_do_not_find_is_read_enlarged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find_lines = reader.find_lines

    def suspect(image: Image.Image) -> reader.FirstLooks:
        found = find_lines(image)
        return replace(found, lines=[], suspected=found.lines)

    content = encoded(written("Valparaiso", 12))
    monkeypatch.setattr(reader, "find_lines", suspect)
    assert [line[0] for line in lines_of(content)] == ["Valparaiso"]
    answer, _ = reader.read({"contents": [content], "enlarged": 2})
    assert answer["lines"] == [], "there the whole picture is enlarged"


def test_a_faint_line_is_suspected_before_it_is_found() -> None:
    marks = np.zeros((64, 200), np.float32)
    marks[20:26, 20:80], marks[40:46, 20:80] = 0.45, 0.32
    assert find_regions(marks) == ([], 0)
    ((line,), more) = find_regions(marks, reader._SUSPECTED)
    assert more == 0 and line.score == pytest.approx(0.45) and line.y == 23


def test_what_is_read_for_certain_is_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    detect, sizes = reader._detect, list[tuple[int, ...]]()

    def watch(pixels: reader.Pixels) -> object:
        sizes.append(pixels.shape[:2])
        return detect(pixels)

    monkeypatch.setattr(reader, "_detect", watch)
    assert [line[0] for line in lines_of(encoded(written("Valparaiso", size=(600, 300))))]
    assert sizes == [(300, 600)]


def test_a_line_that_is_read_in_two_ways_has_both_and_the_surer_first() -> None:
    picture = written("Valparaiso")
    (region,) = reader.find_lines(picture).lines
    line = reader._FoundLine(region, np.zeros((48, 9, 3), np.uint8), [("Valparais", 0.8)])
    for reading in (("Valparaiso", 0.9), ("Valparaiso", 0.95), ("nonsense", 0.2), (" ", 0.99)):
        line.add(*reading)
    assert line.readings == [("Valparaiso", 0.9), ("Valparais", 0.8)]


def test_a_line_may_hang_upside_down_or_run_downwards() -> None:
    picture = written("Valparaiso")
    for turn in (Image.Transpose.ROTATE_180, Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270):
        texts = [line[0] for line in lines_of(encoded(picture.transpose(turn)))]
        assert texts == ["Valparaiso"], turn


def test_the_rectangle_holds_every_letter() -> None:
    picture = written("Gdynia", 60)
    ((text, _, left, top, right, bottom, _),) = lines_of(encoded(picture))
    assert text == "Gdynia"
    ink = np.asarray(picture.convert("L")) < 128
    outside = ink.copy()
    outside[top:bottom, left:right] = False
    assert ink.any() and not outside.any()


def test_the_same_picture_gives_the_same_lines() -> None:
    content = draw_sheet("Latin", "Brno", "noise", heights=(14, 40), size=(800, 600)).content
    assert lines_of(content) == lines_of(content)


def test_a_picture_without_text_has_none() -> None:
    plain = Image.new("RGB", (640, 480), "#88a")
    assert reader.read({"contents": [encoded(plain)]}) == (
        {"lines": [], "more": 0, "crops": []},
        [],
    )
    assert lines_of(encoded(Image.new("RGB", (1, 1)))) == []


def test_a_wall_of_text_is_read_up_to_a_limit_and_the_rest_counted() -> None:
    picture = Image.new("RGB", (1200, 1200), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(14)
    for row in range(40):
        for column in range(8):
            pen.text((10 + column * 148, 8 + row * 29), f"no{row}x{column}", fill=0, font=font)
    answer, _ = reader.read({"contents": [encoded(picture)]})
    assert len(answer["lines"]) == reader.MAX_LINES
    assert answer["more"] > 100


def test_a_gigantic_letter_breaks_nothing() -> None:
    for height in (500, 1500):
        assert len(lines_of(encoded(written("Lisboa", height, (1600, 1200))))) <= 10


def test_letters_as_high_as_the_picture_are_read() -> None:
    for height, size in ((160, (800, 220)), (200, (1200, 300))):
        picture = written("AVIGNON", height, size)
        assert "AVIGNON" in [line[0] for line in lines_of(encoded(picture))], height


def test_a_huge_picture_is_read_within_the_limits_of_memory() -> None:
    picture = Image.new("RGB", (9000, 6000), "white")
    font = ImageFont.load_default(160)
    ImageDraw.Draw(picture).text((6000, 5000), "Avignon", fill="black", font=font)
    ((text, _, left, top, right, bottom, _),) = lines_of(encoded(picture))
    assert text == "Avignon"
    assert 5800 < left < right < 7200 and 4900 < top < bottom < 5300


def test_unread_lines_come_along_as_grey_pixels() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (300, 400, 3), np.uint8)
    picture = Image.fromarray(noise).resize((800, 600))
    scribble = ImageDraw.Draw(picture)
    for x in range(100, 600, 23):
        scribble.line((x, 200, x + 30, 260, x + 5, 240), fill="black", width=6)
    answer, blobs = reader.read({"contents": [encoded(picture)], "crops": 3})
    assert len(blobs) == len(answer["crops"]) <= 3
    assert all(len(blob) % reader.LINE_HEIGHT == 0 for blob in blobs)
    assert all(answer["lines"][number][1] < READ for number in answer["crops"])


def test_the_reader_works_in_the_cage() -> None:
    content = draw_sheet("Latin", "Wroclaw", heights=(30,), size=(900, 600)).content
    with Workers("elsewhere.text.reader:read", count=1) as workers:
        if workers.cage().seccomp:
            assert workers.cage().no_new_privileges
        for _ in range(2):
            reply = workers.ask({"files": ["a.jpg"], "crops": 8}, content)
            assert (reply.failed, reply.answer["lines"]) == ("", lines_of(content))
        assert workers.ask({"files": ["a.jpg"]}, content[:2000]).failed == "damaged"


def test_a_changed_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in reader.DIGESTS:
        (tmp_path / name).write_bytes(b"no model")
    monkeypatch.setattr(reader, "MODELS", tmp_path)
    reader._session.cache_clear()
    try:
        with pytest.raises(FileError, match="install elsewhere again"):
            lines_of(encoded(written("a")))
    finally:
        reader._session.cache_clear()
