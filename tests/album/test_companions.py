"""Notes beside photos, for who knows the photos already; how files pair is in test_finding.py."""

from __future__ import annotations

from pathlib import Path

from elsewhere.album.discovery import sidecars_in_folder


def test_a_note_is_about_one_photo_whoever_asks(tmp_path: Path) -> None:
    for name in ("IMG_1.jpg", "IMG_1(2).jpg", "IMG_1.jpg(2).json", "IMG_E1.jpg", ".IMG_1.xmp"):
        (tmp_path / name).write_bytes(b"")
    beside = {
        name: [note.name for note in notes] for name, notes in sidecars_in_folder(tmp_path).items()
    }
    assert beside == {"IMG_1(2).jpg": ["IMG_1.jpg(2).json"]}
    (tmp_path / "IMG_1.xmp").write_bytes(b"")
    beside = {
        name: [note.name for note in notes] for name, notes in sidecars_in_folder(tmp_path).items()
    }
    assert beside["IMG_1.jpg"] == beside["IMG_E1.jpg"] == ["IMG_1.xmp"], "an edit has the note too"
    assert sidecars_in_folder(tmp_path / "nothing") == {}
