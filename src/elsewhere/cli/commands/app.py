"""`elsewhere app`: the page in the user's own browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli import options

_ALBUM = typer.Argument(
    metavar="ALBUM", help="A folder or zip of photos, or single photos, to open."
)
_PORT = typer.Option(
    metavar="PORT",
    min=0,
    max=65535,
    help="Port to listen on, up to 65535.",
    show_default="any free port",
)
_BROWSER = typer.Option(
    "--browser/--no-browser",
    help="Open the browser, or only print the name of a file that leads to the page.",
)
_UNUSED = typer.Option(
    "--end-when-unused",
    metavar="MINUTES",
    min=1,
    help="End after so long without a visible page or work.",
    show_default="never",
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[list[Path] | None, _ALBUM] = None,
    port: Annotated[int, _PORT] = 0,
    browser: Annotated[bool, _BROWSER] = True,
    scorer: Annotated[list[str] | None, options.SCORERS] = None,
    text: Annotated[bool, options.TEXT] = True,
    cache: Annotated[bool, options.CACHE] = True,
    unused: Annotated[float | None, _UNUSED] = None,
) -> None:
    """See what your album gives away, and decide photo by photo, in your browser.

    Only this machine can reach the page, and nothing leaves it. Choose which photos to keep or
    drop; each click gives a new plan. Stop it with Ctrl-C.

    Examples:

    - `elsewhere app`
      (open without an album; drop photos on the page, or choose a folder)
    - `elsewhere app ~/Pictures/trip`
      (open this album)
    - `elsewhere app trip --no-browser --port 8123`
      (print the name of a file; open it within a minute)

    Exit codes: 0 stopped by Ctrl-C or unused, 1 an error, 2 invalid usage.
    """
    from elsewhere.app import serve

    serve(
        album or (),
        port=port,
        scorers=scorer or ("embedded",),
        browser=browser,
        cache=cache,
        text=text,
        unused_minutes=unused,
        echo=typer.echo,
    )
