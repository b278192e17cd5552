"""`elsewhere-lab`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elsewhere_lab import experiments
from elsewhere_lab.cli import main
from elsewhere_lab.page import format_times
from elsewhere_lab.values import SCALES, Scale


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return int(ended.value.code or 0)


def test_list_names_every_experiment(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(experiments.NAMES)


def test_run_prints_tables_and_writes_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 4, 2, 2))
    folder = tmp_path / "lab"
    assert run("run", "accuracy", "worst", "-o", str(folder), "--processes", "1") == 0
    told = capsys.readouterr().out
    assert "Table 1" in told
    assert "(59.58)" in told
    assert "101 times as many" in told
    assert (folder / "accuracy" / "numbers.csv").exists()
    written, _, total = told.rpartition("\n\n")
    assert written.endswith(f"Written to {folder / 'worst' / 'table.md'}, with its rows beside it.")
    took = json.loads((folder / "run.json").read_text("utf-8"))["took"].values()
    assert total == f"All of it took {format_times(list(took))}.\n"

    page = tmp_path / "results.md"
    assert run("page", str(folder), "-o", str(page)) == 0
    assert "Observation 1" in page.read_text("utf-8")


def test_all_leaves_out_what_one_score_file_cannot_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 1, 1, 1))
    monkeypatch.setattr(experiments, "NAMES", ("accuracy", "margin", "worst"))
    scores, truth = tmp_path / "scores.csv", tmp_path / "truth.csv"
    scores.write_text(
        "photo,0,1,2\n" + "".join(f"{i}.jpg,-0.3,-1.9,-{2 + i % 3}\n" for i in range(16))
    )
    truth.write_text("photo,cell\n" + "".join(f"{i}.jpg,0\n" for i in range(16)))
    given = ["--source", str(scores), "--truth", str(truth)]
    assert run("run", "all", *given, "-o", str(tmp_path / "lab"), "--processes", "1") == 0
    told = capsys.readouterr()
    assert "Table 1" in told.out
    assert "left out: margin needs several models of the same photos" in told.err
    assert "left out: worst is only run on the simulator" in told.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "say which experiments"),
        (["run", "astrology"], "no experiment is called 'astrology'"),
        (["run", "worst", "--truth", "t.csv"], "the simulator knows its cells"),
        (["run", "worst", "--source", "a.npz"], "score files need --truth"),
        (["run", "worst", "--source", "a.npz", "--source", "simulator"], "not both"),
        (["page"], "which folders"),
        (["page", "--defaults"], "which folders"),
    ],
)
def test_what_makes_no_sense_gets_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if arguments[0] == "run":
        arguments = [*arguments, "-o", str(tmp_path)]
    assert run(*arguments) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
