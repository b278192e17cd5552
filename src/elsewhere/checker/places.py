"""The check of places: does none of the attacker's first k circles come near a photo?

From the rows of the kept photos, the cells' points and the photos' positions alone, with no help
from the solver. A circle of R km centred within R of a photo is *hidden*. The attacker takes the
heaviest circle, strikes out every centre within 2R, and goes on. He meets no hidden circle in his
first k turns, however he breaks ties, where k *rivals* are heavier than every hidden circle. These
are circles more than 3R from every photo and more than 4R from each other, so that a turn strikes
out one of them at most.

**Rivals** are looked for around the heaviest points, more and more of them until no other can be
heavy enough.

**Exponents.** For the posterior exp(τL) both logarithms of sums are convex in τ. On an interval a
tangent bounds a rival from below and a chord bounds the hidden circles from above; where that does
not settle it, the interval is halved.

Sums of scores are rounded once (`math.fsum`), and every comparison leaves room for all roundings
that follow: what is in doubt counts against the plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.checker.circles import (
    Floats,
    Hidden,
    Ints,
    Mask,
    Points,
    chord_of,
    find_apart,
    take_apart,
)
from elsewhere.values.plan import View
from elsewhere.values.problems import PlanProblem, ProblemKind
from elsewhere.values.scores import FloatMatrix

ROUNDING = 2.0**-51
"""Four roundings of a float."""
MAX_INTERVALS = 4_000
"""Intervals of exponents looked at before the rest counts as not proved."""
_ROWS = 64
"""Rows whose circles are added up at a time."""
_LIGHT = 1e-280
"""A share of the peak below which floats are no longer exact."""
_HEAVY = 2_048
"""Points among which rivals are looked for first."""
SAME = 1e-6
"""Nats within which two logarithms count as the same number, worked out in two ways."""


@dataclass(frozen=True)
class PlacePromise:
    """What is promised about the circles of one attacker."""

    radius_km: float
    first: int
    """None of the first so many circles of the album is near a photo (k)."""
    alone: int | None = None
    """The same for each photo alone; None where that is not promised."""
    margin: float = 0.0
    """Nats by which each photo counts more for the hidden circles."""
    exempt: tuple[int, ...] = ()
    """Rows of photos that stay although they tell the place alone."""
    quick: bool = False
    """Whether the first doubt ends it: rivals are looked for once."""


def log_sum(values: Floats) -> float:
    """log Σ exp, −inf for nothing."""
    peak = float(values.max(initial=-math.inf))
    if peak == -math.inf:
        return peak
    return peak + math.log(float(np.exp(values - peak).sum()))


class _Circles:
    """Circles around some of the points, and the points that each surely holds."""

    def __init__(self, centres: Ints, members: list[Ints]) -> None:
        self.centres = centres
        self.members: Ints = np.concatenate([np.zeros(0, np.intp), *members])
        self.lengths = np.array([len(cells) for cells in members], np.intp)
        self.starts: Ints = np.cumsum(self.lengths) - self.lengths

    def log_sums(self, values: Floats) -> Floats:
        """(…, circles) log Σ exp over every circle, of (…, members)."""
        if not len(self.centres):
            return np.zeros((*values.shape[:-1], 0))
        peak = np.maximum.reduceat(values, self.starts, axis=-1)
        peak = np.where(peak > -math.inf, peak, 0.0)
        powers = np.exp(values - np.repeat(peak, self.lengths, axis=-1))
        with np.errstate(divide="ignore"):
            return np.asarray(peak + np.log(np.add.reduceat(powers, self.starts, axis=-1)))


class ChosenRows:
    """Some rows of a matrix that may be large: no copy is made of them."""

    def __init__(self, values: FloatMatrix, numbers: Sequence[int] | None = None) -> None:
        self._values = values
        self._numbers: Ints = np.arange(len(values), dtype=np.intp)
        if numbers is not None:
            self._numbers = np.array(numbers, np.intp)

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[FloatMatrix]:
        return (self._values[number] for number in self._numbers.tolist())

    def columns(self, cells: Ints, first: int = 0, last: int | None = None) -> Floats:
        """(rows, cells) some columns, of all rows or of a part of them."""
        numbers = self._numbers[first:last]
        return self._values[numbers[:, None], cells].astype(np.float64)

    def total(self) -> Floats:
        """(cells,) the sum of all rows."""
        total = np.zeros(self._values.shape[1])
        for first in range(0, len(self), _ROWS):
            part = self._numbers[first : first + _ROWS]
            total += self._values[part].sum(axis=0, dtype=np.float64)
        return total


@dataclass
class _Album:
    """The kept photos' rows beside what is hidden."""

    rows: ChosenRows
    what: Hidden
    promise: PlacePromise
    points: Points = field(init=False)
    hidden: list[Ints] = field(init=False)
    zone: Ints = field(init=False)
    in_set: Floats = field(init=False)
    near: Mask = field(init=False)
    _sums: dict[int, float] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.points, self.hidden, self.zone = self.what.points, self.what.sets, self.what.zone
        self.in_set, self.near = self.what.in_set, self.what.near

    def sums(self, cells: Ints) -> Floats:
        """The photos' scores of these cells added up, each sum rounded once.

        NaN, which is ahead of nothing, where the sum is beyond the floats.
        """
        new = list({cell: None for cell in cells.tolist() if cell not in self._sums})
        for cell, column in zip(
            new, self.rows.columns(np.array(new, np.intp)).T.tolist(), strict=True
        ):
            try:
                impossible = -math.inf in column
                self._sums[cell] = -math.inf if impossible else math.fsum(column)
            except OverflowError:
                self._sums[cell] = math.nan
        return np.array([self._sums[cell] for cell in cells.tolist()], np.float64)

    def own_logs(self, circles: _Circles) -> Floats:
        """(photos, circles) logs of what circles hold of each photo."""
        found = np.empty((len(self.rows), len(circles.centres)))
        for first in range(0, len(self.rows), _ROWS):
            part = self.rows.columns(circles.members, first, first + _ROWS)
            found[first : first + _ROWS] = circles.log_sums(part)
        return found

    def hidden_mass(self, values: Floats) -> Floats:
        """(…,) log of the heaviest hidden circle, of (…, zone) logs."""
        if not len(self.zone):
            return np.full(values.shape[:-1], -math.inf)
        peak = values.max(axis=-1, keepdims=True)
        peak = np.where(peak == -math.inf, 0.0, peak)
        with np.errstate(divide="ignore"):
            heaviest = np.log((np.exp(values - peak) @ self.in_set.T).max(axis=-1))
        return np.asarray(peak[..., 0] + heaviest)

    def hidden_masses(self, values: Floats) -> Floats:
        """(rows, hidden) logs of what every hidden circle holds, of (rows, zone) logs.

        A row in which some circle is too light beside the peak is worked out circle by circle.
        """
        if not len(self.zone):
            return np.zeros((len(values), 0))
        peak = values.max(axis=1, keepdims=True)
        peak = np.where(peak == -math.inf, 0.0, peak)
        held = np.exp(values - peak) @ self.in_set.T
        masses: Floats = peak + np.log(np.maximum(held, _LIGHT))
        light = (held < _LIGHT).any(axis=1)
        if light.any():
            sets = _Circles(np.arange(len(self.hidden)), self.hidden)
            masses[light] = sets.log_sums(
                values[light][:, np.searchsorted(self.zone, sets.members)]
            )
        return masses

    def stages(self, approximate: Floats, bar: float) -> Iterator[tuple[_Circles, bool]]:
        """Rivals around the points that are heaviest by these logs, then around more and more.

        Each stage has the circles of those before. The last one is marked: no other circle can
        hold `bar`, as a log, for all points that are left do not. A quick promise has the first
        stage alone.
        """
        possible: Ints = np.flatnonzero(approximate > -math.inf)
        count = 8 + 4 * self.promise.first
        found: dict[int, None] = {}
        # nearly always some of the heaviest points that do not huddle are enough
        far = possible[~self.near[possible]]
        heavy = far
        if len(far) > _HEAVY:
            heavy = far[np.argpartition(-approximate[far], _HEAVY)[:_HEAVY]]
        heavy = heavy[np.argsort(-approximate[heavy], kind="stable")]
        limit = chord_of(2 * self.promise.radius_km) ** 2
        spread = heavy[take_apart(self.points.unit[heavy], limit, count)]
        yield self._circles_around(spread, found), False
        if self.promise.quick:
            return
        order = possible[np.argsort(-approximate[possible], kind="stable")]
        rest = np.cumsum(np.exp(approximate[order[::-1]] - approximate[order[:1]]))[::-1]
        rest = np.maximum(rest, 1e-300)  # what is less is taken for so much
        first, last = 0, False
        while not last:
            part = order[first : first + count]
            first, count = first + count, 4 * count
            last = first >= len(order)
            if not last and bar > -math.inf:
                last = bool(approximate[order[0]] + np.log(rest[first]) + SAME < bar)
            yield self._circles_around(part, found), last

    def _circles_around(self, cells: Ints, found: dict[int, None]) -> _Circles:
        """The circles that hold one of these points, and those found before."""
        for cell in cells.tolist():
            found.update(dict.fromkeys(self.what.rivals_around(cell)))
        centres = np.array(list(found), np.intp)
        return _Circles(centres, list(map(self.what.members, centres.tolist())))

    def count_apart(
        self, centres: Ints, masses: Floats, need: int, *, thorough: bool = False
    ) -> int:
        """How many of these rivals are distinct, the heaviest tried first; at most `need`."""
        unit = self.points.unit[centres[np.argsort(-masses, kind="stable")]]
        return len(find_apart(unit, 4 * self.promise.radius_km, need, thorough=thorough))


