"""Solve seeded random problems through the public interface; run in a process of its own.

    python problems.py small|large FIRST LAST STEP > RECORDS.json

Every problem follows from its number alone. Work is limited by count, never by time, so that a
record is the same on every machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.random import Generator

import elsewhere
from values import plain

SEED = 20_240_611
WORK_SMALL, WORK_LARGE = 50_000, 3_000
NOT_FOR_CHECK = ("near", "work_limit", "time_limit")
ALONE = 0.3
"""How often a wish that is not the problem's own subject is made all the same."""


@dataclass
class Problem:
    """One question, as the public functions take it."""

    scores: Any
    truth: Any
    photos: int
    cells: int
    attackers: int
    wishes: dict[str, Any] = field(default_factory=dict)


def random_table(rng: Generator, photos: int, cells: int, truth: list[int]) -> Any:
    """Scores of one attacker that mostly knows where the photos were taken."""
    table = rng.normal(scale=1.5, size=(photos, cells))
    bump = rng.choice([0.3, 1.0, 2.0])
    table[:, truth] += bump + rng.normal(scale=1.0, size=(photos, 1))
    style = rng.integers(6)
    if style == 0:
        table = np.round(table)  # many ties
    elif style == 1:
        table = np.round(table * 2).astype(np.int64)
    elif style == 2:
        table = table.astype(np.float32)
    elif style == 3:
        impossible = rng.random(table.shape) < 0.05
        table[impossible] = -np.inf
    elif style == 4:
        table = table - np.log(np.exp(table).sum(axis=1, keepdims=True))
    return table


def named(rng: Generator, table: Any) -> Any:
    """The same scores as a value with names and, at times, fingerprints."""
    names = [f"photo-{number}.jpg" for number in range(len(table))]
    told = {"scorer": "model", "grid": "cells"} if rng.random() < 0.5 else {}
    return elsewhere.Scores(table, names, **told)


def zone(rng: Generator, cells: int) -> list[int]:
    """One cell to hide, or a few."""
    many = 1 if rng.random() < 0.6 else int(rng.integers(2, max(3, cells // 4)))
    return sorted(int(cell) for cell in rng.choice(cells, size=many, replace=False))


def several_wishes(rng: Generator, problem: Problem, wish: Callable[[int], Any]) -> Any:
    """One wish for all attackers, or one for each."""
    if problem.attackers > 1 and rng.random() < 0.5:
        return [wish(attacker) for attacker in range(problem.attackers)]
    return wish(0)


def some(rng: Generator, photos: int, most: int) -> list[int]:
    """A few photos, in no order."""
    chosen = rng.choice(photos, size=int(rng.integers(1, most + 1)), replace=False)
    return [int(one) for one in chosen]


def small(number: int) -> Problem:
    """A problem of 4 to 14 photos and 8 to 40 cells; each wish is the subject of some of them."""
    rng = np.random.default_rng([SEED, number])
    subject = number % 16
    photos, cells = int(rng.integers(4, 15)), int(rng.integers(8, 41))
    attackers = int(rng.integers(2, 4)) if subject == 1 or rng.random() < 0.15 else 1
    widths = [cells] * attackers
    if attackers > 1 and rng.random() < 0.4:
        widths = [int(rng.integers(8, 41)) for _ in range(attackers)]
    one_truth = len(set(widths)) == 1 and rng.random() < 0.5
    zones = [zone(rng, width) for width in widths]
    if one_truth:
        zones = [zones[0]] * attackers
    tables = [
        random_table(rng, photos, width, truth) for width, truth in zip(widths, zones, strict=True)
    ]
    if subject == 2 or rng.random() < 0.2:
        tables = [named(rng, table) for table in tables]
    truths: list[Any] = [truth[0] if len(truth) == 1 else set(truth) for truth in zones]
    scores: Any = tables if attackers > 1 else tables[0]
    truth: Any = truths if attackers > 1 and not one_truth else truths[0]
    problem = Problem(scores, truth, photos, min(widths), attackers)
    _wish(rng, problem, subject, widths, zones)
    return problem


def _wish(
    rng: Generator, problem: Problem, subject: int, widths: list[int], zones: list[list[int]]
) -> None:
    """What is asked for: the subject always, everything else now and then."""
    photos, wishes = problem.photos, problem.wishes

    def also(which: int, often: float = ALONE) -> bool:
        return bool((rng.random() < often) | (subject == which))

    rivals_there = min(width - len(hidden) for width, hidden in zip(widths, zones, strict=True))
    most_top = max(1, min(rivals_there, 8))
    if also(3, 0.25):
        wishes["budget"] = int(rng.integers(0, photos + 1))
    else:
        wishes["top"] = several_wishes(rng, problem, lambda _: int(rng.integers(1, most_top + 1)))
    if also(4):
        wishes["margin"] = several_wishes(rng, problem, lambda _: float(rng.choice([0.05, 0.3])))
    if also(5, 0.1):
        wishes["lead"] = several_wishes(rng, problem, lambda _: float(rng.choice([0.5, 2.0])))
    if also(6, 0.1):
        priors = [rng.normal(size=width) for width in widths]
        if rng.random() < 0.2:
            priors[0][int(rng.integers(widths[0]))] = -np.inf
        wishes["prior"] = priors if problem.attackers > 1 else priors[0]
    if also(7, 0.2):
        wishes["values"] = _values(rng, photos)
    if also(8, 0.2):
        order = rng.permutation(photos).tolist()
        wishes["groups"] = [order[:2], order[2 : 2 + int(rng.integers(1, 3))]]
    if also(9, 0.2):
        wishes["keep"] = some(rng, photos, 2)
    if also(10, 0.2):
        kept = wishes.get("keep", [])
        wishes["drop"] = [one for one in some(rng, photos, 2) if one not in kept or subject == 10]
    if also(11, 0.1):
        wishes["rivals"] = _rivals(rng, problem, widths, zones)
    if also(12, 0.1):
        seen = [sorted(some(rng, photos, photos)) for _ in widths]
        wishes["sees"] = seen if problem.attackers > 1 else seen[0]
    if also(13, 0.15):
        alone = int(rng.integers(1, most_top + 1))
        wishes["each_photo"] = True if "top" in wishes and rng.random() < 0.5 else alone
    if also(14, 0.2):
        wishes["strict"] = True
    if also(15, 0.1):
        wishes["near"] = some(rng, photos, 3)
    if rng.random() < 0.1:
        wishes["work_limit"] = int(rng.choice([0, 1, 5, 50]))


def _values(rng: Generator, photos: int) -> Any:
    style = rng.integers(4)
    if style == 0:
        return {int(one): 3 for one in some(rng, photos, 3)}
    if style == 1:
        return [Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 5))) for _ in range(photos)]
    if style == 2:
        return [str(round(float(x), 2)) for x in rng.uniform(0.1, 3, size=photos)]
    return rng.integers(1, 6, size=photos).tolist()


