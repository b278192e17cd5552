"""Why there is no plan: the attacker that blocks, the best top to be had, the pins to give up."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from elsewhere.solver.exact import Instance, Limits, solve
from elsewhere.solver.problem import Answer
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.solver.views import views
from elsewhere.values.plan import Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted, shortened

PINS_UNKNOWN = "Whether the kept photos are the reason was not found out in time."
PATIENCE = 4_000
"""Work spent on one question about an infeasible promise."""
WORK = 20_000
"""Work spent on all of them; not counted in the plan's own."""
GRACE = 1.0
"""Seconds that the questions may take together beyond the solver's own deadline."""
SECONDS = 10.0
"""Seconds that they may take together where that deadline is further away."""


def until(limits: Limits) -> float:
    """When the questions must end; without a clock the work alone bounds them, and repeatably."""
    now = time.monotonic()
    if limits.deadline == math.inf:
        return math.inf
    return min(max(limits.deadline, now) + GRACE, now + SECONDS)


def explain_infeasible(promise: Promise, scores: Sequence[Scores], limits: Limits) -> str:
    """Sentences for a promise that was proved impossible within `limits`."""
    inquiry = Inquiry(promise, scores, until(limits), stopped=limits.stopped)
    forced = inquiry.forced_out()
    if forced == promise.photos:
        return "No plan can do this: every photo must go, and at least one must be kept."
    if promise.budget is not None:
        return (
            f"No plan can do this: {counted(forced, 'photo')} must go, "
            f"but the budget is {promise.budget}."
        )
    parts = ["No plan can do this."]
    if len(promise.against) > 1:
        parts.append(inquiry.about_attackers())
    parts.append(inquiry.about_top())
    if promise.keep:
        parts.append(inquiry.about_pins())
    if promise.drop:
        parts.append(inquiry.about_drops())
    return " ".join(part for part in parts if part)


@dataclass
class Inquiry:
    """Asks the solver about neighbouring promises, to tell people what is in the way."""

    promise: Promise
    scores: Sequence[Scores]
    deadline: float
    work: int = WORK
    stopped: Callable[[], bool] | None = None

    def blocking(self) -> tuple[tuple[int, ...], bool | None]:
        """The attackers that cannot even alone be satisfied; whether all others can be, None
        where that was not found out."""
        promise, scores = self.promise, self.scores
        alone = [
            self._feasible(replace(promise, against=(one,)), [scores[i]])
            for i, one in enumerate(promise.against)
        ]
        blocking = tuple(i for i, feasible in enumerate(alone) if feasible is False)
        return blocking, None if None in alone else not blocking

    def best_top(self, promise: Promise | None = None) -> tuple[int | None, bool]:
        """The largest k that can be had for all attackers, with the same pins; whether it is known
        that no larger one can. None where no plan was found, or whatever the top there is none."""
        promise = promise or self.promise
        against = tuple(replace(a, top=None) for a in promise.against)
        wide = replace(promise, against=against, budget=promise.photos)
        instance, answer = self._solve(wide, self.scores)
        if instance is None or answer is None or answer.status == Status.INFEASIBLE:
            return None, True  # the pins contradict each other
        if answer.kept is None:
            return None, False
        reached = min(view.protected_k for view in views(instance, answer.kept)[0])
        return reached, answer.bound == reached

    def about_top(self, best: tuple[int | None, bool] | None = None) -> str:
        """The same in words; `best` where it was asked for before."""
        reached, sure = best or self.best_top()
        if reached is None:
            return "" if sure else "The best top that can be had was not found out in time."
        if not sure:
            return f"The best top that can be had is {reached} or more."
        if not reached:
            return "Not even top 1 can be had."
        return f"The best top that can be had is {reached}."

    def pins_in_the_way(self, pins: Sequence[int]) -> tuple[int, ...] | None:
        """Of these kept photos a set that makes the promise impossible, minimal if time allows.

        Empty where it is impossible without them too; None where that was not found out. Many are
        let go at once first, so that a few among hundreds are found with few questions.
        """
        others = tuple(pin for pin in self.promise.keep if pin not in pins)
        without = self._feasible(replace(self.promise, keep=others), self.scores)
        if without is not True:
            return () if without is False else None
        needed = list(pins)
        size = len(needed)
        while size := size // 2:
            for some in [needed[at : at + size] for at in range(0, len(needed), size)]:
                left = [pin for pin in needed if pin not in some]
                fewer = tuple(sorted({*others, *left}))
                if left and self._feasible(replace(self.promise, keep=fewer), self.scores) is False:
                    needed = left
        return tuple(needed)

    def enough_to_give_up(self, pins: Sequence[int]) -> tuple[tuple[int, ...], bool]:
        """Those of these kept photos that it is enough to give up, each alone; whether that was
        found out of all of them."""
        keep = self.promise.keep
        found = {}
        for pin in pins:
            rest = tuple(other for other in keep if other != pin)
            found[pin] = self._feasible(replace(self.promise, keep=rest), self.scores)
        return tuple(pin for pin in pins if found[pin]), None not in found.values()

    def about_attackers(self) -> str:
        """Whether some attacker blocks alone."""
        blocking, others = self.blocking()
        if blocking:
            return f"Attacker {' and '.join(map(str, blocking))} alone cannot be satisfied."
        if others:
            return "Each attacker alone could be satisfied, but not all together."
        return "Which attacker is in the way was not found out in time."

    def about_pins(self) -> str:
        """A minimal set of pins that makes the promise impossible, or that they don't."""
        needed = self.pins_in_the_way(self.promise.keep)
        if needed is None:
            return PINS_UNKNOWN
        if not needed:
            return "The kept photos are not the reason: without them it cannot be done either."
        listed = shortened([self.scores[0].ids[i] for i in needed])
        # there may be other such sets, so that letting go of one photo need not be enough
        if len(needed) == 1:
            return f"Kept photo {listed} is in the way: it, at least, must go."
        return f"Kept photos {listed} are together in the way: one of them, at least, must go."

    def about_drops(self) -> str:
        """Whether it could be done if the dropped photos were free."""
        if not self.drops_block():
            return ""
        listed = ", ".join(self.scores[0].ids[i] for i in self.promise.drop)
        return f"It could be done if {listed} need not be dropped."

    def drops_block(self) -> bool:
        """Whether it could be done if the dropped photos were free."""
        return bool(self._feasible(replace(self.promise, drop=()), self.scores))

    def forced_out(self) -> int:
        """How many photos must go whatever the plan."""
        problem = reduce(self.promise, self.scores).problem
        return int(problem.sizes[problem.fixed < 0].sum())

    def _feasible(self, promise: Promise, scores: Sequence[Scores]) -> bool | None:
        """Whether a promise can be fulfilled; None when that was not found out."""
        _, answer = self._solve(promise, scores)
        if answer is None or answer.status == Status.INFEASIBLE:
            return False
        return None if answer.status == Status.UNKNOWN else True

    def _solve(
        self, promise: Promise, scores: Sequence[Scores]
    ) -> tuple[Instance | None, Answer | None]:
        """The solver's answer; None where the wishes contradict each other outright."""
        try:
            instance = Instance(reduce(promise, scores).problem)
        except Contradiction:
            return None, None
        work = min(PATIENCE, self.work)
        limits = Limits(deadline=self.deadline, work=work, stopped=self.stopped)
        answer = solve(instance, limits)
        self.work -= limits.done
        return instance, answer
