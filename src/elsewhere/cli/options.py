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


ALBUM = typer.Argument(metavar="ALBUM", help="A folder of photos, or single photos.")
AT = typer.Option(
    "--at",
    metavar="PLACE",
    help="Where the photos were taken, if their files do not say: a town, region, country or "
    '"38.72, -9.14". With - you are asked, and the shell history does not record it. Repeatable.',
)
HIDE = typer.Option(
    "--hide",
    metavar="PLACE",
    help="Which places of the album to hide: all, home (the place with photos on the most days), "
    "or a place by name. Repeatable.",
    show_default="all",
)
HIDE_LEVEL = typer.Option(
    "--hide-level",
    metavar="LEVEL",
    help="Hide a whole cell, city, region or country instead of a radius.",
)
RADIUS = typer.Option(
    "--radius",
    metavar="KM",
    help="Radius around its photos in which a place is hidden, in kilometres.",
    show_default="25",
)
SCORERS = typer.Option(
    "--scorer",
    metavar="SCORER",
    help=f"The attacker: {_SCORERS}. Repeat it for more attackers.",
    show_default="embedded",
)
ONE_SCORER = typer.Option("--scorer", metavar="SCORER", help=f"The attacker: {_SCORERS}.")
POSTED = typer.Option(
    "--posted",
    metavar="PATH",
    help="Photos that are already public, yours or others': a folder or a file. They are "
    "counted, and never exported. Repeatable.",
)
TOP = typer.Option(
    "--top",
    metavar="K",
    help="Withhold as little as possible so that no hidden place is among the first K guesses.",
    show_default="5",
)
BUDGET = typer.Option(
    "--budget",
    metavar="N|P%",
    help="Instead of --top: withhold at most N photos, or P% of them, and push the place as far "
    "down as possible.",
)
MARGIN = typer.Option(
    "--margin",
    metavar="MARGIN",
    help="Margin for models other than the scorers: none (exactly these scorers), careful "
    "(small differences), paranoid (similar models trained on other photos), or nats per kept "
    "photo, such as 0.2. No margin covers another kind of model: add it with --scorer.",
    show_default="careful",
)
EXACT_TOP = typer.Option(
    "--exact-top",
    help="Use exactly the K of --top. Otherwise a number from K to 3K is drawn in secret, because "
    "an attacker who knows this tool would look just behind K.",
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
    help="Stop planning after this many seconds and use the best plan so far.",
    show_default="60",
)
WORK_LIMIT = typer.Option(
    "--work-limit",
    metavar="WORK",
    help="Stop planning an album after this much work, a count that is the same on every machine.",
    show_default="none; with it, no time limit",
)
MAP = typer.Option("--map/--no-map", help="Draw a map.", show_default="a map in a terminal")
JSON = typer.Option("--json", help="Print JSON, for programs.")
CACHE = typer.Option("--cache/--no-cache", help="Keep scores in a private cache for the next run.")
