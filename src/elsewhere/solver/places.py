"""Places: none of the attacker's first k circles comes near a photo.

The attacker adds up the kept photos' log-probabilities, L = Σ ℓ_i, and weighs them with an exponent
τ: his posterior is q ∝ exp(τL). He takes the circle that holds most, strikes out every centre
within twice its radius R, and goes on. *Hidden* circles are those centred within R of a photo;
*rivals* are circles more than 3R from every photo and 4R from each other, so that a circle strikes
out one rival at most. Where k rivals each hold more than every hidden circle, one of them is left
at each of his first k turns, so none of the first k circles is hidden. That is the promise, for
every τ from 1/n to 1, for sums of the photos' own circles, and for each photo alone.

Centres lie anywhere. A grid of centres stands for the hidden ones: each hidden circle lies within a
slightly larger circle of the grid. Rivals are centred on cells. Both err on the same side.

The masses are sums of exponentials, but rows must be linear. With weights w = softmax(τL) on a
rival W, taken at some set of kept photos, Jensen's inequality says for *every* set

    log Σ over c in W of exp(τL(c))  ≥  τ Σ_c w_c L(c) + entropy(w),

and a hidden circle holds at most exp(τ max_z L(z) + δ), with δ measured at the same set. So

    Σ over kept i of (Σ_c w_c ℓ_i(c) − ℓ_i(z))  ≥  (δ − entropy(w)) / τ     for every hidden cell z

are rows of the canonical problem. A plan that fulfils them is tried by the promise's own words;
where it fails, weights and δ are taken anew. Where no rows lead to a plan, photos are left out by
those words alone, one by one.

These rows are sufficient, not necessary. Rows that every plan fulfils give a lower bound: those
for sums of the photos' own circles, which are exact, and for τ = 1 those of the cells: a rival of m
cells counts only if Σ (ℓ_i(c) − ℓ_i(z)) ≥ −log m for one of its cells c. A plan as light as this
bound is optimal among these rivals and hidden circles. So is one for which all lighter sets were
tried, where they are few enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

import numpy as np

from elsewhere.globe.circles import TOLERANCE_KM, Circles, cosine
from elsewhere.solver.circle_attacker import CircleAttacker, Groups
from elsewhere.solver.exact import Instance, SearchLimits, solve
from elsewhere.solver.problem import (
    FREE,
    IN,
    OUT,
    Floats,
    Ints,
    Mask,
    Problem,
    Solution,
    plans_between,
)
from elsewhere.values.scores import FloatMatrix

MAX_RIVALS = 300
"""Rivals that rows are made for: the best of the whole album."""
MAX_ROUNDS = 8
"""How often weights and δ are taken anew."""
MAX_TRIED = 600
"""Sets lighter than a plan that are tried, all or none, by the promise's own words."""
TRIED_AT_A_TIME = 64
"""Of them, between looks at the clock."""
MAX_AT_ONCE = 4
"""Attackers with photos of their own up to which all are planned for at once, from the start."""
PLACE_WORK = 300
"""Work on the first plan for one of more places."""
MAX_SWITCHES = 64
"""Changes of a single photo with versions, tried by the promise's own words."""
MAX_AT_A_TIME = 256
"""Units of a large album that are tried at a time."""
_FIRST_RIVALS = 60
"""Rivals of the whole album that each photo is tried against before its own."""


@dataclass(frozen=True)
class PlacePlan:
    """A plan by the promise's own words, or none."""

    solution: Solution
    """Optimal among these rivals and hidden circles, or feasible with a bound by necessary rows.

    Infeasible where even the necessary rows have no plan; unknown where no plan was found.
    """
    alone: Mask
    """(rows,) which rows tell the place alone. Those of photos that must stay are exempt."""
    rounds: int
    """How often the rows were solved."""


@lru_cache(maxsize=8)  # every attacker of an album hides the same places
def _hidden_circles(circles: Circles, places: bytes) -> tuple[Ints, ...]:
    return circles.sets_near(np.frombuffer(places).reshape(-1, 3))[1]


