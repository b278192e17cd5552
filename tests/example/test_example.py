"""The example album is what its docstring and NOTICE say: small, credited, and planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.album import Album, read_album
from elsewhere.example import ALBUM

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def album() -> Album:
    return read_album([ALBUM])


def test_it_is_small_and_has_mixed_formats() -> None:
    files = list(ALBUM.iterdir())
    assert sum(file.stat().st_size for file in files) <= 6_000_000
    assert {".jpg", ".heic", ".webp", ".xmp", ".json"} == {file.suffix for file in files}


def test_every_photo_is_credited() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for file in ALBUM.iterdir():
        assert file.suffix in {".xmp", ".json"} or file.name in notice


def test_there_is_something_to_clean(album: Album) -> None:
    assert len(album.photos) == 12
    leaks = {photo.id: {leak.kind for leak in photo.metadata.leaks} for photo in album.photos}
    assert all("serial number" in kinds for kinds in leaks.values())
    assert sum("position" in kinds for kinds in leaks.values()) == 11
    assert sum("comment" in kinds for kinds in leaks.values()) == 2
    assert sum("sidecar" in kinds for kinds in leaks.values()) == 2
    assert {one.kind for one in album.skipped} == {"sidecar"}
