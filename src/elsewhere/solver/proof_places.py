"""The rows that a proof about hidden places rests on: hidden circles, groups of cells, and prices.

`place_bounds` says why every plan fulfils such rows. Here cells are left out one by one, not by
group, where a price shows that no plan puts them ahead; what is left is grouped. A checker needs
only the centres and the prices: it makes the rows anew, from its own geometry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.globe.circles import Circles, cosine
from elsewhere.solver.place_bounds import MAX_HIDDEN, MAX_PHOTOS, MAX_ROWS, PlaceBound
from elsewhere.solver.problem import IN, OUT, Attacker, Floats, Ints, Mask, Problem
from elsewhere.values.promise import Against
from elsewhere.values.proof import PlaceRows

NANODEGREES = 10**9
"""Centres of hidden circles are given in whole parts of a degree."""
MAX_NAMED = 120
"""Hidden circles that are named: for rows, for photos alone, and for single plans."""
MAX_GROUPS = 1_500
"""Groups beyond which no rows are made."""
PRICE_UNIT = 2**20
"""The price of the cost; that of a row is a multiple of it by a power of two."""
PRICES = tuple(2.0**power for power in range(-8, 9))
"""Prices of a row that are tried, for the mean weight of a unit."""
SOME = 1_000
"""Cells, spread over all, that prices are compared on."""
FEWEST = 8
"""Cells that a price must leave out to be written."""
ROUNDING = 1e-5
"""Nats for each photo, above what single precision rounds."""
CLEAR = 1e-7
"""What prices must be below zero by, as a share of what they add up."""


@dataclass(frozen=True)
class PlaceWatch:
    """One attacker who looks for circles, as a proof needs him."""

    bound: PlaceBound
    circles: Circles
    places: Floats
    against: Against
    sees: Mask | None
    tells: Mask
    """(rows,) which rows tell a place alone for certain."""

    @classmethod
    def of(cls, bound: PlaceBound, against: Against, sees: Mask | None, tells: Mask) -> PlaceWatch:
        """For the places of a promise."""
        assert against.circles is not None
        circles = bound.circles
        places = circles.hidden_places(*np.array(against.circles.positions).T)
        return cls(bound, circles, places, against, sees, tells)

    def rows(self, problem: Problem, need: int, most: int, *, by_budget: bool) -> PlaceProof:
        """The rows for plans that cost at most so much, or withhold at most so many photos."""
        seen = np.ones(problem.rows, bool) if self.sees is None else self.sees
        used = (problem.fixed != OUT)[problem.unit_of] & seen
        if problem.versions is not None:
            used &= problem.versions.allowed
        order, centres = self._hidden(used)
        hidden = tuple(np.rint(_degrees(centres) * NANODEGREES).astype(np.int64).ravel().tolist())
        few = problem.photos <= MAX_PHOTOS and problem.rows <= MAX_ROWS
        low = self.bound.hidden[:, order[:MAX_HIDDEN]]
        possible = np.flatnonzero(np.isfinite(low[used]).all(axis=0))
        if not few or not used.any() or not need or not len(possible):
            return PlaceProof(PlaceRows(hidden), None)
        high = np.stack([self.bound.masses(row) for row in range(problem.rows)]).astype(np.float64)
        circle = int(possible[0])
        ahead = high - low[:, circle, None] - (self.against.margin - ROUNDING)
        ahead = np.where(used[:, None], ahead, 0.0)
        left = np.ones(self.circles.count, bool)
        left[self.circles.within(self.places, 3 * self.circles.radius_km - 3e-5)] = False
        prices = self._leave_out(problem, ahead, left, most, by_budget=by_budget)
        groups, cells = self._group(left, high[used].sum(axis=0))
        if len(groups) > MAX_GROUPS:
            return PlaceProof(PlaceRows(hidden), None)
        written = [n for one, price in prices for n in (circle, *one, price)]
        named = PlaceRows(hidden, tuple(groups), tuple(written))
        if not groups and not written:
            return PlaceProof(named, None)
        columns = [high[:, own].max(axis=1) for own in cells]
        more = need if not seen.all() else 0
        columns += [low[:, circle] - 1.0] * more
        parts = (low, np.zeros((len(low), len(order) - low.shape[1])), *columns)
        scores = np.where(used[:, None], np.column_stack(parts), 0.0)
        return PlaceProof(
            named,
            Attacker(
                scores=scores,
                zone=possible.astype(np.intp),
                rivals=np.arange(len(order), scores.shape[1], dtype=np.intp),
                need=need,
                shift=self.against.margin - ROUNDING,
                lead=-ROUNDING,
                sees=self.sees,
            ),
        )

    def _hidden(self, used: Mask) -> tuple[Ints, Floats]:
        """Hidden circles, by number, those that matter first; and their centres."""
        centres, real = self.circles.sets_near(self.places, real=True)
        if not len(real):
            return np.zeros(0, np.intp), centres
        masses = self.bound.hidden
        heaviest = np.argsort(-masses[used].sum(axis=0), kind="stable").tolist()
        alone = masses[self.tells].argmax(axis=1).tolist()
        order = list(dict.fromkeys([*heaviest[:MAX_HIDDEN], *alone, *heaviest]))
        numbers = np.array(order[: max(MAX_NAMED, MAX_HIDDEN + len(alone))], np.intp)
        return numbers, centres[numbers]

    def _leave_out(
        self, problem: Problem, ahead: Floats, left: Mask, most: int, *, by_budget: bool
    ) -> list[tuple[tuple[int, int], int]]:
        """Prices that leave out most cells; these are taken from `left`."""
        weights = problem.sizes if by_budget else problem.weights
        mean = float(weights.mean())
        found: list[tuple[tuple[int, int], int]] = []
        waiting = [max(1, round(PRICE_UNIT * mean * price)) for price in PRICES]
        while waiting and left.any():
            cells = np.flatnonzero(left)
            some = ahead[:, cells[:: 1 + len(cells) // SOME]]
            counts = [
                np.count_nonzero(_behind(problem, weights, some, most, price)) for price in waiting
            ]
            price = waiting[int(np.argmax(counts))]
            behind = _behind(problem, weights, ahead[:, cells], most, price)
            if not max(counts) or np.count_nonzero(behind) < FEWEST:
                break
            left[cells[behind]] = False
            found.append(((0, PRICE_UNIT) if by_budget else (PRICE_UNIT, 0), price))
            waiting = [other for other in waiting if other != price]
        return found

    def _group(self, left: Mask, masses: Floats) -> tuple[list[int], list[Ints]]:
        """Centres of groups of the cells that are left, and the cells of each."""
        cells = np.flatnonzero(left)
        cells = cells[np.argsort(-masses[cells], kind="stable")]
        unit, free = self.circles.unit[cells], np.ones(len(cells), bool)
        far = cosine(2 * self.circles.radius_km - 1e-5)
        centres: list[int] = []
        groups: list[Ints] = []
        while free.any() and len(centres) <= MAX_GROUPS:
            at = int(free.argmax())
            own = free & (unit @ unit[at] >= far)
            own[at] = True
            centres.append(int(cells[at]))
            groups.append(cells[own])
            free &= ~own
        return centres, groups


@dataclass(frozen=True)
class PlaceProof:
    """What a proof says of one attacker, and the rows that follow; None where none do."""

    named: PlaceRows
    attacker: Attacker | None


def _behind(problem: Problem, weights: Ints, ahead: Floats, most: int, price: int) -> Mask:
    """(cells,) for which no plan is left, clearly, at a price for how far a cell is ahead."""
    rows, versions = price * ahead, problem.versions
    photo_of = np.arange(problem.rows)
    if versions is not None:
        rows = np.where(
            versions.allowed[:, None], rows - PRICE_UNIT * versions.costs[:, None], -np.inf
        )
        photo_of = versions.photo_of
    starts = np.searchsorted(photo_of, np.arange(problem.photos))
    photos = np.maximum.reduceat(rows, starts, axis=0)
    kept = PRICE_UNIT * np.repeat(weights[:, None].astype(np.float64), ahead.shape[1], axis=1)
    sizes = np.abs(kept).sum(axis=0) + PRICE_UNIT * abs(most)
    np.add.at(kept, problem.unit_of_photo(), photos)
    fixed = problem.fixed
    kept = np.where((fixed == OUT)[:, None], 0.0, kept)
    best = np.where((fixed == IN)[:, None], kept, np.maximum(kept, 0.0)).sum(axis=0)
    value = best + PRICE_UNIT * (most - float(weights.sum()))
    sizes += np.where(np.isfinite(photos), np.abs(photos), 0.0).sum(axis=0)
    return np.asarray(value < -CLEAR * sizes)


def _degrees(unit: Floats) -> Floats:
    """(n, 2) latitudes and longitudes of unit vectors."""
    lat = np.degrees(np.arctan2(unit[:, 2], np.hypot(unit[:, 0], unit[:, 1])))
    return np.column_stack((lat, np.degrees(np.arctan2(unit[:, 1], unit[:, 0]))))