def doubt(cells: int, size: float) -> float:
    """Nats by which a log-sum over so many cells, of logs of this size, may be wrong."""
    return ROUNDING * (cells + 16 + 4 * size)


def size_of(logs: ArrayLike) -> Floats:
    """The sizes of logs; 0 for −inf."""
    return np.abs(np.where(np.asarray(logs) > -math.inf, logs, 0.0))


def prove_places(
    rows: ChosenRows,
    hidden: Hidden,
    promise: PlacePromise,
    *,
    exponents: tuple[float, float] | None = None,
    attacker: int = 0,
) -> tuple[PlanProblem, ...]:
    """What is not true of a promise about the circles of these kept photos; empty when all is.

    `rows` are the kept photos' log-probabilities at the points; what is `hidden` are all photos of
    the album, kept or not. The exponents go from 1 over the number of photos to 1 where none are
    given.
    """
    if not len(rows):
        return (PlanProblem(ProblemKind.NOTHING_KEPT),)
    album = _Album(rows, hidden, promise)
    problems = list(_wrong_alone(album, attacker))
    found = _count_sums(album)
    if found < promise.first:
        problems.append(
            PlanProblem(ProblemKind.CIRCLE_SUMS, attacker, found=found, wanted=promise.first)
        )
    if problems and promise.quick:
        return tuple(problems)
    low, high = exponents or (1.0 / len(rows), 1.0)
    problems += _wrong_exponents(album, low, high, attacker)
    return tuple(problems)


