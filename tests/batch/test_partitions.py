"""Datasets as others write them: partitioned, with odd columns and ids, and broken files."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from pyarrow import compute, dataset, parquet

from elsewhere.batch import blocks, merging, runner
from elsewhere.batch.grouping import block_size
from elsewhere.batch.limits import NO_LOST_FILES
from elsewhere.batch.runner import run
from elsewhere.batch.schemas import common_schema, file_schema, in_schema, partition_keys
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.cli.render.batch import show_failures
from elsewhere.errors import FileError, InputError
from tests.batch.makers import Here, albums_in, dead_in, scored, write


def settings(folder: Path, name: str = "out", **options: Any) -> Settings:
    return Settings(str(folder / "in"), str(folder / name), key="k", **options)


def renamed(table: Any, ids: dict[str, Any], kind: Any = None) -> Any:
    """A table whose albums have other ids."""
    values = pa.array([ids[name] for name in table["album"].to_pylist()], kind)
    return table.set_column(0, pa.field("album", values.type), values)


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what depends on the ids of albums."""
    return [
        {name: row[name] for name in row if name not in {"album", "country", "city"}}
        for row in rows
    ]


def test_partition_keys_become_columns(tmp_path: Path) -> None:
    write(scored(6), tmp_path / "flat" / "in" / "a.parquet")
    run(settings(tmp_path / "flat", wishes={"exact_top": True}), Here())
    table = scored(6)
    albums = sorted(set(table["album"].to_pylist()))
    for number, folder in enumerate(("country=FR/city=Aix%20la", "country=PT/city=Faro", "_old")):
        chosen = albums[2 * number : 2 * number + 2] if number < 2 else albums
        part = table.filter(pa.compute.is_in(table["album"], pa.array(chosen)))
        write(part, tmp_path / "in" / folder / "part-0.parquet")
    nobody = table.filter(pa.compute.is_in(table["album"], pa.array(albums[4:])))
    hive_null = "country=__HIVE_DEFAULT_PARTITION__/city=x"
    write(nobody, tmp_path / "in" / hive_null / "part-0.parquet")
    run(settings(tmp_path, wishes={"exact_top": True}), Here())
    rows = albums_in(tmp_path / "out")
    assert [(row["country"], row["city"]) for row in rows] == [
        *[("FR", "Aix la")] * 2,
        *[("PT", "Faro")] * 2,
        *[(None, "x")] * 2,
    ]
    assert plain(rows) == plain(albums_in(tmp_path / "flat" / "out"))


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize(
    ("kind", "of", "text"),
    [
        (pa.int64(), lambda n: n * 10**12, None),
        (pa.uint8(), lambda n: n + 3, None),
        (pa.dictionary(pa.int8(), pa.string()), lambda n: f"ä{n}", None),
        (pa.date32(), lambda n: date(2020, 1, 1 + n), str),
        (pa.decimal128(9, 2), lambda n: Decimal(f"{n}.25"), str),
        (pa.binary(16), lambda n: UUID(int=n).bytes, lambda raw: raw.hex()),
        (pa.large_string(), lambda n: f"a{n}", None),
    ],
)
def test_ids_of_any_kind(kind: Any, of: Any, text: Any, scattered: bool, tmp_path: Path) -> None:
    table = scored(4, photos=(4, 5))
    names = sorted(set(table["album"].to_pylist()))
    table = renamed(table, {name: of(number) for number, name in enumerate(names)}, kind)
    if scattered:
        table = pa.concat_tables([table.slice(2), table.slice(0, 2)])
    write(table, tmp_path / "in" / "a.parquet")
    run(settings(tmp_path), Here())
    rows = albums_in(tmp_path / "out")
    ids = [of(number) for number in range(4)]
    assert [row["album"] for row in rows] == [text(value) if text else value for value in ids]
    (file,) = (tmp_path / "out").glob("albums/*.parquet")
    whole = pa.types.is_integer(kind)
    assert parquet.read_schema(file).field("album").type == (kind if whole else pa.string())


