"""What the colours promise, measured: contrast, hues apart for everybody, one name for a colour."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
from markupsafe import Markup

from elsewhere.report import colours
from elsewhere.report.colours import DARK, LIGHT, Palette
from tests.report.makers import contents

THEMES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
MEANINGS = ("kept", "withheld", "truth", "decoy", "baseline")


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    light, dark = sorted(
        (float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


def seen_without_red_or_green(colour: str) -> np.ndarray:
    """A colour as somebody without red (or nearly: green) cones sees it, in CIELAB."""
    # Viénot, Brettel and Mollon 1999: the projection for people without long-wave cones
    matrix = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
    return lab(np.clip(matrix @ linear(colour), 0, 1))


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ rgb
        / [0.9505, 1.0, 1.089]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@THEMES
def test_what_is_read_can_be_read(palette: Palette) -> None:
    for ground in (palette.ground, palette.card):
        for name in ("ink", "faint", "warning", *MEANINGS):
            assert contrast(getattr(palette, name), ground) >= 4.5, name


@THEMES
def test_meanings_can_be_told_apart_without_red_cones(palette: Palette) -> None:
    for one, other in combinations(MEANINGS, 2):
        colours = getattr(palette, one), getattr(palette, other)
        apart = np.linalg.norm(np.subtract(*map(seen_without_red_or_green, colours)))
        assert apart > 9, (one, other, apart)


def test_every_colour_that_is_named_exists() -> None:
    from elsewhere.report import page

    known = {field.name for field in fields(Palette)} | {"state", "long", "bar", "card-width", "c"}
    used = set(re.findall(r"var\(--([a-z-]+)", page(contents(6, 2))))
    assert used <= known
    assert {"kept", "withheld", "truth", "decoy", "baseline"} <= used


def test_a_picture_by_itself_brings_its_colours() -> None:
    alone = colours.standalone(Markup('<svg><circle r="3" fill="var(--kept)"/></svg>'))
    assert alone.startswith('<svg xmlns="http://www.w3.org/2000/svg"><style>')
    assert LIGHT.kept in alone
    assert DARK.kept in alone


def test_the_lab_gets_the_same_colours() -> None:
    style = colours.matplotlib_style(DARK)
    assert style["text.color"] == DARK.ink
    assert DARK.kept in str(style["axes.prop_cycle"])
