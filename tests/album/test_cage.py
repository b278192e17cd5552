"""A worker that was taken over can only decode: an escape artist tries the rest."""

from __future__ import annotations

import errno
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from elsewhere.album.workers import Limits, Reply, Workers
from elsewhere.platform.cage import Cage
from elsewhere.platform.machine import bare_environment
from tests.album.makers import xmp
from tests.album.nasty import make_all
from tests.album.test_mutants import SEEDS, mutant

if sys.platform != "linux":
    pytest.skip("the cage is Linux's", allow_module_level=True)

from tests.album.escapes import ATTEMPTS, CREATED, SECRET

TASK = "tests.album.escapes:act"
NEEDS_RIGHTS = {
    *("set_attribute", "clone_into_namespace", "raise_own_limit"),
    *("read_memory", "write_memory", "read_memory_by_file", "trace_process", "take_descriptor"),
    *("mount_folder", "leave_namespace", "change_root", "load_bpf", "watch_events"),
    *("use_io_uring", "use_keys", "handle_page_faults", "call_as_32_bit_program"),
}
"""What a machine may refuse to everybody: it depends on the user, the kernel and the disk."""
LANDLOCK = {
    "create_file": 1, "write_file": 1, "overwrite_file": 1, "map_over_file": 1,
    "open_in_the_newer_way": 1, "create_nameless_file": 1, "make_folder": 1,
    "make_symbolic_link": 1, "make_hard_link": 1, "make_pipe_in_folder": 1, "rename_file": 1,
    "remove_file": 1, "remove_folder": 1, "read_file": 1, "list_folder": 1,
    "truncate_file": 3, "truncate_by_opening": 3,
    "start_program": 1, "become_program": 1,
    "read_memory": 1, "write_memory": 1, "read_memory_by_file": 1, "read_environment": 1,
    "trace_process": 1, "take_descriptor": 1, "mount_folder": 1,
    "connect_by_tcp": 4, "listen_by_tcp": 4,
    "signal_parent": 6, "kill_process": 6, "kill_process_group": 6, "kill_by_queue": 6,
    "kill_by_descriptor": 6,
}  # fmt: skip
"""What Landlock refuses alone, and from which version of its interface on."""

