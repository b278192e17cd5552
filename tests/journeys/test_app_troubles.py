"""What goes wrong is said where it happened, and says what to do: a server that ended, a field that
was filled in wrongly, a folder without a photo."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import Running, app, ready, window

from tests.app.server import PHOTOS, Made, RunningServer, make, running_server
from tests.journeys.app_journey import PLANNED, VIEWS, answered, plan_version

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, Browser, Page, Route

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]
PATIENCE_MS = 100_000


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("troubles"), PHOTOS, seed=15)


@contextmanager
def doomed(browser: Browser, program: Running) -> Iterator[Page]:
    """A window whose server goes: its browser complains of that, and may."""
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    try:
        page.goto(program.address)
        yield page
    finally:
        context.close()


@contextmanager
def opened(browser: Browser, server: RunningServer, view: str = "desk") -> Iterator[Page]:
    address = Running(f"{server.home}/#token={server.workspace.keys.token()}", 0)
    width, height = VIEWS[view]
    with window(browser, address, width=width, height=height, refused=True) as page:
        page.set_default_timeout(PATIENCE_MS)
        yield page


def test_a_server_that_ends_is_missed_without_a_click(
    browser: Browser, album: Made, tmp_path: Path
) -> None:
    program = app(tmp_path, [album.folder], scorers=[album.scorer])
    with program as running, doomed(browser, running) as page:
        ready(page)
        page.click("[data-n='0'] img")
        page.wait_for_selector("[data-n='0'][data-state=kept]")
        # nothing is under way that would notice it by itself
        page.wait_for_selector("[aria-labelledby=frontier-title][aria-busy=false] .point >> nth=5")
        page.wait_for_timeout(500)
        assert page.locator("[data-gone]").count() == 0
        os.kill(running.process, signal.SIGTERM if sys.platform == "win32" else signal.SIGINT)
        page.wait_for_selector("[data-gone=ended]")
        said = page.inner_text("dialog")
        for words in (
            "elsewhere has ended",
            "Nothing was written, and no original was touched.",
            "It is closed, and with it what you decided about 1 photo.",
            "Run elsewhere app in a terminal again",
        ):
            assert words in said, said
        assert page.locator(".notice").count() == 0, "it is said once"
        # the table can be read, and whoever clicks there is told once more
        page.click("dialog button:has-text('Back to the page')")
        page.wait_for_selector(".ended:has-text('this is what it said last')")
        states = "[...document.querySelectorAll('[data-n]')].map((one) => one.dataset.state)"
        before = page.evaluate(states)
        page.click("[data-n='1'] img")
        page.wait_for_selector("dialog:has-text('elsewhere has ended')")
        assert page.evaluate(states) == before
        # whoever answers there later is somebody else
        assert page.locator("dialog button:has-text('Check again')").count() == 0


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a process is paused by a signal")
def test_a_server_that_is_paused_is_waited_for(
    browser: Browser, album: Made, tmp_path: Path
) -> None:
    program = app(tmp_path, [album.folder], scorers=[album.scorer])
    with program as running, doomed(browser, running) as page:
        ready(page)
        os.kill(running.process, signal.SIGSTOP)
        try:
            page.wait_for_selector("[data-gone=silent] ~ dialog:has-text('does not answer')")
            assert "Nothing is lost" in page.inner_text("dialog")
        finally:
            os.kill(running.process, signal.SIGCONT)
        page.wait_for_selector("dialog", state="detached")
        page.click("[data-n='0'] img")
        page.wait_for_selector("[data-n='0'][data-state=kept]")


def test_a_page_that_is_answered_does_not_knock(browser: Browser, album: Made) -> None:
    """Whoever clicks pays nothing for the watch; whoever only looks, one small request now and
    then."""
    with running_server(album.scorer) as server, opened(browser, server) as page:
        server.open(album.folder)
        page.reload()
        ready(page)
        asked: list[str] = []
        page.on("request", lambda one: asked.append(one.url.rpartition("/")[2]))
        for n in range(8):
            page.click(f"[data-n='{n % 4}'] img")
            page.wait_for_timeout(450)
        assert "alive" not in asked
        with page.expect_request("**/api/alive"):
            pass


def test_a_wrong_wish_is_told_at_its_field(browser: Browser, album: Made) -> None:
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            ready(page)
            told = page.inner_text("h1")
            page.click("summary:has-text('More')")
            prior = page.locator("label:has-text('audience knows') input")
            prior.fill("United Kingdomm")
            prior.press("Enter")
            _told_at(page, "prior-problem", "no place is called 'United Kingdomm'")
            assert prior.input_value() == "United Kingdomm", "a slip costs one letter"
            assert prior.evaluate("(node) => node === document.activeElement")
            assert page.inner_text("h1") == told and page.locator(".notice").count() == 0
            version = plan_version(page)
            page.click("[aria-label='Perhaps you meant'] button:has-text('United Kingdom')")
            answered(page, version)
            assert prior.input_value() == "United Kingdom"
            assert page.locator("#prior-problem").count() == 0
            top = page.locator("input[aria-label='Not among the first']")
            for typed, words in (("0", "whole number from 1"), ("100000", "out of reach")):
                top.fill(typed)
                top.press("Enter")
                _told_at(page, "top-problem", words)
                assert top.input_value() == typed
            # what is told of another field takes the slip out of this one
            prior.fill("Narnia")
            prior.press("Enter")
            _told_at(page, "prior-problem", "no place is called 'Narnia'")
            assert top.input_value() == "5" and page.locator("#top-problem").count() == 0
            version = plan_version(page)
            page.click(".tops button:has-text('3')")
            page.wait_for_selector("#prior-problem", state="detached")
            answered(page, version)
            version = plan_version(page)
            page.check("input[value=budget]", force=True)
            answered(page, version)
            budget = page.locator("label:has-text('(budget)') input")
            budget.fill("400")
            budget.press("Enter")
            _told_at(page, "budget-problem", f"the album has {PHOTOS} photos")
            attacker = page.locator("[aria-label='Another attacker']")
            attacker.fill("nobody")
            attacker.press("Enter")
            _told_at(page, "scorers-problem", "nobody")
            assert attacker.input_value() == "nobody"


def test_a_wrong_path_of_a_copy_is_told_at_its_field(
    browser: Browser, album: Made, tmp_path: Path
) -> None:
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            ready(page)
            page.click("button:has-text('Export')")
            target, private = (page.locator(f"dialog input.mono >> nth={n}") for n in (0, 1))
            target.fill(str(album.folder / "inside"))
            target.press("Enter")
            _told_at(page, "export-problem", "inside")
            assert target.evaluate("(node) => node === document.activeElement")
            assert target.get_attribute("aria-invalid") == "true"
            assert private.get_attribute("aria-invalid") == "false"
            target.fill(str(tmp_path / "copy"))
            page.click("dialog summary:has-text('More')")
            private.fill(str(tmp_path / "copy" / "private"))
            private.press("Enter")
            page.wait_for_selector("dialog details [role=alert]:has-text('must not lie in')")
            assert private.get_attribute("aria-invalid") == "true"
            assert target.get_attribute("aria-invalid") == "false"
            assert not (tmp_path / "copy").exists()


def test_a_folder_without_a_photo_says_what_is_in_it(
    browser: Browser, album: Made, tmp_path: Path
) -> None:
    empty, poor = tmp_path / "empty", tmp_path / "poor"
    empty.mkdir()
    poor.mkdir()
    (poor / "cut.jpg").write_bytes(b"\xff\xd8 and no more")
    (poor / "notes.txt").write_text("no photo")
    (poor / "list.txt").write_text("none either")
    with running_server(album.scorer) as server, opened(browser, server, "phone") as page:
        page.fill("#path", str(empty))
        page.click("button[type=submit]:has-text('Open')")
        page.wait_for_selector("h1:has-text('There is no photo here')")
        assert "There is no file in empty." in page.inner_text("main")
        page.click("text=Choose other photos")
        assert page.input_value("#path") == str(empty), "what was typed stays"
        page.fill("#path", str(poor))
        page.click("button[type=submit]:has-text('Open')")
        page.wait_for_selector("h1:has-text('No photo could be read')")
        said = page.inner_text("main")
        assert "There are 3 files in poor, and no photo among them can be read." in said
        assert said.index("cut.jpg") < said.index("list.txt"), "what is missed comes first"
        assert "· 2 files" in said
        # photos are put there: the same folder once more
        for photo in sorted(album.folder.iterdir())[:3]:
            (poor / photo.name).write_bytes(photo.read_bytes())
        page.reload()
        page.wait_for_selector("h1:has-text('No photo could be read')")
        page.click("text=Choose other photos")
        page.fill("#path", str(poor))
        page.click("button[type=submit]:has-text('Open')")
        ready(page)
        assert page.locator("[role=gridcell]").count() == 3


def _longest(route: Route) -> None:
    """As many words as a plan may have, whatever number is drawn in secret."""
    told = route.fetch().json()
    if told["plan"]["status"] != "infeasible":
        told["plan"].update(
            status="feasible",
            proved=False,
            advice="Nearly all photos are withheld; to share more, ask for less: no margin shares "
            "7 of 12 photos, counting only the first guess 5",
            proof="10 photos withheld and 1 dropped: the best so far, at least 9 must go for 5 "
            "guesses or more (how many, up to 12, stays secret)",
        )
        found = told["plan"]["headline"].partition(";")[0]
        told["plan"]["headline"] = (
            f"{found}; withhold 10 of {PHOTOS} photos and it is not among the first 100."
        )
    route.fulfill(json=told)


@pytest.mark.parametrize("crowd", [0, PHOTOS], ids=["a plan", "no plan"])
def test_a_phone_shows_the_verdict_and_photos_at_once(
    browser: Browser, album: Made, crowd: int
) -> None:
    with running_server(album.scorer) as server:
        told = server.open(album.folder)
        ids = [photo["id"] for photo in told["album"]["photos"]][:crowd]
        server.client.put("/api/wishes", json={**told["wishes"], "keep": ids})
        server.final_state()
        with opened(browser, server, "phone") as page:
            ready(page)
            page.route("**/api/table", _longest)
            page.reload()
            ready(page)
            page.wait_for_selector("[data-status=infeasible]" if crowd else PLANNED)
            page.wait_for_timeout(300)
            head = page.locator("section.verdict").bounding_box()
            first = page.locator("[data-n='0']").bounding_box()
            bar = page.locator("nav").bounding_box()
            assert head and first and bar
            assert head["y"] >= 0 and first["y"] + first["height"] <= bar["y"]
            assert first["y"] <= VIEWS["phone"][1] * (0.4 if crowd else 0.36), first


def test_a_table_that_comes_late_takes_no_click_back(browser: Browser, album: Made) -> None:
    """After a wish that was refused the page looks at the table anew; somebody may be quicker."""
    late: list[tuple[Route, APIResponse]] = []
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            ready(page)
            page.click("summary:has-text('More')")
            page.route("**/api/table", lambda route: late.append((route, route.fetch())))
            prior = page.locator("label:has-text('audience knows') input")
            prior.fill("Narnia")
            prior.press("Enter")
            _told_at(page, "prior-problem", "Narnia")
            page.wait_for_timeout(200)
            version = plan_version(page)
            page.click("[data-n='0'] img")
            answered(page, version)
            page.wait_for_selector("[data-n='0'][data-state=kept]")
            assert late, "the page did not look"
            for route, told in late:
                route.fulfill(response=told)
            page.wait_for_timeout(300)
            assert page.locator("[data-n='0'][data-state=kept]").count() == 1


def _told_at(page: Page, described: str, words: str) -> None:
    """It stands at the field that is described by it, and is read out."""
    page.wait_for_selector(f"#{described}:has-text({words!r})")
    page.wait_for_selector(f"[aria-describedby='{described}'][aria-invalid='true']")
    told = page.locator(f"[role=alert] #{described}, [role=alert]#{described}")
    assert told.count() == 1
    box, height = told.bounding_box(), VIEWS["desk"][1]
    assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, "it is in sight"


@pytest.mark.parametrize("view", ["desk", "phone"])
def test_a_photo_that_is_public_already_is_marked_and_never_withheld(
    browser: Browser, album: Made, view: str
) -> None:
    with running_server(album.scorer) as server:
        told = server.open(album.folder)
        out = told["plan"]["withheld"][0]
        with opened(browser, server, view) as page:
            ready(page)
            tile = page.locator(f"[data-n='{out}']")
            if view == "desk":
                tile.focus()
                page.keyboard.press("p")
            else:
                tile.locator("[aria-label$='is public already']").tap()
            page.wait_for_selector(f"[data-n='{out}'][data-state=posted]")
            answered_all(page)
            now = server.final_state()["plan"]
            page.wait_for_selector(f"[data-status=optimal][data-version='{now['version']}']")
            assert "posted" in (tile.get_attribute("aria-label") or "")
            assert "1 posted" in page.inner_text("[aria-label='Photos by state']")
            # neither a pin nor a bin changes what is out
            tile.locator("img").click()
            page.wait_for_selector(".notice:has-text('neither pinned nor dropped')")
            assert tile.get_attribute("data-state") == "posted"
            page.click("button:has-text('Export')")
            written = re.search(r"Write (\d+) photo", page.inner_text("dialog footer"))
            assert out in now["kept"]
            assert written and int(written[1]) == len(now["kept"]) - 1
            page.keyboard.press("Escape")
            page.click("[aria-label=Undo]")
            page.wait_for_selector(f"[data-n='{out}'][data-state=withheld]")


def test_what_is_out_and_breaks_the_promise_is_named(browser: Browser, album: Made) -> None:
    with running_server(album.scorer) as server:
        told = server.open(album.folder)
        ids = [photo["id"] for photo in told["album"]["photos"]][:-1]
        wishes = {**told["wishes"], "posted": ids, "each_photo": False, "exact_top": True}
        server.client.put("/api/wishes", json=wishes)
        server.final_state()
        with opened(browser, server, "phone") as page:
            ready(page)
            page.wait_for_selector("h1:has-text('with what is public already, no plan hides that')")
            page.click("summary:has-text('Why')")
            said = page.inner_text(".panel")
            assert "Withholding cannot help any more" in said and "taking down" in said
            page.keyboard.press("Escape")
            page.click("button:has-text('Undo the last')")
            page.wait_for_selector(PLANNED)


def test_an_album_is_not_closed_under_a_click_that_is_being_answered(
    browser: Browser, album: Made
) -> None:
    """Whoever pins and closes at once is asked as well: the pin would be lost with it."""
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            ready(page)
            held: list[Route] = []

            def hold(route: Route) -> None:
                held.append(route)

            page.route("**/api/wishes*", hold)
            page.click("[data-n='0'] img")
            page.wait_for_selector("[data-n='0'][data-state=kept]")
            page.click("[aria-label='Close the album']")
            page.wait_for_selector("dialog:has-text('Close the album?')")
            held[0].continue_()
            page.click("dialog button:has-text('Keep the album')")
            page.wait_for_selector("[aria-label=Undo]:enabled")


def test_undo_may_be_pressed_as_quickly_as_anybody_likes(browser: Browser, album: Made) -> None:
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            ready(page)
            states = "[...document.querySelectorAll('[data-n]')].map((one) => one.dataset.state)"
            before = page.evaluate(states)
            for n in range(3):
                page.focus(f"[data-n='{n}']")
                page.keyboard.press("Delete")
                page.wait_for_selector("[aria-label=Undo]:enabled")
            page.wait_for_selector("[data-n='2'][data-state=dropped]")
            answered_all(page)
            for _ in range(3):
                page.keyboard.press("Control+z")
            page.wait_for_selector("[aria-label=Undo]:disabled")
            assert page.evaluate(states) == before
            assert page.locator(".notice").count() == 0


def answered_all(page: Page) -> None:
    """Whatever was wished is answered."""
    page.wait_for_selector(".page:not([data-waiting])")


def test_a_copy_that_was_cut_off_is_not_said_to_be_nowhere(
    browser: Browser, album: Made, tmp_path: Path
) -> None:
    """Nobody knows whether it was finished: it is whole then, or it is not there."""
    with running_server(album.scorer) as server:
        server.open(album.folder)
        address = Running(f"{server.home}/#token={server.workspace.keys.token()}", 0)
        with doomed(browser, address) as page:
            ready(page)
            begun = '{"stage": "writing", "count": 1, "total": 2}\n'
            page.route("**/api/jobs/*/events", lambda route: route.fulfill(body=begun))
            page.click("button:has-text('Export')")
            page.fill("dialog input.mono >> nth=0", str(tmp_path / "copy"))
            page.route("**/api/alive", lambda route: route.abort("connectionrefused"))
            page.click("dialog button:has-text('Write')")
            page.wait_for_selector("[data-gone=ended] ~ dialog:has-text('elsewhere has ended')")
            said = page.inner_text("dialog:has-text('elsewhere has ended')")
            assert "Nothing was written" not in said
            assert f"whole, or not at all. Look for {tmp_path / 'copy'}" in said
        server.final_state()


def test_a_server_that_does_not_know_the_window_is_asked_no_more(
    browser: Browser, album: Made
) -> None:
    """Another one may have been started at the same port."""
    with running_server(album.scorer) as server:
        address = Running(f"{server.home}/#token={server.workspace.keys.token()}", 0)
        with doomed(browser, address) as page:
            page.wait_for_selector("[data-stage=empty]")
            asked: list[str] = []

            def outsider(route: Route) -> None:
                asked.append(route.request.url)
                route.fulfill(status=401, json={"error": "this window is not connected"})

            page.route("**/api/alive", outsider)
            page.wait_for_selector("[data-stage=locked]")
            page.wait_for_timeout(3_500)
            assert len(asked) == 1 and page.locator("dialog").count() == 0


def test_a_frontier_without_a_point_says_why(browser: Browser, album: Made) -> None:
    with running_server(album.scorer) as server:
        server.open(album.folder)
        with opened(browser, server) as page:
            page.route("**/api/frontier", lambda route: route.fulfill(body='{"done": true}\n'))
            ready(page)
            page.wait_for_selector("text=No smaller number hides it.")
