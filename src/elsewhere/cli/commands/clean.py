"""`elsewhere clean`: a copy without metadata that hides no place."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from elsewhere.cli import options
from elsewhere.cli.program import KEPT
from elsewhere.errors import InputError
from elsewhere.values.wording import counted, printable

if TYPE_CHECKING:
    from elsewhere.service import CleanCopy, Names, Order


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[list[Path], options.ALBUM],
    output: Annotated[Path | None, options.OUTPUT] = None,
    drop: Annotated[list[str] | None, options.DROP] = None,
    max_side: Annotated[int | None, options.MAX_SIDE] = None,
    full: Annotated[bool, options.FULL] = False,
    order: Annotated[str, options.ORDER] = "shuffled",
    names: Annotated[str, options.NAMES] = "neutral",
    as_json: Annotated[bool, options.JSON] = False,
) -> int:
    """Write a copy without metadata. The place is not hidden, and nothing is promised.

    For albums where `elsewhere protect` finds no plan, or where you do not know the place. Every
    photo is copied as `protect` would copy it: decoded, shrunk, without positions, names, dates or
    anything else beside the picture. The pictures can still show where they were taken. There is no
    certificate, because there is nothing to certify.

    Examples:

    - `elsewhere clean ~/Pictures/trip -o ~/Pictures/trip-clean`
      (every photo without metadata)
    - `elsewhere clean trip --drop 'IMG_20*' -o trip.zip`
      (some photos left out, as an archive)

    Exit codes: 0 the copy is written, 1 an error, 2 invalid usage.
    """
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import MAX_SIDE, Recipe, clean_album

    if output is None:
        raise InputError("name the clean copy with -o TARGET")
    if max_side is not None and full:
        raise InputError("give either --max-side PIXELS or --full")
    with stages() as progress:
        copy = clean_album(
            album,
            output,
            drop=tuple(drop or ()),
            recipe=Recipe(MAX_SIDE if max_side is None and not full else max_side),
            order=cast("Order", order),
            names=cast("Names", names),
            progress=progress,
        )
    if as_json:
        _print_json(copy)
    else:
        _show(copy)
    return KEPT


def clean_command(album: Sequence[Path], output: Path | None) -> str:
    """What to type for a clean copy of an album, where it should have gone."""
    from elsewhere.cli.render.printing import program_name

    target = "OUT" if output is None else shlex.quote(str(output))
    return f"{program_name()} clean {shlex.join(map(str, album))} -o {target}"


def _show(copy: CleanCopy) -> None:
    from rich.text import Text

    from elsewhere import messages
    from elsewhere.cli.render.printing import fact_table, printed
    from elsewhere.cli.render.protect import removed_metadata, skipped_files

    with printed() as console:
        console.print(Text(messages.NOT_HIDDEN, "bold red"))
        console.print()
        size = sum(file.size for file in copy.files) / 1e6
        target = f"{copy.target}  ({counted(len(copy.files), 'photo')}, {size:.1f} MB)"
        facts = [("clean copy", Text(printable(target), "bold"))]
        if copy.dropped:
            facts.append(("dropped", Text(f"{counted(len(copy.dropped), 'photo')}, as you asked")))
        facts += skipped_files(copy.skipped)
        facts += removed_metadata(copy.photos)
        facts += [("note", Text(printable(note))) for note in copy.notes]
        console.print(fact_table(facts))


def _print_json(copy: CleanCopy) -> None:
    from elsewhere import messages
    from elsewhere.cli.render.printing import print_json
    from elsewhere.service import metadata_leaks

    print_json(
        {
            "protects": False,
            "verdict": messages.NOT_HIDDEN,
            "target": str(copy.target),
            "kept": [photo.id for photo in copy.photos],
            "dropped": list(copy.dropped),
            "left": [
                {"file": file.name, "kind": file.kind, "reason": file.reason}
                for file in copy.skipped
            ],
            "leaks": [
                {"kind": leak.kind, "photos": list(leak.photos)}
                for leak in metadata_leaks(copy.photos)
            ],
            "notes": list(copy.notes),
            "files": [
                {"file": file.name, "photo": file.photo, "sha256": file.sha256, "bytes": file.size}
                for file in copy.files
            ],
        }
    )
