"""Ways to spoil a true plan, so that each result says something false.

Each takes a case and a source of chance, and returns the spoilt case, or None where the plan has
nothing of that kind to spoil. What could by luck become another true plan is left to no luck: the
change is always one that contradicts a stated number, a pin, a digest or the question asked.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores


@dataclass(frozen=True)
class Case:
    """What a check is given."""

    plan: Plan
    promise: Promise
    scores: list[Scores]

    def with_plan(self, **changes: Any) -> Case:
        return replace(self, plan=replace(self.plan, **changes))

    def with_view(self, number: int, **changes: Any) -> Case:
        views = list(self.plan.views)
        views[number] = replace(views[number], **changes)
        return self.with_plan(views=tuple(views))


Corruption = Callable[[Case, random.Random], Case | None]


def _view(case: Case, rng: random.Random) -> tuple[int, View]:
    number = rng.randrange(len(case.plan.views))
    return number, case.plan.views[number]


def _move(plan: Plan, photo: int) -> dict[str, tuple[int, ...]]:
    """The photos with one of them on the other side."""
    return {
        "withheld": tuple(sorted(set(plan.withheld) ^ {photo})),
        "kept": tuple(sorted(set(plan.kept) ^ {photo})),
    }


def flip_photo(case: Case, rng: random.Random) -> Case:
    return case.with_plan(**_move(case.plan, rng.randrange(case.promise.photos)))


def withhold_pin(case: Case, rng: random.Random) -> Case | None:
    """A pinned photo withheld, and the cost put right for it."""
    if not case.promise.keep:
        return None
    photo = rng.choice(case.promise.keep)
    values = case.promise.values
    cost = case.plan.cost + (1 if values is None else values[photo])
    return case.with_plan(**_move(case.plan, photo), cost=cost)


def keep_drop(case: Case, rng: random.Random) -> Case | None:
    """A photo that must go kept, and the cost put right for it."""
    if not case.promise.drop:
        return None
    photo = rng.choice(case.promise.drop)
    values = case.promise.values
    cost = case.plan.cost - (1 if values is None else values[photo])
    return case.with_plan(**_move(case.plan, photo), cost=cost)


def lose_photo(case: Case, rng: random.Random) -> Case:
    side = "withheld" if case.plan.withheld and rng.random() < 0.5 else "kept"
    photos = list(getattr(case.plan, side))
    photos.pop(rng.randrange(len(photos)))
    return case.with_plan(**{side: tuple(photos)})


def invent_photo(case: Case, rng: random.Random) -> Case:
    side = rng.choice(("withheld", "kept"))
    photo = rng.choice((-1, case.promise.photos, rng.randrange(case.promise.photos)))
    return case.with_plan(**{side: tuple(sorted((*getattr(case.plan, side), photo)))})


def shuffle_photos(case: Case, rng: random.Random) -> Case | None:
    side = rng.choice(("withheld", "kept"))
    photos = getattr(case.plan, side)
    return case.with_plan(**{side: photos[::-1]}) if len(photos) > 1 else None


def keep_nothing(case: Case, rng: random.Random) -> Case:
    return case.with_plan(kept=(), withheld=tuple(range(case.promise.photos)))


def add_rival(case: Case, rng: random.Random) -> Case:
    number, view = _view(case, rng)
    cell = rng.randrange(case.promise.against[number].cells + 1)
    at = rng.randint(0, len(view.rivals))
    rivals = (*view.rivals[:at], cell, *view.rivals[at:])
    return case.with_view(number, rivals=rivals, protected_k=view.protected_k + rng.randint(0, 1))


def remove_rival(case: Case, rng: random.Random) -> Case | None:
    number, view = _view(case, rng)
    if not view.rivals:
        return None
    at = rng.randrange(len(view.rivals))
    rivals = view.rivals[:at] + view.rivals[at + 1 :]
    return case.with_view(number, rivals=rivals, protected_k=view.protected_k - rng.randint(0, 1))


def replace_rival(case: Case, rng: random.Random) -> Case | None:
    number, view = _view(case, rng)
    if not view.rivals:
        return None
    at = rng.randrange(len(view.rivals))
    others = set(range(case.promise.against[number].cells)) - {view.rivals[at]}
    rivals = (*view.rivals[:at], rng.choice(sorted(others)), *view.rivals[at + 1 :])
    return case.with_view(number, rivals=rivals)


def reorder_rivals(case: Case, rng: random.Random) -> Case | None:
    number, view = _view(case, rng)
    if len(view.rivals) < 2:
        return None
    one, other = rng.sample(range(len(view.rivals)), 2)
    rivals = list(view.rivals)
    rivals[one], rivals[other] = rivals[other], rivals[one]
    return case.with_view(number, rivals=tuple(rivals))


def change_protected_k(case: Case, rng: random.Random) -> Case:
    number, view = _view(case, rng)
    return case.with_view(number, protected_k=view.protected_k + rng.choice((-1, 1, 5)))


def change_slack(case: Case, rng: random.Random) -> Case:
    number, view = _view(case, rng)
    true = view.slack
    false = rng.choice((math.nan, -1.0, math.nextafter(true, 0.0), math.nextafter(true, math.inf)))
    return case.with_view(number, slack=math.nan if false == true else false)


def change_cost(case: Case, rng: random.Random) -> Case:
    step = rng.choice((1, -1, Fraction(1, 3), Fraction(1, 10**30), -Fraction(1, 7)))
    return case.with_plan(cost=case.plan.cost + step)


def change_bound(case: Case, rng: random.Random) -> Case:
    """A bound that the plan itself contradicts; an optimal plan's bound has no freedom at all."""
    step = rng.choice((1, 7, Fraction(1, 1000)))
    plan, guarantee = case.plan, case.promise.budget is None
    if plan.status == Status.OPTIMAL:
        return case.with_plan(bound=plan.bound + rng.choice((-1, 1)) * step)
    return case.with_plan(bound=plan.cost + step if guarantee else plan.protected_k - step)