def place_attacker(
    circles: Circles,
    scores: FloatMatrix,
    lat: Floats,
    lon: Floats,
    *,
    need: int,
    alone: int,
    margin: float = 0.0,
    sees: Mask | None = None,
    photo_of: Ints | None = None,
) -> tuple[CircleAttacker, Mask]:
    """The attacker who looks for these places, and which rows show him one of them alone.

    A row does where fewer than `alone` rivals of its own are ahead of every hidden circle; none
    does where that is 0. `photo_of` says which rows are versions of the same photo.
    """
    places = circles.hidden_places(np.atleast_1d(lat), np.atleast_1d(lon))
    hidden = _hidden_circles(circles, places.tobytes())
    near = circles.within(places, 3 * circles.radius_km)
    seen = np.ones(len(scores), bool) if sees is None else sees
    centres = _album_rivals(circles, scores, _shares(seen, photo_of), near, _FIRST_RIVALS)
    rivals = tuple(map(circles.of, centres))
    attacker = CircleAttacker(scores, hidden, rivals, need, margin, sees, centres)
    tells = seen & (alone > 0)
    if rivals and alone:
        own, limits = attacker.own_circles
        limits = limits.max(axis=1) + margin + attacker.lead_alone
        ahead = (own >= limits[:, None]) & (own > -np.inf)
        tells &= np.count_nonzero(ahead, axis=1) < alone
        is_near = np.zeros(circles.count, bool)
        is_near[near] = True
        for photo in np.flatnonzero(tells).tolist():
            tells[photo] = not _has_rivals(circles, scores[photo], is_near, limits[photo], alone)
    harmless = seen & ~tells
    seen = harmless if harmless.any() else seen
    centres = _album_rivals(circles, scores, _shares(seen, photo_of), near, MAX_RIVALS)
    rivals = tuple(map(circles.of, centres))
    return replace(attacker, rivals=rivals, centres=centres), tells


def _shares(seen: Mask, photo_of: Ints | None) -> Floats:
    """(rows,) what each of these rows counts in a mean over photos."""
    if photo_of is None:
        return np.where(seen, 1 / max(1, int(np.count_nonzero(seen))), 0.0)
    versions = np.bincount(photo_of[seen], minlength=int(photo_of.max()) + 1)
    photos = max(1, int(np.count_nonzero(versions)))
    return np.where(seen, 1 / (photos * np.maximum(versions, 1)[photo_of]), 0.0)


def _album_rivals(
    circles: Circles, scores: FloatMatrix, shares: Floats, near: Ints, count: int
) -> tuple[int, ...]:
    """The centres of the best distinct circles of the rows' weighted geometric mean."""
    with np.errstate(invalid="ignore"):
        mean = np.dot(shares.astype(scores.dtype), scores).astype(np.float64)
    if np.isnan(mean).any():  # 0 · −inf
        seen = shares > 0
        mean = scores[seen].mean(axis=0, dtype=np.float64) if seen.any() else 0 * scores[0]
    peak = float(mean.max())
    powers = np.exp(mean - peak) if peak > -np.inf else np.zeros(len(mean))
    with np.errstate(divide="ignore"):
        masses = np.log(circles.masses(powers))
    return tuple(circles.distinct(masses, near, count).tolist())


def _has_rivals(circles: Circles, row: FloatMatrix, near: Mask, limit: float, count: int) -> bool:
    """Whether so many distinct circles of one photo hold at least `limit`, as a logarithm."""
    longest = int(np.diff(circles.first).max())
    heavy = np.flatnonzero((row >= limit - np.log(longest) - 1e-3) & (row > -np.inf))
    centres = np.unique(circles.groups(heavy)[0])  # a circle that holds as much holds one of these
    centres = centres[~near[centres]]
    if len(centres) < count:
        return False
    members, lengths = circles.groups(centres)
    masses = Groups(members, lengths).log_sums(row)
    order = np.argsort(-masses, kind="stable")
    order = order[: np.count_nonzero(masses >= limit)]
    for first in (64 * count, len(order)):
        if len(circles.apart(centres[order[:first]], count)) == count:
            return True
    if not count <= len(order) <= 2000:
        return False
    # the heaviest may rule out too many: try those first that rule out fewest
    unit = circles.unit[centres[order]]
    conflicts = unit @ unit.T >= cosine(4 * circles.radius_km + TOLERANCE_KM)
    fewest = np.argsort(np.count_nonzero(conflicts, axis=1), kind="stable")
    return len(circles.apart(centres[order[fewest]], count)) == count