def test_files_with_columns_of_their_own(tmp_path: Path) -> None:
    """Other types, other columns, other order: one dataset."""
    table = scored(9, photos=(4, 5))
    parts = [table.slice(12 * n, 12) for n in range(3)]
    numbers = {f"album-{n:06}": n for n in range(9)}
    write(
        renamed(parts[0], numbers, pa.int32())
        .append_column("tenant", pa.array([7] * 12, pa.int16()))
        .append_column("thumbnail", pa.array([{"a": 1}] * 12)),
        tmp_path / "in" / "0.parquet",
    )
    wide = [list(map(float, row)) for row in parts[1]["scores"].to_pylist()]
    second = renamed(parts[1], numbers, pa.int64()).drop_columns(["scores", "lat", "wishes"])
    second = second.append_column("scores", pa.array(wide, pa.list_(pa.float64())))
    write(second.append_column("tenant", pa.array([2**40] * 12)), tmp_path / "in" / "1.arrow")
    third = renamed(parts[2], numbers).append_column("tenant", pa.array(["x"] * 11 + ["y"]))
    write(third, tmp_path / "in" / "2.parquet")
    found = run(settings(tmp_path, carry=("tenant",)), Here())
    assert found.files == {} and found.albums == 9
    tenants = [row["tenant"] for row in albums_in(tmp_path / "out")]
    assert tenants == ["7"] * 3 + [str(2**40)] * 3 + ["x", "x", None], "rows that differ: none"


