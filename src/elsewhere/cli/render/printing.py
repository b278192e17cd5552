"""Where people's output goes: a terminal of some width, or a pipe.

A terminal gets lines that break between words. A pipe gets each line whole, whatever its length,
and no spaces at the ends, so that it can be compared, searched and cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

_UNBROKEN = 10_000
"""Columns that a pipe is taken to have."""


@contextmanager
def printed(unbroken: bool = True) -> Iterator[Console]:
    """Within, print to the console that is given; with `unbroken`, lines in a pipe stay whole."""
    console = Console(highlight=False)
    if console.is_terminal:
        yield console
        return
    if unbroken:
        console = Console(highlight=False, width=_UNBROKEN)
    with console.capture() as captured:
        yield console
    for line in captured.get().splitlines():
        typer.echo(line.rstrip())


def has_unicode(console: Console) -> bool:
    """Whether more than plain letters can be drawn there."""
    return console.encoding.lower().startswith("utf")
