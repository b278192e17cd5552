"""Files from strangers, and everything that a folder may hold.

Run as a script, `python -m tests.album.nasty FOLDER` makes them all; the tests make them one by
one. Those of the formats are in nasty_formats.py; here are names, the file system, and notes.
"""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

from tests.album import nasty_formats  # noqa: F401  (puts its files on the list)
from tests.album.makers import LAUGHS, jpeg, xmp
from tests.album.nasty_list import ALL, Nasty, add_bytes, add_thing, noise

ROOT = getattr(os, "geteuid", lambda: 1)() == 0

# ── names ─────────────────────────────────────────────────────────────────────────────────────
_NAMES = (
    "line\nbreak.jpg",
    "bell\a\x1b[2J\x1b]0;owned\a.jpg",
    "\u202egpj.exe.jpg",
    "quote'\"`$(reboot).jpg",
    "-rf.jpg",
    "tab\tand space .jpg",
    "é" * 120 + ".jpg",
    "\U0001f3d6\ufe0f.jpg",
    "%s%n{0}.jpg",
    "~",
    "con.jpg",
    "\udcff\udcfe.jpg",
)
for _number, _name in enumerate(_NAMES):
    add_bytes(_name, "read", jpeg(200 + _number))
# ── the file system ───────────────────────────────────────────────────────────────────────────


def _unreadable(path: Path) -> None:
    path.write_bytes(jpeg(220))
    path.chmod(0)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.write(jpeg(221))
        file.truncate(300 << 20)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # the address of a socket must be short
        try:
            one.bind(path.name)
        finally:
            os.chdir(here)


def _deep(path: Path) -> None:
    for _ in range(60):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "bottom.jpg").write_bytes(jpeg(222))


def _outside(path: Path) -> None:
    target = path.parent.parent / "outside.jpg"
    target.write_bytes(jpeg(223))
    path.symlink_to(target)


add_thing("folder.jpg", "", lambda path: path.mkdir())
add_thing("pipe.jpg", "special", lambda path: os.mkfifo(path))  # noqa: PLW0108 (not on Windows)
add_thing("socket.jpg", "special", _socket)
add_thing("link-out.jpg", "link", _outside)
add_thing("link-to-nothing.jpg", "link", lambda path: path.symlink_to("nowhere"))
add_thing("link-to-itself.jpg", "link", lambda path: path.symlink_to(path.name))
add_thing("link-to-zeros.jpg", "link", lambda path: path.symlink_to("/dev/zero"))
add_thing("link-up", "link", lambda path: path.symlink_to("..", target_is_directory=True))
add_thing("unreadable.jpg", "read" if ROOT else "unreadable", _unreadable)
add_thing("sparse.jpg", "large", _sparse)
add_thing("deep", "read", _deep)
add_bytes("._resource.jpg", "hidden", b"\0\5\x16\7" + noise(99))
add_bytes(".hidden.jpg", "hidden", jpeg(224))
add_bytes("Thumbs.db", "hidden", noise(99))
# ── notes ─────────────────────────────────────────────────────────────────────────────────────
add_bytes("laughs.xmp", "sidecar", LAUGHS)
add_bytes("deep.json", "sidecar", b"[" * 200000)
add_bytes("long.json", "sidecar", b'"' + b"x" * (9 << 20) + b'"')
add_bytes("stray.xmp", "sidecar", xmp())


def make_all(folder: Path) -> list[Nasty]:
    """All of them in one folder; those that this system cannot have are left out and returned."""
    folder.mkdir(parents=True, exist_ok=True)
    impossible = []
    for nasty in ALL:
        try:
            nasty.make(folder / nasty.name)
        except (OSError, AttributeError, UnicodeError):
            impossible.append(nasty)
    return impossible


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Mode, size, times and bytes of everything below a folder, without touching any of it."""
    found: dict[str, tuple[object, ...]] = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = Path(place, name)
            told = path.lstat()
            content = b""
            if stat.S_ISREG(told.st_mode) and told.st_size < 64 << 20 and os.access(path, os.R_OK):
                flags = getattr(os, "O_NOATIME", 0) | getattr(os, "O_BINARY", 0)
                with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb") as file:
                    content = file.read()
            access = told.st_atime_ns if stat.S_ISREG(told.st_mode) else 0
            times = (told.st_mtime_ns, told.st_ctime_ns, access)
            found[str(path)] = (told.st_mode, told.st_size, times, content)
    return found


if __name__ == "__main__":
    left_out = make_all(Path(sys.argv[1]))
    print(f"{len(ALL) - len(left_out)} nasty files in {sys.argv[1]}")