def find_telling(
    rows: ChosenRows, hidden: Hidden, promise: PlacePromise, attacker: int = 0
) -> list[PlanProblem]:
    """The rows that have a hidden circle among the first of their own."""
    return list(_wrong_alone(_Album(rows, hidden, promise), attacker))


def wrong_rivals(
    rows: ChosenRows,
    hidden: Hidden,
    promise: PlacePromise,
    view: View,
    *,
    exponent: float,
    attacker: int = 0,
) -> Iterator[PlanProblem]:
    """What is not true of the rivals that a plan names, at the exponent that its view is about."""
    if not len(rows) or not promise.first:
        if view.rivals or view.slack != math.inf:
            yield PlanProblem(ProblemKind.RIVAL_ORDER, attacker)
        return
    album = _Album(rows, hidden, promise)
    exponent = max(exponent, 1.0 / len(rows))
    count, limit = len(view.rivals), 4 * hidden.radius_km
    known = all(0 <= centre < len(album.near) for centre in view.rivals)
    centres = np.array(view.rivals if known else (), np.intp)
    far = len(centres) == promise.first and not album.near[centres].any()
    if not far or len(find_apart(album.points.unit[centres], limit, count)) < count:
        yield PlanProblem(ProblemKind.RIVALS_NEAR, attacker, wanted=f"{limit:g}")
        return
    circles = _Circles(centres, [hidden.members(centre) for centre in view.rivals])
    masses = circles.log_sums(exponent * album.sums(circles.members))
    if (masses[1:] > masses[:-1] + SAME).any():
        yield PlanProblem(ProblemKind.RIVAL_ORDER, attacker)
    bar = float(album.hidden_mass(exponent * album.sums(album.zone)))
    slack = float(masses[-1]) - bar - exponent * promise.margin * len(rows)
    # the plan's hidden circles are those of a grid, which hold as much or a little more
    if not view.slack <= slack + SAME * max(1.0, abs(slack)) or not view.slack >= 0:
        yield PlanProblem(ProblemKind.SLACK, attacker, found=view.slack, wanted=slack)


