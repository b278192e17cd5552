"""Why there is no plan: the attacker that blocks, the best top to be had, the pins to give up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.solver.circle_plans import solve_circles
from elsewhere.solver.exact import Instance, SearchLimits, solve
from elsewhere.solver.problem import Solution
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.values.outcome import Reasons
from elsewhere.values.plan import Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

QUESTION_WORK = 4_000
"""Work spent on one question about an infeasible promise."""
INQUIRY_WORK = 20_000
"""Work spent on all of them; not counted in the plan's own."""
GRACE_SECONDS = 1.0
"""How long the questions may take together after the solver's own deadline."""
MAX_SECONDS = 10.0
"""How long they may take together where that deadline is further away."""


def inquiry_deadline(limits: SearchLimits) -> float:
    """When the questions must end; without a deadline only their work is limited, repeatably."""
    now = time.monotonic()
    if limits.deadline == math.inf:
        return math.inf
    return min(max(limits.deadline, now) + GRACE_SECONDS, now + MAX_SECONDS)


def find_reasons(
    promise: Promise, scores: Sequence[Scores], limits: SearchLimits, keep: Sequence[int]
) -> Reasons:
    """Why a promise that was proved infeasible within `limits` is so.

    `keep` are the user's own pins; other photos that must stay are public already.
    """
    inquiry = Inquiry(promise, scores, inquiry_deadline(limits), stopped=limits.stopped)
    problem = reduce(promise, scores).problem
    forced = int(np.count_nonzero(problem.fixed[problem.unit_of_photo()] < 0))
    if forced == promise.photos:
        drops = promise.drop if promise.drop and inquiry.drops_block() else ()
        return Reasons(forced, every_photo=True, drops=drops)
    if promise.budget is not None:
        return Reasons(forced)
    reasons = Reasons(forced, pinned=len(keep), posted=len(promise.keep) - len(keep))
    # the one question about the top comes first: those about photos are many
    best, known = inquiry.best_top()
    reasons = replace(reasons, best_top=best, best_top_known=known)
    if any(attacker.margin for attacker in promise.against):
        bare = tuple(replace(attacker, margin=0.0) for attacker in promise.against)
        best, known = inquiry.best_top(replace(promise, against=bare))
        without_margin = Reasons(best_top=best, best_top_known=known)
        reasons = replace(reasons, bare_top=without_margin.reachable_top)
    if len(promise.against) > 1:
        blocking, each_alone = inquiry.blocking()
        reasons = replace(reasons, blocking=blocking, each_alone=each_alone)
    if keep:
        pins = inquiry.pins_in_the_way(keep)
        reasons = replace(reasons, pins=pins)
        if pins:
            sufficient, known = inquiry.enough_to_give_up(pins)
            reasons = replace(reasons, sufficient=sufficient, sufficient_known=known)
    if promise.drop and inquiry.drops_block():
        reasons = replace(reasons, drops=promise.drop)
    return reasons


@dataclass
class Inquiry:
    """Solves neighbours of an infeasible promise, to find out what is in the way."""

    promise: Promise
    scores: Sequence[Scores]
    deadline: float
    work: int = INQUIRY_WORK
    stopped: Callable[[], bool] | None = None

    def blocking(self) -> tuple[tuple[int, ...], bool | None]:
        """The attackers that cannot be satisfied even alone, and whether each of them can.

        The latter is None where that was not found out.
        """
        alone = [
            self._feasible(replace(self.promise, against=(against,)), [self.scores[i]])
            for i, against in enumerate(self.promise.against)
        ]
        blocking = tuple(i for i, feasible in enumerate(alone) if feasible is False)
        return blocking, None if None in alone else not blocking

    def best_top(self, promise: Promise | None = None) -> tuple[int | None, bool]:
        """The largest top to be had with the same pins, and whether none larger can be had.

        None where no plan was found or where there is none for any top.
        """
        promise = promise or self.promise
        against = tuple(replace(a, top=None) for a in promise.against)
        values = promise.values or [Fraction(1)] * promise.photos
        everything = promise.photos if promise.versions is None else sum(values, Fraction(0))
        wide = replace(promise, against=against, budget=everything)
        instance, solution = self._solve(wide, self.scores)
        if solution is None or solution.status == Status.INFEASIBLE:
            return None, True  # the pins contradict each other
        if solution.kept is None:
            return None, False
        reached = solution.reached
        if instance is not None and solution.shared is not None:
            left_out = instance.plan_of(solution.kept, solution.shared)
            reached = int(instance.counts(instance.holding(left_out)).min())
        return reached, solution.bound == reached

    def pins_in_the_way(self, pins: Sequence[int]) -> tuple[int, ...] | None:
        """A subset of these kept photos that makes the promise infeasible, minimal if time allows.

        Empty where it is infeasible without them too; None where that was not found out. Halves are
        let go first, so that a few among hundreds are found with few questions.
        """
        others = tuple(pin for pin in self.promise.keep if pin not in pins)
        without = self._feasible(replace(self.promise, keep=others), self.scores)
        if without is not True:
            return () if without is False else None
        needed = list(pins)
        size = len(needed)
        while size := size // 2:
            for part in [needed[at : at + size] for at in range(0, len(needed), size)]:
                rest = [pin for pin in needed if pin not in part]
                fewer = replace(self.promise, keep=tuple(sorted({*others, *rest})))
                if rest and self._feasible(fewer, self.scores) is False:
                    needed = rest
        return tuple(needed)

    def enough_to_give_up(self, pins: Sequence[int]) -> tuple[tuple[int, ...], bool]:
        """Those of these kept photos that suffice alone, and whether all were decided."""
        feasible = {}
        for pin in pins:
            rest = tuple(other for other in self.promise.keep if other != pin)
            feasible[pin] = self._feasible(replace(self.promise, keep=rest), self.scores)
        return tuple(pin for pin in pins if feasible[pin]), None not in feasible.values()

    def drops_block(self) -> bool:
        """Whether the promise is feasible if the dropped photos are free."""
        return bool(self._feasible(replace(self.promise, drop=()), self.scores))

    def _feasible(self, promise: Promise, scores: Sequence[Scores]) -> bool | None:
        """Whether a promise can be fulfilled; None where that was not found out."""
        _, solution = self._solve(promise, scores)
        if solution is None or solution.status == Status.INFEASIBLE:
            return False
        return None if solution.status == Status.UNKNOWN else True

    def _solve(
        self, promise: Promise, scores: Sequence[Scores]
    ) -> tuple[Instance | None, Solution | None]:
        """The solution, None where the wishes contradict each other; and the instance of cells."""
        with np.errstate(all="ignore"):
            try:
                reduction = reduce(promise, scores)
            except Contradiction:
                return None, None
            work = min(QUESTION_WORK, self.work)
            limits = SearchLimits(deadline=self.deadline, work=work, stopped=self.stopped)
            instance = None if reduction.circles else Instance(reduction.problem)
            if instance is None:
                solution = solve_circles(reduction, limits)
            else:
                solution = solve(instance, limits)
            self.work -= limits.done
            return instance, solution
