"""Which files are photos, what they are called, and in which order they come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.scorers import photos
from elsewhere.scorers.photos import Photo, natural, photos_in, photos_named


def touch(path: Path, content: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_folder_is_walked_in_natural_order(tmp_path: Path) -> None:
    for name in ["b/IMG_10.JPG", "b/img_2.jpeg", "b/IMG_1.heic", "a.png", "c.webp", "d/e/f.TIFF"]:
        touch(tmp_path / name)
    for other in ["notes.txt", ".hidden.jpg", ".cache/x.jpg", "b/movie.mov"]:
        touch(tmp_path / other)
    names = [photo.name for photo in photos_in(tmp_path)]
    assert names == [
        "a.png",
        "b/IMG_1.heic",
        "b/img_2.jpeg",
        "b/IMG_10.JPG",
        "c.webp",
        "d/e/f.TIFF",
    ]


def test_the_order_is_natural_and_total() -> None:
    names = ["a", "a1", "a2", "A10", "a10", "a02", "10", "9", ""]
    assert sorted(names, key=natural) == ["", "9", "10", "a", "a1", "a02", "a2", "A10", "a10"]


def test_typed_photos_keep_their_order_and_come_once(tmp_path: Path) -> None:
    later, sooner = touch(tmp_path / "z.jpg"), touch(tmp_path / "in" / "a.jpg")
    found = photos_named([later, tmp_path / "in", later])
    assert [photo.path for photo in found] == [later, sooner]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda at: at / "none", "does not exist: give a folder"),
        (lambda at: touch(at / "a.jpg"), "is a file, not a folder"),
        (lambda at: at, "holds no photo"),
    ],
)
def test_a_folder_that_is_none_is_refused(tmp_path: Path, make, sentence: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=sentence):
        photos_in(make(tmp_path))


def test_nothing_typed_is_refused() -> None:
    with pytest.raises(InputError, match="no photo was given"):
        photos_named([])


def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileError, match=r"a\.jpg does not exist"):
        Photo("a.jpg", tmp_path / "a.jpg").content()
    with pytest.raises(FileError, match=r"a\.jpg is a folder"):
        Photo("a.jpg", tmp_path).content()
    with pytest.raises(FileError, match=r"a\.jpg is empty"):
        Photo("a.jpg", touch(tmp_path / "a.jpg", b"")).content()
    monkeypatch.setattr(photos, "MAX_BYTES", 4)
    with pytest.raises(FileError, match=r"b\.jpg is larger than"):
        Photo("b.jpg", touch(tmp_path / "b.jpg", b"12345")).content()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_does_not_hang_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jpg")
    with pytest.raises(FileError, match=r"a\.jpg is no plain file"):
        Photo("a.jpg", tmp_path / "a.jpg").content()


def test_a_name_that_is_no_unicode_can_still_be_written(tmp_path: Path) -> None:
    strange = os.fsencode(tmp_path) + b"/caf\xe9.jpg"
    try:
        Path(os.fsdecode(strange)).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system wants Unicode")
    (photo,) = photos_in(tmp_path)
    photo.name.encode("utf-8")
    assert photo.content() == b"x"


def test_bytes_are_read_once(tmp_path: Path) -> None:
    held = Photo("a.jpg", touch(tmp_path / "a.jpg", b"first")).read()
    touch(tmp_path / "a.jpg", b"second")
    assert held.content() == b"first"
