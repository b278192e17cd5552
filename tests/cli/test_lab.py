"""`elsewhere lab`, as it is typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.cli import main
from elsewhere.lab import experiments
from elsewhere.lab.values import SCALES, Scale


def run(*arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr("sys.argv", ["elsewhere", "lab", *arguments])
        main()
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

    page = tmp_path / "results.md"
    assert run("page", str(folder), "-o", str(page)) == 0
    assert "Observation 1" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "say which experiments"),
        (["run", "astrology"], "no experiment is called 'astrology'"),
        (["run", "worst", "--truth", "t.csv"], "the simulator knows its cells"),
        (["run", "worst", "--source", "a.npz"], "score files need --truth"),
        (["run", "worst", "--source", "a.npz", "--source", "simulator"], "not both"),
        (["page"], "which folders"),
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
