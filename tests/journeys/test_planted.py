"""A folder of mixed formats, full of planted metadata, through `elsewhere protect`: nothing of it
is in any byte that is exported, by raw search and by exiftool.

Every mark is first found in the originals, so that a search that finds nothing means something.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from PIL.PngImagePlugin import PngInfo

from elsewhere.globe import Cells
from tests.album.makers import (
    GPS,
    MP4,
    VIDEO,
    display_p3,
    encoded,
    exif,
    iptc_segment,
    jpeg,
    picture,
    png,
    segment,
    with_segments,
    xmp,
    xmp_segment,
)
from tests.album.nasty import snapshot
from tests.scorers.models import described

HEIC = Path(__file__).parents[1] / "album" / "data" / "phone.heic"
MARKS = (
    *("PLANTED-SERIAL", "PLANTEDMAKER", "planted comment", "Planted Artist", "Phone 9"),  # EXIF
    *("Planted City", "Planted Creator", "PLANTED-XMP"),
    *("PLANTED-IPTC", "PLANTED-ICC", "PLANTED-JPEG-COMMENT", "PLANTED-TRAILER", "PLANTEDVIDEO"),
    *("PLANTED-THUMBNAIL", "PLANTED-GAINMAP", "hdrgm"),
    *("PLANTED-PNG-TEXT", "PLANTED-PNG-ZIPPED", "PLANTED-PNG-INTERNATIONAL", "PLANTED-TIFF"),
    *("PLANTED-SIDECAR", "PLANTED-TAKEOUT", "PLANTED-NAME", "2023:07:14", "38.7223"),
)
DEGREES = tuple(struct.pack(f"{order}4I", 38, 1, 43, 1) for order in "<>")
"""The latitude's degrees and minutes as EXIF has them, in either order of bytes."""


def with_thumbnail(content: bytes) -> bytes:
    """A JPEG whose EXIF holds a small picture that has something to say itself."""
    small = with_segments(jpeg(77, 16, 12), segment(0xFE, b"PLANTED-THUMBNAIL"))
    first = struct.pack("<HHHIII", 1, 0x0112, 3, 1, 1, 26)
    second = struct.pack("<HHHIIHHIII", 2, 0x0201, 4, 1, 56, 0x0202, 4, 1, len(small), 0)
    block = b"II*\0" + struct.pack("<I", 8) + first + second
    return with_segments(content, segment(0xE1, b"Exif\0\0" + block + small))


def with_gain_map(content: bytes) -> bytes:
    """A JPEG with a second one behind it that brightens it, as phones write for HDR screens."""
    told = '<rdf:li xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"/>'
    second = with_segments(
        jpeg(78, 24, 16),
        xmp_segment(xmp(None, more=told)),
        segment(0xFE, b"PLANTED-GAINMAP"),
    )
    where = b"MPF\0II*\0" + struct.pack("<I", 8) + bytes(70)
    return with_segments(content, xmp_segment(xmp(None, more=told)), segment(0xE2, where)) + second


def plant(folder: Path) -> None:
    """The album; its files are told apart by their pictures, too."""
    told = exif().tobytes()
    text = PngInfo()
    text.add_text("Comment", "PLANTED-PNG-TEXT")
    text.add_text("Description", "PLANTED-PNG-ZIPPED " * 9, zip=True)
    text.add_itxt("Title", "PLANTED-PNG-INTERNATIONAL", "de", "Titel")
    files = {
        "PLANTED-NAME in Lisbon 2023-07-14.jpg": jpeg(1, exif=told),
        "xmp.jpg": with_segments(
            jpeg(2), xmp_segment(xmp(more="<xmp:Label>PLANTED-XMP</xmp:Label>"))
        ),
        "iptc.jpg": with_segments(jpeg(3, exif=told), iptc_segment("PLANTED-IPTC")),
        "icc.jpg": jpeg(4, exif=told, icc_profile=display_p3("PLANTED-ICC")),
        "comment.jpg": jpeg(5, exif=told, comment=b"PLANTED-JPEG-COMMENT"),
        "trailer.jpg": jpeg(6, exif=told) + b"PLANTED-TRAILER" * 40,
        "motion.jpg": jpeg(7, exif=told) + MP4,
        "thumbnail.jpg": with_thumbnail(jpeg(8)),
        "gain.jpg": with_gain_map(jpeg(9, exif=told)),
        "text.png": png(10, pnginfo=text, exif=told),
        "webp.webp": encoded(picture(11), "WEBP", exif=told, xmp=xmp()),
        "tiff.tif": encoded(picture(12), "TIFF", tiffinfo={270: "PLANTED-TIFF"}),
        "avif.avif": encoded(picture(13), "AVIF", exif=told, xmp=xmp()),
        "live.mov": VIDEO,
        "beside.jpg": jpeg(14),
        "beside.xmp": xmp(more="<xmp:Label>PLANTED-SIDECAR</xmp:Label>"),
        "takeout.jpg": jpeg(15),
        "takeout.jpg.json": json.dumps(
            {
                "description": "PLANTED-TAKEOUT",
                "geoData": {"latitude": GPS[0], "longitude": GPS[1]},
                "photoTakenTime": {"timestamp": "1689341400"},
            }
        ).encode(),
    }
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    copyfile(HEIC, folder / "live.heic")


