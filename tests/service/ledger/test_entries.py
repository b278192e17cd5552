"""What is remembered: exactly what was shared, by nobody else readable, and really forgotten."""

from __future__ import annotations

import base64
import stat
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError
from elsewhere.formats.ledger import Rows
from elsewhere.service import ledger as ledger_store
from elsewhere.service.ledger import Ledger, NewEntry

LISBON, OSLO = (38.72, -9.14), (59.91, 10.75)


def given(
    place: tuple[float, float], pictures: list[bytes], seed: int = 0, placed: bool = True
) -> NewEntry:
    values = np.random.default_rng(seed).normal(size=(len(pictures), 40)).astype(np.float32)
    digests = tuple(sha256(picture).hexdigest() for picture in pictures)
    return NewEntry((place,), digests, (Rows("model", "grid", values),), placed)


def shared(ledger: Ledger, what: NewEntry, target: Path, pictures: list[bytes]) -> None:
    """An export as it goes: written down, named, confirmed."""
    with ledger.recording([what], target):
        copy(target, pictures)


def copy(target: Path, pictures: list[bytes]) -> None:
    target.mkdir()
    for number, picture in enumerate(pictures):
        (target / f"photo-{number}.jpg").write_bytes(picture)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "private")


def test_what_was_shared_is_remembered_as_it_was(ledger: Ledger, tmp_path: Path) -> None:
    assert ledger.entries() == ()
    what = given(LISBON, [b"one", b"two"])
    shared(ledger, what, tmp_path / "out", [b"one", b"two"])
    (entry,) = Ledger(ledger.path.parent).entries(refuse_pending=True)
    assert entry.places == (LISBON,)
    assert not entry.pending
    assert entry.placed
    assert entry.photos == tuple(ledger.named(digest) for digest in what.photos)
    (rows,) = entry.rows
    assert (rows.scorer, rows.grid) == ("model", "grid")
    assert rows.values.dtype == np.float32
    assert np.array_equal(rows.values, what.rows[0].values)


def test_it_holds_no_pictures_no_names_and_no_bare_digests(ledger: Ledger, tmp_path: Path) -> None:
    what = given(LISBON, [b"one picture"])
    shared(ledger, what, tmp_path / "beach-party", [b"one picture"])
    content = ledger.path.read_bytes()
    for secret in (b"one picture", b"beach", b"photo-0", what.photos[0].encode()):
        assert secret not in content


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_nobody_else_can_read_it(ledger: Ledger, tmp_path: Path) -> None:
    shared(ledger, given(LISBON, [b"one"]), tmp_path / "out", [b"one"])
    assert stat.S_IMODE(ledger.path.parent.stat().st_mode) == 0o700
    for file in ledger.path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    ledger.path.chmod(0o644)
    ledger.entries()
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


def test_the_key_lies_apart_and_names_differ_from_user_to_user(tmp_path: Path) -> None:
    names = set()
    for user in ("a", "b"):
        ledger = Ledger(tmp_path / user)
        shared(ledger, given(LISBON, [b"one"]), tmp_path / f"out-{user}", [b"one"])
        names.add(ledger.entries()[0].photos)
        key = (ledger.path.parent / "ledger.key").read_bytes()
        assert key not in ledger.path.read_bytes()
    assert len(names) == 2


def test_an_export_that_fails_is_not_remembered(ledger: Ledger, tmp_path: Path) -> None:
    with (
        pytest.raises(KeyboardInterrupt),
        ledger.recording([given(LISBON, [b"one"])], tmp_path / "out"),
    ):
        raise KeyboardInterrupt
    assert ledger.entries(refuse_pending=True) == ()


def test_an_export_that_fails_after_it_got_its_name_is_remembered(
    ledger: Ledger, tmp_path: Path
) -> None:
    what = given(LISBON, [b"one"])
    with pytest.raises(OSError), ledger.recording([what], tmp_path / "out"):
        copy(tmp_path / "out", [b"one"])
        raise OSError
    assert [entry.pending for entry in ledger.entries(refuse_pending=True)] == [False]


