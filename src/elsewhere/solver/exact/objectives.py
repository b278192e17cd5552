"""The two objectives, least weight and most holding rivals, and the search that closes their gap.

The main search covers the whole gap between bound and incumbent at once: quickest where the first
plan is nearly the best. Where it takes long, it takes turns with probes, searches below a cutoff
inside the gap. They raise the bound, so that stopping early still says something.

Presolve: the cost of each rival alone is a one-row knapsack relaxation, solved in closed form for
all rivals at once. The k-th smallest is a lower bound for a top-k guarantee, and rivals that cost
more than the incumbent are dropped: on real collections that leaves a dozen of five hundred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from elsewhere.solver.exact.choice_heuristics import cheapen_choices, find_light_choices
from elsewhere.solver.exact.choice_search import ChoiceSearch
from elsewhere.solver.exact.heuristics import find_light_plan, leading_rivals, reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, Search, SearchLimits
from elsewhere.solver.problem import IN, Floats, Ints, Mask, row_slack

MAIN_SEARCH_WORK = 100_000
"""Work that the main search does before the first probe."""
WIDE_GAP, WIDE_GAP_WORK = 20, 5_000
"""Rivals between plan and bound beyond which the first probe comes after so much work: one tree
over a gap that wide hardly ends, and probes raise the bound."""
JOINT_SEARCH_WORK = 3_000
"""The same for several attackers, where the first plan may be far from the best."""
LEADING_WORK = 50
"""Work spent on a first plan with versions, with the rivals that lead at it."""
PROBE_WORK = 1_500
"""Work spent on a probe before an easier one is tried."""
PROBE_POSITION = 0.6
"""Where in the gap to probe: proofs get harder upwards."""
MIN_PROBE_POSITION = 0.02


@dataclass
class SearchResult:
    """The best plan found, and what was proved about all others."""

    left_out: Mask | None
    bound: int
    """Minimising: no plan costs less. Maximising: no plan reaches more."""
    proved: bool
    """Whether the plan is proved optimal, or the absence of any plan is proved."""


class Objective(Protocol):
    """A value to minimise by searching."""

    value: int
    """The least value that is known."""

    def search(self, cutoff: int, limits: SearchLimits, *, stop_at_first: bool) -> Search:
        """A search for values of at most `cutoff` that keeps `value` up to date."""

    def tighten(self, search: Search) -> None:
        """Restrict a search to values below `value`."""


@dataclass
class MinWeight:
    """Find a lighter plan; the value is the weight left out."""

    instance: Instance
    weights: Floats
    goal: Goal
    costs: Floats
    """A lower bound on the cost of each rival alone."""
    side: tuple[Floats, int] | None
    best: Mask | None
    value: int

    def search(self, cutoff: int, limits: SearchLimits, *, stop_at_first: bool) -> Search:
        """Search among the rivals whose cost alone is within the cutoff."""
        part = self.instance.restricted(np.flatnonzero(self.costs <= cutoff))

        def on_plan(search: Search, left_out: Mask, _: int, __: Ints) -> None:
            reinsert = reinsert_units if part.choices is None else cheapen_choices
            self.best = reinsert(part, self.weights, left_out, self.goal)
            self.value = int(self.weights[self.best].sum())
            search.cutoff = self.value - 1
            search.stop = stop_at_first

        tree = tree_type(part)
        return tree(part, self.weights, self.goal, cutoff, on_plan, limits, self.side)

    def tighten(self, search: Search) -> None:
        """Accept only lighter plans."""
        search.cutoff = min(search.cutoff, self.value - 1)


@dataclass
class MaxCover:
    """Make more rivals hold within a cap; the value is how many stay below `upper`."""

    part: Instance
    weights: Floats
    cap: int
    floor: Ints | None
    """None: the smallest count over the attackers matters; otherwise the sum, above this."""
    upper: int
    best: Mask
    value: int = 0

    def __post_init__(self) -> None:
        self.value = self.upper - self._level(self.part.counts(self.part.holding(self.best)))

    def search(self, cutoff: int, limits: SearchLimits, *, stop_at_first: bool) -> Search:
        """Search for a plan within the cap whose level is at least `upper` − `cutoff`."""

        def on_plan(search: Search, left_out: Mask, _: int, counts: Ints) -> None:
            self.best = left_out
            self.value = self.upper - self._level(counts)
            search.stop = stop_at_first or self.value <= 0
            self.tighten(search)

        goal = self._goal(self.upper - cutoff)
        tree = tree_type(self.part)
        return tree(self.part, self.weights, goal, self.cap, on_plan, limits)

    def tighten(self, search: Search) -> None:
        """Accept only plans with more holding rivals."""
        search.goal = self._goal(self.upper - self.value + 1)

    def _level(self, counts: Ints) -> int:
        return int(counts.min() if self.floor is None else counts.sum())

    def _goal(self, level: int) -> Goal:
        if self.floor is not None:
            return Goal(self.floor, level)
        attackers = len(self.part.zone_slices)
        return Goal(np.full(attackers, level, np.intp), attackers * level)


def tree_type(instance: Instance) -> type[Search]:
    """The kind of tree over an instance: of its free units, or of its choices."""
    return Search if instance.choices is None else ChoiceSearch


def close_gap(
    objective: Objective, low: int, limits: SearchLimits, turn: int = MAIN_SEARCH_WORK
) -> int:
    """Narrow [low, objective.value] until both meet or a limit is reached; the proved bound.

    A probe that ends without a plan proves that no value is as low as its cutoff.
    """
    if low >= objective.value:
        return low
    main = objective.search(objective.value - 1, SearchLimits(), stop_at_first=False)
    position, probe_work = PROBE_POSITION, PROBE_WORK
    while not limits.exhausted():
        objective.tighten(main)
        main.limits = replace(limits, work=min(limits.work, limits.done + turn))
        finished = main.run()
        limits.done = main.limits.done
        if finished:
            return objective.value
        turn_end = limits.done + turn
        while low < objective.value and limits.done < turn_end and not limits.exhausted():
            cutoff = low + int(position * (objective.value - 1 - low))
            probe = objective.search(cutoff, SearchLimits(), stop_at_first=True)
            probe.limits = replace(limits, work=min(limits.work, limits.done + probe_work))
            finished = probe.run()
            limits.done = probe.limits.done
            if objective.value <= cutoff:
                continue
            if finished:
                low = cutoff + 1
                position = min(PROBE_POSITION, 1.5 * position)
            elif cutoff > low and position > MIN_PROBE_POSITION:
                position /= 2
            else:
                position, probe_work = PROBE_POSITION, 2 * probe_work
        if low >= objective.value:
            break
        turn *= 2
    return low


def minimise(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    limits: SearchLimits,
    *,
    start: Mask | None = None,
    known_plan: Mask | None = None,
    side: tuple[Floats, int] | None = None,
    cap: float = np.inf,
    lower_bound: int = 0,
    costs: Floats | None = None,
    turn: int | None = None,
) -> SearchResult:
    """The lightest plan that reaches the goal.

    `start` is an incumbent that makes heuristics unnecessary, `known_plan` one that does not;
    `side` is a budget beside weights; `cap` the most that may be left out; `lower_bound` a bound
    that is known already; `turn` the work before the first probe.
    """
    cap = min(cap, max_removable_weight(instance, weights))
    costs = rival_costs(instance, weights) if costs is None else costs
    bound = max(lower_bound, goal_lower_bound(costs, instance.attacker_of, goal))
    if bound > cap:
        return SearchResult(None, 0, proved=True)
    best = start
    if best is None:
        cheapest = []
        for a, need in enumerate(goal.each.tolist()):
            own = np.flatnonzero((instance.attacker_of == a) & np.isfinite(costs))
            order = np.argsort(costs[own], kind="stable")
            cheapest.append(np.sort(own[order[: max(40, 4 * need)]]))
        rivals = np.concatenate(cheapest)
        part = instance.restricted(rivals)
        find = find_light_plan if instance.choices is None else find_light_choices
        best = find(part, weights, costs[rivals], goal, cap=cap, limits=limits)
        if best is not None and instance.choices is not None:
            best = search_among_leading(part, weights, goal, best, side=side, limits=limits)
    if known_plan is not None and (best is None or weights[known_plan].sum() < weights[best].sum()):
        best = known_plan
    cost = int(weights[best].sum()) if best is not None else int(cap) + 1
    costs = tighten_rival_costs(instance, weights, costs, cost - 1, limits)
    low = int(min(max(bound, goal_lower_bound(costs, instance.attacker_of, goal)), cost))
    if low >= cost:
        return SearchResult(best, cost if best is not None else 0, proved=True)
    objective = MinWeight(instance, weights, goal, costs, side, best, cost)
    if turn is None:
        turn = JOINT_SEARCH_WORK if len(goal.each) > 1 else MAIN_SEARCH_WORK
    low = close_gap(objective, low, limits, turn)
    proved = low >= objective.value
    return SearchResult(objective.best, 0 if proved and objective.best is None else low, proved)


def search_among_leading(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    best: Mask,
    *,
    side: tuple[Floats, int] | None,
    limits: SearchLimits,
) -> Mask:
    """The lightest plan that a short search finds with the rivals that lead at `best`."""
    part = instance.restricted(np.sort(leading_rivals(instance, best, goal.each)))
    cost = int(weights[best].sum())
    objective = MinWeight(part, weights, goal, np.zeros(part.rivals), side, best, cost)
    search = objective.search(cost - 1, SearchLimits(), stop_at_first=False)
    search.limits = replace(limits, work=min(limits.work, limits.done + LEADING_WORK))
    search.run()
    limits.done = search.limits.done
    assert objective.best is not None
    return objective.best


def maximise(
    instance: Instance,
    weights: Floats,
    cap: int,
    limits: SearchLimits,
    *,
    start: Mask,
    floor: Ints | None = None,
    costs: Floats | None = None,
) -> SearchResult:
    """The plan within `cap` with most holding rivals.

    The smallest count over the attackers is maximised or, where `floor` says how many each attacker
    needs at least, the sum of the counts.
    """
    costs = rival_costs(instance, weights) if costs is None else costs
    costs = tighten_rival_costs(instance, weights, costs, cap, limits)
    part = instance.restricted(np.flatnonzero(costs <= cap))
    reachable = np.bincount(part.attacker_of, minlength=len(instance.zone_slices))
    upper = int(reachable.min() if floor is None else reachable.sum())
    objective = MaxCover(part, weights, cap, floor, upper, start)
    turn = MAIN_SEARCH_WORK if objective.value <= WIDE_GAP else WIDE_GAP_WORK
    low = close_gap(objective, 0, limits, turn)
    return SearchResult(objective.best, upper - low, proved=low >= objective.value)


def max_removable_weight(instance: Instance, weights: Floats) -> float:
    """The weight that can be left out with one unit still kept."""
    if instance.choices is not None:
        # leaving out all units costs more than any other plan, by 1 at least
        dearest = float(instance.choices.most(weights).sum())
        return dearest if instance.fixed_in.any() or not instance.units else dearest - 1
    total = float(weights.sum())
    if instance.fixed_in.any() or instance.complemented_units.any() or not instance.units:
        return total
    return total - float(weights.min())


def rival_costs(
    instance: Instance, weights: Floats, rivals: Ints | None = None, zone_rows: Ints | None = None
) -> Floats:
    """A safe lower bound on what must be left out for each rival to hold (+inf: it cannot).

    By default of all rivals, each against the binding row of its zone only.
    """
    scores, full = instance.unit_scores, instance.full_sums
    quick = rivals is None
    if rivals is None or zone_rows is None:
        rivals = np.arange(instance.rivals, dtype=np.intp)
        zone_rows = instance.binding_zone_rows(full)
    rhs = full[rivals] - full[zone_rows]
    error = instance.error_bound[rivals]
    if not instance.units:
        return np.where(rhs >= -error, 0.0, np.inf)
    if quick and instance.single_zone and len(instance.zone_slices) == 1:
        rows = scores[:-1] - scores[-1]
    else:
        rows = scores[rivals] - scores[zone_rows]
    if (
        instance.choices is None and (weights == weights[0]).all()
    ):  # sort the coefficients: the fewest units that suffice
        rows.sort(axis=1)
        np.minimum(rows, 0.0, out=rows)
        enough = rows.cumsum(axis=1) <= (rhs + 2 * error)[:, None]
        costs = np.where(enough[:, -1], enough.argmax(axis=1) + 1.0, np.inf)
        costs[rhs >= -error] = 0.0
        costs *= weights[0]
    else:
        lift = instance.lift(weights, rows, rhs, error, quick=quick)
        costs = np.where(np.isfinite(lift), np.ceil(lift * (1 - 1e-12) - 1e-9), np.inf)
    # A row that is the same whatever is left out (a twin of the truth, say) and does not hold never
    # will. The scores as given decide: floats that were scaled or summed may hide a difference.
    problem = instance.problem
    free_photos = np.isin(problem.unit_of, instance.free)
    if instance.choices is not None:
        free_photos |= problem.fixed[problem.unit_of] == IN
    all_kept = instance.rows_shared(np.zeros(instance.units, bool))
    for i in np.flatnonzero(np.abs(rhs) <= error).tolist():
        a = int(instance.attacker_of[rivals[i]])
        attacker = problem.attackers[a]
        if attacker.shift:
            continue
        rival = int(instance.cell_of[rivals[i]])
        zone_cell = int(attacker.zone[int(zone_rows[i]) - instance.zone_slices[a].start])
        seen = free_photos if attacker.sees is None else free_photos & attacker.sees
        rival_scores, truth_scores = attacker.scores[seen, rival], attacker.scores[seen, zone_cell]
        if np.array_equal(rival_scores, truth_scores) and np.isfinite(rival_scores).all():
            slack = row_slack(attacker, all_kept, rival, zone_cell)
            if slack < 0 or (problem.strict and not slack > 0):
                costs[i] = np.inf
    return costs


def tighten_rival_costs(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: SearchLimits
) -> Floats:
    """Tighten the costs that are at most `cap`, by the rows against every cell of the zone.

    As far as time allows: they are bounds at any moment.
    """
    if instance.single_zone and instance.choices is None:
        return costs
    costs = costs.copy()
    for a, zone in enumerate(instance.zone_slices):
        for row in range(zone.start, zone.stop):
            if limits.out_of_time():
                return costs
            live = np.flatnonzero((instance.attacker_of == a) & (costs <= cap))
            if len(live):
                zone_rows = np.full(len(live), row, np.intp)
                against_row = rival_costs(instance, weights, live, zone_rows)
                costs[live] = np.maximum(costs[live], against_row)
    return costs


def goal_lower_bound(costs: Floats, attacker_of: Ints, goal: Goal) -> float:
    """A lower bound for a goal: the k-th cheapest rival, of the most expensive attacker."""
    bound = 0.0
    parts = [(costs[attacker_of == a], need) for a, need in enumerate(goal.each.tolist())]
    for part, need in [*parts, (costs, goal.total)]:
        if need > len(part):
            return np.inf
        if need > 0:
            bound = max(bound, float(np.partition(part, need - 1)[need - 1]))
    return bound