def change_status(case: Case, rng: random.Random) -> Case:
    plan = case.plan
    best = plan.cost if case.promise.budget is None else plan.protected_k
    states = [Status.INFEASIBLE, Status.UNKNOWN]
    if plan.status == Status.FEASIBLE and plan.bound != best:
        states.append(Status.OPTIMAL)
    return case.with_plan(status=rng.choice(states))


def flip_rests_on_zero(case: Case, rng: random.Random) -> Case:
    return case.with_plan(rests_on_zero=not case.plan.rests_on_zero)


def lose_view(case: Case, rng: random.Random) -> Case:
    return case.with_plan(views=case.plan.views[1:])


def repeat_view(case: Case, rng: random.Random) -> Case:
    return case.with_plan(views=(*case.plan.views, case.plan.views[0]))


def other_scores(case: Case, rng: random.Random) -> Case:
    """One score of one attacker moved, by as little as can be or by much."""
    number = rng.randrange(len(case.scores))
    table = np.array(case.scores[number].values, dtype=np.float64)
    row, column = rng.randrange(table.shape[0]), rng.randrange(table.shape[1])
    old = table[row, column]
    new = -np.inf if rng.random() < 0.2 else np.nextafter(old, -1e9 if old > -1e9 else 0.0)
    table[row, column] = 0.25 if new == old else new
    scores = list(case.scores)
    scores[number] = Scores(table)
    return replace(case, scores=scores)


def swap_rows(case: Case, rng: random.Random) -> Case | None:
    """The right scores in the wrong order of photos."""
    table = case.scores[0].values
    if np.array_equal(table, table[::-1]):
        return None
    return replace(case, scores=[Scores(table[::-1]), *case.scores[1:]])


def other_question(case: Case, rng: random.Random) -> Case:
    """The plan is true, but of something that was not asked: a pin forgotten, a number changed."""
    promise = case.promise
    number = rng.randrange(len(promise.against))
    against = promise.against[number]
    photos = promise.photos
    free = [i for i in range(photos) if i not in promise.keep]
    changes: list[Promise] = [
        replace(promise, strict=not promise.strict),
        replace(promise, values=tuple(Fraction(i + 2) for i in range(photos))),
        replace(promise, against=(*promise.against, against)),
        *(
            replace(promise, keep=tuple(p for p in promise.keep if p != pin))
            for pin in promise.keep
        ),
        *(
            replace(promise, drop=tuple(p for p in promise.drop if p != pin))
            for pin in promise.drop
        ),
        *(replace(promise, keep=tuple(sorted((*promise.keep, photo)))) for photo in free),
        replace(promise, groups=promise.groups[1:] if promise.groups else ((0, 1),)),
    ]
    if promise.budget is not None:
        changes.append(replace(promise, budget=promise.budget + 1))
    fields: list[dict[str, Any]] = [
        {"margin": against.margin + 2.0**-40},
        {"lead": against.lead + 1.0},
        {"top": 1 if against.top is None else against.top + 1},
        {"prior": (0.0,) * (against.cells - 1) + (1.0,)},
        {"sees": (0,) if against.sees != (0,) else None},
        {"each_photo": (against.each_photo or 0) + 1},
        {"scores": "0" * 64},
        {"truth": tuple((cell + 1) % against.cells for cell in against.truth)},
    ]
    for field in fields:
        them = list(promise.against)
        them[number] = replace(against, **field)
        changes.append(replace(promise, against=tuple(them)))
    other = rng.choice(changes)
    if rng.random() < 0.5:
        return replace(case, promise=other)
    return case.with_plan(promise=other)


CORRUPTIONS: tuple[Corruption, ...] = (
    flip_photo, withhold_pin, keep_drop, lose_photo, invent_photo, shuffle_photos, keep_nothing,
    add_rival, remove_rival, replace_rival, reorder_rivals, change_protected_k, change_slack,
    change_cost, change_bound, change_status, flip_rests_on_zero, lose_view, repeat_view,
    other_scores, swap_rows, other_question,
)  # fmt: skip
