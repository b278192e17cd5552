"""`elsewhere next`: may this photo be posted now?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from elsewhere import messages
from elsewhere.cli import options
from elsewhere.cli.program import INFEASIBLE, KEPT, UNKNOWN
from elsewhere.errors import InputError
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service import Export, NextPhoto
    from elsewhere.values.wishes import EditKind

EXIT = {"keep": KEPT, "withhold": INFEASIBLE, "wait": UNKNOWN}
_COLOURS = {"keep": "green", "wait": "yellow", "withhold": "red"}


_ALBUM = typer.Argument(metavar="ALBUM", help="A folder or zip of all photos that may be posted.")
_PHOTO = typer.Argument(metavar="PHOTO", help="The photo, by its name in ALBUM or its path.")
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="TARGET",
    help="If it may be posted, write its clean copy there: a new folder, or a new .zip.",
)
_REMEMBER = typer.Option("--remember", help="With -o: record privately that the photo is public.")
_EDITS = typer.Option(
    "--edits",
    metavar="HOW",
    help="Where the photo must be withheld as it is, look for an edit of it that may be posted: "
    "crop, cover, both or none.",
)
_TOP = typer.Option(metavar="K", help="No hidden place may be among the first K guesses.")


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[Path, _ALBUM],
    photo: Annotated[str, _PHOTO],
    output: Annotated[Path | None, _OUTPUT] = None,
    remember: Annotated[bool, _REMEMBER] = False,
    edits: Annotated[str, _EDITS] = "none",
    posted: Annotated[list[Path] | None, options.POSTED] = None,
    top: Annotated[int, _TOP] = 5,
    at: Annotated[list[str] | None, options.AT] = None,
    at_anyway: Annotated[bool, options.AT_ANYWAY] = False,
    hide: Annotated[list[str] | None, options.HIDE] = None,
    hide_level: Annotated[str | None, options.HIDE_LEVEL] = None,
    radius: Annotated[float, options.RADIUS] = 25.0,
    scorer: Annotated[list[str] | None, options.SCORERS] = None,
    margin: Annotated[str, options.MARGIN] = "careful",
    exact_top: Annotated[bool, options.EXACT_TOP] = False,
    as_json: Annotated[bool, options.JSON] = False,
    text: Annotated[bool, options.TEXT] = True,
    cache: Annotated[bool, options.CACHE] = True,
) -> int:
    """Decide whether a photo may be posted now: keep, wait or withhold, and why.

    After each post an attacker sees only what is public by then. So the promise must hold for this
    photo together with what is public: the photos of --posted and of the ledger. The rest of the
    album shows whether waiting helps. A photo that breaks the promise now may keep it once
    others are public. A photo that you post now may force you to withhold others later.

    Examples:

    - `elsewhere next trip IMG_0012.jpg --posted online`
      (the photos in the folder online are already public)
    - `elsewhere next trip IMG_0012.jpg -o to-post --remember`
      (if so, write its clean copy and record that it is public)
    - `elsewhere next trip IMG_0012.jpg --edits cover -o to-post`
      (if it must be withheld as it is, look for a cover that saves it)
    - `elsewhere next trip IMG_0012.jpg --hide home --json`
      (as JSON)

    Exit codes: 0 keep (post it), 1 an error, 2 invalid usage, 3 withhold, 4 wait (try again when
    others are public).
    """
    from elsewhere.cli.parse import parse_places
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import (
        Ledger,
        ProtectedAlbum,
        RowCache,
        Step,
        check_copy_target,
        check_next_photo,
        confirming,
        edit_next_photo,
        export_with_report,
        open_album,
    )
    from elsewhere.values.wishes import Wishes

    if remember and output is None:
        raise InputError("--remember goes with -o: only a copy that is written is remembered")
    specs = tuple(scorer or ("embedded",))
    wishes = Wishes(
        each_photo=False,  # each step is judged by all that is public by then
        top=top,
        hide=tuple(hide or ("all",)),
        hide_level=hide_level,
        radius_km=radius,
        margin=margin,
        exact_top=exact_top,
        edits=cast("EditKind", edits),
    )
    places = parse_places(at) if at else None
    paths = [album]
    if Path(photo).is_file() and not Path(photo).resolve().is_relative_to(album.resolve()):
        paths.append(Path(photo))
    if output is not None:  # refuse before the long work
        check_copy_target([album] if album.is_dir() else [], output)
    ledger, export = Ledger(), None
    with (
        stages() as progress,
        open_album(
            paths,
            wishes,
            at=places,
            at_anyway=at_anyway,
            scorers=specs,
            cache=cache,
            posted=tuple(posted or ()),
            ledger=ledger,
            keep=output is not None or edits != "none",
            read_text=text,
            progress=progress,
        ) as opened,
    ):
        scored, public = opened.scored, opened.posted
        progress(Step("planning", 0, 0))
        checked = check_next_photo(scored, opened.places, wishes, photo, posted=public)
        if edits != "none":
            checked = edit_next_photo(
                scored,
                checked,
                confirm=confirming(specs),
                cache=RowCache() if cache else None,
                progress=progress,
            )
        progress(Step("planning", 1, 1))
        if output is not None and checked.alone is not None:
            export = export_with_report(
                ProtectedAlbum(scored, checked.alone),
                output,
                ledger=ledger if remember else None,
                progress=progress,
            ).export
        public_count = len(public.pinned(len(scored.photos)))
    if as_json:
        _print_json(checked, export, public_count)
    else:
        _show(checked, export, nothing_written=output is not None and export is None)
    return EXIT[checked.decision.answer]


def _show(checked: NextPhoto, export: Export | None, *, nothing_written: bool) -> None:
    from rich.text import Text

    from elsewhere.cli.render.printing import printed
    from elsewhere.values.versions import picture_lost

    answer = checked.decision.answer
    with printed() as console:
        names = printable(", ".join(checked.names))
        console.print(Text.assemble((str(answer), f"bold {_COLOURS[answer]}"), f"  {names}"))
        console.print(Text(printable(messages.next_reason(checked.decision))))
        for edit in checked.alone.edits.values() if checked.alone is not None else ():
            lost = 100 * float(picture_lost(edit))
            console.print(Text(f"edited: {messages.edit_kind(edit)}, {lost:.0f} % of the picture"))
        for note in checked.album.notes:
            console.print(Text(printable(messages.note(note)), "dim"))
        if export is not None:
            console.print(Text(f"clean copy: {printable(str(export.target))}", "bold"))
            certificate = printable(export.certificate.as_posix())
            console.print(Text(f"certificate: {certificate} (private: it names the place)", "dim"))
        elif nothing_written:
            console.print(Text("Nothing was written."))


def _print_json(checked: NextPhoto, export: Export | None, public_count: int) -> None:
    from elsewhere.cli.render.printing import print_json
    from elsewhere.cli.render.protect import edit_json

    document: dict[str, Any] = {
        "answer": str(checked.decision.answer),
        "photos": list(checked.names),
        "reason": messages.next_reason(checked.decision),
        "before": list(checked.before),
        "together": list(checked.together),
        "costs": float(checked.decision.more),
        "public": public_count,
        "verdict": messages.verdict(checked.alone) if checked.alone else "",
        "notes": [messages.note(note) for note in checked.album.notes],
    }
    if checked.alone is not None and checked.alone.edits:
        document["edited"] = {name: edit_json(e) for name, e in checked.alone.edits.items()}
    if export is not None:
        document |= {
            "target": str(export.target),
            "certificate": str(export.certificate),
            "files": [file.name for file in export.files],
        }
    print_json(document)
