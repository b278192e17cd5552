"""What an attacker infers, as far as a row tells it: the numbers of the audit and none of its art.

An audit for people shows each photo and each step of the way, which takes longer than the plan and
grows with the square of the album. These are the same numbers for all photos together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.audit.nearness import within
from elsewhere.audit.ranks import rank
from elsewhere.globe import Cells, cell_names
from elsewhere.scorers.calibration import together
from elsewhere.values.scores import Scores


def infer(
    scores: Scores,
    zone: Sequence[int],
    *,
    scorer: str,
    place: str,
    exponents: Mapping[int, float],
    globe: Cells | None,
    sees: Sequence[int] | None = None,
    among: Sequence[int] | None = None,
    positions: Sequence[tuple[float, float]] = (),
) -> dict[str, Any]:
    """One struct of `schemas.audit`."""
    table = scores.values if sees is None else scores.values[list(sees)]
    values = table.astype(np.float64)
    if among is not None:
        impossible = np.ones(scores.cells, dtype=bool)
        impossible[list(among)] = False
        values[:, impossible] = -np.inf
    cells = np.array(zone, dtype=np.int64)
    likely = np.exp(together(values, exponents))
    best = int(np.argmax(likely))
    near = within(likely, globe, positions)[0].chance if globe is not None and positions else None
    return {
        "scorer": scorer,
        "place": place,
        "photos": len(values),
        "rank": rank(values, cells),
        "probability": min(1.0, float(likely[cells].sum())),
        "guess": f"cell {best}" if globe is None else cell_names(globe)[best],
        "guess_probability": float(likely[best]),
        "within_25_km": near,
    }