def test_only_what_the_dataset_has_can_be_carried(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    with pytest.raises(InputError, match="has no column tenant to carry"):
        run(settings(tmp_path, carry=("tenant",)), Here())
    with pytest.raises(InputError, match="lat cannot be carried, for it is one of the columns"):
        run(settings(tmp_path, carry=("lat",)), Here())
    with pytest.raises(InputError, match="status cannot be carried"):
        settings(tmp_path, carry=("status",))
    assert not (tmp_path / "out").exists()


def test_keys_that_clash_with_the_output_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(scored(2), tmp_path / "in" / "status=new" / "place=Faro" / "day=1" / "a.parquet")
    found = run(settings(tmp_path), Here())
    assert found.dropped_keys == ["status"]
    assert {(row["status"], row["day"]) for row in albums_in(tmp_path / "out")} == {
        ("optimal", "1")
    }
    assert not show_failures(found, [NO_LOST_FILES]), "no reason to fail"
    sentence = "the output has a column status of its own"
    assert f"elsewhere: {sentence}" in capsys.readouterr().err
    assert f"<p>T{sentence[1:]}" in (tmp_path / "out" / "report.html").read_text()


def test_broken_files_cost_themselves(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "day=1" / "a.parquet")
    (tmp_path / "in" / "day=1" / "b.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "in" / "day=2").mkdir()
    (tmp_path / "in" / "day=2" / "c.arrow").write_bytes(b"")
    write(pa.table({"album": ["a"]}), tmp_path / "in" / "day=2" / "d.parquet")
    found = run(settings(tmp_path), Here())
    assert found.albums == 2
    assert list(found.files) == ["day=1/b.parquet", "day=2/c.arrow", "day=2/d.parquet"]
    assert "no column photo" in found.files["day=2/d.parquet"]
    assert "day=1/b.parquet is damaged" in (tmp_path / "out" / "report.html").read_text()
    assert run(settings(tmp_path), Here()) == found
    (tmp_path / "in" / "day=1" / "a.parquet").unlink()
    with pytest.raises(FileError, match="no column photo"):
        Source(str(tmp_path / "in"))


def test_scores_of_another_model_are_another_dataset(tmp_path: Path) -> None:
    for number, scorer in enumerate(("one", "one", "two")):
        table = scored(1, first=number).replace_schema_metadata({"elsewhere.scorer": scorer})
        write(table, tmp_path / f"{number}.parquet")
    (reason,) = Source(str(tmp_path)).faults.values()
    assert "2.parquet has scores of another model" in reason


def test_a_dictionary_is_decoded_before_it_is_used() -> None:
    texts = pa.array(["a", None, "b", "a"]).dictionary_encode()
    one = [("album", texts.type), ("photo", pa.int8()), ("path", texts.type)]
    other = [("album", pa.string()), ("photo", pa.string_view()), ("content", pa.binary())]
    schema = common_schema([file_schema("a", pa.schema(fields)) for fields in (one, other)])
    batch = pa.record_batch({"album": texts, "photo": pa.array([1, 2, 3, None], pa.int8())})
    rows = in_schema(batch, schema, {"path": "x"}).to_pylist()
    assert rows[0] == {"album": "a", "photo": "1", "path": "x", "content": None}
    assert [row["album"] for row in rows] == ["a", None, "b", "a"]


def test_rows_come_out_in_partitions(tmp_path: Path) -> None:
    table = scored(9, photos=(4, 5))
    tenants = [("a b", None, "é/x")[n // 4 % 3] for n in range(len(table))]
    days = [n // 12 for n in range(len(table))]
    table = table.append_column("tenant", pa.array(tenants)).append_column("day", pa.array(days))
    write(table, tmp_path / "in" / "a.parquet")
    run(settings(tmp_path, "flat", carry=("tenant", "day")), Here())
    run(settings(tmp_path, carry=("day",), partition_by=("tenant",)), Here())
    folders = {file.parent.name for file in (tmp_path / "out" / "albums").rglob("*.parquet")}
    assert folders == {"tenant=a%20b", "tenant=__HIVE_DEFAULT_PARTITION__", "tenant=%C3%A9%2Fx"}
    read = dataset.dataset(tmp_path / "out" / "albums", partitioning="hive").to_table()
    rows = sorted(read.to_pylist(), key=lambda row: str(row["album"]))
    flat = albums_in(tmp_path / "flat")
    assert [{name: row[name] for name in flat[0]} for row in rows] == flat
    assert [row["day"] for row in flat] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    # what comes out can go in: the keys are read as they were written
    keys = {key for file in read_names(tmp_path / "out") for key in partition_keys(file).items()}
    assert keys == {("tenant", "a b"), ("tenant", None), ("tenant", "é/x")}


def test_partitions_lose_no_row(tmp_path: Path) -> None:
    """Whatever the values are: NaN is not equal to itself, and nothing is equal to null."""
    table = scored(5, photos=(4, 5))
    values = [(float("nan"), 1.5, None, 1.5, float("inf"))[n // 4] for n in range(20)]
    write(table.append_column("x", pa.array(values)), tmp_path / "in" / "a.parquet")
    run(settings(tmp_path, partition_by=("x",)), Here())
    assert len(albums_in(tmp_path / "out")) == 5
    folders = {file.parent.name for file in (tmp_path / "out" / "albums").rglob("*.parquet")}
    assert folders == {"x=nan", "x=1.5", "x=__HIVE_DEFAULT_PARTITION__", "x=inf"}


def read_names(output: Path) -> list[str]:
    folder = output / "albums"
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*.parquet")]


def test_files_of_a_sane_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many blocks, few files; the counts are those of one file."""
    write(scored(60, impossible=[3, 40]), tmp_path / "in" / "a.parquet")
    whole = run(settings(tmp_path, "whole", block=16), Here())
    assert len(list((tmp_path / "whole" / "albums").iterdir())) == 1
    monkeypatch.setattr(merging, "_FILE_BYTES", 150_000)
    monkeypatch.setattr(merging, "_GROUP_BYTES", 3_000)
    assert run(settings(tmp_path, block=16), Here()) == whole
    files = sorted((tmp_path / "out" / "albums").iterdir())
    assert 2 <= len(files) < 20
    assert all(parquet.ParquetFile(file).num_row_groups > 1 for file in files)
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "whole")
    assert dead_in(tmp_path / "out") == dead_in(tmp_path / "whole")


def test_more_partitions_than_files_that_may_be_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest file is closed; its partition goes on in another."""
    table = scored(24, photos=(4, 5))
    table = table.append_column("day", pa.array([n // 4 % 6 for n in range(len(table))]))
    write(table, tmp_path / "in" / "a.parquet")
    run(settings(tmp_path, "flat", block=16, carry=("day",)), Here())
    monkeypatch.setattr(merging, "_MAX_OPEN", 4)
    monkeypatch.setattr(merging, "_GROUP_BYTES", 1)
    found = run(settings(tmp_path, block=16, partition_by=("day",)), Here())
    assert found.albums == 24
    rows = dataset.dataset(tmp_path / "out" / "albums", partitioning="hive").to_table().to_pylist()
    flat = albums_in(tmp_path / "flat")
    assert sorted(row["album"] for row in rows) == [row["album"] for row in flat]
    assert {(row["album"], row["day"]) for row in rows} == {(r["album"], r["day"]) for r in flat}
    files = [file for file in (tmp_path / "out" / "albums").rglob("*") if file.is_file()]
    assert len(files) > 6 and {file.suffix for file in files} == {".parquet"}
    assert len({file.parent.name for file in files}) == 6
    updated = run(settings(tmp_path, block=16, partition_by=("day",), update=True), Here())
    assert updated == found and len(albums_in(tmp_path / "out")) == 24


@pytest.mark.parametrize("name", ["_day", ".day"])
def test_folders_that_nobody_reads_are_refused(name: str) -> None:
    """An update would not find its own rows there, and write them twice."""
    with pytest.raises(InputError, match="cannot be the name of folders"):
        Settings("in", "out", partition_by=(name,))


def test_other_partitions_of_a_killed_run_need_no_new_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("a", "b"):
        part = scored(3, first=3 * (key == "b"), seed=ord(key))
        write(part, tmp_path / "in" / f"k={key}" / "a.parquet")
    given = settings(tmp_path, block=16, update=True)
    calm = run(settings(tmp_path, "calm", block=16), Here())

    def stop(*given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(runner, "summary_page", stop)
        run(given, Here())
    with monkeypatch.context() as patch:
        patch.setattr(blocks, "solve", stop)
        assert run(replace(given, partition_by=("k",)), Here()) == calm
    folders = {file.parent.name for file in (tmp_path / "out" / "albums").rglob("*.parquet")}
    assert folders == {"k=a", "k=b"}
    assert len(albums_in(tmp_path / "out")) == 6


_WHOLE = pa.array([10**7, 10**7 + 1], pa.int32())
_LONG = pa.array([10**15 + 1, 10**15 + 2], pa.int64())
ODD = {
    "text that is not UTF-8": pa.array([b"a\xff", b"\xfe"], pa.binary()).view(pa.string()),
    "a day after the year 9999": _WHOLE.view(pa.date32()),
    "a date after the year 9999": _WHOLE.view(pa.date32()).cast(pa.date64()),
    "a second after the year 9999": _LONG.view(pa.timestamp("s")),
    "odd nanoseconds with a zone": _LONG.view(pa.timestamp("ns", "Europe/Paris")),
    "a zone that is none": _LONG.view(pa.timestamp("ns", "Nowhere/Else")),
    "a duration of odd nanoseconds": _LONG.view(pa.duration("ns")),
    "a time of odd nanoseconds": pa.array([1, 2], pa.int64()).view(pa.time64("ns")),
    "a narrow decimal": pa.array([1, 2], pa.decimal32(9, 0))
    if hasattr(pa, "decimal32")
    else pa.array([1, 2]),
}


@pytest.mark.parametrize("kind", ODD)
def test_values_that_python_does_not_have_are_carried(kind: str, tmp_path: Path) -> None:
    """Through blocks, an update that keeps their rows, and partitions."""
    values = ODD[kind].take(pa.array([0] * 4 + [1] * 4 + [0, 1, 0, 1]))
    table = scored(3, photos=(4, 5)).append_column("odd", values)
    write(table, tmp_path / "in" / "a.arrow")
    given = settings(tmp_path, carry=("odd",), update=True, block=4)
    for _ in range(2):
        assert run(given, Here()).statuses == {"optimal": 3}
        (file,) = (tmp_path / "out" / "albums").iterdir()
        rows = parquet.ParquetFile(file).read(["album", "odd"]).sort_by("album")
        found = rows["odd"].combine_chunks()
        assert found.is_valid().to_pylist() == [True, True, False]
        assert found.slice(0, 2).equals(ODD[kind].cast(found.type, safe=False))
    run(replace(given, carry=(), partition_by=("odd",)), Here())
    folders = {file.parent.name for file in (tmp_path / "out" / "albums").rglob("*.parquet")}
    assert len(folders) == 3 and "odd=__HIVE_DEFAULT_PARTITION__" in folders


def test_a_column_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    spans = pa.array([(1, 2, 3)] * 8, pa.month_day_nano_interval())
    table = scored(2, photos=(4, 5)).append_column("span", spans)
    write(table, tmp_path / "in" / "a.arrow")
    with pytest.raises(FileError, match=r"has span of type .* must be a plain value"):
        run(settings(tmp_path, carry=("span",)), Here())


@pytest.mark.parametrize("column", ["album", "photo", "place", "lat", "odd"])
def test_columns_of_runs_are_read(column: str, tmp_path: Path) -> None:
    table = scored(6, photos=(4, 5))
    odd = pa.array([n // 12 for n in range(len(table))])
    table = table.append_column("odd", odd)
    write(table, tmp_path / "in" / "a.arrow")
    run(settings(tmp_path, "plain", carry=("odd",)), Here())
    number = table.column_names.index(column)
    runs = compute.run_end_encode(table.column(number).combine_chunks())
    table = table.set_column(number, pa.field(column, runs.type), runs)
    write(table, tmp_path / "in" / "a.arrow", group=10)
    found = run(settings(tmp_path, carry=("odd",)), Here())
    assert found.files == {} and albums_in(tmp_path / "out") == albums_in(tmp_path / "plain")


@pytest.mark.parametrize(
    ("rows", "cells", "group", "block"),
    [
        (1000, 512, 1000, 1024),
        (10**7, 512, 8192, 1220),
        (10**9, 512, 8192, 16_384),
        (10**9, 36_000, 8192, 466),
        (10**7, 512, 122_880, 15_360),
        (10**5, 512, 100_000, 1024),
    ],
)
def test_blocks_grow_with_the_data(rows: int, cells: int, group: int, block: int) -> None:
    source: Any = SimpleNamespace(scored=True, cells=cells, rows=rows, largest_group=group)
    assert block_size(source, None) == block
