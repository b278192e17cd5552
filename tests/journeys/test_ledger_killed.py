"""The ledger under `kill -9` and under several processes at once: always whole, old or new."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

from elsewhere.errors import FileError
from elsewhere.service.ledger import Ledger
from tests.service.tiny import write_album

KILLS = 25

WRITER = """
import os, sys
import numpy as np
from pathlib import Path
from hashlib import sha256
from elsewhere.service.ledger import NewEntry, Ledger
from elsewhere.formats.ledger import Rows

def write(folder, start, rounds):
    ledger = Ledger(Path(folder))
    for number in range(start, start + rounds):
        values = np.full((60, 512), number, dtype=np.float32)
        photos = tuple(sha256(b"%d %d" % (number, i)).hexdigest() for i in range(60))
        given = NewEntry(((number % 90, number % 180),), photos, (Rows("model", "", values),))
        export = ledger.begin([given], Path("nowhere") / str(number))
        print("begun", number, flush=True)
        ledger.settle(export, shared=True)
        print("settled", number, flush=True)
        if number > start and rounds > 100:
            ledger.forget(lambda n, entry: entry.rows[0].values[0, 0] == number - 1)
            print("forgotten", number - 1, flush=True)
"""
MANY = """
for line in sys.stdin:  # so that the modules are imported once for all writers
    writer = os.fork()
    if not writer:
        print("pid", os.getpid(), flush=True)
        write(sys.argv[1], int(line), 10 ** 6)
    os.waitpid(writer, 0)
    print("dead", flush=True)
"""

EXPORTER = """
import os, signal, sys, time
from dataclasses import replace
from pathlib import Path
from elsewhere.album import export as exporting
from elsewhere.album.places import Places
from elsewhere.service.ledger import Ledger
from elsewhere.service.export import export_album
from tests.service.tiny import known_scorers, planned, see_tiny

POINTS = {
    "before it is pending": (Ledger, "begin", False),
    "after it is pending": (Ledger, "begin", True),
    "before the name": (exporting, "rename_new", False),
    "after the name": (exporting, "rename_new", True),
    "after all": (Ledger, "settle", True),
}

def die_at(owner, name, after):
    real = getattr(owner, name)
    def step(*given, **named):
        if after:
            real(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(owner, name, step)

with known_scorers():
    seen = see_tiny(Path(sys.argv[1]))
    plan = planned(seen)
    place = replace(plan.hidden[0], photos=tuple(range(len(seen.photos))))
    plan = replace(plan, places=Places((place,)))
    for line in sys.stdin:
        target, point = line.strip().split("|")
        writer = os.fork()
        if not writer:
            if point in POINTS:
                die_at(*POINTS[point])
            print("pid", os.getpid(), flush=True)
            start = time.monotonic()
            export_album(seen, plan, Path(target), remember=Ledger())
            # in one go: whoever is killed in mid-line says nothing
            os.write(1, f"took {time.monotonic() - start}\\n".encode())
            os._exit(0)
        os.waitpid(writer, 0)
        print("dead", flush=True)
"""


def state(ledger: Ledger) -> dict[int, str]:
    """What the ledger says, each entry of which must be whole."""
    told = {}
    for entry in ledger.entries():
        (rows,) = entry.rows
        number = int(rows.values[0, 0])
        assert rows.values.shape == (60, 512)
        assert (rows.values == number).all()
        assert len(entry.photos) == 60
        told[number] = "begun" if entry.pending else "settled"
    return told


def steps(start: int) -> Iterator[tuple[str, int]]:
    """What the writer does, one change of the file after the other."""
    for number in count(start):
        yield "begun", number
        yield "settled", number
        if number > start:
            yield "forgotten", number - 1


def after(state: dict[int, str], step: tuple[str, int]) -> dict[int, str]:
    word, number = step
    if word == "forgotten":
        return {n: told for n, told in state.items() if n != number}
    return {**state, number: word}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_killed_at_any_moment_it_is_the_old_or_the_new(tmp_path: Path) -> None:
    ledger, random = Ledger(tmp_path), Random(6)
    known: dict[int, str] = {}
    with python(WRITER + MANY, tmp_path) as writers:
        for start in range(0, 1000 * KILLS, 1000):
            told = killed(writers, start, random)
            sequence = list(islice(steps(start), len(told) + 1))
            assert told == [f"{word} {number}" for word, number in sequence[:-1]]
            for step in sequence[:-1]:
                known = after(known, step)
            found = state(ledger)
            assert found in (known, after(known, sequence[-1]))
            known = found
    assert len(known) > KILLS // 2  # they were killed at work, not before it
    ledger.forget(lambda number, entry: True)
    assert not ledger.path.exists()
    assert not (tmp_path / "ledger.part").exists()


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


def killed(writers: subprocess.Popen[str], start: int, random: Random) -> list[str]:
    """What a writer says that it had done before it was killed."""
    assert writers.stdin is not None
    assert writers.stdout is not None
    writers.stdin.write(f"{start}\n")
    writers.stdin.flush()
    writer = int(writers.stdout.readline().split()[1])
    began = time.monotonic()
    told = [writers.stdout.readline() for _ in range(random.randint(1, 4))]
    each = (time.monotonic() - began) / len(told)
    time.sleep(random.uniform(0, each))
    os.kill(writer, signal.SIGKILL)
    while told[-1] != "dead\n":
        told.append(writers.stdout.readline())
    return [line.strip() for line in told[:-1]]


EXPORTS = ["", "before it is pending", "after it is pending", "before the name"]
EXPORTS += ["after the name", "after all", *["any moment"] * 15]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_an_export_that_is_killed_is_remembered_if_and_only_if_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it has none, the ledger holds nothing of it, or asks the person; never a guess."""
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(Path(__file__).parents[2])  # the exporter imports the tests' own scorer
    album, ledger, random = write_album(tmp_path / "album", 6), Ledger(), Random(5)
    seconds, before = 0.0, 0
    with python(EXPORTER, album) as exporter:
        assert exporter.stdin is not None
        assert exporter.stdout is not None
        for number, point in enumerate(EXPORTS):
            target = tmp_path / f"out-{number}"
            exporter.stdin.write(f"{target}|{point}\n")
            exporter.stdin.flush()
            writer = int(exporter.stdout.readline().split()[1])
            if point == "any moment":
                time.sleep(random.uniform(0.2 * seconds, 1.1 * seconds))
                with suppress(ProcessLookupError):
                    os.kill(writer, signal.SIGKILL)
            while (line := exporter.stdout.readline()) != "dead\n":
                seconds = float(line.split()[1])
            entries = ledger.entries()
            mine = [entry for entry in entries[before:] if str(target) == (entry.target or "")]
            if target.exists():
                assert not mine  # settled by the copy itself
                named = {ledger.named(_digest(file)) for file in target.iterdir()}
                assert named == set(entries[before].photos)
            else:
                assert len(entries) - before == len(mine) <= 1
                if mine:
                    with pytest.raises(FileError, match="interrupted"):
                        ledger.entries(refuse_pending=True)
                    ledger.forget(lambda n, entry: entry.pending)
            before = len(ledger.entries())
            assert target.exists() == (point in {"", "after the name", "after all"}) or (
                point == "any moment"
            )
    assert 3 <= before < len(EXPORTS)


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    code = f"{WRITER}\nwrite(sys.argv[1], int(sys.argv[2]), 8)"
    writers = [python(code, tmp_path, start) for start in (0, 100)]
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    wanted = dict.fromkeys([*range(8), *range(100, 108)], "settled")
    assert state(Ledger(tmp_path)) == wanted
