"""Every state of the app's page: axe-core finds nothing that keeps anybody out, nothing is wider
than the screen, and no byte comes from anywhere else."""

from __future__ import annotations

import gzip
import os
import re
import signal
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import app, ready, window

from elsewhere.app.api import server
from elsewhere.example import ALBUM
from elsewhere.report.colours import DARK, LIGHT, Palette
from tests.journeys.app_journey import PLANNED, VIEWS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow

WEB = Path(__file__).parents[2] / "web"
SETTLED = """() => !document.querySelector('[data-waiting]')
  && !document.getAnimations().some((moving) => moving instanceof CSSTransition)"""
"""Whether nothing is dimmed because its answer is on the way."""
CLOSE = "[aria-label='Close the album']"
CUT = """() => [...document.querySelectorAll('.side, .side .card, .photos, .legend, .verdict')]
  .filter((one) => one.scrollWidth > one.clientWidth)
  .concat([...document.querySelectorAll('*')].filter((one) => {
    const { overflowX, overflowY } = getComputedStyle(one)
    return overflowX === 'scroll' || overflowY === 'scroll'
  })).map((one) => one.className)"""
"""What is wider than its column, and what always has a scroll bar."""
STATES: dict[str, Callable[[Page], None]] = {}
Step = Callable[["Page"], None]


def state(step: Step) -> Step:
    """A state of an album that lies on the table."""
    STATES[step.__name__] = step
    return step


@state
def plan(page: Page) -> None:
    page.wait_for_selector(PLANNED)


@state
def the_promise_in_full(page: Page) -> None:
    page.click("summary:has-text('The promise in full')")
    page.wait_for_selector(".panel li")


@state
def pinned_and_dropped(page: Page) -> None:
    page.keyboard.press("Escape")
    page.click("[data-n='3'] img")
    page.wait_for_selector("[data-n='3'][data-state=kept]")
    page.focus("[data-n='4']")
    page.keyboard.press("Delete")
    page.wait_for_selector("[data-n='4'][data-state=dropped]")


@state
def several_selected(page: Page) -> None:
    page.focus("[data-n='0']")
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_selector("[data-selected='2']")


@state
def the_map(page: Page) -> None:
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-selected]", state="detached")
    _part(page, "Map")
    page.wait_for_selector("[data-when=after] .disc")
    page.wait_for_selector("input[type=range]")


@state
def a_large_map(page: Page) -> None:
    page.click("[aria-label='Large map']")
    page.wait_for_selector("dialog .map .disc")


@state
def wishes(page: Page) -> None:
    page.keyboard.press("Escape")
    _part(page, "What to hide")
    page.click("summary:has-text('More')")


@state
def a_wish_that_is_not_understood(page: Page) -> None:
    prior = page.locator("label:has-text('audience knows') input")
    prior.fill("Springfield")
    prior.press("Enter")
    page.wait_for_selector("[aria-label='Perhaps you meant'] button")


@state
def a_budget(page: Page) -> None:
    page.check("input[value=budget]", force=True)
    page.wait_for_selector("text=Number of photos (budget)")


@state
def a_close_look(page: Page) -> None:
    page.check("input[value=top]", force=True)
    _part(page, "Photos")
    page.focus("[data-n='5']")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .look")
    page.click("dialog summary:has-text('metadata')")


@state
def a_closer_look(page: Page) -> None:
    page.keyboard.press("+")
    page.wait_for_selector("dialog .frame.larger")


@state
def public_already(page: Page) -> None:
    page.keyboard.press("Escape")
    page.focus("[data-n='1']")
    page.keyboard.press("p")
    page.wait_for_selector("[data-n='1'][data-state=posted]")


@state
def to_be_taken_down(page: Page) -> None:
    page.focus("[data-n='8']")
    page.keyboard.press("p")
    page.wait_for_selector("[data-status=infeasible]")
    page.wait_for_selector(".against:has-text('Withholding cannot help any more')")


@state
def help_(page: Page) -> None:
    for _ in range(2):  # as quickly as anybody can
        page.keyboard.press("Control+z")
    page.wait_for_selector(".legend:not(:has-text('posted'))")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog kbd")


