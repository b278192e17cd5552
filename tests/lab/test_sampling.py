"""A few collections for the studies: one of a cell, and the same ones for every study."""

from __future__ import annotations

from elsewhere_lab.collections import SAMPLED_PER_PART, kinds_of, partitions, sample, sample_parts
from elsewhere_lab.sources import Simulator
from elsewhere_lab.statistics import mean_of
from elsewhere_lab.values import Row, Scale

SOURCE = Simulator(seed=4)
SCALE = Scale("small", 1, 512, 10_000, 20)


def test_a_share_of_a_few_is_taken_of_each_kind_spread_over_the_cells() -> None:
    made = sample_parts(SOURCE, SCALE, ("R-16", "Albums"), share=0.5)
    numbers = {
        kind: [
            n for part in made if part.settings["kind"] == kind for n in part.settings["numbers"]
        ]
        for kind in ("R-16", "Albums")
    }
    assert all(len(part.settings["numbers"]) <= SAMPLED_PER_PART for part in made)
    assert numbers["Albums"] == list(range(10))
    assert len(set(numbers["R-16"])) == 10
    assert max(numbers["R-16"]) - min(numbers["R-16"]) > 512 // 2


def test_a_part_is_the_first_collection_of_each_of_its_cells() -> None:
    part = sample_parts(SOURCE, SCALE, ("R-32",))[0]
    for cell, each in zip(part.settings["numbers"], sample(SOURCE, part), strict=True):
        first = next(partitions(SOURCE, cell, "R-32", 1))
        assert (each.truth, each.number, each.photos) == (cell, first.number, 32)
        assert (each.scores == first.scores).all()


def test_means_leave_out_what_is_empty_and_kinds_stand_in_order() -> None:
    rows: list[Row] = [
        {"kind": "Albums", "holds": 1},
        {"kind": "R-16", "holds": None},
        {"kind": "R-16", "holds": 0},
    ]
    assert mean_of(rows, "holds")[0::2] == (0.5, 2)
    assert mean_of(rows[1:], "holds")[0::2] == (0.0, 1)
    assert kinds_of(rows) == ["R-16", "Albums"]
