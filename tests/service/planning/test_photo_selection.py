"""Photos by name or pattern, what they are worth, and which go together."""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from elsewhere.album.files import SkippedFile
from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.service.selection import (
    budget_of,
    bursts,
    matching,
    photo_values,
    select_pinned,
)
from tests.service.makers import NOON, photo

IDS = ["2024/IMG_1.jpg", "2024/IMG_2.jpg", "2025/IMG_1.jpg", "odd[1].jpg", "o.jpg"]


@pytest.mark.parametrize(
    ("pattern", "numbers"),
    [
        ("2024/IMG_1.jpg", [0]),
        ("IMG_1.jpg", [0, 2]),
        ("2024/*", [0, 1]),
        ("IMG_?.jpg", [0, 1, 2]),
        ("odd[1].jpg", [3]),  # a name before a pattern
        ("*", [0, 1, 2, 3, 4]),
    ],
)
def test_names_and_patterns(pattern: str, numbers: list[int]) -> None:
    assert list(matching([pattern], IDS, "keep")) == numbers


def test_what_matches_nothing_is_told_with_what_comes_near() -> None:
    with pytest.raises(InputError, match=r"no photo is called 'IMG_3.jpg'; did you mean .*\?"):
        matching(["IMG_3.jpg"], IDS, "keep")
    with pytest.raises(InputError, match=r"drop: no photo is called 'XQ7'; the first ones are"):
        matching(["XQ7"], IDS, "drop")
    gone = SkippedFile(Path("x/film.mov"), "x/film.mov", "video")
    with pytest.raises(InputError, match=r"keep: x/film.mov is not in the album: it is a video"):
        matching(["film.mov"], IDS, "keep", [gone])


def test_of_equal_files_every_name_is_understood() -> None:
    twin = SkippedFile(Path("x/IMG_20170101.jpg"), "x/IMG_20170101.jpg", "duplicate", "", "o.jpg")
    assert list(matching(["IMG_20170101.jpg"], IDS, "keep", [twin])) == [4]


def test_nobody_keeps_and_drops_one_photo() -> None:
    assert select_pinned(["IMG_2.jpg"], ["2025/*"], IDS) == ((1,), (2,))
    with pytest.raises(InputError, match=r"2024/IMG_2.jpg is to be kept \(by 'IMG_2.jpg'\) and "):
        select_pinned(["IMG_2.jpg"], ["2024/*"], IDS)


def test_stars_and_values() -> None:
    photos = [photo("a.jpg", rating=5), photo("b.jpg"), photo("c.jpg", rating=1)]
    assert photo_values(photos, None, stars=True) == {0: 6, 2: 2}
    assert photo_values(photos, {"c.jpg": 0.5, "b*": "3"}, stars=True) == {
        0: 6,
        1: 3,
        2: Fraction(1, 2),
    }
    assert photo_values(photos, {"a.jpg": 2}, stars=False) == {0: 2}
    for bad in (0, -1, "much"):
        with pytest.raises(InputError):
            photo_values(photos, {"a.jpg": bad}, stars=False)


def test_bursts_are_moments_apart_at_one_place() -> None:
    seconds = [0, 1, 3, 10, 11, 60]
    where = [(38.7, -9.1)] * 5 + [None]
    photos = [
        photo(f"{n}", spot, NOON + timedelta(seconds=second))
        for n, (second, spot) in enumerate(zip(seconds, where, strict=True))
    ]
    assert bursts(photos, places_of(photos)) == ((0, 1, 2), (3, 4))
    elsewhere = [photo("a", (38.7, -9.1), NOON), photo("b", (48.9, 2.3), NOON)]
    assert bursts(elsewhere, places_of(elsewhere)) == ()
    # a date in a name is no moment: a day's photos are no burst
    dated = [photo(name, (38.7, -9.1), datetime(2024, 5, 1)) for name in "ab"]
    assert bursts(dated, places_of(dated)) == ()


@pytest.mark.parametrize("bad", ["", "ten", "-1", "110%", "1.5", -3, True])
def test_budgets_that_are_none(bad: object) -> None:
    with pytest.raises(InputError, match="a budget is a number of photos or a share"):
        budget_of(bad, 30)  # type: ignore[arg-type]


def test_budgets() -> None:
    assert [budget_of(one, 30) for one in (4, "4", "10%", "2.5 %", "100%", 0)] == [
        4,
        4,
        3,
        0,
        30,
        0,
    ]
