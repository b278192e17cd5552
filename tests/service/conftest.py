"""One warm pool of workers for all tests of the job."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elsewhere.album import album_workers
from elsewhere.album.workers import Workers


@pytest.fixture(scope="session")
def pool() -> Iterator[Workers]:
    with album_workers() as workers:
        yield workers