PHOTOS = 16
WISHES = ("--json", "--scorer", "onnx:model/tiny.onnx", "--top", "1", "--exact-top", "--keep", "*")
"""All photos are kept, so that all of them can be searched."""


def found_in(content: bytes) -> set[str]:
    """The marks that stand in some bytes, plain or in two bytes a letter."""
    marks = {
        mark
        for mark in MARKS
        for form in ("utf-8", "utf-16-le", "utf-16-be")
        if mark.encode(form) in content
    }
    return marks | {"degrees" for pattern in DEGREES if pattern in content}


def exiftool(*paths: Path) -> str:
    """Everything that exiftool can tell of files, embedded ones included."""
    command = ["exiftool", "-a", "-u", "-U", "-G1", "-ee3", "-b", "-j", *map(str, paths)]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )


def exported(target: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a copy with its bytes, and the archive itself where it is one."""
    if target.is_dir():
        for path in target.iterdir():
            yield path.name, path.read_bytes()
        return
    yield target.name, target.read_bytes()
    with zipfile.ZipFile(target) as archive:
        for entry in archive.infolist():
            yield entry.filename, archive.read(entry) + entry.extra + entry.comment


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the planted album and two copies of it, made by the program itself."""
    here = tmp_path_factory.mktemp("planted")
    (here / "model").mkdir()
    described(here / "model", Cells.paper())
    plant(here / "album")
    before = snapshot(here / "album")
    for target in ("copy", "copy.zip"):
        done = subprocess.run(
            [sys.executable, "-m", "elsewhere", "protect", "album", "-o", target, *WISHES],
            cwd=here,
            env={
                **os.environ,
                "ELSEWHERE_DATA_DIR": str(here / "data"),
                "ELSEWHERE_CACHE_DIR": str(here / "cache"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert len(told["files"]) == len(told["kept"]) == PHOTOS, told
        assert {one["file"]: one["kind"] for one in told["left"]} == {
            "beside.xmp": "sidecar",
            "live.mov": "companion",
            "takeout.jpg.json": "sidecar",
        }
        assert [place["place"] for place in told["places"]] == ["Lisbon, Portugal"]
    assert snapshot(here / "album") == before
    return here


@pytest.mark.needs("exiftool")
def test_every_mark_is_in_the_originals(copies: Path) -> None:
    there: set[str] = set()
    for path in (copies / "album").iterdir():
        there |= found_in(path.read_bytes()) | found_in(path.name.encode())
    there |= found_in(exiftool(*(copies / "album").iterdir()).encode())
    assert there == {*MARKS, "degrees"}


@pytest.mark.parametrize("target", ["copy", "copy.zip"])
def test_no_mark_is_in_any_exported_byte(copies: Path, target: str) -> None:
    files = dict(exported(copies / target))
    assert len(files) == PHOTOS + (target == "copy.zip")
    for name, content in files.items():
        assert not found_in(content) and not found_in(name.encode()), name


@pytest.mark.needs("exiftool")
def test_exiftool_finds_nothing_but_a_picture(copies: Path) -> None:
    told = exiftool(*(copies / "copy").iterdir())
    assert not found_in(told.encode())
    groups = {key.partition(":")[0] for one in json.loads(told) for key in one if ":" in key}
    assert groups == {"ExifTool", "System", "File", "JFIF", "Composite"}
    assert len({one["System:FileModifyDate"] for one in json.loads(told)}) == 1
