"""Options that the album commands share: declared once, so that they are called and mean the same.

A command writes `at: At = None`; what is typed is turned into values by `arguments.py` and by the
job itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Album = Annotated[
    list[Path],
    typer.Argument(
        metavar="ALBUM", help="A folder of photos, or photos one by one.", show_default=False
    ),
]
At = Annotated[
    list[str] | None,
    typer.Option(
        "--at",
        metavar="PLACE",
        help="Where the photos were taken, if their files do not say: a town, region, country, "
        '"38.72, -9.14", or - to be asked (it stays out of the shell history). Give it again for '
        "a second place.",
        show_default=False,
    ),
]
Hide = Annotated[
    list[str] | None,
    typer.Option(
        "--hide",
        metavar="PLACE",
        help="Which of the album's places are to be hidden: all, home, or places by name "
        "[default: all].",
        show_default=False,
    ),
]
HideLevel = Annotated[
    str | None,
    typer.Option(
        "--hide-level",
        metavar="LEVEL",
        help="Hide the whole cell, city, region or country, instead of a radius.",
        show_default=False,
    ),
]
Radius = Annotated[
    float,
    typer.Option("--radius", metavar="KM", help="How far around its photos a place is hidden."),
]
Scorers = Annotated[
    list[str] | None,
    typer.Option(
        "--scorer",
        metavar="SCORER",
        help="The attacker: embedded, geoclip, onnx:MODEL.onnx, table:SCORES.npz or an installed "
        "one. Give it again for a second attacker [default: embedded].",
        show_default=False,
    ),
]
OneScorer = Annotated[
    str,
    typer.Option(
        "--scorer",
        metavar="SCORER",
        help="embedded, geoclip, onnx:MODEL.onnx, table:SCORES.npz or an installed one.",
    ),
]
PostedPaths = Annotated[
    list[Path] | None,
    typer.Option(
        "--posted",
        metavar="PATH",
        help="Photos that are public already, yours or others': a folder or a file. They are "
        "counted, and never exported.",
        show_default=False,
    ),
]
World = Annotated[
    bool | None,
    typer.Option("--map/--no-map", help="Draw a map; without either, only in a terminal."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
UseCache = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Remember scores, privately, for the next time.")
]
