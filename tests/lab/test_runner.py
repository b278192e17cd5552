"""A run is resumable and repeatable; tables, figures and the page come from files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.lab import experiments, figures, runner
from elsewhere.lab.files import read_numbers, read_rows, write_numbers, write_rows
from elsewhere.lab.page import write_page
from elsewhere.lab.sources import Scored, Simulated
from elsewhere.lab.tables import markdown
from elsewhere.lab.values import SCALES, Number, Row, Scale
from elsewhere.lab.why import reasons

SOURCE = Simulated(seed=1)


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
    assert runner.read_run(tmp_path)["took"]["accuracy"]["parts"] == len(parts) + 1


def test_several_processes_measure_the_same(tmp_path: Path) -> None:
    for count in (1, 2):
        runner.run(["accuracy"], SOURCE, "small", tmp_path / str(count), processes=count)
    one, two = ((tmp_path / c / "accuracy" / "rows.csv").read_text("utf-8") for c in "12")
    assert one == two
    assert one.count("\n") > 50


def test_a_folder_belongs_to_one_source_and_scale(tmp_path: Path) -> None:
    runner.run(["worst"], SOURCE, "small", tmp_path)
    with pytest.raises(InputError, match="holds a run of simulator-1"):
        runner.run(["worst"], Simulated(seed=2), "small", tmp_path)
    with pytest.raises(InputError, match="no scale is called 'huge'"):
        runner.run(["worst"], SOURCE, "huge", tmp_path)


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
    source = Scored(tuple(Path(f"{i}.npz") for i in range(files)), Path("truth.csv"))
    said = experiments.find(name).cannot(source)
    assert (said is None) is (why is None)
    if why:
        with pytest.raises(InputError, match=why):
            runner.run([name], source, "small", tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_nesting_is_read_off_the_budgets_plans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 1, 0, 1))
    runner.run(["nesting"], SOURCE, "small", tmp_path, processes=1)
    assert (tmp_path / "budget" / "rows.csv").exists()
    lines = {n.line for n in read_numbers(tmp_path / "nesting" / "numbers.csv")}
    assert {"R-16", "R-16 (fewest photos)"} <= lines


@pytest.mark.skipif(not figures.available(), reason="matplotlib is not installed")
def test_the_page_has_every_table_with_its_command_and_figure(tmp_path: Path) -> None:
    folder, page = tmp_path / "run", tmp_path / "docs" / "results.md"
    runner.run(["accuracy", "worst"], SOURCE, "small", folder, processes=1)
    write_page([folder], page)
    text = page.read_text("utf-8")
    for name in ("accuracy", "worst"):
        assert experiments.find(name).title in text
        assert f"`elsewhere lab run {name} --seed 1 --scale small -o DIR`" in text
        assert f"results/simulator-1-{name}.svg" in text
        assert (page.parent / f"results/simulator-1-{name}.svg").exists()
    assert "(59.58)" in text
    # drawn again from the same files, a figure is the same file
    before = (folder / "worst" / "worst.svg").read_bytes()
    runner.publish(experiments.find("worst"), folder)
    assert (folder / "worst" / "worst.svg").read_bytes() == before


def test_a_page_shows_what_an_unfinished_run_has_so_far(tmp_path: Path) -> None:
    folder, page = tmp_path / "run", tmp_path / "results.md"
    runner.run(["accuracy"], SOURCE, "small", folder, processes=1)
    (folder / "accuracy" / "rows.csv").unlink()
    next((folder / "accuracy" / "parts").glob("R-128*")).unlink()
    left = len(list((folder / "accuracy" / "parts").iterdir()))
    write_page([folder], page)
    text = page.read_text("utf-8")
    assert f"The run is not finished; this is from its first {left} parts." in text
    assert "(59.58)" in text


def test_every_number_that_differs_gets_a_sentence_that_names_it() -> None:
    far = Number("R-16 optimal", "50 %", 12.0, 0.1, 9000, 29.12, 5.8)
    unsure = Number("R-16 optimal", "25 %", 2.3, 0.4, 90, 3.0, 0.6)
    fine = Number("R-16 optimal", "12.5 %", 0.6, 0.1, 9000, 0.67, 0.3)
    told = reasons("budget", [far, unsure, fine])
    assert any("R-16 optimal 50 % (12.00, paper 29.12): collections" in each for each in told)
    assert any("R-16 optimal 25 %" in each and "standard errors" in each for each in told)
    assert not any("12.5 %" in each for each in told)
    for table, line in (("accuracy", "Albums"), ("fewest", "R-64"), ("budget", "R-16 greedy")):
        (why,) = reasons(table, [Number(line, "x", 9.0, 0.0, 9, 1.0, 0.1)])
        assert "no reason" not in why


def test_a_page_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        write_page([tmp_path], tmp_path / "page.md")
    with pytest.raises(InputError, match="which folders"):
        write_page([], tmp_path / "page.md")
    with pytest.raises(InputError, match="is Markdown"):
        write_page([tmp_path], tmp_path / "page.html")


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


def test_run_json_says_what_was_run(tmp_path: Path) -> None:
    runner.run(["worst"], SOURCE, "small", tmp_path)
    told = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert told["source"] == "simulator-1"
    assert told["scale"] == "small"
    (tmp_path / "run.json").write_text("{", "utf-8")
    with pytest.raises(FileError, match=r"run\.json cannot be read"):
        runner.read_run(tmp_path)
