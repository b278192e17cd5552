"""What a person does with the app, step by step, in a real browser; each step is checked.

`python -m tests.journeys.app_journey FOLDER VIEW …` walks the whole way, so that it can be walked
where there is no network as well.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.app.window import app, chromium, ready, window

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

VIEWS = {"desk": (1280, 860), "phone": (390, 844)}
FOCUSED = """() => {
  const focused = document.activeElement
  return focused.tagName === 'BUTTON' ? focused.innerText : ''
}"""
THUMB = """() => {
  const slider = document.querySelector('input[type=range]')
  const { left, width } = slider.getBoundingClientRect()
  const ring = document.querySelector('.ring').getBoundingClientRect()
  const along = (slider.value - slider.min) / (slider.max - slider.min)
  return [left + 8 + along * (width - 16), ring.left + ring.width / 2]
}"""
"""Where the thumb is, 16 pixels wide, and where the ringed point is."""
PLANNED = "[data-status=optimal], [data-status=feasible]"


def walk(browser: Browser, home: Path, view: str) -> None:
    """The whole way, from an empty table to a copy that was verified."""
    width, height = VIEWS[view]
    with (
        app(home, cache=True) as address,
        window(browser, address, width=width, height=height) as page,
    ):
        keys = view == "desk"
        opens_the_example(page, by_keys=keys)
        pins_and_drops(page, by_keys=keys)
        selects_several(page, by_keys=keys)
        reads_the_map(page)
        slides(page)
        exports(page, home / f"copy-{view}", by_keys=keys)
        comes_back(page)


def presses(page: Page, name: str, *, by_keys: bool) -> None:
    """A button by a click, or by no other keys than Tab and Enter."""
    if not by_keys:
        page.click(f"button:has-text('{name}')")
        return None
    for _ in range(150):
        page.keyboard.press("Tab")
        if name in page.evaluate(FOCUSED):
            return page.keyboard.press("Enter")
    raise AssertionError(f"no Tab leads to {name}")


def opens_the_example(page: Page, *, by_keys: bool = False) -> None:
    """The first plan is on the screen, and says which place it hides."""
    presses(page, "Try the example album", by_keys=by_keys)
    ready(page)
    settled(page)
    assert "within 25 km of Tarascon, France; withhold" in page.inner_text("h1")
    told = page.inner_text("body")
    assert not re.findall(r"(?i)\b(?:top|greedy|nats?|decoys?|beliefs?|embedded)\b", told), told
    assert page.locator("[role=gridcell]").count() >= 6
    assert page.locator("[data-state=withheld]").count() >= 2
    assert "#" not in page.url, "the token must not stay in the address"


def pins_and_drops(page: Page, *, by_keys: bool) -> None:
    """A withheld photo is pinned, a shared one dropped, and both are undone; the plan answers."""
    before = _states(page)
    out = next(n for n, state in before.items() if state == "withheld")
    kept = next(n for n, state in before.items() if state == "shared")
    version = plan_version(page)
    if by_keys:
        page.focus(f"[data-n='{out}']")
        page.keyboard.press(" ")
    else:
        page.tap(f"[data-n='{out}'] img")
    answered(page, version)
    assert _states(page)[out] == "kept"
    version = plan_version(page)
    if by_keys:
        page.focus("[data-n='0']")
        for _ in range(int(kept)):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Delete")
    else:
        page.tap(f"[data-n='{kept}'] [aria-label^=Drop]")
    answered(page, version)
    assert _states(page)[kept] == "dropped" and _states(page)[out] == "kept"
    for _ in range(2):
        version = plan_version(page)
        if by_keys:
            page.keyboard.press("Control+z")
        else:
            page.tap("[aria-label=Undo]")
        answered(page, version)
    assert _states(page) == before, "undone is as it was"
    assert page.is_enabled("[aria-label=Redo]")


def selects_several(page: Page, *, by_keys: bool) -> None:
    """Three photos are dropped at once, and one undo takes all of it back."""
    before, version = _states(page), plan_version(page)
    if by_keys:
        page.focus("[data-n='0']")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Shift+ArrowLeft")
    else:
        page.tap("button:has-text('Select')")
        for n in range(3):
            page.tap(f"[data-n='{n}'] img")
    page.wait_for_selector("[data-selected='3']:has-text('3 selected')")
    assert page.locator("[role=gridcell][aria-selected=true]").count() == 3
    presses(page, "Drop", by_keys=by_keys)
    answered(page, version)
    assert {_states(page)[str(n)] for n in range(3)} == {"dropped"}
    version = plan_version(page)
    page.keyboard.press("Escape") if by_keys else page.tap("button:has-text('Clear')")
    page.wait_for_selector("[data-selected]", state="detached")
    page.keyboard.press("Control+z") if by_keys else page.tap("[aria-label=Undo]")
    answered(page, version)
    assert _states(page) == before, "one undo takes all of it back"


def reads_the_map(page: Page) -> None:
    """Belief before and after, circles, the decoys by name."""
    _part(page, "Map")
    page.wait_for_selector("[data-when=after] .decoy")
    after = page.inner_text(".words >> nth=0")
    assert page.locator("[data-when=after] .disc").count() > 3
    assert page.get_attribute("[data-when=after] .h4", "d"), "where it would be guessed is warm"
    assert page.get_attribute("[data-when=after] .zone", "d")
    assert "guessed instead: " in page.inner_text(".key >> nth=0")
    page.check("input[value=before]", force=True)
    page.wait_for_selector("[data-when=before] .disc")
    assert "First guess: Tarascon" in page.inner_text(".words >> nth=0") != after
    page.check("input[value=after]", force=True)
    assert page.locator("[data-when=after] .name").count() > 1, "decoys are named on the map"
    page.click("[aria-label='Zoom out']")
    page.wait_for_selector("[aria-label='Zoom out']:disabled")
    while page.locator("[aria-label='Zoom in']:enabled").count():
        page.click("[aria-label='Zoom in']")
    circle = page.locator(".map .zone").bounding_box()
    assert circle and circle["width"] > 40, "a circle of 25 km can be seen"
    page.click("[aria-label='Large map']")
    page.wait_for_selector("dialog .map .zone")
    page.keyboard.press("0")
    page.wait_for_selector("dialog .decoy")
    page.click("dialog [aria-label=Close]")


def slides(page: Page) -> None:
    """One photo more buys a higher top; greedy's number stands beside it."""
    slider = page.locator("input[type=range]")
    slider.wait_for()
    page.wait_for_selector(".point >> nth=8")
    greedy = r"most telling first (would need \d+ photos|finds no such plan|does as well here)\."
    assert re.search(greedy, side(page)), side(page)
    thumb, point = page.evaluate(THUMB)
    assert abs(thumb - point) <= 2, "the slider's thumb is below the chosen point"
    now, version = int(slider.input_value()), plan_version(page)
    slider.press("ArrowRight")
    answered(page, version)
    settled(page)
    assert int(slider.input_value()) == now + 1
    # a plan within the budget may withhold no more than before
    words = r"withhold (\d+) of 12 photos and none of the first (\d+) does"
    told = re.search(words, page.inner_text("h1"))
    assert told and now <= int(told[1]) <= now + 1 and int(told[2]) >= 5, page.inner_text("h1")


