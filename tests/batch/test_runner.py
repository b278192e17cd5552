"""Whole runs on this machine: what comes out, what is refused, who may be killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from elsewhere.batch import runner
from elsewhere.batch.blocks import finish_block, read_rows
from elsewhere.batch.columns import BLOCKS, albums_out, dead_letters
from elsewhere.batch.crash_blame import CAREFUL_AFTER, MAX_UNNAMED_DEATHS, Attempt
from elsewhere.batch.grouping import group
from elsewhere.batch.ray_engine import ScoringActor, plan_scored
from elsewhere.batch.runner import BatchStep, Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.errors import InputError
from tests.batch.makers import albums_in, dead_in, model, pixels, scored, write

ONE = Engine("local", 1)


def settings(place: Path, name: str = "out", **given: Any) -> Settings:
    return Settings(str(place / "in"), str(place / name), key="k", **given)


def undigested(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without the digest of their input, which only a whole run knows."""
    return [row | {"input_digest": None} for row in rows]


def test_scores_in_rows_out(tmp_path: Path) -> None:
    table = scored(30, impossible=[4])
    write(table, tmp_path / "in" / "a.parquet")
    steps: list[BatchStep] = []
    found = run(settings(tmp_path, block=40), Engine("local", 2), steps.append)
    out = tmp_path / "out"
    assert [row["album"] for row in albums_in(out)] == sorted(set(table["album"].to_pylist()))
    assert [(one["album"], one["kind"]) for one in dead_in(out)] == [("album-000004", "infeasible")]
    for folder, schema in (("albums", albums_out()), ("dead", dead_letters())):
        for file in (out / folder).iterdir():
            assert parquet.read_schema(file).equals(schema, check_metadata=True)
    assert found.albums == 30 and found.statuses == {"infeasible": 1, "optimal": 29}
    assert json.loads((out / "summary.json").read_text())["albums"] == 30
    assert "album-000004" in (out / "report.html").read_text()
    assert {step.stage for step in steps} == {"grouping", "working", "counting"}
    assert [step.albums for step in steps if step.stage == "working"][-1] == 30
    assert not (out / "_work").exists()
    # with another block, another kind of file and all rows in disorder: the same rows
    mixed = table.take(pa.array(sorted(range(table.num_rows), key=lambda n: n * 7919 % 1009)))
    write(mixed, tmp_path / "mixed" / "in" / "a.arrow", group=50)
    run(settings(tmp_path / "mixed", block=9), ONE)
    # photos came in another order: sums may differ in their last bits, and of two photos that
    # are worth the same the other one may be withheld
    apart = {"withheld", "share", "certificate_digest", "audit", "work"}
    for ours, theirs in zip(albums_in(out), albums_in(tmp_path / "mixed" / "out"), strict=True):
        for name, value in ours.items():
            if name not in apart:
                assert theirs[name] == value, name
        for one, other in zip(ours["audit"], theirs["audit"], strict=True):
            assert one == pytest.approx(other)
        if ours["withheld"] is not None:
            assert len(ours["withheld"]) == len(theirs["withheld"])
            assert sorted(ours["withheld"] + ours["share"]) == sorted(
                theirs["withheld"] + theirs["share"]
            )


def test_an_album_over_other_cells_is_broken(tmp_path: Path) -> None:
    table = scored(6, photos=(4, 5))
    widths = [3 if album == "album-000002" else 40 for album in table["album"].to_pylist()]
    lists = [row[:width] for row, width in zip(table["scores"].to_pylist(), widths, strict=True)]
    kind = pa.list_(pa.float32())
    table = table.set_column(table.column_names.index("scores"), "scores", pa.array(lists, kind))
    write(table, tmp_path / "in" / "a.parquet", group=4)
    found = run(settings(tmp_path, block=8), ONE)
    assert found.statuses == {"broken": 1, "optimal": 5}
    (letter,) = dead_in(tmp_path / "out")
    assert (letter["album"], letter["kind"]) == ("album-000002", "album")
    assert letter["reason"] == (
        "its photos have scores over 3 cells, and the dataset's first photo over 40: put them into "
        "a dataset of their own"
    )


def test_a_run_that_is_over_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(scored(5), tmp_path / "in" / "a.parquet")
    given = settings(tmp_path)
    found = run(given, ONE)
    monkeypatch.setattr(runner, "_run_jobs", lambda *a, **k: pytest.fail("it was done again"))
    assert run(given, ONE) == found


def test_another_run_is_refused(tmp_path: Path) -> None:
    write(scored(5), tmp_path / "in" / "a.parquet")
    run(settings(tmp_path), ONE)
    for other, why in (
        (settings(tmp_path, block=7), r"other options \(--block was not given and is 7\)"),
        (settings(tmp_path, wishes={"top": 7}), r"\(--top was not given and is 7\): .* --update"),
        (settings(tmp_path, certificates=True), r"\(--certificates was not given and is given\)"),
        (replace(settings(tmp_path), key="other"), "another key"),
    ):
        with pytest.raises(InputError, match=why):
            run(other, ONE)
    write(scored(6), tmp_path / "in" / "a.parquet")
    with pytest.raises(InputError, match="another dataset"):
        run(settings(tmp_path), ONE)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="not the output of a run"):
        run(settings(tmp_path, "full"), ONE)


