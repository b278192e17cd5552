"""Trips: what plans about places withhold, and who finds the place all the same."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import spread
from elsewhere_lab.experiments import say
from elsewhere_lab.experiments.trip_attackers import TRAINED, trained_hits
from elsewhere_lab.experiments.trip_sharing import (
    ALONE,
    ATTACKS,
    CELLS,
    DEFAULT,
    DOUBTS,
    EXCLUDER,
    FAMILIES,
    FIRST,
    FIRST_GUESS,
    MORE_ATTACKS,
    NO_PHOTOS,
    NO_PHOTOS_LEAVES,
    PLANS,
    RANDOM,
    SECOND,
    SECRET,
    SHARED,
    SHARES,
    TELLING,
    TRIED_MORE,
    TWO_OF_THREE,
    WIDE,
    WIDEST,
    WITH_DINO,
    WITH_LOOK_UP,
    WITHOUT_OWN,
    Trip,
)
from elsewhere_lab.plots import Figure, legend_below, new_panels
from elsewhere_lab.statistics import NO_PLAN, WITHHELD, by_column, mean, select, unique
from elsewhere_lab.trips import DINO, EMBEDDED, LOOK_UP, Trips
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

AT_ONCE = 4  # trips of a part
ENDANGERED, LOST = "endangered: ", "lost photos: "
"""What begins the lines about some of the trips."""
CURVES = {
    "plans, k = 1 to 15": (SHARED, "k = 1", "k = 3", FIRST, SECOND, "k = 15"),
    "secret k, θ = 0 to .7": (SECRET, DEFAULT, WIDE, WIDEST),
    TELLING: (SHARED, *(f"{TELLING}, {share:g}" for share in SHARES)),
    RANDOM: (SHARED, *(f"{RANDOM}, {share:g}" for share in SHARES)),
    CELLS: (CELLS,),
}
"""Ways by what they withhold, for the figure."""
UNASKED = {EMBEDDED: WITHOUT_OWN, DINO: WITH_LOOK_UP, LOOK_UP: WITH_DINO}
"""The pair of models that leaves one out."""


def parts_trips(source: Trips, scale: Scale) -> list[Part]:
    """A few trips at a time."""
    numbers = spread(range(len(source.entries())), scale.sample)
    starts = range(0, len(numbers), AT_ONCE)
    return [Part(f"{numbers[i]:03}", {"trips": numbers[i : i + AT_ONCE]}) for i in starts]


def measure_trips(source: Trips, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each trip and way to share it."""
    for trip in part.settings["trips"]:
        yield from Trip(source, trip).rows()


def summarise_trips(rows: Rows) -> Iterator[Number]:
    """What is withheld and who finds the place: of all trips, endangered ones, and protected ones.

    Of trips that lost photos by a plan, also what somebody without photos finds in the same trips.
    """
    trained = trained_hits(rows)
    every: Rows = [
        {**row, TRAINED: trained.get((str(row["way"]), int(number(row["trip"]))))} for row in rows
    ]
    columns = (WITHHELD, NO_PLAN, *ATTACKS, *MORE_ATTACKS, TRAINED)
    for prefix, some in (("", every), (ENDANGERED, select(every, endangered=1))):
        for way in unique(some, "way"):
            if way not in (*CURVES[RANDOM][1:], *CURVES[TELLING][1:]):
                mine = select(some, way=way)
                for column in columns:
                    yield Number(prefix + way, column, *mean(_values(mine, column)))
    chance = {
        line: {row["trip"]: number(row[EMBEDDED]) for row in select(every, way=line)}
        for line in (NO_PHOTOS, NO_PHOTOS_LEAVES)
    }
    lost = [row for row in every if row[WITHHELD] and not row[NO_PLAN]]
    for way in unique(lost, "way"):
        if way in PLANS or way in (TWO_OF_THREE, CELLS):
            mine = select(lost, way=way)
            for column in (WITHHELD, *columns[2:]):
                yield Number(LOST + way, column, *mean(_values(mine, column)))
            for line, found in chance.items():
                known = [found[row["trip"]] for row in mine if row["trip"] in found]
                yield Number(LOST + way, line, *mean(known))


def _values(rows: Rows, column: str) -> list[float]:
    """A column where it is known; the share of the photos withheld."""
    if column == WITHHELD:
        return [number(row[WITHHELD]) / number(row["photos"]) for row in rows]
    return [number(row[column]) for row in rows if row.get(column) is not None]


class Table(NamedTuple):
    """One table of the experiment: of which trips, ways and columns."""

    prefix: str
    """What begins its lines."""
    ways: tuple[str, ...]
    columns: tuple[str, ...]


