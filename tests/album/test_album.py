"""A whole folder: photos as they would be shared, everything known, everything accounted for."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from elsewhere.album import Limits, Recipe, Step, read_album
from elsewhere.album.album import _photo
from elsewhere.album.discovery import Candidate
from elsewhere.album.files import SkippedFile
from elsewhere.album.renditions import Spool, size_if_bare
from elsewhere.album.workers import Reply, Workers
from tests.album import makers
from tests.album.makers import GPS, MP4, display_p3, exif, jpeg, picture, png
from tests.album.nasty import snapshot

DATA = Path(__file__).parent / "data"
PLANTED = (b"PLANTED", b"Planted", b"planted", b"Exif", b"ftyp", b"acsp", b"xpacket", b"2023")


@pytest.fixture
def phone(tmp_path: Path) -> Path:
    """A phone's folder: every format, everything planted in it that a file can carry."""
    folder = tmp_path / "trip"
    folder.mkdir()
    tags = exif().tobytes()
    full = makers.with_segments(
        jpeg(1, 3000, 2000, exif=exif(orientation=6), comment=b"planted", icc_profile=display_p3()),
        makers.xmp_segment(makers.xmp()),
        makers.iptc_segment(),
    )
    (folder / "IMG_1.jpg").write_bytes(full + MP4)
    shutil.copy(DATA / "phone.heic", folder / "IMG_2.HEIC")
    (folder / "IMG_2.MOV").write_bytes(makers.VIDEO)
    text = makers.chunk(b"tEXt", b"Comment\0planted words")
    (folder / "IMG_3.png").write_bytes(makers.with_chunks(png(3, exif=tags), text))
    for number, kind in ((4, "WEBP"), (5, "TIFF"), (6, "AVIF")):
        content = makers.encoded(picture(number), kind, exif=tags, icc_profile=display_p3())
        (folder / f"IMG_{number}.{kind.lower()}").write_bytes(content)
    (folder / "IMG_7.jpg").write_bytes(jpeg(7))
    (folder / "IMG_7.xmp").write_bytes(makers.xmp(rating=5))
    (folder / "IMG_8.jpg").write_bytes(jpeg(8))
    note = {"geoData": {"latitude": 48.2, "longitude": 16.4}, "photoTakenTime": {"timestamp": "7"}}
    (folder / "IMG_8.jpg.supplemental-metadata.json").write_text(json.dumps(note))
    (folder / "IMG_20230714_9.jpg").write_bytes(jpeg(9))
    return folder


def test_a_phones_folder(phone: Path, pool: Workers) -> None:
    before = snapshot(phone)
    told: list[Step] = []
    album = read_album([phone], workers=pool, progress=told.append)
    assert snapshot(phone) == before
    assert [photo.id for photo in album.photos] == [
        "IMG_1.jpg",
        "IMG_2.HEIC",
        "IMG_3.png",
        "IMG_4.webp",
        "IMG_5.tiff",
        "IMG_6.avif",
        "IMG_7.jpg",
        "IMG_8.jpg",
        "IMG_20230714_9.jpg",
    ]
    assert [(one.done, one.total) for one in told] == [(n, 9) for n in range(10)]
    assert [one.photo for one in told] == [None, *album.photos]
    assert [one.skipped for one in told] == [album.skipped, *[()] * 9]
    assert [one.kind for one in album.skipped] == ["companion", "sidecar", "sidecar"]
    places = [photo.metadata.position for photo in album.photos]
    assert all(where is not None for where in places[:8])
    assert places[7] == (48.2, 16.4)
    assert places[8] is None
    assert album.photos[6].metadata.rating == 5
    assert album.photos[8].metadata.time is not None
    first = album.photos[0]
    assert (first.rendition.width, first.rendition.height) == (1365, 2048)
    for photo in album.photos:
        content = photo.rendition.content
        assert size_if_bare(content) == (photo.rendition.width, photo.rendition.height)
        for planted in PLANTED:
            assert planted not in content


def test_what_is_scored_is_what_the_file_shows(tmp_path: Path, pool: Workers) -> None:
    (tmp_path / "a.png").write_bytes(png(1, 640, 480))
    (photo,) = read_album([tmp_path], workers=pool).photos
    shown = np.asarray(Image.open(io.BytesIO(photo.rendition.content))).astype(int)
    assert np.abs(shown - np.asarray(picture(1, 640, 480))).mean() < 2


def test_reading_twice_gives_the_same_bytes(phone: Path, pool: Workers) -> None:
    first, second = (read_album([phone], workers=pool) for _ in range(2))
    assert first == second
    assert [a.rendition.content for a in first.photos] == [
        b.rendition.content for b in second.photos
    ]