def test_photos_and_a_giant(tmp_path: Path) -> None:
    """One album of 10 photos in slices of 4, beside small ones; then the same without slices."""
    big = pixels(1, photos=10, broken=[(0, 3)])
    small = pixels(3, first=1, broken=[(2, 0), (2, 1), (2, 2), (2, 3)])
    write(pa.concat_tables([big, small]), tmp_path / "in" / "a.parquet", group=5)
    word = model(tmp_path)
    given = settings(tmp_path, block=4, scorers=(word,))
    run(given, Engine("local", 2))
    rows = albums_in(tmp_path / "out")
    assert [(row["album"], row["photos"], row["left"]) for row in rows] == [
        ("album-000000", 9, 1),
        ("album-000001", 4, 0),
        ("album-000002", 0, 4),
        ("album-000003", 4, 0),
    ]
    assert [row["status"] for row in rows] == ["optimal", "optimal", "broken", "optimal"]
    letters = dead_in(tmp_path / "out")
    assert [(one["photo"], one["kind"]) for one in letters if one["album"] == "album-000002"] == [
        (None, "album"),
        *((f"{n:04}.jpg", "damaged") for n in range(4)),
    ]
    whole = replace(given, output=str(tmp_path / "whole"), block=100)
    run(whole, ONE)
    assert albums_in(tmp_path / "whole") == rows and dead_in(tmp_path / "whole") == letters
    # what the actors and tasks of Ray do with the same jobs, without a cluster
    told = {
        "dataset": given.input,
        "settings": replace(whole, output=str(tmp_path / "r")).to_json(),
    }
    jobs = [job.to_json() for job in group(Source(given.input), 100).jobs]
    actor = ScoringActor(**told)
    try:
        looked = actor(pa.table({"job": jobs}))
    finally:
        actor.scorer.close()
    assert len(plan_scored(looked, **told)) == len(jobs)
    assert undigested(albums_in(tmp_path / "r")) == undigested(rows)
    assert undigested(dead_in(tmp_path / "r")) == undigested(letters)


def test_a_killed_worker_costs_a_second_try(tmp_path: Path) -> None:
    write(scored(60), tmp_path / "in" / "a.parquet")
    given = settings(tmp_path, block=8)
    killed: list[int] = []

    def kill(step: BatchStep) -> None:
        """All workers that live, at two moments or three; one of them at least is at work."""
        done = len(list((tmp_path / "out" / BLOCKS).glob("*.parquet")))
        if step.photos and len(killed) < 3 and done < 50 and done % 2:
            for worker in multiprocessing.active_children():
                assert worker.pid is not None
                os.kill(worker.pid, signal.SIGKILL)
                killed.append(worker.pid)

    run(given, Engine("local", 2), kill)
    assert len(killed) == len(set(killed)) >= 3
    run(settings(tmp_path, "calm", block=8), ONE)
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "calm")


def test_an_album_that_kills_whoever_works_on_it_is_left_alone(tmp_path: Path) -> None:
    write(scored(6), tmp_path / "in" / "a.parquet")
    given = settings(tmp_path)
    storage, (job,) = Storage(given.output), group(Source(given.input), 1000).jobs
    for _ in range(CAREFUL_AFTER + 2):  # as if two had died before, and two more over one album
        tried = Attempt(storage, given.run, job.name)
        assert tried.reason_to_skip("album-000003") is None
        tried.start_album("album-000003")
    finish_block(job, given, read_rows(job, given.input, given))
    rows = {row["album"]: row for row in albums_in(tmp_path / "out")}
    assert rows.pop("album-000003")["status"] == "broken"
    assert len(rows) == 5 and {row["status"] for row in rows.values()} == {"optimal"}
    (letter,) = dead_in(tmp_path / "out")
    assert letter["kind"] == "crash" and "died, 2 times" in letter["reason"]


def test_a_block_that_kills_everybody_is_left_alone(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    for _ in range(MAX_UNNAMED_DEATHS):
        assert Attempt(storage, "run", "block").reason_to_skip("any") is None
    assert "died, 10 times" in str(Attempt(storage, "run", "block").reason_to_skip("any"))


def test_other_filesystems(tmp_path: Path) -> None:
    """fsspec's memory as one that pyarrow does not know by itself; blocks are done here."""
    pytest.importorskip("fsspec")
    table = scored(4)
    file = write(table, tmp_path / "in" / "a.parquet")
    memory = Storage("memory://batch")
    memory.write("in/a.parquet", file.read_bytes())
    given = Settings("memory://batch/in", "memory://batch/out", key="k")
    (job,) = group(Source(given.input), 1000).jobs
    finish_block(job, given, read_rows(job, given.input, given))
    out = Storage("memory://batch/out")
    (name,) = out.names(BLOCKS)
    rows = parquet.read_table(pa.BufferReader(out.read(f"{BLOCKS}/{name}"))).to_pylist()
    run(settings(tmp_path), ONE)
    rows.sort(key=lambda row: str(row["album"]))
    assert undigested(rows) == undigested(albums_in(tmp_path / "out"))


def test_an_empty_dataset_has_no_rows(tmp_path: Path) -> None:
    write(scored(3).slice(0, 0), tmp_path / "in" / "a.parquet")
    assert run(settings(tmp_path), ONE).albums == 0
    assert albums_in(tmp_path / "out") == []
