"""The program as a whole: which commands there are, and what happens when one goes wrong."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated

import typer

from elsewhere.errors import ElsewhereError

COMMANDS = {
    "guess": "See where photos look as if they were taken.",
    "score": "Score the photos of a folder.",
    "plan": "Find the fewest photos to withhold.",
    "check": "Prove a saved plan again.",
    "demo": "See it work on a simulated album.",
    "cache": "Show or delete what is remembered between runs.",
}

KEPT, ERROR, INFEASIBLE, UNKNOWN, STOPPED = 0, 1, 3, 4, 130
"""Exit codes; 2 is for a command line that cannot be understood."""

_OUTPUT_LOST = (errno.EPIPE, errno.ENOSPC, errno.EIO)


def program(arguments: list[str]) -> typer.Typer:
    """The program with the one command that is asked for, or with all of them for the help."""
    app = typer.Typer(
        name="elsewhere",
        help="Share the photos, not the place.",
        epilog="Each command explains itself: elsewhere plan --help",
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(_options)
    asked = [name for name in arguments[:1] if name in COMMANDS]
    for name in asked or COMMANDS:
        command = import_module(f"elsewhere.cli.{name}").command
        app.command(name, short_help=COMMANDS[name], no_args_is_help=name != "demo")(command)
    return app


@contextmanager
def one_sentence() -> Iterator[None]:
    """Within, whatever goes wrong on purpose ends the program with one sentence on stderr."""
    try:
        yield
    except ElsewhereError as wrong:
        typer.echo(f"elsewhere: {printable(str(wrong))}", err=True)
        raise typer.Exit(ERROR) from None
    except MemoryError:
        typer.echo("elsewhere: there is not enough memory for these scores", err=True)
        raise typer.Exit(ERROR) from None
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
        raise typer.Exit(STOPPED) from None
    except OSError as wrong:
        if wrong.errno not in _OUTPUT_LOST:
            raise  # files have sentences of their own, so this is a bug
        # Python would complain once more when it flushes at its end: let that go nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if wrong.errno != errno.EPIPE:  # whoever read the output has had enough
            typer.echo(f"elsewhere: the output cannot be written: {wrong.strerror}", err=True)
        raise typer.Exit(ERROR) from None


def printable(text: str) -> str:
    """A text without the characters that could steer a terminal; photos' names may hold them.

    >>> printable("beach\x1b[2J.jpg")
    'beach�[2J.jpg'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def count(amount: int, thing: str) -> str:
    """An amount with its noun.

    >>> count(1, "photo"), count(3, "photo")
    ('1 photo', '3 photos')
    """
    return f"{amount} {thing}" if amount == 1 else f"{amount} {thing}s"


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"elsewhere {version('elsewhere')}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Share the photos, not the place.

    Given what attackers' models say of the photos of an album (score files), elsewhere finds the
    fewest photos to withhold so that the place is not among the first guesses, and proves it.
    """
