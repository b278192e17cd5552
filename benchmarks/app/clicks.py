"""How long it takes from a click on a photo to the frame that shows the new plan.

128 photos × 512 cells with a zone of seventeen, in two simulated worlds, and × 36,000 leaves of
real photos, with the wishes that the app begins with. Withheld photos are pinned, shared ones
dropped, and both are let go again. Between clicks there is a moment, as with any finger, and a
proof or a frontier that goes on meanwhile is part of what is measured. Each session draws a top in
secret, and some are harder than others: the clicks of a world are shared out among several
sessions. What the server takes of each is told apart, by the browser's own clock.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.app.album import LEAVES, make
from benchmarks.app.window import app, chromium, ready, window

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHOTOS = 128
MEDIAN_MS, LATE_MS = 100.0, 250.0
PAUSE_MS = 250
SESSIONS = 3
_CLICK = """
async ([selector, before]) => {
  // drawn anew where a plan is waited for
  const shown = () => document.querySelector('[data-version]')?.dataset ?? { version: before }
  performance.clearResourceTimings()
  const begun = performance.now()
  const answered = new Promise((done) => {
    const watch = new MutationObserver(() => {
      if (Number(shown().version) === before) return
      watch.disconnect()
      // the next frame is painted when the task after it begins
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun)))
    })
    const what = { attributeFilter: ['data-version'], childList: true, subtree: true }
    watch.observe(document.body, what)
  })
  document.querySelector(selector).click()
  const ms = await answered
  const sent = performance.getEntriesByType('resource')
  const asked = sent.find((one) => one.name.includes('/api/wishes'))
  const server = asked ? asked.responseEnd - asked.requestStart : 0
  return { ms, server, version: Number(shown().version), status: shown().status }
}
"""
_STATES = """
[...document.querySelectorAll('[data-n]')].map((one) => [Number(one.dataset.n), one.dataset.state])
"""


def measure(folder: Path, clicks: int) -> dict[str, list[dict[str, Any]]]:
    """Click through an album of each world."""
    found: dict[str, list[dict[str, Any]]] = {}
    for world in ("w1", "w2", LEAVES):
        made = make(folder / world, PHOTOS, 1, world)
        found[world] = []
        for session in range(SESSIONS):
            many = len(range(session, clicks, SESSIONS))
            with (
                app(folder, [made.folder], scorers=[made.scorer]) as program,
                chromium() as browser,
                window(browser, program, height=1400) as page,
            ):
                ready(page)
                page.wait_for_timeout(3000)
                found[world] += [_click(page, number) for number in range(many)]
        ms, server = ([one[name] for one in found[world]] for name in ("ms", "server"))
        proved = sum(one["status"] == "optimal" for one in found[world])
        print(
            f"{world}: median {np.median(ms):.0f} ms, 95 % {np.percentile(ms, 95):.0f} ms, "
            f"most {max(ms):.0f} ms, of which the server {np.median(server):.0f} ms, "
            f"95 % {np.percentile(server, 95):.0f} ms; {proved} of {len(ms)} proved at once",
            flush=True,
        )
    return found


def _click(page: Page, number: int) -> dict[str, Any]:
    """One click, on a photo in sight."""
    states: list[tuple[int, str]] = page.evaluate(_STATES)
    wanted = ("withheld", "shared", "kept", "dropped")[number % 4]
    found = [n for n, state in states if state == wanted] or [n for n, _ in states]
    n = found[number * 7 % len(found)]
    drop = " [aria-label^=Drop]" if wanted in {"shared", "dropped"} else ""
    page.hover(f"[data-n='{n}']")  # where the button to drop it is
    before = int(page.get_attribute("[data-version]", "data-version") or 0)
    told: dict[str, Any] = page.evaluate(_CLICK, [f"[data-n='{n}']{drop}", before])
    page.wait_for_timeout(PAUSE_MS)
    return told


def verdicts(found: dict[str, list[dict[str, Any]]]) -> list[tuple[str, bool, str]]:
    """The claims."""
    ms = [one["ms"] for clicks in found.values() for one in clicks]
    median, late = float(np.median(ms)), float(np.percentile(ms, 95))
    return [
        (f"repainted within {MEDIAN_MS:.0f} ms, median", median <= MEDIAN_MS, f"{median:.0f} ms"),
        (f"within {LATE_MS:.0f} ms, 95 %", late <= LATE_MS, f"{late:.0f} ms"),
    ]
