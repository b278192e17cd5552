"""Many albums on an object store: a real one, by the protocol of S3, on this machine.

The dataset is read from it and the rows are written to it, through pyarrow and through fsspec, and
must be those of a run on a disk. Who is killed goes on, and nothing that is half there is seen.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from elsewhere.batch import state
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.batch.state import LOCK, run_lock
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError, InputError
from tests.album.makers import jpeg
from tests.batch.makers import HIDDEN, Here, albums_in, dead_in, model, scored, write
from tests.batch.store import PROGRAM, Cable, Store, everything, rows_at, store_in

pytestmark = pytest.mark.slow

pytest.importorskip("s3fs")
needs_store = pytest.mark.needs(PROGRAM)

ADDRESSES = [
    "s3://house/{}",  # pyarrow's own
    "s3://house/{}?scheme=http&endpoint_override=127.0.0.1%3A{port}",
    "s3a://house/{}",  # fsspec's, by s3fs
    pytest.param("fsspec+s3://house/{}", marks=pytest.mark.long),
]


@pytest.fixture(scope="module")
def _store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_in(tmp_path_factory.mktemp("store")) as found:
        yield found


@pytest.fixture
def store(_store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name, value in _store.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(state, "BEAT", 0.2)
    import_module("s3fs").S3FileSystem.clear_instance_cache()  # they remember where it was before
    return _store


class Stopped(Here):
    """A run that is stopped when its first block is written."""

    def run(self, jobs, source, settings, then):  # type: ignore[no-untyped-def]
        yield next(super().run(jobs, source, settings, then))
        raise KeyboardInterrupt


@needs_store
@pytest.mark.parametrize("address", ADDRESSES)
def test_rows_are_those_of_a_disk(address: str, store: Store, tmp_path: Path) -> None:
    """Stopped after its first block, and gone on with; albums that lie scattered."""
    table = scored(24, impossible=[3])
    mixed = table.take([n * 7 % table.num_rows for n in range(table.num_rows)])
    assert table.num_rows % 7
    file = write(mixed, tmp_path / "in" / "a.parquet")
    here = Settings(str(file.parent), str(tmp_path / "out"), key="k", block=40)
    run(here, Here())
    name = f"{tmp_path.name}-{re.sub(r'[^a-z0-9]', '', address)}"
    given, out = (address.format(f"{name}/{part}", port=store.port) for part in ("in", "out"))
    Storage(given).write("a.parquet", file.read_bytes())
    there = replace(here, input=given, output=out)
    with pytest.raises(KeyboardInterrupt):
        run(there, Stopped())
    left = everything(out)
    assert LOCK not in left and "batch.json" in left
    assert sum(one.startswith("_work/blocks/") for one in left) == 1
    assert run(there, Here()).albums == 24
    assert rows_at(out, "albums") == albums_in(tmp_path / "out")
    assert rows_at(out, "dead") == dead_in(tmp_path / "out") != []
    over = everything(out)
    assert {one.partition("/")[0] for one in over} == {
        "albums", "batch.json", "dead", "report.html", "summary.json",
    }  # fmt: skip
    assert run(there, Here()).albums == 24, "it is over and is not done again"
    assert everything(out) == over
    with pytest.raises(InputError, match="holds a run with other options"):
        run(replace(there, block=7), Here())
    assert everything(out) == over


@needs_store
def test_what_came_out_can_be_asked_where_it_lies(store: Store, tmp_path: Path) -> None:
    """As docs/batch.md says: pyarrow reads the address, and DuckDB what pyarrow reads."""
    duckdb = import_module("duckdb")
    dataset = import_module("pyarrow.dataset")
    file = write(scored(12, impossible=[3]), tmp_path / "a.parquet")
    run(Settings(str(file), "s3://house/asked"), Here())
    planned = dataset.dataset("s3://house/asked/albums")
    hidden = planned.to_table(columns=["share"], filter=dataset.field("share").is_valid())
    assert (planned.count_rows(), hidden.num_rows) == (12, 11)
    asked = "SELECT count(*) FROM planned WHERE share IS NULL"
    assert duckdb.sql(asked).fetchall() == [(1,)]


@needs_store
def test_processes_and_photos_by_their_paths(store: Store, tmp_path: Path) -> None:
    """Workers of their own reach it by the environment; a path is below the dataset's folder."""
    import pyarrow as pa

    from elsewhere.batch.columns import photos_in

    given = Storage("s3://house/photos")
    rows = []
    for number in range(4):
        name = f"trip/{number}.jpg"
        if number != 2:
            given.write(name, jpeg(number, 32, 24))
        rows.append({
            "album": "trip", "photo": f"{number}.jpg", "path": name, "lat": 38.72, "lon": -9.14,
            "wishes": HIDDEN,
        })  # fmt: skip
    file = write(pa.Table.from_pylist(rows, photos_in()), tmp_path / "a.parquet")
    given.write("a.parquet", file.read_bytes())
    settings = Settings(given.address, "s3://house/photos-out", (model(tmp_path),), key="k")
    found = run(settings, Engine("local", 1))
    assert found.photos == 3 and found.dead == {"unreadable": 1}
    (letter,) = rows_at(settings.output, "dead")
    assert letter["photo"] == "2.jpg" and "trip/2.jpg cannot be used" in letter["reason"]


