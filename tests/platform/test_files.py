from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from elsewhere.platform.files import new_file, open_whole, sync_folder, write_whole

FOR_ALL = 0o644
"""What a umask of 022 leaves."""


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def inside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("private", [True, False])
def test_a_file_comes_to_be_and_is_replaced(private: bool, tmp_path: Path) -> None:
    file = tmp_path / "Ελλάδα.json"
    for content in (b"first, and longer\r\n", b"second\n"):
        write_whole(file, content, private=private)
        assert file.read_bytes() == content and inside(tmp_path) == [file.name]
        assert mode(file) == (0o600 if private else FOR_ALL)


def test_it_has_its_name_only_when_all_of_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"before")
    with open_whole(file, private=True) as stream:
        stream.write(b"half")
        stream.flush()
        assert file.read_bytes() == b"before"
        (part,) = (path for path in tmp_path.iterdir() if path != file)
        assert part.name.startswith(".file.") and mode(part) == 0o600, "from the first byte"
    assert file.read_bytes() == b"half" and inside(tmp_path) == ["file"]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ValueError, OSError, SystemExit])
@pytest.mark.parametrize("there", [True, False])
def test_what_goes_wrong_leaves_what_was_there(
    problem: type[BaseException], there: bool, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    if there:
        file.write_bytes(b"before")
    with pytest.raises(problem), open_whole(file) as stream:
        stream.write(b"half")
        raise problem
    assert inside(tmp_path) == (["file"] if there else [])
    assert not there or file.read_bytes() == b"before"


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_disk_that_refuses_leaves_what_was_there(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "file"
    file.write_bytes(b"before")
    with monkeypatch.context() as patch:
        patch.setattr(step, full)
        with pytest.raises(OSError, match="No space"):
            write_whole(file, b"after")
    assert file.read_bytes() == b"before" and inside(tmp_path) == ["file"]


def test_the_bytes_are_on_the_disk_before_the_name_and_the_name_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        kind = os.fstat(handle)
        done.append("names" if stat.S_ISDIR(kind.st_mode) else f"{kind.st_size} bytes")
        sync(handle)

    def named(self: Path, target: Path) -> Path:
        done.append("named")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", named)
    write_whole(tmp_path / "file", b"12345")
    assert done == ["5 bytes", "named", "names"]
    done.clear()
    write_whole(tmp_path / "file", b"12345", lasting=False)
    assert done == ["named"]


def test_it_is_whole_whenever_it_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from elsewhere.platform.files import write_whole\n"
        "for n in range(10 ** 9):\n"
        "    write_whole(Path(sys.argv[1]), bytes([n % 256]) * 300_000)\n"
        "    n or print('begun', flush=True)"
    )
    file = tmp_path / "file"
    for _ in range(5):
        writer = subprocess.Popen(
            [sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout and writer.stdout.readline() == "begun\n"
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        content = file.read_bytes()
        assert len(content) == 300_000 and len(set(content)) == 1


def test_whom_it_is_open_to(tmp_path: Path) -> None:
    shared, closed = tmp_path / "shared", tmp_path / "closed"
    for file, bits in ((shared, 0o664), (closed, 0o600)):
        file.write_bytes(b"before")
        file.chmod(bits)
        write_whole(file, b"after")
        assert mode(file) == bits and file.read_bytes() == b"after"
    write_whole(shared, b"mine", private=True)
    assert mode(shared) == 0o600


@pytest.mark.parametrize("private", [True, False])
def test_a_umask_that_takes_all_leaves_the_owner_his_file(private: bool, tmp_path: Path) -> None:
    os.umask(0o777)
    write_whole(tmp_path / "file", b"mine", private=private)
    assert mode(tmp_path / "file") == 0o600


def test_a_link_is_replaced_and_what_it_names_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / "link").symlink_to("precious")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "link").is_symlink() and (tmp_path / "link").read_bytes() == b"new"


def test_a_name_as_long_as_the_disk_allows(tmp_path: Path) -> None:
    for name in ("x" * 255, "é" * 127):
        write_whole(tmp_path / name, b"new")
    assert len(inside(tmp_path)) == 2


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    with new_file(tmp_path / "file", private=True) as stream:
        stream.write(b"new")
    with pytest.raises(FileExistsError), new_file(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_bytes() == b"new" and mode(tmp_path / "file") == 0o600


def test_a_folder_that_cannot_be_asked_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(number: int) -> None:
        def refuse(*given: object) -> int:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(os, "fsync", refuse)

    answer(errno.EINVAL)
    sync_folder(tmp_path)
    answer(errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)
    monkeypatch.undo()

    def forbidden(*given: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", forbidden)
    sync_folder(tmp_path)
