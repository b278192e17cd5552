"""`elsewhere batch`: plan every album of a dataset."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elsewhere.cli import options
from elsewhere.cli.render.batch import show_failures, show_progress, show_summary

EXCEEDED = 5  # the exit code of a run whose results exceed a limit
_WISHES = "Wishes for albums without their own"
_RUN = "How to run"
_OUT = "What to write"


class EngineName(StrEnum):
    """Where albums are planned."""

    LOCAL = "local"
    RAY = "ray"


class DeviceName(StrEnum):
    """Where models run."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


class ProgressName(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    JSON = "json"


_INPUT = typer.Argument(
    metavar="INPUT",
    help="The dataset: a .parquet or .arrow file, or a folder of them, here or at an "
    "address such as s3://bucket/albums.",
)
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="DIR",
    help="Where the rows, the dead letters and the report go: a new folder, or that of a run to "
    "resume.",
)
_ENGINE = typer.Option(
    metavar="local|ray", help="Run on this machine or on a Ray cluster; the rows are the same."
)
_BLOCK = typer.Option(
    min=1,
    metavar="PHOTOS",
    help="Photos per block of work, at most.",
    show_default="chosen from the data",
)
_WORKERS = typer.Option(
    min=1, metavar="N", help="Blocks to work on at a time.", show_default="all processors"
)
_ADDRESS = typer.Option(
    metavar="ADDRESS", help="The Ray cluster to join, or auto.", show_default="a new one, here"
)
_DEVICE = typer.Option(
    metavar="auto|cpu|cuda",
    help="Where the embedded model runs: cuda takes a GPU (with PyTorch), auto and cpu the "
    "processor. Other models always run on the processor.",
)
_GPUS = typer.Option(
    min=0,
    metavar="SHARE",
    help="On Ray: the share of a GPU for each worker that scores photos.",
    show_default="1 with --device cuda",
)
_KEY_FILE = typer.Option(
    metavar="FILE",
    help="File with the key from which each album's secret top is drawn: runs with the same key "
    "draw the same.",
    show_default="a new one, stored in the output",
)
_UPDATE = typer.Option(
    "--update",
    help="Bring the output of an earlier run up to date: albums that are new or changed are "
    "planned, all others keep their rows.",
)
_PROGRESS = typer.Option(
    metavar="auto|json",
    help="How progress is shown on stderr: a bar or a line a minute, or JSON lines with rates and "
    "the seconds left.",
)
_FAIL_IF = typer.Option(
    metavar="LIMIT",
    help="End with exit code 5 if the results exceed this, such as 'broken>1%' or 'left>100'. "
    "Repeat it for more.",
    show_default="files>0",
)
_CARRY = typer.Option(
    metavar="COLUMN",
    help="Also write this column of the input, where all rows of an album agree. Repeat it for "
    "more. Partition keys are always written.",
)
_PARTITION_BY = typer.Option(
    metavar="COLUMN",
    help="Write the rows into folders by this column, such as country=FR. Repeat it for more.",
)
_CERTIFICATES = typer.Option(
    "--certificates",
    help="Also write each album's certificate, not only its digest. It names the secret top.",
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
    update: Annotated[bool, options.under(_RUN, _UPDATE)] = False,
    progress: Annotated[ProgressName, options.under(_RUN, _PROGRESS)] = ProgressName.AUTO,
    fail_if: Annotated[list[str] | None, options.under(_RUN, _FAIL_IF)] = None,
    certificates: Annotated[bool, options.under(_OUT, _CERTIFICATES)] = False,
    carry: Annotated[list[str] | None, options.under(_OUT, _CARRY)] = None,
    partition_by: Annotated[list[str] | None, options.under(_OUT, _PARTITION_BY)] = None,
) -> None:
    """Plan every album of a dataset: what it gives away, and what to withhold.

    The input and output columns are described in docs/batch.md. A run that was stopped, even by
    `kill -9`, resumes when you repeat the command. What cannot be used is listed with a
    reason in the dead letters (the folder dead), and the run continues.

    Examples:

    - `elsewhere batch albums.parquet -o planned`
      (on this machine)
    - `elsewhere batch scores.arrow -o planned --top 10 --workers 8`
      (photos that are already scored, eight blocks at a time)
    - `elsewhere batch /shared/albums -o /shared/planned --engine ray --address auto`
      (on the Ray cluster of this machine)

    Exit codes: 0 every album has a row, 1 an error, 2 invalid usage, 5 the run is complete but a
    file of the dataset could not be used or a limit of --fail-if is exceeded, 130 stopped.
    """
    from elsewhere.batch import DEFAULT_WORK, NO_LOST_FILES, Engine, Limit, Settings, run
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
        block=block,
        max_side=max_side or MAX_SIDE,
        device=device.value,
        certificates=certificates,
        carry=tuple(carry or ()),
        partition_by=tuple(partition_by or ()),
        update=update,
        key="" if key_file is None else _read_key(key_file),
    )
    limits = [Limit.parse(text) for text in fail_if or ()]
    if not any(limit.name == NO_LOST_FILES.name for limit in limits):
        limits.append(NO_LOST_FILES)
    with show_progress(output, as_json=progress is ProgressName.JSON) as steps:
        summary = run(settings, Engine(engine.value, workers, address, gpus), steps)
    show_summary(summary, output, steps.unchanged)
    if show_failures(summary, limits):
        raise typer.Exit(EXCEEDED)


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
