"""Output for people: a terminal breaks lines between words; a pipe gets each line whole.

A pipe gets no spaces at the ends of lines either, so that its text can be compared and searched.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elsewhere.messages.phrases import chance

_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters that JSON does not escape, characters that turn the text, and halves."""
_PIPE_WIDTH = 10_000
"""Columns that a pipe is taken to have."""


@contextmanager
def printed() -> Iterator[Console]:
    """Print to the console that is given; in a pipe, lines stay whole."""
    console = Console(highlight=False)
    if console.is_terminal:
        yield console
        return
    console = Console(highlight=False, width=_PIPE_WIDTH)
    with console.capture() as captured:
        yield console
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


def print_json(document: Any) -> None:
    """Print plain values for programs; nothing in them steers a terminal or cannot be encoded."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    typer.echo(_STEERING.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text))


def grid(*columns: str) -> Table:
    """A table without lines of columns "left" (folded), "right" (numbers) or "name" (dim)."""
    table = Table.grid(padding=(0, 2))
    for column in columns:
        if column == "left":
            table.add_column(overflow="fold")
        elif column == "right":
            table.add_column(justify="right", no_wrap=True)
        else:
            table.add_column(style="dim", no_wrap=True)
    return table


def fact_table(facts: Iterable[tuple[str, Text]]) -> Table:
    """Names and texts; a name is shown once for the lines that share it."""
    table, previous = grid("name", "left"), ""
    for name, text in facts:
        table.add_row("" if name == previous else name, text)
        previous = name
    return table


def percent(probability: float) -> str:
    """A probability with plain spaces, so that people can search for "5 %"."""
    return chance(probability).replace("\u00a0", " ")


def bar(console: Console, probability: float) -> str:
    """A bar as long as the probability, shorter on a narrow console."""
    full, empty = ("█", "·") if has_unicode(console) else ("#", ".")
    length = 12 if console.width >= 72 else 4
    return (full * round(length * probability)).ljust(length, empty)


def has_unicode(console: Console) -> bool:
    """Whether the console can draw more than ASCII."""
    return console.encoding.lower().startswith("utf")


def program_name() -> str:
    """What to type for this program."""
    if shutil.which("elsewhere"):
        return "elsewhere"
    called = Path(sys.argv[0])
    return str(called) if called.name == "elsewhere" else "python -m elsewhere"
