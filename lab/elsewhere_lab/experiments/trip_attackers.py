"""Attackers of trips who do more than add up, and one who was trained on albums that were planned.

Whoever was trained saw trips of other sources as this tool shared them, and learned where the place
stands among the circles of what is shared: a conditional logit over candidates. The part of a run
keeps what he sees of each candidate (`describe_candidates`); he is trained when the rows are
summed up (`trained_hits`), for each source on the trips of all others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe.circles import cosine
from elsewhere_lab.attackers import REPEATS, averaged, by_scene, scenes
from elsewhere_lab.collections import TOP
from elsewhere_lab.statistics import unique
from elsewhere_lab.trips import FirstCircles, Floats
from elsewhere_lab.values import Row, Rows, number

AVERAGED, HALVES, REPEATS_ONCE = "averaged", "halves", "repeats once"
TRAINED = "trained on plans"
CANDIDATES = "candidates"
"""The column with what whoever is trained sees of a trip."""
FIRST_CANDIDATES, LIKELY_BEFORE = 40, 10
"""Candidates: so many circles of what is shared, and of what is likely without photos."""
FEATURES = (
    "log rank", "first 5", "first 12", "calibrated", "1/n", "exponent 1", "largest", "mean",
    "least", "among a photo's first 5", "of the photos, first 5", "of the photos, first 12",
    "without photos", "added",
)  # fmt: skip
FEW, MANY = 5, 12
"""The least and the largest k of the defaults."""
_LEAST = 1e-13  # a smaller mass counts as this
_RIDGE, _STEPS = 1.0, 40


def softmax(values: Floats) -> Floats:
    """Probabilities in proportion to the exponentials."""
    weights = np.exp(values - values.max())
    return np.asarray(weights / weights.sum())


def averaged_photos(rows: Floats) -> Floats:
    """(leaves,) the mean of the photos' probabilities."""
    return averaged(rows) / len(rows)


def repeats_once(rows: Floats) -> tuple[Floats, int]:
    """(leaves,) the sum in which the photos of a scene count as one, and how many scenes."""
    scene = scenes(rows)
    return by_scene(rows, scene, REPEATS["scenes once"]), len(np.unique(scene))


