"""From scores and a truth to an Audit: what an attacker infers from a set of photos.

Rank: a cell outside the truth stands before it when it is at least as likely as every cell of the
truth, which is when a rival holds in the solver's problem. So the rank of the whole album is one
more than the protected k of sharing everything. Float sums decide the clear cases and correctly
rounded sums the near-ties.

Shares: each photo's summed gain against named rivals. `basis` decides what is measured against
what, for the exact sums of an audit and the quick ones of the app.

Curves: how the truth sharpens photo by photo, in the album's order and in the worst one. The worst
order is greedy, so another order may be worse at some number of photos.

Distances: coarse cells are many hundreds of kilometres across. So a guess is a cell drawn from the
probabilities and then a town of it, drawn by its people, for photos are taken where people are.
That is a fair bet, not a bound: an attacker may find the very spot in the right cell. The bound
beside it counts all of a cell if any part of it lies that near.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.audit.places import (
    MAX_RANK,
    PlaceGuesses,
    place_guesses,
    probabilities_of,
    total_of,
)
from elsewhere.audit.values import Alone, Audit, Curve, Exposure, Guess, Opinion, Shares, Within
from elsewhere.errors import InputError
from elsewhere.globe import Cells, cell_names, distance_km
from elsewhere.globe.coordinates import EARTH_KM, unit_vector
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import towns_by_cell
from elsewhere.scorers.protocol import combine_rows, exponent, log_softmax
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import FloatMatrix, Scores

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOP = 5
"""How many places are named for all photos together."""
TOP_ALONE = 3
"""How many places are named for each photo alone."""
RIVALS = 5
"""How many rivals shares are measured against where no plan names any."""
ORDER_RIVALS = 20
"""How many rivals decide the worst order of places."""
RADII_KM = (25.0, 200.0, 750.0)
"""A city, a region, a country: the distances that the literature reports."""
MIN_LOG_PROBABILITY = -745.0
"""Stands for a probability of zero in shares: the logarithm of the smallest positive double."""
MIN_SCORE = -700.0
"""Lower scores count as this in the worst order: e to that power is a normal double."""
MAX_POSITIONS = 200
"""Positions of a place that distances are measured from."""
ROUNDOFF = 2.0**-52


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
    circles: HiddenCircles | None = None
    """Everything that is hidden beside it, where guesses are places; rivals keep off from it."""
    resolution_km: float = 0.0
    """How far apart places must be here to be told apart; 0 where the radius is enough."""
    whole: bool = False
    """Whether it is a region or country: guesses in it are called by their own names."""


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
    reader: Scores | None = None,
    top: int = TOP,
    scorer: str = "",
    radius_km: float | None = None,
) -> Audit:
    """What an attacker infers from photos: its guesses, and how far the truth is given away.

    Args:
        scores: the attacker's scores, photos × cells.
        truth: the cell or cells of the true place; None where it is not known.
        exponents: the attacker's calibration for albums; without it the sum is overconfident.
        cells: the cells on the globe; the default ones are known by their fingerprint.
        sees: the photos that are added up, by number; all of them where None.
        among: the cells that are possible at all, where the audience knows a country, say.
        rivals: the cells that a plan names, to measure shares against.
        margin: θ, taken off each gain of the shares.
        opinions: the same photos as other heads score them, by the heads' names.
        reader: the same photos as the attacker scores them if it reads their text as well.
        top: how many places are named.
        scorer: what the attacker is called.
        radius_km: guesses are places of this radius, where the cells are fine; the truth's own
            radius comes first.

    >>> result = audit(np.log([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3]]), truth=0)
    >>> result.truth.rank, round(result.truth.probability, 2), result.guesses[0].cell
    (1, 0.66, 0)
    >>> [round(gain, 2) for gain in result.truth.shares.gains]
    [-3.2, 0.29]
    """
    table = scores if isinstance(scores, Scores) else Scores(scores)
    photos = list(range(table.photos)) if sees is None else sorted(set(sees))
    if not photos or photos[0] < 0 or photos[-1] >= table.photos:
        raise InputError(
            f"sees must name at least one photo, by a number from 0 to {table.photos - 1}"
        )
    if truth is not None and not isinstance(truth, Truth):
        single = isinstance(truth, int | np.integer)
        truth = Truth((int(truth),) if single else tuple(map(int, truth)))  # type: ignore[arg-type]
    zone = None if truth is None else np.unique(np.array(truth.cells, dtype=np.int64))
    if zone is not None and (
        not 0 < len(zone) < table.cells or zone[0] < 0 or zone[-1] >= table.cells
    ):
        raise InputError(
            f"truth must be one or more of the cells 0 to {table.cells - 1}, and not all of them"
        )
    if cells is None:
        known = Cells.known(table.grid)
        cells = known if known is not None and known.count == table.cells else None
    exponents = exponents or {}
    heads = [(name, head, False) for name, head in (opinions or {}).items()]
    if reader is not None:
        heads.append((f"{scorer} with the text", reader, True))
    if truth is not None and truth.circles is not None:
        radius_km = truth.circles.radius_km
    if radius_km is not None and cells is not None and cells.fine:
        return _audit_places(
            table,
            photos,
            truth,
            place_guesses(cells, radius_km, truth.positions if truth is not None else ()),
            exponents=exponents,
            among=among,
            rivals=rivals,
            margin=margin,
            heads=heads,
            top=top,
            scorer=scorer,
        )
    # The scores of these photos by every head, with probability zero outside what is possible.
    matrices = []
    for source in (table, *(head for _, head, _ in heads)):
        values = source.values[photos].astype(np.float64)
        if among is not None:
            impossible = np.ones(source.cells, dtype=bool)
            impossible[list(among)] = False
            values[:, impossible] = -np.inf
        matrices.append(values)
    values = matrices[0]
    probabilities = np.exp(combine_rows(values, exponents))
    alone = []
    ranks = None if zone is None else own_ranks(values, zone)
    for i, row in enumerate(np.exp(log_softmax(exponent(exponents, 1) * values))):
        rank_alone = mass = None
        if zone is not None and ranks is not None:
            rank_alone, mass = int(ranks[i]), min(1.0, float(row[zone].sum()))
        alone.append(Alone(table.ids[photos[i]], _guesses(cells, row, TOP_ALONE), rank_alone, mass))
    others = []
    for (name, _, reads), other_values in zip(heads, matrices[1:], strict=True):
        believed = np.exp(combine_rows(other_values, exponents))
        other_rank = mass = None
        if zone is not None:
            other_rank, mass = rank(other_values, zone), min(1.0, float(believed[zone].sum()))
        others.append(Opinion(name, _guesses(cells, believed, 1)[0], other_rank, mass, reads))
    exposure = None
    if truth is not None and zone is not None:
        exposure = _exposure(values, truth, zone, cells, exponents, rivals=rivals, margin=margin)
    return Audit(
        scorer=scorer,
        ids=tuple(table.ids[photo] for photo in photos),
        cells=table.cells,
        exponent=exponent(exponents, len(photos)),
        calibrated=bool(exponents),
        guesses=_guesses(cells, probabilities, top),
        alone=tuple(alone),
        opinions=tuple(others),
        truth=exposure,
    )


def _audit_places(
    table: Scores,
    photos: Sequence[int],
    truth: Truth | None,
    places: PlaceGuesses,
    *,
    exponents: Mapping[int, float],
    among: Sequence[int] | None,
    rivals: Sequence[int] | None,
    margin: float,
    heads: Sequence[tuple[str, Scores, bool]],
    top: int,
    scorer: str,
) -> Audit:
    """The audit where guesses are places."""
    possible = None if among is None else np.unique(np.array(among, dtype=np.int64))
    power = exponent(exponents, len(photos))
    limit = max(top, MAX_RANK) if truth is not None else top
    total = total_of(table.values, photos)
    probability = probabilities_of(total, power, possible)
    label = truth.label if truth is not None and not truth.whole else ""

    def named(first: tuple[Ints, Floats], count: int, believed: Floats) -> tuple[Guess, ...]:
        return places.guesses(*first, count, (label, places.within(believed)) if label else None)

    first = places.first(probability, limit)
    centres = first[0]
    alone = []
    for photo in photos:
        row = table.values[photo].astype(np.float64)
        row = probabilities_of(row, exponent(exponents, 1), possible)
        own = places.first(row, TOP_ALONE if truth is None else MAX_RANK)
        alone.append(
            Alone(
                table.ids[photo],
                named(own, TOP_ALONE, row),
                None if truth is None else places.rank(own[0]),
                None if truth is None else places.within(row),
            )
        )
    others = []
    for name, source, reads in heads:
        believed = probabilities_of(total_of(source.values, photos), power, possible)
        own = places.first(believed, limit)
        others.append(
            Opinion(
                name,
                named(own, 1, believed)[0],
                None if truth is None else places.rank(own[0]),
                None if truth is None else places.within(believed),
                reads,
            )
        )
    exposure = None
    if truth is not None:
        exposure = _place_exposure(
            places,
            table.values,
            photos,
            truth,
            exponents=exponents,
            possible=possible,
            rivals=rivals,
            margin=margin,
            probability=probability,
            centres=centres,
        )
    return Audit(
        scorer=scorer,
        ids=tuple(table.ids[photo] for photo in photos),
        cells=table.cells,
        exponent=power,
        calibrated=bool(exponents),
        guesses=named(first, top, probability),
        alone=tuple(alone),
        opinions=tuple(others),
        truth=exposure,
        radius_km=places.radius_km,
        rank_limit=None if truth is None else MAX_RANK,
    )


def _place_exposure(
    places: PlaceGuesses,
    values: FloatMatrix,
    photos: Sequence[int],
    truth: Truth,
    *,
    exponents: Mapping[int, float],
    possible: Ints | None,
    rivals: Sequence[int] | None,
    margin: float,
    probability: Floats,
    centres: Ints,
) -> Exposure:
    """How far the photos give a place away; `centres` are the first places by `probability`."""
    masses, radius = places.masses(probability), places.radius_km
    hidden = truth.circles.positions if truth.circles is not None else truth.positions
    foremost = places.rivals(centres, hidden)
    chosen = foremost[:RIVALS] if rivals is None else np.array(rivals, dtype=np.int64)
    own = int(np.where(places.near, masses, -1.0).argmax())
    rows = places.table(values, photos, [own, *chosen.tolist()])
    measured = shares(
        rows,
        np.array([0]),
        rivals=range(1, rows.shape[1]),
        margin=margin,
        named=lambda n: places.guesses(chosen[[n - 1]], masses[chosen[[n - 1]]])[0],
    )
    in_order = np.arange(len(photos))
    worst = np.argsort(-rows[:, 0], kind="stable")
    if len(foremost):
        columns = [own, *foremost[:ORDER_RIVALS].tolist()]
        worst = worst_order(places.table(values, photos, columns), np.array([0]))
    return Exposure(
        label=truth.label or places.guesses(np.array([own]), masses[[own]])[0].name,
        cells=tuple(places.hidden.tolist()),
        lat=truth.lat,
        lon=truth.lon,
        rank=places.rank(centres),
        probability=places.within(probability),
        within=places.chances(probability, [radius, *(km for km in RADII_KM if km > radius)]),
        best_km=places.best_km(int(centres[0])),
        album_order=places.curve(values, photos, in_order, exponents, possible),
        worst_order=places.curve(values, photos, worst, exponents, possible),
        shares=replace(measured, from_plan=rivals is not None, against=int(places.owner[own])),
        note=truth.note,
        resolution_km=truth.resolution_km,
        whole=truth.whole,
    )


def _exposure(
    values: Floats,
    truth: Truth,
    zone: Ints,
    cells: Cells | None,
    exponents: Mapping[int, float],
    *,
    rivals: Sequence[int] | None,
    margin: float,
) -> Exposure:
    """How far the photos give the truth away."""
    probabilities = np.exp(combine_rows(values, exponents))
    near: tuple[Within, ...] = ()
    distance = None
    if cells is not None and truth.positions:
        near, distance = distances(probabilities, cells, truth.positions)
    numbers = tuple(zone.tolist())
    names = [guess.name for guess in _guesses(cells, probabilities, numbers)]
    return Exposure(
        label=truth.label or "; ".join(names),
        cells=numbers,
        lat=truth.lat,
        lon=truth.lon,
        rank=rank(values, zone),
        probability=min(1.0, float(probabilities[zone].sum())),
        within=near,
        best_km=distance,
        album_order=curve(values, np.arange(len(values)), zone, exponents),
        worst_order=curve(values, worst_order(values, zone), zone, exponents),
        shares=shares(
            values,
            zone,
            rivals=rivals,
            margin=margin,
            named=lambda cell: _guesses(cells, probabilities, [cell])[0],
        ),
        note=truth.note,
    )


def _guesses(
    cells: Cells | None, probabilities: Floats, chosen: int | Sequence[int]
) -> tuple[Guess, ...]:
    """The chosen cells by name, or so many of the likeliest."""
    if isinstance(chosen, int):
        numbers: Sequence[int] = np.argsort(-probabilities, kind="stable")[:chosen].tolist()
    else:
        numbers = chosen
    beliefs = [(cell, float(probabilities[cell])) for cell in numbers]
    if cells is None:
        return tuple(Guess(cell, f"cell {cell}", None, None, belief) for cell, belief in beliefs)
    names, towns, table = cell_names(cells), towns_by_cell(cells).largest, gazetteer()
    return tuple(
        Guess(cell, names[cell], float(table.lat[town]), float(table.lon[town]), belief)
        for town, (cell, belief) in zip(towns[list(numbers)], beliefs, strict=True)
    )


def rank(values: Floats, zone: Ints) -> int:
    """The rank of the truth for all photos together.

    >>> rank(np.log([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), np.array([0]))
    2
    """
    total = values.sum(axis=0, keepdims=True)
    return int(_ranks(values, total, np.array([len(values)]), zone)[0])


def own_ranks(values: Floats, zone: Ints) -> Ints:
    """The rank of the truth by each photo alone."""
    best = values[:, zone].max(axis=1, keepdims=True)
    ranks: Ints = 1 + (np.delete(values, zone, axis=1) >= best).sum(axis=1)
    return ranks


def _ranks(rows: Floats, sums: Floats, counts: Ints, zone: Ints) -> Ints:
    """The rank of the truth in each of `sums`, which add up the first `counts` rows."""
    best = sums[:, zone].max(axis=1)
    rivals = np.delete(np.arange(rows.shape[1]), zone)
    with np.errstate(invalid="ignore"):  # −inf less −inf: equally impossible, which >= decides
        ahead = sums[:, rivals] >= best[:, None]
        gap = np.abs(sums[:, rivals] - best[:, None])
        # the error of adding up so many numbers of this size, on both sides
        size = np.cumsum(np.abs(rows).max(axis=1, initial=0.0, where=np.isfinite(rows)))
        doubtful = gap <= 2 * counts[:, None] * ROUNDOFF * size[counts - 1, None]
    for n, r in np.argwhere(doubtful).tolist():
        first = rows[: counts[n]]
        ahead[n, r] = all(_is_at_least(first, rivals[r], cell) for cell in zone.tolist())
    ranks: Ints = 1 + ahead.sum(axis=1)
    return ranks


def _is_at_least(rows: Floats, rival: int, cell: int) -> bool:
    """Whether the rival's sum is at least the cell's: the sign of a correctly rounded sum."""
    rivals, cells = rows[:, rival], rows[:, cell]
    if np.isneginf(cells).any() or np.isneginf(rivals).any():
        return bool(np.isneginf(cells).any())
    return math.fsum([*rivals.tolist(), *(-cells).tolist()]) >= 0


class Basis(NamedTuple):
    """What photos are measured by: the rivals' scores and those of one cell of the truth."""

    rivals: tuple[int, ...]
    against: int
    theirs: Floats
    """(photos, rivals) the rivals' scores."""
    own: Floats
    """(photos,) the scores of the cell `against`."""


def basis(values: Floats, zone: Ints, rivals: Sequence[int] | None) -> Basis:
    """The plan's rivals or the likeliest, and the cell of the truth that all are measured against.

    Where the truth is a zone, every photo is measured against the same cell of it, the one that
    all photos together make likeliest; with each photo's own best cell, gains would not add up.
    """
    own = np.maximum(values[:, zone], MIN_LOG_PROBABILITY, order="C")
    best = int(np.argmax(own.sum(axis=0)))
    if rivals is None:
        rest = np.delete(np.arange(values.shape[1]), zone)
        total = np.maximum(values[:, rest], MIN_LOG_PROBABILITY, order="C").sum(axis=0)
        rivals = rest[np.argsort(-total, kind="stable")[:RIVALS]].tolist()
    chosen = np.array(rivals, dtype=np.int64)
    theirs = np.maximum(values[:, chosen], MIN_LOG_PROBABILITY, order="C")
    return Basis(tuple(chosen.tolist()), int(zone[best]), theirs, own[:, best].copy())


def gains(basis: Basis, margin: float) -> Floats:
    """Each photo's share by floating-point sums, which may round: for a bar, not for a proof."""
    gains: Floats = basis.theirs.sum(axis=1) - len(basis.rivals) * (basis.own + margin)
    return gains


def shares(
    values: Floats,
    zone: Ints,
    *,
    rivals: Sequence[int] | None,
    margin: float,
    named: Callable[[int], Guess],
) -> Shares:
    """Which photos give the place away, and which hide it; every sum is correctly rounded."""
    measured = basis(values, zone, rivals)
    terms = [
        [term for their in theirs for term in (their, -own, -margin)]
        for theirs, own in zip(measured.theirs.tolist(), measured.own.tolist(), strict=True)
    ]
    return Shares(
        rivals=tuple(named(cell) for cell in measured.rivals),
        from_plan=rivals is not None,
        against=measured.against,
        margin=margin,
        gains=tuple(math.fsum(photo) for photo in terms),
        total=math.fsum(term for photo in terms for term in photo),
    )


def curve(values: Floats, order: Ints, zone: Ints, exponents: Mapping[int, float]) -> Curve:
    """Rank and probability of the truth after each photo of `order`."""
    rows = values[order]
    sums = np.cumsum(rows, axis=0)
    powers = np.array([exponent(exponents, n + 1) for n in range(len(order))])
    probabilities = np.exp(log_softmax(powers[:, None] * sums))[:, zone].sum(axis=1)
    return Curve(
        tuple(order.tolist()),
        tuple(_ranks(rows, sums, np.arange(1, len(rows) + 1), zone).tolist()),
        tuple(np.minimum(probabilities, 1.0).tolist()),
    )


def worst_order(values: Floats, zone: Ints) -> Ints:
    """The greedy order: each next photo raises the odds of the truth most.

    The odds after adding photo i to a sum are Σ over the zone of exp(sum + row i), over the same
    sum outside it. The exponentials of rows are taken once, so each step is two products.
    """
    rows = np.maximum(values, MIN_SCORE)
    rest = np.delete(np.arange(values.shape[1]), zone)
    here, there = (rows[:, part] for part in (zone, rest))
    tops = here.max(axis=1, keepdims=True), there.max(axis=1, keepdims=True)
    own, others = np.exp(here - tops[0]), np.exp(there - tops[1])
    base_odds = (tops[0] - tops[1])[:, 0]
    total = np.zeros(values.shape[1])
    remaining = np.ones(len(rows), dtype=bool)
    order = np.empty(len(rows), dtype=np.int64)
    tiny = np.finfo(np.float64).tiny
    for step in range(len(rows)):
        weights = (np.exp(total[part] - total[part].max()) for part in (zone, rest))
        odds = base_odds
        for sign, part, weight in zip((1, -1), (own, others), weights, strict=True):
            odds = odds + sign * np.log(np.maximum(part @ weight, tiny))
        order[step] = np.argmax(np.where(remaining, odds, -np.inf))
        remaining[order[step]] = False
        total += rows[order[step]]
    return order


def distances(
    probabilities: Floats, cells: Cells, positions: Sequence[tuple[float, float]]
) -> tuple[tuple[Within, ...], float]:
    """How near a guess is: the chance of each radius, and from the place to the best guess in km.

    A radius has the chance that a guess falls within it, and the most that this can be. The best
    guess is the town that the likeliest cell is called after.

    >>> cells = Cells.paper()
    >>> sure = np.zeros(cells.count)
    >>> sure[cells.locate(38.72, -9.14)] = 1.0
    >>> within, best_km = distances(sure, cells, [(38.72, -9.14)])
    >>> [(radius.km, round(radius.at_most, 2)) for radius in within], round(best_km)
    ([(25.0, 1.0), (200.0, 1.0), (750.0, 1.0)], 1)
    """
    spots = np.array(positions, dtype=np.float64)
    if len(spots) > MAX_POSITIONS:  # about a kilometre apart
        spots = np.unique(spots.round(2), axis=0)
    spots = spots[:: 1 + (len(spots) - 1) // MAX_POSITIONS]
    place = unit_vector(*spots.T).T
    table, (cell_of, largest, _) = gazetteer(), towns_by_cell(cells)
    people = np.maximum(table.population[table.towns], 1).astype(np.float64)
    cosine = (table.town_directions @ place).max(axis=1)
    nearest = distance_km(cells, *spots.T).reshape(-1, cells.count).min(axis=0)
    population = np.bincount(cell_of, people, cells.count)
    radii = []
    for km in RADII_KM:
        touched = nearest <= km
        near = np.where(cosine >= np.cos(km / EARTH_KM), people, 0.0)
        # a cell without towns counts like the bound: rather too much than too little
        share = np.where(population > 0, np.bincount(cell_of, near, cells.count), touched)
        share = share / np.where(population > 0, population, 1.0)
        chance = min(1.0, float(probabilities @ share))
        radii.append(Within(km, chance, min(1.0, float(probabilities[touched].sum()))))
    best = largest[np.argmax(probabilities)]
    to_best = np.clip((unit_vector(table.lat[best], table.lon[best]) @ place).max(), -1.0, 1.0)
    return tuple(radii), float(EARTH_KM * np.arccos(to_best))