@needs_store
@pytest.mark.parametrize("address", ["s3://house/half", "s3a://house/other-half"])
def test_what_is_half_written_is_never_seen(address: str, store: Store) -> None:
    storage = Storage(address)
    with pytest.raises(KeyboardInterrupt), storage.create("albums/a.parquet") as stream:
        stream.write(b"half of it")
        raise KeyboardInterrupt
    assert everything(address) == []
    storage.write("albums/a.parquet", b"whole")
    assert everything(address) == ["albums/a.parquet"]


@needs_store
@pytest.mark.parametrize("address", ["s3://house/lock", "s3a://house/other-lock"])
def test_one_run_at_a_time(address: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage(address)
    storage.write(LOCK, b"dead 1 2 3")  # whoever wrote that never writes again
    with run_lock(storage) as held:
        monkeypatch.setattr(state, "BEAT", 1.0)
        refused = pytest.raises(InputError, match=r"another run \(on .+\) is at work")
        with refused, run_lock(Storage(address)):
            pass
        held.check_held()
        end = time.monotonic() + 60
        while not held.lost.wait(0.3):  # as if both had thought to be first, and both give signs
            assert time.monotonic() < end
            storage.write(LOCK, b"other 1 2 3")
        with pytest.raises(FileError, match="another run has taken over"):
            held.check_held()
    assert storage.read(LOCK) == b"other 1 2 3", "it took away what was not its own"


@needs_store
def test_what_cannot_be_is_one_sentence(store: Store, tmp_path: Path) -> None:
    file = write(scored(2), tmp_path / "a.parquet")
    given = Settings(str(file), "s3://no-such-bucket/out")
    with pytest.raises(FileError, match=r"no-such-bucket/out/.lock cannot be used \(.*bucket"):
        run(given, Here())
    Storage("s3://house/mine").write("letter.txt", b"dear")
    with pytest.raises(InputError, match="is not the output of a run: name a new folder"):
        run(replace(given, output="s3://house/mine"), Here())
    assert everything("s3://house/mine") == ["letter.txt"]
    for address, why in (
        ("s3://me:secret@house/out", "s3://…@house/out holds a password"),
        ("http://127.0.0.1/out", "can only be read"),
        ("zip://out::s3://house/a.zip", "is an archive or a copy"),
        ("simplecache::s3://house/out", "is an archive or a copy"),
        ("fsspec+memory://out", "exists in this process only"),
    ):
        with pytest.raises(InputError, match=why) as told:
            run(replace(given, output=address), Here())
        assert "secret" not in str(told.value).replace("AWS_SECRET", "")


@needs_store
def test_a_dataset_in_an_archive(store: Store, tmp_path: Path) -> None:
    """Whatever fsspec chains: a file in an archive on the store."""
    file = write(scored(6), tmp_path / "in" / "a.parquet")
    here = Settings(str(file), str(tmp_path / "out"), key="k")
    run(here, Here())
    archive = tmp_path / "in.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.write(file, "deep/a.parquet")
    flat = tmp_path / "flat.zip"
    with zipfile.ZipFile(flat, "w") as out:
        out.write(file, "a.parquet")
    Storage("s3://house/zip").write("in.zip", archive.read_bytes())
    for number, address in enumerate((
        f"zip://deep/a.parquet::{archive}",
        f"zip://deep::{archive}",
        f"zip://::{archive}",
        f"zip://::{flat}",
        "zip://deep::s3://house/zip/in.zip",
        "simplecache::s3://house/zip-plain",
    )):  # fmt: skip
        Storage("s3://house/zip-plain").write("a.parquet", file.read_bytes())
        there = replace(here, input=address, output=f"s3://house/zip-out-{number}")
        run(there, Here())
        assert rows_at(there.output, "albums") == albums_in(tmp_path / "out"), address


@needs_store
@pytest.mark.long
@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_a_store_that_is_away_blames_no_photo(
    scheme: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa

    from elsewhere.batch.columns import photos_in

    cable = Cable(store.port)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{cable.port}")
    given = Storage(f"{scheme}://house/away-{scheme}")
    rows = []
    for number in range(40):
        given.write(f"{number}.jpg", jpeg(number, 32, 24))
        rows.append({
            "album": f"trip-{number // 4}", "photo": f"{number}.jpg", "path": f"{number}.jpg",
            "lat": 38.72, "lon": -9.14, "wishes": HIDDEN,
        })  # fmt: skip
    file = write(pa.Table.from_pylist(rows, photos_in()), tmp_path / "a.parquet")
    given.write("a.parquet", file.read_bytes())
    words = (model(tmp_path),)
    settings = Settings(
        given.address, f"{scheme}://house/away-{scheme}-out", words, key="k", block=4
    )

    class Away(Here):
        def run(self, jobs, source, settings, then):  # type: ignore[no-untyped-def]
            for done in super().run(jobs, source, settings, then):
                yield done
                cable.cut.set()

    with pytest.raises(FileError) as told:
        run(settings, Away())
    assert "\n" not in str(told.value) and "cannot be used" in str(told.value), told.value
    cable.cut.clear()
    found = run(settings, Here())
    cable.close()
    assert (found.albums, found.photos, found.dead) == (10, 40, {})


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "elsewhere.cli", "batch", *words]


@needs_store
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("address", ["s3://house/killed", "s3a://house/also-killed"])
def test_killed_and_gone_on_with_as_it_is_typed(address: str, store: Store, tmp_path: Path) -> None:
    """`kill -9` of driver and workers, three times; then the same command to the end."""
    if sys.platform == "win32":
        pytest.skip("kill -9 is another thing there")
    file = write(scored(300, impossible=[7]), tmp_path / "in" / "a.parquet")
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    Storage(f"{address}-in").write("a.parquet", file.read_bytes())
    more = ["--block", "16", "--workers", "2", "--key-file", str(key)]
    words = command(f"{address}-in", "-o", f"{address}-out", *more)
    for files in (1, 8, 20):
        process = subprocess.Popen(words, start_new_session=True, stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + 200
            while len(Storage(f"{address}-out").names("_work/blocks")) < files:
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.05)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        assert process.returncode == -signal.SIGKILL
    left = everything(f"{address}-out")
    assert LOCK in left and "summary.json" not in left
    done = subprocess.run(words, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("300 albums: ")
    subprocess.run(
        command(str(file.parent), "-o", str(tmp_path / "out"), *more), check=True, timeout=400
    )
    assert rows_at(f"{address}-out", "albums") == albums_in(tmp_path / "out")
    assert rows_at(f"{address}-out", "dead") == dead_in(tmp_path / "out")
    assert LOCK not in everything(f"{address}-out")


@needs_store
@pytest.mark.long
@pytest.mark.timeout(900)
def test_of_two_that_start_at_once_one_works(store: Store, tmp_path: Path) -> None:
    file = write(scored(40), tmp_path / "in.parquet")
    for scheme in ("s3", "s3a"):
        out = f"{scheme}://house/two-{scheme}"
        words = command(str(file), "-o", out, "--workers", "1")
        both = [
            subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        told = [process.communicate(timeout=300) for process in both]
        codes = [process.returncode for process in both]
        assert sorted(codes) == [0, 2], told
        assert told[codes.index(0)][0].startswith("40 albums: ")
        assert re.fullmatch(r"elsewhere: another run.* is at work in .+\n", told[codes.index(2)][1])
        assert len(rows_at(out, "albums")) == 40


@needs_store
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("address", ["s3://house/ray", "s3a://house/other-ray"])
def test_on_ray(address: str, store: Store, tmp_path: Path) -> None:
    """The same rows from Ray's workers, as it is typed."""
    pytest.importorskip("ray")
    file = write(scored(60, impossible=[7]), tmp_path / "in" / "a.parquet")
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    Storage(f"{address}-in").write("a.parquet", file.read_bytes())
    more = ["--block", "64", "--workers", "2", "--key-file", str(key)]
    words = command(f"{address}-in", "-o", f"{address}-out", *more, "--engine", "ray")
    done = subprocess.run(words, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr
    subprocess.run(
        command(str(file.parent), "-o", str(tmp_path / "out"), *more), check=True, timeout=400
    )
    assert rows_at(f"{address}-out", "albums") == albums_in(tmp_path / "out")
    assert rows_at(f"{address}-out", "dead") == dead_in(tmp_path / "out") != []
