"""The attacker who looks for circles: what they hold, and rows of the canonical problem for it.

For every number that `places` speaks of: how many rivals are ahead of every hidden circle, at one
exponent or at all of an interval; rows that imply it; rows that it implies. All of it is computed
for a few hundred circles at once, over the cells that they hold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from elsewhere.solver.problem import Attacker, Floats, Ints, Mask
from elsewhere.values.scores import FloatMatrix

_LEAST_LEAD = 1e-9
"""Nats by which masses that are compared must differ, beside what rounding may have moved them."""
_NO_TIE = 1e-12
"""Less than any lead: a row of no photo at all is not a tie, which strict problems would refuse."""
_BLOCK = 512
"""Rows whose exponentials are in memory at a time."""
_UNIT = 2.0**-50
"""Eight times the rounding of a float: the factor is for what each step adds to it."""
_NARROWEST = 1e-3
"""The interval of exponents, as a share of its upper end, below which no further cut is tried."""


def _add_rows(chosen: Floats, rows: Floats) -> Floats:
    """The sums of chosen rows, for (sets, rows) of zeros and ones; −inf stays."""
    used = chosen.any(axis=0)
    if not used.all():
        chosen, rows = chosen[:, used], rows[used]
    impossible = ~np.isfinite(rows)
    sums = chosen @ np.where(impossible, 0.0, rows)
    if impossible.any():
        sums[chosen @ impossible.astype(np.float64) > 0] = -np.inf
    return np.asarray(sums)


class Groups:
    """Groups of columns, one after the other, for sums over each."""

    def __init__(self, members: Ints, lengths: Ints) -> None:
        self.members, self.lengths = members, lengths
        self.starts = np.cumsum(lengths) - lengths

    def log_sums(self, values: FloatMatrix) -> Floats:
        """(…, groups) log Σ exp over every group, of (…, columns)."""
        if values.ndim == 2 and len(values) > _BLOCK:
            starts = range(0, len(values), _BLOCK)
            return np.concatenate([self.log_sums(values[i : i + _BLOCK]) for i in starts])
        own = values[..., self.members].astype(np.float64, copy=False)
        peak = np.maximum.reduceat(own, self.starts, axis=-1)
        peak = np.where(peak > -np.inf, peak, 0.0)
        powers = np.exp(own - np.repeat(peak, self.lengths, axis=-1))
        with np.errstate(divide="ignore"):
            return np.asarray(peak + np.log(np.add.reduceat(powers, self.starts, axis=-1)))

    def weights(self, values: Floats) -> Floats:
        """(members,) the softmax of (columns,) over every group; equal where all are −inf."""
        own = values[self.members]
        peak = np.maximum.reduceat(own, self.starts)
        impossible = np.repeat(peak == -np.inf, self.lengths)
        own = np.where(impossible, 0.0, own)
        powers = np.exp(own - np.repeat(np.where(peak > -np.inf, peak, 0.0), self.lengths))
        return np.asarray(powers / np.repeat(np.add.reduceat(powers, self.starts), self.lengths))

    def means(self, values: Floats, weights: Floats) -> Floats:
        """(…, groups) the weighted mean of every group, of (…, columns); 0 · −inf is 0."""
        with np.errstate(invalid="ignore"):
            terms = np.where(weights > 0, values[..., self.members] * weights, 0.0)
        return np.asarray(np.add.reduceat(terms, self.starts, axis=-1))


@dataclass(frozen=True)
class CircleAttacker:
    """One attacker's scores, the circles hidden from him, and the rivals of these."""

    scores: FloatMatrix
    """(photos, cells) log-probabilities, finite or −inf."""
    hidden: tuple[Ints, ...]
    """The cells of every hidden circle."""
    rivals: tuple[Ints, ...]
    """The cells of every rival."""
    need: int
    """How many rivals must be ahead of every hidden circle (k)."""
    margin: float = 0.0
    """Nats by which each kept photo counts more for the hidden circles."""
    sees: Mask | None = None
    """(photos,) which photos this attacker adds up; None for all."""
    centres: tuple[int, ...] = ()
    """The cell at the centre of every rival, where it is known."""

    @cached_property
    def _columns(self) -> Ints:
        return np.unique(np.concatenate((*self.hidden, *self.rivals)))

    @cached_property
    def _values(self) -> Floats:
        """(photos, columns) the scores of the cells that matter."""
        return self.scores[:, self._columns].astype(np.float64)

    @cached_property
    def _rivals(self) -> Groups:
        return self._groups(self.rivals)

    @cached_property
    def _hidden(self) -> Groups:
        return self._groups(self.hidden)

    def _groups(self, circles: Sequence[Ints]) -> Groups:
        members = np.searchsorted(self._columns, np.concatenate(circles))
        return Groups(members, np.array([len(cells) for cells in circles]))

    @cached_property
    def _zone(self) -> Ints:
        """The columns of the hidden cells."""
        return np.unique(self._hidden.members)

    @cached_property
    def _floor(self) -> float | None:
        """A score below every finite one; None where all are finite."""
        if np.isfinite(self._values).all():
            return None
        finite = self._values[np.isfinite(self._values)]
        return float(finite.min(initial=0.0)) - self.margin - 1.0

    @cached_property
    def _sizes(self) -> Floats:
        """(photos,) the largest finite score of each photo, without its sign, and the margin."""
        low = self._values if self._floor is None else np.maximum(self._values, self._floor)
        high = np.maximum(np.abs(low.min(axis=1)), np.abs(low.max(axis=1)))
        return np.asarray(high + self.margin)

    @cached_property
    def _last_total(self) -> dict[bytes, Floats]:
        return {}

    def _total(self, kept: Mask) -> Floats:
        """(columns,) the sums of these photos' scores; the last is remembered."""
        key = kept.tobytes()
        if key not in self._last_total:
            self._last_total.clear()
            self._last_total[key] = self._values[kept].sum(axis=0)
        return self._last_total[key]

    def seen(self, kept: Mask) -> Mask:
        """The kept photos that this attacker adds up."""
        return kept if self.sees is None else kept & self.sees

    def lead(self, kept: Mask, exponent: float) -> float:
        """Nats by which a rival must be ahead, so that no rounding is in doubt.

        A sum of n scores is wrong by at most n roundings of the sum of their sizes. Each step
        from there to the logarithm of a sum of m exponentials adds a few, and the sum m more.
        """
        size = exponent * float(self._sizes[kept].sum()) * (np.count_nonzero(kept) + 8)
        return _LEAST_LEAD + _UNIT * (size + self._longest + 16)

    @cached_property
    def lead_alone(self) -> Floats:
        """(photos,) the lead for each photo alone."""
        return _LEAST_LEAD + _UNIT * (9 * self._sizes + self._longest + 16)

    @cached_property
    def _longest(self) -> int:
        """The cells of the largest circle."""
        return int(max(self._hidden.lengths.max(), self._rivals.lengths.max(), 64))

    def count_ahead(self, kept: Mask, exponent: float) -> int:
        """How many rivals hold more than every hidden circle, for one exponent."""
        kept = self.seen(kept)
        total = exponent * self._total(kept)
        limit = float(self._hidden.log_sums(total).max())
        limit += exponent * self.margin * np.count_nonzero(kept) + self.lead(kept, exponent)
        masses = self._rivals.log_sums(total)
        return int(np.count_nonzero((masses >= limit) & (masses > -np.inf)))

    def first_rivals(
        self, kept: Mask, exponent: float, count: int
    ) -> tuple[tuple[int, ...], float]:
        """The centres of the heaviest rivals at an exponent, and by how much the last is ahead."""
        kept = self.seen(kept)
        photos = int(np.count_nonzero(kept))
        if not photos or not count:
            return (), math.inf
        exponent = max(exponent, 1 / photos)
        total = exponent * self._total(kept)
        masses = self._rivals.log_sums(total)
        order = np.argsort(-masses, kind="stable")[:count]
        limit = float(self._hidden.log_sums(total).max()) + exponent * self.margin * photos
        cells = tuple(self.centres[number] for number in order.tolist())
        return cells, float(masses[order[-1]]) - limit

    def hides_nothing(self, kept: Mask) -> bool:
        """Whether some photo is seen and every hidden circle is impossible."""
        kept = self.seen(kept)
        total = self._total(kept)
        return bool(kept.any()) and float(total[self._zone].max()) == -np.inf

    def margins(self, sets: Mask, exponent: float) -> Floats:
        """(sets,) by how much the k-th rival is ahead, of (sets, photos) with as many photos each.

        Exponent 0 stands for the sums of the photos' own circles.
        """
        chosen = sets.astype(np.float64)
        if exponent == 0.0:
            masses, hidden = (_add_rows(chosen, part) for part in self.own_circles)
            leads = np.zeros(len(sets))
            shift = self.margin + self._lead_of_sums
        else:
            total = exponent * _add_rows(chosen, self._values)
            masses, hidden = self._rivals.log_sums(total), self._hidden.log_sums(total)
            leads = np.array([self.lead(kept, exponent) for kept in sets])
            shift = exponent * self.margin
        if masses.shape[1] < self.need:
            return np.full(len(sets), -np.inf)
        last = np.partition(masses, -self.need, axis=1)[:, -self.need]
        limits = hidden.max(axis=1) + shift * np.count_nonzero(sets, axis=1) + leads
        return np.asarray(np.where(last > -np.inf, last - np.maximum(limits, -1e300), -np.inf))

    def first_failing(self, kept: Mask) -> float | None:
        """An exponent for which too few rivals are ahead, from 1 over the photos seen to 1."""
        count = int(np.count_nonzero(self.seen(kept)))
        return self.failing_exponent(kept, 1 / count, 1.0) if count else None

    def failing_exponent(self, kept: Mask, low: float, high: float) -> float | None:
        """An exponent from `low` to `high` for which too few rivals are ahead; None if none is.

        Both log-sums are convex in the exponent: a tangent bounds a rival from below, a chord
        bounds a hidden circle from above, and an interval that they do not settle is halved.
        """
        kept = self.seen(kept)
        if not kept.any():
            return None
        total = self._total(kept)
        shift = self.margin * np.count_nonzero(kept)
        finite = np.where(total > -np.inf, total, 0.0)

        def limit(exponent: float) -> float:
            heaviest = float(self._hidden.log_sums(exponent * total).max())
            return heaviest + exponent * shift + self.lead(kept, exponent)

        limits = {low: limit(low), high: limit(high)}
        intervals = [(low, high)]
        while intervals:
            begin, end = intervals.pop()
            middle = float(np.sqrt(begin * end))
            limits[middle] = limit(middle)
            masses = self._rivals.log_sums(middle * total)
            possible = masses > -np.inf
            if np.count_nonzero(possible & (masses >= limits[middle])) < self.need:
                return middle
            slopes = self._rivals.means(finite, self._rivals.weights(middle * total))
            ahead = possible & (masses + slopes * (begin - middle) >= limits[begin])
            ahead &= masses + slopes * (end - middle) >= limits[end]
            if np.count_nonzero(ahead) >= self.need:
                continue
            if end - begin <= _NARROWEST * end:
                return middle
            intervals += [(begin, middle), (middle, end)]
        return None

    def rows(self, kept: Mask, exponent: float, slack: float) -> Attacker:
        """Linear rows that imply the promise for one exponent, taken at these kept photos.

        `slack` is the least δ; what the hidden circles of the kept photos need may be more.
        """
        kept = self.seen(kept)
        total = exponent * self._total(kept)
        weights = self._rivals.weights(total)
        logs = np.log(np.where(weights > 0, weights, 1.0))
        entropy = -np.add.reduceat(weights * logs, self._rivals.starts)
        return self._attacker(
            self._rivals.means(self._values, weights),
            self._values[:, self._zone],
            entropy / exponent,
            max(slack, self.spread(kept, exponent)) / exponent,
            self.lead(kept, exponent) / exponent,
        )

    def spread(self, kept: Mask, exponent: float) -> float:
        """δ: by how much the heaviest hidden circle exceeds its heaviest cell, in nats."""
        total = exponent * self._total(self.seen(kept))
        heaviest = float(total[self._zone].max())
        if heaviest == -np.inf:
            return 0.0
        return float(self._hidden.log_sums(total).max()) - heaviest

    @cached_property
    def own_circles(self) -> tuple[Floats, Floats]:
        """(photos, rivals) and (photos, hidden) what each photo's own circles hold, as logs.

        0 for photos that this attacker does not add up.
        """
        if self.sees is None or self.sees.all():
            return self._rivals.log_sums(self._values), self._hidden.log_sums(self._values)
        found = []
        for groups in (self._rivals, self._hidden):
            sums = np.zeros((len(self.scores), len(groups.lengths)))
            sums[self.sees] = groups.log_sums(self._values[self.sees])
            found.append(sums)
        return found[0], found[1]

    def sums_of_circles(self) -> Attacker:
        """Rows for the attacker who adds up each photo's own circles: exact as they are."""
        rivals, hidden = self.own_circles
        rows = self._attacker(rivals, hidden, np.zeros(rivals.shape[1]), 0.0, 0.0)
        # the lead is for every photo, so that none is needed where no photo is seen
        return replace(rows, shift=self.margin + self._lead_of_sums)

    @cached_property
    def _lead_of_sums(self) -> float:
        """The lead for sums of circles: each photo's circles are rounded, and then their sum.

        Every photo has it, also a single one.
        """
        everything = self.seen(np.ones(len(self.scores), bool))
        return self.lead(everything, 1.0) + _UNIT * (self._longest + 16) * len(self.scores)

    def leaf_rows(self) -> Attacker:
        """Rows that every plan fulfils: the best of a rival's cells against every hidden cell.

        At exponent 1 a rival of m cells is ahead only if, for one of them, m times its posterior
        is at least that of every hidden cell. The sum over photos of the best cell's score is
        larger still, and linear.
        """
        best = np.maximum.reduceat(self._values[:, self._rivals.members], self._rivals.starts, 1)
        return self._attacker(
            best, self._values[:, self._zone], np.log(self._rivals.lengths), 0.0, 0.0
        )

    def _attacker(
        self, rivals: Floats, zone: Floats, offsets: Floats, offset: float, lead: float
    ) -> Attacker:
        """Rows for these columns. A rival that is impossible never counts."""
        if self._floor is not None:
            zone = np.column_stack((zone, np.full(len(zone), self._floor)))
        scores = np.column_stack((rivals, zone))
        own = np.concatenate((offsets, np.full(zone.shape[1], offset)))
        return Attacker(
            scores=scores,
            zone=np.arange(rivals.shape[1], scores.shape[1], dtype=np.intp),
            rivals=np.arange(rivals.shape[1], dtype=np.intp),
            need=self.need,
            shift=self.margin,
            lead=lead - _NO_TIE,
            offset=own if own.any() else None,
            sees=self.sees,
        )
