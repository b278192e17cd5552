"""Random small joint problems: few tables, many attackers, each over photos of its own.

What an album asks for: places of one table, each watched over its own photos and over all of
them. The photos of different places are apart, overlap, or hold one another; some attackers differ
in nothing but their zones, and some in nothing at all.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores
from tests.solver.strategies import (
    SIZES,
    Problem,
    Table,
    about_photos,
    favour_truth,
    prior_knowledge,
    table_of_scores,
)

ATTACKERS = (2, 2, 3, 3, 3, 4, 4, 5)


class JointProblem(Problem):
    """A problem whose attackers share the very same scores where they share a table."""

    @property
    def scores(self) -> Any:
        made: dict[int, Scores] = {}
        return [made.setdefault(id(table), Scores(table)) for table in self.tables]


@dataclass(frozen=True)
class _Watcher:
    """One attacker, as it is drawn."""

    table: int
    zone: tuple[int, ...]
    rivals: tuple[int, ...] | None
    sees: tuple[int, ...] | None


def joint_problem(rng: random.Random) -> JointProblem:
    """One random problem of two to five attackers over one or two tables."""
    photos, cells = rng.choice(SIZES), rng.randint(4, 12)
    tables = [table_of_scores(rng, photos, cells) for _ in range(rng.choice((1, 1, 1, 2)))]
    places = [_zone(rng, cells) for _ in range(rng.randint(1, 3))]
    for table in tables:
        for zone in places:
            favour_truth(rng, table, set(zone))
    watchers = _watchers(rng, photos, cells, len(tables), places)
    count = len(watchers)
    outside = [cells - len(one.zone) if one.rivals is None else len(one.rivals) for one in watchers]
    wishes: dict[str, Any] = {"sees": [one.sees for one in watchers]}
    if any(one.rivals is not None for one in watchers):
        wishes["rivals"] = [one.rivals for one in watchers]
    tops: list[int | None] = [None] * count
    budget = None
    if rng.random() < 0.75:
        tops = _alike_or_each(
            rng, [min(rng.randint(1, most), rng.randint(1, 4)) for most in outside], min(outside)
        )
        wishes["top"] = list(tops)
    else:
        budget = wishes["budget"] = rng.randint(0, photos + 1)
    margins, leads = [0.0] * count, [0.0] * count
    if rng.random() < 0.35:
        margins = _alike_or_each(rng, [rng.choice((0.0, 0.5, 0.1, 1.0)) for _ in watchers])
        wishes["margin"] = list(margins)
    if rng.random() < 0.25:
        leads = _alike_or_each(rng, [rng.choice((0.0, 1.0, 0.1)) for _ in watchers])
        wishes["lead"] = list(leads)
    prior = None
    if rng.random() < 0.2:
        prior = tuple(prior_knowledge(rng, cells))
        wishes["prior"] = [prior] * count
    alone: list[int | None] = [None] * count
    if rng.random() < 0.3:
        same = True if budget is None else 1
        wished = [rng.choice((False, False, same, rng.randint(1, most))) for most in outside]
        wishes["each_photo"] = wished
        alone = [tops[a] if k is True else k or None for a, k in enumerate(wished)]
    promise = Promise(
        photos=photos,
        against=tuple(
            Against(
                scores=Scores(tables[one.table]).digest,
                scorer="",
                cells=cells,
                truth=one.zone,
                top=tops[a],
                margin=margins[a],
                lead=leads[a],
                prior=prior,
                rivals=one.rivals,
                sees=one.sees,
                each_photo=alone[a],
            )
            for a, one in enumerate(watchers)
        ),
        budget=budget,
        **about_photos(rng, photos, wishes),
    )
    truth = [list(one.zone) for one in watchers]
    shared: list[Table] = [tables[one.table] for one in watchers]
    return JointProblem(shared, truth, promise, True, wishes)


def _watchers(
    rng: random.Random, photos: int, cells: int, tables: int, places: list[tuple[int, ...]]
) -> list[_Watcher]:
    """Each place seen over its own photos, over all of them, or over any."""
    hidden = {cell for zone in places for cell in zone}
    shared = tuple(cell for cell in range(cells) if cell not in hidden)
    # most often a place's rivals lie outside every hidden zone
    common = bool(shared) and rng.random() < 0.7
    at = [rng.randrange(len(places)) for _ in range(photos)]
    lost = {photo for photo in range(photos) if rng.random() < 0.15}  # counted everywhere
    made = []
    for _ in range(rng.choice(ATTACKERS)):
        place = rng.randrange(len(places))
        own = {photo for photo in range(photos) if at[photo] == place} | lost
        some = {photo for photo in range(photos) if rng.random() < 0.5}
        sees = rng.choice((own, own, own, None, None, some, own | some, own & some))
        made.append(
            _Watcher(
                rng.randrange(tables),
                places[place],
                shared if common else None,
                None if sees is None else tuple(sorted(sees)),
            )
        )
    return made


def _zone(rng: random.Random, cells: int) -> tuple[int, ...]:
    return tuple(sorted(rng.sample(range(cells), rng.choice((1, 1, 2, min(4, cells - 1))))))


def _alike_or_each(rng: random.Random, drawn: list[Any], most: Any = None) -> list[Any]:
    """The same for all (no more than `most`) half of the time."""
    if rng.random() < 0.5:
        return drawn
    first = drawn[0] if most is None else min(drawn[0], most)
    return [first] * len(drawn)


joint_problems: st.SearchStrategy[JointProblem] = st.builds(
    joint_problem, st.randoms(use_true_random=False)
)