TABLES = {
    "All trips, by attackers who add up": Table(
        "",
        (
            SHARED, *(f"{SHARED}, R = {radius} km" for radius in (10, 50, 100)),
            *(name for name, way in PLANS.items() if way.asked == (EMBEDDED,) and not way.doubt),
            f"{FIRST}, circles of 100 km", CELLS,
            *(f"{how}, as many as {way}" for how in (RANDOM, TELLING) for way in (FIRST, SECOND)),
            NO_PHOTOS,
        ),
        (WITHHELD, NO_PLAN, *ATTACKS[: ATTACKS.index(EXCLUDER)]),
    ),
    "All trips, by models that were asked and that were not": Table(
        "", (SHARED, FIRST, *FAMILIES, NO_PHOTOS), (WITHHELD, NO_PLAN, EMBEDDED, DINO, LOOK_UP)
    ),
    "All trips, by attackers who know the tool or do not simply add up": Table(
        "", (*TRIED_MORE, NO_PHOTOS, NO_PHOTOS_LEAVES),
        (WITHHELD, EXCLUDER, FIRST_GUESS, TRAINED, *MORE_ATTACKS),
    ),
    "The same attackers, where a plan was found and photos were lost": Table(
        LOST, TRIED_MORE,
        (WITHHELD, EXCLUDER, TRAINED, NO_PHOTOS_LEAVES, *MORE_ATTACKS, NO_PHOTOS),
    ),
    "Endangered trips": Table(
        ENDANGERED,
        (
            SHARED, FIRST, SECOND, *FAMILIES, CELLS, f"{RANDOM}, as many as {FIRST}",
            f"{TELLING}, as many as {FIRST}", NO_PHOTOS,
        ),
        (WITHHELD, NO_PLAN, EMBEDDED, ALONE, DINO, LOOK_UP, EXCLUDER, TRAINED),
    ),
}  # fmt: skip
"""By title: one table of everything would be too wide and too long to read."""


def tables_trips(numbers: Numbers) -> Iterator[tuple[str, list[Number]]]:
    """Each table's title and numbers, its lines without what begins them."""
    by_place = {(number.line, number.column): number for number in numbers}
    for title, (prefix, ways, columns) in TABLES.items():
        places = [(way, (prefix + way, column)) for way in ways for column in columns]
        found = [replace(by_place[at], line=way) for way, at in places if at in by_place]
        if found:
            yield title, found


def findings_trips(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What the plans buy that the defaults are chosen from, and who finds more than by chance."""
    for way in (FIRST, DEFAULT):
        lines = {"plan": way, "shared": SHARED, "chance": NO_PHOTOS}
        yield say("trips", "way", way=way, **{k: by_column(numbers, v) for k, v in lines.items()})
    for way in (FIRST, DEFAULT, SECOND, "k = 15"):
        plan = by_column(numbers, LOST + way)
        if {TRAINED, NO_PHOTOS_LEAVES} <= plan.keys():
            names = above_chance(plan)
            verdict = say("trips", "above" if names else "within", names=" and ".join(names))
            yield say("trips", "lost", way=way, plan=plan, verdict=verdict)
    families = {"first": FIRST, "default": DEFAULT, "wide": WIDE, "widest": WIDEST}
    families |= {"dino": WITH_DINO, "look_up": WITH_LOOK_UP, "others": WITHOUT_OWN}
    families |= dict(zip(("doubt", "doubtful"), DOUBTS, strict=True))
    found = {key: by_column(numbers, way) for key, way in families.items()}
    if all(found.values()):
        yield say("trips", "curve", first_name=FIRST, **found)


def above_chance(plan: Mapping[str, Number]) -> list[str]:
    """Who finds more than twice as many places as by circles of the same kind without photos."""
    chance = dict.fromkeys((EXCLUDER, TRAINED), NO_PHOTOS_LEAVES)
    chance |= dict.fromkeys(MORE_ATTACKS, NO_PHOTOS)
    return [name for name, line in chance.items() if plan[name].ours > 2 * plan[line].ours + 1e-12]


def draw_trips(rows: Rows, numbers: Numbers) -> Figure:
    """Protection against loss: who finds the place, against the share withheld."""
    looks = (
        (LIGHT.kept, "-o"), (LIGHT.withheld, "-D"), (LIGHT.decoy, "--s"), (LIGHT.baseline, ":^"),
        (LIGHT.truth, "X"),
    )  # fmt: skip
    figure, grid = new_panels(4, (11, 3.6), sharey=True)

    def at(way: str, attack: str) -> tuple[float, float]:
        mine = select(rows, way=way)
        return mean(_values(mine, WITHHELD))[0], mean(_values(mine, attack))[0]

    for axes, attack in zip(grid, (EMBEDDED, DINO, LOOK_UP, EXCLUDER), strict=True):
        for (name, ways), (colour, style) in zip(CURVES.items(), looks, strict=True):
            lost, found = zip(*(at(way, attack) for way in ways), strict=True)
            axes.plot(lost, found, style, color=colour, label=name)
        two = [UNASKED[attack]] if attack in UNASKED else []
        pairs = np.array([at(way, attack) for way in two]).reshape(-1, 2)
        axes.plot(*pairs.T, "P", color=LIGHT.ink, ms=7, label="the two others asked")
        axes.plot(
            *at(DEFAULT, attack), "o", color=LIGHT.ink, mfc="none", ms=11, label="the default"
        )
        chance = mean(_values(select(rows, way=NO_PHOTOS), attack))[0]
        axes.axhline(chance, color=LIGHT.ink, lw=0.8, ls=":", label=NO_PHOTOS)
        axes.set(xlabel="share withheld", title=attack, ylim=(-0.01, None))
    grid[0].set_ylabel("place among the first five")
    legend_below(figure, grid[0], 4)
    return figure
