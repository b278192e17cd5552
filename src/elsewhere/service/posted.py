"""Photos that are out already: an attacker adds them up with whatever is shared next.

They cannot be withheld any more, so a plan counts them as fixed in: their rows stand behind the
album's in the scores that the engine sees, pinned, and they are never exported. A photo of the
album that is out already is pinned where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from elsewhere.album import Metadata, SkippedFile
from elsewhere.errors import InputError
from elsewhere.values.notes import Note
from elsewhere.values.scores import Scores


@dataclass(frozen=True)
class Posted:
    """What is public already, as every attacker of an album sees it."""

    ids: tuple[str, ...] = ()
    """One name for each photo beyond the album: "posted/…" for a file, "remembered/…" for a row
    of the ledger; none of them is the name of a photo of the album."""
    rows_by_model: tuple[Scores, ...] = ()
    """One for each attack of the album, in its order: the rows of `ids`. Empty where `ids` is."""
    metadata: tuple[Metadata, ...] = ()
    """What is known of each of `ids`: its position and time say which place it belongs to."""
    already: tuple[int, ...] = ()
    """Photos of the album, by number and ascending, that are out already: pinned and not exported
    again. They are not among `ids`, for nobody is to count them twice."""
    notes: tuple[Note, ...] = ()
    left: tuple[SkippedFile, ...] = ()
    """Files among the posted ones that could not be counted, and why."""

    def __post_init__(self) -> None:
        assert len(self.metadata) == len(self.ids)
        assert all(rows.ids == self.ids for rows in self.rows_by_model)
        assert bool(self.rows_by_model) == bool(self.ids)

    def __bool__(self) -> bool:
        return bool(self.ids or self.already)

    def append_to(self, scores: Scores, attack: int) -> Scores:
        """The album's scores by one attack with the posted rows appended behind them."""
        if not self.ids:
            return scores
        rows = self.rows_by_model[attack]
        if rows.cells != scores.cells or rows.scorer != scores.scorer:
            raise InputError(
                "the posted photos were scored by another model than the album: score them anew"
            )
        return Scores(
            np.concatenate([scores.values, rows.values]),
            ids=(*scores.ids, *rows.ids),
            scorer=scores.scorer,
            grid=scores.grid,
        )

    def pinned(self, photos: int) -> tuple[int, ...]:
        """What to pin, by number, where the album has `photos` photos: ascending."""
        return (*self.already, *range(photos, photos + len(self.ids)))

    def newly_shared(self, kept: Iterable[int], photos: int) -> list[int]:
        """Of some kept photos those that would be shared: of the album, and not out already."""
        return [n for n in kept if n < photos and n not in self.already]


NOTHING_POSTED = Posted()
