"""`elsewhere verify`: prove again that a copy keeps its certificate's promise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli import options
from elsewhere.cli.program import ERROR, KEPT, one_sentence
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service.verify import Verification


def command(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET", help="The folder or .zip that protect wrote.", show_default=False
        ),
    ],
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The copy's certificate, where it is not found by itself: it is looked for in "
            "--private, by where the copy lies and by its files.",
            show_default=False,
        ),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The --private that protect was given.",
            show_default="your data directory",
        ),
    ] = None,
    scorer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORER",
            help="A scorer to try before those that the certificate names, such as "
            "onnx:MODEL.onnx: for a model that has moved, and for a certificate from somebody "
            "else, of which nothing but the embedded model is opened unasked. Give it again for a "
            "second one.",
            show_default=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Prove again that a copy keeps its promise, from its bytes and without the solver.

    The files are compared with the certificate, proved to hold nothing but a picture, scored
    again, and the promise is checked on the new scores.

    Examples:

    - `elsewhere verify ~/Pictures/trip-to-share`
      (what protect wrote there)

    - `elsewhere verify trip.zip --certificate backup/certificate.json`
      (with a certificate that was kept in another place)

    Exit codes: 0 the promise is kept, 1 it is not, or a file cannot be read, 2 a command line that
    cannot be understood.
    """
    with one_sentence():
        from elsewhere.cli.render.progress import stages
        from elsewhere.service.verify import verify_copy

        with stages() as told:
            found = verify_copy(
                target,
                certificate,
                private=private,
                scorers=tuple(scorer or ()),
                own=certificate is None or _own(certificate, private),
                progress=told,
            )
        if as_json:
            _as_json(found)
        else:
            _show(target, found)
    raise typer.Exit(KEPT if found else ERROR)


def _own(certificate: Path, private: Path | None) -> bool:
    """Whether a certificate was written by this user's own exports, by where it lies."""
    from elsewhere.platform.machine import data_folder

    homes = [data_folder(), *([] if private is None else [private])]
    return any(certificate.resolve().is_relative_to(home.resolve()) for home in homes)


def _show(target: Path, found: Verification) -> None:
    from rich.text import Text

    from elsewhere.cli.render.printing import printed
    from elsewhere.values.promise import NOT_COVERED
    from elsewhere.values.wording import counted

    with printed() as console:
        name = printable(str(target))
        if found:
            files = counted(found.files, "file")
            they = "it was" if found.files == 1 else "they were"
            console.print(
                Text(
                    f"{name} keeps its promise: {files} as {they} exported, scored again, and the "
                    "promise proved on the new scores:",
                    "bold green",
                )
            )
            for clause in found.promised:
                console.print(Text(f"- {printable(clause)}"))
            console.print(Text(f"not covered: better models, {NOT_COVERED}", "dim"))
        else:
            console.print(Text(f"{name} does not keep its promise:", "bold red"))
            for problem in found.problems:
                console.print(Text(f"- {printable(problem)}"))
        for note in found.notes:
            console.print(Text(f"note: {printable(note)}", "dim"))


def _as_json(found: Verification) -> None:
    import json

    told = {
        "kept": bool(found),
        "promised": list(found.promised),
        "problems": list(found.problems),
        "notes": list(found.notes),
        "files": found.files,
        "views": found.reproved,
    }
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
