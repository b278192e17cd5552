"""The splits: nothing that is measured was trained on, in any guise."""

from __future__ import annotations

import numpy as np
import pytest
from training.dataset import Dataset
from training.photos import Photo
from training.splits import (
    FOLDS,
    NEAR_DUPLICATE,
    OTHER_FOLDS,
    SEEN_FOLDS,
    duplicate_groups,
    fold_masks,
    halves,
    seen_folds,
    seen_masks,
)

SOURCES = ["gldv2_50"] * 120 + ["photomap_world"] * 30 + ["globex_cities"] * 50


@pytest.fixture(scope="module")
def data() -> Dataset:
    rng = np.random.default_rng(4)
    photos = []
    for i, source in enumerate(SOURCES):
        lat, lon = (10.0 + i % 3, 20.0) if source == "gldv2_50" else rng.uniform(-60, 60, 2)
        photos.append(
            Photo(f"{source}.tar", f"{source}/{i}.jpg", lat, lon, [1.0, 40.0][i % 7 == 6], source,
                  f"place {i % 3}", "XX", "EU", "CC0")
        )  # fmt: skip
    embeds = rng.normal(size=(len(photos), 32)).astype(np.float32)
    embeds[1], embeds[2] = 2 * embeds[0], embeds[0] + 0.01  # copies within a landmark
    embeds[130] = embeds[5]  # and across sources
    photos[160] = Photo("g", "g/160.jpg", photos[121].lat, photos[121].lon + 0.001, 1.0,
                        "globex_cities", "same", "XX", "EU", "CC0")  # fmt: skip
    n = len(photos)
    return Dataset(
        photos=photos,
        embeds=embeds,
        cell=np.zeros(n, dtype=np.int64),
        group=np.zeros(n, dtype=np.int64),
        km=np.zeros((n, 1), dtype=np.float32),
        cell_embedding=np.zeros((1, 8), dtype=np.float32),
        cell_centre=np.zeros((1, 2)),
    )


def test_near_duplicates_share_a_number_and_others_do_not(data: Dataset) -> None:
    groups = duplicate_groups(data)
    assert groups[0] == groups[1] == groups[2]
    assert groups[5] == groups[130]
    unit = data.embeds / np.linalg.norm(data.embeds, axis=1, keepdims=True)
    apart = groups[:, None] != groups[None, :]
    assert (unit @ unit.T)[apart].max() <= NEAR_DUPLICATE


def test_a_fold_trains_on_nothing_like_what_it_holds_out(data: Dataset) -> None:
    groups = duplicate_groups(data)
    seen = seen_folds(data, groups) == 0
    train, held = fold_masks(data, groups, FOLDS["snapshots"], seen)
    outside = np.isin(data.source, FOLDS["snapshots"])
    assert held.any() and not (held & ~outside).any()
    assert (data.radius[held] <= 25).all() and (data.radius[outside & ~held] > 25).all()
    assert not (train & (outside | seen)).any()
    assert not np.isin(groups[train], groups[outside | seen]).any()
    assert not train[160], "a photo of a held-out place from another source was trained on"
    assert not train[5], "a near-duplicate of a held-out photo was trained on"


def test_each_tenth_of_a_landmark_is_held_out_once_and_evenly(data: Dataset) -> None:
    groups = duplicate_groups(data)
    numbers = seen_folds(data, groups)
    landmark = data.source == "gldv2_50"
    assert (numbers[~landmark] == -1).all()
    for place in range(3):
        mine = numbers[landmark & (np.array([p.place for p in data.photos]) == f"place {place}")]
        counts = np.bincount(mine, minlength=SEEN_FOLDS)
        assert counts.max() - counts.min() <= 1
    masks = seen_masks(groups, numbers)
    for fold in range(SEEN_FOLDS):
        assert not np.isin(groups[masks[fold]], groups[numbers == fold]).any()


def test_the_halves_share_no_photo_and_no_near_duplicate(data: Dataset) -> None:
    groups = duplicate_groups(data)
    side = halves(groups)
    assert not set(groups[side]) & set(groups[~side])
    assert 0.3 < side.mean() < 0.7


def test_no_source_is_held_out_twice() -> None:
    every = [s for fold in (*FOLDS.values(), *OTHER_FOLDS.values()) for s in fold]
    assert len(every) == len(set(every))