class CirclePromise:
    """The promise by its own words, for any rows that are shared."""

    def __init__(
        self, problem: Problem, attackers: Sequence[CircleAttacker], exponents: Sequence[float]
    ) -> None:
        self.problem, self.attackers, self.exponents = problem, attackers, exponents
        rows = [attacker.sums_of_circles() for attacker in attackers]
        self.rows = replace(problem, attackers=(*problem.attackers, *rows))
        """What every plan fulfils, and nothing but the posteriors' circles adds to."""

    @cached_property
    def _instance(self) -> Instance:
        return Instance(self.rows)

    @cached_property
    def told(self) -> Floats:
        """(rows,) what the heaviest hidden circle of each row holds, over all attackers."""
        told = np.zeros(self.problem.rows)
        for attacker in self.attackers:
            seen = attacker.seen(np.ones(self.problem.rows, bool))
            told[seen] += attacker.own_circles[1].max(axis=1)[seen]
        return told

    def cost(self, shared: Mask) -> int:
        """What sharing these rows costs, and leaving out the other units."""
        return self.problem.cost(self.problem.kept_units(shared), shared)

    def used(self, attacker: CircleAttacker, shared: Mask) -> list[float]:
        """The exponents that rows are made for."""
        count = max(1, int(np.count_nonzero(attacker.seen(shared))))
        return sorted({1 / count, *(max(e, 1 / count) for e in self.exponents), 1.0})

    def fails(self, shared: Mask) -> list[int]:
        """The attackers whose posterior breaks the promise when these rows are shared."""
        return [
            number
            for number, attacker in enumerate(self.attackers)
            if self._is_broken(attacker, shared) or attacker.first_failing(shared) is not None
        ]

    def failing(self, shared: Mask) -> list[tuple[CircleAttacker, float | None]]:
        """The same attackers, each with an exponent that fails if the search for one finds it."""
        pairs = [(attacker, attacker.first_failing(shared)) for attacker in self.attackers]
        return [pair for pair in pairs if pair[1] is not None or self._is_broken(pair[0], shared)]

    def _is_broken(self, attacker: CircleAttacker, shared: Mask) -> bool:
        """Whether too few rivals are ahead for one of the exponents that rows are made for."""
        if not attacker.seen(shared).any():
            return False
        exponents = self.used(attacker, shared)
        return any(attacker.count_ahead(shared, each) < attacker.need for each in exponents)

    def margins(self, sets: Mask, more: Sequence[float] = ()) -> Floats:
        """(sets,) by how many nats the promise is kept at the exponents tried, of (sets, rows).

        Below 0 the promise is broken. From 0 up it holds at these exponents and those in `more`.
        """
        least = np.full(len(sets), np.inf)
        for attacker in self.attackers:
            seen = attacker.seen(sets)
            counts = np.count_nonzero(seen, axis=1)
            for count in np.unique(counts[counts > 0]).tolist():
                own = np.flatnonzero(counts == count)
                example = sets[own[0]]
                own_more = (exponent for exponent in more if exponent >= 1 / count)
                # 0: sums of own circles
                for exponent in (0.0, *self.used(attacker, example), *own_more):
                    least[own] = np.minimum(least[own], attacker.margins(seen[own], exponent))
        return least

    def holds(self, shared: Mask) -> bool:
        """Whether the whole promise holds, other attackers included."""
        if not shared.any():
            return False
        if self.fails(shared):
            return False
        taken = self._instance.plan_of(self.problem.kept_units(shared), shared)
        counts = self._instance.counts(self._instance.holding(taken))
        return bool((counts >= self._instance.needs).all())

    def first_that_holds(self, sets: Mask, margins: Floats) -> Mask | None:
        """The first of (sets, rows) that holds, by what their margins allow; None if none does."""
        promising = (sets[i] for i in np.flatnonzero(margins >= 0).tolist())
        return next((shared for shared in promising if self.holds(shared)), None)