def exports(page: Page, target: Path, *, by_keys: bool) -> None:
    """The copy is written, proved and verified; its report opens; a spoiled copy is found out."""
    presses(page, "Export", by_keys=by_keys)
    page.fill("dialog input.mono >> nth=0", str(target))
    presses(page, "Write", by_keys=by_keys)
    page.wait_for_selector("[data-exported]")
    said = page.inner_text("[data-exported]")
    assert "keep them to yourself" in said and "Before you post: no promise covers text" in said
    assert len(list(target.iterdir())) == 12 - int(_said(r"withhold (\d+)", page.inner_text("h1")))
    presses(page, "Verify again", by_keys=by_keys)
    page.wait_for_selector("[data-verified=true]")
    with page.expect_popup() as popup:
        page.click("text=Open the report")
    popup.value.wait_for_load_state()
    assert "Tarascon" in popup.value.inner_text("body")
    popup.value.close()
    next(target.iterdir()).write_bytes(b"spoiled")
    page.click("text=Verify again")
    page.wait_for_selector("[data-verified=false]")
    page.click("dialog [aria-label=Close]")


def comes_back(page: Page) -> None:
    """A page that is loaded again is where it was."""
    told = page.inner_text("h1")
    page.reload()
    ready(page)
    assert page.inner_text("h1") == told


def _states(page: Page) -> dict[str, str]:
    _part(page, "Photos")
    found: dict[str, str] = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-n]')]"
        ".map((one) => [one.dataset.n, one.dataset.state]))"
    )
    return found


def plan_version(page: Page) -> int:
    return int(page.get_attribute("[data-version]", "data-version") or 0)


def settled(page: Page) -> None:
    """Wait for a plan that is not being improved, at two looks: a proof follows its plan."""
    for _ in range(2):
        page.wait_for_selector(".page:not([data-waiting])")
        page.wait_for_selector(PLANNED)
        page.wait_for_selector(".proof .turning", state="detached")
        page.wait_for_timeout(250)


def answered(page: Page, before: int) -> None:
    """Wait for another plan; the page's policy lets no function be waited for."""
    for _ in range(600):
        if plan_version(page) != before:
            return
        page.wait_for_timeout(20)
    raise AssertionError("no plan answered")


def _part(page: Page, name: str) -> None:
    """On a phone, the parts lie behind each other."""
    if page.locator("nav").count():
        page.tap(f"nav button:has-text('{name}')")


def side(page: Page) -> str:
    return page.inner_text("[aria-labelledby=frontier-title]")


def _said(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def main() -> None:
    """From a command line."""
    folder, *views = sys.argv[1:]
    with chromium() as browser:
        for view in views:
            walk(browser, Path(folder), view)
            print(f"walked: {view}")


if __name__ == "__main__":
    main()