def _wrong_alone(album: _Album, attacker: int) -> Iterator[PlanProblem]:
    """Kept photos with a hidden circle among the first of their own."""
    promise, need = album.promise, album.promise.alone
    if need is None or not len(album.rows):
        return
    limits = album.hidden_mass(album.rows.columns(album.zone))
    # rivals of the whole album are tried first: they are often rivals of the photo too
    shared, _ = next(album.stages(album.rows.total() / len(album.rows), -math.inf))
    own = album.own_logs(shared)
    own -= ROUNDING * (shared.lengths + 16 + 4 * size_of(own))
    for photo, (scores, limit) in enumerate(zip(album.rows, limits.tolist(), strict=True)):
        if photo in promise.exempt:
            continue
        row = scores.astype(np.float64)  # else the bar is rounded to what it is compared with
        size = float(size_of(limit)) + promise.margin
        bar = limit + promise.margin + 2 * doubt(len(album.zone) + 64, size)
        held = (own[photo] >= bar) & (own[photo] > -math.inf)
        found = album.count_apart(shared.centres[held], own[photo, held], need)
        if found < need:  # points that are heavy enough by themselves: some of them, if many
            heavy = np.flatnonzero((row >= bar) & (row > -math.inf) & ~album.near)
            heavy = heavy[:: max(1, len(heavy) // 256)]
            found = max(found, album.count_apart(heavy, np.zeros(len(heavy)), need))
        if found < need and not promise.quick:
            found = max(found, _count_circles(album, row, bar, need))
        if found < need:
            yield PlanProblem(ProblemKind.CIRCLES_ALONE, attacker, photo, found, need)


def _count_circles(album: _Album, row: Floats, bar: float, need: int) -> int:
    """How many distinct rivals of one photo hold `bar` or more; at most `need`."""
    found = 0
    # distinct rivals share no point, so all points together hold what they need
    if log_sum(np.delete(row, album.zone)) + SAME < bar + math.log(need):
        return found
    for circles, last in album.stages(row, bar):
        masses = circles.log_sums(row[circles.members])
        masses -= ROUNDING * (circles.lengths + 16 + 4 * size_of(masses))
        held = (masses >= bar) & (masses > -math.inf)
        centres = circles.centres[held]
        found = album.count_apart(centres, masses[held], need, thorough=last)
        if found >= need:
            break
    return found


def _count_sums(album: _Album) -> int:
    """How many distinct rivals are ahead in the sum of the photos' own circles; at most k."""
    promise, photos = album.promise, len(album.rows)
    hidden, sizes = np.zeros(len(album.hidden)), np.zeros(len(album.hidden))
    for first in range(0, photos, _ROWS):
        part = album.rows.columns(album.zone, first, first + _ROWS)
        own = album.hidden_masses(part)
        hidden += own.sum(axis=0)
        sizes += (size_of(own) + size_of(part.max(axis=1, initial=0.0))[:, None]).sum(axis=0)
        sizes += promise.margin * len(own)
    hidden += promise.margin * photos
    hidden += ROUNDING * (photos * (len(album.zone) + 32) + (photos + 8) * sizes)
    bar = float(hidden.max(initial=-math.inf))
    found = 0
    # a circle may be possible for every photo though none of its points is
    total = album.rows.total() / len(album.rows)
    total = np.maximum(total, total[np.isfinite(total)].min(initial=0.0) - 1.0)
    for circles, last in album.stages(total, -math.inf):
        own = album.own_logs(circles)
        masses = own.sum(axis=0)
        rounding = (photos + 8) * np.abs(own).sum(axis=0) + photos * (circles.lengths + 16)
        with np.errstate(invalid="ignore"):
            held = (masses > -math.inf) & (masses - ROUNDING * rounding >= bar)
        centres = circles.centres[held]
        found = album.count_apart(centres, masses[held], promise.first, thorough=last)
        if found >= promise.first:
            break
    return found


def _wrong_exponents(album: _Album, low: float, high: float, attacker: int) -> list[PlanProblem]:
    """An exponent for which too few rivals are ahead, or are not proved to be; or nothing."""
    need, extra = album.promise.first, album.promise.margin * len(album.rows)
    zone = album.sums(album.zone)
    waiting = album.stages(album.rows.total(), -math.inf)
    stages: list[tuple[_Circles, Floats, bool]] = []
    bars: dict[float, float] = {}

    def bar(exponent: float) -> float:
        heaviest = float(album.hidden_mass(exponent * zone))
        size = float(size_of(heaviest)) + exponent * extra
        return heaviest + exponent * extra + 2 * doubt(len(album.zone) + 64, size)

    def count_ahead(begin: float, middle: float, end: float) -> tuple[int, bool]:
        """How many rivals are ahead in the middle; whether enough are in all of the interval."""
        found = number = 0
        while number < len(stages) or (not stages or not stages[-1][2]):
            if number == len(stages):
                following = next(waiting, None)
                if following is None:
                    break
                circles, last = following
                stages.append((circles, album.sums(circles.members), last))
            circles, sums, last = stages[number]
            number += 1
            masses, slopes, rounding = _tangents(circles, sums, middle, end - begin)
            held = (masses >= bars[middle]) & (masses > -math.inf)
            centres = circles.centres[held]
            found = album.count_apart(centres, masses[held], need, thorough=last)
            if found >= need:
                held &= masses + slopes * (begin - middle) - rounding >= bars[begin]
                held &= masses + slopes * (end - middle) - rounding >= bars[end]
                centres = circles.centres[held]
                apart = album.count_apart(centres, masses[held], need, thorough=last)
                return found, apart >= need
        return found, False

    intervals = [(low, high)]
    for _ in range(MAX_INTERVALS):
        begin, end = intervals.pop()
        middle = begin + (end - begin) / 2 if end < 4 * begin else math.sqrt(begin * end)
        bars |= {
            exponent: bar(exponent) for exponent in (begin, middle, end) if exponent not in bars
        }
        found, settled = count_ahead(begin, middle, end)
        if not settled and (found < need or end - begin <= 1e-12 * end):
            break
        intervals += [] if settled else [(middle, end), (begin, middle)]
        if not intervals:
            return []
    return [PlanProblem(ProblemKind.CIRCLES, attacker, found=found, wanted=need, exponent=middle)]


def _tangents(
    circles: _Circles, sums: Floats, exponent: float, width: float
) -> tuple[Floats, Floats, Floats]:
    """What these circles hold at least at an exponent, how fast that grows, and the doubt of both.

    All as logs; the doubt is for an interval of exponents of this width.
    """
    masses = circles.log_sums(exponent * sums)
    finite = np.where(sums > -math.inf, sums, 0.0)
    known = np.where(masses > -math.inf, masses, 0.0)
    with np.errstate(invalid="ignore"):
        weights = np.exp(exponent * sums - np.repeat(known, circles.lengths))
    slopes = np.add.reduceat(weights * finite, circles.starts) if len(masses) else masses
    largest = np.maximum.reduceat(np.abs(finite), circles.starts) if len(masses) else masses
    size = circles.lengths + 16 + 4 * np.abs(known)
    return masses - ROUNDING * size, slopes, np.asarray(ROUNDING * size * (1 + largest * width))
