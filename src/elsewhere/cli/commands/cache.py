"""`elsewhere cache`: what is remembered between runs, and how to forget it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from elsewhere.cli.program import one_sentence
from elsewhere.values.wording import counted, printable


class Action(StrEnum):
    """What can be done with the cache."""

    SHOW = "show"
    CLEAR = "clear"


def command(
    action: Annotated[
        Action, typer.Argument(metavar="show|clear", help="What to do.", show_default=False)
    ],
) -> None:
    """Show or delete the scores that are remembered between runs.

    They say where photos were taken, so they lie in a folder that only you can read, under names
    that reveal nothing without a key that lies beside them. Scoring anew brings them back.

    Examples:

    - `elsewhere cache show`
      (where it is and how large)

    - `elsewhere cache clear`
      (delete all of it, and the key)

    Exit codes: 0 done, 1 it could not be done, 2 a command line that cannot be understood.
    """
    with one_sentence():
        from elsewhere.platform.machine import user_folder
        from elsewhere.service import clear_cache, disk_usage

        where = printable(str(user_folder("cache")))
        if action is Action.CLEAR:
            gone = clear_cache()
            typer.echo(f"{counted(gone, 'row')} deleted from {where}")
        else:
            rows, size = disk_usage()
            typer.echo(f"{where}: {counted(rows, 'row')}, {size / 2**20:.1f} MiB")
