"""`elsewhere clean`, as it is typed: metadata removed, place not hidden, nothing promised."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from elsewhere import messages
from tests.album.makers import jpeg
from tests.cli.keyboard import SCORER, typed


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_every_photo_is_copied_without_metadata_and_nothing_is_promised(home: Path) -> None:
    (home / "album" / "IMG_0.jpg").write_bytes(jpeg(1, comment=b"by a lake"))
    before = digests(home / "album")
    result = typed("clean", "album", "-o", "out")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(messages.NOT_HIDDEN)
    assert "6 photos" in result.stdout and "cleaned" in result.stdout
    assert "certificate" not in result.stdout
    assert sorted(file.name for file in (home / "out").iterdir()) == [
        f"00{number}.jpg" for number in range(1, 7)
    ]
    assert all(b"by a lake" not in file.read_bytes() for file in (home / "out").iterdir())
    assert digests(home / "album") == before
    assert not list(home.rglob("certificate*"))


def test_verify_says_that_nothing_is_promised(home: Path) -> None:
    assert typed("clean", "album", "-o", "out").exit_code == 0
    result = typed("verify", "out")
    assert result.exit_code == 1 and not result.stdout
    assert "there is no certificate" in result.stderr
    assert "nothing is promised" in result.stderr
    assert "all 6 files are bare pictures without metadata" in result.stderr
    (home / "out" / "001.jpg").write_bytes((home / "out" / "001.jpg").read_bytes() + b"more")
    result = typed("verify", "out")
    assert result.exit_code == 1
    assert "1 of 6 files hold more than a picture" in result.stderr


def test_an_earlier_copys_certificate_is_not_taken_for_its_own(home: Path) -> None:
    protect = ("protect", "album", "--at=Lisbon", "-o", "out", "--top", "1", *SCORER)
    assert typed(*protect).exit_code == 0
    (home / "out").rename(home / "moved")
    # under names of their own, no file is by chance one of the earlier copy
    assert typed("clean", "album", "-o", "out", "--names", "keep").exit_code == 0
    result = typed("verify", "out")
    assert result.exit_code == 1 and "nothing is promised" in result.stderr
    assert typed("verify", "moved").exit_code == 0


def test_a_zip_without_some_photos(home: Path) -> None:
    command = ("clean", "album", "--drop", "IMG_0*", "--drop=IMG_3.jpg", "-o", "out.zip", "--json")
    result = typed(*command)
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["protects"] is False and said["verdict"] == messages.NOT_HIDDEN
    assert said["dropped"] == ["IMG_0.jpg", "IMG_3.jpg"] and len(said["kept"]) == 4
    with ZipFile(home / "out.zip") as archive:
        assert archive.namelist() == [file["file"] for file in said["files"]]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("album",), 2, "name the clean copy with -o TARGET"),
        (("album", "-o", "album/out"), 2, "would lie among the originals"),
        (("album", "-o", "model"), 2, "exists already"),
        (("album", "-o", "out", "--drop", "*"), 2, "every photo is dropped"),
        (("album", "-o", "out", "--drop", "nobody.jpg"), 2, "nobody.jpg"),
        (("album", "-o", "out", "--names", "mine"), 2, "choose neutral or keep"),
        (("album", "-o", "out", "--full", "--max-side", "100"), 2, "give either"),
        (("model", "-o", "out"), 1, "no photo"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    home: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    before = digests(home)
    result = typed("clean", *arguments)
    assert result.exit_code == code, result.output
    assert sentence in result.stderr
    assert digests(home) == before
    assert not list(home.glob(".elsewhere-*")) and not (home / "out").exists()


def test_files_that_cannot_be_read_are_named(home: Path) -> None:
    (home / "album" / "broken.jpg").write_bytes(b"\xff\xd8no photo")
    result = typed("clean", "album", "-o", "out")
    assert result.exit_code == 0
    assert "broken.jpg" in result.stdout


def test_it_is_offered_where_there_is_no_plan(home: Path) -> None:
    result = typed("protect", "album", "--at=Lisbon", "-o", "my out", "--top", "400", *SCORER)
    assert result.exit_code == 3, result.output
    assert "elsewhere clean album -o 'my out'" in result.stdout


def test_it_is_offered_where_no_place_is_known(home: Path) -> None:
    result = typed("protect", "album", "-o", "out", *SCORER)
    assert result.exit_code == 2
    assert "elsewhere clean album -o out" in result.stdout


def test_nothing_is_called_cleaned_where_nothing_can_be_shared(home: Path) -> None:
    (home / "album" / "named.jpg").write_bytes(jpeg(50, comment=b"by a lake"))
    result = typed("protect", "album", "--at=Lisbon", "-n", "--top", "400", *SCORER)
    assert result.exit_code == 3, result.output
    assert "cleaned" not in result.stdout
