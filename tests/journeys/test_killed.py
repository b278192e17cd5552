"""An export under `kill -9`: there is no copy, or one that is proved; the rest is swept later."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from elsewhere.service.private_files import ALL_CERTIFICATES, private_folder
from elsewhere.service.verify import verify_copy
from tests.service.tiny import known_scorers, write_album

KILLS = 20

EXPORTER = """
import faulthandler, os, signal, sys, time
from pathlib import Path
from elsewhere.album import export as exporting
from elsewhere.service import export as sharing
from tests.service.tiny import known_scorers, planned, see_tiny

album, private = map(Path, sys.argv[1:])
die = lambda *told: os.kill(os.getpid(), signal.SIGKILL)


def then(module, name, after):
    # die just before or just after one step of the way
    real = getattr(module, name)
    def step(*given, **named):
        if not after:
            die()
        real(*given, **named)
        die()
    setattr(module, name, step)


POINTS = {
    "before writing": lambda: then(exporting, "Staging", False),
    "before the proof": lambda: then(exporting, "open_copy", False),
    "after the comparison": lambda: then(sharing, "prove_copy", False),
    "before the certificate": lambda: then(sharing, "write_private", False),
    "after the certificate": lambda: then(sharing, "write_private", True),
    "before the name": lambda: then(exporting, "rename_new", False),
    "after the name": lambda: then(exporting, "rename_new", True),
}

with known_scorers():
    seen = see_tiny(album, "tiny:slow")
    plan = planned(seen)
    print("ready", flush=True)
    for line in sys.stdin:
        target, point, delay = line.strip().split("|")
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(60, exit=True)  # whoever hangs says where
            if point:
                POINTS[point]()
            start = time.monotonic()
            shared = sharing.export_album(
                seen, plan, Path(target), private=private,
                progress=lambda step: time.sleep(0.003),
            )
            print("done", time.monotonic() - start, flush=True)
            os._exit(0)
        if delay:
            time.sleep(float(delay))
            os.kill(child, signal.SIGKILL)  # not waited for yet, so it is this child and no other
        print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Exporter:
    """A process that has seen an album and exports it, as often as wanted, in a child."""

    def __init__(self, place: Path) -> None:
        self.album = write_album(place / "trip", 16)
        self.private = place / "private"
        self.out = place / "out"
        self.out.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-c", EXPORTER, str(self.album), str(self.private)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # a process that forks has no threads beside its own
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        assert self.told() == ["ready"]

    def told(self) -> list[str]:
        assert self.process.stdout
        return self.process.stdout.readline().split()

    def run(self, name: str, point: str = "", delay: str = "") -> tuple[Path, list[str]]:
        """One export, killed at a point or after a delay; what was told up to its end."""
        assert self.process.stdin
        self.process.stdin.write(f"{self.out / name}|{point}|{delay}\n")
        self.process.stdin.flush()
        told = []
        while (line := self.told())[0] != "ended":
            told += line
        return self.out / name, [*told, line[1]]

    def export(self, name: str) -> float:
        """One that is left in peace; the seconds that it took."""
        done, seconds, status = self.run(name)[1]
        assert done == "done" and status == "0"
        return float(seconds)

    def leftovers(self) -> list[Path]:
        return [path for path in self.out.iterdir() if path.name.startswith(".")]

    def originals(self) -> dict[str, tuple[Any, ...]]:
        def state(path: Path) -> tuple[Any, ...]:
            known = path.stat()
            content = path.read_bytes() if path.is_file() else b""
            return content, known.st_mode, known.st_mtime_ns, known.st_ino

        return {str(path): state(path) for path in [self.album, *sorted(self.album.iterdir())]}

    def proved(self, target: Path) -> bool:
        """Whether there is a copy; whatever is there must be one that verifies."""
        if not target.exists():
            return False
        found = verify_copy(target, private=self.private)
        assert found, found.problems
        return True


@pytest.fixture(scope="module")
def exporter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exporter]:
    with known_scorers():
        made = Exporter(tmp_path_factory.mktemp("killed"))
        yield made
        made.process.communicate()


def test_killed_at_random_moments(exporter: Exporter) -> None:
    seed = int(os.environ.get("ELSEWHERE_SEED") or time.time_ns() % 10**9)
    print("seed", seed)
    draw = Random(seed)
    before = exporter.originals()
    seconds = min(exporter.export(f"whole-{turn}") for turn in range(3))
    assert exporter.proved(exporter.out / "whole-0")
    killed = left = number = 0
    while killed < KILLS and number < 4 * KILLS:  # whoever is done sooner is not killed
        number += 1
        name = f"{number}.zip" if number % 4 == 3 else f"{number}"
        target, told = exporter.run(name, delay=f"{draw.uniform(0, seconds):.6f}")
        killed += told == ["-9"]
        there = exporter.proved(target)
        assert there or told == ["-9"]
        left += len(exporter.leftovers())
        assert len(exporter.leftovers()) <= 1  # those before were swept at this one's start
    assert killed == KILLS and left
    exporter.export("last")
    assert exporter.leftovers() == []
    assert exporter.originals() == before


@pytest.mark.parametrize(
    ("point", "there"),
    [
        ("before writing", False),
        ("before the proof", False),
        ("after the comparison", False),
        ("before the certificate", False),
        ("after the certificate", False),
        ("before the name", False),
        ("after the name", True),
    ],
)
def test_killed_between_two_steps(point: str, there: bool, exporter: Exporter) -> None:
    name = point.replace(" ", "-")
    target, told = exporter.run(name, point)
    assert told == ["-9"]
    assert exporter.proved(target) == there
    certificates = [*private_folder(target, exporter.private).glob(ALL_CERTIFICATES)]
    certified = point in ("after the certificate", "before the name", "after the name")
    assert len(certificates) == certified
    if not there:  # the same name is free for whoever tries again
        exporter.export(name)
    else:
        exporter.export("next")
    assert exporter.proved(target) and exporter.leftovers() == []
