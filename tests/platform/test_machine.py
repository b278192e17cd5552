from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from elsewhere.platform import machine
from elsewhere.platform.machine import user_folder, worker_count


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who has set nothing."""
    for name in ("ELSEWHERE_DATA_DIR", "ELSEWHERE_CACHE_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "data", "cache"),
    [
        ("linux", ".local/share/elsewhere", ".cache/elsewhere"),
        ("darwin", "Library/Application Support/elsewhere", "Library/Caches/elsewhere"),
        ("win32", "AppData/Local/elsewhere/Data", "AppData/Local/elsewhere/Cache"),
    ],
)
def test_where_each_system_wants_them(
    platform: str, data: str, cache: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert (user_folder("data"), user_folder("cache")) == (home / data, home / cache)
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(home / "d"))
    monkeypatch.setenv("ELSEWHERE_CACHE_DIR", str(home / "c"))
    assert user_folder("data") == home / "d" / "elsewhere"
    assert user_folder("cache") == home / "c" / "elsewhere", (
        "never a folder that others use as well"
    )


def test_where_the_user_wants_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "share"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "scrap"))
    assert user_folder("data") == home / "share" / "elsewhere"
    assert user_folder("cache") == home / "scrap" / "elsewhere"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(home / "local"))
    assert user_folder("data") == home / "local" / "elsewhere" / "Data"
    assert user_folder("cache") == home / "local" / "elsewhere" / "Cache"


def test_cores_are_those_that_we_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert (worker_count(limit=None), worker_count()) == (3, 3)
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS and Windows do not say
    assert (worker_count(limit=None), worker_count()) == (64, machine.MAX_WORKERS)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert (worker_count(limit=None), worker_count()) == (1, 1)
