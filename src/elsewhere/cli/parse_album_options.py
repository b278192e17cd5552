"""What is typed about an album, as the values that the job takes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from elsewhere.cli.parse import read_text, value
from elsewhere.errors import FileError, InputError
from elsewhere.globe import Place, place

if TYPE_CHECKING:
    from elsewhere.album import Recipe

PROMPT = "-"
"""In the place of a place: ask for it, so that it stays out of the shell's history."""
STARS = "stars"


def places_told(at: Sequence[str] | None) -> list[Place] | None:
    """Where the user says that the album was taken; None where nothing is said."""
    if not at:
        return None
    texts = [text for given in at for text in (_asked() if given == PROMPT else [given])]
    return [place(text) for text in texts]


def _asked() -> list[str]:
    """Places from the keyboard, or from whatever is piped in: several with semicolons."""
    if sys.stdin.isatty():
        try:
            said = typer.prompt("Where were the photos taken (a town, or 38.72, -9.14)", err=True)
        except typer.Abort:  # Ctrl-C, as the prompt tells it
            raise KeyboardInterrupt from None
    else:
        said = sys.stdin.readline()
    texts = [text.strip() for text in str(said).split(";") if text.strip()]
    if not texts:
        raise InputError("--at - asks for a place, and none was given")
    return texts


def worth(given: str | None) -> tuple[dict[str, Fraction] | None, bool]:
    """What `--value` says: values by name from a file, and whether the stars count."""
    if given is None:
        return None, False
    if given == STARS:
        return None, True
    file, found = Path(given), {}
    for number, line in enumerate(read_text(file).splitlines()):
        name, comma, text = (part.strip() for part in line.rpartition(","))
        if not line.strip() or (number == 0 and (name, text) == ("photo", "value")):
            continue
        if not comma:
            raise FileError(f"{file} has the line {line[:40]!r}: write lines such as beach.jpg,2.5")
        if name in found:
            raise FileError(f"{file} has two values for the photo {name!r}")
        found[name] = value(text, file)
    if not found:
        raise FileError(f"{file} is empty: write lines such as beach.jpg,2.5")
    return found, False


def refuse(
    output: Path | None,
    *,
    dry_run: bool,
    top: int | None,
    budget: str | None,
    sides: tuple[int | None, bool],
) -> None:
    """Refuse what contradicts itself, before anybody waits for anything."""
    if output is None and not dry_run:
        raise InputError("say where the clean copy goes with -o TARGET, or ask for a --dry-run")
    if top is not None and budget is not None:
        raise InputError("give either --top K (withhold the fewest) or --budget (push it furthest)")
    if sides[0] is not None and sides[1]:
        raise InputError("give either --max-side PIXELS or --full")


def recipe(max_side: int | None, full: bool) -> Recipe:
    """How the copies are rendered."""
    from elsewhere.album import Recipe

    if full:
        return Recipe(None)
    return Recipe() if max_side is None else Recipe(max_side)
