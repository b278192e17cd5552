"""Options that several commands share, declared once.

A command writes `at: Annotated[list[str] | None, options.AT] = None`. `under` puts an option below
a heading of the help, and changes what differs in a command.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import typer

_SCORERS = "embedded, dino, geoclip, onnx:MODEL.onnx, table:SCORES.npz or an installed scorer"


def under(heading: str, option: Any, **changes: Any) -> Any:
    """The option below a heading of the help."""
    changed = copy(option)
    vars(changed).update(rich_help_panel=heading, **changes)
    return changed


ALBUM = typer.Argument(
    metavar="ALBUM",
    readable=False,  # a folder that may not be read is named with what to do
    help="A folder or zip of photos, or single photos.",
)
AT = typer.Option(
    "--at",
    metavar="PLACE",
    help='Where the photos were taken: a town, region, country or "38.72, -9.14". One place is '
    "that of every photo. Repeatable: a photo then belongs to the nearest. With - you are asked, "
    "and the shell history does not record it.",
)
AT_ANYWAY = typer.Option(
    "--at-anyway",
    help="Believe --at even where positions in the files say otherwise. Without it that is an "
    "error.",
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
    help="Hide a whole city, region or country instead of a radius; of models with coarse cells, "
    "also cell.",
)
RADIUS = typer.Option(
    "--radius",
    metavar="KM",
    help="How near a guess must not come to a photo of a hidden place, in kilometres (1 to 500). "
    "A place is a circle of this radius. A larger one hides the region and withholds more.",
    show_default="25",
)
SCORERS = typer.Option(
    "--scorer",
    metavar="SCORER",
    help=f"The attacker's model: {_SCORERS}. Repeat it for more attackers.",
    show_default="embedded",
)
ONE_SCORER = typer.Option("--scorer", metavar="SCORER", help=f"The attacker's model: {_SCORERS}.")
POSTED = typer.Option(
    "--posted",
    metavar="PATH",
    help="Photos that are already public, yours or others': a folder or a file. The "
    "attacker counts them; they are never exported. Repeatable.",
)
TOP = typer.Option(
    "--top",
    metavar="K",
    help="Withhold as little as possible so that none of the first K places that a model guesses "
    "is near a hidden place.",
    show_default="5",
)
BUDGET = typer.Option(
    "--budget",
    metavar="N|P%",
    help="Instead of --top: withhold at most N photos, or P% of them, and push the place as far "
    "down the list of guesses as possible.",
)
MARGIN = typer.Option(
    "--margin",
    metavar="MARGIN",
    help="Reserve for models other than the scorers: none (exactly these scorers), careful "
    "(small differences), paranoid (similar models trained on other photos), or a number of nats "
    "(natural-log units) per kept photo, such as 0.2. No margin covers another kind of model: "
    "add it with --scorer.",
    show_default="careful",
)
EXACT_TOP = typer.Option(
    "--exact-top",
    help="Use exactly the K of --top. Otherwise a number from K to 12/5 of K is drawn in secret, "
    "because an attacker who knows K would look at guess K + 1.",
)
MAX_SIDE = typer.Option(
    "--max-side",
    metavar="PIXELS",
    help="Longest side of a shared photo, in pixels. Larger photos are shrunk.",
    show_default="2048",
)
TIME_LIMIT = typer.Option(
    "--time-limit",
    metavar="SECONDS",
    help="Stop planning after this many seconds and use the best plan so far. The answer may then "
    "depend on the machine.",
    show_default="a limit on the work instead",
)
WORK_LIMIT = typer.Option(
    "--work-limit",
    metavar="WORK",
    help="Stop planning an album after this much work, a count that is the same on every machine.",
    show_default="300000, where no --time-limit is given",
)
MAP = typer.Option("--map/--no-map", help="Draw a map.", show_default="a map in a terminal")
VERBOSE = typer.Option("--verbose", "-v", help="Print the rest, too; --json has all of it.")
JSON = typer.Option("--json", help="Print JSON, for programs.")
TEXT = typer.Option(
    "--text/--no-text", help="Read the text on the photos, such as signs and labels."
)
CACHE = typer.Option("--cache/--no-cache", help="Keep scores in a private cache for the next run.")
OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="TARGET",
    help="Where the clean copy goes: a new folder, or a new .zip.",
)
DROP = typer.Option(metavar="PHOTO", help="A photo that must go, by name or pattern. Repeatable.")
FULL = typer.Option("--full", help="Do not shrink photos.")
ORDER = typer.Option(
    metavar="ORDER", help="Order of the files: shuffled (hides the order in time) or album."
)
NAMES = typer.Option(
    metavar="NAMES",
    help="Names of the files: neutral (numbered without gaps) or keep, which may reveal dates and "
    "places.",
)
