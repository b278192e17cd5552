"""Proofs that no plan is better: random problems of all wishes, and proofs that were spoilt.

Both checkers are asked, the package's and tools/check_proof.py, and must agree. A spoilt proof may
still be a proof; what must never be accepted is a proof of something false.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import random
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.checker.optimality import prove_optimal
from elsewhere.formats.plan_file import plan_to_json
from elsewhere.formats.proof_file import proof_to_bytes
from elsewhere.solver.proof_writer import write_proof
from elsewhere.values.plan import Plan, Status
from elsewhere.values.proof import Proof, ProofNode
from tests.solver.joints import joint_problem
from tests.solver.strategies import Problem, Table, problem
from tests.solver.version_oracle import problem_with_versions

ROOT = Path(__file__).parents[2]


def second_checker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_proof", ROOT / "tools/check_proof.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = second_checker()


def larger_problem(rng: random.Random) -> Problem:
    """A problem whose proof is a tree with prices: some twenty photos."""
    draw = np.random.default_rng(rng.getrandbits(32))
    attackers = rng.choice((1, 1, 1, 2))  # two that are unlike take long proofs
    photos, cells, zone = rng.randint(10, 20 // attackers), rng.randint(12, 25), rng.randint(1, 3)
    tables: list[Table] = [draw.normal(size=(photos, cells)) for _ in range(attackers)]
    truth = set(range(zone))
    for table in tables:
        table[:, :zone] += rng.uniform(0.3, 1.0)
    wishes: dict[str, Any] = {"top": rng.randint(2, 5)}
    if attackers == 1 and rng.random() < 0.3:
        wishes = {"budget": rng.randint(2, photos // 2)}
    if rng.random() < 0.3:
        wishes["values"] = [rng.choice((1, 2, 2.5)) for _ in range(photos)]
    if rng.random() < 0.3:
        wishes["keep"] = [rng.randrange(photos)]
    several = attackers > 1
    promise = elsewhere.protect(tables if several else tables[0], truth, **wishes).promise
    return Problem(tables, truth, promise, several, wishes)


class Case:
    """A problem with its plan and proof, and what the second checker needs of them."""

    def __init__(self, given: Problem) -> None:
        self.given = given
        self.scores = given.matrices
        self.plan = elsewhere.protect(given.scores, given.truth, **given.wishes)
        proof = write_proof(self.plan, self.scores)
        assert proof is not None
        self.proof = proof
        self.tables = [[[float(x) for x in row] for row in table] for table in given.tables]
        self.album: Any = None

    def first(self, plan: Plan, proof: Proof) -> bool:
        return not prove_optimal(plan, proof, self.scores)

    def second(self, plan: Plan, proof: Proof) -> bool:
        """Of the claims alone: what a plan says of itself is not asked."""
        document = json.loads(plan_to_json(plan))
        trees = json.loads(proof_to_bytes(proof, packed=False))["trees"]
        self.album = self.album or TOOL.Album(document["promise"], self.tables)
        claims = TOOL.claims_of(document, self.album)
        if len(claims) != len(trees):
            return False
        try:
            for claim, tree in zip(claims, trees, strict=True):
                claim.check(tree)
        except ValueError:
            return False
        return True


def test_proofs_are_accepted_by_both() -> None:
    accept(range(150))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_thousand_proofs_are_accepted_by_both() -> None:
    accept(range(10_000, 12_000))


KINDS = (larger_problem, problem, joint_problem, problem_with_versions)
WISHES = (
    "top budget keep drop margin lead prior values groups rivals sees each_photo strict versions "
    "several zone infeasible optimal"
)


def accept(seeds: range) -> None:
    """All proofs are accepted by both, and every wish is among what they are about."""
    drawn: Counter[str] = Counter()
    for seed in seeds:
        case = Case(KINDS[seed % 4](random.Random(seed)))
        document = json.loads(plan_to_json(case.plan))
        proof = json.loads(proof_to_bytes(case.proof, packed=False))
        assert prove_optimal(case.plan, case.proof, case.scores) == (), seed
        TOOL.check(document, proof, case.tables)
        promise = case.plan.promise
        drawn.update(list(case.given.wishes))
        drawn[str(case.plan.status)] += 1
        drawn["several"] += len(promise.against) > 1
        drawn["zone"] += any(len(against.truth) > 1 for against in promise.against)
    assert {kind for kind, count in drawn.items() if count} >= {*WISHES.split()}, drawn


SPOILT = {"leaf dropped", "leaf added", "price changed", "bound raised", "rival left out"}


def test_spoilt_proofs_are_refused_by_both() -> None:
    spoil(range(60), 5)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_twenty_thousand_spoilt_proofs_are_refused_by_both() -> None:
    refused = spoil(range(20_000, 21_000), 30)
    assert sum(refused.values()) >= 20_000, refused


def spoil(seeds: range, times: int) -> Counter[str]:
    """How many spoilt proofs of each kind were refused, by both checkers alike."""
    refused: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        case = Case(KINDS[seed % 4](rng))
        if not any(case.proof.trees):  # the wishes exclude each other: nothing to spoil
            continue
        for _ in range(times):
            kind, plan, proof, must_be_refused = spoilt(rng, case.plan, case.proof)
            accepted = case.first(plan, proof)
            assert accepted == case.second(plan, proof), (seed, kind)
            assert not (accepted and must_be_refused), (seed, kind)
            tried[kind] += 1
            refused[kind] += not accepted
    assert set(tried) == SPOILT
    for kind, count in tried.items():
        assert refused[kind] >= 0.3 * count, (kind, refused[kind], count)
    return refused


def spoilt(rng: random.Random, plan: Plan, proof: Proof) -> tuple[str, Plan, Proof, bool]:
    """A spoilt proof, or a claim too bold for it; and whether it is wrong for certain."""
    number = rng.choice([i for i, tree in enumerate(proof.trees) if tree])
    nodes = list(proof.trees[number])
    priced = [i for i, node in enumerate(nodes) if len(node.prices) > 2]
    divided = [i for i, node in enumerate(nodes) if node.rivals]
    kinds = ["leaf dropped", "leaf added", "bound raised"]
    kinds += ["price changed"] * bool(priced) + ["rival left out"] * bool(divided)
    kind = rng.choice(kinds)
    certain = kind in {"leaf dropped", "leaf added", "bound raised"}
    if kind == "leaf dropped":
        leaves = [i for i, node in enumerate(nodes) if not node.rivals and node.row is None]
        del nodes[rng.choice(leaves)]
    elif kind == "leaf added":
        nodes.insert(rng.randrange(len(nodes) + 1), ProofNode((1, 0)))
    elif kind == "price changed":
        at = rng.choice(priced)
        prices = list(nodes[at].prices)
        prices[5] = rng.choice((0, prices[5] // 3, prices[5] * 3 + 1))
        nodes[at] = replace(nodes[at], prices=tuple(prices))
    elif kind == "rival left out":
        at = rng.choice(divided)
        first = rng.randrange(len(nodes[at].rivals) // 2)
        start = at + 1
        for _ in range(first):
            start = end_of_subtree(nodes, start)
        del nodes[start : end_of_subtree(nodes, start)]
        rivals = nodes[at].rivals
        nodes[at] = replace(nodes[at], rivals=rivals[: 2 * first] + rivals[2 * first + 2 :])
    elif plan.status == Status.INFEASIBLE:  # too few rivals for a smaller top, perhaps
        return spoilt(rng, plan, proof)
    elif plan.promise.budget is None:
        cost = plan.cost + 1
        plan = replace(plan, bound=cost)
    elif plan.protected_k == 0:
        return spoilt(rng, plan, proof)
    else:
        plan = replace(plan, bound=plan.protected_k - 1)
    trees = [*proof.trees]
    trees[number] = tuple(nodes)
    return kind, plan, Proof(tuple(trees)), certain


def end_of_subtree(nodes: list[ProofNode], start: int) -> int:
    """Where the nodes below `start` end."""
    waiting = 1
    while waiting:
        node = nodes[start]
        waiting += (len(node.rivals) // 2 if node.row is None else 2) - 1
        start += 1
    return start


def test_an_infeasible_claim_about_a_promise_that_can_be_kept_is_refused() -> None:
    for seed in range(100):
        case = Case(problem(random.Random(seed)))
        if not case.plan.found or case.plan.promise.budget is not None:
            continue
        none = replace(
            case.plan, status=Status.INFEASIBLE, withheld=(), kept=(), cost=0, bound=0, views=()
        )
        assert not case.first(none, case.proof)
        assert not case.second(none, case.proof)


def test_the_second_checker_is_short_and_plain() -> None:
    """300 lines of code at most, docstrings aside, of the standard library alone."""
    source = (ROOT / "tools/check_proof.py").read_text("utf-8")
    tree = ast.parse(source)
    words: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            words.update(range(first.lineno, (first.end_lineno or 0) + 1))
    lines = [line for i, line in enumerate(source.splitlines(), 1) if i not in words]
    assert sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines) <= 300
    imported = {
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "node",
    [
        ProofNode(()),
        ProofNode((-1, 0)),
        ProofNode((0, 10**40)),
        ProofNode((10**300, 0)),
        ProofNode((1, 0, 0, 1, 0)),
        ProofNode((1, 0, 0, 1, 0, 5)),
        ProofNode((1, 0), (0, 1, 0, 10**300)),
        ProofNode((1, 0), (0, 1, -1, 1)),
        ProofNode((1, 0), (0, 10**30, 0, 1)),
        ProofNode((1, 0), (10**30, 1, 0, 1)),
        ProofNode((1, 0), rivals=(0, 1, 0, 1)),
        ProofNode((1, 0), rivals=(0, 0)),
        ProofNode((1, 0), row=10**30),
        ProofNode((1, 0), row=-1),
    ],
    ids=str,
)
def test_no_number_in_a_proof_is_trusted(node: ProofNode) -> None:
    """Nor one in a plan: here the photos' values are far beyond 64 bits."""
    scores = np.random.default_rng(1).normal(size=(6, 5)) + np.eye(1, 5)
    plan = elsewhere.protect(scores, 0, top=2)
    values = tuple(Fraction(10**50 + photo) for photo in range(6))
    cost = sum((values[photo] for photo in plan.withheld), Fraction(0))
    dear = replace(plan, promise=replace(plan.promise, values=values), cost=cost, bound=cost)
    for each in (plan, dear):
        assert not elsewhere.check(each, scores, proof=Proof(((node,),)))
