"""A plan without the sentences is the plan that `protect` makes."""

from __future__ import annotations

import numpy as np

from elsewhere_lab.solving import fewest, solve_quietly
from elsewhere_lab.sources import Simulator


def test_it_withholds_as_many_as_protect() -> None:
    scores = Simulator(seed=5).photos(9)[0][:24]
    for top in (1, 5):
        assert solve_quietly(scores, 9, top=top).withheld == len(fewest(scores, 9, top).withheld)
        keep = int(scores[:, 9].argmin())
        plan = fewest(scores, 9, top, keep=[keep], margin=0.1)
        short = solve_quietly(scores, 9, top=top, keep=[keep], margin=0.1)
        assert short.kept is not None
        assert short.kept[keep]
        assert short.withheld == len(plan.withheld)


def test_where_no_plan_exists_it_says_so_and_no_more() -> None:
    telling = np.log([[0.8, 0.1, 0.1], [0.7, 0.2, 0.1]])
    for wishes in ({}, {"keep": [0]}, {"each_photo": True}):
        found = solve_quietly(telling, 0, top=1, **wishes)
        assert (found.status, found.kept, found.withheld) == ("infeasible", None, None)
