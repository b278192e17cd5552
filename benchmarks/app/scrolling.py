"""A thousand photos: usable while they are read, smooth while they are scrolled, memory flat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.app.album import make
from benchmarks.app.window import app, chromium, ready, window

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONG_MS = 50.0
GROWTH_MB = 60.0
"""Thumbnails of a thousand photos take about fifteen, and the rest is Python's own."""
_WATCH = """
() => {
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.longTasks.push(one.duration)
  }).observe({ entryTypes: ['longtask'] })
}
"""


def measure(folder: Path, photos: int) -> dict[str, Any]:
    """Open, scroll while it is read, scroll when it is there, and look at the memory."""
    made = make(folder, photos)
    with (
        app(folder, [made.folder], scorers=[made.scorer]) as program,
        chromium() as browser,
        window(browser, program) as page,
    ):
        page.evaluate(_WATCH)
        page.locator("[role=gridcell]").nth(20).wait_for()
        early = page.locator("[data-stage=reading]").count() > 0
        while_reading = _scroll(page, 20)
        page.set_default_timeout(180_000)
        ready(page)
        page.wait_for_timeout(4000)
        drawn = page.locator("[role=gridcell]").count()
        first = _scroll(page, 120)
        memory = _memory(program.process)
        again = _scroll(page, 120, back=True)
        grown = _memory(program.process) - memory
    told = {
        "photos": photos,
        "usable while reading": early,
        "long tasks while reading": while_reading,
        "long tasks while scrolling": first + again,
        "cells drawn": drawn,
        "server grew by MB": round(grown, 1),
    }
    print(told, flush=True)
    return told


def _scroll(page: Page, turns: int, *, back: bool = False) -> list[float]:
    """Turn the wheel over the grid, and count the tasks that were long."""
    page.hover("[role=gridcell] >> nth=4")
    page.evaluate("window.longTasks.length = 0")
    for _ in range(turns):
        page.mouse.wheel(0, -600 if back else 600)
        page.wait_for_timeout(30)
    page.wait_for_timeout(300)
    found: list[float] = page.evaluate("window.longTasks")
    return found


def _memory(process: int) -> float:
    """MB that a process holds."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("this system does not tell how much memory a process holds")


def verdicts(found: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """The claims."""
    long = found["long tasks while scrolling"]
    grown = found["server grew by MB"]
    return [
        (
            f"no main-thread task over {LONG_MS:.0f} ms while scrolling {found['photos']} photos",
            not long,
            f"{len(long)}, the longest {max(long, default=0):.0f} ms",
        ),
        (
            "the page can be used while photos are read",
            found["usable while reading"],
            f"{len(found['long tasks while reading'])} long tasks meanwhile",
        ),
        ("the server's memory stays flat", grown <= GROWTH_MB, f"{grown:+.0f} MB on the way back"),
    ]
