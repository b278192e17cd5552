"""`elsewhere app` as a person meets it: the program, and a real browser window on its page.

For this benchmark, for the journeys in tests/ and for tools/app-screenshots alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-first-run",
]


PATIENCE_MS = 120_000
"""A machine may be busy; nobody waits longer for it than needed."""
_REFUSED = "the server responded with a status of 4"
_UNREACHED = "net::ERR_"


class Running(NamedTuple):
    """The program: the address of its private file, and its number among the processes."""

    address: str
    process: int


@contextmanager
def app(
    home: Path, album: Sequence[Path] = (), *, scorers: Sequence[str] = (), cache: bool = False
) -> Iterator[Running]:
    """The program, with a home folder of its own."""
    command = [sys.executable, "-m", "elsewhere", "app", "--no-browser", *map(str, album)]
    command += [word for one in scorers for word in ("--scorer", one)]
    command += [] if cache else ["--no-cache"]
    env = {**os.environ, "HOME": str(home), "ELSEWHERE_DATA_DIR": str(home / "private")}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        told = process.stdout.readline()
        file = Path(told.rpartition(": ")[2].strip())
        yield Running(file.as_uri(), process.pid)
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def chromium(*more: str) -> Iterator[Browser]:
    """Debian's browser, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=shutil.which("chromium"), args=[*QUIET, *more]
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(
    browser: Browser,
    program: Running,
    *,
    width: int = 1280,
    height: int = 860,
    scheme: Literal["light", "dark"] = "light",
    scale: float = 1,
    unguarded: bool = False,
    refused: bool = False,
    ending: bool = False,
) -> Iterator[Page]:
    """A window on the page; `unguarded` lets a test's own script in, past the page's policy, and
    `refused` means that the server is asked for what it refuses, `ending` that it is ended while
    the page is open, both of which a browser complains of.

    The window complains, when it is closed, of everything the page complained of: an error, a
    warning, or a request to anywhere but the server.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        device_scale_factor=scale,
        has_touch=width < 600,
        is_mobile=width < 600,
        service_workers="block",
        bypass_csp=unguarded,
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda line: said.append(line.text) if line.type != "log" else None)
    page.on("pageerror", lambda problem: said.append(str(problem)))
    page.on("request", lambda asked: None if _ours(asked.url) else said.append(asked.url))
    try:
        page.goto(program.address)
        page.wait_for_selector("[data-stage]")  # the private file leads on to it
        yield page
    finally:
        context.close()
    expected = [*[_REFUSED][: int(refused)], *[_UNREACHED][: int(ending)]]
    told = [one for one in said if not any(words in one for words in expected)]
    assert not told, told


def ready(page: Page) -> None:
    """Wait until the first plan is on the screen."""
    page.wait_for_selector("[data-stage=ready] [data-status]")
    page.wait_for_selector("[role=gridcell] img")


def _ours(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "file:///", "data:", "blob:"))
