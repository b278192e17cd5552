"""Collections: every photo once in a partition, the same ones at every scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.lab.collections import KINDS, cells_of, collections, partitions, parts
from elsewhere.lab.sources import PER_CELL, Scored, Simulated
from elsewhere.lab.values import SCALES, Scale
from elsewhere.score_files import write_scores
from elsewhere.scores import Scores

SOURCE = Simulated(seed=3)


def test_the_scale_of_the_paper_has_the_papers_counts() -> None:
    counts = dict.fromkeys(KINDS, 0)
    for part in parts(SOURCE, SCALES["paper"]):
        kind = part.wish["kind"]
        if kind == "Albums":
            counts[kind] += part.wish["albums"][1] - part.wish["albums"][0]
        else:
            size = int(kind.removeprefix("R-"))
            counts[kind] += len(part.wish["cells"]) * part.wish["partitions"] * (PER_CELL // size)
    assert counts == {"R-16": 46080, "R-32": 20480, "R-64": 10240, "R-128": 5120, "Albums": 10_000}


def test_a_partition_uses_no_photo_twice_and_every_turn_differs() -> None:
    every = list(partitions(SOURCE, 7, "R-16", 2))
    assert len(every) == 2 * (PER_CELL // 16)
    turns = [every[: len(every) // 2], every[len(every) // 2 :]]
    for turn in turns:
        used = [photo for each in turn for photo in each.photos_at]
        assert len(used) == len(set(used)) == 16 * len(turn)
    assert turns[0][0].photos_at != turns[1][0].photos_at
    assert len({each.number for each in every}) == len(every)
    pool = SOURCE.photos(7)[0]
    assert (every[0].scores == pool[list(every[0].photos_at)]).all()


def test_a_collection_is_the_same_at_every_scale() -> None:
    small = Scale("small", 1, 512, 0, 1)
    first = next(iter(collections(SOURCE, parts(SOURCE, small, ["R-32"])[0])))
    again = next(iter(collections(SOURCE, parts(SOURCE, SCALES["paper"], ["R-32"])[0])))
    assert first.number == again.number
    assert (first.scores == again.scores).all()


def test_cells_are_spread_over_all() -> None:
    assert cells_of(SOURCE, Scale("x", 1, 4, 0, 1)) == [0, 128, 256, 384]
    assert len(cells_of(SOURCE, SCALES["paper"])) == 512


@pytest.fixture
def scored(tmp_path: Path) -> Scored:
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        scores = Scores(rng.normal(size=(40, 5)), ids=[f"p{i}" for i in range(40)])
        write_scores(tmp_path / f"{name}.npz", scores)
    lines = [f"p{i},{i % 2},{'trip' if i < 36 else ''}" for i in range(38)]
    (tmp_path / "truth.csv").write_text("photo,cell,album\n" + "\n".join(lines) + "\n", "utf-8")
    return Scored((tmp_path / "one.npz", tmp_path / "two.npz"), tmp_path / "truth.csv")


def test_score_files_are_a_source_too(scored: Scored) -> None:
    assert scored.cells == (0, 1)
    assert [len(view) for view in scored.photos(0)] == [19, 19]
    assert len(list(partitions(scored, 0, "R-16", 3))) == 3
    assert scored.albums() == 2
    assert scored.album(1).truth == 1
    assert scored.album(1).photos == 18
    one, two = scored.photos(1, paired=True)
    assert (one != two).any()
    assert scored.map().shape == (5, 2)


def test_a_truth_file_that_cannot_be_right_is_refused(scored: Scored) -> None:
    scored.truth.write_text("photo,cell\np0,9\n", "utf-8")
    with pytest.raises(FileError, match="there are 5 cells"):
        _ = scored.cells
    scored.truth.write_text("name\np0\n", "utf-8")
    with pytest.raises(FileError, match="columns photo and cell"):
        _ = Scored(scored.files, scored.truth).cells
    scored.truth.write_text("photo,cell\nother,1\n", "utf-8")
    with pytest.raises(InputError, match="names no photo"):
        _ = Scored(scored.files, scored.truth).cells


def test_one_model_is_not_enough_for_a_pair(scored: Scored) -> None:
    with pytest.raises(InputError, match="two models"):
        Scored(scored.files[:1], scored.truth).photos(0, paired=True)