@state
def in_vain(page: Page) -> None:
    page.keyboard.press("Escape")
    _part(page, "Map")
    page.fill("input[type=range]", "1")
    page.wait_for_selector(".proof.vain")


@state
def infeasible(page: Page) -> None:
    page.keyboard.press("Control+z")
    page.wait_for_selector(".proof:not(.vain)")
    _part(page, "Photos")
    page.focus("[data-n='0']")
    for _ in range(12):
        page.keyboard.press(" ") if page.locator(":focus[data-state=kept]").count() == 0 else None
        page.keyboard.press("ArrowRight")
    page.wait_for_selector("[data-status=infeasible]")
    page.click("text=Remove all pins")
    page.wait_for_selector(PLANNED)
    page.keyboard.press("Control+z")
    page.wait_for_selector("[data-status=infeasible]")


@state
def an_export(page: Page) -> None:
    page.keyboard.press("Control+Shift+z")
    page.wait_for_selector(PLANNED)
    page.click("button:has-text('Export')")
    page.click("dialog summary")
    page.click("dialog >> text=Browse my folders")
    page.wait_for_selector("dialog .chooser")


@state
def an_export_that_is_refused(page: Page) -> None:
    target = page.input_value("dialog input.mono >> nth=0")
    page.fill("dialog input.mono >> nth=0", str(Path(target).parent))  # it exists
    page.click("dialog button:has-text('Write')")
    page.wait_for_selector("dialog [role=alert]")
    page.fill("dialog input.mono >> nth=0", target)


@state
def a_copy_that_was_proved_and_verified(page: Page) -> None:
    page.click("dialog button:has-text('Write')")
    page.wait_for_selector("[data-exported]", timeout=90_000)
    page.click("text=Verify again")
    page.wait_for_selector("[data-verified=true]", timeout=90_000)


@state
def a_copy_that_holds_no_more(page: Page) -> None:
    copy = Path(page.inner_text("dialog dd >> nth=0").strip())
    next(copy.iterdir()).write_bytes(b"spoiled")
    page.click("text=Verify again")
    page.wait_for_selector("[data-verified=false]", timeout=90_000)


@state
def another_copy(page: Page) -> None:
    """A copy from before is not taken for the one that is asked for now."""
    page.click("dialog [aria-label=Close]")
    page.click("button:has-text('Export')")
    page.wait_for_selector("dialog:has-text('Your last copy is')")
    assert page.locator("dialog button:has-text('Write')").count()
    page.click("dialog button:has-text('Show it')")
    page.wait_for_selector("dialog [data-exported]")
    page.click("dialog button:has-text('Another copy')")
    page.wait_for_selector("dialog:has-text('Your last copy is')")


@state
def a_plan_that_is_not_proved(page: Page) -> None:
    """The example is proved at once, so the page is told otherwise."""

    def unproved(route: Route) -> None:
        told = route.fetch().json()
        told["plan"].update(status="feasible", proved=False, proof="3 photos withheld so far")
        route.fulfill(json=told)

    page.route("**/api/table", unproved)
    page.reload()
    page.wait_for_selector("[data-status=feasible]")
    page.unroute("**/api/table")


@state
def something_that_is_refused(page: Page) -> None:
    page.route(
        "**/api/wishes*",
        lambda route: route.fulfill(
            status=400, json={"error": "there is no such place: give another"}
        ),
    )
    page.focus("[data-n='2']")
    page.keyboard.press(" ")
    page.wait_for_selector("text=there is no such place")
    page.unroute("**/api/wishes*")


@state
def a_plan_that_another_job_took_over(page: Page) -> None:
    """Reading the text stops a plan and makes it again while the page waits for its answer."""
    taken = "**/api/jobs/taken/events"
    stopped = '{"error": "it was stopped", "stopped": true}\n'
    page.route(taken, lambda route: route.fulfill(body=stopped))

    def pending(route: Route) -> None:
        job = {"id": "taken", "kind": "proof", "state": "running"}
        route.fulfill(json=route.fetch().json() | {"plan": None, "pending": True, "job": job})

    page.route("**/api/wishes*", pending)
    page.focus("[data-n='2']")
    with page.expect_response(taken):
        page.keyboard.press(" ")
    page.wait_for_selector(PLANNED)
    page.wait_for_timeout(250)
    assert not page.locator(".notice").count(), "that one job replaces another is no news"
    page.unroute("**/api/wishes*")


