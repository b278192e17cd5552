"""Nobody scores what he was trained on."""

from __future__ import annotations

import numpy as np
from training.folds import FOLDS, cluster_folds, never_saw, trained_on

GROUPS = np.random.default_rng(3).integers(200, size=900)
"""Photos in clusters of near-duplicates."""


def test_near_duplicates_are_in_one_fold() -> None:
    fold = cluster_folds(GROUPS)
    assert set(fold) == set(range(FOLDS))
    for group in np.unique(GROUPS):
        assert len(set(fold[group == GROUPS])) == 1


def test_no_model_saw_what_it_scores_nor_a_near_duplicate() -> None:
    fold = cluster_folds(GROUPS)
    for masks in trained_on(GROUPS).values():
        assert never_saw(GROUPS, fold, masks)
    leaky = trained_on(GROUPS)["embedded"]
    leaky[2] = leaky[2].copy()
    leaky[2][np.flatnonzero(fold == 2)[0]] = True
    assert not never_saw(GROUPS, fold, leaky)


def test_the_halves_share_no_photo_and_no_near_duplicate() -> None:
    masks = trained_on(GROUPS)
    for whole, one, other in zip(masks["embedded"], masks["half-a"], masks["half-b"], strict=True):
        assert not set(GROUPS[one]) & set(GROUPS[other])
        assert ((one | other) == whole).all()
