"""One warm pool of workers for all tests of the album."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elsewhere.album import Limits, album_workers
from elsewhere.album.workers import Workers


@pytest.fixture(scope="session")
def pool() -> Iterator[Workers]:
    with album_workers(Limits(seconds=60, memory=1 << 30)) as workers:
        yield workers
