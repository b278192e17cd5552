"""The page loaded again in the middle of something, and twice at once: nothing is lost.

The server runs in this process, so that a test can hold its work up at the very step that it wants
to see.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.app.window import Running, ready, window

from elsewhere.app.sessions import workspace as workspace_module
from elsewhere.service import Step, score_album
from elsewhere.service.export import export_album
from tests.app.server import PHOTOS, Made, RunningServer, make, running_server
from tests.journeys.app_journey import PLANNED

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]
PATIENCE_MS = 90_000
"""These wait for each other and not for the clock, so they may be patient."""


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Made:
    made = make(tmp_path_factory.mktemp("again"), PHOTOS, seed=15)
    (made.folder / "broken.jpg").write_bytes(b"\xff\xd8 and no more")
    return made


@pytest.fixture
def server(album: Made) -> Iterator[RunningServer]:
    with running_server(album.scorer) as found:
        yield found


class Gate:
    """Holds a job up at one of its steps until it is opened."""

    def __init__(self, stage: str, count: int) -> None:
        self.open = threading.Event()
        self._stage, self._count = stage, count

    def wrap(self, progress: Callable[[Step], None]) -> Callable[[Step], None]:
        def told(step: Step) -> None:
            progress(step)
            if step.stage == self._stage and step.done >= self._count:
                assert self.open.wait(PATIENCE_MS / 1000)

        return told

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def held(*args: Any, progress: Callable[[Step], None], **more: Any) -> Any:
            return work(*args, progress=self.wrap(progress), **more)

        return held


@contextmanager
def opened(browser: Browser, server: RunningServer) -> Iterator[Page]:
    address = Running(f"{server.home}/#token={server.workspace.keys.token()}", 0)
    with window(browser, address) as page:
        page.set_default_timeout(PATIENCE_MS)
        yield page


@contextmanager
def complaining(browser: Browser, server: RunningServer) -> Iterator[Page]:
    """A page that may be refused something, and then says so on its console."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{server.home}/#token={server.workspace.keys.token()}")
    try:
        yield page
    finally:
        context.close()


def wait_for_text(page: Page, selector: str, text: str) -> None:
    page.locator(selector, has_text=text).first.wait_for()


