"""Tesseract as another program may be: absent, talkative, slow or broken."""

from __future__ import annotations

import functools
import os
import select
import socket
import subprocess
import sys
import time
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


def test_a_program_that_prints_without_end_reads_nothing(installed: Callable[..., None]) -> None:
    installed(word(1, "Москва"), end="exec yes")
    begun = time.monotonic()
    assert tesseract.read_lines([LINE]) == [("", 0.0)]
    assert time.monotonic() - begun < tesseract._SECONDS / 2
    installed(word(1, "Москва"), word(1, "x" * (tesseract._MAX_BYTES - 1000)))
    assert tesseract.read_lines([LINE])[0][0].startswith("Москва x")


@pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are POSIX's")
@pytest.mark.parametrize("end", ["exit 0", "sleep 30"])
def test_what_the_program_has_started_ends_with_it(
    installed: Callable[..., None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, end: str
) -> None:
    read_end, write_end = os.pipe()
    os.set_inheritable(write_end, True)
    popen = functools.partial(subprocess.Popen, pass_fds=[write_end])
    monkeypatch.setattr(subprocess, "Popen", popen)
    monkeypatch.setattr(tesseract, "_SECONDS", 2.0)
    installed(word(1, "Москва"), end=f"sleep 60 > /dev/null & {end}")
    tesseract.read_lines([LINE])
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:  # it ends when nobody has the other end
        assert select.select([pipe], [], [], 20)[0] and pipe.read() == b""


TAKEN_OVER = """#!{python} -I
import ctypes, os, platform, resource, socket, sys
from pathlib import Path
if "--list-langs" in sys.argv:
    print("rus")
    sys.exit()
sys.stdin.buffer.read()
folder = Path({folder!r})
libc = ctypes.CDLL(None, use_errno=True)
column = platform.machine() == "aarch64"
def call(numbers, *words):
    number = numbers[column]
    if libc.syscall(number, *map(ctypes.c_long, words)) == -1 and ctypes.get_errno() == 1:
        raise PermissionError
def leave_group():
    child = os.fork()
    if not child:
        try:
            os.setsid()
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise PermissionError
calls = dict(  # with wrong arguments, so that they do nothing: refused is what gets EPERM
    tgkill=((234, 131), os.getppid(), os.getppid(), 0),
    futimesat=((261, 88), -1, 0, 0, 0),
    schedsetattr=((314, 274), 0, 0, 0),
    schedsetparam=((142, 118), 0, 0),
    mqopen=((240, 180), 0, 0, 0, 0),
    mqunlink=((241, 181), 0),
    shmctl=((31, 195), -1, 0, 0),
    clonenamespace=((56, 220), 0x10000200, 0, 0, 0, 0),
    migratepages=((256, 238), -1, 0, 0, 0),
    movepages=((279, 239), -1, 0, 0, 0, 0, 0),
)
attempts = dict(
    create=lambda: (folder / "new").touch(),
    write=lambda: (folder / "existing").open("r+b"),
    truncate=lambda: os.truncate(folder / "existing", 0),
    mode=lambda: (folder / "existing").chmod(0o777),
    times=lambda: os.utime(folder / "existing", (0, 0)),
    link=lambda: (folder / "linked").symlink_to("text"),
    tcp=lambda: socket.create_connection(("127.0.0.1", {port})),
    unix=lambda: socket.socket(socket.AF_UNIX),
    signal=lambda: os.kill(os.getppid(), 0),
    environment=lambda: os.environ["SECRET_OF_OTHERS"],
    remove=lambda: (folder / "existing").unlink(),
    leave=leave_group,
    processor=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000)),
    memory=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40)),
)
for name, words in calls.items():
    attempts[name] = lambda words=words: call(*words)
for name, action in attempts.items():
    try:
        action()
        print("\\t".join(["5", "1", *"11110099", "96", name]))
    except (OSError, KeyError, ValueError):
        pass
print("\\t".join(["5", "2", *"11110099", "96", Path({readable!r}).read_text()]))
"""
"""What a program that was taken over could try; it can read files, or it could not be started."""


WITHOUT_LANDLOCK = """import sys
sys.path.insert(0, sys.argv[1])
from elsewhere.platform import cage
cage._close_landlock = lambda call, *, reading: 0
cage.become_caged(sys.argv[2:])
"""
UNCAGED = "import os, sys; os.execv(sys.argv[2], sys.argv[2:])"
BOOTS = {"all": tesseract._BOOT, "seccomp": WITHOUT_LANDLOCK, "none": UNCAGED}
MAY_BE_REFUSED = {"clonenamespace", "migratepages", "movepages"}
"""To everybody, in a container."""


@pytest.mark.skipif(sys.platform != "linux", reason="the cage is Linux's")
@pytest.mark.parametrize("walls", ["all", "seccomp", "none"])
def test_a_program_that_was_taken_over_can_only_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walls: str
) -> None:
    folder, readable = tmp_path / "folder", tmp_path / "readable"
    folder.mkdir()
    existing = folder / "existing"
    for file in (existing, readable):
        file.write_text("precious")
    before = existing.stat()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("SECRET_OF_OTHERS", "x")
    monkeypatch.setattr(tesseract, "_BOOT", BOOTS[walls])
    with socket.create_server(("127.0.0.1", 0)) as server:
        (tmp_path / "tesseract").write_text(
            TAKEN_OVER.format(
                python=sys.executable,
                folder=str(folder),
                port=server.getsockname()[1],
                readable=str(readable),
            )
        )
        (tmp_path / "tesseract").chmod(0o700)
        tesseract.installed.cache_clear()
        done, read = tesseract.read_lines([LINE, LINE])
        tesseract.installed.cache_clear()
    assert read[0] == "precious"
    files = ["create", "write", "truncate", "link", "remove"]
    if walls == "all":
        assert done[0] == "" and list(folder.iterdir()) == [existing]
        after = existing.stat()
        assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
        assert existing.read_text() == "precious"
    elif walls == "seccomp":  # as on a kernel without Landlock, which guards the folder
        assert done[0].split() == files
    else:  # all but the environment, which is never handed over
        rest = "mode times tcp unix signal processor memory tgkill futimesat schedsetattr"
        more = "schedsetparam mqopen mqunlink shmctl leave"
        succeeded = {*done[0].split()} - MAY_BE_REFUSED
        assert succeeded == {*files, *rest.split(), *more.split()}


@pytest.mark.needs("tesseract")
def test_the_real_program_reads_a_line() -> None:
    tesseract.installed.cache_clear()
    assert len(tesseract.read_lines([LINE, LINE])) == 2
