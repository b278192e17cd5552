"""A second run over data that have changed: what is new or changed is planned, the rest stays."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from elsewhere.batch import blocks, merging, output_rows, runner
from elsewhere.batch.columns import BLOCKS
from elsewhere.batch.runner import BatchStep, run
from elsewhere.batch.settings import Settings
from elsewhere.errors import InputError
from elsewhere.formats.score_files import write_scores
from elsewhere.globe import Cells
from elsewhere.values.scores import Scores
from tests.album.makers import jpeg
from tests.batch.makers import Here, albums_in, dead_in, model, pixels, rows_of, scored, write


class Watched:
    """Albums that are planned, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.albums: list[str] = []
        real = output_rows.solve

        def solve(album: str, *given: Any) -> Any:
            self.albums.append(album)
            return real(album, *given)

        monkeypatch.setattr(blocks, "solve", solve)

    def taken(self) -> list[str]:
        """The albums since the last time."""
        albums, self.albums = self.albums, []
        return sorted(albums)


def named(*numbers: int) -> list[str]:
    return [f"album-{number:06}" for number in numbers]


def with_column(table: Any, name: str, values: list[Any]) -> Any:
    number = table.column_names.index(name)
    field = table.schema.field(number)
    return table.set_column(number, field, pa.array(values, field.type))


def fresh(given: Settings, folder: Path) -> Settings:
    """The same as a run of its own, with the same key."""
    key = json.loads(Path(given.output, "batch.json").read_text())["key"]
    return replace(given, output=str(folder / "fresh"), key=key, update=False)


def test_only_what_changed_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = scored(20, impossible=[4, 9])
    write(table, tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=24, update=True)
    watched = Watched(monkeypatch)
    run(given, Here())
    assert watched.taken() == named(*range(20)), "without an earlier run all are new"
    # one with another wish, one with other scores, one gone, one new; and all in other blocks
    wishes = ['{"top": 1}' if album == "album-000003" else wish
              for album, wish in zip(table["album"].to_pylist(), table["wishes"].to_pylist(),
                                     strict=True)]  # fmt: skip
    changed = with_column(table, "wishes", wishes)
    scores = np.array(changed["scores"].to_pylist(), np.float32)
    scores[np.array(changed["album"].to_pylist()) == "album-000007"] *= 1.25
    changed = with_column(changed, "scores", list(scores))
    gone = pa.compute.not_equal(changed["album"], "album-000000")
    changed = pa.concat_tables([changed.filter(gone), scored(1, first=20, seed=5)])
    write(changed, tmp_path / "in" / "a.parquet")
    with pytest.raises(InputError, match=r"its files have changed since: .* give --update"):
        run(replace(given, update=False), Here())
    steps: list[BatchStep] = []
    found = run(given, Here(), steps.append)
    assert watched.taken() == named(3, 7, 20)
    assert steps[-2].unchanged == 17 and found.albums == 20
    run(fresh(given, tmp_path), Here())
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "fresh")
    assert dead_in(tmp_path / "out") == dead_in(tmp_path / "fresh")
    assert [letter["album"] for letter in dead_in(tmp_path / "out")] == named(4, 9)
    assert len(list((tmp_path / "out" / "albums").iterdir())) == 1, "the files of the first run"
    watched.taken()
    # nothing changed but a clock
    os.utime(tmp_path / "in" / "a.parquet", ns=(0, 0))
    run(given, Here())
    assert watched.taken() == []
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "fresh")
    run(replace(given, wishes={"top": 2}), Here())
    assert watched.taken() == named(*range(1, 21))


