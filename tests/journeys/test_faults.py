"""Faults of the machine at every step that changes the disk: full, killed, without locks, and more.

A process that has scored an album exports it with ledger, certificate and report in a child, for
each fault anew. An audit hook counts everything that opens a file for writing or changes a name,
and has the child fail or die at the step that is wanted.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import elsewhere
from elsewhere.album.places import Places
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.globe import Cells
from elsewhere.service.export import export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.recent_albums import recent_albums
from elsewhere.service.verify import verify_copy
from tests.batch.makers import Here, scored, write
from tests.cli.keyboard import SCORER, typed
from tests.scorers.models import described
from tests.service.tiny import known_scorers, planned, see_tiny, write_album

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")

CHILD = """
import errno, faulthandler, os, resource, signal, sys
from dataclasses import replace
from pathlib import Path
from elsewhere.album.places import Places
from elsewhere.errors import ElsewhereError
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.export import export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.private_files import delete_private_data
from elsewhere.service.recent_albums import RecentAlbum, forget_album, remember_album
from elsewhere.values.versions import Edit, Rectangle
from tests.service.tiny import known_scorers, planned, see_tiny

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
steps = 0

def fail_at(number, way):
    def hook(event, given):
        global steps
        opens = event == "open" and isinstance(given[2], int) and given[2] & WRITING
        if not opens and event not in CHANGES:
            return
        if opens and str(given[0]).startswith(("/dev/", "/proc/")):
            return
        steps += 1
        if number and steps >= number and way == "full" and event != "os.remove":
            if event == "os.rmdir":
                return
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if steps == number and way == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

def work(job, target):
    if job in albums:
        export_album(*albums[job], target, remember=Ledger())
    elif job == "forget":
        Ledger().forget(lambda number, entry: number == 1)
    elif job == "forget all":
        delete_private_data()
    elif job == "remember album":
        remember_album(RecentAlbum((str(target),), "trip", 5, "2026-05-31", "{}"))
    elif job == "forget album":
        forget_album((str(target),))

