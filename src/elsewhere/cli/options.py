"""Options that the commands share: declared once, so that they are called and mean the same.

A command writes `at: At = None`; one that sorts its many options under headings takes the function
of that name and says under which: `at: Annotated[list[str] | None, options.at(PANEL)] = None`.
What is typed is turned into values by `arguments.py` and `typed.py` and by the job itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

SCORERS = "embedded, geoclip, onnx:MODEL.onnx, table:SCORES.npz or an installed one"
"""What may be typed for a scorer."""


def _option(panel: str | None, *names: str, **told: Any) -> Any:
    """An option; where nothing is said of a default there is none to be shown."""
    return typer.Option(*names, rich_help_panel=panel, **{"show_default": False, **told})


def at(panel: str | None = None) -> Any:
    """Where the album was taken, from its owner."""
    return _option(
        panel,
        "--at",
        metavar="PLACE",
        help="Where the photos were taken, if their files do not say: a town, region, country, "
        '"38.72, -9.14", or - to be asked (it stays out of the shell history). Give it again for '
        "a second place.",
    )


def hide(panel: str | None = None) -> Any:
    """Which places are hidden."""
    return _option(
        panel,
        "--hide",
        metavar="PLACE",
        help="Which of the album's places are to be hidden: all, home (the one with photos on "
        "most days), or a place by name. Give it again for a second one.",
        show_default="all",
    )


def hide_level(panel: str | None = None) -> Any:
    """How widely, by borders."""
    return _option(
        panel,
        "--hide-level",
        metavar="LEVEL",
        help="Hide the whole cell, city, region or country, instead of a radius.",
    )


def radius(panel: str | None = None, **more: Any) -> Any:
    """How widely, by distance."""
    return _option(
        panel,
        "--radius",
        metavar="KM",
        help="How far around its photos a place is hidden, in kilometres.",
        show_default="25",
        **more,
    )


def scorers(panel: str | None = None) -> Any:
    """The attackers."""
    return _option(
        panel,
        "--scorer",
        metavar="SCORER",
        help=f"The attacker: {SCORERS}. Give it again for a second attacker.",
        show_default="embedded",
    )


def posted(panel: str | None = None) -> Any:
    """What is public already."""
    return _option(
        panel,
        "--posted",
        metavar="PATH",
        help="Photos that are public already, yours or others': a folder or a file. They are "
        "counted, and never exported. Give it again for more.",
    )


def top(panel: str | None = None, **more: Any) -> Any:
    """The k of the guarantee."""
    return _option(
        panel,
        "--top",
        metavar="K",
        help="Withhold as little as can be, so that no hidden place is among the first K guesses.",
        show_default="5",
        **more,
    )


def budget(panel: str | None = None) -> Any:
    """How many photos may go."""
    return _option(
        panel,
        "--budget",
        metavar="N|P%",
        help="Instead of --top: withhold at most N photos, or P% of them, and push the place down "
        "furthest.",
    )


def pin(fate: str, by: str, panel: str | None = None) -> Any:
    """A photo that stays or goes whatever happens: albums know patterns, score files numbers."""
    return _option(
        panel,
        metavar="PHOTO",
        help=f"A photo that must {fate}, by name or {by}. Give it again for another.",
    )


def margin(panel: str | None = None) -> Any:
    """What is spared for other models."""
    return _option(
        panel,
        "--margin",
        metavar="MARGIN",
        help="What to spare for models other than the scorers: none (only the scorers, exactly "
        "as they are), careful (small differences only), paranoid (models like them, trained "
        "on other photos), or a number of nats per kept photo, such as 0.2. No margin stands "
        "for another kind of model: give that as a second --scorer.",
        show_default="careful",
    )


def exact_top(panel: str | None = None) -> Any:
    """No secret k."""
    return _option(
        panel,
        "--exact-top",
        help="Use the K of --top itself. Otherwise one from K to 3K is drawn in secret, for "
        "whoever knows the tool would look just behind K.",
    )


def max_side(what: str, panel: str | None = None, **more: Any) -> Any:
    """How large renditions are."""
    return _option(
        panel,
        "--max-side",
        metavar="PIXELS",
        help=f"The longest side of {what}, in pixels.",
        show_default="2048",
        **more,
    )


def time_limit(panel: str | None = None) -> Any:
    """How long to plan."""
    return _option(
        panel,
        "--time-limit",
        metavar="SECONDS",
        help="Stop planning after so many seconds, with the best plan so far.",
        show_default="60",
    )


def work_limit(what: str, default: str, panel: str | None = None, **more: Any) -> Any:
    """How much to plan."""
    return _option(
        panel,
        "--work-limit",
        metavar="WORK",
        help=f"Stop {what} after so much work: a count, the same on every machine.",
        show_default=default,
        **more,
    )


def as_json(panel: str | None = None) -> Any:
    """For programs."""
    return _option(panel, "--json", help="Print JSON, for programs.")


def cache(panel: str | None = None) -> Any:
    """What is remembered of photos."""
    return _option(
        panel,
        "--cache/--no-cache",
        help="Remember scores, privately, for the next time.",
        show_default=True,
    )


Album = Annotated[
    list[Path],
    typer.Argument(
        metavar="ALBUM", help="A folder of photos, or photos one by one.", show_default=False
    ),
]
At = Annotated[list[str] | None, at()]
Hide = Annotated[list[str] | None, hide()]
HideLevel = Annotated[str | None, hide_level()]
Radius = Annotated[float, radius()]
Scorers = Annotated[list[str] | None, scorers()]
OneScorer = Annotated[
    str,
    _option(
        None, "--scorer", metavar="SCORER", help=f"The attacker: {SCORERS}.", show_default=True
    ),
]
PostedPaths = Annotated[list[Path] | None, posted()]
Margin = Annotated[str, margin()]
ExactTop = Annotated[bool, exact_top()]
World = Annotated[
    bool | None,
    _option(
        None, "--map/--no-map", help="Draw a map, or none.", show_default="a map in a terminal"
    ),
]
AsJson = Annotated[bool, as_json()]
UseCache = Annotated[bool, cache()]
