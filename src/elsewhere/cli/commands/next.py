"""`elsewhere next`: may this one photo be posted now?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere import messages
from elsewhere.cli import options
from elsewhere.cli.program import INFEASIBLE, KEPT, UNKNOWN, one_sentence
from elsewhere.errors import InputError
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service import Export, NextPhoto, Place
    from elsewhere.values.wishes import Wishes

EXIT = {"keep": KEPT, "withhold": INFEASIBLE, "wait": UNKNOWN}
_COLOURS = {"keep": "green", "wait": "yellow", "withhold": "red"}


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    album: Annotated[
        Path,
        typer.Argument(
            metavar="ALBUM",
            help="The folder with all photos that may still be posted.",
            show_default=False,
        ),
    ],
    photo: Annotated[
        str,
        typer.Argument(
            metavar="PHOTO", help="The photo, by its name there or its path.", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="TARGET",
            help="If it may be posted, write its clean copy there: a new folder, or a new .zip.",
            show_default=False,
        ),
    ] = None,
    remember: Annotated[
        bool,
        typer.Option(
            "--remember", help="With -o: write down, privately, that it is public from now on."
        ),
    ] = False,
    posted: Annotated[list[Path] | None, options.POSTED] = None,
    top: Annotated[
        int,
        typer.Option(metavar="K", help="No hidden place may be among the first K guesses."),
    ] = 5,
    at: Annotated[list[str] | None, options.AT] = None,
    hide: Annotated[list[str] | None, options.HIDE] = None,
    hide_level: Annotated[str | None, options.HIDE_LEVEL] = None,
    radius: Annotated[float, options.RADIUS] = 25.0,
    scorer: Annotated[list[str] | None, options.SCORERS] = None,
    margin: Annotated[str, options.MARGIN] = "careful",
    exact_top: Annotated[bool, options.EXACT_TOP] = False,
    as_json: Annotated[bool, options.JSON] = False,
    cache: Annotated[bool, options.CACHE] = True,
) -> None:
    """Say whether one photo may be posted now: keep, wait or withhold, and why.

    Whoever looks after any step sees only what is out by then, so the promise has to hold with
    this photo and what is public, and nothing else. Public is what --posted names and what was
    remembered. The rest of the album says what is worth waiting for: a photo that would break the
    promise now may go once others are out, and one that may go now may cost others later.

    Examples:

    - `elsewhere next trip IMG_0012.jpg --posted online`
      (may it join the photos in the folder online?)

    - `elsewhere next trip IMG_0012.jpg -o to-post --remember`
      (if so, write its clean copy and remember that it is out)

    - `elsewhere next trip IMG_0012.jpg --hide home --json`
      (for a program)

    Exit codes: 0 keep: post it; 3 withhold; 4 wait: ask again when others are out; 1 an error,
    2 a command line that cannot be understood.
    """
    with one_sentence():
        from elsewhere.cli.parse import parse_places
        from elsewhere.values.wishes import Wishes

        if remember and output is None:
            raise InputError("--remember goes with -o: only a copy that is written is remembered")
        wishes = Wishes(
            each_photo=False,  # each step is judged by all that is out by then
            top=top,
            hide=tuple(hide or ("all",)),
            hide_level=hide_level,
            radius_km=radius,
            margin=margin,
            exact_top=exact_top,
        )
        done = _ask(
            album,
            photo,
            wishes,
            at=parse_places(at),
            scorers=tuple(scorer or ("embedded",)),
            posted=tuple(posted or ()),
            cache=cache,
            output=output,
            remember=remember,
        )
        if as_json:
            import json

            typer.echo(json.dumps(_plain(done), indent=2, ensure_ascii=False))
        else:
            _show(done)
    raise typer.Exit(EXIT[done.next.told.answer])


@dataclass(frozen=True)
class _Done:
    """The answer, what it rests on, and the copy where one was written."""

    next: NextPhoto
    public: int
    """How many photos are out already."""
    shared: Export | None
    unwritten: bool = False
    """Whether a copy was asked for and there is none."""


def _ask(
    album: Path,
    photo: str,
    wishes: Wishes,
    *,
    at: list[Place] | None,
    scorers: tuple[str, ...],
    posted: tuple[Path, ...],
    cache: bool,
    output: Path | None,
    remember: bool,
) -> _Done:
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import (
        Ledger,
        Step,
        check_copy_target,
        check_next_photo,
        export_album,
        open_album,
    )

    paths = [album]
    if Path(photo).is_file() and not Path(photo).resolve().is_relative_to(album.resolve()):
        paths.append(Path(photo))
    if output is not None:  # nobody waits for what cannot be written
        check_copy_target([album] if album.is_dir() else [], output)
    ledger = Ledger()
    with (
        stages() as progress,
        open_album(
            paths,
            wishes,
            at=at,
            scorers=scorers,
            cache=cache,
            posted=posted,
            ledger=ledger,
            keep=output is not None,
            progress=progress,
        ) as opened,
    ):
        seen, public = opened.seen, opened.posted
        progress(Step("planning", 0, 0))
        found = check_next_photo(seen, opened.places, wishes, photo, posted=public, ledger=ledger)
        progress(Step("planning", 1, 1))
        shared = None
        if output is not None and found.alone is not None:
            book = ledger if remember else None
            shared = export_album(
                seen, found.alone, output, posted=public, remember=book, progress=progress
            )
        unwritten = output is not None and shared is None
        return _Done(found, len(public.pinned(len(seen.photos))), shared, unwritten)


def _show(done: _Done) -> None:
    from rich.text import Text

    from elsewhere.cli.render.printing import printed

    found, told = done.next, done.next.told
    with printed() as console:
        names = printable(", ".join(found.names))
        console.print(
            Text.assemble((str(told.answer), f"bold {_COLOURS[told.answer]}"), f"  {names}")
        )
        console.print(Text(printable(messages.next_reason(told))))
        for note in messages.notes(found.album):
            console.print(Text(printable(note), "dim"))
        if done.shared is not None:
            console.print(Text(f"clean copy: {printable(str(done.shared.target))}", "bold"))
            certificate = printable(done.shared.certificate.as_posix())
            console.print(Text(f"certificate: {certificate} (private: it names the place)", "dim"))
        elif done.unwritten:
            console.print(Text("Nothing was written."))


def _plain(done: _Done) -> dict[str, Any]:
    found, told = done.next, done.next.told
    plain: dict[str, Any] = {
        "answer": str(told.answer),
        "photos": list(found.names),
        "reason": messages.next_reason(told),
        "before": list(found.before),
        "together": list(found.together),
        "costs": float(told.more),
        "public": done.public,
        "verdict": messages.verdict(found.alone) if found.alone else "",
        "notes": messages.notes(found.album),
    }
    if done.shared is not None:
        plain |= {
            "target": str(done.shared.target),
            "certificate": str(done.shared.certificate),
            "files": [file.name for file in done.shared.files],
        }
    return plain
