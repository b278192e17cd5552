"""Random small problems, with every wish there is and in any combination.

One generator, two drivers: hypothesis (`problems`), which shrinks what fails, and plain seeds
(`problem(random.Random(7))`), which are fast enough for a hundred thousand.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores

Table = NDArray[np.floating[Any]]
SIZES = (2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 9, 10)


@dataclass(frozen=True)
class Problem:
    """A call of `elsewhere.protect`, and the promise that it should be understood as."""

    tables: list[Table]
    truth: Any
    promise: Promise
    several: bool
    wishes: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Any:
        """What to pass as scores: a list only where several attackers are meant."""
        return self.tables if self.several else self.tables[0]

    @property
    def matrices(self) -> list[Scores]:
        return [Scores(table) for table in self.tables]

    def __repr__(self) -> str:
        """A call that can be pasted."""
        tables = ", ".join(
            f"np.array({table.tolist()!r}, dtype=np.{table.dtype})" for table in self.tables
        )
        scores = f"[{tables}]" if self.several else tables
        wishes = "".join(f", {name}={wish!r}" for name, wish in self.wishes.items())
        return f"elsewhere.protect({scores}, {self.truth!r}{wishes})"


def problem(rng: random.Random, photos: int | None = None) -> Problem:
    """One random problem."""
    photos = rng.choice(SIZES) if photos is None else photos
    several = rng.random() < 0.4
    attackers = rng.choice((1, 2, 2, 2, 3)) if several else 1
    most = rng.choice((4, 8, 8, 14))
    wide = [rng.randint(2, most)] * attackers
    if rng.random() < 0.5:
        wide = [rng.randint(2, most) for _ in range(attackers)]
    tables = [table_of_scores(rng, photos, cells) for cells in wide]
    truths = [_truth(rng, cells) for cells in wide]
    shared_truth = len(set(wide)) == 1 and rng.random() < 0.5
    if shared_truth:
        truths = truths[:1] * attackers
    for table, truth in zip(tables, truths, strict=True):
        favour_truth(rng, table, truth)

    wishes: dict[str, Any] = {}

    def each(name: str, likely: float, draw: Callable[[int], Any], alike: bool = True) -> list[Any]:
        """A wish that may be one for all attackers, or one each; None where not wished."""
        if rng.random() >= likely:
            return [None] * attackers
        if alike and rng.random() < 0.5:
            drawn = [draw(0)] * attackers
            wishes[name] = drawn[0]
        else:
            drawn = [draw(number) for number in range(attackers)]
            wishes[name] = drawn if several else drawn[0]
        return drawn

    alike = shared_truth
    rivals = each("rivals", 0.25, lambda a: _some(rng, _outside(wide[a], truths[a])), alike)
    prior = each("prior", 0.3, lambda a: prior_knowledge(rng, wide[a]), len(set(wide)) == 1)
    sees = each("sees", 0.2, lambda a: _some(rng, range(photos)) if rng.random() < 0.95 else [])
    margin = each("margin", 0.35, lambda a: rng.choice((0.5, 0.1, 1.0, 2.0**-60, 1e-300, 3)))
    lead = each("lead", 0.35, lambda a: rng.choice((1.0, 0.1, 2.5, 1e-9, 5e-324, 2)))
    counts = [
        len(_outside(cells, truth)) if chosen is None else len(chosen)
        for cells, truth, chosen in zip(wide, truths, rivals, strict=True)
    ]
    budget = None
    tops: list[Any] = [None] * attackers
    if rng.random() < 0.6:
        tops = each("top", 1.0, lambda a: rng.randint(1, min(counts) if a == 0 else counts[a]))
    else:
        budget = wishes["budget"] = rng.randint(0, photos + 1)
    each_photo: list[int | None] = [None] * attackers
    if rng.random() < 0.2:
        if budget is None and rng.random() < 0.5:
            wishes["each_photo"] = True
            each_photo = list(tops)
        else:
            wishes["each_photo"] = k = rng.randint(1, min(counts))
            each_photo = [k] * attackers
    promise = Promise(
        photos=photos,
        against=tuple(
            Against(
                scores=Scores(tables[a]).digest,
                scorer="",
                cells=wide[a],
                truth=tuple(sorted(truths[a])),
                top=tops[a],
                margin=float(margin[a] or 0.0),
                lead=float(lead[a] or 0.0),
                prior=None if prior[a] is None else tuple(prior[a]),
                rivals=None if rivals[a] is None else tuple(rivals[a]),
                sees=None if sees[a] is None else tuple(sees[a]),
                each_photo=each_photo[a],
            )
            for a in range(attackers)
        ),
        budget=budget,
        **about_photos(rng, photos, wishes),
    )
    given = [next(iter(t)) if len(t) == 1 and rng.random() < 0.8 else set(t) for t in truths]
    shown = given[0] if not several or (shared_truth and rng.random() < 0.7) else given
    return Problem(tables, shown, promise, several, wishes)


def about_photos(rng: random.Random, photos: int, wishes: dict[str, Any]) -> dict[str, Any]:
    """Pins, drops, values, groups and strictness: into `wishes`, and as the promise has them."""
    kind = [rng.choice("kd......") if rng.random() < 0.6 else "." for _ in range(photos)]
    if rng.random() < 0.4:
        kind = ["."] * photos
    fixed = {
        name: tuple(i for i in range(photos) if kind[i] == letter)
        for name, letter in (("keep", "k"), ("drop", "d"))
    }
    wishes |= {name: list(chosen) for name, chosen in fixed.items() if chosen}
    values = None
    if rng.random() < 0.4:
        draw: Callable[[], Any] = rng.choice((
            lambda: rng.randint(1, 4),
            lambda: Decimal(rng.randint(1, 40)) / 10,
            lambda: rng.randint(1, 40) / 10,
            lambda: Fraction(rng.randint(1, 6), rng.choice((1, 2, 3, 7))),
        ))  # fmt: skip
        wishes["values"] = [draw() for _ in range(photos)]
        # a float means the decimal that it is written as
        values = tuple(Fraction(str(value)) for value in wishes["values"])
        values = None if set(values) == {Fraction(1)} else values
    groups: list[tuple[int, ...]] = []
    if rng.random() < 0.3:
        order = list(range(photos))
        rng.shuffle(order)
        while len(order) >= 2 and len(groups) < 3:
            size = rng.randint(2, 3)
            groups.append(tuple(sorted(order[:size])))
            order = order[size:]
        groups = sorted(group for group in groups if len(group) >= 2)
        wishes["groups"] = [list(group) for group in groups]
    strict = rng.random() < 0.3
    if strict:
        wishes["strict"] = True
    return {**fixed, "values": values, "groups": tuple(groups), "strict": strict}


def _some(rng: random.Random, things: Any) -> list[int]:
    """At least one of them, in order."""
    pool = list(things)
    return sorted(rng.sample(pool, rng.randint(1, len(pool))))


def _outside(cells: int, truth: set[int]) -> list[int]:
    return [cell for cell in range(cells) if cell not in truth]


def _truth(rng: random.Random, cells: int) -> set[int]:
    size = 1 if rng.random() < 0.6 else rng.randint(1, min(4, cells - 1))
    return set(rng.sample(range(cells), size))


def prior_knowledge(rng: random.Random, cells: int) -> list[float]:
    known = [rng.choice((0.0, -1.0, -0.1, -3.5, -rng.random())) for _ in range(cells)]
    if rng.random() < 0.3:
        known[rng.randrange(cells)] = -math.inf
    return known


def _normal(rng: random.Random) -> float:
    """A normal deviate, within reason: hypothesis may pass any float off as one."""
    return max(-6.0, min(6.0, rng.gauss(0, 1)))


def table_of_scores(rng: random.Random, photos: int, cells: int) -> Table:
    """Scores of one of many characters."""
    scale = [math.exp(2 * _normal(rng)) for _ in range(photos)]
    spread = rng.choice((3, 30, 300))
    draw: Callable[[int], float] = rng.choice((
        lambda i: float(rng.randint(-3, 3)),
        lambda i: float(rng.randint(-1, 1)),
        lambda i: rng.randint(-50, 0) / 10,
        lambda i: -min(rng.expovariate(0.3), 700.0),
        lambda i: _normal(rng) * scale[i],
        lambda i: rng.randint(-2, 2) + rng.choice((0.0, 0.0, 2.0**-50, -(2.0**-50), 1e-17)),
        lambda i: rng.choice((-1.0, 1.0)) * 10.0 ** rng.randint(-spread, spread),
        lambda i: float(rng.randint(-3, 3)) * rng.choice((1e300, 1e-300, 1.0)),
        lambda i: rng.choice((-1, 1, 2)) * rng.choice((5e-324, 1.7e308 / 2, 1.0)),
    ))  # fmt: skip
    table = np.array([[draw(i) for _ in range(cells)] for i in range(photos)])
    if rng.random() < 0.2:
        with np.errstate(over="ignore"):
            narrow = table.astype(np.float32)
        table = np.where(np.isfinite(narrow), narrow, np.float32(0.5))
    if rng.random() < 0.25:
        share = rng.choice((0.05, 0.2, 0.5))
        for i in range(photos):
            for j in range(cells):
                if rng.random() < share:
                    table[i, j] = -np.inf
    return table


def favour_truth(rng: random.Random, table: Table, truth: set[int]) -> None:
    """Often give the truth what a good attacker would give it: else there is little to hide."""
    extra = rng.choice((0.0, 0.0, 0.5, 1.0, 3.0))
    if extra and np.abs(np.where(np.isfinite(table), table, 0.0)).max() < 1e6:
        table[:, sorted(truth)] += table.dtype.type(extra)


problems: st.SearchStrategy[Problem] = st.builds(problem, st.randoms(use_true_random=False))
