"""Workers end with whoever hands out the work: one that was killed, or stopped by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elsewhere_lab.files import write_whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="its signals are others")

SLOW = """
import os, sys, time
from dataclasses import replace
from pathlib import Path

from elsewhere_lab import experiments

find = experiments.find


def measure(source, scale, part):
    Path(f"at-{os.getpid()}").touch()
    end = time.monotonic() + 600
    while time.monotonic() < end:
        pass
    return []


experiments.find = lambda name: replace(find(name), measure=measure)
if __name__ == "__main__":
    from elsewhere_lab.cli import main

    main(["run", "accuracy", "-o", "lab", "--processes", "2"])
"""


def started(folder: Path) -> tuple[subprocess.Popen[str], list[int]]:
    """A run whose parts take minutes, and its workers, which are at it."""
    (folder / "slow.py").write_text(SLOW, "utf-8")
    run = subprocess.Popen(
        [sys.executable, "slow.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 200
    while len(found := list(folder.glob("at-*"))) < 2:
        assert time.monotonic() < end and run.poll() is None
        time.sleep(0.05)
    return run, [int(one.name.removeprefix("at-")) for one in found]


def is_at_work(process: int) -> bool:
    """Whether it lives; one that is dead and that nobody has asked for yet does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
    return state.rsplit(")", 1)[-1].split()[0] != "Z"


def ended(workers: list[int]) -> bool:
    """Whether all end within some seconds; none is left behind in any case."""
    end = time.monotonic() + 100
    while any(map(is_at_work, workers)):
        if time.monotonic() > end:
            for one in filter(is_at_work, workers):
                os.kill(one, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_workers_do_not_outlive_a_run_that_was_killed(tmp_path: Path) -> None:
    run, workers = started(tmp_path)
    run.kill()
    run.communicate()
    assert ended(workers)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_ctrl_c_waits_for_no_part_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    run, workers = started(tmp_path)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does it: the workers get it too
    try:
        told, said = run.communicate(timeout=100)  # a part takes ten minutes
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        raise
    assert (run.returncode, told) == (130, "")
    assert said.splitlines()[-2:] == [
        "what is finished is in lab; the same command goes on from there",
        "elsewhere-lab: stopped",
    ]
    assert len(said.splitlines()) == 3, said  # how far it was, and no word of the workers
    assert ended(workers)
    assert [one.name for one in (tmp_path / "lab").rglob("*")] == ["run.json"]


def test_a_file_that_somebody_stopped_is_not_there_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: Path, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "rows.csv", "a,b")
    assert list(tmp_path.iterdir()) == []