def test_a_page_that_is_loaded_again_goes_on_with_the_reading(
    browser: Browser, server: RunningServer, album: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("scoring", 4)
    monkeypatch.setattr(workspace_module, "score_album", gate.around(score_album))
    with opened(browser, server) as page:
        page.wait_for_selector("[data-stage=empty]")
        page.fill("#path", str(album.folder))
        page.click("button[type=submit]:has-text('Open')")
        wait_for_text(page, "[data-stage=reading] h1", "Asking the model about each photo")
        wait_for_text(page, ".reading p", f"4 of {PHOTOS}")
        page.reload()
        wait_for_text(page, "[data-stage=reading] h1", "Asking the model about each photo")
        wait_for_text(page, ".reading p", f"4 of {PHOTOS}")
        assert page.get_attribute("[role=progressbar]", "aria-valuenow") == str(
            round(100 * 4 / PHOTOS)
        )
        page.locator("[role=gridcell] img").nth(3).wait_for()
        wait_for_text(page, ".legend summary", "1 file left out")
        gate.open.set()
        ready(page)
        assert page.locator("[role=gridcell]").count() == PHOTOS


def test_a_page_that_is_loaded_again_goes_on_with_the_export(
    browser: Browser,
    server: RunningServer,
    album: Made,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.open(album.folder)
    gate = Gate("proving", 2)
    monkeypatch.setattr("elsewhere.service.jobs.export_album", gate.around(export_album))
    with opened(browser, server) as page:
        ready(page)
        page.click("button:has-text('Export')")
        page.fill("dialog input.mono >> nth=0", str(tmp_path / "copy"))
        page.click("dialog button:has-text('Write')")
        wait_for_text(page, "dialog li.now", "Proving it on the written files")
        page.reload()
        wait_for_text(page, "dialog li.now", "Proving it on the written files")
        wait_for_text(page, "dialog li.now", "2 of ")
        assert page.locator("dialog li.done").count() == 1
        gate.open.set()
        page.wait_for_selector("dialog [data-exported]")
        assert len(list((tmp_path / "copy").iterdir())) == len(server.state()["plan"]["kept"])
        page.click("text=Verify again")
        page.wait_for_selector("[data-verified=true]")


def test_two_windows_see_each_other(browser: Browser, server: RunningServer, album: Made) -> None:
    """A tab that was duplicated has the same session: what one does, the other must not undo."""
    server.open(album.folder)
    one_out, other_out = server.state()["plan"]["kept"][:2]
    with complaining(browser, server) as first:
        ready(first)
        with first.expect_popup() as popup:
            first.evaluate("window.open('/')")
        second = popup.value
        second.set_default_timeout(PATIENCE_MS)
        ready(second)
        # a window that the browser focuses asks for the state: not this one, not yet
        second.evaluate(
            "addEventListener('focus', window.deaf = (event) => {"
            " if (event.target === window) event.stopImmediatePropagation() }, true)"
        )
        drop(first, one_out)
        # the other has not seen it: it is told, shows it, and does not overwrite it
        second.focus(f"[data-n='{other_out}']")
        second.keyboard.press("Delete")
        wait_for_text(second, ".notice", "try again")
        second.evaluate("removeEventListener('focus', window.deaf, true)")
        second.wait_for_selector(f"[data-n='{one_out}'][data-state=dropped]")
        assert server.state()["wishes"]["drop"] == [f"IMG_{one_out:04}.jpg"]
        drop(second, other_out)
        first.evaluate("dispatchEvent(new Event('focus'))")
        first.wait_for_selector(f"[data-n='{other_out}'][data-state=dropped]")
        # and one that comes to a closed album sees that
        first.click("[aria-label='Close the album']")
        first.click("dialog button:has-text('Close it')")
        first.wait_for_selector("[data-stage=empty]")
        second.evaluate("dispatchEvent(new Event('focus'))")
        second.wait_for_selector("[data-stage=empty]")


def drop(page: Page, n: int) -> None:
    page.focus(f"[data-n='{n}']")
    page.keyboard.press("Delete")
    page.wait_for_selector(f"[data-n='{n}'][data-state=dropped]")
    page.wait_for_selector(PLANNED)


TRIES = """
() => new Promise((done) => {
  const seen = []
  addEventListener('securitypolicyviolation', (event) => {
    seen.push(event.effectiveDirective)
    if (seen.length === 3) done(seen)
  })
  fetch('https://192.0.2.1/').catch(() => {})
  const script = document.createElement('script')
  script.textContent = 'window.ranInline = true'
  document.head.append(script)
  new Image().src = 'https://192.0.2.1/picture.png'
  setTimeout(() => done(seen), 20000)
})
"""


SCRIPTS = """
() => new Promise((done) => {
  const seen = []
  addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
  const run = 'window.ranForeign = true'
  setTimeout(() => eval(run))  // whatever the debugger runs itself may use it
  setTimeout(run)
  const script = document.createElement('script')
  script.src = 'data:text/javascript,' + run
  const button = document.createElement('button')
  button.setAttribute('onclick', run)
  const frame = document.createElement('iframe')
  frame.srcdoc = `<script>parent.${run}</` + 'script>'
  document.body.append(script, button, frame)
  button.click()
  try { new Worker(URL.createObjectURL(new Blob([run]))) } catch {}
  setTimeout(() => done(seen.sort()), 500)
})
"""


def test_no_foreign_script_runs_in_the_page(browser: Browser, server: RunningServer) -> None:
    """No policy keeps a script from WebRTC; so none must run."""
    with complaining(browser, server) as page:
        page.wait_for_selector("[data-stage=empty]")
        assert page.evaluate(SCRIPTS) == ["script-src"] * 2 + [
            "script-src-attr",
            "script-src-elem",
            "worker-src",
        ]
        assert page.evaluate("window.ranForeign") is None


def test_the_page_can_reach_nobody_else(browser: Browser, server: RunningServer) -> None:
    """Its policy is the browser's to keep: whatever got into the page sends nothing anywhere."""
    with complaining(browser, server) as page:
        page.wait_for_selector("[data-stage=empty]")
        assert sorted(page.evaluate(TRIES)) == ["connect-src", "img-src", "script-src-elem"]
        assert page.evaluate("window.ranInline") is None
