"""`elsewhere guess`: where do these photos look as if they were taken?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.cli.program import ERROR, KEPT, one_sentence
from elsewhere.values.wording import apart_only, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray
    from rich.console import Console
    from rich.text import Text

    from elsewhere.service import ScorerInfo, SkippedFile
    from elsewhere.values.scores import Scores

_FEW = 6
"""Up to so many photos, each is shown with three places; beyond, with one."""


_WIDE = 72
"""Columns below which bars are short, to leave room for names."""


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    photos: Annotated[
        list[Path],
        typer.Argument(metavar="PHOTO", help="Photos, or folders of them.", show_default=False),
    ],
    top: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="How many places for each, 1 to 50.")
    ] = 5,
    scorer: Annotated[str, options.ONE_SCORER] = "embedded",
    world: Annotated[bool | None, options.MAP] = None,
    as_json: Annotated[bool, options.JSON] = False,
    cache: Annotated[bool, options.CACHE] = True,
) -> None:
    """Guess where photos were taken, one by one and all together, as an attacker would.

    Only the pictures are looked at, as they would be shared, never their metadata; nothing leaves
    this machine. A place stands for its cell of the globe. The embedded scorer's probabilities
    are calibrated for up to 16 photos together; for more of a place that it never saw they are too
    sure of themselves, and ranks say more.

    Examples:

    - `elsewhere guess beach.jpg`
      (one photo)

    - `elsewhere guess holiday/*.jpg`
      (each of them, and what they say together)

    - `elsewhere guess holiday --top 10 --json`
      (for a program)

    Exit codes: 0 every photo was read, 1 some could not be, 2 a command line that cannot be
    understood.
    """
    with one_sentence():
        from elsewhere.cli.score_photos import look
        from elsewhere.service import describe_scorer

        seen, failed = look(photos, scorer, cache)
        attack = seen.models[0] if seen is not None else None
        scores = attack.scores if attack is not None else None
        about = attack.about if attack is not None else describe_scorer(scorer)
        if as_json:
            import json

            typer.echo(json.dumps(_told(about, scores, failed, top), indent=2, ensure_ascii=False))
        elif scores is not None:
            _show(about, scores, top, world)
    raise typer.Exit(ERROR if failed else KEPT)


def _places(about: ScorerInfo, row: NDArray[Any], top: int) -> list[dict[str, Any]]:
    """The most likely cells of one row, with names where the scorer knows its cells."""
    import numpy as np

    from elsewhere.service import cell_names, cell_towns

    found = []
    for cell in np.argsort(-row, kind="stable")[:top].tolist():
        place: dict[str, Any] = {"cell": cell, "probability": round(float(np.exp(row[cell])), 6)}
        if about.globe is not None:
            lat, lon = cell_towns(about.globe)
            place |= {
                "place": cell_names(about.globe)[cell],
                "lat": round(float(lat[cell]), 4),
                "lon": round(float(lon[cell]), 4),
            }
        found.append(place)
    return found


def _together(about: ScorerInfo, scores: Scores) -> NDArray[np.float64]:
    from elsewhere.service import combine_rows

    return combine_rows(scores.values, about.exponents)


def _told(
    about: ScorerInfo, scores: Scores | None, failed: tuple[SkippedFile, ...], top: int
) -> dict[str, Any]:
    """Everything, as plain values; the problems alone where no photo can be read."""
    told: dict[str, Any] = {
        "scorer": {"name": about.name, "fingerprint": about.fingerprint, "cells": about.cells},
        "photos": [
            {"photo": name, "places": _places(about, row, top)}
            for name, row in (zip(scores.ids, scores.values, strict=True) if scores else ())
        ],
    }
    if scores is not None and scores.photos > 1:
        told["together"] = {
            "photos": scores.photos,
            "places": _places(about, _together(about, scores), top),
        }
    if failed:
        told["failed"] = [{"photo": one.name, "problem": one.reason} for one in failed]
    return told


def _show(about: ScorerInfo, scores: Scores, top: int, world: bool | None) -> None:
    """Tables for people; the map belongs to what all photos say together."""
    from elsewhere.cli.render.printing import has_unicode, printed
    from elsewhere.cli.render.worldmap import draw

    with printed() as console:
        if scores.photos > 1:
            each = min(top, 3 if scores.photos <= _FEW else 1)
            rows = zip(apart_only(scores.ids), scores.values, strict=True)
            _table(console, [(name, _places(about, row, each)) for name, row in rows])
            last, title = _together(about, scores), f"all {scores.photos} together"
        else:
            last, title = scores.values[0], apart_only(scores.ids)[0]
        places = _places(about, last, top)
        _table(console, [(title, places)], numbered=True)
        if about.globe is not None and (console.is_terminal if world is None else world):
            marks = [(place["lat"], place["lon"]) for place in places[:9]]
            width = min(console.width - 2, 72)
            console.print(draw(marks, width, braille=has_unicode(console)), soft_wrap=True)
            console.print()
        sure = "" if about.exponents else " Its probabilities are as the model gives them."
        console.print(
            f"This is what one attacker sees (scorer {printable(about.name)}); "
            f"a better one may exist.{sure}",
            style="dim",
            markup=False,
        )


def _table(
    console: Console, rows: Sequence[tuple[str, list[dict[str, Any]]]], numbered: bool = False
) -> None:
    """Photos and their places, most likely first, with bars as long as they are likely."""
    from rich.table import Table
    from rich.text import Text

    from elsewhere.cli.render.printing import has_unicode

    full, empty = ("█", "·") if has_unicode(console) else ("#", ".")
    bar = 12 if console.width >= _WIDE else 4
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold", style="bold")
    table.add_column(justify="right", style="dim")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, places in rows:
        for number, place in enumerate(places, start=1):
            likely = place["probability"]
            table.add_row(
                Text(printable(name)) if number == 1 else "",
                str(number) if numbered else "",
                _percent(likely),
                Text((full * round(bar * likely)).ljust(bar, empty), "cyan" if numbered else "dim"),
                _place(place),
            )
    console.print(table)
    console.print()


def _place(place: dict[str, Any]) -> Text:
    """A place with the number of its cell, which `plan` takes, too."""
    from rich.text import Text

    cell = Text(f"cell {place['cell']}", "dim")
    return Text.assemble(place["place"], "  ", cell) if "place" in place else cell


def _percent(likely: float) -> str:
    """A probability for people.

    >>> _percent(0.314), _percent(0.0123), _percent(0.0001)
    ('31 %', '1.2 %', '< 0.1 %')
    """
    if likely < 0.001:
        return "< 0.1 %"
    return (
        f"{likely:.1%}".replace("%", " %") if likely < 0.1 else f"{likely:.0%}".replace("%", " %")
    )
