"""A canonical problem as the call of `elsewhere.protect` that a person would make."""

from __future__ import annotations

from typing import Any

import numpy as np

import elsewhere
from elsewhere.solver.problem import Problem
from elsewhere.values.plan import Plan


def arguments(problem: Problem) -> tuple[Any, Any, dict[str, Any]]:
    """Scores, truth and wishes; units are photos, and nothing is fixed."""
    attackers, versions = problem.attackers, problem.versions
    first = attackers[0]
    wishes: dict[str, Any] = {
        "top": None if problem.budget is not None else [a.need for a in attackers],
        "budget": problem.budget,
        "margin": first.shift,
    }
    if (problem.weights != 1).any():
        wishes["values"] = problem.weights.tolist()
    if versions is not None:
        pairs = zip(versions.photo_of.tolist(), versions.costs.tolist(), strict=True)
        wishes["versions"] = list(pairs)
    truth = [set(attacker.zone.tolist()) for attacker in attackers]
    if len(attackers) == 1:
        top = None if wishes["top"] is None else first.need
        return first.scores, truth[0], {**wishes, "top": top}
    if any(len(a.zone) + len(a.rivals) < a.scores.shape[1] for a in attackers):
        wishes["rivals"] = [attacker.rivals.tolist() for attacker in attackers]
    if any(attacker.sees is not None for attacker in attackers):
        seen = [None if a.sees is None else np.flatnonzero(a.sees).tolist() for a in attackers]
        wishes["sees"] = seen
    return [attacker.scores for attacker in attackers], truth, wishes


def protect(problem: Problem, seconds: float | None = None) -> Plan:
    """The whole call, with the check."""
    scores, truth, wishes = arguments(problem)
    return elsewhere.protect(scores, truth, **wishes, time_limit=seconds)
