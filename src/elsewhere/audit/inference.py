"""Where the truth stands among the cells, for one sum of rows or for every prefix of an album.

Rank 1 is the attacker's first guess. A cell outside the truth stands before it when it is at least
as likely as every cell of it, which is when a rival holds in the house's one problem: the rank of
the whole album is one more than the protected k of sharing everything. Float sums decide the clear
cases and correctly rounded sums the near-ties, so the two agree there too.

Each photo's share: its summed gain against named rivals, so that shares add up to the whole.

What is measured against what is decided once, by `basis`. On it stand the exact sums of an audit
and the quick ones of the app, which asks anew with every click.

How an album gives its place away photo by photo: in its own order, and in the worst one.

The worst order begins with the photo that makes the truth likeliest against everything else, then
adds the one that does so most beside it, and so on: what a stranger could know after seeing so
many photos, if they were the wrong ones. Choosing is greedy, so another order may be worse still
at some number of photos.

How near a guess comes to the true place, in km.

Probabilities are over cells, and cells are large: many are hundreds of kilometres across. So a
guess is a cell drawn from the probabilities and then a town of it, drawn by its people, for photos
are taken where people are. That is a fair bet, not a bound: an attacker who looks closer may find
the very spot in the right cell. The bound is given beside it: all of a cell counts if any part of
it lies that near. Distances are to the nearest of the place's own positions.

From scores and a truth to an Audit: every part of it from the same sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.audit.values import Alone, Audit, Curve, Exposure, Guess, Opinion, Shares, Within
from elsewhere.errors import InputError
from elsewhere.globe import Cells, cell_names, cell_towns, distance_km
from elsewhere.globe.distance import EARTH_KM, unit_vector
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.scorers.calibration import combine_rows, exponent, log_softmax
from elsewhere.values.scores import Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDING = 2.0**-52


def outside(cells: int, zone: Ints) -> Ints:
    """The cells that are not of the truth, ascending."""
    return np.setdiff1d(np.arange(cells), zone).astype(np.int64)


def prefix_ranks(values: Floats, order: Ints, zone: Ints) -> Ints:
    """The rank of the truth after the first 1, 2, …, n photos of `order`."""
    rows = values[order]
    return _ranks(rows, np.cumsum(rows, axis=0), np.arange(1, len(rows) + 1), zone)


def rank(values: Floats, zone: Ints) -> int:
    """The rank of the truth for all photos together.

    >>> rank(np.log([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), np.array([0]))
    2
    """
    total = values.sum(axis=0, keepdims=True)
    return int(_ranks(values, total, np.array([len(values)]), zone)[0])


def _ranks(rows: Floats, sums: Floats, many: Ints, zone: Ints) -> Ints:
    """The rank of the truth in each of some sums, of the first so `many` rows each."""
    best = sums[:, zone].max(axis=1)
    rivals = outside(rows.shape[1], zone)
    with np.errstate(invalid="ignore"):  # −inf less −inf: equally impossible, which >= decides
        ahead = sums[:, rivals] >= best[:, None]
        gap = np.abs(sums[:, rivals] - best[:, None])
        # what adding up so many numbers of this size can be off by, on both sides
        size = np.cumsum(np.abs(rows).max(axis=1, initial=0.0, where=np.isfinite(rows)))
        doubtful = gap <= 2 * many[:, None] * _ROUNDING * size[many - 1, None]
    for n, r in np.argwhere(doubtful).tolist():
        ahead[n, r] = all(_at_least(rows[: many[n]], rivals[r], z) for z in zone.tolist())
    stands: Ints = 1 + ahead.sum(axis=1)
    return stands


def own_ranks(values: Floats, zone: Ints) -> Ints:
    """The rank of the truth by each photo alone."""
    best = values[:, zone].max(axis=1, keepdims=True)
    ranks: Ints = 1 + (values[:, outside(values.shape[1], zone)] >= best).sum(axis=1)
    return ranks


def _at_least(rows: Floats, rival: int, cell: int) -> bool:
    """Whether the rival's sum is at least the cell's: the sign of a correctly rounded sum."""
    rivals, cells = rows[:, rival], rows[:, cell]
    if np.isneginf(cells).any() or np.isneginf(rivals).any():
        return bool(np.isneginf(cells).any())
    return math.fsum([*rivals.tolist(), *(-cells).tolist()]) >= 0


ZERO = -745.0
"""What a probability of zero counts as here: the logarithm of the least that a double can hold."""
RIVALS = 5
"""How many rivals are measured against where no plan names any."""


class Basis(NamedTuple):
    """What photos are measured by: the rivals' scores and those of one cell of the truth."""

    rivals: tuple[int, ...]
    against: int
    theirs: Floats
    """(photos, rivals)"""
    own: Floats
    """(photos,)"""


def basis(values: Floats, zone: Ints, rivals: Sequence[int] | None) -> Basis:
    """The plan's rivals or the likeliest, and the cell of the truth that all are measured against.

    Where the truth is a zone, every photo is measured against the same cell of it, the one that
    all photos together make likeliest; with each photo's own best cell, gains would not add up.
    """
    mine = _columns(values, zone)
    best = int(np.argmax(mine.sum(axis=0)))
    if rivals is None:
        rest = outside(values.shape[1], zone)
        total = _columns(values, rest).sum(axis=0)
        rivals = rest[np.argsort(-total, kind="stable")[:RIVALS]].tolist()
    chosen = np.array(rivals, dtype=np.int64)
    return Basis(
        tuple(chosen.tolist()), int(zone[best]), _columns(values, chosen), mine[:, best].copy()
    )


def gains(found: Basis, margin: float) -> Floats:
    """Each photo's share by floating-point sums, which may round: for a bar, not for a proof."""
    gained: Floats = found.theirs.sum(axis=1) - len(found.rivals) * (found.own + margin)
    return gained


def shares(
    values: Floats,
    zone: Ints,
    *,
    rivals: Sequence[int] | None,
    margin: float,
    named: Callable[[int], Guess],
) -> Shares:
    """Who gives the place away, and who hides it; every sum is correctly rounded."""
    found = basis(values, zone, rivals)
    terms = [
        [term for their in theirs for term in (their, -own, -margin)]
        for theirs, own in zip(found.theirs.tolist(), found.own.tolist(), strict=True)
    ]
    return Shares(
        rivals=tuple(named(cell) for cell in found.rivals),
        from_plan=rivals is not None,
        against=found.against,
        margin=margin,
        gains=tuple(math.fsum(photo) for photo in terms),
        total=math.fsum(term for photo in terms for term in photo),
    )


def _columns(values: Floats, cells: Ints) -> Floats:
    """Some cells' scores, none below what a logarithm can be."""
    some: Floats = np.maximum(values[:, cells], ZERO, order="C")
    return some


_LEAST = -700.0
"""Scores below it count as this much: e to that power is the least that a double holds well."""


def curve(values: Floats, order: Ints, zone: Ints, exponents: Mapping[int, float]) -> Curve:
    """Rank and probability of the truth after each photo of `order`."""
    sums = np.cumsum(values[order], axis=0)
    powers = np.array([exponent(exponents, n + 1) for n in range(len(order))])
    likely = np.exp(log_softmax(powers[:, None] * sums))[:, zone].sum(axis=1)
    return Curve(
        tuple(order.tolist()),
        tuple(prefix_ranks(values, order, zone).tolist()),
        tuple(np.minimum(likely, 1.0).tolist()),
    )


def worst_order(values: Floats, zone: Ints) -> Ints:
    """The photos by greed: each next one raises the odds of the truth most.

    The odds after adding photo i to a sum are Σ over the zone of exp(sum + row i), over the same
    sum outside it. The exponentials of rows are taken once, so each step is two products.
    """
    rows = np.maximum(values, _LEAST)
    rest = outside(values.shape[1], zone)
    here, there = (rows[:, part] for part in (zone, rest))
    tops = here.max(axis=1, keepdims=True), there.max(axis=1, keepdims=True)
    mine, others = np.exp(here - tops[0]), np.exp(there - tops[1])
    head_start = (tops[0] - tops[1])[:, 0]
    total = np.zeros(values.shape[1])
    left = np.ones(len(rows), dtype=bool)
    order = np.empty(len(rows), dtype=np.int64)
    tiny = np.finfo(np.float64).tiny
    for step in range(len(rows)):
        weights = (np.exp(total[part] - total[part].max()) for part in (zone, rest))
        odds = head_start
        for sign, part, weight in zip((1, -1), (mine, others), weights, strict=True):
            odds = odds + sign * np.log(np.maximum(part @ weight, tiny))
        order[step] = np.argmax(np.where(left, odds, -np.inf))
        left[order[step]] = False
        total += rows[order[step]]
    return order


RADII_KM = (25.0, 200.0, 750.0)
"""A city, a region, a country: the distances that the literature reports."""
_MOST_POSITIONS = 200
"""Positions that are measured from; a walk's worth of them is within metres of each other."""


def within(probabilities: Floats, cells: Cells, at: Sequence[tuple[float, float]]) -> list[Within]:
    """The chance that a guess falls within each radius of the place, and the most it can be.

    >>> sure = np.zeros(512)
    >>> sure[Cells.default().locate(38.72, -9.14)] = 1.0
    >>> [(one.km, round(one.at_most, 2)) for one in within(sure, Cells.default(), [(38.72, -9.14)])]
    [(25.0, 1.0), (200.0, 1.0), (750.0, 1.0)]
    """
    spots = _spots(at)
    directions, cell_of, people = _towns(cells)
    alike = (directions @ unit_vector(*spots.T).T).max(axis=1)
    nearest = distance_km(cells, *spots.T).reshape(-1, cells.count).min(axis=0)
    everybody = np.bincount(cell_of, people, cells.count)
    found = []
    for km in RADII_KM:
        touched = nearest <= km
        near = np.where(alike >= np.cos(km / EARTH_KM), people, 0.0)
        # a cell without towns counts like the bound: rather too much than too little
        share = np.where(everybody > 0, np.bincount(cell_of, near, cells.count), touched)
        share = share / np.where(everybody > 0, everybody, 1.0)
        found.append(
            Within(
                km,
                min(1.0, float(probabilities @ share)),
                min(1.0, float(probabilities[touched].sum())),
            )
        )
    return found


def best_km(probabilities: Floats, cells: Cells, at: Sequence[tuple[float, float]]) -> float:
    """From the place to the town that the likeliest cell is called after."""
    lat, lon = cell_towns(cells)
    best = int(np.argmax(probabilities))
    alike = unit_vector(lat[best], lon[best]) @ unit_vector(*_spots(at).T).T
    return float(EARTH_KM * np.arccos(np.clip(alike.max(), -1.0, 1.0)))


def _spots(at: Sequence[tuple[float, float]]) -> Floats:
    """Distinct positions; where they are too many, about a kilometre apart and then thinned."""
    spots = np.array(at, dtype=np.float64)
    if len(spots) > _MOST_POSITIONS:
        spots = np.unique(spots.round(2), axis=0)
    return spots[:: 1 + (len(spots) - 1) // _MOST_POSITIONS]


@lru_cache(maxsize=4)
def _towns(cells: Cells) -> tuple[Floats, Ints, Floats]:
    """Of every town: where it lies as a vector, its cell, its people."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    lat, lon = table.lat[towns], table.lon[towns]
    people = np.maximum(table.population[towns], 1).astype(np.float64)
    return unit_vector(lat, lon), cells.locate(lat, lon), people


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
        guesses=sight.best(np.exp(combine_rows(values, sight.exponents)), top),
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
    likely = np.exp(combine_rows(values, sight.exponents))
    near: tuple[Within, ...] = ()
    best = None
    if sight.cells is not None and truth.positions:
        near = tuple(within(likely, sight.cells, truth.positions))
        best = best_km(likely, sight.cells, truth.positions)
    orders = np.arange(len(values)), worst_order(values, zone)
    curves = [curve(values, order, zone, sight.exponents) for order in orders]
    return Exposure(
        label=truth.label or "; ".join(sight.guess(cell, 0.0).name for cell in truth.cells),
        cells=truth.cells,
        lat=truth.lat,
        lon=truth.lon,
        rank=rank(values, zone),
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
    stands = None if sight.zone is None else own_ranks(values, sight.zone)
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
    likely = np.exp(combine_rows(values, sight.exponents))
    stands = None if sight.zone is None else rank(values, sight.zone)
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