def test_columns_and_partitions_come_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = scored(8, photos=(4, 5))
    numbers = pa.array([int(album[-3:]) for album in table["album"].to_pylist()])
    table = table.set_column(0, pa.field("album", pa.int64()), numbers)
    tenant = pa.array(["a", "b"] * 16)
    write(table.append_column("tenant", tenant), tmp_path / "in" / "day=1" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=9, update=True)
    watched = Watched(monkeypatch)
    run(given, Here())
    assert len(watched.taken()) == 8
    tenant = pa.array([("a", "b", None)[n // 4 % 3] for n in range(32)])
    write(table.append_column("tenant", tenant), tmp_path / "in" / "day=2" / "a.parquet")
    (tmp_path / "in" / "day=1" / "a.parquet").unlink()
    run(replace(given, partition_by=("tenant",), block=17), Here())
    assert watched.taken() == []
    folders = {file.parent.name for file in (tmp_path / "out" / "albums").rglob("*.parquet")}
    assert folders == {"tenant=a", "tenant=b", "tenant=__HIVE_DEFAULT_PARTITION__"}
    rows = albums_in(tmp_path / "out")
    assert [row["album"] for row in rows] == list(range(8))
    assert {row["day"] for row in rows} == {"2"}


def test_photos_that_changed_are_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Content and paths; an album in slices; a photo that is none."""
    table = pa.concat_tables([pixels(1, photos=10), pixels(4, first=1, broken=[(2, 0)])])
    photos = tmp_path / "photos"
    photos.mkdir()
    rows = table.to_pylist()
    for row in rows:
        if row["album"] == "album-000004":
            file = photos / row["photo"]
            file.write_bytes(row["content"])
            row |= {"path": str(file), "content": None}
    write(pa.Table.from_pylist(rows, table.schema), tmp_path / "in" / "a.parquet", group=5)
    given = Settings(
        str(tmp_path / "in"), str(tmp_path / "out"), (model(tmp_path),), block=5, update=True
    )
    watched = Watched(monkeypatch)
    run(given, Here())
    assert watched.taken() == named(*range(5))
    assert not any(row["input_digest"] is None for row in albums_in(tmp_path / "out"))
    (photos / "0001.jpg").write_bytes(jpeg(4711, 32, 24))  # behind its path
    rows[-5]["content"] = jpeg(815, 32, 24)  # of album-000003
    write(pa.Table.from_pylist(rows, table.schema), tmp_path / "in" / "a.parquet", group=5)
    run(given, Here())
    assert watched.taken() == named(3, 4)
    run(fresh(given, tmp_path), Here())
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "fresh")
    assert dead_in(tmp_path / "out") == dead_in(tmp_path / "fresh") != []
    watched.taken()
    rows[0]["content"] = jpeg(99, 32, 24)  # of the album in slices
    write(pa.Table.from_pylist(rows, table.schema), tmp_path / "in" / "a.parquet", group=5)
    run(given, Here())
    assert watched.taken() == named(0)


class KilledError(Exception):
    """As if the machine were switched off."""


@pytest.mark.parametrize("when", ["blocks", "merge", "removal", "summary"])
def test_an_update_that_was_killed(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it stops, the next one ends with the same rows; data may change in between."""
    monkeypatch.setattr(merging, "_FILE_BYTES", 30_000)

    class Stopping(Here):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            for number, done in enumerate(super().run(jobs, source, settings, next_jobs)):
                yield done
                if number and done.kind == {"blocks": "albums", "merge": "merge"}.get(when):
                    raise KilledError

    def stop(*given: Any) -> None:
        raise KilledError

    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=24, update=True)
    write(scored(30, impossible=[2, 11]), tmp_path / "in" / "a.parquet")
    run(given, Here())
    assert len(list((tmp_path / "out" / "albums").iterdir())) > 2
    for seed in (1, 2):
        other = scored(10, seed=seed, impossible=[2, 5])
        table = pa.concat_tables(
            [
                other,
                scored(30, impossible=[2, 11]).filter(
                    pa.compute.greater(scored(30, impossible=[2, 11])["album"], "album-000009")
                ),
            ]
        )
        write(table, tmp_path / "in" / "a.parquet")
        with monkeypatch.context() as patch, pytest.raises(KilledError):
            if when == "removal":
                patch.setattr(runner, "_remove_others", stop)
            elif when == "summary":
                patch.setattr(runner, "summary_page", stop)
            run(given, Stopping())
        assert not (tmp_path / "out" / "summary.json").exists()
    found = run(given, Here())
    assert found.albums == 30
    assert run(fresh(given, tmp_path), Here()) == found
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "fresh")
    assert dead_in(tmp_path / "out") == dead_in(tmp_path / "fresh")
    assert not (tmp_path / "out" / BLOCKS).exists()


def test_what_may_have_been_bad_luck_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(scored(4), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), update=True)
    real = output_rows.solve

    def unlucky(album: str, table: Any, *more: Any) -> Any:
        if album == "album-000002":
            return output_rows.broken_row(album, len(table), None, "error", "a mistake of ours")
        return real(album, table, *more)

    with monkeypatch.context() as patch:
        patch.setattr(blocks, "solve", unlucky)
        assert run(given, Here()).statuses["broken"] == 1
    os.utime(tmp_path / "in" / "a.parquet", ns=(0, 0))
    watched = Watched(monkeypatch)
    assert "broken" not in run(given, Here()).statuses
    assert watched.taken() == named(2)


