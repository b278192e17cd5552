"""Colours by meaning, light and dark, for the report, the docs and the lab.

What has a colour has a shape too, so nothing depends on colour alone. A test measures that people
who see red and green alike can tell the hues apart, and that text has a contrast of at least 4.5.

Pictures name colours as CSS variables (`var(--kept)`), which the page sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from markupsafe import Markup

FONT: Final = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif'


@dataclass(frozen=True)
class Palette:
    """Colours by what they mean."""

    ground: str
    """Behind everything."""
    card: str
    """Behind what belongs together."""
    line: str
    """Rules and axes: seen, not read."""
    land: str
    sea: str
    ink: str
    """What is read."""
    faint: str
    """What is read second."""
    kept: str
    """Shared, and what the attacker believes of it. Shape: a disc."""
    withheld: str
    """Withheld. Shape: a cross."""
    truth: str
    """The place to hide, and its zone. Shape: a ring."""
    decoy: str
    """A rival that outranks the place. Shape: a diamond."""
    baseline: str
    """What is shown for comparison. Shape: a plus, a dashed line."""
    warning: str
    """What must not be overlooked."""


LIGHT: Final = Palette(
    ground="#fbfaf7",
    card="#ffffff",
    line="#d9d6cd",
    land="#e4e0d4",
    sea="#f3f5f6",
    ink="#22252b",
    faint="#5c6068",
    kept="#0a68a6",
    withheld="#b54708",
    truth="#93278f",
    decoy="#00705f",
    baseline="#6f737b",
    warning="#a3160f",
)
DARK: Final = Palette(
    ground="#14161a",
    card="#1c1f25",
    line="#3a3e46",
    land="#343942",
    sea="#191c22",
    ink="#e9e7e1",
    faint="#a9adb5",
    kept="#62b6f0",
    withheld="#f59a4c",
    truth="#e58ae0",
    decoy="#43c9b0",
    baseline="#989da6",
    warning="#ff8a7d",
)
_LIGHT, _DARK = (
    ";".join(f"--{role}:{colour}" for role, colour in asdict(palette).items())
    for palette in (LIGHT, DARK)
)
THEMES: Final = (
    f":root{{{_LIGHT}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
    f"@media print{{:root{{{_LIGHT};--ground:#fff}}}}"
)
"""The colours as CSS variables: light, dark where the reader wishes it, and light on paper."""


def standalone(picture: Markup) -> str:
    """A picture as a file of its own, for the docs: it brings its colours and font along."""
    opening, _, rest = picture.partition(">")
    style = f"<style>{THEMES.replace(':root', 'svg')}svg{{background:var(--ground)}}</style>"
    return f'{opening} xmlns="http://www.w3.org/2000/svg">{style}{rest}\n'


def matplotlib_style(palette: Palette = LIGHT) -> Mapping[str, object]:
    """The same colours for matplotlib: `with matplotlib.rc_context(matplotlib_style()): …`.

    The lines of a plot take the colours in order of meaning: kept, withheld, decoy, truth,
    baseline; dashes and markers are left to the plot, which must not tell by colour alone.
    """
    lines = [palette.kept, palette.withheld, palette.decoy, palette.truth, palette.baseline]
    cycle = f"cycler('color', {lines})"
    return {
        "axes.prop_cycle": cycle,
        "axes.edgecolor": palette.line,
        "axes.facecolor": palette.card,
        "axes.labelcolor": palette.ink,
        "axes.titlecolor": palette.ink,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.grid": True,
        "figure.facecolor": palette.ground,
        "font.family": ["sans-serif"],
        "grid.color": palette.line,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "savefig.facecolor": palette.ground,
        "svg.fonttype": "none",
        "svg.hashsalt": "elsewhere",
        "text.color": palette.ink,
        "xtick.color": palette.faint,
        "ytick.color": palette.faint,
    }
