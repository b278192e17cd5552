"""A right-click in a real file manager writes a clean copy, with progress and a notice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from elsewhere.service import EXAMPLE_ALBUM

LONG = 600
"""Seconds that a very busy machine may take."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3 * LONG),
    pytest.mark.needs("Xvfb", "thunar", "xdotool", "dbus-run-session"),
]


@contextmanager
def running(*command: str, env: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A program and all that it starts, ended at the end."""
    with subprocess.Popen(command, env=env, start_new_session=True) as process:
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def until(ready: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + LONG
    while not ready():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.3)


def test_a_right_click_in_thunar_writes_a_clean_copy(tmp_path: Path) -> None:
    home, tools, log = tmp_path / "home", tmp_path / "tools", tmp_path / "notices"
    album = home / "Pictures" / "trip"
    tools.mkdir()
    shutil.copytree(EXAMPLE_ALBUM, album, ignore=shutil.ignore_patterns("*.py", "*.json", "*.xmp"))
    sender = tools / "notify-send"  # there is no desktop that would show notices
    sender.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{log}"\necho 7\n')
    sender.chmod(0o755)
    display = f":{200 + os.getpid() % 700}"
    folders = {"DATA": ".local/share", "CONFIG": ".config", "CACHE": ".cache"}
    env = {
        **os.environ,
        **{f"XDG_{name}_HOME": str(home / folder) for name, folder in folders.items()},
        "HOME": str(home),
        "DISPLAY": display,
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "NO_AT_BRIDGE": "1",
    }
    for name in ("ELSEWHERE_DATA_DIR", "ELSEWHERE_CACHE_DIR", "WAYLAND_DISPLAY"):
        env.pop(name, None)
    elsewhere = [sys.executable, "-m", "elsewhere", "desktop"]
    subprocess.run([*elsewhere, "install"], env=env, check=True, stdout=subprocess.DEVNULL)

    def xdo(*words: str) -> bool:
        told = subprocess.run(["xdotool", *words], env=env, capture_output=True, check=False)
        return told.returncode == 0 and bool(told.stdout.strip() or words[0] != "search")

    screen = ("Xvfb", display, "-screen", "0", "1024x768x24")
    manager = ("dbus-run-session", "--", "thunar", str(album.parent))
    with running(*screen, env=env):
        until(lambda: xdo("getdisplaygeometry"), "the screen")
        with running(*manager, env=env):
            until(lambda: xdo("search", "--onlyvisible", "--class", "thunar"), "the window")

            def chosen() -> bool:
                """The last action before the properties; a click that was missed is tried again."""
                xdo("key", "Escape")
                xdo("mousemove", "211", "145", "click", "3")
                time.sleep(2)
                xdo("key", "Up", "Up", "Return")
                end = time.monotonic() + 60
                while not log.exists() and time.monotonic() < end:
                    time.sleep(0.3)
                return log.exists()

            until(chosen, "the action")
            copy = album.with_name("trip-to-share")
            until(lambda: "in trip-to-share" in log.read_text(), "the notice")
    notices = log.read_text().splitlines()
    assert any("int:value:" in line and "Reading the photos" in line for line in notices)
    assert "withheld. Hidden: Tarascon, France. The copy is proved." in notices[-1]
    assert sorted(path.name for path in copy.iterdir())[0] == "001.jpg"
    verify = [sys.executable, "-m", "elsewhere", "verify", str(copy)]
    subprocess.run(verify, env=env, stdout=subprocess.DEVNULL, check=True)
    remove = [*elsewhere, "remove"]
    removed = subprocess.run(remove, env=env, capture_output=True, text=True, check=True)
    assert removed.stdout.count("Deleted: ") == 6
