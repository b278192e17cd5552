"""Blocks: every album once, whole or in slices; scattered rows are brought together first."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from elsewhere.album.export import Staging
from elsewhere.batch.columns import photos_in
from elsewhere.batch.grouping import Grouping, Job, block_size, group, must_regroup, regroup
from elsewhere.batch.input_rows import LOST
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError
from tests.batch.makers import pixels, scored, write


def names(source: Source, found: Grouping) -> list[list[str]]:
    """The albums of every block."""
    return [
        pa.concat_tables([source.read(*one) for one in job.ranges])["album"].to_pylist()
        for job in found.jobs
    ]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("block", [1, 20, 10_000])
def test_every_album_is_in_one_block(ending: str, block: int, tmp_path: Path) -> None:
    table = scored(50)
    for number, part in enumerate((table.slice(0, 101), table.slice(101))):  # amid an album
        write(part, tmp_path / f"{number}.{ending}", group=17)
    source = Source(str(tmp_path))
    found = group(source, block)
    blocks = names(source, found)
    assert [name for names in blocks for name in names] == table["album"].to_pylist()
    assert all(a[-1] != b[0] for a, b in pairwise(blocks))
    assert all(len(names) <= block or len(set(names)) == 1 for names in blocks)
    assert (found.albums, found.photos) == (50, table.num_rows)
    assert len({job.name for job in found.jobs}) == len(found.jobs)
    assert [Job.from_json(job.to_json()) for job in found.jobs] == found.jobs
    assert not found.scattered


def test_a_giant_is_cut_into_slices(tmp_path: Path) -> None:
    write(pixels(3, photos=10), tmp_path / "a.parquet", group=7)
    found = group(Source(str(tmp_path)), 4)
    assert [job.photos for job in found.jobs] == [4, 4, 2] * 3
    assert [job.kind for job in found.jobs] == ["slice"] * 9
    assert [join.slices for join in found.joins] == [
        tuple(job.name for job in found.jobs if job.join_name == join.name) for join in found.joins
    ]


@pytest.mark.parametrize(
    ("rows", "asked", "block"),
    [(100, 1024, 16), (6400, 1024, 100), (100, 4, 4), (10**6, 1024, 1024)],
)
def test_small_datasets_of_photos_are_cut_finer(rows: int, asked: int, block: int) -> None:
    """Otherwise one worker would look at all of them, and others at none."""
    photos: Any = SimpleNamespace(scored=False, rows=rows)
    scores: Any = SimpleNamespace(scored=True, rows=rows)
    assert (block_size(photos, asked), block_size(scores, asked)) == (block, asked)


def test_a_block_is_called_after_its_albums(tmp_path: Path) -> None:
    write(scored(9), tmp_path / "one" / "a.parquet", group=5)
    write(scored(9, seed=1), tmp_path / "other" / "b.arrow", group=50)
    one, other = (group(Source(str(tmp_path / name)), 1) for name in ("one", "other"))
    assert [job.name for job in one.jobs] == [job.name for job in other.jobs]


def test_rows_of_a_killed_run_do_not_stay_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may hold whole photos, positions and all."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    killed = Staging(tmp_path / "tmp")
    (killed.folder / "0000").write_bytes(b"photos")
    os.close(killed._lock)  # as the system does for a process that was killed
    write(scored(4), tmp_path / "in" / "a.parquet", group=3)
    regroup(Source(str(tmp_path / "in")), Storage(str(tmp_path / "out")), 30)
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_scattered_albums_are_brought_together(ending: str, tmp_path: Path) -> None:
    table = scored(40)
    order = np.random.default_rng(0).permutation(table.num_rows)
    write(table.take(pa.array(order)), tmp_path / "in" / f"a.{ending}", group=13)
    source = Source(str(tmp_path / "in"))
    assert group(source, 30).scattered
    together = regroup(source, Storage(str(tmp_path / "out")), 30)
    found = group(together, 30)
    assert not found.scattered and found.albums == 40
    rows = pa.concat_tables([together.read(*one) for job in found.jobs for one in job.ranges])
    assert rows.column(LOST).null_count == len(rows)
    rows = rows.drop_columns([LOST])
    assert rows.sort_by([("album", "ascending"), ("photo", "ascending")]).equals(
        table.sort_by([("album", "ascending"), ("photo", "ascending")])
    )


def test_large_row_groups_are_made_small(tmp_path: Path) -> None:
    write(scored(40), tmp_path / "a.parquet", group=10_000)
    source = Source(str(tmp_path))
    assert must_regroup(source, False, 10) and not must_regroup(source, False, 200)
    write(scored(40), tmp_path / "mapped" / "a.arrow", group=10_000)
    assert not must_regroup(Source(str(tmp_path / "mapped")), False, 10)


def test_what_is_no_dataset_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no dataset"):
        Source(str(tmp_path))
    (tmp_path / "a.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(FileError, match="damaged"):
        Source(str(tmp_path))
    (tmp_path / "a.parquet").unlink()
    for columns, why in (
        ({"photo": ["a"]}, "no column album"),
        ({"album": ["a"], "photo": [[1]], "path": ["a"]}, "photo of type list"),
        ({"album": ["a"], "photo": ["a"]}, "no column path, content or scores"),
        ({"album": ["a"], "photo": ["a"], "scores": [1.0]}, "list of floats"),
    ):
        file = write(pa.table(columns), tmp_path / why.replace(" ", "") / "a.parquet")
        with pytest.raises(FileError, match=why):
            Source(str(file))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_files_are_not_all_open_at_once(tmp_path: Path) -> None:
    for number in range(40):
        write(scored(1, first=number), tmp_path / f"{number:02}.parquet")
    before = len(list(Path("/proc/self/fd").iterdir()))
    source = Source(str(tmp_path))
    assert group(source, 100).albums == 40
    assert len(list(Path("/proc/self/fd").iterdir())) < before + 15
    write(scored(1, cells=7, first=99), tmp_path / "99.parquet")
    assert group(Source(str(tmp_path)), 100).albums == 41, "scores over other cells cost an album"


@contextmanager
def held() -> Iterator[list[int]]:
    """Within, how many MiB Arrow holds more than before, looked at all the time."""
    before, over = pa.total_allocated_bytes(), threading.Event()
    seen = [0]

    def look() -> None:
        while not over.wait(0.0005):
            seen.append((pa.total_allocated_bytes() - before) >> 20)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def heavy(photos: int) -> Any:
    """One album of photos of a MiB, its rows scattered among those of small ones."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "album": "giant" if n % 2 else f"small-{n}",
            "photo": str(n),
            "content": rng.bytes(1 << 20),
        }
        for n in range(photos)
    ]
    return pa.Table.from_pylist(rows, photos_in())


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_no_more_photos_are_held_than_are_looked_at(ending: str, tmp_path: Path) -> None:
    """A worker takes on a block of 50 MiB; of a Parquet file a row group is the least it reads."""
    table = heavy(64)
    write(table, tmp_path / f"a.{ending}", group=4)
    source = Source(str(tmp_path))
    with held() as seen:
        names = []
        for piece in source.pieces(0, 5, 50, 4):
            names += piece["photo"].to_pylist()
            time.sleep(0.003)
    assert names == table["photo"].to_pylist()[5:55]
    assert len(seen) > 10 and max(seen) < 25


def test_a_giant_is_not_held_while_its_rows_are_brought_together(tmp_path: Path) -> None:
    write(heavy(192), tmp_path / "in" / "a.parquet", group=4)
    with held() as seen:
        together = regroup(Source(str(tmp_path / "in")), Storage(str(tmp_path / "out")), 1024)
    assert len(seen) > 10 and max(seen) < 70  # some times 16: what is read, and what is written
    found = group(together, 1024)
    assert (found.photos, found.albums, found.scattered) == (192, 97, False)
