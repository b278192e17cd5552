from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from elsewhere.album import Rendition
from elsewhere.app.sessions.photo_index import Thumbnails


class Slow:
    """A rendition that counts how often it was asked."""

    def __init__(self, digest: str, size: int = 100) -> None:
        self.digest, self._size, self.made = digest, size, 0

    def preview(self, side: int) -> bytes:
        self.made += 1
        time.sleep(0.02)
        return bytes(self._size)


def get(thumbs: Thumbnails, slow: Slow, side: int = 320) -> bytes:
    return thumbs.get(cast(Rendition, slow), side)


def test_each_is_made_once_however_many_ask() -> None:
    thumbs, slow = Thumbnails(), Slow("a")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: get(thumbs, slow), range(40)))
    assert slow.made == 1 and thumbs.used == 100
    get(thumbs, slow, 1280)
    assert slow.made == 2 and thumbs.used == 200


def test_memory_is_bounded_and_what_was_used_last_stays() -> None:
    thumbs = Thumbnails(max_bytes=1000)
    many = [Slow(str(number)) for number in range(60)]
    for one in many:
        get(thumbs, one)
        get(thumbs, many[0])
        assert thumbs.used <= 1000
    assert many[0].made == 1 and many[1].made == 1
    get(thumbs, many[1])
    assert many[1].made == 2
    thumbs.clear()
    assert thumbs.used == 0


def test_one_that_is_larger_than_all_the_room_is_still_shown() -> None:
    thumbs = Thumbnails(max_bytes=10)
    assert len(get(thumbs, Slow("a", 100))) == 100
