"""Attackers that do not simply add up."""

from __future__ import annotations

import numpy as np

from elsewhere_lab import attackers

SURE, VAGUE = np.log([0.9, 0.05, 0.05]), np.log([0.3, 0.36, 0.34])


def test_who_is_listened_to() -> None:
    rows = np.array([VAGUE, SURE, VAGUE])
    assert (attackers.best_photo(rows) == SURE).all()
    assert np.allclose(attackers.best_five(rows), rows.sum(axis=0))
    seven = np.array([VAGUE] * 6 + [SURE])
    assert np.allclose(attackers.best_five(seven), SURE + 4 * VAGUE)


def test_one_extreme_photo_weighs_less_when_clipped_or_averaged() -> None:
    rows = np.array([[0.0, -2.0], [0.0, -2.0], [-20.0, 0.0]])
    assert rows.sum(axis=0).argmax() == 1
    assert attackers.clipped(rows).tolist() == [-3.0, -4.0]
    assert attackers.averaged(rows).argmax() == attackers.tempered(rows).argmax() == 0


def test_near_repeats_are_discounted() -> None:
    one, other = np.array([0.0, 1.0, 2.0]), np.array([2.0, 1.0, -0.5])
    rows = np.array([one, one, one, other])
    scene = attackers.scenes(rows)
    assert scene.tolist() == [0, 0, 0, 3]
    once, root = attackers.REPEATS.values()
    assert np.allclose(attackers.by_scene(rows, scene, once), one + other)
    assert np.allclose(attackers.by_scene(rows, scene, root), 3**0.5 * one + other)


def added(rows: attackers.Floats) -> attackers.Floats:
    return np.asarray(rows.sum(axis=0))


def test_holding_is_being_outranked_by_so_many_cells() -> None:
    rows = np.array([[1.0, 3.0, 1.0, 0.0]])
    assert attackers.holds(added, rows, 0, 2)  # ties count as ahead, as everywhere
    assert not attackers.holds(added, rows, 0, 3)
