"""A run is resumable and repeatable; tables, figures and the page come from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files import write_scores
from elsewhere.values.scores import Scores
from elsewhere_lab import experiments, runner
from elsewhere_lab.files import read_numbers, read_rows, write_numbers, write_rows
from elsewhere_lab.page import markdown
from elsewhere_lab.run_folder import read_run
from elsewhere_lab.sources import ScoreFiles, Simulator
from elsewhere_lab.values import SCALES, Number, Row, Scale

SOURCE = Simulator(seed=1)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 10, 4, 2))


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    seen: list[runner.Progress] = []
    runner.run(["accuracy"], SOURCE, "small", tmp_path, processes=1, watch=seen.append)
    parts = sorted((tmp_path / "accuracy" / "parts").iterdir())
    assert [seen[0].done, seen[-1].done] == [0, len(parts)]
    whole = (tmp_path / "accuracy" / "rows.csv").read_bytes()
    kept = parts[0].stat().st_mtime_ns
    parts[-1].unlink()
    seen.clear()
    runner.run(["accuracy"], SOURCE, "small", tmp_path, processes=1, watch=seen.append)
    assert [(p.done, p.total) for p in seen] == [
        (len(parts) - 1, len(parts)),
        (len(parts), len(parts)),
    ]
    assert parts[0].stat().st_mtime_ns == kept
    assert (tmp_path / "accuracy" / "rows.csv").read_bytes() == whole
    assert read_run(tmp_path).info["took"]["accuracy"]["parts"] == len(parts) + 1


def test_several_processes_measure_the_same(tmp_path: Path) -> None:
    for count in (1, 2):
        runner.run(["accuracy"], SOURCE, "small", tmp_path / str(count), processes=count)
    one, two = ((tmp_path / c / "accuracy" / "rows.csv").read_text("utf-8") for c in "12")
    assert one == two
    assert one.count("\n") > 50


@pytest.mark.parametrize(
    ("name", "files", "why"),
    [
        ("worst", 1, "worst is only run on the simulator"),
        ("margin", 1, "margin needs several models of the same photos"),
        ("transfer", 1, "transfer needs several models"),
        ("margin", 2, None),
    ],
)
def test_an_experiment_says_on_which_sources_it_cannot_be_run(
    tmp_path: Path, name: str, files: int, why: str | None
) -> None:
    source = ScoreFiles(tuple(Path(f"{i}.npz") for i in range(files)), Path("truth.csv"))
    said = experiments.find(name).obstacle(source)
    assert (said is None) is (why is None)
    if why:
        with pytest.raises(InputError, match=why):
            runner.run([name], source, "small", tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_an_experiment_says_what_a_source_lacks_before_anything_is_run(tmp_path: Path) -> None:
    write_scores(tmp_path / "mine.npz", Scores([[0.0, -1.0]] * 16, ids=[str(i) for i in range(16)]))
    truth = tmp_path / "truth.csv"
    truth.write_text("photo,cell\n" + "".join(f"{i},0\n" for i in range(16)), "utf-8")
    source = ScoreFiles((tmp_path / "mine.npz",), truth)
    needy = replace(experiments.find("worst"), sources=("scores",), needs=("positions",))
    assert needy.obstacle(source) == "worst needs scores over our own cells"
    needy = replace(needy, needs=("moved.csv",))
    assert str(needy.obstacle(source)).startswith("worst needs a file moved.csv beside ")
    (tmp_path / "moved.csv").touch()
    assert needy.obstacle(source) is None
    assert "which the simulator has none of" in str(SOURCE.lacks("positions"))


@pytest.mark.parametrize(
    ("name", "needs"), [("radius", "positions"), ("recompress", "recompress.csv")]
)
def test_studies_that_need_more_than_scores_say_so(name: str, needs: str) -> None:
    assert experiments.find(name).needs == (needs,)


def test_nesting_is_read_off_the_budgets_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 1, 0, 1))
    runner.run(["nesting"], SOURCE, "small", tmp_path, processes=1)
    assert (tmp_path / "budget" / "rows.csv").exists()
    lines = {n.line for n in read_numbers(tmp_path / "nesting" / "numbers.csv")}
    assert {"R-16", "R-16 (fewest photos)"} <= lines


def test_tables_on_disk_come_back_as_they_were(tmp_path: Path) -> None:
    rows: list[Row] = [{"kind": "R-16", "number": 3, "share": 0.25, "none": None, "plan": "x1e5"}]
    write_rows(tmp_path / "rows.csv", rows)
    assert read_rows(tmp_path / "rows.csv") == rows
    numbers = [Number("16", "2", 0.5, 0.1, 7, 0.4, 0.02), Number("a", "b", 1.0)]
    write_numbers(tmp_path / "numbers.csv", numbers)
    assert read_numbers(tmp_path / "numbers.csv") == numbers
    with pytest.raises(FileError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")


def test_a_number_that_differs_is_marked() -> None:
    near = Number("R-16", "top-1", 0.97, 0.01, 100, 0.96, 0.02)
    far = Number("R-16", "top-5", 0.90, 0.01, 80, 0.96, 0.02)
    assert not near.differs
    assert far.differs
    assert (
        markdown([near, far]).splitlines()[-1]
        == "| R-16 | 0.97 (0.96) | 0.90 (0.96)† | 80 to 100 |"
    )


def test_every_experiment_has_what_the_page_needs() -> None:
    for name in experiments.NAMES:
        found = experiments.find(name)
        assert found.name == name
        assert found.title
        assert found.about.endswith(".")
        assert found.sources
    with pytest.raises(InputError, match="no experiment is called"):
        experiments.find("astrology")
