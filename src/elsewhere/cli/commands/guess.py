"""`elsewhere guess`: guess where photos were taken."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.cli.program import ERROR, KEPT
from elsewhere.values.wording import apart_only, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from rich.console import Console

    from elsewhere.service import ScorerInfo, SkippedFile
    from elsewhere.values.scores import Scores

_MAX_DETAILED = 6
"""Up to this many photos, each is shown with three places; beyond, with one."""
_WIDE = 72
"""Columns of the map."""


_PHOTOS = typer.Argument(metavar="PHOTO", help="Photos, or folders or zips of photos.")
_TOP = typer.Option(min=1, max=50, metavar="N", help="Places to show for each photo, 1 to 50.")


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    photos: Annotated[list[Path], _PHOTOS],
    top: Annotated[int, _TOP] = 5,
    scorer: Annotated[str, options.ONE_SCORER] = "embedded",
    world: Annotated[bool | None, options.MAP] = None,
    as_json: Annotated[bool, options.JSON] = False,
    cache: Annotated[bool, options.CACHE] = True,
) -> int:
    """Guess where photos were taken, each alone and all together, as an attacker would.

    Only the pictures count, as they would be shared; metadata is ignored. Nothing leaves this
    machine. A place is a circle of 25 km, named after its chief town; centres are at least 50 km
    apart. Of models with coarse cells it is a cell, which may be hundreds of kilometres across.

    Examples:

    - `elsewhere guess beach.jpg`
      (one photo)
    - `elsewhere guess holiday/*.jpg`
      (each photo, and all together)
    - `elsewhere guess holiday --top 10 --json`
      (as JSON)

    Exit codes: 0 every photo was read, 1 some could not be, 2 invalid usage.
    """
    from elsewhere.cli.score_photos import score_photos
    from elsewhere.service import describe_scorer

    scored, failed = score_photos(photos, scorer, cache)
    model = scored.models[0] if scored is not None else None
    info = model.about if model is not None else describe_scorer(scorer)
    if as_json:
        _print_json(info, model.scores if model is not None else None, failed, top)
    elif model is not None:
        _show(info, model.scores, top, world)
    return ERROR if failed else KEPT


def _places(info: ScorerInfo, row: NDArray[Any], top: int) -> list[dict[str, Any]]:
    """The first places of one row, or its likeliest cells; with names if the cells are known."""
    import numpy as np

    from elsewhere.service import first_guesses

    places = []
    for guess in first_guesses(np.exp(row.astype(np.float64)), info.globe, top):
        place: dict[str, Any] = {"cell": guess.cell, "probability": round(guess.probability, 6)}
        if guess.lat is not None and guess.lon is not None:
            position = {"lat": round(guess.lat, 4), "lon": round(guess.lon, 4)}
            place |= {"place": guess.name, **position}
        places.append(place)
    return places


def _print_json(
    info: ScorerInfo, scores: Scores | None, failed: tuple[SkippedFile, ...], top: int
) -> None:
    from elsewhere.cli.render.printing import print_json
    from elsewhere.service import combine_rows

    document: dict[str, Any] = {
        "scorer": {"name": info.name, "fingerprint": info.fingerprint, "cells": info.cells},
        "photos": [
            {"photo": name, "places": _places(info, row, top)}
            for name, row in (zip(scores.ids, scores.values, strict=True) if scores else ())
        ],
    }
    if scores is not None and scores.photos > 1:
        together = combine_rows(scores.values, info.exponents)
        document["together"] = {
            "photos": scores.photos,
            "places": _places(info, together, top),
        }
    if failed:
        document["failed"] = [{"photo": file.name, "problem": file.reason} for file in failed]
    print_json(document)


def _show(info: ScorerInfo, scores: Scores, top: int, world: bool | None) -> None:
    """Print tables, and a map of what all photos say together."""
    from elsewhere.cli.render.printing import has_unicode, printed
    from elsewhere.cli.render.worldmap import draw
    from elsewhere.service import combine_rows

    names = apart_only(scores.ids)
    with printed() as console:
        title, row = names[0], scores.values[0]
        if scores.photos > 1:
            limit = min(top, 3 if scores.photos <= _MAX_DETAILED else 1)
            pairs = zip(names, scores.values, strict=True)
            rows = [(name, _places(info, row, limit)) for name, row in pairs]
            _table(console, rows, fine=info.points is not None)
            title = f"all {scores.photos} together"
            row = combine_rows(scores.values, info.exponents)
        places = _places(info, row, top)
        _table(console, [(title, places)], fine=info.points is not None, numbered=True)
        if info.globe is not None and (console.is_terminal if world is None else world):
            marks = [(place["lat"], place["lon"]) for place in places[:9]]
            width = min(console.width - 2, _WIDE)
            console.print(draw(marks, width, braille=has_unicode(console)), soft_wrap=True)
            console.print()
        caveat = "" if info.exponents else " Its probabilities are as the model gives them."
        console.print(
            f"This is what one attacker sees (scorer {printable(info.name)}); "
            f"a better one may exist.{caveat}",
            style="dim",
            markup=False,
        )


def _table(
    console: Console,
    rows: Sequence[tuple[str, list[dict[str, Any]]]],
    *,
    fine: bool,
    numbered: bool = False,
) -> None:
    """Print photos and their places, most likely first, with bars; coarse cells have numbers."""
    from rich.text import Text

    from elsewhere.cli.render.printing import bar, grid, percent

    table = grid("left", "right", "right", "left", "left")
    for name, places in rows:
        for number, place in enumerate(places, start=1):
            cell = Text("" if fine else f"cell {place['cell']}", "dim")
            table.add_row(
                Text(printable(name), "bold") if number == 1 else "",
                Text(str(number), "dim") if numbered else "",
                percent(place["probability"]),
                Text(bar(console, place["probability"]), "cyan" if numbered else "dim"),
                Text.assemble(place["place"], "  ", cell) if "place" in place else cell,
            )
    console.print(table)
    console.print()
