"""Columns that cannot be worked with are told once; columns that are none of ours are not read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from elsewhere.batch.columns import photos_in, scores_in
from elsewhere.batch.runner import run
from elsewhere.batch.schemas import file_schema
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.errors import FileError
from tests.batch.makers import Here, albums_in, dead_in, scored, write

TEXT = ("album", pa.string()), ("photo", pa.string()), ("path", pa.string())
SCORES = ("album", pa.string()), ("photo", pa.string()), ("scores", pa.list_(pa.float32()))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ([("album", pa.null()), *TEXT[1:]], "album of type null, which must be text"),
        ([*TEXT, ("lat", pa.string())], "lat of type string, which must be a number"),
        ([*TEXT, ("content", pa.string())], "content of type string, which must be bytes"),
        ([*TEXT, ("wishes", pa.int8())], "wishes of type int8, which must be text"),
        ([*SCORES, ("truth", pa.list_(pa.string()))], "truth of type list.* whole numbers"),
        ([*SCORES[:2], ("scores", pa.null())], "scores of type null"),
        ([*TEXT, ("path", pa.string())], "several columns called path"),
        (TEXT[:2], "no column path, content or scores"),
        (TEXT[1:], "no column album"),
    ],
)
def test_what_cannot_be_worked_with(fields: list[tuple[str, Any]], why: str) -> None:
    with pytest.raises(FileError, match=why):
        file_schema("a.parquet", pa.schema(fields))


def test_a_column_of_nulls_that_claims_to_have_none() -> None:
    """Damaged files do; pyarrow itself makes no such field, so it is made up here."""
    odd = SimpleNamespace(name="lat", type=pa.null(), nullable=False)
    fields = [*pa.schema(TEXT), odd]

    class Damaged(list[Any]):
        names = tuple(field.name for field in fields)
        metadata = None

    assert file_schema("a.arrow", Damaged(fields)).field("lat").nullable


@pytest.mark.parametrize("schema", [photos_in(), scores_in(7)])
def test_what_is_written_down_is_understood(schema: Any) -> None:
    assert file_schema("a.parquet", schema).equals(schema, check_metadata=True)
    large = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    wide = pa.schema([one.with_type(large.get(one.type, one.type)) for one in schema])
    assert file_schema("a.parquet", wide).names == schema.names


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_columns_of_the_datasets_own_change_nothing(ending: str, tmp_path: Path) -> None:
    table = scored(4)
    write(table, tmp_path / "in" / "a.arrow")
    run(Settings(str(tmp_path / "in"), str(tmp_path / "out"), key="k"), Here())
    for name in ("kind", "reason", "digest", "metadata", "scores_model", "scores_1", "path"):
        table = table.append_column(name, pa.array(["mine"] * len(table)))
    write(table, tmp_path / "more" / f"a.{ending}")
    assert Source(str(tmp_path / "more")).schema.names == scores_in(2).names
    run(Settings(str(tmp_path / "more"), str(tmp_path / "out2"), key="k"), Here())
    assert albums_in(tmp_path / "out2") == albums_in(tmp_path / "out")


@pytest.mark.parametrize("scattered", [False, True])
def test_ids_that_are_no_text_cost_themselves(scattered: bool, tmp_path: Path) -> None:
    table = scored(4, photos=(4, 5))
    albums = [one.encode() for one in table["album"].to_pylist()]
    photos = [one.encode() for one in table["photo"].to_pylist()]
    albums[4:8] = [b"caf\xe9"] * 4  # Latin-1
    photos[8] = b"\xff.jpg"
    for number, (name, values) in enumerate((("album", albums), ("photo", photos))):
        column = pa.array(values, pa.binary()).view(pa.string())
        table = table.set_column(number, pa.field(name, pa.string()), column)
    if scattered:
        table = pa.concat_tables([table.slice(2), table.slice(0, 2)])
    write(table, tmp_path / "in" / "a.parquet")
    run(Settings(str(tmp_path / "in"), str(tmp_path / "out"), key="k"), Here())
    rows = {row["album"]: row for row in albums_in(tmp_path / "out")}
    broken = {name for name, row in rows.items() if row["status"] == "broken"}
    assert set(rows) - broken == {"album-000000", "album-000002", "album-000003"}
    assert broken == {r"caf\xe9"}
    assert rows["album-000002"]["left"] == 1
    letters = {tuple(one.values())[:4] for one in dead_in(tmp_path / "out")}
    assert letters >= {
        ("album-000002", r"\xff.jpg", "unnamed", "its id is not UTF-8 text: give it another"),
        (r"caf\xe9", None, "album", "the album's id is not UTF-8 text: give it another"),
    }
    assert {one[2] for one in letters} <= {"unnamed", "album", "infeasible"}
