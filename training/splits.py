"""Who may be trained on: splits by place and source, near-duplicates on one side.

A photo that is held out is never trained on, nor is any near-duplicate of it, nor, when its whole
source is held out, any photo of the same place from elsewhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from training.dataset import LANDMARK_SOURCES, Dataset
from training.locations import km_between

Mask = npt.NDArray[np.bool_]

NEAR_DUPLICATE = 0.95
"""Cosine of two photos' embeddings above which they count as one picture."""

SAME_PLACE_KM = 1.0
"""Labels closer than this name the same place."""

FOLDS: dict[str, tuple[str, ...]] = {
    "snapshots": ("photomap_world", "geotagged_mixed", "england_walk", "commons_misc"),
    "unsplash": ("unsplash_cities", "unsplash_pexels2"),
    "small cities": ("mit_cities2", "commons_cc2"),
    "globex": ("globex_cities",),
    "countries": ("commons_countries",),
}
"""Whole sources held out together, so that "never seen" is measured on several kinds of photo."""

OTHER_FOLDS: dict[str, tuple[str, ...]] = {
    "documerica": ("documerica_us",),
    "commons landmarks": ("commons_landmarks",),
    "monumai": ("monumai_spain",),
    "oxford and san francisco": ("oxford5k", "sf_street"),
}
"""Held out in turn as well, for calibration; each alone covers too few places for a headline."""

SEEN_FOLDS = 10


def doubtful(data: Dataset, strict: bool) -> Mask:
    """Photos whose licence is unrecorded, unverified or research-only.

    ``strict`` adds those that a repository's licence covers although the origin of the photos is
    not stated, which includes all of landmarks44.
    """
    words = ["research use", "repo no licence", "NOT VERIFIED", "NOT recorded"]
    if strict:
        words += ["origin of photos not stated", "copyright of a bundled"]
    return np.array([any(w in p.licence for w in words) for p in data.photos])


WELL_PLACED_KM = 25.0
"""Held-out photos whose position is vaguer than this are not scored."""


def duplicate_groups(data: Dataset) -> npt.NDArray[np.int64]:
    """Number photos such that near-duplicates (and their near-duplicates) share a number."""
    unit = data.embeds / np.linalg.norm(data.embeds, axis=1, keepdims=True)
    parent = np.arange(len(unit))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = int(parent[i])
        return i

    for start in range(0, len(unit), 1024):
        sim = unit[start : start + 1024] @ unit.T
        for a, b in zip(*np.nonzero(sim > NEAR_DUPLICATE), strict=True):
            if start + a < b:
                parent[root(int(b))] = root(start + int(a))
    return np.array([root(i) for i in range(len(unit))])


def seen_folds(data: Dataset, groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Number the photos of each trained landmark 0 to 9, near-duplicates alike; others get -1.

    Number 0 is the tenth that every never-seen fold leaves out as well.
    """
    rng = np.random.default_rng(20)
    out = np.full(len(data.photos), -1)
    place = np.array([f"{p.source}/{p.place}" for p in data.photos])
    for name in np.unique(place[np.isin(data.source, LANDMARK_SOURCES)]):
        mine = np.nonzero(place == name)[0]
        filled = np.zeros(SEEN_FOLDS, dtype=int)
        sizes = {g: int((groups[mine] == g).sum()) for g in np.unique(groups[mine])}
        order = sorted(sizes, key=lambda g: (-sizes[g], rng.random()))
        for g in order:  # large groups first, each into the emptiest fold
            fold = int(rng.choice(np.nonzero(filled == filled.min())[0]))
            out[mine[groups[mine] == g]] = fold
            filled[fold] += sizes[g]
    return out


def seen_masks(
    groups: npt.NDArray[np.int64], numbers: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """(10, N): who is trained on when each tenth of the landmark photos is held out."""
    return np.stack([~np.isin(groups, groups[numbers == f]) for f in range(SEEN_FOLDS)])


def fold_masks(
    data: Dataset, groups: npt.NDArray[np.int64], sources: tuple[str, ...], seen: Mask
) -> tuple[Mask, Mask]:
    """Return (trained on, held out and scored) for one fold of whole sources."""
    held = np.isin(data.source, sources)
    train = ~held & ~seen
    train &= ~np.isin(groups, groups[held | seen])
    where = np.unique(data.points[held], axis=0)
    near = np.zeros(len(train), dtype=bool)
    for start in range(0, len(train), 2048):
        km = km_between(data.points[start : start + 2048], where)
        near[start : start + 2048] = km.min(axis=1) < SAME_PLACE_KM
    train &= ~near
    return train, held & (data.radius <= WELL_PLACED_KM)


def halves(groups: npt.NDArray[np.int64], seed: int = 7) -> Mask:
    """Split photos in two, near-duplicates together: True is half A."""
    rng = np.random.default_rng(seed)
    side = rng.random(int(groups.max()) + 1) < 0.5
    return np.asarray(side[groups])
