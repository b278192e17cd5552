"""Where, when, how good, and what leaks: from everything that a photo brings along."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from elsewhere.album import metadata_readers
from elsewhere.album.decode import open_image, render_pixels
from elsewhere.album.metadata import (
    Leak,
    Metadata,
    from_json,
    make_leaks,
    parse_position,
    time_in_name,
    to_json,
)
from elsewhere.album.metadata_readers import read_embedded
from tests.album import makers
from tests.album.makers import GPS, LAUGHS, MP4, display_p3, exif, jpeg, outside, picture

LOCAL = datetime(2023, 7, 14, 15, 30, tzinfo=timezone(timedelta(hours=1)))
HEIC = (Path(__file__).parent / "data" / "phone.heic").read_bytes()


def told(content: bytes, kind: str) -> Metadata:
    image = open_image(content, kind)
    render_pixels(image, 1920)
    return read_embedded(image, content)


def kinds(value: Metadata) -> dict[str, str]:
    return {leak.kind: leak.text for leak in reversed(value.leaks)}


def near(found: tuple[float, float] | None, expected: tuple[float, float] = GPS) -> bool:
    return (
        found is not None and max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-4
    )


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp", "tiff", "avif", "heic"])
def test_exif_in_every_format(kind: str) -> None:
    content = (
        HEIC if kind == "heic" else makers.encoded(picture(1), kind.upper(), exif=exif().tobytes())
    )
    value = told(content, kind)
    assert near(value.position)
    assert value.time == LOCAL
    assert value.rating == 4
    said = kinds(value)
    assert said["position"].startswith("38.7")
    assert said["time zone"] == "+0100"
    assert said["serial number"] == "PLANTED-SERIAL"
    assert said["owner"] == "Planted Artist"
    assert said["comment"] == "planted comment"
    assert said["maker note"] == "240 bytes"
    assert "Planted" in said["camera"] or "Phone 9" in said["camera"]


@pytest.mark.parametrize("where", [(-33.86, 151.21), (-54.8, -68.3), (64.1, -21.9)])
def test_all_four_quarters_of_the_earth(where: tuple[float, float]) -> None:
    assert near(told(jpeg(1, exif=exif(where)), "jpeg").position, where)
    assert near(metadata_readers.read_xmp(makers.xmp(where)).position, where)


def test_everything_that_a_jpeg_may_carry() -> None:
    content = makers.with_segments(
        jpeg(1, icc_profile=display_p3("Planted P3"), comment=b"planted in a segment"),
        makers.xmp_segment(makers.xmp(rating=2)),
        makers.iptc_segment(),
    )
    said = kinds(told(content + MP4, "jpeg"))
    assert said["colour profile"] == "Planted P3"
    assert said["comment"] == "planted in a segment"
    assert said["IPTC city"] == "Planted Town"
    assert said["city"] == "Planted City"
    assert said["owner"] == "Planted Creator; and Son"
    assert said["video"] == f"{len(MP4)} bytes"
    assert told(content, "jpeg").rating == 2
    behind = kinds(told(jpeg(1) + b"PK trailing", "jpeg"))
    assert behind == {"bytes behind the picture": "11 bytes"}


def test_thumbnails_and_second_pictures_are_named() -> None:
    stereo = makers.encoded(picture(1), "MPO", save_all=True, append_images=[picture(2)])
    assert "further pictures" in kinds(told(stereo, "jpeg"))
    small = jpeg(3, 32, 32)
    block = makers.tiff([(0x010E, 2, 4, 0)], following=26)
    block += b"\2\0" + (0x0201).to_bytes(2, "little") + b"\4\0\1\0\0\0" + (56).to_bytes(4, "little")
    block += (0x0202).to_bytes(2, "little") + b"\4\0\1\0\0\0" + len(small).to_bytes(4, "little")
    block = block.ljust(56, b"\0") + small
    content = makers.with_segments(jpeg(4), makers.segment(0xE1, b"Exif\0\0" + block))
    assert "thumbnail" in kinds(told(content, "jpeg"))


def test_texts_of_a_png_even_behind_its_pixels() -> None:
    content = makers.png(1)
    late = content[:-12] + makers.chunk(b"tEXt", b"Author\0Planted Late") + content[-12:]
    value = told(makers.with_chunks(late, makers.chunk(b"tEXt", b"Place\0Planted Bay")), "png")
    assert Leak("text", "Author: Planted Late") in value.leaks
    assert Leak("text", "Place: Planted Bay") in value.leaks


def test_a_clean_photo_leaks_nothing() -> None:
    for kind in ("jpeg", "png", "webp", "avif"):
        assert told(makers.encoded(picture(1), kind.upper()), kind) == Metadata()


def test_xmp_written_as_elements_or_attributes() -> None:
    value = metadata_readers.read_xmp(
        makers.xmp(more="<exif:DateTimeOriginal>2023-07-14T15:30:00</exif:DateTimeOriginal>")
    )
    assert near(value.position)
    assert value.rating == 3
    assert value.time == datetime(2023, 7, 14, 15, 30)
    element = makers.xmp(None, more="<exif:GPSLatitude>38,43.338N</exif:GPSLatitude>"
                         "<exif:GPSLongitude>9,8.358W</exif:GPSLongitude>")  # fmt: skip
    assert near(metadata_readers.read_xmp(element).position)
    assert metadata_readers.read_xmp(makers.xmp(rating=-1)).rating is None
    assert metadata_readers.read_xmp(makers.xmp(rating=7)).rating is None
    assert metadata_readers.read_xmp(b"") == metadata_readers.read_xmp(b"\0\0 \n") == Metadata()


_PROPERTIES = b"".join(b"<y:p%d>1</y:p%d>" % (n, n) for n in range(11_000))
MANY = b"<x xmlns:y='z'>" + _PROPERTIES + b"</x>"
HOSTILE = {
    "laughs": LAUGHS,
    "outside": outside("/etc/passwd"),
    "a type": b"<!DOCTYPE x><x/>",
    "parameter entities": b'<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/"> %p;]><x/>',
    "deep": b"<a>" * 100_000,
    "no XML": b"\xff\xfe\0\1\2",
    "cut": makers.xmp()[:300],
    "too many": MANY,
    "too long": b"<x>" + b" " * metadata_readers.XMP_MAX_BYTES + b"</x>",
    "odd encoding": b"<?xml version='1.0' encoding='rot13'?><x/>",
}  # fmt: skip


@pytest.mark.parametrize("packet", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_xmp_says_only_that_it_is_there(packet: bytes) -> None:
    value = metadata_readers.read_xmp(packet)
    assert [leak.kind for leak in value.leaks] == ["XMP"]
    assert value.leaks[0].text.startswith("unreadable")
    assert (value.position, value.time, value.rating) == (None, None, None)


def google(**parts: Any) -> bytes:
    return json.dumps({"title": "IMG_1.jpg", **parts}).encode()


def test_takeout() -> None:
    here = {"latitude": GPS[0], "longitude": GPS[1], "altitude": 0.0}
    zero = {"latitude": 0.0, "longitude": 0.0}
    value = metadata_readers.read_takeout(
        google(
            photoTakenTime={"timestamp": "1689345000"},
            geoData=zero,
            geoDataExif=here,
            people=[{"name": "Planted Person"}, 7, {}],
            description="planted words",
        )
    )
    assert value.position == GPS
    assert value.time == datetime(2023, 7, 14, 14, 30, tzinfo=UTC)
    assert kinds(value)["people"] == "Planted Person"
    assert kinds(value)["description"] == "planted words"
    assert metadata_readers.read_takeout(google(geoData=zero)).position is None


@pytest.mark.parametrize(
    "content",
    [b"", b"no json", b"[]", b"[" * 100_000, b"7", google(geoData=7, photoTakenTime=[], people={}),
     google(geoData={"latitude": "x", "longitude": None}, photoTakenTime={"timestamp": "1e99"}),
     google(geoData={"latitude": 1e400, "longitude": 5})],
)  # fmt: skip
def test_what_is_no_takeout_says_no_place_and_no_time(content: bytes) -> None:
    value = metadata_readers.read_takeout(content)
    assert (value.position, value.time) == (None, None)


@pytest.mark.parametrize(
    ("lat", "lon"),
    [(0, 0), (91, 0), (0, 181), (float("nan"), 1), (float("inf"), 1), ("x", 1), (None, None)],
)
def test_what_is_no_position(lat: object, lon: object) -> None:
    assert parse_position(lat, lon) is None


@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("IMG_20230714_153000.jpg", datetime(2023, 7, 14, 15, 30)),
        ("PXL_20230714_153000123.MP.jpg", datetime(2023, 7, 14, 15, 30)),
        ("IMG-20230714-WA0007.jpg", datetime(2023, 7, 14)),
        ("2023-07-14 15.30.00.jpg", datetime(2023, 7, 14, 15, 30)),
        ("Screenshot 2023-07-14 at 15.30.00.png", datetime(2023, 7, 14, 15, 30)),
        ("IMG_1234.jpg", None),
        ("20239999_beach.jpg", None),
        ("DSC20230231.jpg", None),
    ],
)
def test_dates_in_names(name: str, when: datetime | None) -> None:
    assert time_in_name(name) == when


def test_what_is_lacking_is_taken_from_the_next() -> None:
    first = Metadata(time=LOCAL, leaks=make_leaks([("time", "x")]))
    second = Metadata(
        (1, 2), datetime(2020, 1, 1), 2, make_leaks([("time", "x"), ("position", "y")])
    )
    both = first.completed_by(second)
    assert (both.position, both.time, both.rating) == ((1, 2), LOCAL, 2)
    assert both.leaks == (("time", "x"), ("position", "y"))


def test_moments_can_be_compared() -> None:
    assert Metadata().moment is None
    zoned = Metadata(time=LOCAL)
    tokyo = Metadata((35.7, 139.7), datetime(2023, 7, 14, 23, 30))
    greenwich = Metadata(time=datetime(2023, 7, 14, 14, 30))
    assert zoned.moment == tokyo.moment == greenwich.moment == 1689345000


def test_json_there_and_back() -> None:
    value = Metadata(GPS, LOCAL, 5, make_leaks([("comment", "é\n\x1b"), ("empty", "")]))
    assert value.leaks == (("comment", r"é \x1b"),)
    assert from_json(json.loads(json.dumps(to_json(value)))) == value
    assert from_json(json.loads(json.dumps(to_json(Metadata())))) == Metadata()


@pytest.mark.parametrize(
    "told_by_a_worker",
    [None, [], {"position": [1]}, {"position": ["a", "b"]}, {"position": [99, 999]},
     {"time": "yesterday"}, {"time": 7}, {"rating": 9}, {"rating": 0}, {"rating": True},
     {"rating": "5"},
     {"leaks": 7}, {"leaks": [7, ["a"], ["a", "b", "c"]]}],
)  # fmt: skip
def test_a_worker_is_not_believed(told_by_a_worker: object) -> None:
    assert from_json(told_by_a_worker) == Metadata()


def test_leaks_are_bounded() -> None:
    assert len(make_leaks(("text", str(n)) for n in range(10**6))) == 60
    assert len(make_leaks([("text", "x" * 10**6)])[0].text) == 200


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")  # a worker ignores them all
def test_a_broken_part_does_not_hide_the_others() -> None:
    content = makers.with_segments(
        jpeg(1, comment=b"still told"),
        makers.segment(0xE1, b"Exif\0\0II*\0" + b"\xff" * 500),
        makers.xmp_segment(LAUGHS),
    )
    said = kinds(told(content, "jpeg"))
    assert said["comment"] == "still told"
    assert said["XMP"].startswith("unreadable")
    assert Image.open(io.BytesIO(content)).size == (96, 64)
