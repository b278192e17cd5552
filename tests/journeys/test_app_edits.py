"""Edits in a real browser: look at a proposed one, move it, see the plan answer, export, verify."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import app, ready, window

from tests.journeys.app_journey import VIEWS, answered, plan_version, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium"), pytest.mark.timeout(900)]
SEARCH_MS = 600_000
"""A search may take this long on a busy machine."""


def test_a_person_moves_a_proposed_edit_and_exports(browser: Browser, tmp_path: Path) -> None:
    width, height = VIEWS["desk"]
    with (
        app(tmp_path, cache=True) as program,
        window(browser, program, width=width, height=height) as page,
    ):
        page.click("text=Try the example album")
        ready(page)
        settled(page)
        withheld = page.locator("[data-state=withheld]").count()
        page.check("text=Edit instead of withholding")
        page.wait_for_selector("[data-editing]", timeout=SEARCH_MS)
        page.wait_for_selector("[data-state=edited]", timeout=SEARCH_MS)
        page.wait_for_selector(".proof .turning", state="detached", timeout=SEARCH_MS)
        assert page.locator("[data-state=withheld]").count() < withheld
        told = r"\d+ of 12 photos shared, \d+ of them cropped or covered \(\d+.% of their picture\)"
        assert re.search(told, page.inner_text(".proof")), page.inner_text(".proof")
        moves_an_edit(page)
        exports(page, tmp_path / "copy")


def moves_an_edit(page: Page) -> None:
    """By a handle and by keys; both are answered by another plan, and undone by one step each."""
    number = page.get_attribute("[data-state=edited] >> nth=0", "data-n")
    page.focus(f"[data-n='{number}']")
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-rendered=true] img")
    page.locator("[aria-label='Before and after']").press("ArrowRight")
    assert "1%" in (page.get_attribute("dialog [data-rendered]", "style") or "")
    corner = page.locator("[data-handle$='bottom right'] >> nth=0")
    before, place = plan_version(page), corner.bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 24, y - 12, steps=3)
    page.mouse.up()
    answered(page, before)
    page.wait_for_selector("[data-rendered=true] img")
    page.wait_for_selector("button:has-text('As proposed')")
    before = plan_version(page)
    corner.press("ArrowUp")
    corner.press("ArrowLeft")
    answered(page, before)
    page.wait_for_selector("[data-rendered=true] img")
    page.wait_for_selector(".proof .turning", state="detached", timeout=SEARCH_MS)
    page.click("dialog [aria-label=Close]")
    assert page.get_attribute(f"[data-n='{number}']", "data-state") in {"edited", "withheld"}
    before = plan_version(page)
    page.keyboard.press("Control+z")
    answered(page, before)
    before = plan_version(page)
    page.keyboard.press("Control+z")
    answered(page, before)
    page.wait_for_selector(".proof .turning", state="detached", timeout=SEARCH_MS)
    assert page.get_attribute(f"[data-n='{number}']", "data-state") == "edited"


def exports(page: Page, target: Path) -> None:
    """The copy holds as many photos as are shared, and is verified from its files."""
    shared = re.search(r"(\d+) of 12 photos shared", page.inner_text(".proof"))
    assert shared
    page.click("button:has-text('Export')")
    page.fill("dialog input.mono >> nth=0", str(target))
    page.click("dialog button:has-text('Write')")
    page.wait_for_selector("[data-exported]", timeout=SEARCH_MS)
    assert len(list(target.iterdir())) == int(shared[1])
    page.click("text=Verify again")
    page.wait_for_selector("[data-verified=true]", timeout=SEARCH_MS)
