"""What every scorer is: two methods, `load` and `score`, and nothing else.

A scorer turns one photo into one row of natural-log probabilities over cells. It sees one photo
at a time, so a row cannot depend on the batch or on the neighbours; speed comes from several
threads calling `score` at once (`pipeline.py`), so `score` must be safe to call that way.
No prior over cells may be baked in: it would count once per photo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe import Cells
from elsewhere.scorers.photos import Photo

Row = NDArray[np.float32]
"""(M,) natural-log probabilities: finite, the probabilities summing to one within 1e-4."""


@dataclass(frozen=True)
class ScorerInfo:
    """What `load` found out about the scorer; everything that a caller needs besides rows."""

    name: str
    """What the user called it: "embedded", "onnx:streets.onnx"."""
    fingerprint: str
    """Changes whenever the rows could change on purpose: other weights, another preparation."""
    cells: int
    """How many cells a row has (M)."""
    grid: str = ""
    """Fingerprint of the cells; empty when the scorer does not know them."""
    globe: Cells | None = None
    """The cells themselves; None when the scorer does not know them."""
    exponents: Mapping[int, float] = field(default_factory=dict)
    """By collection size, what the sum of rows is multiplied with to be calibrated."""
    accuracy: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """By continent, and "" for everywhere: the share of single photos of places never seen that
    are guessed right within so many km. Empty where it was not measured."""
    cacheable: bool = True
    """False where asking again costs no more than looking the row up."""


class Scorer(Protocol):
    """The interface. `load` is cheap to call twice; `score` is called after `load` only."""

    def load(self) -> ScorerInfo:
        """Read and verify everything that is needed, once."""
        ...

    def score(self, photo: Photo) -> Row:
        """The row of one photo, the same bits each time on one machine."""
        ...
