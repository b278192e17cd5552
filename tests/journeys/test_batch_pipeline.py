"""A batch as a pipeline meets it: albums in partitions, odd columns and ids, broken files.

Local and Ray give the same rows. When 5 % of the albums change, only those are planned again. A run
that is killed again and again loses nothing and does nothing twice. Small with `--slow`; with
`--long` as large as ELSEWHERE_ALBUMS says (50,000 albums, where it says nothing), and on a Ray
cluster of two nodes on this machine that wants its token.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from tests.batch.makers import scored
from tests.batch.store import free_port

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is another thing there"),
]
PARTITIONS, CELLS = 20, 40
LARGE = int(os.environ.get("ELSEWHERE_ALBUMS") or 50_000)


def first_day(folder: Path, albums: int) -> dict[int, int]:
    """The dataset of the first day; by album its partition.

    Each partition has its own types and columns. Ids are whole numbers of several widths. Three
    files are broken: one is cut off, one is empty, one lacks a column.
    """
    partitions: dict[int, int] = {}
    each = -(-albums // PARTITIONS)
    for number in range(PARTITIONS):
        count = max(0, min(each, albums - number * each))
        impossible = range(0, count, 97)
        table = scored(count, photos=(3, 6), cells=CELLS, seed=number, impossible=impossible)
        table = odd(table.drop_columns(["place"]), number, number * each)
        write(table, folder, number)
        partitions |= dict.fromkeys(range(number * each, number * each + count), number)
    for name, content in (("cut.parquet", b"PAR1 and no more"), ("empty.arrow", b"")):
        (folder / "country=FR" / "year=2020").joinpath(name).write_bytes(content)
    parquet.write_table(pa.table({"album": [1], "path": ["x"]}), folder / "lacking.parquet")
    return partitions


def odd(table: Any, number: int, first: int) -> Any:
    """A partition with ids and columns of its own."""
    kind = (pa.int32(), pa.int64(), pa.uint32())[number % 3]
    ids = pa.array([first + int(name[-6:]) for name in table["album"].to_pylist()], kind)
    table = table.set_column(0, pa.field("album", kind), ids)
    photos = table["photo"].combine_chunks()
    if number % 4 == 1:
        photos = photos.dictionary_encode()
    elif number % 4 == 2:
        photos = pa.array([int(name[:4]) for name in photos.to_pylist()])
    table = table.set_column(1, pa.field("photo", photos.type), photos)
    tenant = [f"tenant {value.as_py() % 7}" for value in ids]
    table = table.append_column("tenant", pa.array(tenant).dictionary_encode())
    if number % 2:
        table = table.append_column("scores_old", pa.array([[1, 2]] * len(table)))
        table = table.append_column("kind", pa.array(["mine"] * len(table)))
    return table


def write(table: Any, folder: Path, number: int) -> None:
    country = ("FR", "PT", "Côte d%2FIvoire", "__HIVE_DEFAULT_PARTITION__")[number % 4]
    place = folder / f"country={country}" / f"year={2020 + number // 4}"
    place.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, place / f"part-{number:02}.parquet", row_group_size=4096)


def next_day(folder: Path, albums: int) -> set[int]:
    """Change every twentieth album: its scores, its wishes, or its photos; which they are."""
    changed = set()
    for file in folder.rglob("part-*.parquet"):
        table = parquet.ParquetFile(file).read()
        ids = np.array(table["album"].to_pylist())
        due = ids % 20 == 7
        changed |= set(ids[due].tolist())
        wishes = ['{"top": 2}' if yes and album % 40 == 7 else wish for yes, album, wish
                  in zip(due, ids, table["wishes"].to_pylist(), strict=True)]  # fmt: skip
        scores = np.array(table["scores"].to_pylist(), np.float32)
        scores[due & (ids % 40 == 27)] *= np.float32(1.5)
        for name, values in (("wishes", wishes), ("scores", list(scores))):
            number = table.column_names.index(name)
            field = table.schema.field(number)
            table = table.set_column(number, field, pa.array(values, field.type))
        parquet.write_table(table, file, row_group_size=4096)
    return changed


@dataclass
class Command:
    """The command, as it is typed."""

    folder: Path
    environment: dict[str, str]

    def words(self, output: str, *more: str) -> list[str]:
        return [
            sys.executable, "-m", "elsewhere", "batch", str(self.folder / "in"),
            "-o", str(self.folder / output), "--key-file", str(self.folder / "key"),
            "--carry", "tenant", "--partition-by", "country", "--progress", "json",
            "--fail-if", "broken>1%", "--fail-if", "files>3", *more,
        ]  # fmt: skip

    def run(self, output: str, *more: str) -> list[dict[str, Any]]:
        """To the end; the lines of progress."""
        done = subprocess.run(
            self.words(output, *more), capture_output=True, text=True, check=False,
            env=self.environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert " albums: " in done.stdout.splitlines()[0], "something else is on stdout"
        assert all(": " in line or "hold" in line or "had" in line or "unchanged" in line
                   for line in done.stdout.splitlines()), done.stdout  # fmt: skip
        return [json.loads(line) for line in done.stderr.splitlines() if line[:1] == "{"]


def rows_of(output: Path) -> list[dict[str, Any]]:
    """All rows, as a reader of partitioned data finds them."""
    table = dataset.dataset(output / "albums", partitioning="hive").to_table()
    return sorted(table.to_pylist(), key=lambda row: int(row["album"]))


def letters_of(output: Path) -> list[tuple[Any, ...]]:
    table = dataset.dataset(output / "dead").to_table()
    return sorted(tuple(row.values()) for row in table.to_pylist())


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Two nodes with a core each, on this machine, that want a token: address, environment."""
    address = f"127.0.0.1:{free_port()}"
    environment = {
        **os.environ, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "1",
    }  # fmt: skip
    start = [sys.executable, "-m", "ray.scripts.scripts", "start", "--num-cpus", "1", "--block",
             "--object-store-memory", str(80 << 20), "--disable-usage-stats"]  # fmt: skip
    head = ["--head", "--port", address.partition(":")[2], "--include-dashboard", "false",
            "--temp-dir"]  # fmt: skip
    nodes = []
    # the names of sockets must be short
    with (
        tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as files,
        (folder / "ray.log").open("w") as log,
    ):
        try:
            for more in ([*head, files], ["--address", address]):
                nodes.append(subprocess.Popen(
                    [*start, *more], env=environment, stdout=log, stderr=log,
                    start_new_session=True,
                ))  # fmt: skip
                time.sleep(20)
            yield address, environment
        finally:
            for node in reversed(nodes):
                node.terminate()
                node.wait(60)