def plan_places(
    problem: Problem,
    attackers: Sequence[tuple[CircleAttacker, Mask]],
    exponents: Sequence[float],
    limits: SearchLimits | None = None,
    previous: frozenset[int] | None = None,
) -> PlacePlan:
    """The least cost for which the promise holds by its own words.

    `problem` has the units, weights, versions, what is fixed, and any other attackers; `exponents`
    are those that rows are made for, beside 1 over the number of kept photos and 1. A unit that
    must stay does so even where one of its photos tells the place alone. Among equals, a plan near
    a `previous` one, given by the rows that it did not share.
    """
    alone = np.any([tells for _, tells in attackers], axis=0)
    problem = problem.without_rows(alone)
    nothing = Solution("infeasible", None, 0, 0)
    too_few = any(len(attacker.rivals) < attacker.need for attacker, _ in attackers)
    if too_few or (problem.fixed == OUT).all():
        return PlacePlan(nothing, alone, 0)
    limits = limits or SearchLimits()
    first = None
    if sum(not _sees_all(attacker) for attacker, _ in attackers) > MAX_AT_ONCE:
        first = _plan_by_places(problem, attackers, exponents, limits)
        if first is not None and limits.out_of_time():
            bound = problem.least_cost()
            return PlacePlan(_solution(problem, first, bound, 0), alone, len(attackers))
    promise = CirclePromise(problem, [attacker for attacker, _ in attackers], exponents)
    leaves = [attacker.leaf_rows() for attacker, _ in attackers]
    rows = promise.rows.attackers
    relaxed = solve(replace(problem, attackers=(*rows, *leaves)), limits, previous)
    if relaxed.status == "infeasible":
        return PlacePlan(nothing, alone, 1)
    plan, rounds = relaxed.shared, 1
    if plan is None or promise.fails(plan):
        plan, rounds = _plan_by_rows(promise, relaxed.shared, limits, previous)
        found = [first, plan]
        in_need = plan is None and first is None
        if previous is not None and problem.versions is None:
            before = _as_before(problem, previous)
            if promise.holds(before):
                found.append(before)
                # one that is far from the bound was made for other wishes
                in_need = in_need and promise.cost(before) > 2 * relaxed.bound + 2
            elif in_need:
                found.append(_plan_by_words(promise, before, limits, patient=False))
        if in_need:
            patient = previous is None  # else somebody waits for a change of a plan
            found.append(_plan_by_words(promise, relaxed.shared, limits, patient=patient))
        plan = min((one for one in found if one is not None), key=promise.cost, default=None)
        if plan is None and (previous is None or not limits.out_of_time()):
            plan = _one_unit(promise)
    if plan is not None and relaxed.shared is not plan:
        plan = _restore(promise, plan, limits)
    bound, work = int(relaxed.bound), relaxed.work
    if plan is None or bound < promise.cost(plan):
        plan, bound = _try_cheaper(promise, plan, bound, limits)
    if plan is None:
        proved = bound > problem.weights.sum()
        return PlacePlan(nothing if proved else Solution("unknown", None, 0, bound), alone, rounds)
    return PlacePlan(_solution(problem, plan, bound, work), alone, rounds)


def _solution(problem: Problem, plan: Mask, bound: int, work: int) -> Solution:
    kept = problem.kept_units(plan)
    cost = problem.cost(kept, plan)
    status = "optimal" if bound >= cost else "feasible"
    return Solution(status, kept, cost, bound, work=work, shared=plan)


def _sees_all(attacker: CircleAttacker) -> bool:
    return attacker.sees is None or bool(attacker.sees.all())