def parts_of(photos: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """The first half, the second, every other photo, and the others; none that is empty.

    >>> [part.tolist() for part in parts_of(np.arange(3))]
    [[0, 1], [2], [0, 2], [1]]
    """
    half = (len(photos) + 1) // 2
    parts = (photos[:half], photos[half:], photos[::2], photos[1::2])
    yield from (part for part in parts if len(part))


@dataclass(frozen=True, eq=False)
class PhotosAlone:
    """What each photo of a trip says alone, by the embedded model."""

    circles: FirstCircles
    rows: Floats
    """(photos, leaves) log-probabilities."""

    @cached_property
    def masses(self) -> Floats:
        """(photos, leaves) what the circle around every leaf holds."""
        return np.array([self.circles.circles.masses(row) for row in np.exp(self.rows)])

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """(photos, 12) each photo's own first circles."""
        return np.array([self.circles.on_leaves(row, MANY) for row in np.exp(self.rows)])


def describe_candidates(
    alone: PhotosAlone, kept: NDArray[np.bool_], exponent: float, before: Floats
) -> tuple[list[int], Floats]:
    """The leaves that may be the place, and the features of each, (candidates, features).

    `before` is what is likely without photos.
    """
    circles, unit = alone.circles, alone.circles.circles.unit
    total, photos = alone.rows[kept].sum(axis=0), int(kept.sum())
    calibrated = softmax(exponent * total)
    leaves = circles.on_leaves(calibrated, FIRST_CANDIDATES)
    leaves += circles.on_leaves(before, LIKELY_BEFORE, leaves)
    rank = np.arange(len(leaves))
    posteriors = (calibrated, softmax(total / photos), softmax(total))
    masses = [circles.circles.masses(every)[leaves] for every in (*posteriors, before)]
    *summed, likely = (np.log(np.maximum(each, _LEAST)) for each in masses)
    own = np.log(np.maximum(alone.masses[kept][:, leaves], _LEAST))
    # near enough to be struck out with one of a photo's own first circles
    first = unit[alone.first[kept]]  # (photos, 12, 3)
    near = np.einsum("pkx,cx->pkc", first, unit[leaves]) >= cosine(2 * circles.circles.radius_km)
    few, many = near[:, :FEW].any(axis=1), near.any(axis=1)
    features = np.column_stack((
        np.log1p(rank), rank < FEW, rank < MANY, *summed,
        own.max(axis=0), own.mean(axis=0), own.min(axis=0),
        few.any(axis=0), few.mean(axis=0), many.mean(axis=0), likely, rank >= FIRST_CANDIDATES,
    ))  # fmt: skip
    return leaves, features.astype(np.float64)


def write_candidates(hits: NDArray[np.bool_], features: Floats) -> str:
    """The field of a table: for each candidate whether it is the place, and its features.

    >>> write_candidates(np.array([True, False]), np.array([[0.5, -3.0], [1.0, 2.0]]))
    '1 0.5 -3; 0 1 2'
    """
    pairs = zip(hits, features.round(2), strict=True)
    return "; ".join(
        " ".join([str(int(hit)), *(f"{value:g}" for value in own)]) for hit, own in pairs
    )


def read_candidates(field: str) -> tuple[NDArray[np.bool_], Floats]:
    """Which candidates are the place, and their features."""
    table = np.array([line.split() for line in field.split(";")], dtype=np.float64)
    return table[:, 0] > 0, table[:, 1:]


@dataclass(frozen=True, eq=False)
class Album:
    """A trip of a source, as it was shared by one way to plan."""

    source: str
    is_place: NDArray[np.bool_]
    features: Floats


def trained_hits(rows: Rows) -> dict[tuple[str, int], float]:
    """By way and trip, whether he who saw trips of other sources, so planned, finds the place.

    A trip without a plan shows him nothing.
    """
    found: dict[tuple[str, int], float] = {}
    told = [row for row in rows if row.get(CANDIDATES) is not None]
    for way in unique(told, "way"):
        mine = [row for row in told if row["way"] == way]
        albums = {_trip(row): _album(row) for row in mine if row[CANDIDATES] != "none"}
        found |= {(way, _trip(row)): 0.0 for row in mine}
        for source in sorted({album.source for album in albums.values()}):
            weights = fit([each for each in albums.values() if each.source != source])
            for trip, album in albums.items():
                if album.source == source:
                    first = np.argsort(-(album.features @ weights), kind="stable")[:TOP]
                    found[way, trip] = float(album.is_place[first].any())
    return found


def _trip(row: Row) -> int:
    return int(number(row["trip"]))


def _album(row: Row) -> Album:
    return Album(str(row["source"]), *read_candidates(str(row[CANDIDATES])))


def fit(albums: Sequence[Album]) -> Floats:
    """The weights of the features by which these albums' places are likeliest, with a small ridge.

    A softmax over the candidates of each album; several that are the place share it evenly. Zero,
    so that candidates stay in order, where no album has its place among them.
    """
    used = [album for album in albums if album.is_place.any()]
    if not used:
        return np.zeros(len(FEATURES))
    every = np.concatenate([album.features for album in used])
    scale = np.where((deviation := every.std(axis=0)) > 0, deviation, 1.0)
    features = (every - every.mean(axis=0)) / scale
    starts = np.cumsum([0, *(len(album.features) for album in used[:-1])])
    lengths = np.diff([*starts, len(every)])
    wanted = np.concatenate([album.is_place / album.is_place.sum() for album in used])
    weights = np.zeros(features.shape[1])
    for _ in range(_STEPS):
        loss, chances = _loss(features, wanted, starts, lengths, weights)
        slope = features.T @ (chances - wanted) + _RIDGE * weights
        means = np.add.reduceat(chances[:, None] * features, starts)
        curve = (features * chances[:, None]).T @ features - means.T @ means
        step = np.linalg.solve(curve + _RIDGE * np.eye(len(weights)), slope)
        size = 1.0
        while size > 1e-6 and _loss(features, wanted, starts, lengths, weights - size * step)[0] > (
            loss - 1e-4 * size * float(slope @ step)
        ):
            size /= 2
        weights = weights - size * step
        if float(np.abs(size * step).max()) < 1e-7:
            break
    return np.asarray(weights / scale)


def _loss(
    features: Floats, wanted: Floats, starts: NDArray[np.intp], lengths: NDArray[np.intp],
    weights: Floats,
) -> tuple[float, Floats]:  # fmt: skip
    """What is minimised, and each candidate's chance of being the place."""
    scores = features @ weights
    scores = scores - np.repeat(np.maximum.reduceat(scores, starts), lengths)
    powers = np.exp(scores)
    sums = np.repeat(np.add.reduceat(powers, starts), lengths)
    loss = float(wanted @ (np.log(sums) - scores)) + _RIDGE / 2 * float(weights @ weights)
    return loss, np.asarray(powers / sums)
