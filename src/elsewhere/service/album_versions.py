"""The versions of an album's photos as rows of scores: what a plan with edits chooses among.

A photo without candidates is shared as it is or withheld. One that is public already stays in the
version that is public. Rows come photo by photo, and what is posted beyond the album behind them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from elsewhere.errors import InputError
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.versions import Edit, ScoredVersion

if TYPE_CHECKING:
    from elsewhere.service.posted import Posted

DEAREST = Fraction(999, 1000)
"""The share of a photo's value that a version costs at most: withholding it costs all."""


@dataclass(frozen=True, eq=False)
class AlbumVersions:
    """The versions that a plan chooses among."""

    candidates: Mapping[int, tuple[ScoredVersion, ...]]
    """By photo's number, in ascending order of numbers; as it is only where that is among them."""
    photos: int
    """How many photos the album has."""

    @cached_property
    def rows(self) -> tuple[tuple[int, ScoredVersion | None], ...]:
        """The photo of each row, and its version; None for a photo without candidates."""
        found: list[tuple[int, ScoredVersion | None]] = []
        for photo in range(self.photos):
            found += [(photo, version) for version in self.candidates.get(photo, (None,))]
        return tuple(found)

    def always_edited(self, photo: int) -> bool:
        """Whether a photo is never shared as it is."""
        versions = self.candidates.get(photo, ())
        return bool(versions) and not any(version.as_is for version in versions)

    def costs(self, values: Sequence[Fraction]) -> list[tuple[int, Fraction]]:
        """The photo and the cost of each row, posted photos behind those of the album."""
        shares = [
            (photo, Fraction(0) if version is None else min(version.cost, DEAREST))
            for photo, version in self.rows
        ]
        shares += [(photo, Fraction(0)) for photo in range(self.photos, len(values))]
        return [(photo, share * values[photo]) for photo, share in shares]

    def expand(self, scores: Scores, model: int) -> Scores:
        """One model's scores of the album with a row for each version.

        The first version of a photo has its name.
        """
        values: list[FloatMatrix] = []
        ids: list[str] = []
        taken = set(scores.ids)
        for row, (photo, version) in enumerate(self.rows):
            name = scores.ids[photo]
            if row and self.rows[row - 1][0] == photo:
                name = f"{name} ({1 + ids.count(name)})"
                while name in taken:
                    name += "*"
            taken.add(name)
            ids.append(name)
            values.append(scores.values[photo] if version is None else version.rows[model])
        table = np.stack(values).astype(scores.values.dtype, copy=False)
        table.flags.writeable = False
        return Scores(table, ids, scorer=scores.scorer, grid=scores.grid, points=scores.points)

    def edits(self, rows: Sequence[int]) -> dict[int, Edit]:
        """By photo's number, the edits of the rows that are shared."""
        shared = [self.rows[row] for row in rows if row < len(self.rows)]
        return {
            photo: version.edit
            for photo, version in shared
            if version is not None and version.edit is not None
        }

    def names(self, rows: Sequence[int]) -> dict[int, str]:
        """By photo's number, the names of versions that others made, of the rows shared."""
        shared = [self.rows[row] for row in rows if row < len(self.rows)]
        return {photo: version.name for photo, version in shared if version and version.name}


def album_versions(
    scored: ScoredAlbum, candidates: Mapping[int, Sequence[ScoredVersion]], posted: Posted
) -> AlbumVersions | None:
    """The versions to choose among; None where no photo has any that counts."""
    models, photos = len(scored.models), len(scored.photos)
    found = {}
    for photo, versions in sorted(candidates.items()):
        if not 0 <= photo < photos or any(len(version.rows) != models for version in versions):
            raise InputError(
                f"versions are given for photos 0 to {photos - 1}, each with a row for each of "
                f"{models} scorers"
            )
        if versions and photo not in posted.already:
            found[photo] = tuple(versions)
    return AlbumVersions(found, photos) if found else None
