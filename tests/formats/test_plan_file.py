from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from elsewhere.errors import InputError
from elsewhere.formats.plan_file import plan_from_json, plan_to_json
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, HiddenCircles, Promise, Version

SCHEMA = json.loads((files("elsewhere.formats") / "schemas" / "plan.json").read_text("utf-8"))

numbers = st.integers(0, 10**6)
wholes = st.lists(numbers, max_size=4).map(tuple)
reals = st.floats(allow_nan=False)
amounts = st.floats(min_value=0, allow_infinity=False)
fractions = st.fractions(min_value=Fraction(1, 10**6))
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
againsts = st.builds(
    Against,
    scores=digests,
    scorer=st.text(max_size=8),
    cells=st.integers(2, 600),
    truth=st.lists(numbers, min_size=1, max_size=4).map(tuple),
    top=st.none() | st.integers(1, 99),
    margin=amounts,
    lead=amounts,
    prior=st.none() | st.lists(reals, max_size=4).map(tuple),
    rivals=st.none() | wholes,
    sees=st.none() | wholes,
    each_photo=st.none() | st.integers(1, 9),
)
hidden_circles = st.builds(
    HiddenCircles,
    positions=st.lists(st.tuples(reals, reals).filter(lambda p: all(map(math.isfinite, p))),
                       min_size=1, max_size=3).map(tuple),
    radius_km=st.floats(1, 500),
    exponent=st.floats(0, 1, exclude_min=True),
)  # fmt: skip
againsts |= st.builds(
    lambda against, circles: replace(against, truth=(), circles=circles), againsts, hidden_circles
)
promises = st.builds(
    Promise,
    photos=st.integers(1, 10**6),
    against=st.lists(againsts, min_size=1, max_size=3).map(tuple),
    budget=st.none() | numbers | fractions,
    keep=wholes,
    drop=wholes,
    values=st.none() | st.lists(fractions, max_size=4).map(tuple),
    groups=st.lists(wholes, max_size=3).map(tuple),
    strict=st.booleans(),
    versions=st.none()
    | st.lists(st.builds(Version, photo=numbers, cost=fractions), max_size=4).map(tuple),
)
plans = st.builds(
    Plan,
    status=st.sampled_from(Status),
    withheld=wholes,
    kept=wholes,
    cost=st.integers() | st.fractions(),
    bound=st.integers() | st.fractions(),
    views=st.lists(
        st.builds(View, protected_k=numbers, rivals=wholes, slack=reals), max_size=3
    ).map(tuple),
    promise=promises,
    explanation=st.text(max_size=20),
    several=st.booleans(),
    rests_on_zero=st.booleans(),
    work=numbers,
    choices=wholes,
)
PLAN = Plan(
    status=Status.OPTIMAL,
    withheld=(0,),
    kept=(1, 2),
    cost=Fraction(3, 2),
    bound=1,
    views=(View(2, (4, 3), math.inf),),
    promise=Promise(
        3,
        (Against("0" * 64, "s", 5, (1,), 2, prior=(0.0, -math.inf, -1.0, -0.0, 1e-300)),),
        values=(Fraction(3, 2), Fraction(1), Fraction(1, 3)),
    ),
    explanation="Withhold one photo.",
)


@given(plans)
def test_a_plan_comes_back_as_it_was(plan: Plan) -> None:
    back = plan_from_json(plan_to_json(plan))
    assert back == plan
    assert repr(back) == repr(plan)  # tells 2 from Fraction(2), and −0.0 from 0.0


@given(plans)
def test_every_plan_fits_the_schema(plan: Plan) -> None:
    Draft202012Validator(SCHEMA).validate(json.loads(plan_to_json(plan)))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_nothing_of_a_plan_is_left_out() -> None:
    promise = replace(PLAN.promise, versions=tuple(Version(i, Fraction(0)) for i in range(3)))
    document = json.loads(plan_to_json(replace(PLAN, promise=promise, choices=(1, 2))))
    assert set(document) == {"format", *(field.name for field in fields(Plan))}
    assert set(document["promise"]) == {field.name for field in fields(Promise)}
    assert set(document["views"][0]) == {field.name for field in fields(View)}
    names = {field.name for field in fields(Against)}
    assert set(document["promise"]["against"][0]) == names - {"circles"}  # it has none
    circles = HiddenCircles(((38.7, -9.1),), 25.0, 0.5)
    against = replace(PLAN.promise.against[0], truth=(), circles=circles)
    document = json.loads(
        plan_to_json(replace(PLAN, promise=replace(PLAN.promise, against=(against,))))
    )
    assert set(document["promise"]["against"][0]) == names
    assert set(document["promise"]["against"][0]["circles"]) == {
        field.name for field in fields(HiddenCircles)
    }


def test_a_plan_without_versions_is_written_as_before_there_were_any() -> None:
    document = json.loads(plan_to_json(PLAN))
    assert "choices" not in document
    assert "versions" not in document["promise"]


def test_slack_that_is_not_a_number() -> None:
    plan = replace(PLAN, views=(View(0, (), math.nan),))
    assert math.isnan(plan_from_json(plan_to_json(plan)).views[0].slack)


def test_names_are_for_people() -> None:
    text = plan_to_json(PLAN, ["a", "b", "c"])
    assert json.loads(text)["names"] == ["a", "b", "c"]
    assert plan_from_json(text) == PLAN
    Draft202012Validator(SCHEMA).validate(json.loads(text))
    with pytest.raises(InputError, match="names must be as many"):
        plan_from_json(plan_to_json(PLAN, ["a"]))


def changed(**changes: Any) -> str:
    return json.dumps({**json.loads(plan_to_json(PLAN)), **changes})


BAD = {
    "": "not JSON",
    "[]": "an object",
    "{}": "elsewhere-plan/1",
    "[" * 100_000: "nested too deeply",
    '{"format": 1, "format": 2}': "twice",
    '{"format": NaN}': "NaN is not JSON",
    '{"format": ' + "9" * 10_000 + "}": "not JSON",
    changed(status="fine"): "status must be one of optimal",
    changed(status=["optimal"]): "status must be one of optimal",
    changed(extra=1): "'extra', which is unknown",
    changed(kept="all"): "kept must be a list",
    changed(kept=[1.5]): r"kept\[0\] must be a whole number",
    changed(kept=[True]): r"kept\[0\] must be a whole number",
    changed(cost=1.5): "cost must be a whole number or a fraction",
    changed(cost="1/0"): "cost must be a whole number or a fraction",
    changed(cost="1e999999999"): "cost must be a whole number or a fraction",
    changed(several=1): "several must be true or false",
    changed(explanation=None): "explanation must be text",
    changed(views=[{}]): r"views\[0\] lacks 'protected_k'",
    changed(promise=[]): "promise must be an object",
    changed(views=[{"protected_k": 1, "rivals": [], "slack": "wide"}]): "slack must be a number",
    changed(views=[{"protected_k": 1, "rivals": [], "slack": 10**400}]): "fits 64 bits",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:40])
def test_what_is_not_a_plan(text: str) -> None:
    with pytest.raises(InputError, match=BAD[text]):
        plan_from_json(text)


@pytest.mark.parametrize(
    "name", [field.name for field in fields(Plan) if not field.metadata] + ["format"]
)
def test_a_plan_that_lacks_something(name: str) -> None:
    document = json.loads(plan_to_json(PLAN))
    del document[name]
    with pytest.raises(InputError):
        plan_from_json(json.dumps(document))
    assert not Draft202012Validator(SCHEMA).is_valid(document)
