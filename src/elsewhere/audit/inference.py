"""From scores and a truth to an Audit: every part of it from the same sums."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.audit import ranks, sharpening
from elsewhere.audit.nearness import best_km, within
from elsewhere.audit.ranks import Floats
from elsewhere.audit.shares import shares
from elsewhere.audit.values import Alone, Audit, Exposure, Guess, Opinion, Within
from elsewhere.errors import InputError
from elsewhere.globe import Cells, cell_names, cell_towns
from elsewhere.scorers.calibration import exponent, log_softmax, together
from elsewhere.values.scores import Scores

TOP = 5
"""How many places are named for all photos together."""
TOP_ALONE = 3
"""How many for each photo by itself."""


@dataclass(frozen=True)
class Truth:
    """The true place: its cells, and what is known of it on the globe."""

    cells: tuple[int, ...]
    label: str = ""
    lat: float | None = None
    lon: float | None = None
    positions: tuple[tuple[float, float], ...] = ()
    """Where exactly; without any there are no distances."""
    note: str = ""


def audit(
    scores: Scores | ArrayLike,
    truth: Truth | int | Iterable[int] | None = None,
    *,
    exponents: Mapping[int, float] | None = None,
    cells: Cells | None = None,
    sees: Sequence[int] | None = None,
    among: Sequence[int] | None = None,
    rivals: Sequence[int] | None = None,
    margin: float = 0.0,
    opinions: Mapping[str, Scores] | None = None,
    top: int = TOP,
    scorer: str = "",
) -> Audit:
    """What an attacker infers from photos: its guesses, and how far the truth is given away.

    Args:
        scores: the attacker's scores, photos × cells.
        truth: the cell or cells of the true place; None where it is not known.
        exponents: the attacker's calibration for albums, by number of photos. Without it the
            probabilities are those of the plain sum, which is overconfident.
        cells: the cells on the globe, for names and distances; the default ones are known by
            their fingerprint.
        sees: the photos that are added up, by number; all of them where None.
        among: the cells that are possible at all, where the audience knows a country, say.
        rivals: the cells that a plan names, to measure shares against.
        margin: θ, taken off each gain of the shares.
        opinions: the same photos as other heads score them, by the heads' names.
        top: how many places are named.
        scorer: what the attacker is called.

    >>> found = audit(np.log([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3]]), truth=0)
    >>> found.truth.rank, round(found.truth.probability, 2), found.guesses[0].cell
    (1, 0.66, 0)
    >>> [round(gain, 2) for gain in found.truth.shares.gains]
    [-3.2, 0.29]
    """
    table = scores if isinstance(scores, Scores) else Scores(scores)
    chosen = _photos(sees, table)
    ids = tuple(table.ids[photo] for photo in chosen)
    known = _truth(truth, table.cells)
    sight = _Sight(cells or _default(table), exponents or {}, known)
    values = _rows(table, chosen, among)
    exposure = None
    if known is not None:
        exposure = _exposure(sight, known, values, rivals=rivals, margin=margin)
    return Audit(
        scorer=scorer,
        ids=ids,
        cells=table.cells,
        exponent=exponent(sight.exponents, len(ids)),
        calibrated=bool(exponents),
        guesses=sight.best(np.exp(together(values, sight.exponents)), top),
        alone=_alone(sight, ids, values),
        opinions=tuple(
            _opinion(sight, head, _rows(other, chosen, among))
            for head, other in (opinions or {}).items()
        ),
        truth=exposure,
    )


class _Sight:
    """How rows are read: over which cells, with which calibration, and where the truth is."""

    def __init__(
        self, cells: Cells | None, exponents: Mapping[int, float], truth: Truth | None
    ) -> None:
        self.cells, self.exponents = cells, exponents
        self.zone = None if truth is None else np.array(truth.cells, dtype=np.int64)
        self._names = () if cells is None else cell_names(cells)

    def guess(self, cell: int, likely: float) -> Guess:
        """A cell by its name."""
        if self.cells is None:
            return Guess(cell, f"cell {cell}", None, None, likely)
        lat, lon = cell_towns(self.cells)
        return Guess(cell, self._names[cell], float(lat[cell]), float(lon[cell]), likely)

    def best(self, likely: Floats, top: int) -> tuple[Guess, ...]:
        """The likeliest cells."""
        first = np.argsort(-likely, kind="stable")[:top].tolist()
        return tuple(self.guess(cell, float(likely[cell])) for cell in first)

    def mass(self, likely: Floats) -> float | None:
        """What the truth gets, if there is one."""
        return None if self.zone is None else min(1.0, float(likely[self.zone].sum()))


def _exposure(
    sight: _Sight, truth: Truth, values: Floats, *, rivals: Sequence[int] | None, margin: float
) -> Exposure:
    zone = np.array(truth.cells, dtype=np.int64)
    likely = np.exp(together(values, sight.exponents))
    near: tuple[Within, ...] = ()
    best = None
    if sight.cells is not None and truth.positions:
        near = tuple(within(likely, sight.cells, truth.positions))
        best = best_km(likely, sight.cells, truth.positions)
    orders = np.arange(len(values)), sharpening.worst_order(values, zone)
    curves = [sharpening.curve(values, order, zone, sight.exponents) for order in orders]
    return Exposure(
        label=truth.label or "; ".join(sight.guess(cell, 0.0).name for cell in truth.cells),
        cells=truth.cells,
        lat=truth.lat,
        lon=truth.lon,
        rank=ranks.rank(values, zone),
        probability=min(1.0, float(likely[zone].sum())),
        within=near,
        best_km=best,
        album_order=curves[0],
        worst_order=curves[1],
        shares=shares(
            values,
            zone,
            rivals=rivals,
            margin=margin,
            named=lambda cell: sight.guess(cell, float(likely[cell])),
        ),
        note=truth.note,
    )


def _alone(sight: _Sight, ids: tuple[str, ...], values: Floats) -> tuple[Alone, ...]:
    likely = np.exp(log_softmax(exponent(sight.exponents, 1) * values))
    stands = None if sight.zone is None else ranks.own_ranks(values, sight.zone)
    return tuple(
        Alone(
            photo,
            sight.best(row, TOP_ALONE),
            None if stands is None else int(stands[i]),
            sight.mass(row),
        )
        for i, (photo, row) in enumerate(zip(ids, likely, strict=True))
    )


def _opinion(sight: _Sight, head: str, values: Floats) -> Opinion:
    likely = np.exp(together(values, sight.exponents))
    stands = None if sight.zone is None else ranks.rank(values, sight.zone)
    return Opinion(head, sight.best(likely, 1)[0], stands, sight.mass(likely))


def _rows(scores: Scores, photos: list[int], among: Sequence[int] | None) -> Floats:
    """The rows of these photos, with probability zero outside what is possible."""
    values = scores.values[photos].astype(np.float64)
    if among is not None:
        impossible = np.ones(scores.cells, dtype=bool)
        impossible[list(among)] = False
        values[:, impossible] = -np.inf
    return values


def _default(scores: Scores) -> Cells | None:
    """The default cells, if these scores are over them."""
    if not scores.grid:
        return None
    default = Cells.default()
    same = scores.grid == default.fingerprint and scores.cells == default.count
    return default if same else None


def _photos(sees: Sequence[int] | None, scores: Scores) -> list[int]:
    """The photos that are added up, ascending."""
    if sees is None:
        return list(range(scores.photos))
    chosen = sorted(set(sees))
    if not chosen or chosen[0] < 0 or chosen[-1] >= scores.photos:
        raise InputError(
            f"sees must name at least one photo, by a number from 0 to {scores.photos - 1}"
        )
    return chosen


def _truth(truth: Truth | int | Iterable[int] | None, cells: int) -> Truth | None:
    """The truth with its cells ascending, each once."""
    if truth is None:
        return None
    if isinstance(truth, Truth):
        given, known = truth.cells, truth
    else:
        given = (int(truth),) if isinstance(truth, int | np.integer) else tuple(map(int, truth))
        known = Truth(given)
    zone = tuple(sorted(set(given)))
    if not zone or zone[0] < 0 or zone[-1] >= cells or len(zone) == cells:
        raise InputError(
            f"truth must be one or more of the cells 0 to {cells - 1}, and not all of them"
        )
    return Truth(zone, known.label, known.lat, known.lon, known.positions, known.note)
