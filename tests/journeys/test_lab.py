"""A researcher with a score file: a run that is killed, gone on with, and shown on a page."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from elsewhere_lab.files import read_numbers
from elsewhere_lab.sources import Simulator

LAB = [sys.executable, "-m", "elsewhere_lab"]
RUN = ["run", "fewest", "pins", "--source", "mine.npz", "--truth", "truth.csv"]


def lab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LAB, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """Scores of forty photos in each of twelve cells, and where they were taken."""
    photos = Simulator(seed=99)
    names, rows, lines = [], [], [["photo", "cell"]]
    for cell in range(0, 480, 40):
        rows.append(photos.photos(cell)[0][:40])
        names += [f"{cell}/{i}.jpg" for i in range(40)]
        lines += [[name, str(cell)] for name in names[-40:]]
    np.savez(tmp_path / "mine.npz", scores=np.concatenate(rows), ids=np.array(names))
    with (tmp_path / "truth.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    return tmp_path


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_run_goes_on_and_ends_on_a_page(desk: Path) -> None:
    with subprocess.Popen(
        [*LAB, *RUN, "--processes", "2", "-o", "out"], cwd=desk, stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        parts = desk / "out" / "fewest" / "parts"
        while process.poll() is None and not (parts.exists() and any(parts.glob("[!.]*.csv"))):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    again = lab(desk, *RUN, "--processes", "1", "-o", "out")
    assert again.returncode == 0, again.stderr
    assert "pins: " in again.stderr  # progress, though nobody watches
    assert "Table 2" in again.stdout
    once = lab(desk, *RUN, "--processes", "1", "-o", "once")
    assert once.returncode == 0, once.stderr
    for name in ("fewest", "pins"):
        rows = [(desk / folder / name / "rows.csv").read_bytes() for folder in ("out", "once")]
        assert rows[0] == rows[1]
        assert read_numbers(desk / "out" / name / "numbers.csv")

    shown = lab(desk, "page", "out", "-o", "page/results.md")
    assert shown.returncode == 0, shown.stderr
    text = (desk / "page" / "results.md").read_text("utf-8")
    assert "On real photos: mine, scale small" in text
    assert "`PHOTOS` stands for `--source mine.npz --truth truth.csv`" in text
    assert "`elsewhere-lab run fewest PHOTOS --scale small -o DIR`" in text
    for picture in re.findall(r"\]\((results/[^)]+)\)", text):
        assert (desk / "page" / picture).exists()

    # another model under the same name does not get into the same tables
    scores = dict(np.load(desk / "mine.npz"))
    np.savez(desk / "mine.npz", **{**scores, "scores": scores["scores"][::-1]})
    mixed = lab(desk, *RUN, "-o", "out")
    assert mixed.returncode == 2
    assert "begun with another score file 1" in mixed.stderr


def test_what_these_scores_cannot_answer_is_said_before_anything_is_run(desk: Path) -> None:
    told = lab(desk, "run", "radius", *RUN[3:], "-o", "out")
    assert told.returncode == 2
    assert "radius needs lat and lon of every photo in truth.csv" in told.stderr
    assert not (desk / "out").exists()
