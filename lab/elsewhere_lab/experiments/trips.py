"""Trips: what plans about places withhold, and who finds the place all the same."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np

from elsewhere.globe import Cells, zone
from elsewhere.globe.circles import cosine
from elsewhere.globe.coordinates import unit_vector
from elsewhere.report.colours import LIGHT
from elsewhere.service.secret_top import candidate_tops
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.places import place_attacker, plan_places
from elsewhere.solver.problem import Mask, Problem
from elsewhere_lab.collections import TOP, spread
from elsewhere_lab.experiments import say
from elsewhere_lab.plots import Figure, legend_below, new_panels
from elsewhere_lab.solving import WORK, solve_quietly
from elsewhere_lab.statistics import NO_PLAN, WITHHELD, by_column, mean, select, unique
from elsewhere_lab.trips import DINO, EMBEDDED, LOOK_UP, FirstCircles, Floats, Trips
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, Value, number

R = 25.0
AT_ONCE, DRAWS = 4, 3  # trips of a part; how often photos are drawn at random
SECRET, GUESSED = 12, 8  # the largest secret k, and what the excluder takes it for
_SEED = 20261116
EXCLUDER, FIRST_GUESS = "excluder", "excluder, first guess"
ATTACKS = (
    EMBEDDED, "on leaves", "exponent 1/n", "exponent 1", "any photo alone", DINO, LOOK_UP,
    EXCLUDER, FIRST_GUESS,
)  # fmt: skip
SHARED, NO_PHOTOS, CELLS = "everything shared", "no photos at all", "512 cells, earlier defaults"
RANDOM, TELLING, ENDANGERED = "at random", "most telling first", "endangered: "

Way = tuple[int, int, float, float]
"""A plan for places: k for the album and for each photo, margin, radius; a secret k is 0."""

FIRST, SECOND = "k = 5, each photo 5", "k = 10, each photo 10"
PLANS: dict[str, Way] = {
    FIRST: (5, 5, 0, R), f"{FIRST}, θ = .05": (5, 5, 0.05, R), f"{FIRST}, θ = .1": (5, 5, 0.1, R),
    "k = 10, each photo 5": (10, 5, 0, R), "k = 10, each photo 5, θ = .1": (10, 5, 0.1, R),
    SECOND: (10, 10, 0, R), f"{SECOND}, θ = .1": (10, 10, 0.1, R),
    "secret k, each photo 5": (0, 5, 0, R), "secret k, each photo 5, θ = .1": (0, 5, 0.1, R),
    "secret k, each photo k": (0, 0, 0, R), "k = 5, the sum alone": (5, 0, 0, R),
    "k = 5, R = 10 km": (5, 5, 0, 10), "k = 5, R = 50 km": (5, 5, 0, 50),
    "k = 5, R = 100 km": (5, 5, 0, 100),
    "k = 1": (1, 1, 0, R), "k = 3": (3, 3, 0, R), "k = 15": (15, 15, 0, R),
}  # fmt: skip
SHARES = (0.15, 0.3, 0.5, 0.7)
CURVES = {
    "plans, k = 1 to 15": (SHARED, "k = 1", "k = 3", FIRST, SECOND, "k = 15"),
    TELLING: (SHARED, *(f"{TELLING}, {share:g}" for share in SHARES)),
    RANDOM: (SHARED, *(f"{RANDOM}, {share:g}" for share in SHARES)),
    CELLS: (CELLS,),
}
"""Ways by what they withhold, for the figure."""


def parts_trips(source: Trips, scale: Scale) -> list[Part]:
    """A few trips at a time."""
    numbers = spread(range(len(source.entries())), scale.sample)
    starts = range(0, len(numbers), AT_ONCE)
    return [Part(f"{numbers[i]:03}", {"trips": numbers[i : i + AT_ONCE]}) for i in starts]


def measure_trips(source: Trips, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each trip and way to share it."""
    for trip in part.settings["trips"]:
        yield from _Trip(source, trip).rows()


