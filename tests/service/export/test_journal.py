from __future__ import annotations

import os
from pathlib import Path

import pytest

from elsewhere.album.export import Staging
from elsewhere.service.private_files import FOLDER, record_staging


@pytest.fixture(autouse=True)
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "elsewhere" / FOLDER


def killed_in(folder: Path, notes: Path) -> Path:
    """What a killed export leaves: its folder, held by nobody, and its note."""
    folder.mkdir()
    left = folder / ".elsewhere-0123456789abcdef"
    (left / "copy").mkdir(parents=True)
    (left / "lock").write_bytes(b"")
    notes.mkdir(parents=True, exist_ok=True)
    (notes / folder.name).write_bytes(os.fsencode(folder))
    return left


def test_a_note_lasts_as_long_as_the_export(tmp_path: Path, notes: Path) -> None:
    with record_staging(tmp_path):
        (note,) = notes.iterdir()
        assert note.read_text() == str(tmp_path)
        assert note.stat().st_mode & 0o777 == 0o600 and notes.stat().st_mode & 0o777 == 0o700
    assert not notes.exists()


def test_what_was_left_on_another_disk_is_swept(tmp_path: Path, notes: Path) -> None:
    one = killed_in(tmp_path / "one", notes)
    odd = killed_in(tmp_path / os.fsdecode(b"tw\xffo"), notes)
    (notes / "gone").write_text(str(tmp_path / "no longer there"))
    with record_staging(tmp_path):
        assert not one.exists() and not odd.exists()
        assert len(list(notes.iterdir())) == 1
    assert not notes.exists()


def test_what_is_held_stays_noted(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "held").mkdir()
    notes.mkdir(parents=True)
    (notes / "held").write_text(str(tmp_path / "held"))
    with Staging(tmp_path / "held") as staging:
        with record_staging(tmp_path):
            assert staging.folder.exists()
        assert [note.name for note in notes.iterdir()] == ["held"]


def test_without_a_data_directory_the_export_goes_on(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    done = []
    with record_staging(tmp_path):
        done.append(True)
    assert done


def test_a_note_goes_after_an_error_too(tmp_path: Path, notes: Path) -> None:
    with pytest.raises(KeyboardInterrupt), record_staging(tmp_path):
        raise KeyboardInterrupt
    assert not notes.exists()
