"""Looking at photos with one scorer, and telling of those that cannot be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from elsewhere.errors import NoPhotoError
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from elsewhere.service import ScoredAlbum, SkippedFile


def look(
    paths: Sequence[Path], scorer: str, cache: bool
) -> tuple[ScoredAlbum | None, tuple[SkippedFile, ...]]:
    """What the scorer sees, and the photos that are missing from it, each told on stderr.

    None where no photo at all could be looked at. Files that are no photos are passed over in
    silence, unless somebody named them.
    """
    from elsewhere.cli.render.progress import stages
    from elsewhere.service import RowCache, score_album

    seen: ScoredAlbum | None = None
    try:
        with stages() as step:
            rows = RowCache() if cache else None
            # the scores are all that is wanted, of thousands of photos too
            seen = score_album(paths, scorers=[scorer], cache=rows, progress=step, keep=False)
            seen.close()
            left = seen.left
    except NoPhotoError as nothing:
        left = tuple(nothing.left)  # type: ignore[arg-type]
        if not _missed(left, paths):
            raise
    missed = _missed(left, paths)
    for one in missed:
        typer.echo(f"elsewhere: {printable(one.name)}: {printable(one.reason)}", err=True)
    return seen, missed


def _missed(left: Sequence[SkippedFile], paths: Sequence[Path]) -> tuple[SkippedFile, ...]:
    named = set(paths)
    return tuple(one for one in left if one.lost or one.path in named)
