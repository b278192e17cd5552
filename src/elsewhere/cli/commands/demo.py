"""`elsewhere demo`: protect the bundled example album."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli.program import COMMAND_LINE

if TYPE_CHECKING:
    from elsewhere.service import ProtectedAlbum

DEFAULT = "elsewhere-demo"
"""The copy's default name; a number follows it if the name is taken."""
_TOP = 5


_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="TARGET",
    help="Where the clean copy goes: a new folder, or a new .zip.",
    show_default="a new folder elsewhere-demo, here",
)


def command(
    output: Annotated[Path | None, _OUTPUT] = None,
) -> None:
    """Protect the bundled example album: twelve weekend photos, some of which reveal the place.

    The photos are real, by nine photographers. The weekend is invented: only the monuments were
    taken where the album says, and positions, comments and serial numbers were added. Credits are
    in NOTICE.

    Examples:

    - `elsewhere demo`
      (the whole job, as in `elsewhere protect --edits cover`)
    - `elsewhere demo -o somewhere.zip`
      (write the copy as an archive)

    Exit codes: 0 the promise is kept, 1 an error, 2 invalid usage.
    """
    from elsewhere.cli.render.printing import printed
    from elsewhere.cli.render.progress import stages
    from elsewhere.cli.render.protect import show
    from elsewhere.service import EXAMPLE_ALBUM as ALBUM, protect_album
    from elsewhere.values.wishes import Wishes

    target = output or free(Path(DEFAULT))
    with printed() as console:
        console.print(
            "The example album: twelve real photos by nine photographers that pass for a "
            "weekend in the south of France; positions and comments are planted.\n",
            markup=False,
        )
    # a secret k would make every run another example
    wishes = Wishes(top=_TOP, exact_top=True, edits="cover")
    with stages() as progress:
        done = protect_album([ALBUM], target, wishes, command=COMMAND_LINE, progress=progress)
    show(done)
    _compare(done)


def free(target: Path) -> Path:
    """A name that is not taken, so that no earlier copy is overwritten."""
    found, number = target, 1
    while found.exists():
        number += 1
        found = target.with_name(f"{target.name}-{number}")
    return found


def _compare(done: ProtectedAlbum) -> None:
    """Compare the plan with the greedy one."""
    from rich import box
    from rich.table import Table

    from elsewhere.cli.render.printing import printed
    from elsewhere.service import greedy_withholds

    photos = done.scored.photos
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("")
    table.add_column("withheld", justify="right")
    table.add_column("", overflow="fold")
    table.add_row("elsewhere", str(len(done.withheld)), ", ".join(done.withheld))
    greedy = greedy_withholds(done.scored, done.plan)
    if greedy is not None:
        table.add_row("greedy", str(len(greedy)), ", ".join(photos[number].id for number in greedy))
    with printed() as console:
        console.print(table)
        console.print(
            "Greedy covers or withholds the most telling photo first, and so on until the promise "
            "holds. The demo uses --edits cover. A real run also draws a larger top in secret; the "
            "demo uses --exact-top, so that it comes out the same each time.",
            style="dim",
        )
