"""What a new user does that no guide has in it: turns every knob, pins too much, drops by mistake.

Each step is something that once went wrong: it said what was not so, or work was lost.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.app.window import ready

from tests.journeys.app_journey import answered, plan_version, settled, side

if TYPE_CHECKING:
    from playwright.sync_api import Page

WIDTHS = ("5", "25", "100", "city", "region", "country")
TELLING = "8"
"""The Pont du Gard: no plan keeps it."""


def types_a_wrong_path(page: Page, folder: Path) -> None:
    """What was typed stays, and what is wrong with it stands below."""
    wrong = str(folder / "no-such-album")
    page.fill("#path", wrong)
    page.click("button[type=submit]:has-text('Open')")
    page.wait_for_selector("#path-problem")
    assert "no-such-album" in page.inner_text("#path-problem")
    assert page.input_value("#path") == wrong


def opens_the_example(page: Page) -> None:
    """How weak the attacker is, and that a better one may exist, is not left to be unfolded."""
    page.click("text=Try the example album")
    ready(page)
    settled(page)
    said = page.inner_text(".against")
    assert "right within 25 km for 24" in said and "a better one may find it" in said
    page.click("summary:has-text('The promise in full')")
    full = page.inner_text(".panel")
    for word in ("Readable text", "image search", "other accounts"):
        assert word in full
    page.keyboard.press("Escape")
    page.wait_for_selector(".panel", state="hidden")
    no_options(page)


def names_one_number(page: Page) -> None:
    """Headline, slider and map name the same one; that a top was drawn in secret is in the open."""
    k = int(_said(r"none of the first (\d+) does", page.inner_text("h1")))
    assert k >= 5
    assert "for 5 guesses or more (how many, up to 12, stays secret)" in page.inner_text(".proof")
    page.wait_for_selector(".point >> nth=3")
    assert re.search(rf"it is not among the first {k}( \(perhaps better\))?\.", side(page))
    rank = int(_said(r"Tarascon comes (\d+)", page.inner_text("[aria-labelledby=map-title]")))
    assert rank > k
    version = plan_version(page)
    page.click("button:has-text('Exactly 5')")
    answered(page, version)
    page.wait_for_selector(".proof:has-text('proved the fewest for 5 guesses')")


def chooses_how_widely(page: Page) -> None:
    """All six, there and back."""
    chosen = page.locator("label:has-text('How widely') select")
    for width in (*WIDTHS, *reversed(WIDTHS[:-1])):
        if chosen.input_value() == width:
            continue
        version = plan_version(page)
        chosen.select_option(width)
        answered(page, version)
        assert chosen.input_value() == width
        assert not page.is_visible(".notice"), page.inner_text(".notice")
    chosen.select_option("25")
    settled(page)
    no_options(page)


def pins_what_cannot_be_kept(page: Page) -> None:
    """The photos stay where they are; the way out is a button, and it works."""
    before = page.locator(f"[data-n='{TELLING}']").bounding_box()
    page.click(f"[data-n='{TELLING}'] img")
    page.wait_for_selector("[data-status=infeasible]")
    page.wait_for_selector("button:has-text('Unpin pont-du-gard.jpg')")
    after = page.locator(f"[data-n='{TELLING}']").bounding_box()
    assert after == before, (before, after)
    assert page.locator("text=No plan").count() > 3 and page.locator("text=11 read").count() == 0
    no_options(page)
    page.click("button:has-text('Unpin pont-du-gard.jpg')")
    settled(page)


def looks_closely(page: Page) -> None:
    """By keys alone: in, larger, on to the next, pinned, and back to that photo.

    Where the grid shows some photos only, the large view shows no others.
    """
    page.focus("[data-n='4']")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog .look")
    page.keyboard.press("+")
    page.wait_for_selector("dialog .frame.larger")
    page.keyboard.press("0")
    page.wait_for_selector("dialog .frame:not(.larger)")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("dialog .name:has-text('fig.jpg')")
    version = plan_version(page)
    page.keyboard.press(" ")
    answered(page, version)
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-n='5']:focus")
    assert page.get_attribute("[data-n='5']", "data-state") == "kept"
    page.keyboard.press(" ")
    page.wait_for_selector("[data-n='5']:not([data-state=kept])")
    page.click(".legend button:has-text('withheld')")
    withheld = [tile.get_attribute("data-n") for tile in page.locator("[data-n]").all()]
    page.focus(f"[data-n='{withheld[0]}']")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"dialog h2:has-text('Photo 2 of {len(withheld)}')")
    page.keyboard.press("Escape")
    page.wait_for_selector(f"[data-n='{withheld[1]}']:focus")
    page.click(".legend button:has-text('withheld')")


def reads_on_below_the_grid(page: Page) -> None:
    """What is said of a photo is said of the plan that is shown."""
    page.hover(f"[data-n='{TELLING}']")
    page.wait_for_selector(".closer .name:has-text('pont-du-gard')")
    page.wait_for_selector(".closer:has-text('With it, Tarascon')")


def withholds_too_few(page: Page) -> None:
    """No tick where nothing is hidden, and nothing to export; the slider stays where it was put."""
    slider = page.locator("input[type=range]")
    version = plan_version(page)
    slider.press("Home")
    answered(page, version)
    page.wait_for_selector(".proof.vain:has-text('too few to hide it')")
    assert "withholding nothing does not hide it" in page.inner_text("h1")
    assert slider.input_value() == "0" and "it may still be found first" in side(page)
    said = side(page).partition("Withhold nothing")[2].partition("proved")[0]
    assert "most telling first" not in said
    assert page.is_disabled("button:has-text('Export')")
    version = plan_version(page)
    page.keyboard.press("Control+z")
    answered(page, version)
    settled(page)


def drops_photos_on_an_open_album(page: Page) -> None:
    """Nothing goes without a question, and the cross asks as well."""
    told = page.inner_text("h1")
    for _ in range(2):
        page.evaluate(
            "() => { const some = new DataTransfer();"
            "some.items.add(new File(['x'], 'more.jpg', { type: 'image/jpeg' }));"
            "dispatchEvent(new DragEvent('drop', { dataTransfer: some, cancelable: true })) }"
        )
        page.wait_for_selector("dialog:has-text('Open these instead?')")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    page.click("[aria-label='Close the album']")
    page.click("dialog button:has-text('Keep the album')")
    page.wait_for_selector("dialog", state="detached")
    assert page.inner_text("h1") == told


def no_options(page: Page) -> None:
    """Nobody types here: no word of the command line stands anywhere on the page."""
    said = page.inner_text("body")
    assert not re.search(r"(?<!-)--[a-z]", said), said


def _said(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found[1]
