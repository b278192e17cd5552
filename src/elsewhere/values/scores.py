"""The value Scores: what one attacker's model says of each photo.

One row per photo, one column per cell, natural-log probabilities. Rows need not be normalised
(a constant added to a row changes no ranking), so any finite reals will do; −inf stands for
probability zero. `formats/score_files/` reads and writes them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError

_MAX_INTEGER = 2**53
"""Up to here every whole number is a 64-bit float; scores are never rounded."""
_DOUBLE_BYTES = 8
_HASHED_AT_A_TIME = 2**17
"""Scores that are turned into bytes at a time."""
_MAX_SHOWN = 80
"""Characters of a name that an error repeats."""

FloatMatrix = NDArray[np.float64] | NDArray[np.float32]
Points = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Latitudes and longitudes."""


@dataclass(frozen=True, eq=False)
class Scores:
    """N photos × M cells of log-probabilities, with names and fingerprints.

    >>> scores = Scores([[-0.1, -2.4], [-1.2, -0.4]], ids=["a.jpg", "b.jpg"])
    >>> scores.photos, scores.cells
    (2, 2)
    >>> scores.index("b.jpg")
    1
    """

    values: FloatMatrix
    """(N, M), float32 or float64, read-only, finite or −inf."""
    ids: tuple[str, ...] = ()
    """One name per photo; "0", "1", … where none were given."""
    scorer: str = ""
    """Fingerprint of the model that made the rows; empty when unknown."""
    grid: str = ""
    """Fingerprint of the cells that the columns stand for; empty when unknown."""
    points: Points | None = field(default=None, repr=False)
    """The points that stand for the cells, where they are known."""
    photos: int = field(init=False, repr=False)
    """The number of photos (N)."""
    cells: int = field(init=False, repr=False)
    """The number of cells (M)."""
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __init__(
        self,
        values: ArrayLike,
        ids: Iterable[object] | None = None,
        *,
        scorer: str = "",
        grid: str = "",
        points: Points | None = None,
    ) -> None:
        # The values as a read-only matrix of floats, each exactly as given.
        if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
            raise InputError("scores must not be masked: give every photo a number for every cell")
        try:
            given = np.asarray(values)
            if given.dtype == object:
                given = given.astype(np.float64)
                pairs = zip(given.flat, np.asarray(values).flat, strict=True)
                if any(rounded != exact for rounded, exact in pairs if not np.isnan(rounded)):
                    raise InputError("scores must be numbers that a float holds exactly")
        except (TypeError, ValueError, OverflowError) as problem:
            if isinstance(problem, InputError):
                raise
            raise InputError("scores must be a rectangular table of numbers") from None
        if given.dtype.kind == "f" and given.dtype.itemsize > _DOUBLE_BYTES:
            with np.errstate(over="ignore"):
                if (given.astype(np.float64) != given)[~np.isnan(given)].any():
                    raise InputError("scores must be numbers that a float of 64 bits holds exactly")
        whole = given.dtype.kind in "iu" and given.size > 0
        if whole and max(-int(given.min()), int(given.max())) > _MAX_INTEGER:
            raise InputError(
                f"whole-number scores must lie within ±{_MAX_INTEGER:,}, to be kept exactly"
            )
        if given.dtype.kind not in "fiub":
            raise InputError(f"scores must be numbers, not {given.dtype}")
        if given.ndim != 2:
            raise InputError(f"scores must have two dimensions (photos × cells), not {given.ndim}")
        if given.shape[0] == 0:
            raise InputError("scores hold no photo: give at least one row")
        if given.shape[1] < 2:
            raise InputError("scores need at least two cells, one of them the truth")
        dtype: Any = np.float32 if given.dtype == np.float32 else np.float64
        # what nobody can write into any more is taken as it is: it may be most of the memory
        kept = given is values and given.flags.owndata and not given.flags.writeable
        matrix: FloatMatrix = np.array(given, dtype=dtype, copy=None if kept else True)
        good = matrix.max(axis=1) < np.inf  # false for NaN too
        if not good.all():
            row = int(np.argmin(good))
            column = int(np.argmin(matrix[row] < np.inf))
            what = "NaN" if np.isnan(matrix[row, column]) else "+inf"
            raise InputError(
                f"scores must be finite or −inf, but photo {row}, cell {column} is {what}"
            )
        matrix.flags.writeable = False
        # One name for each photo.
        photos = len(matrix)
        names = tuple(map(str, range(photos) if ids is None else ids))
        if len(names) != photos:
            raise InputError(f"{photos} photos need {photos} ids, not {len(names)}")
        if len(set(names)) != photos:
            twice = next(name for name, count in Counter(names).items() if count > 1)
            shown = twice if len(twice) <= _MAX_SHOWN else f"{twice[:_MAX_SHOWN]}…"
            raise InputError(f"photo ids must differ, but {shown!r} comes twice")
        object.__setattr__(self, "values", matrix)
        object.__setattr__(self, "ids", names)
        object.__setattr__(self, "scorer", scorer)
        object.__setattr__(self, "grid", grid)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "photos", photos)
        object.__setattr__(self, "cells", matrix.shape[1])
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def with_points(self, points: Points) -> Scores:
        """The same scores, with the points that stand for their cells."""
        return Scores(self.values, self.ids, scorer=self.scorer, grid=self.grid, points=points)

    def index(self, name: str) -> int:
        """The row of the photo called `name`."""
        try:
            return self._index[name]
        except KeyError:
            raise InputError(
                f"no photo is called {name!r}; the first ones are {', '.join(self.ids[:3])}"
            ) from None

    @cached_property
    def digest(self) -> str:
        """SHA-256 over shape and exact values; names do not enter.

        float32 and float64 rows with the same values have the same digest.
        """
        seal = hashlib.sha256(f"scores {self.photos} {self.cells}\n".encode())
        step = max(1, _HASHED_AT_A_TIME // self.cells)
        for start in range(0, self.photos, step):
            wide = self.values[start : start + step].astype("<f8", order="C")
            wide += 0.0  # −0 and 0 are one number
            seal.update(wide.data)
        return seal.hexdigest()

    @cached_property
    def places_digest(self) -> str:
        """The digest, with where the cells lie."""
        seal = hashlib.sha256(self.digest.encode())
        for axis in self.points or ():
            seal.update(axis.astype("<f8").tobytes())
        return seal.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        mine = (self.ids, self.scorer, self.grid, self.digest)
        return mine == (other.ids, other.scorer, other.grid, other.digest)

    def __hash__(self) -> int:
        return hash((self.ids, self.digest))
