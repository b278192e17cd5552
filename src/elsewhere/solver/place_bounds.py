"""What every plan for places loses at least, whatever circles and rivals it is proved by.

`places` plans with circles that are a little too large and with a list of rivals. A set that it
refuses may keep the promise all the same, so that its own bound is none. Here everything errs on
the other side:

- **Hidden** circles are some of those that there are.
- **Rivals** may be centred on any cell far enough from what is hidden. All cells are parted into
  groups at most four radii across: around those whose circles hold most, what lies within two
  radii. Rivals lie farther apart than four, so at most one of a group counts, and it holds no more
  of any photo than the best circle of the group does.
- **Sums** of the photos' own circles are one part of the promise, and linear. So k groups must be
  ahead of each hidden circle in the sum of these logarithms.
- A **photo alone** tells the place for certain where fewer groups than asked for are ahead.

Groups that are ahead only at the price of a whole plan are left out; fewer than k that remain prove
that no lighter plan exists. Otherwise the rows of the others are solved like any problem. Where few
sets lie between that bound and a plan, each of them is tried on posteriors too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe.circles import TOLERANCE_KM, Circles, best_apart, cosine
from elsewhere.solver.circle_attacker import Groups
from elsewhere.solver.exact import SearchLimits, solve
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.problem import (
    FREE,
    OUT,
    Attacker,
    Floats,
    Mask,
    Problem,
    plans_between,
)
from elsewhere.values.scores import FloatMatrix

Weights = NDArray[np.int64]

MAX_PHOTOS = 64
"""In larger albums only photos that tell a place alone count: the rest would take too long."""
MAX_ROWS = 256
"""The same for rows of photos with versions."""
MAX_GROUPS = 1_500
"""Groups that rows are solved for; of more, the k-th cheapest is the bound."""
PRICES, PRICE_STEP = 14, 1.5
"""Prices tried for what a group is behind, and the factor from one to the next."""
MAX_HIDDEN = 24
"""Hidden circles that rows are made against: those that hold most."""
WORK = 4_000
"""Work for solving these rows."""
_ROUNDING = 1e-5
"""Nats for each photo, above what single precision rounds."""
_POSTERIOR_ROUNDING = 1e-3
"""Nats, above what single precision rounds in sums of many photos."""
MAX_SETS = 600
"""Sets lighter than a plan that are tried, all or none."""
_BLOCK = 32
_GROUP_BLOCK = 256
_MAX_SEARCHED, _MAX_STEPS = 300, 300
"""Cells among which distinct rivals are searched for thoroughly, and steps of that search."""
_ADAPTED = 3_000
"""Cells whose circles hold most, which groups are formed around; others are grouped by place."""
_SINGLE = 2.0**-21
"""Above the rounding of a number in single precision."""
_LEAST_MASS = 1e-30
"""Masses below are bounded by their largest cell instead of added up."""


class PlaceBound:
    """What possible rivals and some hidden circles hold of each photo, as logarithms.

    All are relative to the photo's largest score, so that single precision is enough.
    """

    def __init__(self, circles: Circles, scores: FloatMatrix, places: Floats) -> None:
        """For photos at these scores, and hidden places as unit vectors."""
        self.circles, self._scores = circles, scores
        self._near = circles.within(places, 3 * circles.radius_km - 3 * TOLERANCE_KM)
        lengths = np.diff(circles.first)
        self._several = np.flatnonzero(lengths > 1)  # the others hold nothing but their cell
        self._members, self._sizes = circles.groups(self._several)
        self._starts = np.cumsum(self._sizes) - self._sizes
        _, real = circles.sets_near(places, real=True)
        sizes = np.array([len(cells) for cells in real], np.intp)
        self._hidden = Groups(np.concatenate([np.zeros(0, np.intp), *real]), sizes)
        peaks = scores.max(axis=1).astype(np.float64)
        self._peaks = np.where(peaks > -np.inf, peaks, 0.0)
        self._known: dict[int, NDArray[np.float32]] = {}
        self._told: dict[tuple[int, int, float], bool] = {}

    @cached_property
    def hidden(self) -> Floats:
        """(photos, circles) what some hidden circles hold."""
        if not len(self._hidden.lengths):
            return np.zeros((len(self._scores), 0))
        return self._hidden.log_sums(self._scores) - self._peaks[:, None]

    def masses(self, photo: int) -> NDArray[np.float32]:
        """(cells,) at most this is in the circle around each cell; −inf near what is hidden."""
        known = self._known.get(photo)
        if known is None:
            known = self._circle_masses(self._scores[photo] - self._peaks[photo])
            if len(self._scores) <= MAX_PHOTOS:  # of more, they would take too much memory
                self._known[photo] = known
        return known

    def _circle_masses(self, relative: Floats) -> NDArray[np.float32]:
        """The same for any row of logarithms whose largest is 0."""
        row = relative.astype(np.float32)
        own = row[self._members]
        held = np.add.reduceat(np.exp(own), self._starts)
        with np.errstate(divide="ignore"):
            logs = np.log(held)
        small = held < _LEAST_MASS
        if small.any():
            largest = np.maximum.reduceat(own, self._starts)
            logs = np.where(small, largest + np.log(self._sizes), logs)
        row[self._several] = logs
        row += np.float32(_SINGLE) * np.abs(np.where(row > -np.inf, row, 0.0))
        row[self._near] = -np.inf
        return row

    def surely_tell(self, photos: Mask, alone: int, margin: float) -> Mask:
        """Which of these photos tell a place alone, whatever rivals they have."""
        found = np.zeros(len(photos), bool)
        if not alone or not self.hidden.shape[1]:
            return found
        limits = self.hidden.max(axis=1) + margin - _ROUNDING
        for photo in np.flatnonzero(photos).tolist():
            key = photo, alone, margin
            if key not in self._told:
                hides = self._may_be_apart(self.masses(photo), limits[photo], alone)
                self._told[key] = not hides
            found[photo] = self._told[key]
        return found

    def _may_be_apart(self, masses: NDArray[np.float32], limit: float, need: int) -> bool:
        """Whether so many rivals that hold the limit may be more than four radii apart."""
        ahead = np.flatnonzero(masses >= limit)
        unit, scores = self.circles.unit[ahead], masses[ahead].astype(np.float64)
        far = 4 * self.circles.radius_km - TOLERANCE_KM
        if len(best_apart(unit, scores, far, need)) >= need:
            return True
        if len(best_apart(unit, scores, self._reach, need)) < need:
            return False
        if len(unit) > _MAX_SEARCHED:
            return True
        near = unit @ unit.T >= cosine(far)
        steps = 0

        def search(free: Mask, wanted: int) -> bool:
            """Whether so many are apart. Of a cell and those near it, one can always be taken."""
            nonlocal steps
            steps += 1
            if wanted == 0 or steps > _MAX_STEPS:
                return True
            cells = np.flatnonzero(free)
            if len(cells) < wanted:
                return False
            own = near[np.ix_(cells, cells)]
            first = int(np.count_nonzero(own, axis=1).argmin())
            choices = cells[own[first]].tolist()
            return any(search(free & ~near[cell], wanted - 1) for cell in choices)

        return search(np.ones(len(unit), bool), need)

    def may_hold(self, sets: Mask, need: int, margin: float) -> Mask:
        """(sets,) whether so many rivals can be ahead in the posteriors of these kept photos.

        Of (sets, photos), at three exponents that the promise is about.
        """
        rows = self._scores - self._peaks[:, None]
        possible = np.ones(len(sets), bool)
        if not np.isfinite(rows).all() or not len(self._hidden.lengths):
            return possible
        counts = np.maximum(np.count_nonzero(sets, axis=1), 1)
        for power in (0.0, 0.5, 1.0):
            for start in range(0, len(sets), _BLOCK):
                block = start + np.flatnonzero(possible[start : start + _BLOCK])
                if not len(block):
                    continue
                exponents = counts[block] ** -power
                totals = (exponents[:, None] * sets[block]) @ rows
                totals -= totals.max(axis=1, keepdims=True)
                limits = self._hidden.log_sums(totals).max(axis=1)
                limits += exponents * counts[block] * margin - _POSTERIOR_ROUNDING
                for number, total, limit in zip(block, totals, limits, strict=True):
                    masses = self._circle_masses(total)
                    possible[number] = self._may_be_apart(masses, limit, need)
        return possible

    @property
    def _reach(self) -> float:
        """Cells within so many km of one are at most four radii from each other."""
        return 2 * self.circles.radius_km - TOLERANCE_KM

    @cached_property
    def groups(self) -> Floats:
        """(photos, groups) the most that a rival of each group holds."""
        masses = np.stack([self.masses(photo) for photo in range(len(self._scores))])
        order, starts = self.circles.distinct_groups
        group_of = np.empty(self.circles.count, np.intp)
        group_of[order] = np.repeat(np.arange(len(starts)), np.diff([*starts, len(order)]))
        first = np.argsort(-masses.sum(axis=0, dtype=np.float64), kind="stable")[:_ADAPTED]
        unit, free = self.circles.unit[first], np.ones(len(first), bool)
        far, number = cosine(self._reach), len(starts)
        while free.any():
            at = int(free.argmax())
            own = free & (unit @ unit[at] >= far)
            own[at] = True
            group_of[first[own]] = number
            free &= ~own
            number += 1
        order = np.argsort(group_of, kind="stable")
        starts = np.flatnonzero(np.diff(group_of[order], prepend=-1))
        groups = np.maximum.reduceat(masses[:, order], starts, axis=1).astype(np.float64)
        return np.asarray(groups[:, groups.max(axis=0) > -np.inf])


@dataclass(frozen=True)
class BoundedAttacker:
    """One attacker of places, for a bound."""

    bound: PlaceBound
    need: int
    alone: int
    margin: float
    tells: Mask
    """(rows,) which rows may tell a place alone."""
    sees: Mask | None = None


def without_telling(problem: Problem, attackers: Sequence[BoundedAttacker]) -> Problem:
    """The problem in which rows that tell a place alone for certain are not shared."""
    for attacker in attackers:
        tells = attacker.bound.surely_tell(attacker.tells, attacker.alone, attacker.margin)
        problem = problem.without_rows(tells)
    return problem


def bound_plans(
    problem: Problem, attackers: Sequence[BoundedAttacker], cost: int, limits: SearchLimits
) -> int:
    """The least that every plan costs, or `cost` where none costs less than that.

    `problem` has the units, weights, versions, pins, and any other attackers; photos that tell a
    place alone are not fixed in it yet. A bound above all weights says that there is no plan.
    """
    problem = without_telling(problem, attackers)
    if (problem.fixed == OUT).all():
        return int(problem.weights.sum()) + 1
    least = problem.least_cost()
    rows = []
    for attacker in attackers:
        made = _rows(problem, attacker, cost)
        if isinstance(made, int):
            least = max(least, made)
        else:
            rows.append(made)
        if least >= cost:
            return cost
    if not rows and not problem.attackers:
        return least
    relaxed = replace(problem, attackers=(*problem.attackers, *rows))
    work = min(limits.work - limits.done, WORK)
    part = SearchLimits(deadline=limits.deadline, work=work, stopped=limits.stopped)
    solution = solve(relaxed, part)
    limits.done += part.done
    if solution.status == "infeasible":
        return cost
    least = max(least, min(cost, int(solution.bound)))
    return _try_plans(relaxed, attackers, least, cost) if limits.thorough else least


def _try_plans(
    problem: Problem, attackers: Sequence[BoundedAttacker], least: int, cost: int
) -> int:
    """What the first plan cheaper than `cost` costs that may hold; `cost` if none may."""
    if least >= cost or problem.rows > MAX_PHOTOS:
        return least
    plans = plans_between(problem, least, cost, MAX_SETS)
    if plans is None:
        return least
    costs = problem.costs(plans)
    for found in np.unique(costs).tolist():
        shared = plans[costs == found]
        possible = np.ones(len(shared), bool)
        for attacker in attackers:
            seen = shared if attacker.sees is None else shared & attacker.sees
            used = possible & seen.any(axis=1)
            held = attacker.bound.may_hold(seen[used], attacker.need, attacker.margin)
            possible[np.flatnonzero(used)[~held]] = False
        if possible.any():
            return int(found)
    return cost


def _rows(problem: Problem, attacker: BoundedAttacker, cost: int) -> Attacker | int:
    """Rows that every plan cheaper than `cost` fulfils; or a bound where there are none.

    `cost` itself where too few groups can be ahead.
    """
    bound, fixed = attacker.bound, problem.fixed
    seen = np.ones(problem.rows, bool) if attacker.sees is None else attacker.sees
    used = (fixed != OUT)[problem.unit_of] & seen
    few = problem.photos <= MAX_PHOTOS and problem.rows <= MAX_ROWS
    if problem.versions is not None:
        used &= problem.versions.allowed
    if not few or not used.any() or not attacker.need or not bound.hidden.shape[1]:
        return 0
    groups = bound.groups
    heaviest = np.argsort(-bound.hidden[used].sum(axis=0), kind="stable")[:MAX_HIDDEN]
    worst = bound.hidden[:, heaviest[0]]
    if np.isneginf(worst[used]).any() or np.isneginf(groups[used]).any():
        return 0
    if problem.versions is None:
        costs = _cost_alone(problem, groups, worst, attacker, cost)
    else:
        groups = np.where(used[:, None], groups, 0.0)
        costs = _cost_alone_of_versions(problem, groups, np.where(used, worst, 0.0), attacker, cost)
    possible = np.flatnonzero(costs < cost)
    if len(possible) < attacker.need:
        return cost
    if len(possible) > MAX_GROUPS:
        return int(np.partition(costs, attacker.need - 1)[attacker.need - 1])
    hidden = bound.hidden[:, heaviest]
    if problem.versions is not None:
        hidden = np.where(used[:, None], hidden, 0.0)
    return _row_attacker(groups[:, possible], hidden, attacker)


def _row_attacker(groups: Floats, hidden: Floats, attacker: BoundedAttacker) -> Attacker:
    """Rows for these (rows, groups) and (rows, circles)."""
    scores = np.column_stack((groups, hidden))
    return Attacker(
        scores=scores,
        zone=np.arange(groups.shape[1], scores.shape[1], dtype=np.intp),
        rivals=np.arange(groups.shape[1], dtype=np.intp),
        need=attacker.need,
        shift=attacker.margin - _ROUNDING,
        lead=-_ROUNDING,
        sees=attacker.sees,
    )


def _cost_alone_of_versions(
    problem: Problem, groups: Floats, worst: Floats, attacker: BoundedAttacker, limit: int
) -> Weights:
    """(groups,) at most the least cost for which each is ahead of a circle, at most `limit`.

    With a price μ for what a group is behind, every photo takes the choice that is cheapest for it,
    and the sum is a lower bound for any μ. It is concave in μ.
    """
    choices = Choices.of(problem)
    gains = groups - worst[:, None] - (attacker.margin - _ROUNDING)
    if attacker.sees is not None:
        gains[~attacker.sees] = 0.0
    need = -gains[choices.base_rows].sum(axis=0)
    costs = np.full(gains.shape[1], choices.base_weight, np.int64)
    behind = np.flatnonzero(need > 0)
    if not len(choices.starts):
        costs[behind] = limit
        return costs
    gains, need = gains[:, behind], need[behind]
    helps = np.zeros((len(choices.rows), len(behind)))
    shares = choices.rows >= 0
    rows = choices.rows[shares]
    helps[shares] = gains[rows] - gains[choices.first_row_of[rows]]
    for column in np.flatnonzero(choices.units >= 0).tolist():
        own = choices.base_rows & (problem.unit_of == choices.units[column])
        helps[column] = -gains[own].sum(axis=0)
    room = float(limit - choices.base_weight)
    for start in range(0, len(behind), _GROUP_BLOCK):
        part = slice(start, start + _GROUP_BLOCK)
        bound = _bound_by_prices(choices, helps[:, part], need[part], room)
        least = np.ceil(np.minimum(bound, room) * (1 - 1e-9) - 1e-6)
        costs[behind[part]] += np.maximum(least, 0.0).astype(np.int64)
    return costs


def _bound_by_prices(choices: Choices, helps: Floats, need: Floats, room: float) -> Floats:
    """(groups,) a lower bound of what choices cost that help each group as much as it needs."""
    best = np.zeros(len(need))
    most = np.maximum.reduceat(helps, choices.starts, axis=0).sum(axis=0)
    best[most < need - 1e-6 * np.abs(need)] = np.inf
    dear = choices.weights > 0
    rates = (helps[dear] / choices.weights[dear, None]).max(axis=0, initial=0.0)
    prices = 1 / np.maximum(rates, 1e-300)  # for less, nothing that costs is worth it
    for _ in range(PRICES):
        live = np.flatnonzero(best < room)
        if not len(live):
            break
        own = prices[live]
        reduced = choices.weights[:, None] - own * helps[:, live]
        bound = own * need[live] + np.minimum.reduceat(reduced, choices.starts, axis=0).sum(axis=0)
        best[live] = np.maximum(best[live], np.where(np.isfinite(bound), bound, 0.0))
        prices *= PRICE_STEP
    return best


def _cost_alone(
    problem: Problem, groups: Floats, worst: Floats, attacker: BoundedAttacker, limit: int
) -> Weights:
    """(groups,) the least weight left out for which each is ahead of a circle, at most `limit`.

    Parts of units may go, worst for their weight first.
    """
    weights, fixed = problem.weights, problem.fixed
    gains = groups - worst[:, None] - (attacker.margin - _ROUNDING)
    if attacker.sees is not None:
        gains[~attacker.sees] = 0.0
    if problem.units < problem.photos:
        units = np.zeros((problem.units, gains.shape[1]))
        np.add.at(units, problem.unit_of, gains)
        gains = units
    gone = int(weights[fixed == OUT].sum())
    need = -gains[fixed != OUT].sum(axis=0)
    costs = np.full(gains.shape[1], limit, np.int64)
    costs[need <= 0] = gone
    own = weights[fixed == FREE].astype(np.float64)
    losses = np.maximum(-gains[fixed == FREE], 0.0)
    if not len(own):
        return costs
    rates = losses / own[:, None]
    behind = np.flatnonzero((need > 0) & (need < rates.max(axis=0) * (limit - gone)))
    order = np.argsort(-rates[:, behind], axis=0, kind="stable")
    sums = np.take_along_axis(losses[:, behind], order, axis=0).cumsum(axis=0)
    weight = own[order].cumsum(axis=0)
    enough = sums >= need[behind]
    first, column = enough.argmax(axis=0), np.arange(len(behind))
    before = np.where(first > 0, sums[first - 1, column], 0.0)
    weight_before = np.where(first > 0, weight[first - 1, column], 0.0)
    step = np.maximum(sums[first, column] - before, 1e-300)
    part = (need[behind] - before) / step * (weight[first, column] - weight_before)
    least = np.ceil(gone + weight_before + part - 1e-6)
    costs[behind] = np.where(enough.any(axis=0), np.minimum(least, limit), limit)
    return costs
