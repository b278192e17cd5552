"""Zips of photos are read where they are; hostile ones cost one sentence, and nothing on disk."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from hashlib import sha256
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.album.album import read_album
from elsewhere.album.discovery import Discovery, find_photos
from elsewhere.album.files import file_digest, open_readonly, read_file
from tests.album.makers import MP4, jpeg, png

SIDECAR = json.dumps(
    {
        "title": "IMG_1.jpg",
        "geoData": {"latitude": 48.1, "longitude": 11.5, "altitude": 500.0},
        "photoTakenTime": {"timestamp": "1600000000"},
    }
).encode()


def zipped(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def reasons(found: Discovery) -> dict[str, str]:
    return {one.name: one.reason for one in found.skipped}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_archive_is_read_like_the_folder_that_it_was(tmp_path: Path, method: int) -> None:
    files = {
        "Takeout/Trip/IMG_1.jpg": jpeg(1),
        "Takeout/Trip/IMG_1.jpg.supplemental-metadata.json": SIDECAR,
        "Takeout/Trip/IMG_2.png": png(2),
        "Takeout/Trip/IMG_2 (1).png": png(2),
        "Takeout/Trip/film.mp4": MP4,
        "Takeout/archive_browser.html": b"<html>",
        "Takeout/.hidden.jpg": jpeg(3),
        "__MACOSX/Takeout/._IMG_1.jpg": b"x",
        "Takeout/empty.jpg": b"",
    }
    zipped(tmp_path / "trip.zip", files, method)
    for name, content in files.items():
        path = tmp_path / "trip" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    before = sha256((tmp_path / "trip.zip").read_bytes()).digest()
    packed, unpacked = read_album([tmp_path / "trip.zip"]), read_album([tmp_path / "trip"])
    assert [photo.id for photo in packed.photos] == [photo.id for photo in unpacked.photos]
    for one, other in zip(packed.photos, unpacked.photos, strict=True):
        assert one.metadata == other.metadata and one.original == other.original
        assert one.rendition.digest == other.rendition.digest
    assert packed.photos[0].metadata.position == (48.1, 11.5)
    in_folder = {one.name for one in unpacked.skipped} - {"__MACOSX"}
    assert {one.name for one in packed.skipped} - {"__MACOSX/Takeout/._IMG_1.jpg"} == in_folder
    assert sha256((tmp_path / "trip.zip").read_bytes()).digest() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trip", "trip.zip"]
    for album in (packed, unpacked):
        album.close()


def test_a_sidecar_may_lie_in_another_part_of_the_archive(tmp_path: Path) -> None:
    first = zipped(tmp_path / "takeout-001.zip", {"Takeout/Trip/IMG_1.jpg": jpeg(1)})
    second = zipped(
        tmp_path / "takeout-002.zip",
        {"Takeout/Trip/IMG_1.jpg.json": SIDECAR, "Takeout/Trip/IMG_2.jpg": jpeg(2)},
    )
    album = read_album([first, second])
    positions = {photo.id: photo.metadata.position for photo in album.photos}
    assert positions == {
        "takeout-001.zip/Takeout/Trip/IMG_1.jpg": (48.1, 11.5),
        "takeout-002.zip/Takeout/Trip/IMG_2.jpg": None,
    }
    album.close()
    # beside a photo of its own archive it is about that one only
    own = {"Takeout/Trip/IMG_1.jpg.json": SIDECAR, "Takeout/Trip/IMG_1.jpg": jpeg(3)}
    album = read_album([first, zipped(tmp_path / "other.zip", own)])
    positions = {photo.id: photo.metadata.position for photo in album.photos}
    assert positions["takeout-001.zip/Takeout/Trip/IMG_1.jpg"] is None
    assert positions["other.zip/Takeout/Trip/IMG_1.jpg"] == (48.1, 11.5)
    album.close()


def test_names_that_climb_and_links_are_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").write_bytes(jpeg(9))
    path = tmp_path / "in" / "a.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../secret.jpg", "a/../../../secret.jpg", "/etc/passwd", "\\\\host\\a.jpg"):
            archive.writestr(name, jpeg(1))
        link = zipfile.ZipInfo("link.jpg")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "../secret.jpg")
        archive.writestr("good.jpg", jpeg(2))
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["good.jpg"]
    said = reasons(found)
    assert said["link.jpg"].startswith("it is a link")
    del said["link.jpg"]
    assert len(said) == 4
    assert all(reason.startswith("its name leads out") for reason in said.values()), said
    with pytest.raises(OSError):
        open_readonly(path / "../secret.jpg")
    assert not list(tmp_path.glob("in/*.jpg"))


@pytest.mark.parametrize(
    "name",
    ["C:/Users/me/a.jpg", "./C:/a.jpg", "C:a.jpg", "x\\..\\a.jpg", "x/.. /a.jpg", "//host/s/a.jpg"],
)
def test_names_that_lead_out_on_windows_are_named_and_not_read(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {name: jpeg(1), "12:30 lunch.jpg": jpeg(2)})
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["12:30 lunch.jpg"]
    (skipped,) = found.skipped
    assert skipped.reason.startswith("its name leads out")
    inside = skipped.path.relative_to(path).as_posix()
    assert (PureWindowsPath("D:/a.zip") / inside).is_relative_to("D:/a.zip")


@pytest.mark.parametrize("last", [True, False])
def test_a_name_that_leads_out_replaces_no_other(tmp_path: Path, last: bool) -> None:
    names = ["a.jpg", "../a.jpg"] if last else ["../a.jpg", "a.jpg"]
    path = zipped(tmp_path / "a.zip", {name: jpeg(len(name)) for name in names})
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["a.jpg"]
    assert read_file(found.photos[0].path) == jpeg(len("a.jpg"))
    assert reasons(found)["a.jpg (2)"].startswith("its name leads out")


def test_what_is_encrypted_or_packed_strangely_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.jpg": jpeg(1), "b.jpg": jpeg(2)})
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 8] |= 1  # as if the first were encrypted
    path.write_bytes(content)
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["b.jpg"]
    assert "encrypted" in reasons(found)["a.jpg"]
    path = zipped(tmp_path / "b.zip", {"a.jpg": jpeg(1)}, zipfile.ZIP_BZIP2)
    assert "rare method" in reasons(find_photos([path]))["a.jpg"]


def test_a_zip_in_a_zip_or_in_a_folder_is_not_opened(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"a.jpg": jpeg(1)})
    path = zipped(tmp_path / "outer.zip", {"inner.zip": inner.read_bytes(), "b.jpg": jpeg(2)})
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["b.jpg"]
    assert reasons(found) == {"inner.zip": archive_inside()}
    assert reasons(find_photos([tmp_path]))["inner.zip"] == archive_inside()


def archive_inside() -> str:
    return (
        "it is a zip archive that is not opened here: unpack it, or give it by itself with a name "
        "ending in .zip"
    )


def test_of_two_entries_with_one_name_the_last_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.jpg", jpeg(1))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.jpg", jpeg(2))
    found = find_photos([path])
    assert [photo.name for photo in found.photos] == ["a.jpg"]
    assert read_file(found.photos[0].path) == jpeg(2)
    assert "has the same name" in reasons(found)["a.jpg (2)"]


def claiming(path: Path, entries: int, each: int, packed: int = 64) -> Path:
    """An archive whose directory claims so many entries of so many bytes; they share their data."""
    data = zlib.compress(bytes(each if each < 1 << 20 else 1), 9)[2:-4][:packed].ljust(packed)
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 0, 0, packed, each, 1, 0) + b"a"
    directory = b"".join(
        struct.pack(
            "<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, 0, packed, each,
            len(name := f"{n}.jpg".encode()), 0, 0, 0, 0, 0, 0,
        ) + name
        for n in range(entries)
    )  # fmt: skip
    start = len(local) + len(data)
    end = struct.pack(
        "<4s4H2IH", b"PK\x05\x06", 0, 0, entries % 65536, entries % 65536, len(directory), start, 0
    )
    path.write_bytes(local + data + directory + end)
    return path


@pytest.mark.parametrize(
    ("entries", "each", "packed", "sentence"),
    [
        (400, 1000, 4096, "claim more packed bytes"),
        (1, 1 << 31, 64, "claims far more bytes"),
        (300_000, 0, 0, "too many entries"),
    ],
)
def test_bombs_are_refused_before_anything_is_unpacked(
    tmp_path: Path, entries: int, each: int, packed: int, sentence: str
) -> None:
    path = claiming(tmp_path / "bomb.zip", entries, each, packed)
    found = find_photos([path])
    assert not found.photos and sentence in reasons(found)["bomb.zip"]


def test_an_entry_never_gives_more_than_it_claims(tmp_path: Path) -> None:
    """A claim that is too small ends in a wrong checksum, not in a full memory."""
    path = zipped(tmp_path / "a.zip", {"a.jpg": jpeg(1) + bytes(1 << 22)})
    content = bytearray(path.read_bytes())
    central = content.index(b"PK\x01\x02")
    content[central + 24 : central + 28] = struct.pack("<I", 5000)
    path.write_bytes(content)
    with pytest.raises(OSError, match="damaged in its archive"):
        read_file(path / "a.jpg")
    album = read_album([path])
    assert not album.photos and "damaged in its archive" in album.skipped[0].reason
    album.close()


def test_an_archive_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.jpg": jpeg(1)})
    assert read_file(path / "a.jpg") == jpeg(1)
    zipped(path, {"a.jpg": jpeg(2) + b"more", "b.jpg": jpeg(3)})
    assert read_file(path / "a.jpg") == jpeg(2) + b"more"
    assert file_digest(path / "b.jpg") == sha256(jpeg(3)).hexdigest()
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read_file(path / "a.jpg")


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x03\x04 cut", jpeg(1)])
def test_what_only_calls_itself_a_zip_gets_one_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    found = find_photos([path])
    assert not found.photos
    said = "it is cut short or damaged, or no zip: download or copy it again"
    assert reasons(found)["a.zip"] == said


def test_an_entry_that_begins_outside_of_the_archive(tmp_path: Path) -> None:
    """An extra field may give 64 bits for where an entry begins."""
    path = zipped(tmp_path / "a.zip", {"a.jpg": jpeg(1)})
    content = path.read_bytes()
    central, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 1)
    entry, last = bytearray(content[central:end]), bytearray(content[end:])
    entry[30:32] = struct.pack("<H", len(extra))
    entry[42:46] = struct.pack("<I", 0xFFFFFFFF)
    last[12:16] = struct.pack("<I", len(entry) + len(extra))
    path.write_bytes(content[:central] + entry + extra + last)
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].header_offset == 2**64 - 1
    found = find_photos([path])
    said = "its list of entries is damaged: download or copy it again"
    assert not found.photos and reasons(found) == {"a.zip": said}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_archive_never_raises(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "mutant.zip"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/one.jpg", jpeg(1))
        archive.writestr("b.json", SIDECAR)
    content = bytearray(file.getvalue())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut] if data.draw(st.booleans()) else content)
    found = find_photos([path])
    for photo in found.photos:
        try:
            assert len(read_file(photo.path) or b"") <= photo.size
        except OSError as problem:
            assert problem.strerror
