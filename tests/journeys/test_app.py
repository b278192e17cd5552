"""The app in a real browser: at a desk, on a phone, and without any network but the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import app, window

from tests.journeys import app_journey, app_slips

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("view", ["desk", "phone"])
def test_a_person_protects_the_example_album(browser: Browser, home: Path, view: str) -> None:
    app_journey.walk(browser, home, view)


def test_what_a_new_user_does_costs_nothing_and_is_answered_truly(
    browser: Browser, home: Path
) -> None:
    width, height = app_journey.VIEWS["desk"]
    with (
        app(home, cache=True) as program,
        window(browser, program, width=width, height=height) as page,
    ):
        app_slips.types_a_wrong_path(page, home)
        app_slips.opens_the_example(page)
        app_slips.names_one_number(page)
        app_slips.reads_on_below_the_grid(page)
        app_slips.chooses_how_widely(page)
        app_slips.pins_what_cannot_be_kept(page)
        app_slips.looks_closely(page)
        app_slips.withholds_too_few(page)
        app_slips.drops_photos_on_an_open_album(page)


def test_the_way_is_the_same_without_any_network(tmp_path: Path) -> None:
    """In a network namespace of its own, where only the machine itself is reached."""
    alone = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("no unshare or ip here")
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not make a network namespace: only root may")
    reaches = "import socket; socket.create_connection(('192.0.2.1', 80), 2)"
    command = [*alone, sys.executable, "-c", reaches]
    outside = subprocess.run(command, capture_output=True, check=False)
    assert b"unreachable" in outside.stderr, "there is a network in there"
    walked = subprocess.run(
        [*alone, sys.executable, "-m", "tests.journeys.app_journey", str(tmp_path), "desk"],
        cwd=ROOT,
        env={**os.environ, "ELSEWHERE_DATA_DIR": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert walked.returncode == 0, walked.stderr
    assert "walked: desk" in walked.stdout