def _plan_by_places(
    problem: Problem,
    attackers: Sequence[tuple[CircleAttacker, Mask]],
    exponents: Sequence[float],
    limits: SearchLimits,
) -> Mask | None:
    """A first plan where many places have photos of their own; None where none was found.

    Each place is planned as if there were no other photos, which is quick. What all these plans
    share is then tried against everybody, and more is left out for those whom it fails.
    """
    shared = problem.first_choices()
    for attacker, tells in attackers:
        seen = attacker.seen(np.ones(problem.rows, bool))
        others = ~problem.kept_units(seen)
        if _sees_all(attacker) or not shared[seen].any():
            continue
        fixed = problem.fixed.copy()
        fixed[others] = OUT
        own = replace(problem, attackers=(), fixed=fixed)
        if (fixed == OUT).all():
            continue
        few = SearchLimits(work=PLACE_WORK, stopped=partial(_may_raise, limits))
        found = plan_places(own, [(attacker, tells)], exponents, few).solution
        limits.done += few.done
        if found.shared is None:  # none of its photos
            shared = shared & ((problem.fixed == IN) | others)[problem.unit_of]
        else:
            shared = shared & (found.shared | others[problem.unit_of])
    alone = replace(problem, attackers=())
    for _ in range(MAX_ROUNDS):
        short = [
            attacker
            for attacker, _ in attackers
            if not CirclePromise(alone, [attacker], exponents).holds(shared)
        ]
        if not short:
            return shared if _holds_for_others(problem, shared) else None
        promise = CirclePromise(alone, short, exponents)
        fewer = _plan_by_words(promise, shared, limits)
        fewer = _one_unit(promise) if fewer is None else fewer
        if fewer is None:
            return None
        shared = fewer
    return None


def _may_raise(limits: SearchLimits) -> bool:
    """Never over by time: what is little is done to its end, unless `stopped` raises."""
    limits.out_of_time()
    return False


def _holds_for_others(problem: Problem, shared: Mask) -> bool:
    """Whether the attackers of cells are satisfied when these rows are shared."""
    if not problem.attackers:
        return True
    instance = Instance(problem)
    taken = instance.plan_of(problem.kept_units(shared), shared)
    return bool((instance.counts(instance.holding(taken)) >= instance.needs).all())


def _as_before(problem: Problem, previous: frozenset[int]) -> Mask:
    """What is shared when nothing changes but what is fixed now; a unit with a part out is out."""
    whole = np.ones(problem.units, bool)
    whole[problem.unit_of[sorted(previous)]] = False
    kept = (whole & (problem.fixed == FREE)) | (problem.fixed == IN)
    return np.asarray(problem.first_choices() & kept[problem.unit_of])


def _plan_by_rows(
    promise: CirclePromise,
    start: Mask | None,
    limits: SearchLimits,
    previous: frozenset[int] | None,
) -> tuple[Mask | None, int]:
    """A plan by rows taken at all photos, then at each plan that fails; and how many solves.

    With versions, at `start` instead of all photos.
    """
    problem = promise.problem
    shared = problem.first_choices()
    if problem.versions is not None and start is not None:
        shared = start
    slacks = [0.0] * len(promise.attackers)
    tried: set[bytes] = set()
    for number in range(2, MAX_ROUNDS + 2):
        if limits.out_of_time():
            return None, number - 1
        tried.add(shared.tobytes())
        rows = list(promise.rows.attackers)
        for attacker, slack in zip(promise.attackers, slacks, strict=True):
            rows += [attacker.rows(shared, tau, slack) for tau in promise.used(attacker, shared)]
        solution = solve(replace(problem, attackers=tuple(rows)), limits, previous)
        if solution.shared is None:
            return None, number
        shared = solution.shared
        failing = promise.fails(shared)
        if not failing:
            return shared, number
        for a in failing:
            attacker = promise.attackers[a]
            spreads = [attacker.spread(shared, e) for e in promise.used(attacker, shared)]
            slacks[a] = max(slacks[a], *spreads) + (0.1 if shared.tobytes() in tried else 0.0)
    return None, MAX_ROUNDS + 1


