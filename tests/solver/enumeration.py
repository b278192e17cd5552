"""Small random problems, and their answers by trying every set: what the baselines must match."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.solver.problem import FREE, IN, OUT, Attacker, Mask, Problem, Versions


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


def with_versions(rng: np.random.Generator, problem: Problem) -> Problem:
    """The problem with one to four versions of each photo; costs and scores have ties."""
    copies = rng.choice([1, 1, 2, 3, 4], problem.photos)
    photo_of = np.repeat(np.arange(problem.photos, dtype=np.intp), copies)
    scale = int(rng.choice([3, 10]))
    sizes = np.bincount(problem.unit_of, minlength=problem.units)
    costs = rng.integers(0, scale, len(photo_of))
    if rng.random() < 0.5:  # the first version is the photo as it is
        costs[np.unique(photo_of, return_index=True)[1]] = 0
    weights = problem.weights * scale + sizes * (scale - 1)
    attackers = []
    for attacker in problem.attackers:
        scores = attacker.scores[photo_of].astype(float)
        edited = np.append(False, photo_of[1:] == photo_of[:-1])
        change = rng.normal(size=scores.shape)
        if rng.random() < 0.5:
            change = rng.integers(-3, 4, scores.shape).astype(float)
        scores[edited] += change[edited]
        sees = None if attacker.sees is None else attacker.sees[photo_of]
        attackers.append(replace(attacker, scores=scores, sees=sees))
    allowed = rng.random(len(photo_of)) < 0.9
    unit_of = problem.unit_of[photo_of]
    without = np.ones(problem.photos, bool)
    without[photo_of[allowed]] = False
    pinned = problem.fixed[problem.unit_of] == IN
    allowed |= (without & pinned)[photo_of]
    budget = None if problem.budget is None else int(rng.integers(0, int(weights.sum()) + 2))
    return Problem(
        tuple(attackers),
        unit_of,
        weights,
        problem.fixed,
        budget,
        problem.strict,
        Versions(photo_of, costs.astype(np.int64), allowed),
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


def count(problem: Problem, attacker: Attacker, shared: Mask) -> int:
    """How many rivals hold, straight from the definition, in fractions."""
    rows = shared if attacker.sees is None else shared & attacker.sees
    return sum(
        all(_row_holds(problem, attacker, rows, j, z) for z in attacker.zone.tolist())
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


def every_plan(problem: Problem) -> Iterator[tuple[Mask, Mask]]:
    """Every division of the units that what is fixed allows, in every choice of versions."""
    for bits in itertools.product([False, True], repeat=problem.units):
        kept = np.array(bits)
        if (
            not kept.any()
            or not kept[problem.fixed == IN].all()
            or kept[problem.fixed == OUT].any()
        ):
            continue
        if problem.versions is None:
            yield kept, kept[problem.unit_of]
            continue
        versions = problem.versions
        rows = [
            np.flatnonzero((versions.photo_of == photo) & versions.allowed)
            for photo in np.unique(versions.photo_of[kept[problem.unit_of]])
        ]
        for chosen in itertools.product(*rows):
            shared = np.zeros(problem.rows, bool)
            shared[list(chosen)] = True
            yield kept, shared


def cost(problem: Problem, kept: Mask, shared: Mask) -> int:
    """What a plan costs."""
    costs = 0 if problem.versions is None else int(problem.versions.costs[shared].sum())
    return int(problem.weights[~kept].sum()) + costs


def merit(problem: Problem, kept: Mask, shared: Mask) -> tuple[int, ...] | None:
    """What is to be as large as possible; None for a plan that does not do."""
    counts = [count(problem, attacker, shared) for attacker in problem.attackers]
    spent = cost(problem, kept, shared)
    if problem.budget is None:
        enough = all(n >= a.need for n, a in zip(counts, problem.attackers, strict=True))
        return (-spent,) if enough else None
    taken = spent if problem.versions is not None else int(problem.sizes[~kept].sum())
    return (min(counts), sum(counts), -spent) if taken <= problem.budget else None


def best_merit(problem: Problem) -> tuple[int, ...] | None:
    """The best merit of any plan; None where nothing will do."""
    merits = (merit(problem, kept, shared) for kept, shared in every_plan(problem))
    return max((found for found in merits if found is not None), default=None)


def best(problem: Problem) -> int | None:
    """The least weight left out, or the largest smallest count; None where nothing will do."""
    found = best_merit(problem)
    return None if found is None else abs(found[0])
