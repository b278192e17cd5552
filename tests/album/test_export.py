"""The export by itself: real small disks and limits, and what `prove` is given."""

from __future__ import annotations

import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from elsewhere.album.copies import Copy, open_copy
from elsewhere.album.export import OutgoingFile, are_separate, check_target, export
from elsewhere.album.renditions import Recipe, Rendition, Spool, accept_rendition, encode_jpeg
from elsewhere.errors import CheckError, FileError, InputError
from tests.album.makers import picture

SPOOL = Spool()


def rendition(seed: int, side: int = 96) -> Rendition:
    return accept_rendition(encode_jpeg(picture(seed, side, side)), Recipe(), SPOOL)


FILES = [OutgoingFile(f"{n:03}.jpg", rendition(n)) for n in (2, 1, 3)]


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_prove_is_given_the_whole_copy_before_it_has_its_name(name: str, tmp_path: Path) -> None:
    target, given = tmp_path / name, []

    def prove(copy: Copy) -> None:
        assert not target.exists()
        assert copy.path.parent.parent == tmp_path and copy.path.parent.name.startswith(".")
        assert stat.S_IMODE(copy.path.parent.stat().st_mode) == 0o700
        given.append({name: copy.read(name) for name in copy.names})

    export(FILES, target, prove)
    assert given == [{file.name: file.rendition.content for file in FILES}]
    copy = open_copy(target)
    assert copy.names == ("001.jpg", "002.jpg", "003.jpg")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_is_not_proved_has_no_name(tmp_path: Path) -> None:
    def refuse(copy: Copy) -> None:
        raise CheckError("no")

    with pytest.raises(CheckError, match="no"):
        export(FILES, tmp_path / "out", refuse)
    with pytest.raises(InputError, match="no photo to export"):
        export([], tmp_path / "out", refuse)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_slipped_in_is_noticed(tmp_path: Path) -> None:
    def slip(done: int, name: str) -> None:
        next(tmp_path.glob(".elsewhere-*/copy")).joinpath("x.jpg").write_bytes(b"x")

    with pytest.raises(CheckError, match="does not hold the files that were written"):
        export(FILES, tmp_path / "out", lambda copy: None, written=slip)


def test_leftovers_of_the_killed_are_swept_at_the_next_start(tmp_path: Path) -> None:
    code = """
import os, sys, signal
from pathlib import Path
from tests.album.test_export import FILES, export
export(FILES, Path(sys.argv[1]), lambda copy: os.kill(os.getpid(), signal.SIGKILL))
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "out")], check=False)
    assert done.returncode == -9
    assert [path.name[:11] for path in tmp_path.iterdir()] == [".elsewhere-"]
    export(FILES, tmp_path / "other", lambda copy: None)
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_paths_that_are_apart(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "b")
    assert are_separate(tmp_path / "a" / "b", tmp_path / "a" / "c")
    assert are_separate(tmp_path / "a" / "bc", tmp_path / "a" / "b")
    for one in (tmp_path, tmp_path / "a", tmp_path / "a" / "b" / "new", tmp_path / "link" / "x"):
        assert not are_separate(one, tmp_path / "a" / "b") and not are_separate(
            tmp_path / "a" / "b", one
        )


@pytest.mark.parametrize(
    ("target", "remedy"),
    [
        ("there", "choose a new name or remove it first"),
        ("file/out", "choose another place"),
        ("no/out", "make it first"),
        ("out.jpg", "name a new folder or a .zip"),
        ("album/out", "choose a place outside"),
        ("a\0b", "choose another"),
        ("x" * 300, "choose a shorter one"),
    ],
)
def test_a_target_that_is_refused_is_told_with_what_to_do(
    target: str, remedy: str, tmp_path: Path
) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "album").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises((InputError, FileError)) as told:
        check_target(tmp_path / target, [tmp_path / "album"])
    assert str(told.value).endswith(f": {remedy}")


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elsewhere.album.export.os.access", lambda path, mode: False)
    with pytest.raises(FileError, match="you may not write there"):
        check_target(tmp_path / "out")


SMALL_DISK = """
import sys
from pathlib import Path
from elsewhere.album.export import OutgoingFile, export
from elsewhere.errors import FileError
from tests.album.test_export import rendition
files = [OutgoingFile(f"{n:03}.jpg", rendition(n, 1500)) for n in range(8)]
if len(sys.argv) > 2:
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    most = 4 * files[0].rendition.size
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for name in ("out", "out.zip"):
    try:
        export(files, Path(sys.argv[1]) / name, lambda copy: None)
        print("exported")
    except FileError as told:
        print(told)
"""


def in_a_mount(options: str, place: Path) -> subprocess.CompletedProcess[str]:
    """The export on a disk of its own, seen by nobody else."""
    command = (
        f"mount -t tmpfs -o size=100k,{options} none {place} 2>/dev/null || exit 77; "
        f"{sys.executable} -c '{SMALL_DISK}' {place}; ls -A {place}"
    )
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", command], capture_output=True, text=True, check=False
    )


@pytest.mark.needs("unshare")
@pytest.mark.parametrize(
    ("options", "why"), [("rw", "the disk is full"), ("ro", "you may not write there|only be read")]
)
def test_a_full_disk_and_one_that_is_only_read(options: str, why: str, tmp_path: Path) -> None:
    done = in_a_mount(options, tmp_path)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no disks can be mounted here")
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stdout + done.stderr  # two sentences, and nothing on the disk
    for line, name in zip(lines, ("out", "out.zip"), strict=True):
        assert line.startswith(f"{tmp_path / name} cannot be written, and nothing was written: ")
        assert any(words in line for words in why.split("|"))


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """A limit of the system in the full disk's stead, where no disk can be mounted."""
    done = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, str(tmp_path), "limited"],
        capture_output=True,
        text=True,
        check=False,
    )
    folder, archive = done.stdout.splitlines()
    assert "exported" in folder and "larger than is allowed" in archive
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_bytes_are_those_of_the_rendition(tmp_path: Path) -> None:
    export(FILES, tmp_path / "out", lambda copy: None)
    for file in FILES:
        content = (tmp_path / "out" / file.name).read_bytes()
        assert sha256(content).hexdigest() == file.rendition.digest
