"""Proofs about hidden places: random albums, every set of photos tried, and spoilt proofs.

A spoilt proof of something true may still be a proof. A proof of something false, spoilt or not,
must never be accepted.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.checker.optimality import prove_optimal
from elsewhere.checker.place_rows import PlaceView
from elsewhere.formats.proof_file import proof_from_bytes, proof_to_bytes
from elsewhere.globe.cells import Cells
from elsewhere.solver.proof_writer import write_proof
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.proof import PlaceRows, Proof, ProofNode
from elsewhere.values.scores import Scores
from tests.solver.small_globes import small_album
from tests.solver.test_circle_promises import (
    hidden_in,
    request_of,
    scores_of,
    sets_that_keep,
    solved,
    wishes_of,
)
from tests.solver.test_circle_versions import Choices, version_album

Case = tuple[Plan, list[Scores]]


def plans(seed: int) -> Iterator[Case]:
    """Plans of all kinds for the album of a seed: for a top, for a budget, with versions, joint."""
    album = small_album(seed)
    table, hidden, photos = scores_of(album), hidden_in(album), len(album.scores)
    yield solved(album), [table]
    yield solved(album, top=None, budget=seed % (photos + 1)), [table]
    edited = version_album(seed)
    yield edited.solved(), [edited.table]
    yield edited.solved(top=None, budget=Fraction(seed % 7, 2)), [edited.table]
    rng = random.Random(seed)
    some = sorted(rng.sample(range(photos), 1 + photos // 2))
    asked: dict[str, Any] = wishes_of(album)
    cells = Scores(np.maximum(table.values, -50))
    for sees, tables, truths in (
        ([None, some], [table, table], [hidden, hidden]),
        ([None, some, None], [table, table, cells], [hidden, hidden, 0]),
    ):
        yield elsewhere.protect(tables, truths, sees=sees, top=album.need, **asked), tables
        budget = seed % (photos + 1)
        yield elsewhere.protect(tables, truths, sees=sees, budget=budget, **asked), tables


def is_proved(plan: Plan, proof: Proof, scores: list[Scores]) -> bool:
    return not prove_optimal(plan, proof, scores)


def test_proofs_are_written_and_accepted() -> None:
    accept(range(16))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_proofs_are_written_and_accepted() -> None:
    print(accept(range(1000, 1300)))


def accept(seeds: range) -> Counter[str]:
    """Each plan has a proof that is accepted, also when it was read from a file."""
    drawn: Counter[str] = Counter()
    for seed in seeds:
        for number, (plan, scores) in enumerate(plans(seed)):
            cells = min(table.cells for table in scores)
            nothing_claimed = plan.promise.budget is not None and plan.bound >= cells
            if plan.status == Status.UNKNOWN or nothing_claimed:
                continue
            proof = write_proof(plan, scores)
            assert proof is not None, (seed, number)
            read = proof_from_bytes(proof_to_bytes(proof, packed=True))
            assert read == proof
            assert prove_optimal(plan, read, scores) == (), (seed, number)
            drawn[str(plan.status)] += 1
            drawn["rows"] += any(rows.groups for tree in proof.places for rows in tree)
            drawn["prices"] += any(rows.prices for tree in proof.places for rows in tree)
            drawn["divided"] += any(len(tree) > 1 for tree in proof.trees)
    kinds = {Status.OPTIMAL, Status.FEASIBLE, Status.INFEASIBLE, "rows", "prices", "divided"}
    assert min(drawn[str(kind)] for kind in kinds) >= 5, drawn
    return drawn


def test_what_is_proved_is_true_of_every_set_of_photos() -> None:
    seen: Counter[Status] = Counter()
    for seed in range(60):
        album = small_album(seed, max_photos=5, max_cells=24)
        plan, scores = solved(album), [scores_of(album)]
        proof = None if plan.status == Status.UNKNOWN else write_proof(plan, scores)
        if proof is None or not is_proved(plan, proof, scores):
            continue
        seen[plan.status] += 1
        values = plan.promise.values or (Fraction(1),) * plan.promise.photos
        kept = [set(photos) for photos in sets_that_keep(request_of(album))]
        costs = [sum(v for n, v in enumerate(values) if n not in photos) for photos in kept]
        if plan.status == Status.INFEASIBLE:
            assert not costs
        else:
            assert min(costs) >= plan.bound
            assert plan.status != Status.OPTIMAL or min(costs) == plan.cost
    assert seen[Status.OPTIMAL] >= 20 and seen[Status.INFEASIBLE] >= 10, seen


def test_what_is_proved_is_true_of_every_choice_of_versions() -> None:
    seen = 0
    for seed in range(40):
        album = version_album(seed, photos=3)
        plan = album.solved()
        proof = None if plan.status == Status.UNKNOWN else write_proof(plan, [album.table])
        if proof is None or not is_proved(plan, proof, [album.table]):
            continue
        choices = Choices(album.request())
        costs = [choices.cost(rows) for rows in choices.accepted]
        seen += plan.status == Status.OPTIMAL
        assert not costs or plan.status != Status.INFEASIBLE
        assert all(cost >= plan.bound for cost in costs)
    assert seen >= 20


SPOILT = {
    "leaf dropped",
    "price changed",
    "bound raised",
    "rival left out",
    "circle made up",
    "group made up",
    "price made up",
    "attacker dropped",
}
CERTAIN = {"leaf dropped", "bound raised", "circle made up", "attacker dropped"}


def test_spoilt_proofs_are_refused() -> None:
    spoil(range(14), 4)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_spoilt_proofs_are_refused() -> None:
    print(spoil(range(2000, 2200), 8))


def spoil(seeds: range, times: int) -> Counter[str]:
    """What is wrong for certain is refused; and whatever is said of a bound that is too high."""
    tried: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for seed in seeds:
        rng = random.Random(seed)
        for plan, scores in plans(seed):
            proof = None if plan.status == Status.UNKNOWN else write_proof(plan, scores)
            empty = Proof(((),) * len(proof.trees), proof.places) if proof else None
            if proof is None or empty is None or is_proved(plan, empty, scores):
                continue  # the wishes leave no plan: nothing to spoil
            bold = too_bold(plan)
            # a proof made for the bold claim comes nearest to one
            made = None if bold is None else write_proof(bold, scores)
            for _ in range(times):
                kind, changed = spoilt(rng, proof)
                accepted = is_proved(plan, changed, scores)
                assert not (accepted and kind in CERTAIN), (seed, kind)
                tried[kind] += 1
                refused[kind] += not accepted
                if bold is not None:
                    for each in (changed, made, made and spoilt(rng, made)[1]):
                        assert each is None or not is_proved(bold, each, scores), (seed, kind)
                    tried["bound raised"] += 1
                    refused["bound raised"] += 1
    assert set(tried) == SPOILT, tried
    for kind in SPOILT - {"group made up", "price made up"}:
        assert refused[kind] >= 0.15 * tried[kind], (kind, refused[kind], tried[kind])
    return refused


def too_bold(plan: Plan) -> Plan | None:
    """The plan with a bound that it refutes itself; None where there is none."""
    if not plan.found:
        return None
    if plan.promise.budget is None:
        return replace(plan, bound=plan.cost + 1)
    return None if plan.protected_k == 0 else replace(plan, bound=plan.protected_k - 1)


def spoilt(rng: random.Random, proof: Proof) -> tuple[str, Proof]:
    """A proof with one thing changed."""
    number = rng.choice([i for i, tree in enumerate(proof.trees) if tree])
    nodes, rows = [*proof.trees[number]], [*proof.places[number]]
    at = rng.randrange(len(rows))
    own = rows[at]
    priced = [i for i, node in enumerate(nodes) if len(node.prices) > 2]
    kinds = ["leaf dropped", "circle made up", "group made up", "price made up", "attacker dropped"]
    kinds += ["price changed"] * bool(priced or own.prices) + ["rival left out"] * bool(own.groups)
    kind = rng.choice(kinds)
    if kind == "leaf dropped":
        del nodes[rng.choice([i for i, n in enumerate(nodes) if not n.rivals and n.row is None])]
    elif kind == "price changed" and priced and rng.random() < 0.5:
        node = rng.choice(priced)
        prices = [*nodes[node].prices]
        prices[5] = rng.choice((0, prices[5] // 3, prices[5] * 3 + 1))
        nodes[node] = replace(nodes[node], prices=tuple(prices))
    elif kind == "price changed":
        prices = [*own.prices] or [0, 0, 0, 0]
        place = rng.randrange(len(prices))
        prices[place] = rng.choice((0, prices[place] // 3, prices[place] * 3 + 1))
        rows[at] = replace(own, prices=tuple(prices) if own.prices else ())
    elif kind == "rival left out":
        left_out = rng.randrange(len(own.groups))
        rows[at] = replace(own, groups=own.groups[:left_out] + own.groups[left_out + 1 :])
    elif kind == "circle made up":  # on the other side of the earth
        lat, lon = own.hidden[:2] or (0, 0)
        far = (-lat, lon - 180 * 10**9 if lon > 0 else lon + 180 * 10**9)
        rows[at] = replace(own, hidden=far + own.hidden[2:])
    elif kind == "group made up":
        rows[at] = replace(own, groups=(*own.groups, rng.randrange(12)))
    elif kind == "price made up":
        made_up = (0, rng.choice((0, 1, 2**20)), rng.choice((0, 1)), rng.choice((1, 2**20, 2**60)))
        rows[at] = replace(own, prices=(*own.prices, *made_up))
    else:
        del rows[at]
    trees, places = [*proof.trees], [*proof.places]
    trees[number], places[number] = tuple(nodes), tuple(rows)
    return kind, Proof(tuple(trees), tuple(places))


@pytest.mark.parametrize(
    "rows",
    [
        PlaceRows((1,)),
        PlaceRows((10**30, 0)),
        PlaceRows((0, 181 * 10**9)),
        PlaceRows((), (1,)),
        PlaceRows((), (), (0, 1, 0, 1)),
        PlaceRows(prices=(1, 2, 3)),
        PlaceRows(groups=(10**30,)),
        PlaceRows(groups=(-1,)),
    ],
    ids=str,
)
def test_no_number_in_a_proof_is_trusted(rows: PlaceRows) -> None:
    plan, scores = next(plans(5))
    assert plan.found
    proof = write_proof(plan, scores)
    assert proof is not None and is_proved(plan, proof, scores)
    own = proof.places[0][0]
    mixed = replace(
        own,
        hidden=rows.hidden + own.hidden[len(rows.hidden) :]
        if len(rows.hidden) > 1
        else rows.hidden,
        groups=own.groups + rows.groups,
        prices=own.prices + rows.prices,
    )
    for each in (rows, mixed):
        changed = replace(proof, places=((each,),))
        assert each == own or not is_proved(replace(plan, bound=plan.cost + 1), changed, scores)
    huge = replace(own, prices=(*own.prices, 0, 10**400, 10**400, 10**18))
    is_proved(plan, replace(proof, places=((huge,),)), scores)  # and does not fail
    for node in (ProofNode((1, 0, 0, 10**30, 0, 1)), ProofNode((1, 0), row=10**30)):
        assert not is_proved(plan, replace(proof, trees=((node,),)), scores)


def test_sums_beyond_the_floats_refute_nothing() -> None:
    plan, scores = next(plans(5))
    proof = write_proof(plan, scores)
    assert proof is not None
    against, rows, photos = plan.promise.against[0], proof.places[0][0], range(plan.promise.photos)
    for size, refuted in ((1.0, True), (1e308, False)):
        values = np.full(scores[0].values.shape, -size)
        own = PlaceView(against, scores[0], photos)
        circles = own.circles(rows)
        assert circles
        values[:, circles[0]] = size  # nothing else is likely
        view = PlaceView(against, Scores(values, points=scores[0].points), photos)
        assert view.refutes(photos, circles, 1) == refuted


@cache
def leaves_plan() -> tuple[Plan, list[Scores]]:
    """A plan for twenty photos over the leaves of the embedded model."""
    cells = Cells.leaves()
    rng = np.random.default_rng(7)
    lat, lon = cells.points
    home = int(np.argmin((lat - 43.7) ** 2 + (lon - 4.6) ** 2))
    near = (lat - lat[home]) ** 2 + (lon - lon[home]) ** 2 < 0.2**2
    table = rng.normal(0, 1, (20, len(lat))) + rng.normal(0, 1, len(lat))
    table[:, near] += rng.uniform(0, 6, (20, 1))
    scores = Scores(table.astype(np.float32), points=cells.points)
    hidden = HiddenCircles(((float(lat[home]), float(lon[home])),), 25.0, 0.5)
    return elsewhere.protect(scores, hidden, top=5, margin=0.1, each_photo=3), [scores]


def test_an_album_over_all_leaves_is_proved_in_little() -> None:
    plan, scores = leaves_plan()
    assert plan.status == Status.OPTIMAL and plan.withheld
    proof = elsewhere.prove(plan, scores[0])
    assert proof is not None
    verdict = elsewhere.check(plan, scores[0], proof=proof)
    assert verdict.none_better
    assert len(proof_to_bytes(proof, packed=True)) < 20_000
