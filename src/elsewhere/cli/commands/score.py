"""`elsewhere score`: photos in, a score file out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli import options
from elsewhere.cli.program import ERROR, KEPT
from elsewhere.values.wording import counted, printable

_FOLDER = typer.Argument(metavar="FOLDER", help="A folder of photos.")
_OUTPUT = typer.Option(
    "--output",
    "-o",
    metavar="FILE",
    help="Where the scores go (.npz, .csv or .parquet); an earlier file of that name is replaced.",
)


def command(
    folder: Annotated[Path, _FOLDER],
    output: Annotated[Path, _OUTPUT],
    scorer: Annotated[str, options.ONE_SCORER] = "embedded",
    cache: Annotated[bool, options.CACHE] = True,
) -> int:
    """Score every photo of a folder: how likely it was taken in each cell of the globe.

    Photos are read, never changed, and nothing leaves this machine. Subfolders are included. Each
    photo is scored as it would be shared: upright, sRGB, at most 2048 pixels long.

    Examples:

    - `elsewhere score holiday -o holiday.npz`
      (with the embedded model, offline)
    - `elsewhere score holiday -o streets.npz --scorer onnx:streets.onnx`
      (with a model of your own)
    - `elsewhere plan holiday.npz --truth Lisbon --top 5`
      (then find which photos to withhold)

    Exit codes: 0 every photo is in the file, 1 some could not be read (the others are in the
    file), or nothing could be written, 2 invalid usage.
    """
    import time

    from elsewhere.cli.plan_options import guard
    from elsewhere.cli.score_photos import score_photos
    from elsewhere.service import check_writable, write_scores

    guard({"-o": output}, [Path(scorer.partition(":")[2])] if ":" in scorer else [])
    check_writable(output)
    start = time.perf_counter()
    scored, failed = score_photos([folder], scorer, cache)
    if scored is None:
        return ERROR
    scores, cached = scored.models[0].scores, scored.models[0].cached
    write_scores(output, scores)
    took = time.perf_counter() - start
    fresh = scores.photos - cached
    speed = [f"{fresh / took:.1f} photos/s"] if fresh else []
    known = [f"{cached} of them from the cache"] if cached else []
    typer.echo(
        f"{printable(str(output))}: {counted(scores.photos, 'photo')} × {scores.cells} cells "
        f"in {took:.1f} s ({', '.join(speed + known)})"
    )
    if failed:
        typer.echo(
            f"elsewhere: {counted(len(failed), 'photo')} could not be scored and "
            f"{'is' if len(failed) == 1 else 'are'} not in {printable(str(output))}",
            err=True,
        )
    return ERROR if failed else KEPT
