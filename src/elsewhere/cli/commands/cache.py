"""`elsewhere cache`: show or delete cached scores."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from elsewhere.values.wording import counted, printable

CacheAction = StrEnum("CacheAction", ["SHOW", "CLEAR"])
_ACTION = typer.Argument(metavar="show|clear", help="What to do.")


def command(action: Annotated[CacheAction, _ACTION]) -> None:
    """Show or delete the scores that are cached between runs.

    Scores reveal where photos were taken. So they are in a folder that only you can read, under
    keyed names that reveal nothing. Deleted scores are computed again when needed.

    Examples:

    - `elsewhere cache show`
      (its folder and size)
    - `elsewhere cache clear`
      (delete all scores and the key)

    Exit codes: 0 done, 1 an error, 2 invalid usage.
    """
    from elsewhere.platform.machine import user_folder
    from elsewhere.service import clear_cache, disk_usage

    folder = printable(str(user_folder("cache")))
    if action is CacheAction.CLEAR:
        deleted = clear_cache()
        typer.echo(f"{counted(deleted, 'row')} deleted from {folder}")
    else:
        rows, size = disk_usage()
        typer.echo(f"{folder}: {counted(rows, 'row')}, {size / 2**20:.1f} MiB")
