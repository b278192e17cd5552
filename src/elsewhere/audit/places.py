"""An attacker's guesses as places: circles of one radius around the points of fine cells.

The first places are the circles that hold most probability, none centred within two radii of one
before it. The rank of what is hidden is the number of the first of them that is centred within the
radius of one of its positions. Beyond `MAX_RANK` nobody looks: the rank is then one more.

Photos are weighed against each other by what their own circles hold: the logarithms add up.

One row is looked at at a time, for an album may have thousands, of tens of thousands of cells each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from elsewhere.audit.values import Curve, Guess, Within
from elsewhere.globe import Cells, across_km, place_label
from elsewhere.globe.circles import TOLERANCE_KM, best_apart, cosine, find_circles
from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, unit_vector
from elsewhere.scorers.protocol import exponent
from elsewhere.values.scores import FloatMatrix

MAX_RANK = 100
"""So many of the first places are looked at."""
_TIE = 1e-12
"""Masses that differ by less than this share are as good as equal."""
_BLOCK = 64
"""Rows that are added up at a time."""
Positions = tuple[tuple[float, float], ...]


class PlaceGuesses:
    """The places of one radius, and those of them that are hidden.

    Centres are cells' points. Near what is hidden they are moved as well, on a grid: each circle
    that is centred there lies in one that is counted, so no rank is worse than a better attacker's.
    Where a hidden position has no cell's point within two radii, the nearest cell stands for it.
    """

    def __init__(self, cells: Cells, radius_km: float, positions: Positions = ()) -> None:
        self.cells, self.radius_km = cells, radius_km
        self.circles = find_circles(cells.points, radius_km)
        self.unit = self.circles.unit
        """(centres, 3)"""
        self.owner = np.arange(cells.count)
        """(centres,) the cell that a centre belongs to."""
        self.near = np.zeros(cells.count, bool)
        """(centres,) which centres lie within the radius of a hidden position."""
        self.hidden = np.zeros(0, dtype=np.int64)
        """The cells that stand for what is hidden: their points lie within the radius of it."""
        self.km = np.full(cells.count, np.inf)
        """(cells,) from the nearest hidden position to each cell's point."""
        self._moved, self._starts = np.zeros(0, np.int64), np.zeros(1, np.int64)
        self._places = np.zeros((0, 3))
        if positions:
            self._hide(positions)

    def _hide(self, positions: Positions) -> None:
        lat, lon = np.array(positions).T
        self._places, radius, unit = unit_vector(lat, lon), self.radius_km, self.unit
        along, nearest = np.full(len(unit), -1.0), np.zeros(len(lat), dtype=np.int64)
        for start in range(0, len(lat), _BLOCK):
            cosines = self._places[start : start + _BLOCK] @ unit.T
            nearest[start : start + _BLOCK] = cosines.argmax(axis=1)
            np.maximum(along, cosines.max(axis=0), out=along)
        self.km = EARTH_KM * np.arccos(np.clip(along, -1.0, 1.0))
        places = self.circles.hidden_places(lat, lon)
        self.near[self.circles.within(places, radius)] = True
        # positions without a point near
        along = (unit[nearest] * self._places).sum(axis=1)
        far = along < cosine(radius + TOLERANCE_KM)
        self.hidden = np.union1d(np.flatnonzero(self.near), nearest[far])
        centres, moved = self.circles.sets_near(places)
        lengths = [len(cells) for cells in moved]
        self._moved = np.concatenate([np.zeros(0, np.int64), *moved])
        self._starts = np.cumsum([0, *lengths])
        self.unit = np.concatenate((unit, centres))
        owners = [
            int(cells[(unit[cells] @ centre).argmax()])
            for centre, cells in zip(centres, moved, strict=True)
        ]
        self.owner = np.concatenate((self.owner, np.array(owners, np.int64)))
        self.near = np.concatenate((self.near, np.ones(len(moved), bool)))

    def masses(self, probability: Floats) -> Floats:
        """(centres,) what the circle around each centre holds."""
        masses = self.circles.masses(probability)
        if not len(self._moved):
            return masses
        moved = np.add.reduceat(probability[self._moved], self._starts[:-1])
        return np.concatenate((masses, moved))

    def first(self, probability: Floats, count: int) -> tuple[Ints, Floats]:
        """The centres of the first places, and what each holds; a tie goes to the hidden."""
        masses = self.masses(probability)
        score = np.where(self.near, masses * (1 + _TIE), masses)
        centres = best_apart(self.unit, score, 2 * self.radius_km - TOLERANCE_KM, count)
        return centres, masses[centres]

    def rank(self, centres: Ints) -> int:
        """The rank of what is hidden among the first places."""
        hits = np.flatnonzero(self.near[centres[:MAX_RANK]])
        return int(hits[0]) + 1 if len(hits) else MAX_RANK + 1

    def within(self, probability: Floats) -> float:
        """The probability within the radius of what is hidden, by the cells' points."""
        return min(1.0, float(probability[self.hidden].sum()))

    def chances(self, probability: Floats, radii: Sequence[float]) -> tuple[Within, ...]:
        """The probability within each distance, by points and with all cells that it touches."""
        nearest = self.km - across_km(self.cells)
        found = []
        for km in radii:
            chance = probability[self.km <= km].sum()
            if km == self.radius_km:
                chance = self.within(probability)
            found.append(Within(km, min(1.0, float(chance)),
                                min(1.0, float(probability[nearest <= km].sum()))))  # fmt: skip
        return tuple(found)

    def rivals(self, centres: Ints, hidden: Positions) -> Ints:
        """Those of the first places that lie at least three radii from all that is hidden."""
        if not hidden:
            return centres
        places = unit_vector(*np.array(hidden).T)
        along = np.array([(places @ self.unit[centre]).max() for centre in centres])
        return centres[along < cosine(3 * self.radius_km)]

    def best_km(self, centre: int) -> float:
        """From a centre to the nearest hidden position."""
        along = float(np.clip((self._places @ self.unit[centre]).max(), -1.0, 1.0))
        return EARTH_KM * float(np.arccos(along))

    def guesses(
        self,
        centres: Ints,
        masses: Floats,
        count: int | None = None,
        hidden: tuple[str, float] | None = None,
    ) -> tuple[Guess, ...]:
        """Places by name, at most `count` of them.

        `hidden` is the name of what is hidden, and the probability within the radius of it. All
        circles near it are then that one place.
        """
        found: list[Guess] = []
        is_found = False
        for centre, mass in zip(centres.tolist(), masses.tolist(), strict=True):
            if len(found) == count:
                break
            x, y, z = self.unit[centre].tolist()
            lat = float(np.degrees(np.arcsin(np.clip(z, -1.0, 1.0))))
            lon = float(np.degrees(np.arctan2(y, x)))
            name, chance = _name(lat, lon, self.radius_km), mass
            if hidden and self.near[centre]:
                if is_found:
                    continue
                is_found, (name, chance) = True, hidden
            elif hidden and name == hidden[0]:  # centred farther off
                name = f"near {name}"
            cell = int(self.owner[centre])
            found.append(Guess(cell, name, lat, lon, min(1.0, max(0.0, chance))))
        return tuple(found)

    def _cells_of(self, centre: int) -> Ints:
        """The cells in the circle around a centre."""
        if centre < self.cells.count:
            return self.circles.of(centre)
        at = centre - self.cells.count
        return self._moved[self._starts[at] : self._starts[at + 1]]

    def table(self, values: FloatMatrix, photos: Sequence[int], centres: Sequence[int]) -> Floats:
        """(photos, centres) the logarithm of what each photo's own circle holds there."""
        groups = [
            self._cells_of(centre)
            for centre in centres
        ]  # fmt: skip
        starts = np.cumsum([0, *map(len, groups[:-1])])
        columns = np.concatenate(groups)
        found = np.empty((len(photos), len(centres)))
        for start in range(0, len(photos), _BLOCK):
            block = list(photos[start : start + _BLOCK])
            rows = values[block][:, columns].astype(np.float64)
            peak = np.maximum(rows.max(axis=1, keepdims=True), -1e300)
            with np.errstate(divide="ignore"):
                sums = np.log(np.add.reduceat(np.exp(rows - peak), starts, axis=1))
            found[start : start + len(block)] = sums + peak
        return found

    def curve(
        self,
        values: FloatMatrix,
        photos: Sequence[int],
        order: Ints,
        exponents: Mapping[int, float],
        possible: Ints | None = None,
    ) -> Curve:
        """Rank and probability of what is hidden after each photo of `order`."""
        total = np.zeros(values.shape[1])
        ranks, probabilities = [], []
        for count, number in enumerate(order.tolist(), 1):
            total += values[photos[number]]
            probability = probabilities_of(total, exponent(exponents, count), possible)
            ranks.append(self.rank(self.first(probability, MAX_RANK)[0]))
            probabilities.append(self.within(probability))
        return Curve(tuple(order.tolist()), tuple(ranks), tuple(probabilities))


@lru_cache(maxsize=16)
def place_guesses(cells: Cells, radius_km: float, positions: Positions = ()) -> PlaceGuesses:
    """The places of one radius and what is hidden of them; remembered."""
    return PlaceGuesses(cells, radius_km, positions)


_name = lru_cache(maxsize=4096)(place_label)


def total_of(values: FloatMatrix, photos: Sequence[int]) -> Floats:
    """The sum of some rows, a block at a time."""
    total = np.zeros(values.shape[1])
    for start in range(0, len(photos), _BLOCK):
        total += values[list(photos[start : start + _BLOCK])].sum(axis=0, dtype=np.float64)
    return total


def probabilities_of(total: Floats, exponent: float, possible: Ints | None = None) -> Floats:
    """The probabilities of cells by a sum of rows; where some are ruled out, of the others."""
    weighed = exponent * total
    if possible is not None:
        only = np.full(len(weighed), -np.inf)
        only[possible] = weighed[possible]
        weighed = only
    peak = weighed.max()
    if peak == -np.inf:  # everything is impossible: nothing is known
        return np.full(len(weighed), 1 / len(weighed))
    probability: Floats = np.exp(weighed - peak)
    probability /= probability.sum()
    return probability
