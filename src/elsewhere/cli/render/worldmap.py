"""A small map of the world for the terminal: land in dots, guesses as their numbers, the truth ×.

The outlines are those of `globe`; each character holds two by four dots of Braille, so that
72 columns are enough to tell continents apart. Where the terminal has no Braille, land is full
stops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from rich.text import Text

from elsewhere.service import countries

NORTH, SOUTH = 80.0, -56.0
"""What is shown; nobody's photos are lost, since marks beyond it stand at the edge."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille's bits, by row and column within a character."""
_STYLES = ("bold white on red", "bold black on yellow", "bold black on green")
_TRUTH = "bold white on blue"


def draw(
    marks: Sequence[tuple[float, float]],
    columns: int = 72,
    *,
    braille: bool = True,
    truth: tuple[float, float] | None = None,
) -> Text:
    """The map with marks 1, 2, 3, … at these latitudes and longitudes, the first one on top.

    The `truth` is a cross, or an x, over whatever number would stand there.
    """
    columns = max(20, columns)
    rows = round(columns / 2 * (NORTH - SOUTH) / 360)
    dots = _land(columns * 2, rows * 4)
    sheet = [
        [_character(dots, row, column, braille) for column in range(columns)] for row in range(rows)
    ]
    numbers = _placed(marks, columns, rows)
    here = next(iter(_placed([truth], columns, rows))) if truth else None
    for (row, column), number in numbers.items():
        sheet[row][column] = str(number) if number < 10 else "+"
    if here:
        sheet[here[0]][here[1]] = "×" if braille else "x"
    drawing = Text("\n".join("".join(line) for line in sheet), "dim", no_wrap=True)
    for (row, column), number in numbers.items():
        at = row * (columns + 1) + column
        drawing.stylize(_STYLES[min(number, len(_STYLES)) - 1], at, at + 1)
    if here:
        at = here[0] * (columns + 1) + here[1]
        drawing.stylize(_TRUTH, at, at + 1)
    return drawing


def _placed(
    marks: Sequence[tuple[float, float]], columns: int, rows: int
) -> dict[tuple[int, int], int]:
    """Which mark stands in which character; of two in one, the more likely."""
    numbers: dict[tuple[int, int], int] = {}
    for number, (lat, lon) in enumerate(marks, start=1):
        row = int((NORTH - lat) / (NORTH - SOUTH) * rows)
        column = int((lon + 180.0) / 360.0 * columns)
        numbers.setdefault((min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)), number)
    return numbers


@cache
def _land(width: int, height: int) -> tuple[tuple[bool, ...], ...]:
    """Which dots are land, row by row."""
    from PIL import Image, ImageDraw

    fine = 6  # drawn larger and reduced, so that a dot is land where most of it is
    sheet = Image.new("L", (width * fine, height * fine))
    pencil = ImageDraw.Draw(sheet)
    for outline in countries().values():
        for ring in outline.rings:
            lon = np.unwrap(ring[:, 1], period=360.0)  # across the date line in one piece
            x = (lon + 180.0) / 360.0 * width * fine
            y = (NORTH - ring[:, 0]) / (NORTH - SOUTH) * height * fine
            for shift in (-width * fine, 0, width * fine):
                pencil.polygon([*zip((x + shift).tolist(), y.tolist(), strict=True)], fill=255)
    pixels = sheet.reduce(fine).tobytes()
    return tuple(
        tuple(value > 127 for value in pixels[row * width : (row + 1) * width])
        for row in range(height)
    )


def _character(dots: tuple[tuple[bool, ...], ...], row: int, column: int, braille: bool) -> str:
    bits = sum(_DOTS[y][x] for y in range(4) for x in range(2) if dots[row * 4 + y][column * 2 + x])
    if braille:
        return chr(0x2800 + bits) if bits else " "
    return "." if bits.bit_count() >= 4 else " "
