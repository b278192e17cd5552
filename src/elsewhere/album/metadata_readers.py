"""Inside a worker: the metadata in a photo and in the sidecars beside it.

In the photo: EXIF, XMP, IPTC, texts in PNG, comments in JPEG, and what is merely present: maker
notes, thumbnails, profiles, bytes behind the picture. Each part is read by itself, so that a
damaged one does not hide the others.

XMP is untrusted XML. A document that declares a type or an entity is refused before it can expand
or fetch another file; size, depth and number of properties are limited.

Google's Takeout puts a JSON file beside each photo, IMG_1.jpg.json or
IMG_1.jpg.supplemental-metadata.json. Zeros there mean that no position is known.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn
from xml.parsers import expat

from elsewhere.album import renditions
from elsewhere.album.decode import profile_name
from elsewhere.album.metadata import Metadata, make_leaks, parse_position, parse_timestamp

if TYPE_CHECKING:
    from PIL import Image

RawLeaks = list[tuple[str, object]]
"""Kinds of leaks with their values."""

_EXIF_IFD, _GPS_IFD, _SECOND_IFD = 0x8769, 0x8825, -1
_MAKER_NOTE, _USER_COMMENT, _THUMBNAIL, _RATING = 0x927C, 0x9286, 0x0201, 0x4746
_GPS_TIME, _GPS_DATE = 0x0007, 0x001D
_EXIF_TEXTS = {
    0x010E: "description",
    0x010F: "camera",
    0x0110: "camera",
    0x0131: "software",
    0x013B: "owner",
    0x013C: "computer",
    0x8298: "owner",
    0x9C9B: "title",
    0x9C9C: "comment",
    0x9C9D: "owner",
    0x9C9E: "keywords",
    0xA420: "image id",
    0xA430: "owner",
    0xA431: "serial number",
    0xA434: "lens",
    0xA435: "serial number",
    0xC62F: "serial number",
    0xC65D: "image id",
}
_EXIF_TIMES = ((0x9003, 0x9011), (0x9004, 0x9012), (0x0132, 0x9010))
"""Date and time zone of: taken, digitised, changed."""
_IPTC_TEXTS = {
    (2, 5): "title",
    (2, 25): "keywords",
    (2, 55): "time",
    (2, 80): "owner",
    (2, 90): "city",
    (2, 92): "location",
    (2, 95): "region",
    (2, 101): "country",
    (2, 116): "owner",
    (2, 120): "caption",
}

XMP_MAX_BYTES = 4 << 20
"""Editors keep histories and masks in a sidecar; the largest seen have one or two megabytes."""
_MAX_DEPTH = 100
_MAX_PROPERTIES = 10_000
_MAX_TEXT = 2_000

_EXIF = "http://ns.adobe.com/exif/1.0/"
_XAP = "http://ns.adobe.com/xap/1.0/"
_AUX = "http://ns.adobe.com/exif/1.0/aux/"
_DC = "http://purl.org/dc/elements/1.1/"
_SHOP = "http://ns.adobe.com/photoshop/1.0/"
_CORE = "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/"
_CAMERA = "http://ns.google.com/photos/1.0/camera/"
_GAIN = "http://ns.adobe.com/hdr-gain-map/1.0/"
_XMP_LEAKS = {
    (_AUX, "SerialNumber"): "serial number",
    (_AUX, "LensSerialNumber"): "serial number",
    (_AUX, "OwnerName"): "owner",
    (_DC, "creator"): "owner",
    (_DC, "rights"): "owner",
    (_DC, "title"): "title",
    (_DC, "description"): "description",
    (_DC, "subject"): "keywords",
    (_SHOP, "City"): "city",
    (_SHOP, "State"): "region",
    (_SHOP, "Country"): "country",
    (_CORE, "Location"): "location",
    (_XAP, "CreatorTool"): "software",
    (_CAMERA, "MotionPhoto"): "motion photo",
    (_CAMERA, "MicroVideo"): "motion photo",
    (_GAIN, "Version"): "gain map",
}
_XMP_TIMES = ((_EXIF, "DateTimeOriginal"), (_SHOP, "DateCreated"), (_XAP, "CreateDate"))
_DEGREES = re.compile(r"\s*(\d{1,3}),(\d{1,3}(?:\.\d+)?)(?:,(\d{1,3}(?:\.\d+)?))?\s*([NSEW])\s*")
_WRAPPERS = {"RDF", "Description", "Alt", "Bag", "Seq", "li"}

TAKEOUT_MAX_BYTES = 1 << 20
_TAKEOUT_TEXTS = {"description": "description", "title": "title", "url": "link"}

Name = tuple[str, str]
"""Namespace and local name of a property."""


class HostileError(ValueError):
    """The document is not what a camera or an editor writes."""


def read_embedded(image: Image.Image, content: bytes) -> Metadata:
    """All metadata inside the file."""
    leaks: RawLeaks = []
    metadata = Metadata()
    with suppress(Exception):
        metadata = metadata.completed_by(_read_exif(image.getexif(), leaks))
    with suppress(Exception):
        packet = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
        xmp = read_xmp(packet.encode() if isinstance(packet, str) else packet)
        metadata = metadata.completed_by(xmp)
    for read_part in (_read_iptc, _read_image_info):
        with suppress(Exception):
            read_part(image, leaks)
    if image.format in ("JPEG", "MPO"):
        with suppress(Exception):
            _read_jpeg_segments(content, leaks)
    return Metadata(leaks=make_leaks(leaks)).completed_by(metadata)


def _read_exif(exif: Any, leaks: RawLeaks) -> Metadata:
    inner, gps = _exif_part(exif, _EXIF_IFD), _exif_part(exif, _GPS_IFD)
    position = _exif_position(gps)
    leaks += _place_and_time(position, None)  # before the times, which a damaged tag may cost
    if gps and not position:
        leaks.append(("position", f"unreadable ({len(gps)} tags)"))
    time = _exif_time({**dict(exif), **inner})
    leaks += _place_and_time(None, time)
    if time and time.tzinfo:
        leaks.append(("time zone", time.strftime("%z")))
    elif not time and gps.get(_GPS_DATE):
        leaks.append(("time", f"{gps.get(_GPS_DATE)} {gps.get(_GPS_TIME, '')}"))
    for tags in (exif, inner):
        for tag, kind in _EXIF_TEXTS.items():
            if tag in tags:
                leaks.append((kind, _text(tags[tag])))
    if inner.get(_USER_COMMENT):
        leaks.append(("comment", _text(inner[_USER_COMMENT])))
    if inner.get(_MAKER_NOTE):
        leaks.append(("maker note", f"{len(inner[_MAKER_NOTE])} bytes"))
    if _exif_part(exif, _SECOND_IFD).get(_THUMBNAIL):
        leaks.append(("thumbnail", "a small copy of the picture, perhaps from before an edit"))
    stars = exif.get(_RATING)
    rating = stars if isinstance(stars, int) and 1 <= stars <= 5 else None
    return Metadata(position=position, time=time, rating=rating)


def _exif_part(exif: Any, number: int) -> dict[int, Any]:
    try:
        return dict(exif.get_ifd(number))
    except Exception:  # loops, lies and truncation
        return {}


def _exif_position(gps: dict[int, Any]) -> tuple[float, float] | None:
    """Degrees from the three fractions and the letter of each coordinate."""
    degrees = []
    for letter, values, negative in ((1, 2, "S"), (3, 4, "W")):
        try:
            parts = [float(part) for part in gps[values]]
            size = parts[0] + parts[1] / 60 + parts[2] / 3600
        except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
            return None
        sign = -1 if _text(gps.get(letter, "")).upper().startswith(negative) else 1
        degrees.append(sign * size)
    return parse_position(*degrees)


def _exif_time(tags: dict[int, Any]) -> datetime | None:
    for date, zone in _EXIF_TIMES:
        text = _text(tags.get(date, "")).strip("\0 ")
        try:
            naive = datetime.strptime(text[:19], "%Y:%m:%d %H:%M:%S")
        except ValueError:
            continue
        with suppress(ValueError):
            return datetime.fromisoformat(
                naive.isoformat() + _text(tags.get(zone, "")).strip("\0 ")
            )
        return naive
    return None


def _text(value: object) -> str:
    """A tag as text; eight bytes that name an encoding may stand before a comment."""
    if isinstance(value, bytes):
        if value[:8] in (b"ASCII\0\0\0", b"UNICODE\0", b"\0" * 8):
            value = value[8:]
        wide = value[1:2] == b"\0" or value[:1] == b"\0"
        return value[:2000].decode("utf-16" if wide else "utf-8", "replace").strip("\0 ")
    return str(value)[:2000].strip("\0 ")


def _read_iptc(image: Any, leaks: RawLeaks) -> None:
    from PIL import IptcImagePlugin

    for key, value in (IptcImagePlugin.getiptcinfo(image) or {}).items():
        if key in _IPTC_TEXTS:
            for item in value if isinstance(value, list) else [value]:
                leaks.append(("IPTC " + _IPTC_TEXTS[key], _text(item)))


def _read_image_info(image: Image.Image, leaks: RawLeaks) -> None:
    """PNG's texts, the colour profile, and what an HEIC keeps beside its picture."""
    with suppress(Exception):
        for key, value in getattr(image, "text", {}).items():
            if key != "XML:com.adobe.xmp":
                leaks.append(("text", f"{key}: {value[:2000]}"))
    with suppress(Exception):
        if image.info.get("icc_profile"):
            leaks.append(("colour profile", profile_name(image.info["icc_profile"])))
    if image.info.get("depth_images"):
        leaks.append(("depth map", "how far away everything was"))
    if image.info.get("thumbnails"):
        leaks.append(("thumbnail", "a small copy of the picture, perhaps from before an edit"))
    for name in image.info.get("aux") or ():
        leaks.append(("auxiliary picture", str(name)))


