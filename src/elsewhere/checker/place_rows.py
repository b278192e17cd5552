"""What every plan for hidden places must fulfil, worked out from the scores and the cells' points.

The promise is that k rivals are ahead of every hidden circle (`places`). Here everything errs on
the other side, in favour of plans, so that a plan which fails here keeps no promise:

- **Hidden** circles are some that there are: a proof names their centres. They hold at least the
  points that lie inside by a centimetre.
- **Rivals** are centred on points that may lie 3R from every photo, and hold at most the points
  that lie outside by a centimetre or less. Of points within 2R of one, a centimetre less, at most
  one is a rival: rivals lie farther apart than 4R.
- **Sums** of the photos' own circles add up over photos. So k groups of points must be ahead of
  each hidden circle, a group with the most that any of its points' circles hold of each photo.
- A **photo alone** tells the place where fewer rivals than asked for can be ahead.
- A **single plan** fails where fewer than k can be ahead in the posterior, at one of three
  exponents that the promise is about.

Logarithms of sums are floats, moved by more than all roundings that they may have: what is in
doubt counts for the plan. What follows from them is decided exactly (`optimality`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from elsewhere.checker.circles import (
    TOLERANCE_KM,
    Floats,
    Ints,
    Mask,
    chord_of,
    directions,
    neighbours,
    surely_fewer_apart,
)
from elsewhere.checker.facts import find_hidden
from elsewhere.checker.places import ROUNDING, doubt, log_sum, size_of
from elsewhere.values.promise import Against
from elsewhere.values.proof import PlaceRows
from elsewhere.values.scores import FloatMatrix, Scores

NANODEGREES = 10**9
"""Centres of hidden circles are given in whole parts of a degree."""
MAX_HIDDEN = 1_000
"""Hidden circles that a proof may name for one attacker."""


class PlaceView:
    """What one attacker who looks for circles can see at most, and of what is hidden at least."""

    def __init__(self, against: Against, table: Scores, photo_of: Sequence[int]) -> None:
        """For an attacker with circles and a table with points."""
        hidden = find_hidden(against, table)
        self.against, self.radius_km = against, hidden.radius_km
        self.points, self.places = hidden.points, hidden.places
        self.seen: Mask = np.ones(table.photos, bool)
        """(rows,) which rows this attacker adds up."""
        if against.sees is not None:
            self.seen = np.isin(photo_of, against.sees)
        self._values = table.values
        if against.rivals is not None:
            self._values = np.full_like(table.values, -np.inf)
            self._values[:, list(against.rivals)] = table.values[:, list(against.rivals)]
        self._members, starts = neighbours(self.points, self.radius_km + TOLERANCE_KM)
        self._starts, self._lengths = starts[:-1], np.diff(starts)
        self.eligible: Mask = np.ones(table.cells, bool)
        """(cells,) which cells a rival may be centred on."""
        for place in self.places:
            near = max(3 * self.radius_km - TOLERANCE_KM, 0.0)
            self.eligible[self.points.near(place, near)] = False

    def most(self, logs: FloatMatrix) -> Floats:
        """(cells,) the most that the circle around each cell holds, as a log, of (cells,) logs."""
        own = logs[self._members].astype(np.float64)
        peak = np.maximum.reduceat(own, self._starts)
        peak = np.where(peak > -math.inf, peak, 0.0)
        sums = np.add.reduceat(np.exp(own - np.repeat(peak, self._lengths)), self._starts)
        with np.errstate(divide="ignore"):
            masses = peak + np.log(sums)
        return np.asarray(masses + ROUNDING * (self._lengths + 16 + 4 * size_of(masses)))

    def circles(self, rows: PlaceRows) -> list[Ints] | None:
        """The cells that each hidden circle surely holds; None where one is not hidden."""
        centres = np.array(rows.hidden, np.float64).reshape(-1, 2) / NANODEGREES
        inside = max(self.radius_km - TOLERANCE_KM, 0.0)
        found = []
        for centre in directions(*centres.T):
            apart = np.linalg.norm(self.places - centre, axis=1)
            if not (apart <= chord_of(inside)).any():
                return None
            found.append(self.points.near(centre, inside))
        return found

    def least(self, logs: FloatMatrix, circles: Sequence[Ints]) -> Floats:
        """(circles,) the least that hidden circles hold, as logs, of (cells,) logs."""
        masses = [log_sum(logs[cells].astype(np.float64)) for cells in circles]
        pairs = zip(masses, circles, strict=True)
        return np.array(
            [mass - doubt(len(cells), float(size_of(mass))) for mass, cells in pairs], np.float64
        )

    def telling(self, circles: Sequence[Ints]) -> Mask:
        """(rows,) which rows surely show a hidden place alone, where that is not wanted."""
        found = np.zeros(len(self._values), bool)
        wanted = self.against.each_photo
        if wanted is None or not circles:
            return found
        for row in np.flatnonzero(self.seen).tolist():
            logs = self._values[row]
            found[row] = self._may_not_hold(logs, logs, circles, self.against.margin, wanted)
        return found

    def refutes(self, shared: Sequence[int], circles: Sequence[Ints], need: int) -> bool:
        """Whether fewer rivals than needed can be ahead in the posterior of these rows."""
        rows = [row for row in shared if self.seen[row]]
        if not rows or not circles or not need:
            return False
        values = self._values[rows].astype(np.float64)
        with np.errstate(over="ignore"):
            total, sizes = values.sum(axis=0), size_of(values).sum(axis=0)
        count = len(rows)
        if not np.isfinite(sizes).all():  # beyond the floats
            return False
        for exponent in {1.0, 1 / count, count**-0.5}:
            error = ROUNDING * (count + 8) * exponent * sizes
            logs, margin = exponent * total, exponent * count * self.against.margin
            if self._may_not_hold(logs + error, logs - error, circles, margin, need):
                return True
        return False

    def _may_not_hold(
        self,
        high: FloatMatrix,
        low: FloatMatrix,
        circles: Sequence[Ints],
        margin: float,
        need: int,
    ) -> bool:
        """Whether fewer rivals than needed can be ahead, by logs that are at most and at least."""
        bar = float(self.least(low, circles).max()) + margin
        if not math.isfinite(bar):  # nothing that is hidden is possible, or beyond the floats
            return False
        bar -= ROUNDING * 8 * (abs(bar) + margin)
        ahead = self.points.unit[self.eligible & (self.most(high) >= bar)]
        return surely_fewer_apart(ahead, 4 * self.radius_km, need)

    def table(self, circles: Sequence[Ints]) -> tuple[Floats, Floats]:
        """(rows, circles) the least that is hidden, and (rows, cells) the most of rivals."""
        low = np.zeros((len(self._values), len(circles)))
        high = np.zeros((len(self._values), len(self.eligible)))
        for row in np.flatnonzero(self.seen).tolist():
            low[row] = self.least(self._values[row], circles)
            high[row] = self.most(self._values[row])
        return low, high

    def group(self, left: Mask, centres: Sequence[int], high: Floats) -> Floats | None:
        """(rows, groups) the most that a rival of each group holds; None where one is left out.

        `left` are the cells that a rival may be centred on. Each belongs to the first group that
        has its centre near enough.
        """
        left = left.copy()
        columns = np.full((len(high), len(centres)), -math.inf)
        reach = max(2 * self.radius_km - TOLERANCE_KM, 0.0)
        for number, centre in enumerate(centres):
            own = np.append(self.points.near(self.points.unit[centre], reach), centre)
            own = own[left[own]]
            if len(own):
                columns[:, number] = high[:, own].max(axis=1)
            left[own] = False
        return None if left.any() else columns


def row_promise(
    view: PlaceView, name: str, low: Floats, groups: Floats, need: int
) -> tuple[Against, Scores]:
    """The promise about groups of cells that follows from one about circles, with its scores.

    The truth are hidden circles, the rivals groups. Where an attacker does not see every row, he
    may see nothing of a plan, and is then satisfied by it: `need` rivals more say that, which are
    behind by a nat for each row that he sees.
    """
    count, blind = low.shape[1], not view.seen.all()
    more = np.repeat(low[:, :1] - 1.0, need if blind else 0, axis=1)
    unused = np.zeros((len(low), 1))  # a table has two columns at least
    scores = np.column_stack((low, groups, more, unused))
    against = replace(
        view.against,
        scores=name,
        cells=scores.shape[1],
        truth=tuple(range(count)),
        lead=-ROUNDING,  # where ties do not count, they do here
        rivals=tuple(range(count, scores.shape[1] - 1)),
        each_photo=None,
        circles=None,
    )
    return against, Scores(scores)


def is_well_formed(rows: PlaceRows, cells: int) -> bool:
    """Whether all numbers of what a proof says of an attacker are what they should be."""
    hidden, count = rows.hidden, len(rows.hidden) // 2
    return (
        not len(hidden) % 2
        and count <= MAX_HIDDEN
        and not len(rows.prices) % 4
        and all(abs(lat) <= 90 * NANODEGREES for lat in hidden[::2])
        and all(abs(lon) <= 180 * NANODEGREES for lon in hidden[1::2])
        and all(0 <= cell < cells for cell in rows.groups)
        and len(set(rows.groups)) == len(rows.groups)
        and all(0 <= number < count for number in rows.prices[::4])
        and min(rows.prices, default=0) >= 0
        and (bool(hidden) or not (rows.groups or rows.prices))
    )