class _Trip:
    """One trip, and the attacks on what is shared of it."""

    def __init__(self, source: Trips, number_: int) -> None:
        self.source, self.number = source, number_
        self.origin, rows = source.entries()[number_]
        self.where, self.photos = source.positions(rows), len(rows)
        self.unit = unit_vector(*self.where.T)
        self.views = {name: source.scores(name, rows) for name in (EMBEDDED, DINO, LOOK_UP)}
        self.known: dict[Any, dict[str, float]] = {}
        self.alone: dict[float, Any] = {}

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
            return {**head, **plan, **{attack: hits.get(attack) for attack in ATTACKS}}

        yield row(SHARED, everything, nothing_excluded)
        for radius in (10.0, 50.0, 100.0):
            hits = self.attack(everything, radius, None)
            yield row(f"{SHARED}, R = {radius:g} km", everything, hits)
        plans: dict[str, Mask | None] = {}
        for name, (top, alone, margin, radius) in PLANS.items():
            plans[name], status = self.plan(top, alone, margin, radius)
            knows = (top, alone) if top else (GUESSED, alone or GUESSED)
            yield row(name, plans[name], self.attack(plans[name], radius, knows), status)
        hits = self.attack(plans[FIRST], 100.0, None)
        yield row(f"{FIRST}, circles of 100 km", plans[FIRST], hits)
        kept = self.plan_cells()
        yield row(CELLS, kept, self.attack(kept))
        for order in (RANDOM, TELLING):
            for name in (FIRST, SECOND):
                kept = plans[name]
                gone = self.photos if kept is None else int((~kept).sum())
                yield row(f"{order}, as many as {name}", *self.withhold(order, gone))
            for share, name in zip(SHARES, CURVES[order][1:], strict=True):
                gone = min(round(share * self.photos), self.photos - 1)
                yield row(name, *self.withhold(order, gone))
        prior = first_circles(R).anywhere(self.source.mean_elsewhere(self.origin), TOP)
        chance = dict.fromkeys(ATTACKS, float(self.hit(prior, R)))
        yield row(NO_PHOTOS, None, {**chance, FIRST_GUESS: float(self.hit(prior[:1], R))})

    def plan(self, k: int, each: int, margin: float, radius: float) -> tuple[Mask | None, str]:
        """The photos that stay, and the status."""
        secret = candidate_tops(TOP, SECRET, Random(_SEED + self.number))
        ones, free = np.ones(self.photos, np.int64), np.zeros(self.photos, np.int8)
        problem = Problem((), np.arange(self.photos), ones, free)
        exponents, status = [self.source.exponent(self.photos)], "unknown"
        for top in (k,) if k else secret:
            alone = each if k else each or top
            attacker, tells = place_attacker(
                first_circles(radius).circles, self.views[EMBEDDED], *self.where.T,
                need=top, alone=max(alone, 1), margin=margin,
            )  # fmt: skip
            attackers = [(attacker, tells & bool(alone))]
            solution = plan_places(problem, attackers, exponents, SearchLimits(work=WORK)).solution
            status = str(solution.status)
            if solution.kept is not None:
                return solution.kept, status
        return None, status

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

    def _guesses(
        self, kept: Mask, radius: float, knows: tuple[int, int] | None
    ) -> Iterator[tuple[str, Floats]]:
        """The centres of each attacker's guesses."""
        circles, count = first_circles(radius), int(kept.sum())
        points, exponent = circles.circles.unit, self.source.exponent(count)

        def posterior(view: str, power: float) -> Floats:
            total = power * self.views[view][kept].sum(axis=0)
            weights = np.exp(total - total.max())
            return np.asarray(weights / weights.sum())

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
            most = max(alone for _, alone, _, _ in PLANS.values())
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


def summarise_trips(rows: Rows) -> Iterator[Number]:
    """Of all trips and of endangered ones: what is withheld, and who finds the place."""
    for prefix, every in (("", rows), (ENDANGERED, select(rows, endangered=1))):
        for way in unique(every, "way"):
            if way not in (*CURVES[RANDOM][1:], *CURVES[TELLING][1:]):
                mine = select(every, way=way)
                for column in (WITHHELD, NO_PLAN, *ATTACKS):
                    yield Number(prefix + way, column, *mean(_values(mine, column)))


def _values(rows: Rows, column: str) -> list[float]:
    """A column where it is known; the share of the photos withheld."""
    if column == WITHHELD:
        return [number(row[WITHHELD]) / number(row["photos"]) for row in rows]
    return [number(row[column]) for row in rows if row[column] is not None]


def findings_trips(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What the two plans buy that the defaults are chosen from."""
    for way in (FIRST, SECOND):
        lines = {"plan": way, "shared": SHARED, "chance": NO_PHOTOS}
        yield say("trips", "way", way=way, **{k: by_column(numbers, v) for k, v in lines.items()})


def draw_trips(rows: Rows, numbers: Numbers) -> Figure:
    """Protection against loss: who finds the place, against the share withheld."""
    looks = ((LIGHT.kept, "-o"), (LIGHT.decoy, "--s"), (LIGHT.baseline, ":^"), (LIGHT.truth, "X"))
    figure, grid = new_panels(4, (10.5, 3.2), sharey=True)
    for axes, attack in zip(grid, (EMBEDDED, DINO, LOOK_UP, EXCLUDER), strict=True):
        for (name, ways), (colour, style) in zip(CURVES.items(), looks, strict=True):
            every = [select(rows, way=way) for way in ways]
            lost, found = (
                [mean(_values(mine, column))[0] for mine in every] for column in (WITHHELD, attack)
            )
            axes.plot(lost, found, style, color=colour, label=name)
        chance = mean(_values(select(rows, way=NO_PHOTOS), attack))[0]
        axes.axhline(chance, color=LIGHT.ink, lw=0.8, ls=":", label=NO_PHOTOS)
        axes.set(xlabel="share withheld", title=attack, ylim=(-0.01, None))
    grid[0].set_ylabel("place among the first five")
    legend_below(figure, grid[0], 5)
    return figure