def _plan_by_words(
    promise: CirclePromise, start: Mask | None, limits: SearchLimits, *, patient: bool = True
) -> Mask | None:
    """A plan found by leaving out, again and again, the unit without which most is hidden.

    With versions, the change that hides most for its cost is taken as long as that helps. When time
    is over, many units go at once; where that leads nowhere and `patient`, many at a time.
    """
    problem = promise.problem
    free = problem.fixed == FREE
    shared = problem.first_choices() if start is None else start
    switches, tried_at_once = 0 if problem.versions is None else MAX_SWITCHES, False
    while (kept := problem.kept_units(shared) & free).any():
        in_time = not limits.out_of_time()
        if not in_time and not tried_at_once:
            tried_at_once = True
            found = _leave_out_first(promise, shared, np.flatnonzero(kept))
            if found is not None or not patient:
                return found
        if switches and in_time:
            switches -= 1
            better = _switch(promise, shared)
            if better is not None:
                shared = better
                if promise.holds(shared):
                    return shared
                continue
        units = _some(np.flatnonzero(kept))
        sets = shared & (problem.unit_of != units[:, None])
        margins = np.where(sets.any(axis=1), promise.margins(sets), -np.inf)
        best = int(margins.argmax())
        if margins[best] >= 0 and promise.holds(sets[best]):
            return np.asarray(sets[best])
        # one unit of a small album at a time, a few of a large one
        count = 1 + np.count_nonzero(problem.kept_units(shared)) // (64 if in_time else 16)
        left_out = units[np.argsort(-margins, kind="stable")[:count]]
        shared = shared & ~np.isin(problem.unit_of, left_out)
    return None


def _one_unit(promise: CirclePromise) -> Mask | None:
    """A plan that shares what must stay and one unit; None if none of those tried holds."""
    problem = promise.problem
    must_stay = problem.first_choices() & (problem.fixed == IN)[problem.unit_of]
    sets = _ways_in(promise, must_stay, _some(np.flatnonzero(problem.fixed == FREE)))
    return promise.first_that_holds(sets, promise.margins(sets)) if len(sets) else None


def _leave_out_first(promise: CirclePromise, shared: Mask, units: Ints) -> Mask | None:
    """A plan that leaves out those of these units first without which most is hidden, at once.

    As few as halving finds: more left out need not hide more, so it may miss a smaller number, and
    None does not mean that there is none.
    """
    problem, unit_of = promise.problem, promise.problem.unit_of
    failing = promise.failing(shared)
    if failing:  # only what these see can help
        seen = np.any([attacker.seen(shared) for attacker, _ in failing], axis=0)
        units = units[problem.kept_units(seen)[units]]
    units = _some(units)
    sets = shared & (unit_of != units[:, None])
    margins = promise.margins(sets, [exponent for _, exponent in failing if exponent is not None])
    order = units[np.argsort(np.where(sets.any(axis=1), -margins, np.inf), kind="stable")]

    def without(count: int) -> Mask:
        return np.asarray(shared & ~np.isin(unit_of, order[:count]))

    few, many = 0, 1
    while not promise.holds(without(many)):
        if many >= len(order):
            return None
        few, many = many, min(2 * many, len(order))
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if promise.holds(without(middle)) else (middle, many)
    return without(many)


def _restore(promise: CirclePromise, shared: Mask, limits: SearchLimits) -> Mask:
    """The plan with every unit put back that it can do without leaving out, dearest first.

    With versions, photos are shared in cheaper ones too where they can be.
    """
    problem, tried = promise.problem, 0
    while tried < 8 * MAX_TRIED and not limits.out_of_time():
        units = np.flatnonzero(~problem.kept_units(shared) & (problem.fixed == FREE))
        sets = _ways_in(promise, shared, _some(units))
        if problem.versions is not None:
            sets = np.concatenate((sets, _other_rows(problem, shared)))
        savings = promise.cost(shared) - problem.costs(sets)
        sets, savings = sets[savings > 0], savings[savings > 0]
        tried += len(sets) + 1
        margins = promise.margins(sets) if len(sets) else np.zeros(0)
        order = np.lexsort((-margins, -savings))
        found = promise.first_that_holds(sets[order], margins[order])
        if found is None:
            break
        shared = found
    return shared


