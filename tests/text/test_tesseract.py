"""Tesseract as another program may be: absent, talkative, slow or broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from elsewhere.text import tesseract

LINE = Image.new("L", (100, 48), "white")
HEAD = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
)


def word(page: int, text: str, confidence: float = 96) -> str:
    return f"5\t{page}\t1\t1\t1\t1\t0\t0\t9\t9\t{confidence}\t{text}"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A program of that name that prints a table."""

    def install(*rows: str, languages: str = "eng rus tha", end: str = "") -> None:
        program = tmp_path / "tesseract"
        table = tmp_path / "table"
        table.write_text("\n".join([HEAD, *rows]) + "\n", "utf-8")
        program.write_text(
            f'#!/bin/sh\nif [ "$1" = --list-langs ]; then echo "{languages}"; exit; fi\n'
            f"cat > /dev/null; cat {table}\n{end}\n"
        )
        program.chmod(0o700)
        tesseract.installed.cache_clear()

    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    tesseract.installed.cache_clear()
    yield install
    tesseract.installed.cache_clear()


def test_without_the_program_nothing_is_read(installed: Callable[..., None]) -> None:
    if tesseract.installed()[0]:  # this machine has it
        return
    assert tesseract.read_lines([LINE]) == [("", 0.0)]


def test_each_page_is_a_line(installed: Callable[..., None]) -> None:
    installed(word(1, "Санкт", 96), word(1, "Петербург", 91), word(3, "ไทย", 88))
    assert tesseract.installed()[1] == ("rus", "tha")
    assert tesseract.read_lines([LINE] * 3) == [("Санкт Петербург", 0.91), ("", 0.0), ("ไทย", 0.88)]
    assert tesseract.read_lines([]) == []


def test_a_program_without_further_languages_is_not_asked(installed: Callable[..., None]) -> None:
    installed(word(1, "Москва"), languages="eng osd")
    assert tesseract.read_lines([LINE]) == [("", 0.0)]


@pytest.mark.parametrize("row", [word(7, "Москва"), "5\t1", word(1, "1 2 3"), word(1, "")])
def test_odd_rows_are_nothing(installed: Callable[..., None], row: str) -> None:
    installed(row)
    assert tesseract.read_lines([LINE]) == [("", 0.0)]


def test_a_program_that_fails_or_hangs_reads_nothing(
    installed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(word(1, "Москва"), end="exit 3")
    assert tesseract.read_lines([LINE]) == [("", 0.0)]
    installed(word(1, "Москва"), end="sleep 30")
    monkeypatch.setattr(tesseract, "_SECONDS", 0.5)
    assert tesseract.read_lines([LINE]) == [("", 0.0)]


@pytest.mark.needs("tesseract")
def test_the_real_program_reads_a_line() -> None:
    tesseract.installed.cache_clear()
    assert len(tesseract.read_lines([LINE, LINE])) == 2
