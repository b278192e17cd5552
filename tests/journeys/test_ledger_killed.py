"""The ledger under `kill -9` and under several processes at once: always whole, old or new."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

from elsewhere.job.ledger import Ledger

KILLS = 25

WRITER = """
import os, sys
import numpy as np
from pathlib import Path
from hashlib import sha256
from elsewhere.job.ledger import Given, Ledger
from elsewhere.job.ledger_file import Rows

def write(folder, start, rounds):
    ledger = Ledger(Path(folder))
    for number in range(start, start + rounds):
        values = np.full((60, 512), number, dtype=np.float32)
        photos = tuple(sha256(b"%d %d" % (number, i)).hexdigest() for i in range(60))
        given = Given(((number % 90, number % 180),), photos, (Rows("model", "", values),))
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


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    code = f"{WRITER}\nwrite(sys.argv[1], int(sys.argv[2]), 8)"
    writers = [python(code, tmp_path, start) for start in (0, 100)]
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    wanted = dict.fromkeys([*range(8), *range(100, 108)], "settled")
    assert state(Ledger(tmp_path)) == wanted