VICTIM = f"""
import ctypes, sys
buffer = ctypes.create_string_buffer({SECRET!r})
ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1))  # let anybody trace it, where Yama asks
print(ctypes.addressof(buffer), flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Scene:
    """What an attempt acts on."""

    folder: Path
    tcp: socket.socket
    unix: socket.socket
    victim: subprocess.Popen[bytes]
    address: int

    def request(self, name: str) -> dict[str, Any]:
        return {
            "do": name,
            "folder": str(self.folder),
            "tcp": self.tcp.getsockname()[1],
            "unix": self.unix.getsockname(),
            "victim": self.victim.pid,
            "address": self.address,
        }

    def state(self) -> list[object]:
        """All that an attempt could have changed."""
        files = sorted(self.folder.iterdir())
        existing = self.folder / "existing"
        content = existing.read_bytes() if existing.exists() else None
        found: list[object] = [(file.name, file.lstat()[:9]) for file in files]  # but for its ctime
        return [content, *found, self.connections(), self.victim.poll()]

    def connections(self) -> int:
        count = 0
        for server in (self.tcp, self.unix):
            try:
                server.accept()[0].close()
                count += 1
            except BlockingIOError:
                pass
        return count


class Victims:
    """One process at a time, and a new one where an attempt has killed it."""

    process: subprocess.Popen[bytes] | None = None
    address = 0

    def living(self) -> tuple[subprocess.Popen[bytes], int]:
        if self.process is None or self.process.poll() is not None:
            self.end()
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", VICTIM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            assert self.process.stdout
            self.address = int(self.process.stdout.readline())
        return self.process, self.address

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    victims = Victims()
    yield victims
    victims.end()


@pytest.fixture
def scene(tmp_path: Path, victims: Victims) -> Iterator[Scene]:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "existing").write_bytes(b"precious user data")
    (folder / "empty").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "s"))
        unix.listen()
        tcp.setblocking(False)
        unix.setblocking(False)
        yield Scene(folder, tcp, unix, *victims.living())


def workers_with(walls: str, task: str = TASK) -> Iterator[Workers]:
    with pytest.MonkeyPatch.context() as patch:
        chosen = {**bare_environment(), "ESCAPE_WALLS": walls}
        patch.setattr("elsewhere.album.workers.bare_environment", lambda: chosen)
        with Workers(task, Limits(seconds=20), count=1) as workers:
            yield workers


@pytest.fixture(scope="module")
def caged() -> Iterator[Workers]:
    for workers in workers_with("all"):
        assert workers.cage().no_new_privileges
        assert workers.cage().seccomp
        yield workers


@pytest.fixture(scope="module")
def seccomp_only() -> Iterator[Workers]:
    for workers in workers_with("seccomp"):
        assert workers.cage() == Cage(no_new_privileges=True, landlock=0, seccomp=True)
        yield workers


@pytest.fixture(scope="module")
def landlock_only() -> Iterator[Workers]:
    for workers in workers_with("landlock"):
        if workers.cage().landlock == 0:
            pytest.skip("this kernel has no Landlock")
        assert not workers.cage().seccomp
        yield workers


@pytest.fixture(scope="module")
def limits_only() -> Iterator[Workers]:
    for workers in workers_with("limits"):
        assert workers.cage() == Cage()
        yield workers


@pytest.fixture(scope="module")
def free() -> Iterator[Workers]:
    for workers in workers_with("none"):
        assert workers.cage() == Cage()
        yield workers


def is_refused(reply: Reply) -> bool:
    return "errno" in reply.answer


def assert_refused(workers: Workers, name: str, scene: Scene) -> None:
    before = scene.state()
    reply = workers.ask(scene.request(name))
    if name == "call_as_32_bit_program":
        assert reply.failed == "crash"
    else:
        assert is_refused(reply), reply
    assert scene.state() == before
    assert not (scene.folder / CREATED).exists()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_in_the_cage_every_attempt_fails(name: str, caged: Workers, scene: Scene) -> None:
    assert_refused(caged, name, scene)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_seccomp_alone_refuses_every_attempt(
    name: str, seccomp_only: Workers, scene: Scene
) -> None:
    """Kernels before 5.13, and containers, may have no Landlock."""
    assert_refused(seccomp_only, name, scene)


@pytest.mark.parametrize("name", LANDLOCK)
def test_landlock_alone_refuses_most_attempts(
    name: str, landlock_only: Workers, scene: Scene
) -> None:
    """On other processors the filter of system calls is missing."""
    if landlock_only.cage().landlock >= LANDLOCK[name]:
        assert_refused(landlock_only, name, scene)


@pytest.mark.parametrize("name", ["create_file", "read_file", "list_folder", "connect_by_tcp"])
def test_limits_alone_refuse_opening(name: str, limits_only: Workers, scene: Scene) -> None:
    assert_refused(limits_only, name, scene)


@pytest.mark.parametrize("name", ATTEMPTS)
def test_without_the_cage_every_attempt_succeeds(name: str, free: Workers, scene: Scene) -> None:
    reply = free.ask(scene.request(name))
    if name == "become_program":
        assert reply.failed == "crash"
        assert (scene.folder / CREATED).exists()
    elif name in NEEDS_RIGHTS and (is_refused(reply) or reply.failed == "crash"):
        refusals = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}
        assert reply.answer.get("errno") in {*refusals, None}
    else:
        assert "done" in reply.answer, reply
    if name.startswith("kill_"):
        assert scene.victim.wait(timeout=20) == -signal.SIGKILL
    if name in ("read_memory", "read_memory_by_file") and not is_refused(reply):
        assert reply.answer["done"] == SECRET.decode()


def test_a_worker_knows_no_variable_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """It could hide them in a photo that is shared."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with Workers("tests.album.escapes:list_variables", count=1) as workers:
        reply = workers.ask({})
    assert "PATH" in reply.answer["names"]
    assert not [name for name in reply.answer["names"] if "KEY" in name or "HOME" in name]


def test_a_worker_has_no_other_descriptors_than_its_pipes() -> None:
    """Whatever libraries open before the cage is closed; for the reader of texts too."""
    for module in ("tests.album.escapes", "tests.text.open_files"):
        with Workers(f"{module}:list_descriptors", count=1) as workers:
            reply = workers.ask({})
        assert reply.answer["kinds"] == [*["null"] * 3, *["pipe"] * 2]


def photo_request(file: Path, *sidecars: Path) -> dict[str, Any]:
    return {"files": [file, *sidecars], "max_side": 512, "pixels": 10_000_000}


def test_photos_come_out_as_they_do_without_the_cage(tmp_path: Path, pool: Workers) -> None:
    sidecar = tmp_path / "photo.xmp"
    sidecar.write_bytes(xmp(rating=4))
    files = [tmp_path / name for name in SEEDS]
    for file in files:
        file.write_bytes(SEEDS[file.name])
    for free in workers_with("none", "tests.album.escapes:read"):
        for file in files:
            request = photo_request(file, sidecar)
            reply = pool.ask(request)
            assert not reply.failed
            assert reply == free.ask(request)
            assert reply.answer["metadata"]["rating"]


def test_nothing_is_loaded_once_the_cage_is_closed(tmp_path: Path) -> None:
    """A module that is missing then would cost a photo, or worse, only its time or its place."""
    make_all(tmp_path)
    draw = random.Random(7)
    for name, content in SEEDS.items():
        (tmp_path / f"whole-{name}").write_bytes(content)
        for number in range(10):
            (tmp_path / f"{number}-{name}").write_bytes(mutant(content, draw))
    files = [file for file in sorted(tmp_path.iterdir()) if file.is_file()]
    sidecars = [file for file in files if file.suffix in (".xmp", ".json")]
    with Workers("tests.album.lookups:read", count=1) as workers:
        replies = list(workers.each(photo_request(file, *sidecars) for file in files))
    assert sum(not reply.failed for reply in replies) > 50
    assert [reply.answer["looked for"] for reply in replies if reply.answer.get("looked for")] == []