def _ways_in(promise: CirclePromise, shared: Mask, units: Ints) -> Mask:
    """(sets, rows) what is shared when each of these units is put back.

    With versions, every row of a single photo; of several, the first choices and those that hold
    least of what is hidden.
    """
    problem = promise.problem
    first = problem.first_choices()
    if problem.versions is None:
        return np.asarray(shared | (problem.unit_of == units[:, None]))
    allowed, photo_of = problem.versions.allowed, problem.versions.photo_of
    least = np.zeros(problem.rows, bool)
    rows = np.flatnonzero(allowed)
    rows = rows[np.lexsort((promise.told[rows], photo_of[rows]))]
    least[rows[np.unique(photo_of[rows], return_index=True)[1]]] = True
    sets = []
    for unit in units.tolist():
        own = problem.unit_of == unit
        ways = [first & own, least & own]
        if len(np.unique(photo_of[own])) == 1:
            ways = [np.arange(problem.rows) == row for row in np.flatnonzero(own & allowed)]
        sets += [shared | way for way in ways]
    return np.array(sets, bool).reshape(len(sets), problem.rows)


def _other_rows(problem: Problem, shared: Mask) -> Mask:
    """(sets, rows) what is shared when one photo is shared as another row."""
    assert problem.versions is not None
    photo_of = problem.versions.photo_of
    current = np.full(problem.photos, -1, np.intp)
    current[photo_of[shared]] = np.flatnonzero(shared)
    rows = np.flatnonzero(problem.versions.allowed & ~shared & (current[photo_of] >= 0))
    rows = _some(rows)
    sets = np.repeat(shared[None], len(rows), axis=0)
    sets[np.arange(len(rows)), current[photo_of[rows]]] = False
    sets[np.arange(len(rows)), rows] = True
    return sets


def _switch(promise: CirclePromise, shared: Mask) -> Mask | None:
    """What is shared with one photo in another version, or left out; None where nothing helps."""
    problem = promise.problem
    units = np.flatnonzero(problem.kept_units(shared) & (problem.fixed == FREE))
    left_out = shared & (problem.unit_of != _some(units)[:, None])
    sets = np.concatenate((_other_rows(problem, shared), left_out[left_out.any(axis=1)]))
    now, *margins = promise.margins(np.concatenate((shared[None], sets))).tolist()
    gains = np.array([margin - max(now, -1e300) for margin in margins])
    rates = gains / np.maximum(problem.costs(sets) - promise.cost(shared), 0.5)
    best = int(rates.argmax()) if len(rates) else -1
    return np.asarray(sets[best]) if best >= 0 and gains[best] > 0 else None


def _some(units: Ints) -> Ints:
    """At most some of these, spread over all: what is tried at a time."""
    return units[:: 1 + len(units) // MAX_AT_A_TIME]


def _try_cheaper(
    promise: CirclePromise, shared: Mask | None, bound: int, limits: SearchLimits
) -> tuple[Mask | None, int]:
    """A cheaper plan or this one, and the bound that trying all cheaper ones proves.

    When time is over, the bound that those tried so far prove.

    Without a plan all of them are tried, and a bound above all weights says that there is none.
    """
    problem = promise.problem
    cost = int(problem.weights.sum()) + 1 if shared is None else promise.cost(shared)
    tried = plans_between(problem, bound, cost, MAX_TRIED)
    if tried is None:
        return shared, bound
    costs = problem.costs(tried)
    order = np.argsort(costs, kind="stable")
    for start in range(0, len(order), TRIED_AT_A_TIME):
        some = order[start : start + TRIED_AT_A_TIME]
        if limits.out_of_time():
            return shared, int(costs[some[0]])
        found = promise.first_that_holds(tried[some], promise.margins(tried[some]))
        if found is not None:
            return found, promise.cost(found)
    return shared, cost