with known_scorers():
    seen = see_tiny(Path(sys.argv[1]))
    edits = {photo.id: Edit(covers=(Rectangle(0, 0, 300, 300),)) for photo in seen.photos}
    albums = {}
    for name, album in (("export", seen), ("edited", apply_edits(seen, edits))):
        plan = planned(album)
        place = replace(plan.hidden[0], photos=tuple(range(len(seen.photos))))
        albums[name] = album, replace(plan, places=Places((place,)))
    print("ready", flush=True)
    for line in sys.stdin:
        job, target, way, number = line.rstrip("\\n").split("|")
        child = os.fork()
        if not child:
            faulthandler.dump_traceback_later(100, exit=True)
            if way == "short writes":
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (int(number), resource.RLIM_INFINITY))
            else:
                fail_at(int(number), way)
            try:
                work(job, Path(target))
                answer = "done"
            except ElsewhereError as problem:
                answer = "refused " + str(problem).replace("\\n", "<newline>")
            except OSError as problem:
                answer = f"traceback {problem!r}"
            os.write(1, f"{answer}|{steps}\\n".encode())
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print("ended", status, flush=True)
"""


class Machine:
    """A process that exports an album as often as wanted, with or without faults."""

    def __init__(self, folder: Path) -> None:
        self.album = write_album(folder / "trip", 5)
        self.out, self.data = folder / "out", folder / "data"
        self.out.mkdir()
        self.originals = self._state()
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(self.album)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env={
                **os.environ,
                "ELSEWHERE_DATA_DIR": str(self.data),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
            },
        )
        assert self._line() == "ready"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def _state(self) -> dict[str, Any]:
        return {
            path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in self.album.iterdir()
        }

    def run(self, job: str, way: str = "", number: int = 0, name: str = "copy") -> tuple[str, int]:
        """What came of a job, and how many steps it took; "killed" where it was."""
        assert self.process.stdin
        self.process.stdin.write(f"{job}|{self.out / name}|{way}|{number}\n")
        self.process.stdin.flush()
        answer, steps = "killed", 0
        while not (line := self._line()).startswith("ended"):
            answer, _, count = line.rpartition("|")
            steps = int(count)
        status = int(line.split()[1])
        assert status == (-9 if answer == "killed" else 0)
        return answer, steps

    def check(self, name: str = "copy") -> bool:
        """Whether there is a copy; it must be whole, and so must the ledger and the originals."""
        assert self._state() == self.originals
        target = self.out / name
        entries = Ledger().entries()
        settled = [entry for entry in entries if not entry.pending]
        if target.exists():
            assert verify_copy(target)
            digests = {sha256(file.read_bytes()).hexdigest() for file in target.iterdir()}
            ledger = Ledger()
            named = {ledger.named(digest) for digest in digests}
            assert named in [set(entry.photos) for entry in settled]
        return target.exists()

    def leftovers(self) -> list[Path]:
        return [path for path in self.out.iterdir() if path.name.startswith(".")]

    def close(self) -> None:
        self.process.communicate()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    with known_scorers():
        machine = Machine(tmp_path)
        yield machine
        machine.close()


@pytest.mark.parametrize("job", ["export", "edited"])
def test_a_disk_that_is_full_from_any_step_on(job: str, machine: Machine) -> None:
    """One sentence, no copy or a proved one, and what was there before stays."""
    answer, steps = machine.run("export", name="first")
    assert answer == "done" and machine.check("first") and steps > 10
    for number in range(1, steps + 1):
        name = f"copy-{number}"
        answer, _ = machine.run(job, "full", number, name)
        there = machine.check(name)
        assert answer == "done" or answer.startswith("refused "), answer
        assert there or answer.startswith("refused "), answer
        assert "<newline>" not in answer and "Errno" not in answer, answer
        assert machine.check("first") or there
    assert machine.run("export", name="last")[0] == "done"
    assert machine.check("last") and machine.leftovers() == []


@pytest.mark.parametrize("job", ["export", "edited", "forget", "forget all"])
def test_killed_at_any_step(job: str, machine: Machine) -> None:
    assert machine.run("export", name="first")[0] == "done"
    copies = 0
    number = 0
    while True:
        number += 1
        name = f"copy-{number}"
        if job.startswith("forget"):
            assert machine.run("export", name=name)[0] == "done"
        answer, _ = machine.run(job, "kill", number, name)
        if job == "forget all":
            entries = Ledger().entries()  # readable, or gone
            assert len(entries) <= 1 + number
        else:
            copies += machine.check(name)
        pending = [entry for entry in Ledger().entries() if entry.pending]
        if pending:
            Ledger().forget(lambda number, entry: entry.pending)
        if answer == "done":
            break
    assert number > 3
    if not job.startswith("forget"):
        assert copies >= 1  # whoever dies after the name leaves a copy
    assert machine.run("export", name="last")[0] == "done"
    assert machine.check("last") and machine.leftovers() == []


@pytest.mark.parametrize("way", ["kill", "full", "short writes"])
def test_albums_and_decisions_are_the_old_or_the_new(way: str, machine: Machine) -> None:
    """All that was decided of other albums stays; what is forgotten is gone."""
    assert machine.run("remember album", name="before")[0] == "done"
    for number in range(1, 20):
        before = [album.paths for album in recent_albums()]
        size = number * 20 if way == "short writes" else number
        answer, _ = machine.run("remember album", way, size, f"album-{number}")
        now = (str(machine.out / f"album-{number}"),)
        assert [album.paths for album in recent_albums()] in (before, [now, *before])
        assert answer in ("done", "killed")
        if answer == "done" and now in [album.paths for album in recent_albums()]:
            break
    for number in range(1, 20):
        if now not in [album.paths for album in recent_albums()]:
            break
        before = [album.paths for album in recent_albums()]
        size = number * 20 if way == "short writes" else number
        answer, _ = machine.run("forget album", way, size, now[0])
        after = [album.paths for album in recent_albums()]
        assert after in (before, before[1:], [])
        assert now not in after or answer == "killed"
    assert machine.run("forget all")[0] == "done"
    assert not [file for file in machine.data.rglob("*") if "recent" in file.name]


@pytest.mark.parametrize("size", [0, 1, 100, 3000, 20_000])
def test_files_that_cannot_grow_beyond_a_size(size: int, machine: Machine) -> None:
    answer, _ = machine.run("export", "short writes", size)
    assert answer == "done" or answer.startswith("refused "), answer
    assert machine.check() == (answer == "done")
    assert machine.leftovers() == []
    assert not [entry for entry in Ledger().entries() if entry.pending]


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
@pytest.mark.parametrize("megabytes", [150, 300, 400, 460, 520, 560, 580, 600, 640, 2000])
def test_memory_that_is_short_while_scoring(megabytes: int, tmp_path: Path) -> None:
    """Sentences and an exit code, at whatever step memory ends."""
    album = write_album(tmp_path / "trip", 3)
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20,) * 2)\n"
        "from elsewhere.cli import main\n"
        "sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "guess", str(album)],
        env={
            **os.environ,
            "ELSEWHERE_CACHE_DIR": str(tmp_path / "cache"),
            "OPENBLAS_NUM_THREADS": "1",
        },
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    if done.returncode == 127:  # the C library ends a program whose threads cannot be set up
        assert done.stderr == "cannot allocate memory for thread-local data: ABORT\n"
        assert megabytes < 2000 and not done.stdout
        return
    assert done.returncode == (0 if megabytes == 2000 else done.returncode & 1), done.stderr
    # a line for each photo that memory was too short for, and one for all; the others are shown
    assert done.stderr.count("\n") <= 1 + 3 * done.returncode, done.stderr
    assert done.returncode == 1 or "what one attacker sees" in done.stdout


DEAD_THREADS = """
import _thread, faulthandler, sys, threading
from pathlib import Path
from tests.service.tiny import known_scorers, see_tiny