def test_a_crash_is_tried_again_though_no_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(scored(4), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), update=True)
    real = output_rows.solve

    def unlucky(album: str, table: Any, *more: Any) -> Any:
        if album == "album-000001":
            return output_rows.broken_row(album, len(table), None, "crash", "its worker died")
        return real(album, table, *more)

    with monkeypatch.context() as patch:
        patch.setattr(blocks, "solve", unlucky)
        assert run(given, Here()).dead == {"crash": 1}
    watched = Watched(monkeypatch)
    assert run(replace(given, update=False), Here()).dead == {"crash": 1}, "a repeated command"
    assert watched.taken() == []
    assert run(given, Here()).dead == {}
    assert watched.taken() == named(1)
    assert run(given, Here()).dead == {}
    assert watched.taken() == []


XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
 xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="{},30.0N"
 exif:GPSLongitude="9,8.0W"/></rdf:RDF></x:xmpmeta>"""


def test_photos_and_sidecars_behind_a_path_are_looked_at_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Parquet file stays as it is."""
    rows = pixels(4, photos=3).to_pylist()
    for row in rows:
        file = tmp_path / "in" / "photos" / row["album"] / row["photo"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(row["content"])
        row.update(path=str(file.relative_to(tmp_path / "in")), content=None, lat=None, lon=None)
        file.with_name(f"{file.name}.xmp").write_text(XMP.format(38))
    write(pa.Table.from_pylist(rows, pixels(1).schema), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), (model(tmp_path),), update=True)
    watched = Watched(monkeypatch)
    run(given, Here())
    assert watched.taken() == named(0, 1, 2, 3)
    before = albums_in(tmp_path / "out")
    assert before[1]["audit"]
    photos = tmp_path / "in" / "photos"
    (photos / "album-000002" / "0001.jpg").write_bytes(jpeg(4711, 32, 24))
    (photos / "album-000001" / "0001.jpg.xmp").write_text(XMP.format(61))
    (photos / "album-000003" / "0001.jpg.xmp").unlink()
    run(given, Here())
    assert watched.taken() == named(1, 2, 3)
    assert albums_in(tmp_path / "out")[1]["audit"] != before[1]["audit"], "another place"
    run(fresh(given, tmp_path), Here())
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "fresh")
    watched.taken()
    (photos / "album-000003" / "0001.jpg.json").write_text("{}")  # one that was not there
    run(given, Here())
    assert watched.taken() == named(3)


@pytest.mark.parametrize("update", [True, False])
def test_other_rows_of_a_scorer_that_is_a_table_are_another_model(
    update: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file names the model that made its rows, and goes on naming it when they change."""
    write(pixels(2), tmp_path / "in" / "a.parquet")
    scores = tmp_path / "scores.npz"
    cells = Cells.paper()

    def write_rows(seed: int) -> None:
        values = rows_of(np.random.default_rng(seed), 4, 7, cells.count)
        ids = [f"{n:04}.jpg" for n in range(4)]
        made = Scores(values, ids, scorer="a" * 64, grid=cells.fingerprint)
        scores.unlink(missing_ok=True)
        write_scores(scores, made)

    write_rows(0)
    given = Settings(
        str(tmp_path / "in"), str(tmp_path / "out"), (f"table:{scores}",), update=update
    )
    run(given, Here())
    watched = Watched(monkeypatch)
    write_rows(1)
    if not update:
        with pytest.raises(InputError, match="their models have changed since"):
            run(given, Here())
        return
    run(given, Here())
    assert watched.taken() == named(0, 1)
