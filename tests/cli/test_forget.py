"""`elsewhere ledger forget`: what names a place is gone, and what stays is said."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from elsewhere.app.sessions.uploads import UploadFolder
from elsewhere.formats.ledger import Rows
from elsewhere.globe import Cells
from elsewhere.scorers.cached_scorer import RowCache
from elsewhere.service.ledger import Ledger, NewEntry
from elsewhere.service.private_files import (
    CERTIFICATE,
    REPORT,
    back_up,
    make_private,
    private_folder,
    write_private,
)
from tests.cli.keyboard import SCORER, typed
from tests.scorers.models import described
from tests.service.tiny import write_album

PLACE = "Tarascon"
MARK = b"\x12\x34\xd4\xc2"
"""A score's bytes, in the ledger and in the cache."""
OTHERS = {"notes.txt", "certificate.txt"}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Data and cache after two exports to one target, one of them remembered."""
    for kind in ("data", "cache"):
        monkeypatch.setenv(f"ELSEWHERE_{kind.upper()}_DIR", str(tmp_path / kind))
    row = np.frombuffer(MARK * 8, np.float32)
    entry = NewEntry(((43.8, 4.7),), ("a" * 64,), (Rows("model", "grid", row.reshape(1, 8)),))
    with Ledger().recording([entry], tmp_path / "out"):
        pass
    folder = private_folder(tmp_path / "out")
    make_private(folder)
    write_private(folder / CERTIFICATE, f'{{"place": "{PLACE}"}}')
    write_private(folder / REPORT, f"<p>{PLACE}</p>")
    back_up(folder)
    write_private(folder / CERTIFICATE, f'{{"place": "{PLACE}"}}')
    cache = RowCache()
    cache.put(cache.key(b"photo", "model"), row)
    features = cache.folder / "features"
    features.mkdir(parents=True)
    (features / "geoclip-0123.npz").write_bytes(b"features")
    (folder / "notes.txt").write_text("the user's own")
    (tmp_path / "data" / "elsewhere" / "certificate.txt").write_text("the user's own")
    return [tmp_path / "data", tmp_path / "cache"]


def files(folders: list[Path]) -> dict[str, bytes]:
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in found}


def test_forgetting_all_leaves_nothing_that_names_the_place(folders: list[Path]) -> None:
    assert any(PLACE.encode() in content for content in files(folders).values())
    told = typed("ledger", "forget", "--all")
    assert told.exit_code == 0
    assert set(files(folders)) - {"ledger.lock"} == OTHERS
    for words in ("the ledger", "2 certificates", "1 report", "1 cached row"):
        assert words in told.stdout
    assert "stay" in told.stdout and "--private" in told.stdout


def test_forgetting_all_leaves_nothing_of_what_commands_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a command keeps on the disk, now or in times to come: only what was asked for."""
    for name in ("data", "cache", "home", "tmp"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for kind in ("data", "cache"):
        monkeypatch.setenv(f"ELSEWHERE_{kind.upper()}_DIR", str(tmp_path / kind))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path)
    write_album(tmp_path / "trip", 6)
    (tmp_path / "model").mkdir()
    described(tmp_path / "model", Cells.default())
    Path("drawn.json").write_text('{"IMG_20230714_0000.jpg": [[0, 0, 300, 300]]}')
    protect = ("protect", "trip", "--at=Lisbon", "--top", "1", *SCORER)
    for words in (
        ("guess", "trip", *SCORER),
        ("score", "trip", "-o", "rows.npz", *SCORER),
        (*protect, "-o", "edited.zip", "--edits", "both", "--rectangles", "drawn.json"),
        (*protect, "-o", "out", "--remember"),
        ("clean", "trip", "-o", "bare"),
        ("verify", "out", *SCORER),
    ):
        done = typed(*words)
        assert done.exit_code == 0, (words, done.output)
    dropped = UploadFolder()
    with dropped.create("private.jpg") as file:
        file.write(b"private pixels")
    os.close(dropped._staging._lock)  # as the system does after kill -9
    kept = [tmp_path / name for name in ("data", "cache", "home", "tmp")]
    assert {"ledger.jsonl", "draw.key", "certificate.json", "private.jpg"} <= set(files(kept))
    assert typed("ledger", "forget", "--all").exit_code == 0
    assert set(files(kept)) == {"ledger.lock"}


def test_what_is_deleted_is_written_over(folders: list[Path]) -> None:
    certificate = next(folders[0].rglob(CERTIFICATE))
    other_name = certificate.parent.parent / "kept-by-a-hard-link"
    other_name.hardlink_to(certificate)
    assert typed("ledger", "forget", "--all").exit_code == 0
    assert set(other_name.read_bytes()) == {0}


def test_forgetting_one_place_says_what_stays(folders: list[Path]) -> None:
    told = typed("ledger", "forget", "1")
    assert told.exit_code == 0
    names = set(files(folders))
    assert {"certificate.json", "geoclip-0123.npz"} <= names
    for words in ("2 certificates", "1 report", "1 cached row", "forget --all"):
        assert words in told.stdout


def test_a_link_is_not_followed(folders: list[Path], tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / CERTIFICATE).write_text("somebody else's")
    folder = next(folders[0].rglob(CERTIFICATE)).parent
    (folder.parent / "link-0123456789abcdef").symlink_to(outside)
    (folder / "certificate-linked.json").symlink_to(outside / CERTIFICATE)
    assert typed("ledger", "forget", "--all").exit_code == 0
    assert (outside / CERTIFICATE).read_text() == "somebody else's"


def test_forgetting_all_where_nothing_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("data", "cache"):
        monkeypatch.setenv(f"ELSEWHERE_{kind.upper()}_DIR", str(tmp_path / kind))
    told = typed("ledger", "forget", "--all")
    assert told.exit_code == 0
    assert "0 certificates" not in told.stdout