faulthandler.dump_traceback_later(100, exit=True)
real = _thread.start_new_thread
starts = number = 0

def no_memory(*given):
    raise SystemExit  # ends the thread, and nothing is printed

def start(run, given, *named):
    global starts
    starts += 1
    return real(no_memory if starts == number else run, given, *named)

_thread.start_new_thread = threading._start_new_thread = start
if "elsewhere.platform.threads" in sys.modules:
    sys.modules["elsewhere.platform.threads"].start_new_thread = start
while starts >= number:
    number, starts = number + 1, 0
    try:
        with known_scorers():
            see_tiny(Path(sys.argv[1])).close()
        print("done", flush=True)
    except MemoryError:
        print("memory", flush=True)
"""


def test_threads_that_die_before_they_begin(tmp_path: Path) -> None:
    """Nobody waits for them: each of an album's threads in turn."""
    album = write_album(tmp_path / "trip", 2)
    done = subprocess.run(
        [sys.executable, "-c", DEAD_THREADS, str(album)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    outcomes = done.stdout.split()
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert len(outcomes) > 3 and outcomes[-1] == "done" and "memory" in outcomes


def test_a_home_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything works but the ledger, which says what to do."""

    def no_locks(*given: Any, **named: Any) -> bool:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("filelock.lock_descriptor", no_locks)
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"ELSEWHERE_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.chdir(tmp_path)
    write_album(tmp_path / "trip", 5)
    (tmp_path / "model").mkdir()
    described(tmp_path / "model", Cells.default())
    wishes = ("--at=Lisbon", "--top", "1", *SCORER)
    refused = typed("protect", "trip", "-o", "out", *wishes, "--remember")
    assert refused.exit_code == 1 and not (tmp_path / "out").exists()
    assert "without file locks" in refused.stderr and refused.stderr.count("\n") == 1
    done = typed("protect", "trip", "-o", "out", *wishes)
    assert done.exit_code == 0, done.output
    assert typed("verify", "out").exit_code == 0
    write(scored(3), tmp_path / "in" / "a.parquet")
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "planned"), key="k")
    assert run(settings, Here()).albums == 3


@pytest.mark.parametrize("jump", [-400_000, -3600, 3600, 40_000_000])
def test_a_clock_that_jumps_during_an_export(
    jump: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the day in the ledger comes from it; what is remembered stays in its order."""
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    start = datetime(2026, 11, 16, 12, tzinfo=UTC)

    class Jumping(datetime):
        seconds = 0

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            cls.seconds += jump
            return start + timedelta(seconds=cls.seconds)

    monkeypatch.setattr("elsewhere.service.ledger.datetime", Jumping)
    monkeypatch.setattr(time, "time", lambda: Jumping.now().timestamp())
    album = write_album(tmp_path / "trip", 5)
    with known_scorers():
        seen = see_tiny(album)
        plan = planned(seen)
        place = replace(plan.hidden[0], photos=tuple(range(5)))
        plan = replace(plan, places=Places((place,)))
        for number in range(3):
            export_album(seen, plan, tmp_path / f"out-{number}", remember=Ledger())
            assert verify_copy(tmp_path / f"out-{number}")
    entries = Ledger().entries()
    assert len(entries) == 3 and not any(entry.pending for entry in entries)
    assert [entry.photos for entry in entries] == [entries[0].photos] * 3


def test_no_deadline_is_on_a_clock_that_jumps() -> None:
    source = Path(elsewhere.__file__).parent
    wall = re.compile(r"(?<!\.)\btime\.time\(|datetime\.now\(|date\.today\(|utcnow\(")
    found = {
        str(file.relative_to(source)): len(wall.findall(file.read_text("utf-8")))
        for file in source.rglob("*.py")
    }
    # the days that the ledger and the recent albums name
    days = {"service/ledger.py": 1, "app/sessions/memory.py": 1}
    assert {file: count for file, count in found.items() if count} == days
