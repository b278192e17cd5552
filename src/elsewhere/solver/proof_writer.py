"""Writes down why no plan is better, for a checker that trusts nobody: `values/proof.py`.

The search stays as it is. Once its answer is known, the proof is searched for anew (`proof_tree`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.solver.exact import Instance, SearchLimits
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import Attacker, Problem
from elsewhere.solver.proof_tree import ProofTree
from elsewhere.solver.proof_versions import ChoiceProofTree
from elsewhere.solver.reductions import Contradiction, cost_scale, reduce
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Against
from elsewhere.values.proof import Proof
from elsewhere.values.scores import Scores


def write_proof(
    plan: Plan, scores: Sequence[Scores], limits: SearchLimits | None = None
) -> Proof | None:
    """A proof that no plan is better than `plan`, or than its bound; None where it would be long.

    It is not checked here.
    """
    promise, limits = plan.promise, limits or SearchLimits()
    if any(against.circles is not None for against in promise.against):
        return None
    try:
        reduction = reduce(promise, scores)
    except Contradiction:
        return Proof(((),))
    problem = reduction.problem
    if promise.budget is None:
        problem = replace(problem, attackers=_merge(problem.attackers, promise.against))
    scale = cost_scale(promise)
    trees = []
    with np.errstate(all="ignore"):
        instance = Instance(problem)
        tree_type = ProofTree if instance.choices is None else ChoiceProofTree
        for goal, below in _claims(plan, problem):
            cutoff = None if below is None else math.ceil(below * scale) - 1
            tree = tree_type(instance, goal, cutoff, limits).write()
            if tree is None:
                return None
            trees.append(tuple(tree))
    return Proof(tuple(trees))


def _merge(attackers: Sequence[Attacker], against: Sequence[Against]) -> tuple[Attacker, ...]:
    """Attackers that differ only in their truth as one, in the order of the first of each."""
    merged: dict[object, Attacker] = {}
    for number, (attacker, promised) in enumerate(zip(attackers, against, strict=True)):
        key: object = number
        if promised.rivals is not None:
            key = replace(promised, truth=(), each_photo=None)
        same = merged.get(key, attacker)
        merged[key] = replace(same, zone=np.union1d(same.zone, attacker.zone).astype(np.intp))
    return tuple(merged.values())


def _claims(plan: Plan, problem: Problem) -> Iterator[tuple[Goal, int | Fraction | None]]:
    """What no plan reaches, and below which cost."""
    count = len(problem.attackers)
    infeasible = plan.status == Status.INFEASIBLE
    if problem.budget is None:
        needs = np.array([attacker.need for attacker in problem.attackers], np.intp)
        yield Goal(needs, 0), None if infeasible else plan.bound
        return
    if infeasible:
        yield Goal(np.zeros(count, np.intp), 0), None
        return
    yield Goal(np.full(count, int(plan.bound) + 1, np.intp), 0), None
    if plan.status == Status.OPTIMAL:
        counts = [view.protected_k for view in plan.views]
        needs = np.full(count, min(counts), np.intp)
        if count > 1:
            yield Goal(needs, sum(counts) + 1), None
        yield Goal(needs, sum(counts)), plan.cost
