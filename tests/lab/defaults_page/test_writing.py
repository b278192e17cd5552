"""The page about the defaults: its words are the package's, its figures the runs'."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from elsewhere.errors import InputError
from elsewhere_lab import plots, runner
from elsewhere_lab.defaults_page import (
    FIELD,
    REAL_STUDIES,
    ROWS,
    STUDIES,
    template,
    wrap,
    write_defaults_page,
)
from elsewhere_lab.experiments import scoring
from elsewhere_lab.sources import ScoreFiles, Simulator
from elsewhere_lab.values import SCALES, Scale

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "benchmarks" / "lab"
MODELS = ("embedded", "retrieval", "dino", "half-a", "half-b")
PAGE = ROOT / "docs" / "defaults.md"


def run_all(folder: Path, scale: str) -> list[Path]:
    """Both runs that the page names."""
    real = ScoreFiles(tuple(KEPT / f"{name}.npz" for name in MODELS), KEPT / "truth.csv")
    runner.run(STUDIES, Simulator(), scale, folder / "simulated", processes=1)
    runner.run([*STUDIES, *REAL_STUDIES], real, scale, folder / "real", processes=1)
    return [folder / "simulated", folder / "real"]


_FROM_RUNS = re.compile(
    r"`--source.*?truth\.csv`"
    r"|none of these ways|all of these ways|(?:(?:quality \d+|\d+ px)(?:, )?)+"
    r"|\(\d+ to \d+(?:, n = \d+)?\)|± [.\d]+|points|[-+]?\.?\d(?:[\d.,]*\d)?|[–%]"
)


def words(page: str) -> str:
    """A page without what depends on the runs: tables, figures, and where lines are broken."""
    lines = [line for line in page.splitlines() if not line.startswith("|")]
    return "".join(_FROM_RUNS.sub("", " ".join(" ".join(lines).split())).split())


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SCALES, "small", Scale("small", 1, 2, 2, 5))
    monkeypatch.setattr(plots, "draw_figure", lambda *given, **more: None)
    monkeypatch.setattr(scoring, "RESAMPLES", 5)


@pytest.mark.usefixtures("tiny")
def test_every_field_is_filled_from_runs_of_any_scale(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    write_defaults_page(run_all(tmp_path, "small"), page)
    filled = page.read_text("utf-8")
    assert "{{" not in filled
    assert not re.search(r"\b(?:nan|None|inf)\b", filled)
    assert "--scale small" in filled
    assert filled.count("\n| simulated, 16 photos |") == filled.count("\n| real, 16 photos |") == 3
    # the tables are those of the published page, line for line
    first = re.compile(r"(?m)^(\|[^|]*\|)[^|\n]*\|.*$")
    assert first.findall(filled) == first.findall(PAGE.read_text("utf-8"))
    with pytest.raises(InputError, match="no folder holds defaults of the simulator"):
        write_defaults_page([tmp_path / "real"], page)
    with pytest.raises(InputError, match="both hold"):
        write_defaults_page([tmp_path / "real"] * 2 + [tmp_path / "simulated"], page)


def test_the_published_page_has_the_words_of_the_text() -> None:
    """Whoever edits one without the other is told so; the figures are the runs'."""
    assert words(PAGE.read_text("utf-8")) == words(wrap(FIELD.sub(_example, template())))


def _example(field: re.Match[str]) -> str:
    """Something of the look of what the field stands for."""
    word, *given = field[1].split()
    if word == "figure":
        return f"{given[1]}.svg"
    if word == "scale":
        return "paper"
    if word == "photos":
        return "--source truth.csv"
    if word == "range":
        return "0 to 0"
    return "0"


def test_every_set_of_rows_is_on_the_page() -> None:
    text = (ROOT / "lab" / "elsewhere_lab" / "defaults_page.md").read_text("utf-8")
    assert set(re.findall(r"\{\{rows (\w+)\}\}", text)) == set(ROWS)
    assert "{{rows" not in template() and "$" not in template()


def test_long_lines_are_wrapped_and_tables_are_not() -> None:
    row = "| " + "x" * 200 + " |"
    page = wrap(f"{'word ' * 60}\n\n{row}\n\n- {'item ' * 60}\n- short\n")
    lines = page.split("\n")
    assert row in lines
    assert all(len(line) <= 110 for line in lines if line != row)
    assert "- short" in lines
    assert any(line.startswith("  item") for line in lines)


@pytest.mark.long
@pytest.mark.timeout(3000)
def test_the_published_page_is_reprinted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both runs at the paper's scale, some minutes of processor time: the same page, but for the
    minutes it says."""
    monkeypatch.setattr(plots, "draw_figure", lambda *given, **more: None)
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("tests.lab.defaults_page.test_writing.KEPT", Path("benchmarks/lab"))
    page = tmp_path / "defaults.md"
    write_defaults_page(run_all(tmp_path, "paper"), page)
    minutes = re.compile(r"\d+\s+minutes")
    again, published = (
        " ".join(minutes.sub("minutes", file.read_text("utf-8")).split()) for file in (page, PAGE)
    )
    assert again == published
