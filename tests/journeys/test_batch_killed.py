"""A run of batch under `kill -9`, again and again at random moments, then left in peace.

No album is missing and none is there twice, and what comes out is what a run comes to that was
never killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from pyarrow import parquet

from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings
from tests.batch.makers import albums_in, dead_in, model, pixels, scored, write

pytestmark = pytest.mark.slow

DRIVER = """
import sys
from elsewhere.batch.runner import Engine, run
from elsewhere.batch.settings import Settings

if __name__ == "__main__":
    def watch(step):
        print(step.stage, step.albums, flush=True)
    run(Settings.from_json(sys.argv[1]), Engine("local", 2), watch)
"""


def killed(
    settings: Settings, driver: Path, after: float, draw: Random, *, with_workers: bool
) -> bool:
    """Start a run and kill it, `after` seconds at most behind its first word; whether it died.

    Its workers die with it, as when a machine is switched off; or they live on for a moment, as
    when only the driver is killed. Half of those that die together are killed while one is at a
    block: workers take most of a short run to start, so that chance seldom meets them at work.
    """
    process = subprocess.Popen(
        [sys.executable, str(driver), settings.to_json()],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout
    assert process.stdout.readline()
    if with_workers and draw.random() < 0.5:
        before = under_way(Path(settings.output))
        while process.poll() is None and under_way(Path(settings.output)) <= before:
            time.sleep(0.001)
    else:
        time.sleep(draw.uniform(0, after))
    if with_workers:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def under_way(output: Path) -> set[Path]:
    """Notes of tries that were begun and not ended."""
    try:
        return {note for note in (output / "_work" / "tries").rglob("[0-9a-f]*") if note.is_file()}
    except FileNotFoundError:  # a folder was taken away while it was looked at
        return set()


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("scores", 3),
        pytest.param("scores", 10, marks=pytest.mark.long),
        pytest.param("photos", 10, marks=pytest.mark.long),
        # all albums in one block, which every kill hits: none of them may be blamed for it
        pytest.param("one block", 7, marks=pytest.mark.long),
    ],
)
def test_killed_at_random_moments(kind: str, kills: int, tmp_path: Path) -> None:
    seed = int(os.environ.get("ELSEWHERE_SEED") or time.time_ns() % 10**9)
    print("seed", seed)
    draw = Random(seed)
    if kind != "photos":
        write(scored(40 * kills, impossible=[7]), tmp_path / "in" / "a.parquet")
    else:  # one giant, which is looked at in slices
        table = pixels(12, broken=[(1, 1)])
        names = ["giant" if n >= 24 else name for n, name in enumerate(table["album"].to_pylist())]
        photos = [f"{n}.jpg" for n in range(len(names))]
        table = table.set_column(0, table.schema.field(0), [names])
        table = table.set_column(1, table.schema.field(1), [photos])
        write(table, tmp_path / "in" / "a.parquet", group=4)
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    words = (model(tmp_path),) if kind == "photos" else Settings.scorers
    block = 10**6 if kind == "one block" else 8
    whole, other = (
        Settings(str(tmp_path / "in"), str(tmp_path / name), words, key="k", block=block)
        for name in ("whole", "killed")
    )
    started = time.monotonic()
    run(whole, Engine("local", 2))
    seconds = time.monotonic() - started
    out = tmp_path / "killed"
    deaths, sizes = 0, set()
    amid: set[Path] = set()
    for turn in range(4 * kills):
        # each goes on where the last one died, so that what is left is less and less
        together = kind == "one block" or draw.random() < 0.5
        deaths += killed(other, driver, max(1.0, seconds), draw, with_workers=together)
        sizes.add(len(list(out.glob("_work/blocks/*.parquet"))))
        amid |= under_way(out)
        if (out / "summary.json").exists():  # it was over too soon: once more from the start
            assert albums_in(out) == albums_in(tmp_path / "whole")
            out = tmp_path / f"killed-{turn}"
            other = replace(other, output=str(out))
        if deaths >= kills:
            break
    assert deaths >= kills
    assert kills < 10 or len(sizes) > 1, "it was always killed before anything was written"
    assert kills < 10 or amid, "it was never killed while a worker was at a block"
    run(other, Engine("local", 2))
    assert albums_in(out) == albums_in(tmp_path / "whole")
    assert dead_in(out) == dead_in(tmp_path / "whole")
    listed = [name for file in out.glob("albums/*.parquet")
              for name in parquet.read_table(file)["album"].to_pylist()]  # fmt: skip
    assert len(listed) == len(set(listed)) == len(albums_in(tmp_path / "whole"))
    assert not (out / "_work").exists()
    assert all(file.suffix == ".parquet" for file in out.glob("[ad]*/*")), "half a file is left"
