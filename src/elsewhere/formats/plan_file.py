"""A plan as JSON and back, without loss: format "elsewhere-plan/1".

The file carries the promise too, so that it says by itself what was asked for; together with the
score files it can be proved again (`elsewhere check`). Its schema is schemas/plan.json. What is
read is only known to be well formed: whether it is *true* is for the check to say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.validation import (
    Kind,
    exact,
    expect,
    flag,
    fraction,
    many,
    maybe,
    parse,
    real,
    record,
    text,
    whole,
    wrong,
)
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, Promise

FORMAT = "elsewhere-plan/1"

_STATUSES = tuple(status.value for status in Status)


def _read_status(value: Any, where: str) -> Status:
    if value not in _STATUSES:
        raise wrong(where, f"one of {', '.join(_STATUSES)}")
    return Status(value)


_AGAINST = record(
    Against,
    {
        "scores": text,
        "scorer": text,
        "cells": whole,
        "truth": many(whole),
        "top": maybe(whole),
        "margin": real,
        "lead": real,
        "prior": maybe(many(real)),
        "rivals": maybe(many(whole)),
        "sees": maybe(many(whole)),
        "each_photo": maybe(whole),
    },
)
PROMISE = record(
    Promise,
    {
        "photos": whole,
        "against": many(_AGAINST),
        "budget": maybe(whole),
        "keep": many(whole),
        "drop": many(whole),
        "values": maybe(many(fraction)),
        "groups": many(many(whole)),
        "strict": flag,
    },
)
_VIEW = record(View, {"protected_k": whole, "rivals": many(whole), "slack": real})
_PLAN: dict[str, Kind] = {
    "status": Kind(str, _read_status),
    "withheld": many(whole),
    "kept": many(whole),
    "cost": exact,
    "bound": exact,
    "views": many(_VIEW),
    "promise": PROMISE,
    "explanation": text,
    "several": flag,
    "rests_on_zero": flag,
    "work": whole,
}


def plan_to_json(plan: Plan, names: Sequence[str] = ()) -> str:
    """The plan as indented JSON; `names`, one per photo, are added for people to read.

    >>> from elsewhere.values.promise import Against, Promise
    >>> promise = Promise(2, (Against("ab12", "", 3, (0,), 1),))
    >>> plan = Plan(Status.OPTIMAL, (0,), (1,), 1, 1, (View(1, (2,), 0.5),), promise, "Withhold 0.")
    >>> plan_from_json(plan_to_json(plan)) == plan
    True
    """
    document = {"format": FORMAT, **plan_record(plan)}
    if names:
        document["names"] = [str(name) for name in names]
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def plan_from_json(document: str) -> Plan:
    """The plan in a JSON text; InputError when it is none. Its truth is for the check to say.

    >>> plan_from_json('{"format": "elsewhere-plan/9"}')
    Traceback (most recent call last):
    elsewhere.errors.InputError: the plan must be of the format elsewhere-plan/1
    """
    found = parse(document)
    if not isinstance(found, dict):
        raise wrong("a plan", "an object")
    if found.pop("format", None) != FORMAT:
        raise InputError(f"the plan must be of the format {FORMAT}")
    names = found.pop("names", None)
    plan = plan_from_record(found)
    if names is not None and len(many(text).read(names, "names")) != plan.promise.photos:
        raise wrong("names", "as many as there are photos")
    return plan


def plan_record(plan: Plan) -> dict[str, Any]:
    """The plan as plain JSON values; the certificate carries these too."""
    return {name: kind.write(getattr(plan, name)) for name, kind in _PLAN.items()}


def plan_from_record(found: Any) -> Plan:
    """The plan of plain JSON values."""
    expect(found, "the plan", _PLAN)
    return Plan(**{name: kind.read(found[name], name) for name, kind in _PLAN.items()})
