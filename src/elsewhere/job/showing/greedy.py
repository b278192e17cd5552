"""What greedy would withhold for the same promise: the paper's baseline beside a plan.

Leaving out, one after the other, the photos that most give the place away is what anybody would
do. It is shown beside a plan so that people see what the exact answer saves them.
"""

from __future__ import annotations

import numpy as np

from elsewhere.job.planning.album_plan import AlbumPlan
from elsewhere.job.seen import Seen
from elsewhere.protect.baselines import greedy
from elsewhere.protect.reductions import reduce


def greedy_withholds(seen: Seen, album_plan: AlbumPlan) -> tuple[int, ...] | None:
    """The photos that greedy withholds, by number; None where it finds no plan.

    For a plan that was found, without photos already posted.
    """
    scores = [seen.attacks[watch.attack].scores for watch in album_plan.watches]
    problem = reduce(album_plan.plan.promise, scores).problem
    kept = greedy.solve(problem).kept
    if kept is None:
        return None
    return tuple(np.flatnonzero(~kept[problem.unit_of]).tolist())
