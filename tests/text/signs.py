"""Signs drawn on photos: names of towns in twelve scripts, eight sizes and four conditions.

The photos are those of the example album. Fonts are looked for on this machine and in the folders
of `ELSEWHERE_FONTS`; a script without a font is left out.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from elsewhere.example import ALBUM

NAMES = {
    "Latin": ("Avignon", "Coimbra", "Wrocław", "Göteborg", "Valparaíso", "Brno"),
    "Greek": ("Θεσσαλονίκη", "Πάτρα", "Ηράκλειο"),
    "Cyrillic": ("Москва", "Казань", "Пловдив"),
    "Han": ("北京", "成都", "札幌"),
    "Kana": ("さいたま", "つくば", "いわき"),
    "Hangul": ("서울", "부산", "대구"),
    "Arabic": ("القاهرة", "دمشق", "الرباط"),
    "Hebrew": ("ירושלים", "חיפה", "אשדוד"),
    "Thai": ("กรุงเทพ", "เชียงใหม่", "ขอนแก่น"),
    "Devanagari": ("दिल्ली", "मुंबई", "वाराणसी"),
    "Georgian": ("თბილისი", "ბათუმი", "ქუთაისი"),
    "Armenian": ("Երևան", "Գյումրի", "Մոսկվա"),
}
HEIGHTS = (6, 8, 10, 14, 20, 40, 80, 160)
"""Of capital letters, about, in pixels."""
CONDITIONS = ("plain", "perspective", "night", "noise")
SIZE = (2048, 1536)
_FONTS = {
    "Latin": ("NotoSans-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Greek": ("NotoSans-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Cyrillic": ("NotoSans-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Han": ("NotoSansCJKsc-Regular.otf", "NotoSansCJK-Regular.ttc", "ipaexg.ttf"),
    "Kana": ("NotoSansCJKsc-Regular.otf", "NotoSansCJK-Regular.ttc", "ipaexg.ttf"),
    "Hangul": ("NotoSansCJKsc-Regular.otf", "NotoSansCJK-Regular.ttc", "NanumGothicBold.ttf"),
    "Arabic": ("NotoSansArabic-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Hebrew": ("NotoSansHebrew-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Thai": ("NotoSansThai-Bold.ttf",),
    "Devanagari": ("NotoSansDevanagari-Bold.ttf",),
    "Georgian": ("NotoSansGeorgian-Bold.ttf", "DejaVuSans-Bold.ttf"),
    "Armenian": ("NotoSansArmenian-Bold.ttf", "DejaVuSans-Bold.ttf"),
}
_BACKGROUNDS = ("hills.jpg", "bridge.jpg", "fig.jpg", "sunset.jpg")
_COLOURS = ((("white", "#0b3d91")), ("black", "#f4f4f0"), ("white", "#006b3c"), ("#222", "#ffd100"))


@dataclass(frozen=True)
class Sign:
    """One name on a picture."""

    name: str
    height: int
    box: tuple[int, int, int, int]
    """Left, top, right, bottom of the letters, in pixels of the picture."""


@dataclass(frozen=True)
class Sheet:
    """A picture with signs, as JPEG bytes."""

    script: str
    condition: str
    signs: tuple[Sign, ...]
    content: bytes


@cache
def font_file(script: str) -> Path | None:
    """A font on this machine that has the letters of a script."""
    folders = [*os.environ.get("ELSEWHERE_FONTS", "").split(os.pathsep), "/usr/share/fonts"]
    paths = (path for folder in filter(None, folders) for path in Path(folder).rglob("*"))
    files = {path.name: path for path in paths}
    return next((files[name] for name in _FONTS[script] if name in files), None)


def load_font(script: str, height: int) -> ImageFont.FreeTypeFont | None:
    """The font at the size at which capital letters have about this height."""
    path = font_file(script)
    if path is not None:
        return ImageFont.truetype(str(path), round(height * 1.4))
    if script == "Latin":  # Pillow brings one
        font = ImageFont.load_default(round(height * 1.4))
        assert isinstance(font, ImageFont.FreeTypeFont)
        return font
    return None


def sheets(scripts: Sequence[str] = tuple(NAMES), limit: int = 3) -> Iterator[Sheet]:
    """A picture for each script, name and condition, with the name in every height."""
    for script in scripts:
        if load_font(script, 10) is None:
            continue
        for number, name in enumerate(NAMES[script][:limit]):
            for condition in CONDITIONS:
                yield draw_sheet(script, name, condition, seed=number)


def draw_sheet(
    script: str,
    name: str,
    condition: str = "plain",
    *,
    heights: Sequence[int] = HEIGHTS,
    size: tuple[int, int] = SIZE,
    seed: int = 0,
) -> Sheet:
    """One name in several heights on a photo."""
    random = np.random.default_rng([seed, len(name)])
    with Image.open(ALBUM / _BACKGROUNDS[seed % len(_BACKGROUNDS)]) as photo:
        picture = photo.convert("RGB").resize(size)
    signs, top = [], 12
    for height in heights:
        patch, inner = _patch(script, name, height, condition, random)
        left = int(random.integers(8, max(9, size[0] - patch.width - 8)))
        picture.paste(patch.convert("RGB"), (left, top), patch.getchannel("A"))
        box = tuple(value + (left, top)[at % 2] for at, value in enumerate(inner))
        signs.append(Sign(name, height, (box[0], box[1], box[2], box[3])))
        top += patch.height + max(6, height // 4)
    pixels = np.asarray(picture, np.float64)
    if condition == "night":
        pixels = 12 + pixels * 0.22 + random.normal(0, 4, pixels.shape)
    if condition == "noise":
        pixels += random.normal(0, 22, pixels.shape)
    final = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    file = io.BytesIO()
    final.save(file, "JPEG", quality=60 if condition == "noise" else 90)
    return Sheet(script, condition, tuple(signs), file.getvalue())


def _patch(
    script: str, name: str, height: int, condition: str, random: np.random.Generator
) -> tuple[Image.Image, tuple[int, int, int, int]]:
    """A board with the name, and where its letters are on it."""
    font = load_font(script, height)
    assert font is not None
    left, top, right, bottom = (round(value) for value in font.getbbox(name))
    edge = max(3, height // 2)
    ink, ground = _COLOURS[int(random.integers(len(_COLOURS)))]
    board = Image.new("RGBA", (right - left + 2 * edge, bottom - top + 2 * edge), ground)
    ImageDraw.Draw(board).text((edge - left, edge - top), name, fill=ink, font=font)
    if condition != "perspective":
        return board, (edge, edge, board.width - edge, board.height - edge)
    # seen from the side: one end smaller, both ends shifted
    width, high = board.size
    shrink, shift = 0.25 * high, 0.18 * high
    quad = (0, -shift, 0, high + shift, width, high + shift + shrink, width, -shift - shrink)
    tilted = board.transform(
        board.size, Image.Transform.QUAD, quad, Image.Resampling.BICUBIC, fillcolor=(0, 0, 0, 0)
    ).rotate(float(random.uniform(-6, 6)), Image.Resampling.BICUBIC, expand=True)
    tilted = tilted.filter(ImageFilter.GaussianBlur(0.4)) if height > 20 else tilted
    found = tilted.getchannel("A").getbbox()
    assert found is not None
    inset = (found[3] - found[1]) // 4
    return tilted, (found[0] + edge, found[1] + inset, found[2] - edge, found[3] - inset)
