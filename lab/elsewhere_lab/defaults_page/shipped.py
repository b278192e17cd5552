"""The unit of the shipped scorer's nats, as its record has it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def temperature() -> float:
    """What the shipped scorer divides scores by; the kept score files are of heads without.

    >>> round(temperature(), 2)
    1.41
    """
    record = json.loads((files("elsewhere.scorers") / "weights" / "model.json").read_text("utf-8"))
    return float(record["temperature"])
