"""What every experiment asks of a collection: how it ranks, what greedy does, what is optimal."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.service.scores import protect, solve_and_check
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.problem import Mask
from elsewhere.solver.requests import read_request
from elsewhere.values.plan import Plan, Status
from elsewhere_lab.values import FloatMatrix, Row

WORK = 400_000
"""Where a plan's search is stopped: some 20 seconds; the plan is then listed as not proved."""


def gains(scores: FloatMatrix, truth: int) -> NDArray[np.float64]:
    """Score of each rival less score of the truth, (photos, cells − 1)."""
    wide = scores.astype(np.float64)
    return np.asarray(np.delete(wide - wide[:, [truth]], truth, axis=1))


def rank_ahead(scores: FloatMatrix, truth: int) -> int:
    """How many cells rank at least as high as the truth when all photos are added up.

    >>> rank_ahead(np.array([[0.0, 1.0, -1.0], [0.0, -1.0, -1.0]]), 0)
    1
    """
    return int((gains(scores, truth).sum(axis=0) >= 0).sum())


def greedy_steps(scores: FloatMatrix, truth: int) -> NDArray[np.intp]:
    """Cells ahead of the truth after greedy has withheld 0, 1, … all but one of the photos.

    >>> rows = np.log([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    >>> greedy_steps(rows, 0).tolist()
    [0, 0, 2]
    """
    order = np.argsort(-scores[:, truth].astype(np.float64), kind="stable")
    left = gains(scores, truth)[order][::-1].cumsum(axis=0)[::-1]
    return np.asarray((left >= 0).sum(axis=1))


def greedy_fewest(steps: NDArray[np.intp], top: int) -> int | None:
    """How many photos greedy withholds until the truth is out of the top k; None if it never is.

    >>> greedy_fewest(np.array([0, 0, 2]), 1)
    2
    """
    enough = steps >= top
    return int(enough.argmax()) if enough.any() else None


def fewest(scores: FloatMatrix, truth: int, top: int, **wishes: Any) -> Plan:
    """The proved smallest plan for a top-k guarantee."""
    return protect(scores, truth, top=top, work_limit=WORK, **wishes)


def furthest(scores: FloatMatrix, truth: int, budget: int, **wishes: Any) -> Plan:
    """The plan within a budget that pushes the truth furthest down."""
    return protect(scores, truth, budget=budget, work_limit=WORK, **wishes)


@dataclass(frozen=True)
class Result:
    """A plan's status and the photos that stay, without its explanation."""

    status: str
    kept: Mask | None  # None without a plan

    @property
    def withheld(self) -> int | None:
        """How many photos go."""
        return None if self.kept is None else int((~self.kept).sum())


def solve_quietly(scores: Any, truth: Any, **wishes: Any) -> Result:
    """The proved smallest plan for the wishes of `protect`; nobody explains why there is none.

    >>> rows = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]])
    >>> solve_quietly(rows, 0, top=1, each_photo=True).withheld
    2
    >>> solve_quietly(rows, 0, top=1, keep=[0]).status
    'infeasible'
    """
    asked = read_request(scores, truth, **wishes)
    plan = solve_and_check(asked, SearchLimits(work=WORK), explain=None)
    if not plan.found:
        return Result(str(plan.status), None)
    kept = np.zeros(asked.promise.photos, dtype=bool)
    kept[list(plan.kept)] = True
    return Result(str(plan.status), kept)


def within(photos: int, share: float) -> int:
    """How many photos a share of them is, rounded to the nearest (a half to the even number).

    The program that the authors published for albums rounds so.

    >>> within(16, 0.125), within(33, 0.25), within(23, 0.125), within(20, 0.125)
    (2, 8, 3, 2)
    """
    return round(photos * share)


def list_unproved(rows: Iterable[Row]) -> list[str]:
    """Every plan that is not proved, by collection, so that none is passed over in silence."""
    decided = (Status.OPTIMAL, Status.INFEASIBLE)
    return [
        f"{row['kind']} number {row['number']}, {key.removeprefix('status ')}: {value}"
        for row in rows
        for key, value in row.items()
        if key.startswith("status ") and value is not None and value not in decided
    ]


def describe_unproved(rows: Iterable[Row]) -> list[str]:
    """The same in one sentence, where there are any.

    >>> describe_unproved([{"kind": "R-16", "number": 4, "status 0.5": "feasible"}])[0][-35:]
    'best: R-16 number 4, 0.5: feasible.'
    """
    names = "; ".join(list_unproved(rows))
    text = f"Stopped at {WORK:,} units of work, good and perhaps not the best: {names}."
    return [text] if names else []