def _rivals(
    rng: Generator, problem: Problem, widths: list[int], zones: list[list[int]]
) -> list[Any]:
    chosen = []
    for width, hidden in zip(widths, zones, strict=True):
        others = [cell for cell in range(width) if cell not in hidden]
        many = int(rng.integers(1, len(others) + 1))
        chosen.append(sorted(rng.choice(others, size=many, replace=False).tolist()))
    return chosen if problem.attackers > 1 else chosen[0]


def large(number: int) -> Problem:
    """A problem of 64 to 128 photos and 512 cells, stopped by work."""
    rng = np.random.default_rng([SEED, 1_000_000 + number])
    photos, cells = int(rng.integers(64, 129)), 512
    hidden = sorted(rng.choice(cells, size=int(rng.choice([1, 1, 4])), replace=False).tolist())
    attackers = 2 if number % 6 == 5 else 1
    tables = []
    for _ in range(attackers):
        table = rng.normal(scale=1.5, size=(photos, cells)).astype(np.float32)
        table[:, hidden] += rng.choice([0.4, 0.6, 0.9])
        tables.append(table)
    problem = Problem(tables if attackers > 1 else tables[0], set(hidden), photos, cells, attackers)
    if attackers > 1:
        problem.truth = [set(hidden)] * attackers
    wishes = problem.wishes
    if number % 4 == 3:
        wishes["budget"] = int(rng.integers(4, photos // 3))
    else:
        wishes["top"] = int(rng.integers(1, 16))
    if number % 5 == 1:
        wishes["margin"] = 0.1
    if number % 5 == 2:
        wishes["values"] = rng.integers(1, 6, size=photos).tolist()
    if number % 5 == 3:
        wishes["keep"] = some(rng, photos, 4)
    if number % 7 == 2:
        wishes["groups"] = [[one, one + 1] for one in range(0, 20, 2)]
    wishes["work_limit"] = WORK_LARGE
    return problem


def record(problem: Problem, *, frontier: bool, audit: bool) -> tuple[dict[str, Any], str]:
    """What becomes of a problem, and the sentence that tells it."""
    wishes = problem.wishes
    told: dict[str, Any] = {
        "asked": f"{problem.photos}x{problem.cells}x{problem.attackers} {' '.join(sorted(wishes))}"
    }
    sentence = ""
    try:
        limited = {"work_limit": WORK_SMALL, **wishes}
        plan = elsewhere.protect(problem.scores, problem.truth, **limited)
    except Exception as wrong:
        told["error"], sentence = type(wrong).__name__, str(wrong)
    else:
        sentence = plan.explanation
        told |= _plan(plan)
        told["check"] = _checks(plan, problem)
    if frontier:
        told["frontier"] = _frontier(problem)
    if audit and problem.attackers == 1:
        told["audit"] = _audit(problem)
    return told, sentence


def _plan(plan: Any) -> dict[str, Any]:
    return {
        "status": str(plan.status),
        "cost": plain(plan.cost),
        "bound": plain(plan.bound),
        "withheld": list(plan.withheld),
        "kept": len(plan.kept),
        "protected_k": [view.protected_k for view in plan.views],
        "rivals": [plain(view.rivals[:8]) for view in plan.views],
        "slack": [plain(view.slack) for view in plan.views],
        "rests_on_zero": plan.rests_on_zero,
        "work": plan.work,
    }


def _checks(plan: Any, problem: Problem) -> dict[str, Any]:
    """Verdicts on the plan as it is, on lies about it, and on other scores and wishes."""
    scores, truth = problem.scores, problem.truth
    wishes = {name: wish for name, wish in problem.wishes.items() if name not in NOT_FOR_CHECK}
    last = problem.photos - 1
    flipped = set(plan.withheld) ^ {last}
    lies = {
        "own_promise": (plan, scores, None, {}),
        "asked": (plan, scores, truth, wishes),
        "another_strictness": (plan, scores, truth, {**wishes, "strict": not wishes.get("strict")}),
        "other_scores": (plan, _nudged(scores), truth, wishes),
        "another_set": (
            replace(
                plan,
                withheld=tuple(sorted(flipped)),
                kept=tuple(sorted(set(range(problem.photos)) - flipped)),
            ),
            scores, truth, wishes,
        ),
        "another_cost": (replace(plan, cost=plan.cost + 1), scores, truth, wishes),
        "another_bound": (replace(plan, bound=plan.bound + 1), scores, truth, wishes),
        "another_status": (
            replace(plan, status=elsewhere.Status.INFEASIBLE), scores, truth, wishes,
        ),
        "more_protected": (
            replace(
                plan,
                views=tuple(replace(one, protected_k=one.protected_k + 1) for one in plan.views),
            ),
            scores, truth, wishes,
        ),
    }  # fmt: skip
    return {name: _verdict(*lie) for name, lie in lies.items()}


def _verdict(plan: Any, scores: Any, truth: Any, wishes: dict[str, Any]) -> bool | str:
    try:
        return bool(elsewhere.check(plan, scores, truth, **wishes))
    except Exception as wrong:
        return type(wrong).__name__


def _nudged(scores: Any) -> Any:
    if isinstance(scores, list):
        return [_nudged(scores[0]), *scores[1:]]
    if isinstance(scores, elsewhere.Scores):
        return elsewhere.Scores(
            _nudged(scores.values), scores.ids, scorer=scores.scorer, grid=scores.grid
        )
    nudged = np.array(scores, dtype=np.float64)
    nudged[0, 0] = 0.125 if nudged[0, 0] != 0.125 else 0.25
    return nudged


def _frontier(problem: Problem) -> Any:
    """Each point: budget, protected k, bound, status, withheld."""
    wishes = {
        name: wish
        for name, wish in problem.wishes.items()
        if name not in {"top", "budget", "near", "work_limit"}
    }
    if wishes.get("each_photo") is True:
        wishes["each_photo"] = 1
    try:
        found = elsewhere.frontier(problem.scores, problem.truth, work_limit=WORK_SMALL, **wishes)
    except Exception as wrong:
        return type(wrong).__name__
    return [
        [point.budget, point.protected_k, point.bound, str(point.plan.status),
         list(point.plan.withheld)]
        for point in found
    ]  # fmt: skip


def _audit(problem: Problem) -> Any:
    """What an attacker infers: rank, probability, first guesses, and what each photo does."""
    truth = sorted(problem.truth) if isinstance(problem.truth, set) else problem.truth
    found: Any
    try:
        found = elsewhere.audit(problem.scores, truth, margin=problem.wishes.get("margin", 0.0))
    except Exception as wrong:
        return type(wrong).__name__
    return {
        "rank": found.truth.rank,
        "probability": plain(found.truth.probability),
        "guesses": [guess.cell for guess in found.guesses],
        "gains": plain(found.truth.shares.gains),
        "worst_order": list(found.truth.worst_order.order),
        "alone": [one.rank for one in found.alone],
    }


def main() -> None:
    """Record the numbers that were asked for."""
    size, (first, last, step) = sys.argv[1], map(int, sys.argv[2:5])
    make = {"small": small, "large": large}[size]
    records, sentences = {}, {}
    for number in range(first, last, step):
        # wishes go round in sixteens: an odd step brings everything to every one of them
        steps = size == "small" and number % 5 < 2
        told, sentence = record(make(number), frontier=steps, audit=number % 5 == 0)
        records[f"{number:04}"] = told
        sentences[f"{number:04}"] = sentence
    json.dump({"records": records, "sentences": sentences}, sys.stdout)


if __name__ == "__main__":
    main()