def test_the_size_can_be_chosen(tmp_path: Path, pool: Workers) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(1, 3000, 1500))
    sizes = [
        read_album([tmp_path], workers=pool, recipe=Recipe(side)).photos[0].rendition.width
        for side in (640, 1920, 2048, None)
    ]
    assert sizes == [640, 1920, 2048, 3000]


def test_the_same_picture_in_two_files_counts_once(tmp_path: Path, pool: Workers) -> None:
    """One stripped, one not: the first in order stays, and what the other knows is not lost."""
    (tmp_path / "a.jpg").write_bytes(jpeg(1))
    (tmp_path / "b.jpg").write_bytes(jpeg(1, exif=exif()))
    album = read_album([tmp_path], workers=pool)
    (photo,) = album.photos
    assert photo.id == "a.jpg"
    assert photo.metadata.position == pytest.approx(GPS, abs=1e-4)
    assert [(one.name, one.kind) for one in album.skipped] == [("b.jpg", "duplicate")]
    assert "exactly the same picture as a.jpg" in album.skipped[0].reason


def test_an_album_without_photos_is_empty(tmp_path: Path, pool: Workers) -> None:
    (tmp_path / "notes.txt").write_text("none")
    album = read_album([tmp_path], workers=pool)
    assert album.photos == ()
    assert [one.kind for one in album.skipped] == ["foreign"]


def test_a_file_that_changes_its_kind_after_it_was_found(tmp_path: Path, pool: Workers) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(b"PK\x03\x04 no longer a photo")
    for target, kind in ((path, "foreign"), (tmp_path / "gone.jpg", "unreadable")):
        request = {"files": [target], "max_side": 64, "pixels": 10**6}
        assert pool.ask(request).failed == kind


@pytest.mark.parametrize(
    "reply",
    [
        Reply({}, []),
        Reply({}, [b"a", b"b"]),
        Reply({}, [b"no picture"]),
        Reply({}, [jpeg(1, comment=b"smuggled")]),
        Reply({}, [jpeg(1, 2049, 2000)]),
    ],
)
def test_a_worker_that_was_taken_over_smuggles_nothing(reply: Reply) -> None:
    file = Candidate(Path("a.jpg"), "a.jpg", "jpeg")
    made = _photo(file, reply, Recipe(), Spool())
    assert isinstance(made, SkippedFile)
    assert made.kind == "crash"


def test_a_worker_cannot_invent_kinds_or_escape_codes() -> None:
    file = Candidate(Path("a.jpg"), "a.jpg", "jpeg")
    reply = Reply({"failed": "owned", "detail": "\x1b[2J" * 500}, [], "owned")
    made = _photo(file, reply, Recipe(), Spool())
    assert isinstance(made, SkippedFile)
    assert made.kind == "damaged"
    assert "\x1b" not in made.reason and len(made.reason) <= 200


@pytest.mark.skipif(os.name != "posix", reason="counts descriptors in /proc or /dev")
def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """No worker, no temporary file, no open file, even when the album is read many times."""
    (tmp_path / "a.jpg").write_bytes(jpeg(1))
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    code = (
        "import gc, os, sys\n"
        "from elsewhere.album import read_album\n"
        "def count(): gc.collect(); return len(os.listdir('/dev/fd'))\n"
        "for _ in range(3):\n"
        "    album = read_album([sys.argv[1]])\n"
        "    album.close()\n"
        "    print(count(), len(os.listdir(os.environ['TMPDIR'])))\n"
    )
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "a.jpg")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert told.stderr == ""
    lines = told.stdout.split("\n")[:3]
    assert lines[0] == lines[1] == lines[2]
    assert lines[0].endswith(" 0")


def test_limits_are_told_to_the_workers(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(1, 3000, 2000))  # takes longer than a clock needs to ring
    album = read_album([tmp_path], limits=Limits(seconds=0.000_001))
    assert [one.kind for one in album.skipped] == ["time"]


@pytest.mark.needs("exiftool")
def test_exiftool_finds_nothing_in_a_rendition(phone: Path, tmp_path: Path, pool: Workers) -> None:
    album = read_album([phone], workers=pool)
    for number, photo in enumerate(album.photos):
        (tmp_path / f"{number}.jpg").write_bytes(photo.rendition.content)
    found = json.loads(
        subprocess.run(
            ["exiftool", "-json", "-G", "-a", "-u", *sorted(map(str, tmp_path.glob("*.jpg")))],
            capture_output=True,
            check=True,
        ).stdout
    )
    assert len(found) == len(album.photos)
    groups = {key.partition(":")[0] for one in found for key in one}
    assert groups <= {"SourceFile", "ExifTool", "File", "JFIF", "Composite"}
    constant = [{k: v for k, v in one.items() if k.startswith("JFIF:")} for one in found]
    assert all(one == constant[0] for one in constant)
