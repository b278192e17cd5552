"""Small random problems, and their answers by trying every set: what the baselines must match."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Mask, Problem


def random_problem(
    rng: np.random.Generator,
    *,
    attackers: int = 1,
    zone: int = 1,
    units: bool = False,
    weights: bool = False,
    infinite: bool = False,
    strict: bool = False,
    budget: bool = False,
) -> Problem:
    """2 to 8 photos, 3 to 7 cells; small integers, so that ties abound; pins, drops, thresholds."""
    photos = int(rng.integers(2, 9))
    unit_of = np.sort(rng.integers(photos, size=photos)) if units else np.arange(photos)
    unit_of = np.unique(unit_of, return_inverse=True)[1].astype(np.intp)
    count = int(unit_of.max()) + 1
    seen_by = [_attacker(rng, photos, zone, infinite) for _ in range(attackers)]
    fixed = rng.choice([FREE, IN, OUT], p=[0.8, 0.1, 0.1], size=count).astype(np.int8)
    return Problem(
        attackers=tuple(seen_by),
        unit_of=unit_of,
        weights=rng.integers(1, 6, size=count) if weights else np.bincount(unit_of),
        fixed=fixed,
        budget=int(rng.integers(0, photos + 1)) if budget else None,
        strict=strict,
    )


def _attacker(rng: np.random.Generator, photos: int, zone: int, infinite: bool) -> Attacker:
    cells = int(rng.integers(zone + 2, zone + 7))
    whole = rng.random() < 0.5
    bank = rng.integers(-6, 7, (photos, cells)).astype(float) if whole else None
    if bank is None:
        bank = rng.normal(size=(photos, cells)) * np.exp(rng.normal(size=(photos, 1)))
    hidden = rng.permutation(cells)[:zone]
    bank[:, hidden] += 1.0
    if infinite:
        bank[rng.random(bank.shape) < 0.15] = -np.inf
    rivals = np.setdiff1d(np.arange(cells), hidden)
    return Attacker(
        scores=bank,
        zone=np.sort(hidden).astype(np.intp),
        rivals=rivals.astype(np.intp),
        need=int(rng.integers(1, len(rivals) + 1)),
        shift=float(rng.choice([0.0, 0.5, -0.25])),
        lead=float(rng.choice([0.0, 1.0])),
        offset=rng.integers(-2, 3, cells).astype(float) if rng.random() < 0.3 else None,
        sees=rng.random(photos) < 0.8 if rng.random() < 0.3 else None,
    )


def count(problem: Problem, attacker: Attacker, kept: Mask) -> int:
    """How many rivals hold, straight from the definition, in fractions."""
    photos = kept[problem.unit_of]
    if attacker.sees is not None:
        photos = photos & attacker.sees
    return sum(
        all(_row_holds(problem, attacker, photos, j, z) for z in attacker.zone.tolist())
        for j in attacker.rivals.tolist()
    )


def _row_holds(problem: Problem, attacker: Attacker, photos: Mask, j: int, z: int) -> bool:
    offset = np.zeros(attacker.scores.shape[1]) if attacker.offset is None else attacker.offset
    ahead = [*attacker.scores[photos, j].tolist(), float(offset[j])]
    behind = [*attacker.scores[photos, z].tolist(), float(offset[z])]
    if -np.inf in behind:
        return not (problem.strict and -np.inf in ahead)
    if -np.inf in ahead:
        return False
    row = sum(map(Fraction, ahead)) - sum(map(Fraction, behind))
    row -= int(photos.sum()) * Fraction(attacker.shift) + Fraction(attacker.lead)
    return row > 0 or (row == 0 and not problem.strict)


def best(problem: Problem) -> int | None:
    """The least weight left out, or the largest smallest count; None where nothing will do."""
    found: int | None = None
    for bits in itertools.product([False, True], repeat=problem.units):
        kept = np.array(bits)
        if (
            not kept.any()
            or not kept[problem.fixed == IN].all()
            or kept[problem.fixed == OUT].any()
        ):
            continue
        counts = [count(problem, attacker, kept) for attacker in problem.attackers]
        if problem.budget is None:
            if all(n >= a.need for n, a in zip(counts, problem.attackers, strict=True)):
                cost = int(problem.weights[~kept].sum())
                found = cost if found is None else min(found, cost)
        elif problem.sizes[~kept].sum() <= problem.budget:
            found = min(counts) if found is None else max(found, min(counts))
    return found