@state
def an_undo_while_a_plan_is_taken_over(page: Page) -> None:
    """The undo's answer counts: a state that is asked for before it would be older."""
    held: dict[str, Route] = {}
    tables: list[str] = []
    taken, job = "**/api/jobs/held/events", {"id": "held", "kind": "proof", "state": "running"}

    def pending(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | {"plan": None, "pending": True, "job": job})

    page.route(taken, lambda route: held.update(events=route))
    page.route("**/api/wishes*", pending)
    page.route("**/api/undo*", lambda route: held.update(undo=route))
    page.focus("[data-n='2']")
    with page.expect_request(taken):
        page.keyboard.press(" ")
    with page.expect_request("**/api/undo*"):
        page.click("[aria-label=Undo]")
    page.on("request", lambda asked: tables.append(asked.url))
    with page.expect_response(taken):
        held["events"].fulfill(body='{"error": "it was stopped"}\n')
    page.wait_for_timeout(250)
    assert not [url for url in tables if url.endswith("/api/table")]
    assert page.locator("[data-waiting]").count()
    held["undo"].continue_()
    page.wait_for_selector(".page:not([data-waiting])")
    page.wait_for_selector(PLANNED)
    for pattern in (taken, "**/api/wishes*", "**/api/undo*"):
        page.unroute(pattern)


def looks(*usual: tuple[str, str]) -> list[object]:
    """Both widths in both themes; the usual ones always, the others in the long run."""
    every = [(view, scheme) for view in VIEWS for scheme in ("light", "dark")]
    return [pytest.param(*one, marks=() if one in usual else pytest.mark.long) for one in every]


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("view", "scheme"), looks(("desk", "light")))
def test_no_state_of_an_album_keeps_anybody_out(
    browser: Browser, tmp_path: Path, view: str, scheme: str
) -> None:
    width, height = VIEWS[view]
    with (
        app(tmp_path, [ALBUM]) as address,
        window(
            browser, address, width=width, height=height, unguarded=True, refused=True,
            scheme="dark" if scheme == "dark" else "light",
        ) as page,
    ):  # fmt: skip
        ready(page)
        for name, step in STATES.items():
            step(page)
            _open_to_all(page, name)


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("view", "scheme"), looks(("phone", "dark")))
def test_no_other_state_does(browser: Browser, tmp_path: Path, view: str, scheme: str) -> None:
    width, height = VIEWS[view]
    bare, poor = tmp_path / "bare", tmp_path / "poor"
    _without_places(bare)
    poor.mkdir()
    (poor / "cut.jpg").write_bytes(b"\xff\xd8 and no more")
    (poor / "notes.txt").write_text("no photo", "utf-8")
    with (
        app(tmp_path) as address,
        window(
            browser, address, width=width, height=height, unguarded=True, refused=True, ending=True,
            scheme="dark" if scheme == "dark" else "light",
        ) as page,
    ):  # fmt: skip
        page.wait_for_selector("[data-stage=empty]")
        assert not page.locator(CLOSE).count(), "there is no album to close"
        _open_to_all(page, "empty")
        page.click("text=Browse my folders")
        page.wait_for_selector(".chooser .folder")
        _open_to_all(page, "folders")
        page.fill("#path", str(bare))
        page.click("button[type=submit]:has-text('Open')")
        page.wait_for_selector("[data-stage=reading], [data-stage=ready]")
        _open_to_all(page, "reading")
        page.wait_for_selector("[data-stage=ready]")
        page.click("button:has-text('Say where it was')")
        page.wait_for_selector("#where:focus")
        _open_to_all(page, "nowhere")
        page.fill("[aria-label='Where the album was taken']", "Lissabonn")
        page.keyboard.press("Enter")
        page.wait_for_selector("#at-problem:has-text('no place is called')")
        page.wait_for_selector("#where:focus[aria-describedby=at-problem]")
        _open_to_all(page, "a place that nobody knows")
        page.fill("[aria-label='Where the album was taken']", "Arles")
        page.click("button:has-text('Set')")
        page.wait_for_selector("[data-status]")
        page.click(CLOSE)
        page.wait_for_selector("dialog")
        _open_to_all(page, "close it?")
        page.click("dialog button:has-text('Close it')")
        page.fill("#path", str(tmp_path / "nothing-here"))
        assert not page.locator(".notice").count(), "what is asked for meanwhile is no news"
        page.click("button[type=submit]:has-text('Open')")
        page.wait_for_selector("[data-stage=failed] #path-problem")
        _open_to_all(page, "a wrong path")
        page.reload()
        page.wait_for_selector("[data-stage=failed]")
        _open_to_all(page, "failed")
        assert not page.locator(CLOSE).count(), "there is no album to close"
        page.click("text=Choose other photos")
        page.fill("#path", str(poor))
        page.click("button[type=submit]:has-text('Open')")
        page.wait_for_selector("h1:has-text('No photo could be read')")
        _open_to_all(page, "no photo")
        page.click("text=Choose other photos")
        page.set_input_files("input[type=file]", [ALBUM / "fig.jpg", ALBUM / "arles-arena.jpg"])
        page.wait_for_selector("[data-stage=ready] [data-n='1']")
        secret = page.evaluate("localStorage.getItem('elsewhere-session')")
        page.evaluate("localStorage.clear()")
        page.reload()
        page.wait_for_selector("[data-stage=locked]")
        _open_to_all(page, "locked")
        page.evaluate("(one) => localStorage.setItem('elsewhere-session', one)", secret)
        page.reload()
        page.wait_for_selector("[data-stage=ready] [data-n='1']")
        os.kill(address.process, signal.SIGTERM)
        page.wait_for_selector("[data-gone=ended] ~ dialog")
        _open_to_all(page, "ended")
        page.click("dialog button:has-text('Back to the page')")
        _open_to_all(page, "what it said last")


