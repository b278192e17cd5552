"""A plan without the sentences: what `protect` does, but nobody asks why there is none.

To explain to a person why no plan exists takes longer than to find it out, and experiments meet
thousands of such cases. A plan that is found is re-proved like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elsewhere.service.scores import checked
from elsewhere.solver.exact import Instance, Limits, solve
from elsewhere.solver.plans import make_plan
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.solver.requests import read_request
from elsewhere.values.plan import Status
from elsewhere_lab.solving import WORK, Found


def unexplained_plan(scores: Any, truth: Any, **wishes: Any) -> Found:
    """The proved smallest plan for these wishes, which are those of `protect`.

    >>> rows = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]])
    >>> unexplained_plan(rows, 0, top=1, each_photo=True).withheld
    2
    >>> unexplained_plan(rows, 0, top=1, keep=[0]).status
    'infeasible'
    """
    asked = read_request(scores, truth, **wishes)
    try:
        chain = reduce(asked.promise, asked.scores)
    except Contradiction:
        return Found(str(Status.INFEASIBLE), None)
    instance = Instance(chain.problem)
    answer = solve(instance, Limits(work=WORK))
    if answer.kept is None:
        return Found(answer.status, None)
    plan = checked(make_plan(asked, chain, instance, answer), asked)
    kept = np.zeros(asked.promise.photos, dtype=bool)
    kept[list(plan.kept)] = True
    return Found(str(plan.status), kept)
