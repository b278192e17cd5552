"""Bytes of photos with everything planted in them, made by hand where no library would."""

from __future__ import annotations

import io
import random
import struct
import zlib
from typing import Any

from PIL import Image

GPS = (38.7223, -9.1393)
"""Lisbon, planted."""
SECRET = "secret-beside-the-album.txt"


def picture(seed: int, width: int = 96, height: int = 64) -> Image.Image:
    """Four patches of colour that differ from seed to seed, smooth so that they compress."""
    draw = random.Random(seed)
    colours = [tuple(draw.randrange(20, 235) for _ in range(3)) for _ in range(4)]
    small = Image.new("RGB", (2, 2))
    small.putdata(colours)
    return small.resize((width, height), Image.Resampling.BICUBIC)


def encoded(image: Image.Image, format: str, **options: Any) -> bytes:
    content = io.BytesIO()
    image.save(content, format, **options)
    return content.getvalue()


def jpeg(seed: int = 1, width: int = 96, height: int = 64, **options: Any) -> bytes:
    return encoded(picture(seed, width, height), "JPEG", quality=90, **options)


def png(seed: int = 1, width: int = 96, height: int = 64, **options: Any) -> bytes:
    return encoded(picture(seed, width, height), "PNG", **options)


def segment(marker: int, payload: bytes) -> bytes:
    """A JPEG segment."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(payload) + 2) + payload


def with_segments(content: bytes, *segments: bytes) -> bytes:
    """A JPEG with further segments right after its start."""
    return content[:2] + b"".join(segments) + content[2:]


def chunk(kind: bytes, payload: bytes) -> bytes:
    """A PNG chunk."""
    crc = zlib.crc32(kind + payload)
    return struct.pack(">I", len(payload)) + kind + payload + struct.pack(">I", crc)


def with_chunks(content: bytes, *chunks: bytes) -> bytes:
    """A PNG with further chunks right after its header."""
    return content[:33] + b"".join(chunks) + content[33:]


def png_header(width: int, height: int, depth: int = 8, colour: int = 2) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)


def sized(content: bytes, width: int, height: int) -> bytes:
    """A JPEG that claims another size than it has."""
    for marker in (b"\xff\xc0", b"\xff\xc2"):
        at = content.find(marker)
        if at >= 0:
            return content[: at + 5] + struct.pack(">HH", height, width) + content[at + 9 :]
    raise AssertionError("no frame")


def exif(
    position: tuple[float, float] | None = GPS, orientation: int = 1, **texts: str
) -> Image.Exif:
    """EXIF as a phone writes it: place, time, owner, serial number, comment, maker note."""
    value = Image.Exif()
    value[0x0112] = orientation
    value[0x010F], value[0x0110] = "Planted", "Phone 9"
    value[0x013B] = texts.get("artist", "Planted Artist")
    value[0x4746] = 4
    value._ifds[0x8769] = {
        0x9003: "2023:07:14 15:30:00",
        0x9011: "+01:00",
        0xA431: "PLANTED-SERIAL",
        0x9286: b"ASCII\0\0\0planted comment",
        0x927C: b"PLANTEDMAKER" * 20,
    }
    if position:
        value._ifds[0x8825] = {
            1: "N" if position[0] >= 0 else "S",
            2: _sexagesimal(position[0]),
            3: "E" if position[1] >= 0 else "W",
            4: _sexagesimal(position[1]),
        }
    return value


def _sexagesimal(degrees: float) -> tuple[float, float, float]:
    size = abs(degrees)
    minutes = (size % 1) * 60
    return float(int(size)), float(int(minutes)), round((minutes % 1) * 60, 4)


def xmp(position: tuple[float, float] | None = GPS, rating: int = 3, more: str = "") -> bytes:
    """An XMP packet as editors write it."""
    where = ""
    if position:
        lat, lon = position
        where = (
            f'exif:GPSLatitude="{int(abs(lat))},{abs(lat) % 1 * 60:.6f}{"N" if lat >= 0 else "S"}" '
            f'exif:GPSLongitude="{int(abs(lon))},{abs(lon) % 1 * 60:.6f}{"E" if lon >= 0 else "W"}"'
        )
    return f"""<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"
   xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
   xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
   xmp:Rating="{rating}" photoshop:City="Planted City" {where}>
   <dc:creator><rdf:Seq><rdf:li>Planted Creator</rdf:li><rdf:li>and Son</rdf:li></rdf:Seq>
   </dc:creator>
   <xmp:CreateDate>2023-07-15T10:00:00+01:00</xmp:CreateDate>
   {more}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>""".encode()


def xmp_segment(packet: bytes) -> bytes:
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet)


def iptc_segment(city: str = "Planted Town") -> bytes:
    """A photo agency's record, inside Photoshop's block, inside a JPEG segment."""
    record = b"\x1c\x02\x5a" + struct.pack(">H", len(city)) + city.encode()
    block = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(record)) + record
    return segment(0xED, b"Photoshop 3.0\0" + block + b"\0" * (len(record) % 2))


LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 12))
    + b"]><x>&a11;</x>"
)
"""The billion laughs: a few hundred bytes that would become 10^11."""


def outside(path: str) -> bytes:
    """An XML that asks for another file."""
    return f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{path}">]><x>&e;</x>'.encode()


def display_p3(text: str = "Planted P3") -> bytes:
    """A colour profile with Display P3's primaries and a plain gamma, built tag by tag."""

    def number(value: float) -> bytes:
        return struct.pack(">i", round(value * 65536))

    def xyz(x: float, y: float, z: float) -> bytes:
        return b"XYZ \0\0\0\0" + number(x) + number(y) + number(z)

    gamma = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    words = text.encode()
    desc = b"desc\0\0\0\0" + struct.pack(">I", len(words) + 1) + words + b"\0" * 80
    tags = {
        b"desc": desc + b"\0" * (-len(desc) % 4),
        b"wtpt": xyz(0.9642, 1.0, 0.8249),
        b"rXYZ": xyz(0.5151, 0.2412, -0.0011),
        b"gXYZ": xyz(0.2920, 0.6922, 0.0419),
        b"bXYZ": xyz(0.1571, 0.0666, 0.7841),
        b"rTRC": gamma,
        b"gTRC": gamma,
        b"bTRC": gamma,
    }
    table, body = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for name, content in tags.items():
        table += name + struct.pack(">II", start + len(body), len(content))
        body += content
    head = struct.pack(
        ">I4sI4s4s4s", start + len(body), b"test", 0x02100000, b"mntr", b"RGB ", b"XYZ "
    )
    head += struct.pack(">6H", 2023, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28
    head += number(0.9642) + number(1.0) + number(0.8249)
    return head.ljust(128, b"\0") + table + body


def tiff(tags: list[tuple[int, int, int, int]], following: int = 0, tail: bytes = b"") -> bytes:
    """A little-endian TIFF of one directory: (tag, type, count, value) and where the next is."""
    body = b"".join(struct.pack("<HHII", *entry) for entry in tags)
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + body + struct.pack("<I", following) + tail


def box(kind: bytes, payload: bytes) -> bytes:
    """A box of the container that HEIC, AVIF and videos share."""
    return struct.pack(">I", len(payload) + 8) + kind + payload


VIDEO = box(b"ftyp", b"qt  \0\0\0\0qt  ") + box(b"mdat", b"PLANTEDVIDEO" * 50)
MP4 = box(b"ftyp", b"isom\0\0\0\0isommp42") + box(b"mdat", b"PLANTEDVIDEO" * 50)


def many_scans(side: int, scans: int) -> bytes:
    """A small progressive JPEG that has its last scan again and again: hours of decoding."""
    content = encoded(Image.new("L", (side, side), 99), "JPEG", progressive=True, quality=50)
    last = content.rfind(b"\xff\xda")
    return content[:-2] + content[last:-2] * scans + b"\xff\xd9"
