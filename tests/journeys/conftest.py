from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all journeys of a file."""
    with chromium() as found:
        yield found
