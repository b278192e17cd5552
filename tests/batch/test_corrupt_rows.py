"""A damaged page costs the albums that it holds, and a run goes on to its end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import fs, parquet

from elsewhere.batch.limits import NO_LOST_FILES
from elsewhere.batch.open_file import open_file
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.errors import FileError
from tests.batch.makers import Here, albums_in, damage, dead_in, model, pixels, scored, write
from tests.formats.score_files.test_bombs import varint

ROWS = 24
"""Albums of four photos, six of them in a row group."""


def given(place: Path, table: Any, group: int = ROWS) -> tuple[Settings, Path]:
    file = write(table, place / "in" / "a.parquet", group=group)
    return Settings(str(place / "in"), str(place / "out"), key="k", block=8), file


def names(numbers: Any) -> set[str]:
    return {f"album-{number:06}" for number in numbers}


@pytest.mark.parametrize("column", ["scores", "photo", "wishes", "truth"])
def test_a_damaged_page_costs_its_albums(column: str, tmp_path: Path) -> None:
    table = scored(18, photos=(4, 5))
    settings, file = given(tmp_path, table)
    run(settings, Here())
    whole = albums_in(tmp_path / "out")
    damage(file, 1, column)
    settings = replace(settings, output=str(tmp_path / "again"))
    # with processes once: a worker must neither die of it nor stop the run
    found = run(settings, Engine("local", 1) if column == "scores" else Here())
    rows = albums_in(tmp_path / "again")
    broken = {row["album"] for row in rows if row["status"] == "broken"}
    assert broken == names(range(6, 12))
    assert [row for row in rows if row["album"] not in broken] == [
        row for row in whole if row["album"] not in broken
    ]
    letters = dead_in(tmp_path / "again")
    assert {(one["album"], one["photo"], one["kind"]) for one in letters} == {
        (album, None, "damaged") for album in broken
    }
    assert letters[0]["reason"] == (
        "some of its rows are lost: rows 24 to 47 of a.parquet cannot be read, for the file is "
        "damaged there: write it anew"
    )
    assert found.statuses == {"broken": 6, "optimal": 12} and found.dead == {"damaged": 6}
    assert (tmp_path / "again" / "summary.json").exists()


def test_rows_whose_albums_cannot_be_read(tmp_path: Path) -> None:
    settings, file = given(tmp_path, scored(18, photos=(4, 5)))
    damage(file, 1, "album")
    found = run(settings, Here())
    rows = {row["album"]: row["status"] for row in albums_in(tmp_path / "out")}
    assert rows.pop("") == "broken"
    assert set(rows) == names([*range(6), *range(12, 18)]) and set(rows.values()) == {"optimal"}
    (letter,) = dead_in(tmp_path / "out")
    assert letter["kind"] == "damaged" and "rows 24 to 47 of a.parquet" in letter["reason"]
    assert found.albums == 13
    assert found.files == {
        "a.parquet": f"{file} is damaged in the album ids of rows 24 to 47, whose albums have no "
        "row: write it anew"
    }
    assert NO_LOST_FILES.exceeded_by(found) == (1, 0)
    assert run(settings, Here()) == found


@pytest.mark.parametrize("name", ["", "a.parquet"])
def test_several_places_of_a_file_are_named_together(name: str, tmp_path: Path) -> None:
    settings, file = given(tmp_path, scored(18, photos=(4, 5)))
    damage(file, 0, "album")
    damage(file, 2, "album")
    found = run(replace(settings, input=str(file) if name == "" else settings.input), Here())
    assert list(found.files) == ["a.parquet"]
    assert "of rows 0 to 23, 48 to 71, whose albums" in found.files["a.parquet"]


def test_scattered_rows_of_a_damaged_file(tmp_path: Path) -> None:
    table = scored(12, photos=(4, 5))
    mixed = table.take(pa.array(np.random.default_rng(0).permutation(table.num_rows)))
    settings, file = given(tmp_path, mixed, group=16)
    damage(file, 2, "scores")
    run(settings, Here())
    rows = albums_in(tmp_path / "out")
    lost = set(mixed.slice(32)["album"].to_pylist())
    assert 0 < len(lost) < 12
    assert {row["album"] for row in rows if row["status"] == "broken"} == lost
    assert {row["album"] for row in rows if row["status"] == "optimal"} == names(range(12)) - lost


def test_photos_and_a_slice_of_a_giant(tmp_path: Path) -> None:
    """The second row group holds the end of a giant and nothing else, the third an album."""
    table = pa.concat_tables([pixels(1, photos=8), pixels(2, first=1)])
    settings, file = given(tmp_path, table, group=4)
    damage(file, 1, "content")
    run(replace(settings, scorers=(model(tmp_path),), block=4), Here())
    rows = albums_in(tmp_path / "out")
    assert [row["status"] for row in rows] == ["broken", "optimal", "optimal"]
    assert [one["kind"] for one in dead_in(tmp_path / "out")] == ["damaged"]


def test_bytes_that_cannot_be_had_are_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that is away for a moment must not cost albums for good: the run stops instead."""
    _, file = given(tmp_path, scored(6, photos=(4, 5)))
    source = Source(str(file))
    damage(file, 0, "scores")
    open_file.cache_clear()

    class Away:
        def __getattr__(self, name: str) -> Any:
            return getattr(fs.LocalFileSystem(), name)

        def open_input_file(self, path: str) -> Any:
            raise OSError("the store is away")

    one = source._open("")
    monkeypatch.setattr(one._storage, "fs", Away())
    with pytest.raises(FileError, match="the store is away"):
        source.read(0, 0, 4)


def test_a_footer_that_names_a_page_before_the_file(tmp_path: Path) -> None:
    settings, file = given(tmp_path, scored(18, photos=(4, 5)))
    content = bytearray(file.read_bytes())
    group = parquet.ParquetFile(file).metadata.row_group(1)
    [scores] = [
        column
        for column in map(group.column, range(group.num_columns))
        if column.path_in_schema.startswith("scores")
    ]
    for offset in (scores.dictionary_page_offset, scores.data_page_offset):
        content[content.rindex(varint(offset))] -= 1  # an odd number stands for a negative one
    file.write_bytes(content)
    assert run(settings, Here()).statuses == {"broken": 6, "optimal": 12}
