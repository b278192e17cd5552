"""The results page: from rows alone, one chapter for each source and scale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elsewhere.errors import InputError
from elsewhere_lab import experiments, runner
from elsewhere_lab.page import publish, renew_sections, write_page
from elsewhere_lab.run_folder import read_run
from elsewhere_lab.sources import Simulator
from elsewhere_lab.values import SCALES, Scale

SOURCE = Simulator(seed=1)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 10, 4, 2))
    monkeypatch.setitem(SCALES, "medium", Scale("medium", 1, 12, 4, 2))


def test_the_page_has_every_table_with_its_command_and_figure(tmp_path: Path) -> None:
    folder, page = tmp_path / "run", tmp_path / "docs" / "results.md"
    runner.run(["accuracy", "worst"], SOURCE, "small", folder, processes=1)
    write_page([folder], page)
    text = page.read_text("utf-8")
    for name in ("accuracy", "worst"):
        assert experiments.find(name).title in text
        assert f"`elsewhere-lab run {name} --seed 1 --scale small -o DIR`" in text
        assert f"results/simulator-1-small-{name}.svg" in text
        assert (page.parent / f"results/simulator-1-small-{name}.svg").exists()
    assert "(59.58)" in text
    assert "by the clock" in text
    assert "of processor time" in text
    # drawn again from the same files, a figure is the same file
    before = (folder / "worst" / "worst.svg").read_bytes()
    publish(experiments.find("worst"), read_run(folder), folder / "worst")
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


def test_a_page_needs_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no run"):
        write_page([tmp_path], tmp_path / "page.md")
    with pytest.raises(InputError, match="which folders"):
        write_page([], tmp_path / "page.md")
    with pytest.raises(InputError, match="is Markdown"):
        write_page([tmp_path], tmp_path / "page.html")


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_page_leaves_the_folders_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    runner.run(["worst"], SOURCE, "small", folder)
    (folder / "worst" / "table.md").write_text("as it was then", "utf-8")
    before = contents(folder)
    write_page([folder], tmp_path / "page.md")
    assert contents(folder) == before
    assert "as it was then" not in (tmp_path / "page.md").read_text("utf-8")


def test_two_scales_keep_their_own_figures(tmp_path: Path) -> None:
    for scale in ("small", "medium"):
        runner.run(["accuracy"], SOURCE, scale, tmp_path / scale, processes=1)
    page = tmp_path / "page.md"
    write_page([tmp_path / "medium", tmp_path / "small"], page)
    pictures = {
        scale: (tmp_path / "results" / f"simulator-1-{scale}-accuracy.svg").read_bytes()
        for scale in ("small", "medium")
    }
    assert pictures["small"] != pictures["medium"]
    for scale, picture in pictures.items():
        assert picture == (tmp_path / scale / "accuracy" / "accuracy.svg").read_bytes()
    assert page.read_text("utf-8").count("\n## ") == 2


def test_folders_of_one_source_and_scale_make_one_chapter(tmp_path: Path) -> None:
    runner.run(["worst"], SOURCE, "small", tmp_path / "a")
    runner.run(["hardness"], SOURCE, "small", tmp_path / "b")
    write_page([tmp_path / "b", tmp_path / "a"], tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    assert text.count("\n## ") == 1
    assert text.index("Observation 1") < text.index("Lemma 1")  # in the order of the list
    runner.run(["worst"], SOURCE, "small", tmp_path / "b")
    with pytest.raises(InputError, match="both hold worst: leave one of them out"):
        write_page([tmp_path / "b", tmp_path / "a"], tmp_path / "page.md")


def test_a_folder_from_before_the_digests_can_be_shown(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    runner.run(["accuracy"], SOURCE, "small", folder, processes=1)
    told = json.loads((folder / "run.json").read_text("utf-8"))
    old = {key: told[key] for key in ("source", "scale", "given", "took")} | {"version": "0.1.0"}
    (folder / "run.json").write_text(json.dumps(old), "utf-8")
    write_page([folder], tmp_path / "page.md")
    assert "(59.58)" in (tmp_path / "page.md").read_text("utf-8")


def test_another_world_never_takes_the_place_of_the_calibrated_one(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    runner.run(["worst"], Simulator(0), "small", tmp_path / "calibrated")
    write_page([tmp_path / "calibrated"], page)
    published = page.read_text("utf-8")
    for number, source in enumerate((Simulator(0, 7), Simulator(1), Simulator(1, 7))):
        runner.run(["worst"], source, "small", tmp_path / str(number))
        write_page([tmp_path / str(number)], page, renew=True)
    text = page.read_text("utf-8")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == [
        "## On the simulator, scale small",
        "## On the simulator with seed 0 in world 7, scale small",
        "## On the simulator with seed 1, scale small",
        "## On the simulator with seed 1 in world 7, scale small",
    ]
    assert text.startswith(published.rstrip("\n"))


def test_renewing_a_page_keeps_what_these_folders_do_not_hold(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    runner.run(["worst"], SOURCE, "small", tmp_path / "a")
    with pytest.raises(InputError, match="to renew: leave --renew out"):
        write_page([tmp_path / "a"], page, renew=True)
    runner.run(["hardness"], SOURCE, "small", tmp_path / "a")
    runner.run(["worst"], SOURCE, "medium", tmp_path / "b")
    write_page([tmp_path / "a", tmp_path / "b"], page)
    whole = page.read_text("utf-8")
    assert renew_sections(whole, whole) == whole

    mark = "| 8 objects |"
    old = whole.replace(mark, "| of an earlier run |").replace("| N = 1 |", "| also earlier |")
    page.write_text(old, "utf-8")
    runner.run(["worst"], SOURCE, "small", tmp_path / "c")
    write_page([tmp_path / "c"], page, renew=True)
    text = page.read_text("utf-8")
    small, medium = text.split("\n## ")[1:]
    assert "| of an earlier run |" in small
    assert "| N = 1 |" in small
    assert "All of it was measured" not in small, "the total would be of one section"
    assert small.index("Observation 1") < small.index("Lemma 1")
    assert "| also earlier |" in medium
    assert "All of it was measured" in medium
