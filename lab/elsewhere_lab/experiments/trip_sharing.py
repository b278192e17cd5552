"""Ways to share a trip, and who finds the place in what is shared.

A plan asks one model or several: the promise is then about each of them. Attackers are those that
simply add up, somebody who knows the tool and strikes out what comes first, and those of
`trip_attackers`.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from elsewhere.globe import Cells, zone
from elsewhere.globe.circles import cosine
from elsewhere.globe.coordinates import unit_vector
from elsewhere.service.secret_top import candidate_tops
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.places import place_attacker, plan_places
from elsewhere.solver.problem import Mask, Problem
from elsewhere_lab.collections import TOP
from elsewhere_lab.experiments.trip_attackers import (
    AVERAGED,
    CANDIDATES,
    HALVES,
    REPEATS_ONCE,
    PhotosAlone,
    averaged_photos,
    describe_candidates,
    parts_of,
    repeats_once,
    softmax,
    write_candidates,
)
from elsewhere_lab.solving import WORK, solve_quietly
from elsewhere_lab.statistics import NO_PLAN, WITHHELD
from elsewhere_lab.trips import DINO, EMBEDDED, LOOK_UP, FirstCircles, Floats, Trips
from elsewhere_lab.values import Row, Value

R = 25.0
DRAWS = 3  # how often photos are drawn at random
SECRET_MOST, GUESSED = 12, 8  # the largest secret k, and what the excluder takes it for
_SEED = 20261116
EXCLUDER, FIRST_GUESS = "excluder", "excluder, first guess"
ALONE = "any photo alone"
ATTACKS = (
    EMBEDDED, "on leaves", "exponent 1/n", "exponent 1", ALONE, DINO, LOOK_UP, EXCLUDER,
    FIRST_GUESS,
)  # fmt: skip
MORE_ATTACKS = (AVERAGED, HALVES, REPEATS_ONCE)
"""Tried on the ways of `TRIED_MORE` alone, as whoever was trained is."""
SHARED, NO_PHOTOS, CELLS = "everything shared", "no photos at all", "512 cells, earlier defaults"
NO_PHOTOS_LEAVES = f"{NO_PHOTOS}, on leaves"
RANDOM, TELLING = "at random", "most telling first"


class Way(NamedTuple):
    """A plan for places."""

    top: int
    """The k for the album; 0 for a secret one."""
    alone: int
    """The k for each photo; 0 for the album's, which is none where the album's is known."""
    margin: float = 0.0
    radius: float = R
    asked: tuple[str, ...] = (EMBEDDED,)
    """The models that the promise is about."""
    doubt: float = 0.0
    """Every rival is lowered by so many times what the embedded model and DINOv2 differ there."""


FIRST, SECOND = "k = 5, each photo 5", "k = 10, each photo 10"
SECRET = "secret k, each photo 5"
DEFAULT, WIDE, WIDEST = (f"{SECRET}, θ = {margin}" for margin in (".1", ".3", ".7"))
PAIRS = {
    f"asked: {first} and {second}": (first, second)
    for first, second in ((EMBEDDED, DINO), (EMBEDDED, LOOK_UP), (DINO, LOOK_UP))
}
WITH_DINO, WITH_LOOK_UP, WITHOUT_OWN = PAIRS
ALL_THREE, TWO_OF_THREE = "asked: all three", "asked: two of the three, the cheapest"
DOUBTS = {"doubt .05": 0.05, "doubt .15": 0.15}
PLANS: dict[str, Way] = {
    FIRST: Way(5, 5), f"{FIRST}, θ = .05": Way(5, 5, 0.05), f"{FIRST}, θ = .1": Way(5, 5, 0.1),
    "k = 10, each photo 5": Way(10, 5), "k = 10, each photo 5, θ = .1": Way(10, 5, 0.1),
    SECOND: Way(10, 10), f"{SECOND}, θ = .1": Way(10, 10, 0.1),
    SECRET: Way(0, 5), DEFAULT: Way(0, 5, 0.1), WIDE: Way(0, 5, 0.3), WIDEST: Way(0, 5, 0.7),
    "secret k, each photo k": Way(0, 0), "k = 5, the sum alone": Way(5, 0),
    "k = 5, R = 10 km": Way(5, 5, 0, 10), "k = 5, R = 50 km": Way(5, 5, 0, 50),
    "k = 5, R = 100 km": Way(5, 5, 0, 100),
    "k = 1": Way(1, 1), "k = 3": Way(3, 3), "k = 15": Way(15, 15),
    **{name: Way(0, 5, 0.1, asked=asked) for name, asked in PAIRS.items()},
    ALL_THREE: Way(0, 5, 0.1, asked=(EMBEDDED, DINO, LOOK_UP)),
    **{name: Way(0, 5, doubt=doubt) for name, doubt in DOUBTS.items()},
}  # fmt: skip
FAMILIES = (
    SECRET, DEFAULT, WIDE, WIDEST, *DOUBTS, WITH_DINO, WITH_LOOK_UP, WITHOUT_OWN, TWO_OF_THREE,
    ALL_THREE,
)  # fmt: skip
"""Ways that are compared by what models find that were not asked."""
TRIED_MORE = (
    SHARED, FIRST, f"{FIRST}, θ = .1", "k = 5, the sum alone", SECOND, "k = 15", *FAMILIES, CELLS,
)  # fmt: skip
SHARES = (0.15, 0.3, 0.5, 0.7)


class Trip:
    """One trip, and the attacks on what is shared of it."""

    def __init__(self, source: Trips, number_: int) -> None:
        self.source, self.number = source, number_
        self.origin, rows = source.entries()[number_]
        self.where, self.photos = source.positions(rows), len(rows)
        self.unit = unit_vector(*self.where.T)
        self.views = {name: source.scores(name, rows) for name in (EMBEDDED, DINO, LOOK_UP)}
        self.known: dict[Any, dict[str, float]] = {}
        self.alone: dict[float, Any] = {}

    @cached_property
    def before(self) -> Floats:
        """(leaves,) what is likely without photos."""
        return self.source.mean_elsewhere(self.origin)

    @cached_property
    def photos_alone(self) -> PhotosAlone:
        """What each photo says alone."""
        return PhotosAlone(first_circles(R), self.views[EMBEDDED])

    def rows(self) -> Iterator[Row]:
        """Every way to share it, with who finds the place."""
        everything = np.ones(self.photos, dtype=bool)
        nothing_excluded = self.attack(everything, knows=(0, 0))
        head: dict[str, Value] = {"trip": self.number, "source": self.origin}
        head |= {"photos": self.photos, "endangered": int(nothing_excluded[EMBEDDED])}

        def row(way: str, kept: Mask | None, hits: dict[str, float], status: str = "") -> Row:
            gone = self.photos if kept is None else int((~kept).sum())
            bits = "" if kept is None else "".join("01"[int(stays)] for stays in kept)
            plan: dict[str, Value] = {"way": way, WITHHELD: gone, NO_PLAN: int(kept is None)}
            plan |= {"status": status, "kept": f"kept {bits}"}
            found: dict[str, Value] = {attack: hits.get(attack) for attack in ATTACKS}
            more = self.attack_more(kept) if way in TRIED_MORE else {}
            columns = (*MORE_ATTACKS, CANDIDATES)
            return {**head, **plan, **found, **{name: more.get(name) for name in columns}}

        yield row(SHARED, everything, nothing_excluded)
        for radius in (10.0, 50.0, 100.0):
            hits = self.attack(everything, radius, None)
            yield row(f"{SHARED}, R = {radius:g} km", everything, hits)
        plans: dict[str, Mask | None] = {}
        for name, way in PLANS.items():
            plans[name], status = self.plan(way)
            knows = (way.top, way.alone) if way.top else (GUESSED, way.alone or GUESSED)
            yield row(name, plans[name], self.attack(plans[name], way.radius, knows), status)
        pairs = [kept for name in PAIRS if (kept := plans[name]) is not None]
        kept = max(pairs, key=np.count_nonzero, default=None)
        hits = self.attack(kept, knows=(GUESSED, PLANS[WITH_DINO].alone))
        yield row(TWO_OF_THREE, kept, hits)
        hits = self.attack(plans[FIRST], 100.0, None)
        yield row(f"{FIRST}, circles of 100 km", plans[FIRST], hits)
        kept = self.plan_cells()
        yield row(CELLS, kept, self.attack(kept))
        for order in (RANDOM, TELLING):
            for name in (FIRST, SECOND):
                kept = plans[name]
                gone = self.photos if kept is None else int((~kept).sum())
                yield row(f"{order}, as many as {name}", *self.withhold(order, gone))
            for share in SHARES:
                gone = min(round(share * self.photos), self.photos - 1)
                yield row(f"{order}, {share:g}", *self.withhold(order, gone))
        circles = first_circles(R)
        for name, prior in (
            (NO_PHOTOS, circles.anywhere(self.before, TOP)),
            (NO_PHOTOS_LEAVES, circles.circles.unit[circles.on_leaves(self.before, TOP)]),
        ):
            chance = dict.fromkeys(ATTACKS, float(self.hit(prior, R)))
            yield row(name, None, {**chance, FIRST_GUESS: float(self.hit(prior[:1], R))})

    def plan(self, way: Way) -> tuple[Mask | None, str]:
        """The photos that stay, and the status."""
        secret = candidate_tops(TOP, SECRET_MOST, Random(_SEED + self.number))
        ones, free = np.ones(self.photos, np.int64), np.zeros(self.photos, np.int8)
        problem = Problem((), np.arange(self.photos), ones, free)
        exponents, status = [self.source.exponent(self.photos)], "unknown"
        views = [self.doubted(view, way.doubt, way.radius) for view in way.asked]
        for top in (way.top,) if way.top else secret:
            alone = way.alone if way.top else way.alone or top
            made = [
                place_attacker(
                    first_circles(way.radius).circles, view, *self.where.T,
                    need=top, alone=max(alone, 1), margin=way.margin,
                )
                for view in views
            ]  # fmt: skip
            attackers = [(attacker, tells & bool(alone)) for attacker, tells in made]
            solution = plan_places(problem, attackers, exponents, SearchLimits(work=WORK)).solution
            status = str(solution.status)
            if solution.kept is not None:
                return solution.kept, status
        return None, status

    def doubted(self, view: str, doubt: float, radius: float) -> Floats:
        """A model's scores; where it and DINOv2 differ, lower for all that can be a rival."""
        if not doubt:
            return self.views[view]
        apart = np.abs(self.views[view] - self.views[DINO])
        # circles that are hidden reach so far, and rivals are further away
        apart[:, first_circles(radius).circles.within(self.unit, 2.5 * radius)] = 0
        return np.asarray(self.views[view] - doubt * apart)

    def plan_cells(self) -> Mask | None:
        """The defaults before places: a secret k of 5 to 15, θ = .1, each photo where possible."""
        parents: Any = Cells.leaves().parents
        scores = np.log([np.bincount(parents, row) for row in np.exp(self.views[EMBEDDED])])
        hidden = zone(Cells.paper(), self.where[:, 0], self.where[:, 1], R).cells.tolist()
        tops = list(candidate_tops(TOP, 3 * TOP, Random(_SEED + self.number)))
        for each, top in ((each, top) for each in (True, False) for top in tops):
            plan = solve_quietly(scores, hidden, top=top, margin=0.1, each_photo=each)
            if plan.kept is not None:
                return plan.kept
        return None

    def withhold(self, order: str, gone: int) -> tuple[Mask | None, dict[str, float]]:
        """So many photos withheld without a plan: what stays, and who finds the place."""
        if gone == self.photos:
            return None, self.attack(None, knows=None)
        rng = np.random.default_rng([_SEED, self.number])
        orders = [rng.permutation(self.photos) for _ in range(DRAWS)]
        if order == TELLING:
            near = first_circles(R).circles.within(self.unit, R)
            orders = [np.argsort(-np.exp(self.views[EMBEDDED][:, near]).sum(axis=1))]
        kept = [np.isin(np.arange(self.photos), each[gone:]) for each in orders]
        every = [self.attack(mask, knows=None) for mask in kept]
        return kept[0], {name: float(np.mean([hits[name] for hits in every])) for name in every[0]}

    def attack(
        self, kept: Mask | None, radius: float = R, knows: tuple[int, int] | None = (TOP, TOP)
    ) -> dict[str, float]:
        """Who has the place among his first five circles; nobody where nothing is shared.

        `knows`: the k for the album and for each photo, as the excluder knows them; None for the
        attackers with the calibrated exponent alone.
        """
        if kept is None:
            return dict.fromkeys(ATTACKS if knows else (EMBEDDED, DINO, LOOK_UP), 0.0)
        key = (radius, knows, kept.tobytes())
        if key not in self.known:
            guesses = self._guesses(kept, radius, knows)
            self.known[key] = {name: float(self.hit(first, radius)) for name, first in guesses}
        return self.known[key]

    def attack_more(self, kept: Mask | None) -> dict[str, Value]:
        """The attackers who do not simply add up, and what one sees who was trained on plans."""
        if kept is None:
            return {**dict.fromkeys(MORE_ATTACKS, 0.0), CANDIDATES: "none"}
        circles, rows = first_circles(R), self.views[EMBEDDED]

        def finds(probability: Floats) -> float:
            return float(self.hit(circles.anywhere(probability, TOP), R))

        once, count = repeats_once(rows[kept])
        parts = [
            softmax(self.source.exponent(len(part)) * rows[part].sum(axis=0))
            for part in parts_of(np.flatnonzero(kept))
        ]
        exponent = self.source.exponent(int(kept.sum()))
        leaves, features = describe_candidates(self.photos_alone, kept, exponent, self.before)
        centres = circles.circles.unit[leaves]
        is_place = (centres @ self.unit.T).max(axis=1) >= cosine(R)
        return {
            AVERAGED: finds(averaged_photos(rows[kept])),
            HALVES: float(np.mean([finds(part) for part in parts])),
            REPEATS_ONCE: finds(softmax(self.source.exponent(count) * once)),
            CANDIDATES: write_candidates(is_place, features),
        }

    def _guesses(
        self, kept: Mask, radius: float, knows: tuple[int, int] | None
    ) -> Iterator[tuple[str, Floats]]:
        """The centres of each attacker's guesses."""
        circles, count = first_circles(radius), int(kept.sum())
        points, exponent = circles.circles.unit, self.source.exponent(count)

        def posterior(view: str, power: float) -> Floats:
            return softmax(power * self.views[view][kept].sum(axis=0))

        for view in (EMBEDDED, DINO, LOOK_UP):
            yield view, circles.anywhere(posterior(view, exponent), TOP)
        if knows is None:
            return
        calibrated = posterior(EMBEDDED, exponent)
        first = circles.on_leaves(calibrated, max(TOP, knows[0]))
        yield "on leaves", points[first[:TOP]]
        yield "exponent 1/n", circles.anywhere(posterior(EMBEDDED, 1 / count), TOP)
        yield "exponent 1", circles.anywhere(posterior(EMBEDDED, 1.0), TOP)
        if radius not in self.alone:
            most = max(way.alone for way in PLANS.values())
            every = [circles.on_leaves(row, most) for row in np.exp(self.views[EMBEDDED])]
            self.alone[radius] = np.array(every)
        alone = self.alone[radius][kept]
        yield "any photo alone", points[np.unique(alone[:, :TOP])]
        # he knows the tool: what comes first, of any photo or of all, is not the place
        struck = {*alone[:, : knows[1]].ravel().tolist(), *first[: knows[0]]}
        guesses = points[circles.on_leaves(calibrated, TOP, sorted(struck))]
        yield from ((EXCLUDER, guesses), (FIRST_GUESS, guesses[:1]))

    def hit(self, centres: Floats, radius: float) -> bool:
        """Whether a centre lies within a radius of any photo, shared or not."""
        return bool((self.unit @ centres.T).max() >= cosine(radius))


first_circles: Callable[[float], FirstCircles] = lru_cache(maxsize=4)(FirstCircles)
