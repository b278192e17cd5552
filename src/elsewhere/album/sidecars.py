"""Inside a worker: XMP, embedded or beside the photo, as a flat list of what it says.

XMP is XML from strangers. A document that declares a type or an entity is refused before it can
expand into a billion laughs or fetch another file; size, depth and number of properties are
bounded. No tree is built: the parser's events are all that is needed.

Inside a worker: the JSON that Google's Takeout puts beside each photo.

    IMG_1.jpg.json                          IMG_1.jpg.supplemental-metadata.json
    {"photoTakenTime": {"timestamp": "1689341400"}, "geoData": {"latitude": 38.7, ...}, ...}

Zeros mean that no position is known. What the photo's own EXIF said is repeated as `geoDataExif`.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any, NoReturn
from xml.parsers import expat

from elsewhere.album.metadata import Metadata, make_leaks, parse_position, parse_timestamp

MAX_BYTES = 4 << 20
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
_LEAKS = {
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
_TIMES = ((_EXIF, "DateTimeOriginal"), (_SHOP, "DateCreated"), (_XAP, "CreateDate"))
_DEGREES = re.compile(r"\s*(\d{1,3}),(\d{1,3}(?:\.\d+)?)(?:,(\d{1,3}(?:\.\d+)?))?\s*([NSEW])\s*")
_WRAPPERS = {"RDF", "Description", "Alt", "Bag", "Seq", "li"}

Name = tuple[str, str]


class HostileError(ValueError):
    """The document is not what a camera or an editor writes."""


def read_xmp(packet: bytes) -> Metadata:
    """What a packet says; one that is hostile or broken says only that it is there."""
    packet = packet.strip(b"\0 \r\n\t")
    if not packet:
        return Metadata()
    try:
        said = xmp_properties(packet)
    except (HostileError, expat.ExpatError, ValueError, LookupError):
        return Metadata(leaks=make_leaks([("XMP", f"unreadable ({len(packet)} bytes)")]))
    where = parse_position(_coordinate(said, "GPSLatitude"), _coordinate(said, "GPSLongitude"))
    when = _time(said)
    found: list[tuple[str, object]] = [("XMP", f"{len(said)} properties")]
    if where:
        found.append(("position", f"{where[0]:.5f}, {where[1]:.5f}"))
    if when:
        found.append(("time", when.isoformat(" ")))
    found += [(_LEAKS[name], text) for name, text in said.items() if name in _LEAKS]
    return Metadata(position=where, time=when, rating=_rating(said), leaks=make_leaks(found))


def xmp_properties(packet: bytes) -> dict[Name, str]:
    """Every property with its text, whether it was written as an attribute or as an element.

    Lists are joined; of a property that is there twice, the first counts.
    """
    if len(packet) > MAX_BYTES:
        raise HostileError("too long")
    said: dict[Name, str] = {}
    path: list[Name] = []
    texts: list[list[str]] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def say(name: Name, text: str) -> None:
        if text and len(said) >= _MAX_PROPERTIES:
            raise HostileError("too many properties")
        if text:
            said.setdefault(name, text[:_MAX_TEXT])

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(_name(tag))
        texts.append([])
        if len(path) > _MAX_DEPTH:
            raise HostileError("nested too deep")
        for key, text in attributes.items():
            if " " in key:
                say(_name(key), text)

    def end(tag: str) -> None:
        name, text = path.pop(), "; ".join(texts.pop())
        if name[1] in _WRAPPERS and texts:
            # An item of a list belongs to the property that the list is of.
            if text:
                texts[-1].append(text)
        else:
            say(name, text)

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
    return said


def _name(tag: str) -> Name:
    space, _, local = tag.rpartition(" ")
    return space, local


def _coordinate(said: dict[Name, str], which: str) -> float | None:
    """Degrees, from "38,43.338N", "38,43,20N" or a plain number."""
    text = said.get((_EXIF, which), "")
    found = _DEGREES.fullmatch(text)
    if not found:
        try:
            return float(text)
        except ValueError:
            return None
    degrees, minutes, seconds, letter = found.groups()
    size = int(degrees) + float(minutes) / 60 + float(seconds or 0) / 3600
    return -size if letter in "SW" else size


def _time(said: dict[Name, str]) -> datetime | None:
    for name in _TIMES:
        try:
            return datetime.fromisoformat(said.get(name, "").strip())
        except ValueError:
            continue
    return None


def _rating(said: dict[Name, str]) -> int | None:
    try:
        stars = round(float(said[_XAP, "Rating"]))
    except (KeyError, ValueError, OverflowError):
        return None
    return stars if 1 <= stars <= 5 else None  # 0: not rated, −1: rejected


TAKEOUT_MAX_BYTES = 1 << 20
_TEXTS = {"description": "description", "title": "title", "url": "link"}


def read_takeout(content: bytes) -> Metadata:
    """What the file says about its photo; one that is no such file says nothing."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return Metadata()
    if not isinstance(told, dict):
        return Metadata()
    where = None
    for key in ("geoData", "geoDataExif"):
        part = _part(told, key)
        where = where or parse_position(part.get("latitude"), part.get("longitude"))
    when = parse_timestamp(_part(told, "photoTakenTime").get("timestamp"))
    found: list[tuple[str, object]] = []
    if where:
        found.append(("position", f"{where[0]:.5f}, {where[1]:.5f}"))
    if when:
        found.append(("time", when.isoformat(" ")))
    found += [(kind, told[key]) for key, kind in _TEXTS.items() if isinstance(told.get(key), str)]
    people = told.get("people")
    if isinstance(people, list):
        names = [person["name"] for person in people if isinstance(_named(person), str)]
        found.append(("people", ", ".join(names)))
    return Metadata(position=where, time=when, leaks=make_leaks(found))


def _part(told: dict[str, Any], key: str) -> dict[str, Any]:
    part = told.get(key)
    return part if isinstance(part, dict) else {}


def _named(person: object) -> object:
    return person.get("name") if isinstance(person, dict) else None
