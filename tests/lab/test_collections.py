"""Collections: every photo once in a partition, the same ones at every scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files import write_scores
from elsewhere.values.scores import Scores
from elsewhere_lab.collections import (
    KINDS,
    cell_of,
    collections,
    one_each,
    partitions,
    parts,
    spread,
)
from elsewhere_lab.sources import PER_CELL, ScoreFiles, Simulator
from elsewhere_lab.values import SCALES, Row, Scale

SOURCE = Simulator(seed=3)


def test_the_scale_of_the_paper_has_the_papers_counts() -> None:
    counts = dict.fromkeys(KINDS, 0)
    for part in parts(SOURCE, SCALES["paper"]):
        kind = part.settings["kind"]
        if kind == "Albums":
            counts[kind] += part.settings["albums"][1] - part.settings["albums"][0]
        else:
            size = int(kind.removeprefix("R-"))
            counts[kind] += (
                len(part.settings["cells"]) * part.settings["partitions"] * (PER_CELL // size)
            )
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


def test_a_collections_number_says_its_cell_and_an_albums_is_known_without_its_photos() -> None:
    for each in partitions(SOURCE, 411, "R-64", 3):
        assert cell_of({"kind": each.kind, "number": each.number}) == 411
    for album in (0, 7, 9_999):
        assert SOURCE.album_cell(album) == SOURCE.album(album).truth
    row: Row = {"kind": "Albums", "number": 7}
    assert cell_of({**row, "cell": 12}) == 12
    assert cell_of(row) < 0  # nobody says: a cell of its own


def test_one_each_is_the_first_collection_of_every_cell() -> None:
    part = parts(SOURCE, Scale("x", 1, 2, 0, 1), ["R-64"])[0]
    every = list(one_each(SOURCE, part))
    assert [each.truth for each in every] == part.settings["cells"] == [0, 256]
    assert every[1].number == next(partitions(SOURCE, 256, "R-64", 1)).number


def test_cells_are_spread_over_all() -> None:
    assert spread(SOURCE.cells, 4) == [0, 128, 256, 384]
    assert len(spread(SOURCE.cells, SCALES["paper"].cells)) == 512


@pytest.fixture
def scored(tmp_path: Path) -> ScoreFiles:
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        scores = Scores(rng.normal(size=(40, 5)), ids=[f"p{i}" for i in range(40)])
        write_scores(tmp_path / f"{name}.npz", scores)
    lines = [f"p{i},{i % 2},{'trip' if i < 36 else ''}" for i in range(38)]
    (tmp_path / "truth.csv").write_text("photo,cell,album\n" + "\n".join(lines) + "\n", "utf-8")
    return ScoreFiles((tmp_path / "one.npz", tmp_path / "two.npz"), tmp_path / "truth.csv")


def test_score_files_are_a_source_too(scored: ScoreFiles) -> None:
    assert scored.cells == (0, 1)
    assert [len(view) for view in scored.photos(0)] == [19, 19]
    assert len(list(partitions(scored, 0, "R-16", 3))) == 3
    assert scored.albums() == 2
    assert scored.album(1).truth == 1
    assert scored.album(1).photos == 18
    one, two = scored.photos(1, paired=True)
    assert (one != two).any()
    assert scored.cell_name(3) == "cell 3"
    assert scored.on_earth(3) is None


def test_a_truth_file_that_cannot_be_right_is_refused(scored: ScoreFiles) -> None:
    scored.truth.write_text("photo,cell\np0,9\n", "utf-8")
    with pytest.raises(FileError, match=r"truth\.csv, line 2 has the cell '9': there are 5 cells"):
        _ = scored.cells
    scored.truth.write_text("name\np0\n", "utf-8")
    with pytest.raises(FileError, match="columns photo and cell"):
        _ = ScoreFiles(scored.files, scored.truth).cells
    scored.truth.write_text("photo,cell\nother,1\n", "utf-8")
    with pytest.raises(InputError, match="names no photo"):
        _ = ScoreFiles(scored.files, scored.truth).cells


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('photo,cell\np0,1\n"p1,0\np2,0\n', "line 3 is not CSV"),
        ("photo,cell\np0\n", "line 2 has the cell ''"),
        ("photo,cell,lat,lon\np0,1,north,3\n", "line 2 is at 'north', '3'"),
        ("photo,cell,lat,lon\np0,1,,3\n", "line 2 is at '', '3'"),
        ("photo,cell,lat,lon\np0,1,91,3\n", "line 2 is at '91', '3'"),
    ],
)
def test_a_broken_line_of_a_truth_file_is_named(scored: ScoreFiles, text: str, why: str) -> None:
    scored.truth.write_text(text, "utf-8")
    with pytest.raises(FileError, match=why):
        _ = scored.cells


def test_a_truth_file_in_another_encoding_is_told_so(scored: ScoreFiles) -> None:
    scored.truth.write_bytes("photo,cell\nÄ,1\n".encode("latin-1"))
    with pytest.raises(FileError, match="is not in UTF-8"):
        _ = scored.cells


def test_halves_are_paired_by_name_wherever_they_stand(scored: ScoreFiles) -> None:
    folder = scored.truth.parent
    rng = np.random.default_rng(2)
    for name in ("half-a", "half-b"):
        scores = Scores(rng.normal(size=(40, 5)), ids=[f"p{i}" for i in range(40)])
        write_scores(folder / f"{name}.npz", scores)
    names = ("half-b", "one", "half-a")
    several = ScoreFiles(tuple(folder / f"{name}.npz" for name in names), scored.truth)
    every, paired = several.photos(0), several.photos(0, paired=True)
    assert len(paired) == 2
    assert (paired[0] == every[0]).all()
    assert (paired[1] == every[2]).all()
    last = ScoreFiles(scored.files, scored.truth).photos(0, paired=True)
    assert (last[1] == scored.photos(0)[1]).all()


def test_one_model_is_not_enough_for_a_pair(scored: ScoreFiles) -> None:
    with pytest.raises(InputError, match="two models"):
        ScoreFiles(scored.files[:1], scored.truth).photos(0, paired=True)
