"""Score photos with one scorer, and name those that cannot be scored on stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from elsewhere.errors import NoPhotoError
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service import ScoredAlbum, SkippedFile


def score_photos(
    paths: Sequence[Path], scorer: str, cache: bool
) -> tuple[ScoredAlbum | None, tuple[SkippedFile, ...]]:
    """The scored photos, None if there are none, and the photos that failed.

    Files of other kinds are ignored, unless they are among `paths`.
    """
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import RowCache, score_album

    scored, no_photo = None, None
    try:
        with stages() as progress:
            rows = RowCache() if cache else None
            scored = score_album(paths, scorers=[scorer], cache=rows, progress=progress, keep=False)
            scored.close()
            skipped = scored.skipped
    except NoPhotoError as error:
        no_photo, skipped = error, cast("tuple[SkippedFile, ...]", error.left)
    failed = tuple(file for file in skipped if file.lost or file.path in set(paths))
    if no_photo is not None and not failed:
        raise no_photo
    for file in failed:
        typer.echo(f"elsewhere: {printable(file.name)}: {printable(file.reason)}", err=True)
    return scored, failed