def test_the_page_weighs_little_and_asks_nobody() -> None:
    """What is served, that is: the terms of what is inside lie beside it, for whoever unpacks."""
    served = {path: file for path, file in server.page_files().items() if path != "/"}
    assert {"/index.html", "/page.js", "/index.css"} <= set(served)
    weight = sum(len(gzip.compress(file.content)) for file in served.values())
    assert weight <= 400_000
    for path, file in served.items():
        text = file.content.decode("utf-8")
        elsewhere = set(re.findall(r"https?://[^\s\"'`)]+", text))
        # names of formats, which nobody fetches, and where an error of the framework is explained
        named = {
            one
            for one in elsewhere
            if re.match(r"http://www\.w3\.org/|https://svelte\.dev/e/", one)
        }
        assert elsewhere == named, f"{path} names {elsewhere - named}"
        assert "style=" not in text or path.endswith(".js")


def test_the_page_has_the_colours_of_the_report() -> None:
    style = (WEB / "src" / "style.css").read_text("utf-8")
    light, dark, chosen = re.findall(r"\{([^{}]*--ground:[^{}]*)\}", style)
    assert _colours(light) == _palette(LIGHT)
    assert _colours(dark) == _colours(chosen) == _palette(DARK)


def _colours(rules: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", rules))


def _palette(palette: Palette) -> dict[str, str]:
    return {field.name: getattr(palette, field.name) for field in fields(palette)}


def _open_to_all(page: Page, name: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_function(SETTLED)
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    told = [f"{one['id']}: {[node['html'] for node in one['nodes']][:3]}" for one in found]
    assert not told, f"{name}: {told}"
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{name} is {wide} pixels wider than the screen"
    cut = page.evaluate(CUT)
    assert not cut, f"{name} cuts off or has an empty scroll bar: {cut}"


def _part(page: Page, name: str) -> None:
    if page.locator("nav").count():
        page.click(f"nav button:has-text('{name}')")


def _without_places(folder: Path) -> None:
    from PIL import Image

    folder.mkdir()
    for name in ("arles-arena.jpg", "bridge.jpg", "fig.jpg"):
        with Image.open(ALBUM / name) as photo:
            photo.save(folder / name)
