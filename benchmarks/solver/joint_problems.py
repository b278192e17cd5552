"""Joint problems: several places in one album, and attackers that disagree.

Each place is watched over its own photos and, with all others, over the whole album, by one model
or two. Half of the problems are simulated, half are real photos (benchmarks/lab).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from benchmarks.solver.processes import ROOT
from elsewhere.solver.problem import Attacker, Floats, Ints, Problem
from elsewhere.values.scores import FloatMatrix
from elsewhere_lab import simulator

LAB = ROOT / "benchmarks" / "lab"
REAL_MODELS = ("embedded", "dino")


@dataclass(frozen=True)
class Kind:
    """One kind of joint problem."""

    name: str
    photos: int
    top: int
    make: Callable[[int], Problem]
    """From a seed to a problem."""
    counted: bool = True
    """Whether it is one of the 38; the others need a plan and a bound only."""


def kinds() -> Iterator[Kind]:
    """All kinds: places × photos of each, models, zone, top."""
    for real in (False, True):
        make = _real if real else _simulated
        name = "real" if real else "simulated"
        for places, photos, models, zone, top in (
            (2, 16, 1, 1, 10),
            (2, 16, 2, 1, 10),
            (2, 20, 2, 1, 5),
            (2, 24, 1, 5, 10),
            (2, 24, 1, 1, 20),
            (3, 16, 1, 1, 10),
            (3, 20, 1, 1, 15),
            (3, 24, 1, 5, 5),
            (4, 16, 1, 1, 10),
        ):
            described = f"{name} {places} x {photos}, models {models}, zone {zone}, top {top}"
            sizes = {"places": places, "photos": photos, "models": models}
            yield Kind(described, places * photos, top, partial(make, **sizes, zone=zone, top=top))
    small = partial(_simulated, places=4, photos=12, models=1, zone=1, top=5)
    yield Kind("simulated 4 x 12, models 1, zone 1, top 5", 48, 5, small)
    large = partial(_real, places=5, photos=16, models=1, zone=1, top=15)
    yield Kind("real 5 x 16, models 1, zone 1, top 15", 80, 15, large, counted=False)
    yield Kind("four unlike attackers, zone 17, 128 photos", 128, 5, _unlike, counted=False)
    unzoned = partial(_unlike, attackers=2, zone=1)
    yield Kind("two unlike attackers, 128 photos", 128, 5, unzoned, counted=False)


def _joint(tables: list[FloatMatrix], zones: list[Ints], place_of: Ints, top: int) -> Problem:
    """Every place over its own photos, and over all of them, by every model."""
    hidden = np.unique(np.concatenate(zones))
    rivals = np.setdiff1d(np.arange(tables[0].shape[1], dtype=np.intp), hidden)
    attackers = []
    for table in tables:
        for place, zone in enumerate(zones):
            attackers.append(Attacker(table, zone, rivals, top, sees=place_of == place))
            attackers.append(Attacker(table, zone, rivals, top))
    count = len(place_of)
    weights, fixed = np.ones(count, np.int64), np.zeros(count, np.int8)
    return Problem(tuple(attackers), np.arange(count, dtype=np.intp), weights, fixed)


def _simulated(seed: int, *, places: int, photos: int, models: int, zone: int, top: int) -> Problem:
    """Places of one world, each with unrelated photos."""
    world = simulator.world("w1" if seed % 2 else "w2", seed)
    rng = np.random.default_rng([seed, 1])
    truths: list[int] = []
    while len(truths) < places:
        truth = int(rng.integers(simulator.CELLS))
        if all(truth not in world.zone(other, zone) for other in truths):
            truths.append(truth)
    views = [world.views(truth, photos, rng, attackers=models) for truth in truths]
    tables = [np.concatenate([own[model] for own in views]) for model in range(models)]
    zones = [np.array(sorted(world.zone(truth, zone)), np.intp) for truth in truths]
    return _joint(tables, zones, np.repeat(np.arange(places, dtype=np.intp), photos), top)


@cache
def _lab() -> tuple[list[FloatMatrix], Ints, Floats]:
    """The scores of real photos by each model, their cells and where the cells lie."""
    tables = [np.load(LAB / f"{name}.npz")["scores"].astype(np.float64) for name in REAL_MODELS]
    with (LAB / "truth.csv").open(encoding="utf-8") as file:
        rows = [
            (int(row["cell"]), float(row["lat"]), float(row["lon"])) for row in csv.DictReader(file)
        ]
    cells = np.array([row[0] for row in rows], np.intp)
    angles = np.radians(np.array([row[1:] for row in rows]))
    lat, lon = angles[:, 0], angles[:, 1]
    unit = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)
    middle = np.full((tables[0].shape[1], 3), np.nan)
    for cell in np.unique(cells):
        middle[cell] = unit[cells == cell].mean(axis=0)
    return tables, cells, middle


def _real(seed: int, *, places: int, photos: int, models: int, zone: int, top: int) -> Problem:
    """Places of the lab, each with photos drawn from one cell; a zone has the cells nearest it."""
    tables, cells, middle = _lab()
    rng = np.random.default_rng(seed)
    numbers, counts = np.unique(cells, return_counts=True)
    truths = rng.choice(numbers[counts >= photos], places, replace=False)
    rows = np.concatenate([
        rng.choice(np.flatnonzero(cells == truth), photos, replace=False) for truth in truths
    ])  # fmt: skip
    zones = []
    for truth in truths.tolist():
        near = np.nan_to_num(middle @ middle[truth], nan=-2.0)
        near[np.setdiff1d(truths, [truth])] = -3.0
        near[truth] = 2.0
        zones.append(np.sort(np.argsort(-near, kind="stable")[:zone]))
    place_of = np.repeat(np.arange(places, dtype=np.intp), photos)
    return _joint([table[rows] for table in tables[:models]], zones, place_of, top)


def _unlike(seed: int, *, attackers: int = 4, zone: int = 17, photos: int = 128) -> Problem:
    """Attackers that err in ways of their own: each has learnt other prototypes."""
    kind = "w1" if seed % 2 else "w2"
    world = simulator.world(kind, seed)
    rng = np.random.default_rng([seed, 1])
    p = world.parameters
    truth = int(rng.integers(simulator.CELLS))
    s = np.exp(p.ms + p.ss * rng.standard_normal(photos))
    s = np.where(rng.random(photos) < p.pun, s * p.sun, s)[:, None]
    noise = rng.standard_normal((photos, p.d))
    tables = []
    for number in range(attackers):
        other = simulator.world(kind, seed + 7919 * number).prototypes
        learnt = world.prototypes if number == 0 else 0.8 * world.prototypes + 0.6 * other
        x = s * learnt[truth] + noise
        logits = p.gam * (s * (x @ learnt.T) - s**2 * (learnt**2).sum(axis=1) / 2)
        logits += p.tau * rng.standard_t(p.nu, logits.shape)
        tables.append(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))
    hidden = np.array(sorted(world.zone(truth, zone)), np.intp)
    rivals = np.setdiff1d(np.arange(simulator.CELLS, dtype=np.intp), hidden)
    watching = tuple(Attacker(table, hidden, rivals, 5) for table in tables)
    weights, fixed = np.ones(photos, np.int64), np.zeros(photos, np.int8)
    return Problem(watching, np.arange(photos, dtype=np.intp), weights, fixed)