def _read_jpeg_segments(content: bytes, leaks: RawLeaks) -> None:
    end = len(content)
    for segment in renditions.segments(content):
        if segment.marker == renditions.EOI:
            end = segment.end
        if segment.marker == renditions.COM:
            leaks.append(("comment", _text(content[segment.start : segment.end])))
        elif segment.marker == 0xE2 and content[segment.start : segment.start + 4] == b"MPF\0":
            leaks.append(("further pictures", "such as a gain map, or the other eye's view"))
    extra = len(content) - end
    if extra:
        tail = content[end:]
        video = tail.find(b"ftyp", 0, 1 << 20) >= 0 or b"MotionPhoto" in tail[:4096]
        leaks.append(("video" if video else "bytes behind the picture", f"{extra} bytes"))


def read_xmp(packet: bytes) -> Metadata:
    """The metadata in a packet; of a hostile or broken one only that it exists."""
    packet = packet.strip(b"\0 \r\n\t")
    if not packet:
        return Metadata()
    try:
        properties = xmp_properties(packet)
    except (HostileError, expat.ExpatError, ValueError, LookupError):
        return Metadata(leaks=make_leaks([("XMP", f"unreadable ({len(packet)} bytes)")]))
    position = parse_position(
        _xmp_coordinate(properties.get((_EXIF, "GPSLatitude"), "")),
        _xmp_coordinate(properties.get((_EXIF, "GPSLongitude"), "")),
    )
    time = None
    for name in _XMP_TIMES:
        with suppress(ValueError):
            time = time or datetime.fromisoformat(properties.get(name, "").strip())
    rating = None
    with suppress(KeyError, ValueError, OverflowError):
        stars = round(float(properties[_XAP, "Rating"]))
        rating = stars if 1 <= stars <= 5 else None  # 0: not rated, −1: rejected
    leaks: RawLeaks = [("XMP", f"{len(properties)} properties"), *_place_and_time(position, time)]
    leaks += [(_XMP_LEAKS[name], text) for name, text in properties.items() if name in _XMP_LEAKS]
    return Metadata(position=position, time=time, rating=rating, leaks=make_leaks(leaks))


