"""A thousand photos: usable while they are read, smooth while they are scrolled, memory flat.

A task's length is told twice: by the clock, which is what a person waits for and what the claim is
held against, and by the time that the processor gave to it. Where other programs take turns on the
same cores the clock counts their turns as well: measure on a quiet machine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.app.album import make
from benchmarks.app.window import app, chromium, ready, window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LONG_MS = 50.0
GROWTH_MB = 60.0
"""Thumbnails of a thousand photos take about fifteen, and the rest is Python's own."""


def measure(folder: Path, photos: int) -> dict[str, Any]:
    """Open, scroll while it is read, scroll when it is there, and look at the memory."""
    made = make(folder, photos)
    with (
        app(folder, [made.folder], scorers=[made.scorer]) as program,
        chromium() as browser,
        window(browser, program) as page,
    ):
        page.locator("[role=gridcell]").nth(20).wait_for()
        early = page.locator("[data-stage=reading]").count() > 0
        while_reading = scroll_tasks(browser, page, 20)
        page.set_default_timeout(180_000)
        ready(page)
        page.wait_for_timeout(4000)
        drawn = page.locator("[role=gridcell]").count()
        first = scroll_tasks(browser, page, 120)
        memory = _memory(program.process)
        again = scroll_tasks(browser, page, 120, back=True)
        grown = _memory(program.process) - memory
    told = {
        "photos": photos,
        "usable while reading": early,
        "longest tasks while reading": _longest(while_reading),
        "longest tasks while scrolling": _longest(first + again),
        "tasks while scrolling": len(first + again),
        "cells drawn": drawn,
        "server grew by MB": round(grown, 1),
    }
    print(told, flush=True)
    return told


def scroll_tasks(
    browser: Browser, page: Page, turns: int, *, back: bool = False
) -> list[tuple[float, float]]:
    """Turn the wheel over the grid; every task of the page's main thread, in ms by processor
    and by clock."""
    page.hover("[role=gridcell] >> nth=4")
    browser.start_tracing(page=page, categories=["disabled-by-default-devtools.timeline"])
    for _ in range(turns):
        page.mouse.wheel(0, -600 if back else 600)
        page.wait_for_timeout(30)
    page.wait_for_timeout(300)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    return [
        (one.get("tdur", one["dur"]) / 1e3, one["dur"] / 1e3)
        for one in events
        if one["name"] == "RunTask" and "dur" in one and (one["pid"], one["tid"]) in threads
    ]


def _longest(tasks: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "processor ms": round(max((one for one, _ in tasks), default=0), 1),
        "clock ms": round(max((one for _, one in tasks), default=0), 1),
    }


def _memory(process: int) -> float:
    """MB that a process holds."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("this system does not tell how much memory a process holds")


def _said(longest: dict[str, float]) -> str:
    return (
        f"the longest task took {longest['clock ms']} ms by the clock, "
        f"{longest['processor ms']} ms of the processor"
    )


def verdicts(found: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """The claims."""
    longest, grown = found["longest tasks while scrolling"], found["server grew by MB"]
    reading = found["longest tasks while reading"]
    return [
        (
            f"no main-thread task over {LONG_MS:.0f} ms while scrolling {found['photos']} photos",
            found["tasks while scrolling"] > 0 and longest["clock ms"] <= LONG_MS,
            _said(longest),
        ),
        (
            "the page can be used while photos are read",
            found["usable while reading"] and reading["clock ms"] <= LONG_MS,
            _said(reading),
        ),
        ("the server's memory stays flat", grown <= GROWTH_MB, f"{grown:+.0f} MB on the way back"),
    ]
