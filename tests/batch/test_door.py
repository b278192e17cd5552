"""The command: what it prints, what it refuses, and the page that it writes."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
import typer
from pyarrow import parquet
from typer.testing import CliRunner

from elsewhere.batch.limits import Limit
from elsewhere.batch.runner import BatchStep
from elsewhere.batch.summary import RANKS, SHARES, Summary, summary_page
from elsewhere.cli.program import program
from elsewhere.cli.render import batch
from elsewhere.errors import InputError
from tests.batch.makers import albums_in, scored, write


@pytest.fixture(autouse=True)
def no_lines_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, what is printed is the same."""
    monkeypatch.setattr(batch, "PAUSE", float("inf"))


def elsewhere(*words: str | Path) -> tuple[int, str]:
    """Run a command; its exit code and all that it printed."""
    arguments = ["batch", *map(str, words)]
    done = CliRunner().invoke(program(arguments), arguments)
    return done.exit_code, done.output


def test_a_dataset_in_rows_out(tmp_path: Path) -> None:
    write(scored(8, impossible=[2]), tmp_path / "in.parquet")
    key = tmp_path / "key"
    key.write_bytes(bytes(range(32)))
    given = (tmp_path / "in.parquet", "-o", tmp_path / "out", "--top", "2", "--key-file", key)
    code, told = elsewhere(*given, "--workers", "1", "--certificates")
    assert code == 0
    assert "8 albums: 1 infeasible, 7 optimal" in told and "1 dead letter: 1 infeasible" in told
    rows = albums_in(tmp_path / "out")
    assert [row["top"] for row in rows] == [39 if n == 2 else 2 for n in range(8)]
    assert [row["certificate"] is None for row in rows] == [n == 2 for n in range(8)]
    assert elsewhere(*given, "--certificates") == (0, told)
    code, told = elsewhere(*given)
    assert code == 2 and "(--certificates was given and is not given)" in told


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (["nothing.parquet", "-o", "out"], 1, "holds no dataset"),
        (["in.parquet", "-o", "out", "--margin", "huge"], 2, "a margin is none"),
        (["in.parquet", "-o", "out", "--key-file", "short"], 2, "too short for a key"),
        (["in.parquet", "-o", "out", "--key-file", "absent"], 1, "absent cannot be read"),
        (["odd://in", "-o", "out"], 1, "cannot be reached"),
        (["in.parquet"], 2, "--output"),
        (["in.parquet", "-o", "memory://out"], 2, "in this process only"),
        (["in.parquet", "-o", "out", "--address", "auto"], 2, "--address and --gpus are for Ray"),
        (["in.parquet", "-o", "out", "--gpus", "1"], 2, "--address and --gpus are for Ray"),
        (["in.parquet", "-o", "out", "--scorer", "nonsense"], 2, "holds scores, so no scorer"),
        (["in.parquet", "-o", "out", "--max-side", "-5"], 2, "--max-side"),
        (["in.parquet", "-o", "out", "--top", "3", "--budget", "2"], 2, "both top and budget"),
    ],
)
def test_what_is_refused(
    words: list[str], code: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(scored(2), tmp_path / "in.parquet")
    (tmp_path / "short").write_bytes(b"1234")
    found, told = elsewhere(*words)
    assert (found, bool(re.search(why, told))) == (code, True), told


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is another thing there")
@pytest.mark.parametrize(
    ("sign", "how", "engine"),  # workers start, or are at it; asked by a cluster, or by Ctrl-C
    [
        ("batch.json", signal.SIGTERM, "local"),
        ("_work/blocks/*.parquet", signal.SIGINT, "local"),
        pytest.param("_work/blocks/*.parquet", signal.SIGINT, "ray", marks=pytest.mark.long),
        pytest.param("_work/blocks/*.parquet", signal.SIGTERM, "ray", marks=pytest.mark.long),
    ],
)
def test_who_is_stopped_says_how_to_go_on(
    sign: str, how: signal.Signals, engine: str, tmp_path: Path
) -> None:
    write(scored(400), tmp_path / "in.parquet")
    words = ["batch", "in.parquet", "-o", "out", "--block", "8", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "elsewhere.cli", *words, "--engine", engine],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not list(tmp_path.glob(f"out/{sign}")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    time.sleep(0.1)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does it: the workers get it too
    else:
        process.send_signal(how)
    printed, said = process.communicate(timeout=60)
    assert (process.returncode, printed) == (130, "")
    assert re.fullmatch(
        r"elsewhere: stopped, (nothing is planned yet|[1-9]\d* of 400 albums are planned): "
        r"repeat the command to resume in out\n",
        said,
    ), said
    notes = [one for one in tmp_path.glob("out/_work/tries/**/*") if one.is_file()]
    assert notes == [], "a run that stops of its own accord blames no album"
    done = mark_blocks(tmp_path / "out")
    code, told = elsewhere(tmp_path / "in.parquet", "-o", tmp_path / "out", *words[4:])
    assert code == 0 and told.startswith("400 albums: ")
    rows = albums_in(tmp_path / "out")
    assert [row["album"] for row in rows] == [f"album-{n:06}" for n in range(400)]
    assert sum(row["verdict"] == MARK for row in rows) == done, "done a second time"


MARK = "done before"


def mark_blocks(output: Path) -> int:
    """Mark the rows of all blocks that are done; how many there are."""
    rows = 0
    for file in output.glob("_work/blocks/*.parquet"):
        table = parquet.ParquetFile(file).read()
        number = table.column_names.index("verdict")
        marked = pa.array([MARK] * len(table))
        parquet.write_table(table.set_column(number, table.schema.field(number), marked), file)
        rows += len(table)
    return rows


LITTLE = """
import resource, sys
from elsewhere.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
sys.argv = ["elsewhere", *sys.argv[1:]]
main()
"""
"""The command where no file may have more than 3,000 bytes: the system says no, as if full."""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_full_disk_is_one_sentence_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    write(scored(40), tmp_path / "in.parquet")
    given = ["batch", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out"), "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-c", LITTLE, *given],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"elsewhere: \S+/out/_work/blocks/\w+\.parquet cannot be written \(File too large\): "
        r"make room there and repeat the command to resume\n",
        done.stderr,
    ), done.stderr
    left = {one.name for one in (tmp_path / "out").rglob("*") if one.is_file()}
    assert left == {".lock", "batch.json"}
    code, told = elsewhere(*given[1:])
    assert code == 0 and told.startswith("40 albums: ")


def test_the_page_counts_and_names_and_escapes() -> None:
    found = Summary(
        albums=12,
        photos=90,
        withheld=9,
        planned=90,
        statuses={"optimal": 11, "broken": 1},
        ranks=dict.fromkeys(RANKS, 3),
        shares=dict.fromkeys(SHARES, 2),
        dead={"damaged": 1},
        first=[{"album": "<b>", "photo": None, "kind": "damaged", "reason": "it is cut short"}],
    )
    told = summary_page(found)
    assert "What 12 albums give away" in told and "10.0 %" in told
    assert "&lt;b&gt;" in told and "<b>PRIVATE" in told and "<script" not in told
    assert told.count("<svg") == 2 and "http" not in re.sub(r"http-equiv", "", told)
    assert all(name in told for name in (*RANKS, *SHARES))
    assert "Dead letters" not in summary_page(Summary())
    some = replace(found, ranks={"1st": 5}, shares={"none": 11})
    assert "7 albums without an audit" in summary_page(
        some
    ) and "1 album without a plan" in summary_page(some)


def test_in_a_log_it_is_told_now_and_then_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with batch.show_progress("out") as shown:
        for albums in (3, 5):
            shown(BatchStep("working", albums, 1200, 0))
            monkeypatch.setattr(batch, "PAUSE", 0.0)
    assert capsys.readouterr().err == "Planning 5 of 1,200 albums\n"


def test_the_time_left_is_that_of_late(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(batch, "PAUSE", 60.0)
    with batch.show_progress("out") as shown:
        for seconds, albums in ((0, 0), (100, 10), (200, 400), (300, 800)):
            now[0] = float(seconds)
            shown(BatchStep("working", albums, 10_000, 8 * albums))
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == "Planning 800 of 10,000 albums, 32 photos/s, 38 min left"


def test_progress_for_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with batch.show_progress("out", as_json=True) as shown:
        shown(BatchStep("grouping"))
        for seconds, albums in ((1, 0), (2, 1), (11, 20), (12, 21), (21, 40)):
            now[0] = float(seconds)
            shown(BatchStep("working", albums, 40, 4 * albums, albums // 2))
        shown(BatchStep("counting", 40, 40))
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [json.loads(line) for line in printed.err.splitlines()]
    assert [(line["stage"], line["albums"]) for line in lines] == [
        ("grouping", 0), ("working", 0), ("working", 20), ("working", 40), ("counting", 40),
    ]  # fmt: skip
    assert lines[2] == {
        "stage": "working",
        "albums": 20,
        "total": 40,
        "unchanged": 10,
        "photos": 80,
        "albums_per_second": 2.0,
        "photos_per_second": 8.0,
        "elapsed": 11.0,
        "left": 10.0,
    }
    assert lines[-2]["left"] == 0


@pytest.mark.parametrize(
    ("text", "exceeded"),
    [
        ("broken>1%", (3, 200)),
        ("broken > 1.5%", None),
        ("broken>2", (3, 200)),
        ("broken>3", None),
        ("infeasible>0", None),
        ("left>9%", (10, 100)),
        ("withheld>50%", None),
        ("withheld>49.9%", (40, 80)),
        ("dead>12", (13, 0)),
        ("files>0", (1, 0)),
        ("files>1", None),
    ],
)
def test_limits_on_the_results(text: str, exceeded: tuple[int, int] | None) -> None:
    run = Summary(
        albums=200, photos=90, left=10, withheld=40, planned=80,
        statuses={"broken": 3, "optimal": 197}, dead={"damaged": 10, "album": 3},
        files={"a.parquet": "it is damaged"},
    )  # fmt: skip
    assert Limit.parse(text).exceeded_by(run) == exceeded


@pytest.mark.parametrize("text", ["broken", "broken>x", "broken>=1", "cheese>1", "files>1%", ">1"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="limit"):
        Limit.parse(text)


def test_a_run_fails_by_its_results(tmp_path: Path) -> None:
    table = scored(4, photos=(4, 5))
    wishes = table["wishes"].to_pylist()
    wishes[4:8] = ["[]"] * 4
    number = table.column_names.index("wishes")
    table = table.set_column(number, table.schema.field(number), pa.array(wishes, pa.string()))
    write(table, tmp_path / "in" / "a.parquet")
    given = (tmp_path / "in", "-o", tmp_path / "out", "--workers", "1")
    code, told = elsewhere(*given, "--fail-if", "broken>20%", "--fail-if", "broken>1")
    assert code == 5 and told.endswith("elsewhere: the run fails by broken>20%: 1 of 4 (25 %)\n")
    assert elsewhere(*given, "--fail-if", "broken>25%")[0] == 0, "it is over and not done again"
    assert elsewhere(*given, "--fail-if", "broke>25%")[0] == 2
    (tmp_path / "in" / "b.parquet").write_bytes(b"PAR1")
    code, told = elsewhere(*given, "--update")
    assert code == 5 and "b.parquet is damaged" in told and "the run fails by files>0: 1" in told
    assert "4 albums unchanged since an earlier run" in told
    assert elsewhere(*given, "--update", "--fail-if", "files>1")[0] == 0


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_who_is_stopped_is_told_so_on_a_line_without_the_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = _Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    for name, value in {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(typer.Exit), batch.show_progress("out") as shown:
        shown(BatchStep("working", 0, 8))
        shown._progress.refresh()
        raise KeyboardInterrupt
    before, said, after = screen.getvalue().partition("elsewhere: stopped, nothing is planned yet")
    assert "0/8" in before and said and "0/8" not in after
    assert before.endswith("\x1b[2K"), before[-80:]  # the line is empty when it is said