def test_a_crash_after_the_copy_got_its_name_is_settled_by_the_copy(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.begin([given(LISBON, [b"one"]), given(OSLO, [b"two"])], tmp_path / "out")
    copy(tmp_path / "out", [b"one", b"two"])
    again = Ledger(ledger.path.parent)
    assert [entry.pending for entry in again.entries(refuse_pending=True)] == [False, False]
    assert b"out" not in again.path.read_bytes()  # the path is gone with the doubt


@pytest.mark.parametrize("there", [[], [b"one"], [b"something else", b"two"]])
def test_a_crash_of_which_nobody_knows_asks_the_person(
    ledger: Ledger, tmp_path: Path, there: list[bytes]
) -> None:
    ledger.begin([given(LISBON, [b"one", b"two"])], tmp_path / "out")
    if there:
        copy(tmp_path / "out", there)
    with pytest.raises(FileError, match=r"ledger confirm 1.*ledger forget 1"):
        ledger.entries(refuse_pending=True)
    assert ledger.confirm(1).pending
    assert [entry.pending for entry in ledger.entries(refuse_pending=True)] == [False]
    with pytest.raises(InputError, match="nothing to confirm"):
        ledger.confirm(1)
    with pytest.raises(InputError, match="no entry 2"):
        ledger.confirm(2)


def test_after_forgetting_no_byte_of_the_rows_is_left(ledger: Ledger, tmp_path: Path) -> None:
    gone, stays = given(LISBON, [b"one", b"two"], seed=1), given(OSLO, [b"three"], seed=2)
    shared(ledger, gone, tmp_path / "a", [b"one", b"two"])
    shared(ledger, stays, tmp_path / "b", [b"three"])
    photos = ledger.entries()[0].photos
    # a process that was killed may have left a part behind; it holds rows too
    (ledger.path.parent / "ledger.part").write_bytes(ledger.path.read_bytes())
    before = ledger.path.open("rb")  # the old file, whose name is about to be taken over
    assert ledger.forget(lambda number, entry: entry.places == (LISBON,)) == 1
    for file in ledger.path.parent.iterdir():
        assert_nothing_of(gone, photos, file.read_bytes())
    assert set(before.read()) == {0}  # and what the disk gets back is zeros
    before.close()
    (left,) = ledger.entries(refuse_pending=True)
    assert np.array_equal(left.rows[0].values, stays.rows[0].values)


def assert_nothing_of(what: NewEntry, photos: tuple[str, ...], content: bytes) -> None:
    for photo in photos:
        assert photo.encode() not in content
    raw = what.rows[0].values.astype("<f4").tobytes()
    for at in range(0, len(raw) - 12, 4):
        piece = raw[at : at + 12]
        assert piece not in content
        for shift in range(3):  # wherever the piece may begin among base64's groups of three
            text = base64.b64encode(raw[at + shift : at + shift + 9])
            assert text not in content


def test_forgetting_all_takes_the_key_too_even_of_a_damaged_one(
    ledger: Ledger, tmp_path: Path
) -> None:
    shared(ledger, given(LISBON, [b"one"]), tmp_path / "a", [b"one"])
    ledger.path.write_bytes(b"not a ledger")
    ledger.forget_all()
    assert [file.name for file in ledger.path.parent.iterdir()] == ["ledger.lock"]
    assert ledger.entries() == ()


def test_forgetting_where_nothing_is_makes_nothing(ledger: Ledger) -> None:
    assert ledger.forget(lambda number, entry: True) == 0
    assert not ledger.path.parent.exists()


def test_every_damaged_byte_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    shared(ledger, given(LISBON, [b"one"]), tmp_path / "a", [b"one"])
    whole = ledger.path.read_bytes()
    damaged = [whole[:cut] for cut in range(0, len(whole), 7)]
    damaged += [whole[:-1], whole + b"\n", whole + whole, b"\n" + whole, b"[]\n[]\n", b"\xff\n"]
    for at in range(0, len(whole), 5):
        damaged.append(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    for content in damaged:
        ledger.path.write_bytes(content)
        with pytest.raises(FileError, match=r"cannot be trusted .*forget --all"):
            ledger.entries(refuse_pending=True)
        with pytest.raises(FileError, match="cannot be trusted"):
            ledger.begin([given(OSLO, [b"two"])], tmp_path / "b")
        assert ledger.path.read_bytes() == content
    ledger.path.write_bytes(whole)
    assert len(ledger.entries(refuse_pending=True)) == 1


@pytest.mark.parametrize("key", [None, b"", bytes(32)])
def test_a_lost_or_foreign_key_is_refused(
    ledger: Ledger, tmp_path: Path, key: bytes | None
) -> None:
    shared(ledger, given(LISBON, [b"one"]), tmp_path / "a", [b"one"])
    file = ledger.path.parent / "ledger.key"
    if key is None:
        file.unlink()
    else:
        file.write_bytes(key)
    with pytest.raises(FileError, match="cannot be trusted"):
        ledger.entries(refuse_pending=True)


def test_a_folder_in_its_place_is_refused(ledger: Ledger) -> None:
    ledger.path.mkdir(parents=True)
    with pytest.raises(FileError, match="not a plain file"):
        ledger.entries()


def test_another_process_is_waited_for_and_then_told(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_store, "PATIENCE", 0.1)
    with (
        Ledger(ledger.path.parent)._locked(),
        pytest.raises(FileError, match="in use by another elsewhere"),
    ):
        ledger.begin([given(LISBON, [b"one"])], tmp_path / "out")
    assert ledger.entries() == ()


def test_a_disk_that_knows_no_locks_is_told_at_once(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_store, "take", lambda lock: None)
    with pytest.raises(FileError, match=r"without file locks.*ELSEWHERE_DATA_DIR"):
        ledger.begin([given(LISBON, [b"one"])], tmp_path / "out")
    assert ledger.entries() == ()
