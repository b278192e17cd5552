from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from elsewhere.album import copies
from elsewhere.album.copies import open_copy, read_entries, read_entry, write_archive
from elsewhere.errors import FileError

FILES = [("001.jpg", b"one" * 50), ("002.jpg", b""), ("Zürich.jpg", b"three")]


def packed(files: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    write_archive(file, files)
    return file.getvalue()


def test_other_programs_read_it(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed(FILES))
    with zipfile.ZipFile(path) as found:
        assert found.testzip() is None
        assert [(one, found.read(one)) for one in found.namelist()] == FILES
    if shutil.which("unzip"):
        subprocess.run(["unzip", "-tq", path], check=True, capture_output=True)


def test_all_entries_are_alike_and_tell_nothing() -> None:
    with zipfile.ZipFile(io.BytesIO(packed(FILES))) as found:
        assert found.comment == b""
        alike = {
            (
                one.date_time, one.compress_type, one.create_system, one.create_version,
                one.extract_version, one.flag_bits, one.external_attr, one.internal_attr,
                one.extra, one.comment, one.volume,
            )
            for one in found.infolist()
        }  # fmt: skip
    when = (1980, 1, 1, 0, 0, 0)
    assert alike == {(when, 0, 3, 20, 20, 0x800, 0o100644 << 16, 0, b"", b"", 0)}


def test_it_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed(FILES))
    entries = read_entries(path)
    assert [(entry.name, read_entry(path, entry)) for entry in entries] == FILES
    copy = open_copy(path)
    assert copy.names == tuple(sorted(name for name, _ in FILES))
    assert copy.read("001.jpg") == b"one" * 50


@given(data=st.data())
def test_any_other_byte_is_refused_or_shows_in_a_file(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """There is no byte of an archive that could say anything unnoticed."""
    content = bytearray(packed(FILES))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "changed.zip"
    path.write_bytes(content)
    with pytest.raises(FileError):
        for entry in read_entries(path):
            read_entry(path, entry)


def test_a_name_that_comes_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed([("twice.jpg", b"a"), ("twice.jpg", b"b")]))
    with pytest.raises(FileError, match="may hold more than it shows"):
        read_entries(path)


def test_what_is_too_large_for_a_plain_zip_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_MAX_SIZE", 1000)
    with pytest.raises(FileError, match="name a folder to export to instead"):
        packed([("a", b"x" * 600), ("b", b"x" * 600)])
    monkeypatch.setattr(copies, "_MAX_ENTRIES", 2)
    with pytest.raises(FileError, match="65,535"):
        packed([(f"{n}", b"") for n in range(3)])
