"""A plan file from a stranger: however mad, it is refused or found untrue, and nothing breaks."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.errors import InputError
from elsewhere.formats.plan_file import plan_from_json, plan_to_json
from elsewhere.values.scores import Scores

DRAW = np.random.default_rng(11)
SCORES = Scores(DRAW.normal(size=(5, 6)) + 0.8 * (np.arange(6) == 2))
PLAN = elsewhere.protect(
    SCORES, 2, top=2, values=[1, 2, 1, 1, 0.5], groups=[[0, 1]], lead=0.1, prior=np.zeros(6)
)
DOCUMENT = json.loads(plan_to_json(PLAN))
# values that a field may be changed to: of the right kind or of another, small, huge and negative
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, -1, 0, 1, 2, 3, 5, 6, 99, 2**63, -(2**70), 0.5, -1e308, 1e-320, "inf",
     "-inf", "nan", "1/3", "-7/2", "", "optimal", "feasible", "infeasible", "unknown", [], [0],
     [4, 3], [1, 1], [-1], [99], [[0, 1]], [[2]], [0.0] * 6, ["-inf"] * 6, ["nan"] * 6, {}]
)  # fmt: skip


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where everything in a JSON value stands."""
    if here:
        yield here
    if isinstance(value, dict):
        for name, item in value.items():
            yield from paths(item, (*here, name))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from paths(item, (*here, i))


PLACES = sorted(paths(DOCUMENT), key=repr)


def changed(place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document: dict[str, Any] = copy.deepcopy(DOCUMENT)
    inner: Any = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return document


def test_the_plan_itself_holds() -> None:
    assert PLAN.withheld
    assert elsewhere.check(plan_from_json(json.dumps(DOCUMENT)), SCORES)


@given(place=st.sampled_from(PLACES), value=ODD)
def test_one_odd_value(place: tuple[Any, ...], value: Any) -> None:
    try:
        plan = plan_from_json(json.dumps(changed(place, value)))
    except InputError:
        return
    verdict = elsewhere.check(plan, SCORES)
    if verdict:
        assert plan.withheld == PLAN.withheld or not plan.found
        # what is not proved: the words, the work, a weaker claim; and a promise may be other
        # than it was, if the plan keeps that one too
        assert place[0] in {"explanation", "work", "status", "bound", "promise", "several"} or (
            plan == PLAN
        )
