"""A plan with its promise as JSON and back, without loss: format "elsewhere-plan/1".

Its schema is schemas/plan.json. A plan that was read is well formed; `elsewhere check` proves it
with the score files.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.errors import InputError
from elsewhere.formats.validation import kind_of, parse, record, to_text, wrong
from elsewhere.values.plan import Plan

FORMAT = "elsewhere-plan/1"
PLAN = record(Plan, "the plan")


def plan_to_json(plan: Plan, names: Sequence[str] = ()) -> str:
    """The plan as indented JSON; `names`, one per photo, are added for people to read.

    >>> from elsewhere.values.plan import Status, View
    >>> from elsewhere.values.promise import Against, Promise
    >>> promise = Promise(2, (Against("ab12", "", 3, (0,), 1),))
    >>> plan = Plan(Status.OPTIMAL, (0,), (1,), 1, 1, (View(1, (2,), 0.5),), promise, "Withhold 0.")
    >>> plan_from_json(plan_to_json(plan)) == plan
    True
    """
    document = {"format": FORMAT, **PLAN.write(plan)}
    if names:
        document["names"] = [str(name) for name in names]
    return to_text(document)


def plan_from_json(document: str) -> Plan:
    """The plan in a JSON text; InputError when it is none.

    >>> plan_from_json('{"format": "elsewhere-plan/9"}')
    Traceback (most recent call last):
    elsewhere.errors.InputError: the plan must be of the format elsewhere-plan/1
    """
    values = parse(document)
    if not isinstance(values, dict):
        raise wrong("a plan", "an object")
    if values.pop("format", None) != FORMAT:
        raise InputError(f"the plan must be of the format {FORMAT}")
    names = values.pop("names", None)
    plan: Plan = PLAN.read(values, "")
    if names is not None:
        names = kind_of(tuple[str, ...]).read(names, "names")
        if len(names) != plan.promise.photos:
            raise wrong("names", "as many as there are photos")
    return plan
