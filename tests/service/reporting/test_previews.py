from __future__ import annotations

from dataclasses import replace

from elsewhere.service.report import MAX_PREVIEW_BYTES, PREVIEW_SIDES, page_bytes, previews
from tests.album.makers import picture
from tests.service.makers import photo
from tests.service.pictures import drawn, noise, size_of


def test_few_photos_are_shown_large() -> None:
    photos = [replace(photo(f"{n}.jpg"), rendition=drawn(picture(n, 640, 480))) for n in range(3)]
    made = previews(photos)
    assert [max(size_of(one)) for one in made] == [PREVIEW_SIDES[0]] * 3
    assert previews([]) == ()


def test_they_get_smaller_until_they_fit() -> None:
    photos = [replace(photo(f"{n}.jpg"), rendition=drawn(noise())) for n in range(2)]
    largest = page_bytes(previews(photos))
    for room in (largest, largest - 1, largest // 4):
        made = previews(photos, room)
        assert page_bytes(made) <= room
        assert len({size_of(one) for one in made}) == 1
    assert max(size_of(previews(photos, 0)[0])) == PREVIEW_SIDES[-1], "the smallest is always taken"


def test_what_a_few_promise_is_checked_on_all() -> None:
    """The ones that are tried may be lighter than the rest."""
    light, heavy = drawn(picture(1, 640, 480)), drawn(noise())
    photos = [
        replace(photo(f"{n}.jpg"), rendition=light if n % 2 == 0 else heavy) for n in range(16)
    ]
    room = page_bytes(previews(photos)) // 2
    assert page_bytes(previews(photos, room)) <= room


def test_four_hundred_of_the_worst_photos_fit() -> None:
    worst = drawn(noise())
    photos = [replace(photo(f"{n}.jpg"), rendition=worst) for n in range(400)]
    assert page_bytes(previews(photos)) <= MAX_PREVIEW_BYTES < 5_000_000
