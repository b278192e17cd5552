from __future__ import annotations

import errno
from pathlib import Path
from unittest.mock import Mock

import pytest

from elsewhere.album.export import rename_new


@pytest.fixture(params=["the system's", "looking first"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "looking first":
        library = Mock()
        library.renameat2.return_value = library.renamex_np.return_value = -1
        monkeypatch.setattr("ctypes.CDLL", Mock(return_value=library))
        monkeypatch.setattr("ctypes.get_errno", lambda: errno.EINVAL)


def made(path: Path, kind: str) -> Path:
    if kind == "folder":
        path.mkdir()
        (path / "inside").write_text("kept")
    else:
        path.write_text("kept")
    return path


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_free_name_is_given(kind: str, tmp_path: Path) -> None:
    old, new = made(tmp_path / "old", kind), tmp_path / "Ελλάδα new"
    rename_new(old, new)
    assert not old.exists() and new.exists() and new.is_dir() == (kind == "folder")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("kind", ["folder", "file"])
@pytest.mark.parametrize("other", ["an empty folder", "a file", "a link to nothing"])
def test_a_name_that_is_taken_is_not(kind: str, other: str, tmp_path: Path) -> None:
    old, new = made(tmp_path / "old", kind), tmp_path / "new"
    if other == "an empty folder":
        new.mkdir()
    elif other == "a file":
        new.write_text("mine")
    else:
        new.symlink_to("nothing")
    with pytest.raises(FileExistsError):
        rename_new(old, new)
    assert old.exists() and (new.is_symlink() or new.is_dir() or new.read_text() == "mine")


def test_other_refusals_are_passed_on(tmp_path: Path) -> None:
    made(tmp_path / "old", "file")
    with pytest.raises(FileNotFoundError):
        rename_new(tmp_path / "old", tmp_path / "none" / "new")
    with pytest.raises(OSError, match="too long"):
        rename_new(tmp_path / "old", tmp_path / ("x" * 300))
