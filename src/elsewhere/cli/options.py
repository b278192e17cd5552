"""Options that several commands share, declared once.

A command writes `at: Annotated[list[str] | None, options.AT] = None`. `under` puts an option below
a heading of the help, and changes what differs in a command.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import typer

_SCORERS = "embedded, geoclip, onnx:MODEL.onnx, table:SCORES.npz or an installed one"


def under(heading: str, option: Any, **changes: Any) -> Any:
    """The option below a heading of the help."""
    changed = copy(option)
    vars(changed).update(rich_help_panel=heading, **changes)
    return changed


ALBUM = typer.Argument(
    metavar="ALBUM", help="A folder of photos, or photos one by one.", show_default=False
)
AT = typer.Option(
    "--at",
    metavar="PLACE",
    help="Where the photos were taken, if their files do not say: a town, region, country, "
    '"38.72, -9.14", or - to be asked (it stays out of the shell history). Give it again for '
    "a second place.",
)
HIDE = typer.Option(
    "--hide",
    metavar="PLACE",
    help="Which of the album's places are to be hidden: all, home (the one with photos on "
    "most days), or a place by name. Give it again for a second one.",
    show_default="all",
)
HIDE_LEVEL = typer.Option(
    "--hide-level",
    metavar="LEVEL",
    help="Hide the whole cell, city, region or country, instead of a radius.",
)
RADIUS = typer.Option(
    "--radius",
    metavar="KM",
    help="How far around its photos a place is hidden, in kilometres.",
    show_default="25",
)
SCORERS = typer.Option(
    "--scorer",
    metavar="SCORER",
    help=f"The attacker: {_SCORERS}. Give it again for a second attacker.",
    show_default="embedded",
)
ONE_SCORER = typer.Option("--scorer", metavar="SCORER", help=f"The attacker: {_SCORERS}.")
POSTED = typer.Option(
    "--posted",
    metavar="PATH",
    help="Photos that are public already, yours or others': a folder or a file. They are "
    "counted, and never exported. Give it again for more.",
)
TOP = typer.Option(
    "--top",
    metavar="K",
    help="Withhold as little as can be, so that no hidden place is among the first K guesses.",
    show_default="5",
)
BUDGET = typer.Option(
    "--budget",
    metavar="N|P%",
    help="Instead of --top: withhold at most N photos, or P% of them, and push the place down "
    "furthest.",
)
MARGIN = typer.Option(
    "--margin",
    metavar="MARGIN",
    help="What to spare for models other than the scorers: none (only the scorers, exactly "
    "as they are), careful (small differences only), paranoid (models like them, trained "
    "on other photos), or a number of nats per kept photo, such as 0.2. No margin stands "
    "for another kind of model: give that as a second --scorer.",
    show_default="careful",
)
EXACT_TOP = typer.Option(
    "--exact-top",
    help="Use the K of --top itself. Otherwise one from K to 3K is drawn in secret, for "
    "whoever knows the tool would look just behind K.",
)
MAX_SIDE = typer.Option(
    "--max-side",
    metavar="PIXELS",
    help="The longest side of photos as they are shared, in pixels.",
    show_default="2048",
)
TIME_LIMIT = typer.Option(
    "--time-limit",
    metavar="SECONDS",
    help="Stop planning after so many seconds, with the best plan so far.",
    show_default="60",
)
WORK_LIMIT = typer.Option(
    "--work-limit",
    metavar="WORK",
    help="Stop planning an album after so much work: a count, the same on every machine.",
    show_default="none; beside it, time has no end",
)
MAP = typer.Option(
    "--map/--no-map", help="Draw a map, or none.", show_default="a map in a terminal"
)
JSON = typer.Option("--json", help="Print JSON, for programs.")
CACHE = typer.Option("--cache/--no-cache", help="Remember scores, privately, for the next time.")
