"""A run is gone on with where it is the same one, and shuts its folder before it writes."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from elsewhere.batch import runner
from elsewhere.batch.columns import BLOCKS, LETTERS
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.errors import FileError, InputError
from tests.batch.makers import Here, albums_in, model, pixels, scored, write


class Stopped(Here):
    """A run that is stopped when its first block is written."""

    def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
        yield next(super().run(jobs, source, settings, next_jobs))
        raise KeyboardInterrupt


def stopped(settings: Settings) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(settings, Stopped())


@pytest.mark.parametrize("kept", ["the size", "size and time"])
def test_a_dataset_that_was_written_anew_is_noticed(kept: str, tmp_path: Path) -> None:
    """Scores of a fixed size always fill the same bytes, whatever they are."""
    file = write(scored(40), tmp_path / "in" / "a.arrow")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=8)
    stopped(settings)
    before = file.stat()
    table = scored(40)
    albums = table["album"].to_pylist()
    reverse = table.set_column(0, table.schema.field(0), [albums[::-1]])
    write(reverse, file)
    assert file.stat().st_size == before.st_size
    if kept == "size and time":
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(InputError, match="of another dataset, or its files have changed since"):
        run(settings, Here())


def test_a_dataset_that_is_touched_in_the_middle_is_noticed(tmp_path: Path) -> None:
    file = write(scored(200, cells=200), tmp_path / "a.arrow")
    before = Source(str(file)).fingerprint()
    assert Source(str(file)).fingerprint() == before
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    assert middle > 1 << 17
    content[middle] ^= 1
    file.write_bytes(content)
    assert Source(str(file)).fingerprint() != before


def test_a_dataset_that_changes_meanwhile_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(scored(6), tmp_path / "a.parquet")
    real = runner._run_jobs

    def changing(*given, **named):  # type: ignore[no-untyped-def]
        real(*given, **named)
        write(scored(6, seed=1), file)

    monkeypatch.setattr(runner, "_run_jobs", changing)
    with pytest.raises(FileError, match="was changed during the run"):
        run(Settings(str(file), str(tmp_path / "out")), Here())
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_model_that_was_changed_is_noticed(tmp_path: Path) -> None:
    write(pixels(2), tmp_path / "in" / "a.parquet")
    word = model(tmp_path)
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"), (word,), block=4)
    stopped(settings)
    file = Path(word.partition(":")[2])
    content = file.read_bytes()
    changed = bytearray(content)
    changed[len(content) // 2] ^= 1  # the last bit of a weight
    file.write_bytes(changed)
    with pytest.raises(InputError, match="their models have changed since"):
        run(settings, Here())
    file.write_bytes(content)
    run(settings, Here())
    assert len(albums_in(tmp_path / "out")) == 2


@pytest.mark.parametrize("mine", ["_work/thesis/a.txt", "photos/a.jpg", ".hidden", "letter.txt"])
def test_a_folder_that_holds_anything_is_left_as_it_is(mine: str, tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    out = tmp_path / "out"
    (out / mine).parent.mkdir(parents=True, exist_ok=True)
    (out / mine).write_text("mine")
    out.chmod(0o755)
    with pytest.raises(InputError, match="is not the output of a run: name a new folder"):
        run(Settings(str(tmp_path / "in"), str(out)), Here())
    assert (out / mine).read_text() == "mine"
    assert [one for one in out.rglob("*") if one.is_file()] == [out / mine]
    assert sys.platform == "win32" or out.stat().st_mode & 0o777 == 0o755


def test_a_run_that_was_killed_in_its_first_moment_goes_on(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    out = tmp_path / "out"
    out.mkdir()
    (out / ".lock").touch()
    (out / f".batch.json.{'0' * 32}").write_text("{")
    assert run(Settings(str(tmp_path / "in"), str(out)), Here()).albums == 2


def test_what_a_killed_run_left_half_written_is_gone_in_the_end(tmp_path: Path) -> None:
    write(scored(12), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=24)
    stopped(given)
    half = tmp_path / "out" / "albums" / "day=1" / f".abc.parquet.{'0' * 32}"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"PAR1 and not more")
    assert run(given, Here()).albums == 12
    assert not half.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_nobody_else_can_read_what_is_written(tmp_path: Path) -> None:
    write(scored(12, impossible=[1]), tmp_path / "in" / "a.parquet")
    before = os.umask(0)
    try:
        stopped(Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=8))
    finally:
        os.umask(before)
    found = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert {one.name for one in found} >= {"batch.json", ".lock", "blocks", "_work"}
    for one in found:
        assert one.stat().st_mode & 0o777 == (0o700 if one.is_dir() else 0o600), one


@pytest.mark.parametrize("damaged", ["", "{", "[]", '{"format": "elsewhere-batch/1"}'])
def test_a_damaged_beginning_is_told(damaged: str, tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"))
    run(settings, Here())
    (tmp_path / "out" / "batch.json").write_text(damaged)
    with pytest.raises(InputError, match="is damaged, and with it the key"):
        run(settings, Here())


def test_the_key_of_the_file_is_the_key_of_the_run(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"))
    run(settings, Here())
    key = json.loads((tmp_path / "out" / "batch.json").read_text())["key"]
    run(replace(settings, output=str(tmp_path / "again"), key=key), Here())
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "again")


@pytest.mark.parametrize("folder", [LETTERS, BLOCKS])
def test_a_file_of_the_run_that_was_damaged_is_named_and_can_be_made_anew(
    folder: str, tmp_path: Path
) -> None:
    write(scored(4, impossible=[1]), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"), key="k")
    found = run(replace(settings, output=str(tmp_path / "calm")), Here())
    stopped(settings)
    (file,) = (tmp_path / "out" / folder).iterdir()
    file.write_bytes(file.read_bytes()[:-9] + b"\0" * 9)
    with pytest.raises(FileError, match=f"{folder}/{file.name} is damaged: delete"):
        run(settings, Here())
    (tmp_path / "out" / BLOCKS / file.name).unlink()
    assert run(settings, Here()) == found


def test_a_file_of_the_output_that_was_deleted_is_written_again(tmp_path: Path) -> None:
    write(scored(4, impossible=[1]), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"), key="k")
    found = run(settings, Here())
    rows = albums_in(tmp_path / "out")
    (file,) = (tmp_path / "out" / "albums").iterdir()
    file.unlink()
    (tmp_path / "out" / "summary.json").unlink()
    assert run(settings, Here()) == found
    assert albums_in(tmp_path / "out") == rows


def test_letters_of_a_try_that_died_do_not_stay(tmp_path: Path) -> None:
    write(scored(2), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"))
    stopped(settings)
    (albums,) = (tmp_path / "out" / BLOCKS).iterdir()
    stale = tmp_path / "out" / LETTERS / albums.name
    stale.parent.mkdir()
    stale.write_bytes(b"of a try that died before its albums were written")
    albums.unlink()
    assert run(settings, Here()).dead == {}
