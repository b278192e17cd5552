"""`elsewhere batch`: many albums, from a dataset to a dataset."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elsewhere.cli.batched import bar, stopped_in, tell
from elsewhere.cli.program import one_sentence

_WISHES = "Wishes, for albums that have none of their own"
_RUN = "How it is run"


class EngineName(StrEnum):
    """Where the work is done."""

    LOCAL = "local"
    RAY = "ray"


class DeviceName(StrEnum):
    """Where models run."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    input: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="The dataset: a .parquet or .arrow file, or a folder of them, here or at an "
            "address such as s3://bucket/albums.",
            show_default=False,
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where rows, dead letters and report go: a new folder, or one in which the same "
            "run was stopped.",
        ),
    ],
    engine: Annotated[
        EngineName,
        typer.Option(metavar="local|ray", help="This machine, or a Ray cluster: the same rows."),
    ] = EngineName.LOCAL,
    scorer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SCORER",
            help="The attackers, where photos are to be looked at; repeat it for several.",
            show_default="embedded",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Keep each place out of the first K guesses.",
            show_default="5",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="N|P%",
            help="Instead: withhold at most N photos, or P% of them.",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    radius: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="KM",
            help="How far around its photos a place is hidden.",
            show_default="25",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="MARGIN",
            help="What to spare for other models: none, careful, paranoid, or nats per photo.",
            show_default="careful",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    exact_top: Annotated[
        bool,
        typer.Option(
            "--exact-top",
            help="Use K itself, where otherwise one from K to 3K is drawn in secret.",
            rich_help_panel=_WISHES,
        ),
    ] = False,
    max_side: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="PIXELS",
            help="The longest side of the renditions that are looked at.",
            show_default="2048",
            rich_help_panel=_WISHES,
        ),
    ] = None,
    work_limit: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="WORK",
            help="Stop planning an album after so much work: a count, the same everywhere.",
            show_default="20000",
            rich_help_panel=_RUN,
        ),
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="PHOTOS",
            help="Photos that a worker takes on, and writes, at once: at most.",
            show_default="1024",
            rich_help_panel=_RUN,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="How many blocks are worked on at a time.",
            show_default="all processors",
            rich_help_panel=_RUN,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The Ray cluster to join, or auto; one is started here unless told.",
            rich_help_panel=_RUN,
        ),
    ] = None,
    device: Annotated[
        DeviceName,
        typer.Option(
            metavar="auto|cpu|cuda",
            help="Where ONNX models look at photos: on a GPU where there is one, or as told. The "
            "embedded one is made for processors and stays there.",
            rich_help_panel=_RUN,
        ),
    ] = DeviceName.AUTO,
    gpus: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SHARE",
            help="On Ray, how much of a GPU each worker that looks at photos gets.",
            show_default="1 where one is used",
            rich_help_panel=_RUN,
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What each album's secret k is drawn from: runs with the same key draw the same. "
            "One is made, and kept beside the output, unless told.",
            rich_help_panel=_RUN,
        ),
    ] = None,
    certificates: Annotated[
        bool,
        typer.Option(
            "--certificates",
            help="Write each album's certificate too, not only its digest; it names the secret k.",
            rich_help_panel=_RUN,
        ),
    ] = False,
) -> None:
    """Say of every album of a dataset what it gives away and what to withhold.

    The columns that go in and come out are in docs/batch.md. A run that was stopped, even by
    `kill -9`, goes on where it was when it is given the same arguments. What cannot be used goes
    to dead letters with its reason, and stops nothing.

    Examples:

    - `elsewhere batch albums.parquet -o planned`

    - `elsewhere batch /shared/albums -o /shared/planned --engine ray --address auto`

    - `elsewhere batch scores.arrow -o planned --top 10 --workers 8`

    Exit codes: 0 all albums have a row, 1 a file could not be used, 2 misunderstood, 130 stopped.
    """
    from elsewhere.album.renditions import MAX_SIDE

    with one_sentence():
        from elsewhere.batch.running import Engine, run
        from elsewhere.batch.settings import BLOCK, WORK, Settings

        wishes: dict[str, Any] = {
            "top": top,
            "budget": budget,
            "radius_km": radius,
            "margin": margin,
            "exact_top": exact_top or None,
        }
        settings = Settings(
            input=_anywhere(input),
            output=_anywhere(output),
            scorers=tuple(scorer or ["embedded"]),
            wishes={name: value for name, value in wishes.items() if value is not None},
            work_limit=WORK if work_limit is None else work_limit,
            block=block or BLOCK,
            max_side=max_side or MAX_SIDE,
            device=device.value,
            certificates=certificates,
            key="" if key_file is None else _key(key_file),
        )
        with bar() as watch, stopped_in(output, watch):
            found = run(settings, Engine(engine.value, workers, address, gpus), watch)
        tell(found, output)


def _anywhere(where: str) -> str:
    """A path as workers understand it that were started in another folder."""
    return where if "://" in where else str(Path(where).absolute())


def _key(file: Path) -> str:
    from elsewhere.errors import FileError, InputError

    try:
        key = file.read_bytes().hex()
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror}") from None
    if len(key) < 32:
        raise InputError(f"{file} is too short for a key: put 16 random bytes or more into it")
    return key
