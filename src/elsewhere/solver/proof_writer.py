"""Writes down why no plan is better, for a checker that trusts nobody: `values/proof.py`.

The search stays as it is. Once its answer is known, the proof is searched for anew (`proof_tree`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.solver.exact import Instance, SearchLimits
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import IN, OUT, Attacker, Problem
from elsewhere.solver.proof_places import PlaceProof, PlaceWatch
from elsewhere.solver.proof_tree import ProofTree
from elsewhere.solver.proof_versions import ChoiceProofTree
from elsewhere.solver.reductions import Contradiction, Reduction, cost_scale, reduce
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Against
from elsewhere.values.proof import PlaceRows, Proof, ProofNode
from elsewhere.values.scores import Scores


def write_proof(
    plan: Plan, scores: Sequence[Scores], limits: SearchLimits | None = None
) -> Proof | None:
    """A proof that no plan is better than `plan`, or than its bound; None where it would be long.

    It is not checked here.
    """
    promise, limits = plan.promise, limits or SearchLimits()
    watched = dict.fromkeys(a for a in promise.against if a.circles is not None)
    try:
        reduction = reduce(promise, scores)
    except Contradiction:
        return Proof(((),), ((PlaceRows(),) * len(watched),) if watched else ())
    problem, cells = reduction.problem, [a for a in promise.against if a.circles is None]
    if promise.budget is None:
        problem = replace(problem, attackers=_merge(problem.attackers, cells))
    watches = _watches(reduction)
    for watch in watches:
        problem = (reduction.loosen(problem) if watch is watches[0] else problem).without_rows(
            watch.tells
        )
    scale = cost_scale(promise)
    trees, places = [], []
    with np.errstate(all="ignore"):
        for claim in _claims(plan):
            cutoff = None if claim.below is None else math.ceil(claim.below * scale) - 1
            made = [_rows(watch, problem, claim, cutoff) for watch in watches]
            places.append(tuple(one.named for one in made))
            rows = (one.attacker for one in made if one.attacker is not None)
            whole = replace(problem, attackers=(*problem.attackers, *rows))
            tree = _write_tree(whole, claim, cutoff, limits)
            if tree is None:
                return None
            trees.append(tuple(tree))
    return Proof(tuple(trees), tuple(places) if watches else ())


def _watches(reduction: Reduction) -> list[PlaceWatch]:
    """The attackers who look for circles, each once."""
    found: dict[Against, PlaceWatch] = {}
    for (number, attacker, may_tell), bound in zip(
        reduction.circles, reduction.bounds, strict=True
    ):
        against = reduction.promise.against[number]
        tells = bound.surely_tell(may_tell, against.each_photo or 0, against.margin)
        found[against] = PlaceWatch.of(bound, against, attacker.sees, tells)
    return list(found.values())


def _rows(watch: PlaceWatch, problem: Problem, claim: Claim, cutoff: int | None) -> PlaceProof:
    """What a tree rests on for one attacker."""
    # with versions a budget is one of cost
    by_budget = cutoff is None and problem.budget is not None and problem.versions is None
    limits = [limit for limit in (cutoff, problem.budget) if limit is not None]
    if not by_budget and problem.versions is None:
        limits = limits[:1] if cutoff is not None else []
    most = int((problem.sizes if by_budget else problem.weights).sum())
    most -= 0 if (problem.fixed == IN).any() else 1
    need = (watch.against.top or 0) if claim.each is None else claim.each
    return watch.rows(problem, need, min([most, *limits]), by_budget=by_budget)


def _write_tree(
    problem: Problem, claim: Claim, cutoff: int | None, limits: SearchLimits
) -> list[ProofNode] | None:
    """The tree of one claim; None where it would be long."""
    if (problem.fixed == OUT).all():
        return []
    if not problem.attackers:  # what must go is all that is known
        by_photos = cutoff is None and problem.budget is not None and problem.versions is None
        return [ProofNode((0, 1) if by_photos else (1, 0))]
    needs = [attacker.need if claim.each is None else claim.each for attacker in problem.attackers]
    instance = Instance(problem)
    tree_type = ProofTree if instance.choices is None else ChoiceProofTree
    goal = Goal(np.array(needs, np.intp), claim.total)
    return tree_type(instance, goal, cutoff, limits).write()


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


@dataclass(frozen=True)
class Claim:
    """What no plan reaches, below which cost; `each` attacker's own need where that is None."""

    each: int | None
    total: int = 0
    below: int | Fraction | None = None


def _claims(plan: Plan) -> Iterator[Claim]:
    """What a plan says of all others."""
    infeasible = plan.status == Status.INFEASIBLE
    if plan.promise.budget is None:
        yield Claim(None, 0, None if infeasible else plan.bound)
    elif infeasible:
        yield Claim(0)
    else:
        yield Claim(int(plan.bound) + 1)
        counts = [view.protected_k for view in plan.views]
        circles = any(against.circles is not None for against in plan.promise.against)
        total = 0 if circles else sum(counts)
        if plan.status == Status.OPTIMAL:
            if len(counts) > 1 and not circles:
                yield Claim(min(counts), total + 1)
            yield Claim(min(counts), total, plan.cost)
