"""The value Plan: which photos to withhold, and what that promises; and the frontier of plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from elsewhere.values.promise import Promise


class Status(StrEnum):
    """How far a plan is proved.

    >>> Status.OPTIMAL == "optimal", str(Status.OPTIMAL)
    (True, 'optimal')
    """

    OPTIMAL = "optimal"
    """No plan is better: proved."""
    FEASIBLE = "feasible"
    """The promise holds; a better plan may exist, no better than `bound`."""
    INFEASIBLE = "infeasible"
    """No plan fulfils the promise: proved."""
    UNKNOWN = "unknown"
    """Stopped early with neither a plan nor a proof that there is none."""


@dataclass(frozen=True)
class View:
    """What one attacker infers from the kept photos.

    >>> import numpy as np, elsewhere
    >>> plan = elsewhere.protect(np.log([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]]), truth=0, top=2)
    >>> plan.views[0].protected_k, plan.views[0].rivals
    (2, (1, 2))
    """

    protected_k: int
    """How many rivals hold: the truth is not in this attacker's top `protected_k`."""
    rivals: tuple[int, ...]
    """The cells that hold, the one furthest ahead of the truth first (ties: lower cell first)."""
    slack: float
    """Nats by which the last rival needed is ahead (the promise's top-th; under a budget the last
    that holds); inf where no rival is needed or a probability of zero decides."""


@dataclass(frozen=True)
class Plan:
    """Which photos to withhold, how far that is proved, and what then holds.

    Without a plan (`infeasible`, `unknown`) both `withheld` and `kept` are empty, so that whoever
    does not check the status shares nothing.

    >>> import numpy as np, elsewhere
    >>> plan = elsewhere.protect(np.log([[0.7, 0.2, 0.1], [0.2, 0.4, 0.4]]), truth=0, top=2)
    >>> plan.withheld, plan.kept, plan.cost, plan.bound
    ((0,), (1,), 1, 1)
    >>> plan.protected_k, plan.rivals, round(plan.slack, 3)
    (2, (1, 2), 0.693)
    """

    status: Status
    """How far the plan is proved."""
    withheld: tuple[int, ...]
    """Photos to withhold, ascending."""
    kept: tuple[int, ...]
    """Photos that can be shared, ascending."""
    cost: int | Fraction
    """What is withheld, in the photos' values (their number, where no values were given), and what
    the versions shared cost."""
    bound: int | Fraction
    """Guarantee: no plan costs less than this. Budget: no plan protects more than this k."""
    views: tuple[View, ...]
    """One for each attacker; empty without a plan."""
    promise: Promise
    """What the plan fulfils."""
    explanation: str
    """One or two sentences for a person."""
    several: bool = False
    """Whether the scores came as a list of attackers; `rivals` and `slack` then are tuples too."""
    rests_on_zero: bool = False
    """The promise holds only because some probability is exactly zero: be wary."""
    work: int = 0
    """How much work the solver did (a count, the same on every machine)."""
    choices: tuple[int, ...] = field(default=(), metadata={"optional": True})
    """The row of the scores in which each of the `kept` photos is shared, in their order; empty
    where photos have no versions."""

    @property
    def shared(self) -> tuple[int, ...]:
        """The rows of the scores that are shared: the photos kept, or their versions chosen."""
        return self.kept if self.promise.versions is None else self.choices

    @property
    def found(self) -> bool:
        """Whether there is a plan at all."""
        return bool(self.kept)

    @property
    def protected_k(self) -> int:
        """The truth is not in the top k of any attacker for this k (0 without a plan)."""
        return min((view.protected_k for view in self.views), default=0)

    @property
    def rivals(self) -> tuple[int, ...] | tuple[tuple[int, ...], ...]:
        """The cells that outrank the truth; one tuple for each attacker if several were given."""
        if self.several:
            return tuple(view.rivals for view in self.views)
        return self.views[0].rivals if self.views else ()

    @property
    def slack(self) -> float | tuple[float, ...]:
        """Nats to spare at the last rival needed; one for each attacker if several were given."""
        if self.several:
            return tuple(view.slack for view in self.views)
        return self.views[0].slack if self.views else float("nan")


@dataclass(frozen=True)
class Point:
    """One budget: the best plan known, and how good any plan could be.

    >>> import numpy as np, elsewhere
    >>> point = elsewhere.frontier(np.log([[.7, .2, .1], [.3, .6, .1]]), truth=0).points[1]
    >>> point.budget, point.protected_k, point.bound, point.proved
    (1, 1, 1, True)
    """

    budget: int | Fraction
    """At most this many photos withheld, or at most this cost where photos have versions."""
    plan: Plan
    """A plan within the budget, re-proved; it may withhold fewer photos."""
    bound: int
    """No plan within the budget protects more than this k."""

    @property
    def protected_k(self) -> int:
        """The truth is not in the top k for this k."""
        return self.plan.protected_k

    @property
    def proved(self) -> bool:
        """Whether no plan within the budget does better."""
        return self.protected_k == self.bound


@dataclass(frozen=True)
class Frontier:
    """Protected-k against photos withheld, one point for each budget.

    Where photos have versions, against cost, one point for each step.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> [(point.budget, point.protected_k) for point in elsewhere.frontier(scores, truth=0)]
    [(0, 0), (1, 1), (2, 1), (3, 2)]
    """

    points: tuple[Point, ...]
    """In ascending order of budgets."""

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)
