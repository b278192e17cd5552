from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from elsewhere.album.export import choose_names, kept_names_warning, portable_name
from elsewhere.errors import InputError

RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "123")}


@given(st.integers(1, 1200))
def test_numbers_have_no_gap_and_one_width(count: int) -> None:
    names = choose_names([f"{n}.png" for n in range(count)])
    assert sorted(names) == [f"{n:0{max(3, len(str(count)))}}.jpg" for n in range(1, count + 1)]


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=12, unique=True))
def test_kept_names_are_harmless_everywhere(ids: list[str]) -> None:
    names = choose_names(ids, names="keep")
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(ids)
    for name in names:
        assert name.endswith(".jpg") and len(name.encode()) <= 255
        assert not set(name) & set('<>:"/\\|?*') and name.isprintable()
        assert not name.startswith((".", "-", " ", "~"))
        stem = name.removesuffix(".jpg")
        assert stem and not stem.endswith((".", " "))
        assert stem.split(".")[0].casefold() not in RESERVED


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (["a/IMG_1.HEIC", "b/img_1.JPG", "c/IMG_1.png"], ["IMG_1", "img_1-2", "IMG_1-3"]),
        (["../../etc/passwd", "..", "..."], ["passwd", "photo", "photo-2"]),
        (["C:\\con.png", "nul", "COM1.tar.gz"], ["C__con", "_nul", "_COM1.tar"]),
        (["-rf.jpg", " x .jpg", "~a"], ["_rf", "x", "_a"]),
        (["Zu\u0308rich.heic", "Z\u00fcrich.jpg"], ["Zürich", "Zürich-2"]),
        (["Ｆull.jpg", "full.jpg"], ["Ｆull", "full-2"]),
        (["日本.jpg", "a\u202egpj.exe"], ["日本", "a_gpj"]),
        (["x" * 400 + ".jpg"], ["x" * 120]),
        (["é" * 400], ["é" * 60]),
    ],
)
def test_names_that_people_have(ids: list[str], names: list[str]) -> None:
    assert choose_names(ids, names="keep") == [f"{name}.jpg" for name in names]


def test_the_warning_tells_of_dates() -> None:
    assert "1 of them holds what looks like a date (IMG_20230714_1.jpg)" in kept_names_warning(
        ["a.jpg", "IMG_20230714_1.jpg"]
    )
    assert "2 of them hold" in kept_names_warning(["2023-07-14 a.jpg", "PXL_20240101.jpg"])
    for name in ("IMG_0041.jpg", "DSC12345678.jpg", "20239914.jpg", "001.jpg"):
        assert "date" not in kept_names_warning([name]) and "missing" in kept_names_warning([name])
        assert "the place" in kept_names_warning([name])


def test_an_unknown_choice_is_named() -> None:
    with pytest.raises(InputError, match="'kept'"):
        choose_names(["a"], names="kept")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'random'"):
        choose_names(["a"], order="random")  # type: ignore[arg-type]


def test_an_empty_name_is_a_photo() -> None:
    assert portable_name("") == portable_name(" .. ") == "photo"
