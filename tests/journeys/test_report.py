"""The report in a real browser: at a desk, on a phone, on paper, without any network."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from elsewhere.report import page
from tests.report.makers import contents
from tests.report.test_html import BARE, HOSTILE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]
VIEWS = {"desk": (1280, 900), "phone": (390, 844), "small phone": (320, 640)}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        found = player.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield found
        found.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with hostile and very long names in it."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    long = "DCIM/2023/" + "a_rather_long_name_without_any_space" * 4 + ".jpg"
    path.write_text(page(contents(24, 5, [*HOSTILE, long])), "utf-8")
    return path


def opened(
    browser: Browser, path: Path, view: str, *, dark: bool = False
) -> tuple[Page, list[str]]:
    """The page in a window of its own, and everything that it complained of or asked for."""
    width, height = VIEWS[view]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        offline=True,
        service_workers="block",
    )
    sheet = context.new_page()
    said: list[str] = []
    sheet.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    sheet.on("pageerror", lambda problem: said.append(str(problem)))
    sheet.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
    own = path.as_uri()
    sheet.on(
        "request",
        lambda asked: (
            None
            if asked.url == own or asked.url.startswith("data:image/jpeg;base64,")
            else said.append(f"asked for {asked.url}")
        ),
    )
    sheet.goto(own)
    return sheet, said


@pytest.mark.parametrize(
    ("view", "dark"),
    [("desk", False), ("phone", False), ("small phone", False), ("phone", True)],
)
def test_it_opens_in_silence_and_fits(
    browser: Browser, report: Path, view: str, dark: bool
) -> None:
    sheet, said = opened(browser, report, view, dark=dark)
    assert said == []
    wide = sheet.evaluate("document.documentElement.scrollWidth")
    assert wide <= VIEWS[view][0], "no horizontal scroll"
    broken = sheet.evaluate("[...document.images].filter(i => !i.naturalWidth).length")
    assert broken == 0
    assert sheet.locator("img").count() == 25
    assert sheet.locator("script").count() == 0
    assert "owned.jpg" not in [head.inner_text() for head in sheet.locator("h1").all()]
    ground = sheet.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(int(channel) for channel in re.findall(r"\d+", ground)[:3]) / 3
    assert (light < 128) == dark
    sheet.context.close()


def test_pictures_are_as_wide_as_their_column_and_text_is_large_enough(
    browser: Browser, report: Path
) -> None:
    sheet, _ = opened(browser, report, "phone")
    maps = sheet.locator("svg.map").all()
    assert len(maps) == 4
    for drawn in maps:
        box = drawn.bounding_box()
        assert box is not None
        assert 300 < box["width"] <= 390
    smallest = sheet.evaluate(
        """Math.min(...[...document.querySelectorAll('svg text')].map(
             t => t.getBoundingClientRect().height))"""
    )
    assert smallest >= 7
    words = sheet.evaluate("parseFloat(getComputedStyle(document.querySelector('p')).fontSize)")
    assert words >= 14
    sheet.context.close()


@pytest.mark.parametrize("view", ["phone", "small phone"])
def test_tables_fit_on_a_phone_and_one_that_does_not_says_so(
    browser: Browser, report: Path, view: str
) -> None:
    sheet, _ = opened(browser, report, view)
    tables = sheet.locator(".scroll")
    assert tables.count() >= 4
    cut = "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth).map(b => b.innerText)"
    assert tables.evaluate_all(cut) == []
    fits = right_edge(tables.first)
    tables.first.evaluate("b => { b.querySelector('table').style.width = '60rem' }")
    goes_on = right_edge(tables.first)
    tables.first.evaluate("b => { b.scrollLeft = b.scrollWidth }")
    at_its_end = right_edge(tables.first)
    assert fits == at_its_end != goes_on
    sheet.context.close()


def right_edge(box: Locator) -> object:
    """The colour at the right end of what is seen of it, above all text."""
    from PIL import Image

    with Image.open(io.BytesIO(box.screenshot())) as seen:
        return seen.convert("RGB").getpixel((seen.width - 2, 2))


@pytest.mark.parametrize("view", ["desk", "phone"])
def test_a_very_long_name_makes_no_tower_of_its_tile(
    browser: Browser, report: Path, view: str
) -> None:
    sheet, _ = opened(browser, report, view)
    heights = "photos => photos.map(s => s.querySelector('.name').getBoundingClientRect().height)"
    tallest = max(sheet.locator(".photo").evaluate_all(heights))
    assert tallest <= 4 * 18 + 1, "four lines, and the whole name when it is pointed at"
    sheet.context.close()


def test_nothing_can_be_fetched_even_if_markup_got_in(browser: Browser, tmp_path: Path) -> None:
    """The policy, tried: a script, a picture and a form that should never have been there."""
    planted = (
        "<script>console.log('ran')</script>"
        "<img src='https://example.org/x.png'>"
        "<img src=x onerror=\"console.log('ran')\">"
        "<iframe src='https://example.org/'></iframe></main>"
    )
    path = tmp_path / "planted.html"
    html = page(BARE)
    assert html.count("</main>") == 1
    path.write_text(html.replace("</main>", planted), "utf-8")
    sheet, said = opened(browser, path, "desk")
    assert not any("ran" in line.split("'") or line == "log: ran" for line in said)
    assert sum("Content Security Policy" in line for line in said) >= 3
    sheet.context.close()


def test_paper(browser: Browser, report: Path, tmp_path: Path) -> None:
    """On paper everything is there, what folds included, and always dark on light."""
    sheet, said = opened(browser, report, "desk", dark=True)
    content = sheet.pdf(format="A4", prefer_css_page_size=True)
    assert said == []
    assert content.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b", content))
    assert 4 <= pages <= 14
    sheet.emulate_media(media="print")
    assert sheet.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not sheet.locator("nav").is_visible()
    sheet.context.close()


def test_what_is_folded_is_printed(browser: Browser, tmp_path: Path) -> None:
    from dataclasses import replace

    from elsewhere.report.contents import SkippedReason

    skipped = tuple(SkippedReason(f"clip{n}.mp4", "it is a video") for n in range(40))
    path = tmp_path / "left.html"
    path.write_text(page(replace(BARE, skipped=skipped)), "utf-8")
    sheet, _ = opened(browser, path, "desk")
    tall = "document.querySelector('#skipped details').getBoundingClientRect().height"
    folded = sheet.evaluate(tall)
    sheet.emulate_media(media="print")
    assert sheet.evaluate(tall) > 2 * folded
    sheet.context.close()