@pytest.mark.parametrize(
    ("albums", "kills"),
    [
        pytest.param(400, 2, marks=pytest.mark.timeout(900)),
        pytest.param(LARGE, 10, marks=[pytest.mark.long, pytest.mark.timeout(6 * 3600)]),
    ],
)
def test_day_after_day(albums: int, kills: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("ELSEWHERE_SEED") or time.time_ns() % 10**9)
    print("seed", seed)
    partitions = first_day(tmp_path / "in", albums)
    assert len(partitions) == albums
    (tmp_path / "key").write_bytes(bytes(range(32)))
    command = Command(tmp_path, dict(os.environ))

    began = time.monotonic()
    command.run("local", "--workers", "2")
    seconds = time.monotonic() - began
    print(f"local: {albums} albums in {seconds:.0f} s")
    rows = rows_of(tmp_path / "local")
    assert [row["album"] for row in rows] == list(range(albums))
    assert {row["tenant"] for row in rows} == {f"tenant {n}" for n in range(7)}
    assert {row["country"] for row in rows} == {"FR", "PT", "Côte d/Ivoire", None}
    assert {row["year"] for row in rows} == {str(2020 + n) for n in range(5)}
    summary = json.loads((tmp_path / "local" / "summary.json").read_text())
    assert sorted(Path(name).name for name in summary["files"]) == [
        "cut.parquet", "empty.arrow", "lacking.parquet",
    ]  # fmt: skip
    files = list((tmp_path / "local" / "albums").rglob("*.parquet"))
    assert len(files) == 4, "one for each country"

    began = time.monotonic()
    if kills == 10:
        with cluster(tmp_path) as (address, environment):
            ray = Command(tmp_path, environment)
            ray.run("ray", "--engine", "ray", "--address", address)
    else:
        command.run("ray", "--engine", "ray", "--workers", "2")
    print(f"ray: {time.monotonic() - began:.0f} s")
    assert rows_of(tmp_path / "ray") == rows
    assert letters_of(tmp_path / "ray") == letters_of(tmp_path / "local")

    killed_often(command, kills, Random(seed))
    assert rows_of(tmp_path / "killed") == rows
    assert letters_of(tmp_path / "killed") == letters_of(tmp_path / "local")

    changed = next_day(tmp_path / "in", albums)
    assert len(changed) == albums // 20
    began = time.monotonic()
    steps = command.run("local", "--workers", "2", "--update")
    print(f"update: {time.monotonic() - began:.0f} s")
    assert max(step["unchanged"] for step in steps) == albums - len(changed)
    after = rows_of(tmp_path / "local")
    same = [new == old for new, old in zip(after, rows, strict=True)]
    assert all(same[album] for album in range(albums) if album not in changed)
    digests = [[row["input_digest"] for row in day] for day in (after, rows)]
    assert {album for album in range(albums) if digests[0][album] != digests[1][album]} == changed
    command.run("fresh", "--workers", "2")
    assert rows_of(tmp_path / "fresh") == after
    assert letters_of(tmp_path / "fresh") == letters_of(tmp_path / "local")


def killed_often(command: Command, kills: int, draw: Random) -> None:
    """Kill a run at random moments, driver and workers at once; then leave it in peace."""
    deaths = 0
    output = command.folder / "killed"
    done: set[str] = set()
    while deaths < kills:
        process = subprocess.Popen(
            command.words("killed", "--workers", "2", "--block", "64"), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        # each comes a little further than the one before
        while process.poll() is None and not blocks_in(output) - done:
            time.sleep(0.01)
        time.sleep(draw.uniform(0, 1))
        with suppress(ProcessLookupError):  # it is over
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if (output / "summary.json").exists():
            break
        assert done <= blocks_in(output), "a block that was done is gone"
        done = blocks_in(output)
        deaths += 1
    print(f"killed {deaths} times, {len(done)} blocks done by then")
    assert done
    assert deaths == kills or (deaths and kills < 10), "a small run may be over before"
    command.run("killed", "--workers", "2", "--block", "64")


def blocks_in(output: Path) -> set[str]:
    return {file.name for file in (output / "_work" / "blocks").glob("*.parquet")}
