"""Inside a worker: what a photo carries with it, read from the opened picture.

EXIF in all formats, XMP, IPTC, texts in PNG, comments in JPEG, and what is merely present: maker
notes, thumbnails, profiles, bytes behind the picture. Each part is read by itself, so that a bent
one does not hide the others.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from elsewhere.album import jpeg, sidecars
from elsewhere.album.decode import profile_name
from elsewhere.album.metadata import Metadata, make_leaks, parse_position

if TYPE_CHECKING:
    from PIL import Image

Found = list[tuple[str, object]]

_EXIF_IFD, _GPS_IFD, _SECOND_IFD = 0x8769, 0x8825, -1
_MAKER_NOTE, _USER_COMMENT, _THUMBNAIL = 0x927C, 0x9286, 0x0201
_TEXTS = {
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
_TIMES = ((0x9003, 0x9011, 0x9291), (0x9004, 0x9012, 0x9292), (0x0132, 0x9010, 0x9290))
"""Date, zone and part of a second of: taken, digitised, changed."""
_RATING = 0x4746
_IPTC = {
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


def read_embedded(image: Image.Image, content: bytes) -> Metadata:
    """Everything that travels inside the file."""
    found: Found = []
    value = Metadata()
    with suppress(Exception):
        value = value.completed_by(_exif(image.getexif(), found))
    with suppress(Exception):
        packet = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
        told = sidecars.read_xmp(packet.encode() if isinstance(packet, str) else packet)
        value = value.completed_by(told)
    for part in (_iptc, _texts, _profile, _boxes):
        with suppress(Exception):
            part(image, found)
    if image.format in ("JPEG", "MPO"):
        with suppress(Exception):
            _jpeg(content, found)
    return Metadata(leaks=make_leaks(found)).completed_by(value)


def _exif(exif: Any, found: Found) -> Metadata:
    inner, gps = _part(exif, _EXIF_IFD), _part(exif, _GPS_IFD)
    where = _position(gps)
    if where:
        found.append(("position", f"{where[0]:.5f}, {where[1]:.5f}"))
    elif gps:
        found.append(("position", f"unreadable ({len(gps)} tags)"))
    when = _time({**dict(exif), **inner})
    if when:
        found.append(("time", when.isoformat(" ")))
        if when.tzinfo:
            found.append(("time zone", when.strftime("%z")))
    elif gps.get(0x001D):
        found.append(("time", f"{gps.get(0x001D)} {gps.get(0x0007, '')}"))
    for tags in (exif, inner):
        for tag, kind in _TEXTS.items():
            if tag in tags:
                found.append((kind, _text(tags[tag])))
    if inner.get(_USER_COMMENT):
        found.append(("comment", _text(inner[_USER_COMMENT])))
    if inner.get(_MAKER_NOTE):
        found.append(("maker note", f"{len(inner[_MAKER_NOTE])} bytes"))
    if _part(exif, _SECOND_IFD).get(_THUMBNAIL):
        found.append(("thumbnail", "a small copy of the picture, perhaps from before an edit"))
    stars = exif.get(_RATING)
    rating = stars if isinstance(stars, int) and 1 <= stars <= 5 else None
    return Metadata(position=where, time=when, rating=rating)


def _part(exif: Any, number: int) -> dict[int, Any]:
    try:
        return dict(exif.get_ifd(number))
    except Exception:  # loops, lies and truncation
        return {}


def _position(gps: dict[int, Any]) -> tuple[float, float] | None:
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


def _time(tags: dict[int, Any]) -> datetime | None:
    for date, zone, _ in _TIMES:
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


def _iptc(image: Any, found: Found) -> None:
    from PIL import IptcImagePlugin

    for key, value in (IptcImagePlugin.getiptcinfo(image) or {}).items():
        if key in _IPTC:
            for one in value if isinstance(value, list) else [value]:
                found.append(("IPTC " + _IPTC[key], _text(one)))


def _texts(image: Image.Image, found: Found) -> None:
    """PNG's texts, whatever they call themselves."""
    for key, value in getattr(image, "text", {}).items():
        if key != "XML:com.adobe.xmp":
            found.append(("text", f"{key}: {value[:2000]}"))


def _profile(image: Image.Image, found: Found) -> None:
    if image.info.get("icc_profile"):
        found.append(("colour profile", profile_name(image.info["icc_profile"])))


def _boxes(image: Image.Image, found: Found) -> None:
    """What an HEIC keeps beside its picture."""
    if image.info.get("depth_images"):
        found.append(("depth map", "how far away everything was"))
    if image.info.get("thumbnails"):
        found.append(("thumbnail", "a small copy of the picture, perhaps from before an edit"))
    for name in image.info.get("aux") or ():
        found.append(("auxiliary picture", str(name)))


def _jpeg(content: bytes, found: Found) -> None:
    end = len(content)
    for segment in jpeg.segments(content):
        if segment.marker == jpeg.EOI:
            end = segment.end
        if segment.marker == jpeg.COM:
            found.append(("comment", _text(content[segment.start : segment.end])))
        elif segment.marker == 0xE2 and content[segment.start : segment.start + 4] == b"MPF\0":
            found.append(("further pictures", "such as a gain map, or the other eye's view"))
    extra = len(content) - end
    if extra:
        tail = content[end:]
        video = tail.find(b"ftyp", 0, 1 << 20) >= 0 or b"MotionPhoto" in tail[:4096]
        found.append(("video" if video else "bytes behind the picture", f"{extra} bytes"))
