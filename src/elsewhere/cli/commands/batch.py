"""`elsewhere batch`: many albums, from a dataset to a dataset."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.cli.render.batch import show_progress, show_summary

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


_INPUT = typer.Argument(
    metavar="INPUT",
    help="The dataset: a .parquet or .arrow file, or a folder of them, here or at an "
    "address such as s3://bucket/albums.",
)
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="DIR",
    help="Where rows, dead letters and report go: a new folder, or one in which the same "
    "run was stopped.",
)
_ENGINE = typer.Option(metavar="local|ray", help="This machine, or a Ray cluster: the same rows.")
_BLOCK = typer.Option(
    min=1,
    metavar="PHOTOS",
    help="Photos that a worker takes on, and writes, at once: at most.",
    show_default="1024",
)
_WORKERS = typer.Option(
    min=1,
    metavar="N",
    help="How many blocks are worked on at a time.",
    show_default="all processors",
)
_ADDRESS = typer.Option(
    metavar="ADDRESS", help="The Ray cluster to join, or auto.", show_default="one is started here"
)
_DEVICE = typer.Option(
    metavar="auto|cpu|cuda",
    help="Where ONNX models look at photos: on a GPU where there is one, or as told. The "
    "embedded one is made for processors and stays there.",
)
_GPUS = typer.Option(
    min=0,
    metavar="SHARE",
    help="On Ray, how much of a GPU each worker that looks at photos gets.",
    show_default="1 where one is used",
)
_KEY_FILE = typer.Option(
    metavar="FILE",
    help="What each album's secret k is drawn from: runs with the same key draw the same.",
    show_default="one is made, and kept in the output",
)
_CERTIFICATES = typer.Option(
    "--certificates",
    help="Write each album's certificate too, not only its digest; it names the secret k.",
)


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    input: Annotated[str, _INPUT],
    output: Annotated[str, _OUTPUT],
    engine: Annotated[EngineName, _ENGINE] = EngineName.LOCAL,
    scorer: Annotated[list[str] | None, options.SCORERS] = None,
    top: Annotated[int | None, options.under(_WISHES, options.TOP, min=1)] = None,
    budget: Annotated[str | None, options.under(_WISHES, options.BUDGET)] = None,
    radius: Annotated[float | None, options.under(_WISHES, options.RADIUS, min=0)] = None,
    margin: Annotated[str | None, options.under(_WISHES, options.MARGIN)] = None,
    exact_top: Annotated[bool, options.under(_WISHES, options.EXACT_TOP)] = False,
    max_side: Annotated[int | None, options.under(_WISHES, options.MAX_SIDE, min=1)] = None,
    work_limit: Annotated[
        int | None, options.under(_RUN, options.WORK_LIMIT, min=0, show_default="20,000")
    ] = None,
    block: Annotated[int | None, options.under(_RUN, _BLOCK)] = None,
    workers: Annotated[int | None, options.under(_RUN, _WORKERS)] = None,
    address: Annotated[str | None, options.under(_RUN, _ADDRESS)] = None,
    device: Annotated[DeviceName, options.under(_RUN, _DEVICE)] = DeviceName.AUTO,
    gpus: Annotated[float | None, options.under(_RUN, _GPUS)] = None,
    key_file: Annotated[Path | None, options.under(_RUN, _KEY_FILE)] = None,
    certificates: Annotated[bool, options.under(_RUN, _CERTIFICATES)] = False,
) -> None:
    """Say of every album of a dataset what it gives away and what to withhold.

    The columns that go in and come out are in docs/batch.md. A run that was stopped, even by
    `kill -9`, goes on where it was when it is given the same arguments. What cannot be used goes
    to dead letters with its reason, and stops nothing.

    Examples:

    - `elsewhere batch albums.parquet -o planned`
      (on this machine, all of it)

    - `elsewhere batch scores.arrow -o planned --top 10 --workers 8`
      (photos that were scored before, eight blocks at a time)

    - `elsewhere batch /shared/albums -o /shared/planned --engine ray --address auto`
      (on the Ray cluster that this machine belongs to)

    Exit codes: 0 all albums have a row, 1 a file could not be used, 2 a command line that cannot be
    understood, 130 stopped.
    """
    from elsewhere.batch import DEFAULT_BLOCK, DEFAULT_WORK, Engine, Settings, run
    from elsewhere.service import MAX_SIDE

    wishes: dict[str, Any] = {
        "top": top,
        "budget": budget,
        "radius_km": radius,
        "margin": margin,
        "exact_top": exact_top or None,
    }
    settings = Settings(
        input=_absolute(input),
        output=_absolute(output),
        scorers=tuple(scorer or ["embedded"]),
        wishes={name: value for name, value in wishes.items() if value is not None},
        work_limit=DEFAULT_WORK if work_limit is None else work_limit,
        block=block or DEFAULT_BLOCK,
        max_side=max_side or MAX_SIDE,
        device=device.value,
        certificates=certificates,
        key="" if key_file is None else _read_key(key_file),
    )
    with show_progress(output) as progress:
        summary = run(settings, Engine(engine.value, workers, address, gpus), progress)
    show_summary(summary, output)


def _absolute(path: str) -> str:
    """The path for workers in other folders; an address stays as it is."""
    return path if "://" in path else str(Path(path).absolute())


def _read_key(file: Path) -> str:
    from elsewhere.errors import FileError, InputError

    try:
        key = file.read_bytes().hex()
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror}") from None
    if len(key) < 32:
        raise InputError(f"{file} is too short for a key: put 16 random bytes or more into it")
    return key