def _place_and_time(position: tuple[float, float] | None, time: datetime | None) -> RawLeaks:
    leaks: RawLeaks = []
    if position:
        leaks.append(("position", f"{position[0]:.5f}, {position[1]:.5f}"))
    if time:
        leaks.append(("time", time.isoformat(" ")))
    return leaks


def xmp_properties(packet: bytes) -> dict[Name, str]:
    """Every property with its text, whether it was written as an attribute or as an element.

    Lists are joined; of a property that is there twice, the first counts.
    """
    if len(packet) > XMP_MAX_BYTES:
        raise HostileError("too long")
    properties: dict[Name, str] = {}
    path: list[Name] = []
    texts: list[list[str]] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def split_name(tag: str) -> Name:
        namespace, _, local = tag.rpartition(" ")
        return namespace, local

    def add(name: Name, text: str) -> None:
        if text and len(properties) >= _MAX_PROPERTIES:
            raise HostileError("too many properties")
        if text:
            properties.setdefault(name, text[:_MAX_TEXT])

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(split_name(tag))
        texts.append([])
        if len(path) > _MAX_DEPTH:
            raise HostileError("nested too deep")
        for key, text in attributes.items():
            if " " in key:
                add(split_name(key), text)

    def end(tag: str) -> None:
        name, text = path.pop(), "; ".join(texts.pop())
        if name[1] in _WRAPPERS and texts:
            # An item of a list belongs to the property that the list is of.
            if text:
                texts[-1].append(text)
        else:
            add(name, text)

    def characters(text: str) -> None:
        if texts and text.strip() and sum(map(len, texts[-1])) < _MAX_TEXT:
            texts[-1].append(text.strip())

    def refuse(*_: object) -> NoReturn:
        raise HostileError("it declares a document type")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.Parse(packet, True)
    return properties


def _xmp_coordinate(text: str) -> float | None:
    """Degrees, from "38,43.338N", "38,43,20N" or a plain number."""
    match = _DEGREES.fullmatch(text)
    if not match:
        try:
            return float(text)
        except ValueError:
            return None
    degrees, minutes, seconds, letter = match.groups()
    size = int(degrees) + float(minutes) / 60 + float(seconds or 0) / 3600
    return -size if letter in "SW" else size


def read_takeout(content: bytes) -> Metadata:
    """The metadata in a Takeout file; any other file has none."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        return Metadata()
    if not isinstance(values, dict):
        return Metadata()

    def part(key: str) -> dict[str, Any]:
        value = values.get(key)
        return value if isinstance(value, dict) else {}

    position = None
    for key in ("geoData", "geoDataExif"):
        position = position or parse_position(part(key).get("latitude"), part(key).get("longitude"))
    time = parse_timestamp(part("photoTakenTime").get("timestamp"))
    leaks = _place_and_time(position, time)
    leaks += [
        (kind, values[key])
        for key, kind in _TAKEOUT_TEXTS.items()
        if isinstance(values.get(key), str)
    ]
    people = values.get("people")
    if isinstance(people, list):
        names = [person.get("name") for person in people if isinstance(person, dict)]
        leaks.append(("people", ", ".join(name for name in names if isinstance(name, str))))
    return Metadata(position=position, time=time, leaks=make_leaks(leaks))
