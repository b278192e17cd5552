"""Edits and what they lose: exact, for any rectangles, and refused where they mean nothing."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere.values.versions import (
    DEFAULT_WEIGHTS,
    FULL,
    MAX_COVERS,
    WHOLE,
    Edit,
    Rectangle,
    WeightMap,
    edit_cost,
    merge,
)


def drawn(rng: random.Random) -> Rectangle:
    left, right = sorted(rng.sample(range(FULL + 1), 2))
    top, bottom = sorted(rng.sample(range(FULL + 1), 2))
    return Rectangle(left, top, right, bottom)


@pytest.mark.parametrize("columns, rows", [(1, 1), (4, 5), (10, 10), (7, 3)])
def test_the_loss_is_the_weight_of_all_thousandths_that_are_gone(columns: int, rows: int) -> None:
    rng = random.Random(columns)
    for _ in range(6):
        grid = tuple(tuple(rng.randrange(9) for _ in range(columns)) for _ in range(rows))
        edit = Edit(drawn(rng) if rng.random() < 0.5 else None, (drawn(rng), drawn(rng)))
        gone = np.zeros((FULL, FULL), dtype=bool)
        if edit.crop is not None:
            crop = edit.crop
            gone[:] = True
            gone[crop.top : crop.bottom, crop.left : crop.right] = False
        for cover in edit.covers:
            gone[cover.top : cover.bottom, cover.left : cover.right] = True
        # each thousandth is split finely enough that every part lies in one weight
        fine = np.repeat(np.repeat(gone, rows, axis=0), columns, axis=1)
        weights = np.repeat(np.repeat(np.array(grid), FULL, axis=0), FULL, axis=1)
        expected = Fraction(int(weights[fine].sum()), int(weights.sum()))
        assert WeightMap(grid).loss(edit) == expected


def test_the_middle_is_dearer_than_the_edges_and_the_sky_cheapest() -> None:
    def lost(*sides: int) -> Fraction:
        return DEFAULT_WEIGHTS.loss(Edit(covers=(Rectangle(*sides),)))

    assert lost(0, 0, FULL, FULL) == 1
    middle, corner = lost(400, 400, 600, 600), lost(0, 800, 200, 1000)
    sky, ground, side = lost(0, 0, 1000, 200), lost(0, 800, 1000, 1000), lost(0, 0, 200, 1000)
    assert middle > Fraction(4, 100) > corner
    assert sky < side < Fraction(1, 5) and sky < ground < Fraction(1, 5)


def test_covers_outside_of_the_crop_lose_nothing_more() -> None:
    crop = Rectangle(0, 0, 500, 1000)
    alone = DEFAULT_WEIGHTS.loss(Edit(crop))
    assert DEFAULT_WEIGHTS.loss(Edit(crop, (Rectangle(500, 0, 1000, 1000),))) == alone
    assert DEFAULT_WEIGHTS.loss(Edit(crop, (Rectangle(400, 0, 1000, 1000),))) > alone


def test_an_edit_has_one_form() -> None:
    first, second = Rectangle(0, 0, 100, 100), Rectangle(200, 0, 300, 100)
    assert Edit(covers=(second, first, first)) == Edit(WHOLE, (first, second))


def test_an_edit_costs_no_more_than_leaving_the_photo_out() -> None:
    assert Fraction(0) < edit_cost(Fraction(0)) < Fraction(1, 20)
    assert edit_cost(Fraction(99, 100)) == edit_cost(Fraction(1)) == 1


@pytest.mark.parametrize(
    "sides",
    [
        (0, 0, 0, 10),
        (5, 0, 4, 10),
        (-1, 0, 9, 9),
        (0, 0, 1001, 10),
        (0.0, 0, 9, 9),
        (0, 0, True, 9),
    ],
)
def test_a_rectangle_that_is_empty_or_outside_is_refused(sides: Any) -> None:
    with pytest.raises(InputError, match="thousandths"):
        Rectangle(*sides)


def test_an_edit_of_nothing_or_of_too_many_covers_is_refused() -> None:
    for crop in (None, WHOLE):
        with pytest.raises(InputError, match="crops or covers"):
            Edit(crop)
    with pytest.raises(InputError, match="at most"):
        Edit(covers=tuple(Rectangle(n, 0, n + 1, 1) for n in range(MAX_COVERS + 1)))


@pytest.mark.parametrize("rows", [(), ((),), ((1,), (1, 2)), ((0, 0),), ((-1, 2),), ((1.5, 2),)])
def test_a_weight_map_that_is_no_grid_of_weights_is_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="weight"):
        WeightMap(rows)


def test_merged_parts_lie_in_the_result() -> None:
    rng = random.Random(5)
    parts = [drawn(rng) for _ in range(4)]
    around = merge(parts)
    assert all(around.contains(part) and around.overlaps(part) for part in parts)
    assert merge([parts[0]]) == parts[0]
