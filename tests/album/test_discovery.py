"""Every file that is met is a photo or has a reason; companions as phones write them."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from elsewhere.album import discovery, files
from elsewhere.album.discovery import Discovery, find_photos
from elsewhere.errors import InputError
from tests.album.makers import MP4, VIDEO, jpeg, png, tiff, xmp

HEIC = (Path(__file__).parent / "data" / "phone.heic").read_bytes()
RAW = tiff([(0x100, 4, 1, 9)])


def album(folder: Path, **contents: bytes) -> Path:
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def names(found: Discovery) -> list[str]:
    return [photo.name for photo in found.photos]


def reasons(found: Discovery) -> dict[str, tuple[str, str]]:
    return {one.name: (one.kind, one.reason) for one in found.skipped}


def test_folders_are_walked_in_natural_order(tmp_path: Path) -> None:
    album(
        tmp_path,
        **{
            "IMG_10.jpg": jpeg(1),
            "img_9.JPG": jpeg(2),
            "IMG_2.png": png(3),
            "day 2/b.jpg": jpeg(4),
            "day 10/a.jpg": jpeg(5),
        },
    )
    expected = ["day 2/b.jpg", "day 10/a.jpg", "IMG_2.png", "img_9.JPG", "IMG_10.jpg"]
    assert names(find_photos([tmp_path])) == expected
    assert find_photos([str(tmp_path)]) == find_photos([tmp_path])


def test_single_files_and_several_folders(tmp_path: Path) -> None:
    album(tmp_path, **{"a/x.jpg": jpeg(1), "b/x.jpg": jpeg(2), "c.jpg": jpeg(3)})
    given = [tmp_path / "b", tmp_path / "c.jpg", tmp_path / "a", tmp_path / "a" / "x.jpg"]
    assert names(find_photos(given)) == ["b/x.jpg", "c.jpg", "a/x.jpg"]
    assert names(find_photos([tmp_path / "a" / "x.jpg"])) == ["x.jpg"]
    # two folders of the same name still give two names
    album(tmp_path, **{"d/a/x.jpg": jpeg(4)})
    assert names(find_photos([tmp_path / "a", tmp_path / "d" / "a"])) == ["a/x.jpg", "a/x.jpg (2)"]


def test_what_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere does not exist"):
        find_photos([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="no photo was given"):
        find_photos([])


def test_a_file_that_is_named_outright_is_meant(tmp_path: Path) -> None:
    album(tmp_path, **{".hidden.jpg": jpeg(1)})
    assert names(find_photos([tmp_path / ".hidden.jpg"])) == [".hidden.jpg"]
    assert reasons(find_photos([tmp_path]))[".hidden.jpg"][0] == "hidden"


def test_of_duplicates_the_plainest_name_stays(tmp_path: Path) -> None:
    album(tmp_path, **{"IMG_6 (1).JPG": jpeg(1), "IMG_6.JPG": jpeg(1), "a copy of 6.JPG": jpeg(1)})
    assert names(find_photos([tmp_path])) == ["IMG_6.JPG"]


def test_duplicates_are_named_with_their_twin(tmp_path: Path) -> None:
    album(tmp_path, **{"a 10.jpg": jpeg(1), "a 2.jpg": jpeg(1), "other/b.jpg": jpeg(1)})
    album(tmp_path, **{"other/b.jpg.json": b"{}"})
    found = find_photos([tmp_path])
    assert names(found) == ["a 2.jpg"]
    assert [note.name for note in found.photos[0].sidecars] == ["b.jpg.json"]
    why = ("duplicate", "it is the same file as a 2.jpg, which is read")
    said = reasons(found)
    assert said["a 10.jpg"] == said["other/b.jpg"] == why
    assert {file.same_as for file in found.skipped if file.kind == "duplicate"} == {"a 2.jpg"}


def test_files_of_one_size_are_not_duplicates(tmp_path: Path) -> None:
    one = jpeg(1) + bytes(100_000)
    album(tmp_path, **{"a.jpg": one, "b.jpg": one[:-1] + b"x", "c.jpg": b"\xff\xd8\xff" + one[3:]})
    assert names(find_photos([tmp_path])) == ["a.jpg", "b.jpg"]


def test_live_photos(tmp_path: Path) -> None:
    album(
        tmp_path,
        **{
            "IMG_1.HEIC": HEIC,
            "IMG_1.MOV": VIDEO,
            "IMG_2.MOV": VIDEO,
            "x/IMG_1.mov": VIDEO,
            "PXL_3.MP.jpg": jpeg(1),
            "PXL_3.MP": MP4,
        },
    )
    found = find_photos([tmp_path])
    assert names(found) == ["IMG_1.HEIC", "PXL_3.MP.jpg"]
    said = reasons(found)
    assert said["IMG_1.MOV"][0] == "companion"
    assert "the moving half of IMG_1.HEIC" in said["IMG_1.MOV"][1]
    assert said["PXL_3.MP"][0] == "companion"
    assert said["IMG_2.MOV"][0] == said["x/IMG_1.mov"][0] == "video"


def test_raw_twins(tmp_path: Path) -> None:
    album(
        tmp_path,
        **{
            "DSC_1.JPG": jpeg(1),
            "DSC_1.NEF": RAW,
            "DSC_2.NEF": RAW,
            "PXL_4.RAW-01.COVER.jpg": jpeg(2),
            "PXL_4.RAW-02.ORIGINAL.dng": RAW,
        },
    )
    found = find_photos([tmp_path])
    said = reasons(found)
    assert names(found) == ["DSC_1.JPG", "PXL_4.RAW-01.COVER.jpg"]
    assert said["DSC_1.NEF"] == (
        "companion",
        "it is the raw twin of DSC_1.JPG: raw files are not read",
    )
    assert said["PXL_4.RAW-02.ORIGINAL.dng"][0] == "companion"
    assert said["DSC_2.NEF"][0] == "raw"


def test_edits_take_the_place_of_their_originals(tmp_path: Path) -> None:
    album(
        tmp_path,
        **{
            "IMG_1.HEIC": HEIC,
            "IMG_E1.JPG": jpeg(1),
            "IMG_1.AAE": b"<plist/>",
            "IMG_E2.JPG": jpeg(2),
            "beach.jpg": jpeg(3),
            "beach-edited.jpg": jpeg(4),
            "beach.jpg.json": b"{}",
        },
    )
    found = find_photos([tmp_path])
    said = reasons(found)
    assert names(found) == ["beach-edited.jpg", "IMG_E1.JPG", "IMG_E2.JPG"]
    assert said["IMG_1.HEIC"] == ("original", "it was edited: IMG_E1.JPG is read in its place")
    assert said["beach.jpg"][0] == "original"
    assert said["IMG_1.AAE"][0] == "sidecar"
    assert [note.name for note in found.photos[0].sidecars] == ["beach.jpg.json"]


@pytest.mark.parametrize(
    ("photo", "note"),
    [
        ("a.jpg", "a.xmp"),
        ("a.jpg", "A.JPG.XMP"),
        ("a.jpg", "a.jpg.json"),
        ("a.jpg", "a.jpg.supplemental-metadata.json"),
        ("a.jpg", "a.jpg.supplemental-me.json"),
        ("a(2).jpg", "a.jpg(2).json"),
        ("a(2).jpg", "a.jpg.supplemental-metadata(2).json"),
        ("x" * 50 + ".jpg", "x" * 46 + ".json"),
    ],
)
def test_notes_find_their_photo(tmp_path: Path, photo: str, note: str) -> None:
    album(tmp_path, **{photo: jpeg(1), "b.jpg": jpeg(2), note: xmp()})
    found = find_photos([tmp_path])
    owners = {one.name: [path.name for path in one.sidecars] for one in found.photos}
    assert owners == {photo: [note], "b.jpg": []}
    assert reasons(found)[note] == ("sidecar", f"it is a note about {photo}: read, never shared")


def test_an_editors_note_comes_before_googles(tmp_path: Path) -> None:
    album(tmp_path, **{"a.jpg": jpeg(1), "a.jpg.json": b"{}", "a.xmp": xmp()})
    (photo,) = find_photos([tmp_path]).photos
    assert [note.name for note in photo.sidecars] == ["a.xmp", "a.jpg.json"]


def test_a_note_about_nothing(tmp_path: Path) -> None:
    album(tmp_path, **{"metadata.json": b"{}", "b.jpg": jpeg(1), "stray.xmp": xmp()})
    found = find_photos([tmp_path])
    assert found.photos[0].sidecars == ()
    assert {kind for kind, _ in reasons(found).values()} == {"sidecar"}


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_links(tmp_path: Path) -> None:
    folder = album(tmp_path / "album", **{"real.jpg": jpeg(1), "sub/other.jpg": jpeg(2)})
    (tmp_path / "outside.jpg").write_bytes(jpeg(3))
    (folder / "in.jpg").symlink_to("real.jpg")
    (folder / "out.jpg").symlink_to(tmp_path / "outside.jpg")
    (folder / "sub" / "up").symlink_to("..", target_is_directory=True)
    (folder / "broken.jpg").symlink_to("nowhere")
    found = find_photos([folder])
    said = reasons(found)
    assert names(found) == ["real.jpg", "sub/other.jpg"]
    assert said["in.jpg"][0] == said["sub/up"][0] == "link"
    assert "inside the folder" in said["in.jpg"][1]
    assert "leads out of the folder" in said["out.jpg"][1]
    assert "link to nothing" in said["broken.jpg"][1]
    # what somebody names outright is followed, file or folder
    (tmp_path / "way").symlink_to(folder, target_is_directory=True)
    assert names(find_photos([tmp_path / "way"])) == names(found)
    assert names(find_photos([folder / "out.jpg"])) == ["out.jpg"]


@pytest.mark.skipif(os.name != "posix", reason="modes mean little elsewhere")
def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read anything, so the refusal is put in where the file is opened."""
    album(tmp_path, **{"a.jpg": jpeg(1), "b.jpg": jpeg(2), "shut/c.jpg": jpeg(3)})
    true_open, true_scan = files.open_readonly, os.scandir

    def open_readonly(path: Path) -> io.BufferedReader:
        if path.name == "a.jpg":
            raise PermissionError(13, "Permission denied")
        return true_open(path)

    def scandir(path: Path) -> object:
        if path.name == "shut":
            raise PermissionError(13, "Permission denied")
        return true_scan(path)

    monkeypatch.setattr(discovery, "open_readonly", open_readonly)
    monkeypatch.setattr(os, "scandir", scandir)
    found = find_photos([tmp_path])
    assert names(found) == ["b.jpg"]
    why = "it cannot be read (Permission denied): check it and its permissions"
    assert reasons(found) == {"a.jpg": ("unreadable", why), "shut": ("unreadable", why)}


def test_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    assert files.read_file(path, 100) == b"x" * 100
    assert files.read_file(path, 99) is None
    with pytest.raises(files.NotPlainError):
        files.read_file(tmp_path)
