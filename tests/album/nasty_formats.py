"""Nasty files of every format: bombs, lies, loops, and what is cut, bent or mislabelled."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

from PIL import Image

from tests.album import makers
from tests.album.makers import (
    LAUGHS,
    MP4,
    VIDEO,
    box,
    chunk,
    encoded,
    exif,
    jpeg,
    outside,
    picture,
    png,
    png_header,
    segment,
    sized,
    tiff,
    with_chunks,
    with_segments,
    xmp_segment,
)
from tests.album.nasty_list import add_bytes, noise, squeezed

DATA = Path(__file__).parent / "data"

# ── JPEG ──────────────────────────────────────────────────────────────────────────────────────
_GOOD = jpeg(100, 400, 300)
_EXIF = exif().tobytes()
add_bytes("empty.jpg", "empty", b"")
add_bytes("one-byte.jpg", "foreign", b"\xff")
add_bytes("magic-only.jpg", "damaged", b"\xff\xd8\xff")
add_bytes("noise-after-magic.jpg", "damaged", b"\xff\xd8\xff\xe0" + noise(5000))
for _share in (2, 10, 30, 60, 95):
    add_bytes(f"cut-at-{_share}-percent.jpg", "damaged", _GOOD[: len(_GOOD) * _share // 100])
add_bytes("no-end.jpg", "damaged", jpeg(101)[:-2])
add_bytes("claims-65000-squared.jpg", "damaged", lambda: sized(jpeg(102), 65000, 65000))
add_bytes("claims-twice-the-height.jpg", "read damaged", lambda: sized(jpeg(103), 96, 128))
add_bytes("no-size.jpg", "damaged", lambda: sized(jpeg(104), 0, 0))
add_bytes(
    "progressive-lie.jpg",
    "pixels",
    lambda: sized(jpeg(105, progressive=True), 20000, 20000) + bytes(1 << 20),
)
add_bytes("no-tables.jpg", "damaged", jpeg(106).replace(b"\xff\xdb", b"\xff\xee"))
add_bytes("arithmetic.jpg", "damaged read", jpeg(107).replace(b"\xff\xc0", b"\xff\xc9", 1))
add_bytes("lossless.jpg", "damaged", jpeg(108).replace(b"\xff\xc0", b"\xff\xc3", 1))
add_bytes(
    "six-megabytes-of-comments.jpg",
    "read",
    with_segments(jpeg(109), *[segment(0xFE, b"x" * 65000)] * 95),
)
add_bytes(
    "twenty-thousand-segments.jpg", "read", with_segments(jpeg(110), *[segment(0xEB, b"y")] * 20000)
)
add_bytes(
    "segment-longer-than-file.jpg", "damaged", jpeg(111)[:2] + b"\xff\xe1\xff\xff" + jpeg(111)[2:]
)
add_bytes("cmyk.jpg", "read", encoded(picture(112).convert("CMYK"), "JPEG"))
add_bytes(
    "stereo.mpo", "read", encoded(picture(113), "MPO", save_all=True, append_images=[picture(114)])
)
add_bytes("motion.jpg", "read", jpeg(115) + MP4)
add_bytes("zip-behind.jpg", "read", jpeg(116) + b"PK\x03\x04" + noise(999))
add_bytes("called-png.png", "read", jpeg(117))
add_bytes("no-suffix", "read", jpeg(118))
add_bytes("suffix.txt", "read", jpeg(119))
# ── what travels with a photo ─────────────────────────────────────────────────────────────────
_LOOP = tiff([(0x8769, 4, 1, 8), (0x8825, 4, 1, 8)], following=8)
_HUGE = tiff([(0x010E, 2, 0xFFFFFFF0, 26), (0x9286, 7, 0x7FFFFFFF, 0)])
add_bytes("exif-loop.jpg", "read", with_segments(jpeg(120), segment(0xE1, b"Exif\0\0" + _LOOP)))
add_bytes("exif-huge-tag.jpg", "read", with_segments(jpeg(121), segment(0xE1, b"Exif\0\0" + _HUGE)))
add_bytes(
    "exif-noise.jpg",
    "read",
    with_segments(jpeg(122), segment(0xE1, b"Exif\0\0II*\0" + noise(9999))),
)
add_bytes("exif-cut.jpg", "read", with_segments(jpeg(123), segment(0xE1, _EXIF[:60])))
_NOWHERE = struct.pack("<H", 2) + b"".join(
    struct.pack("<HHII", tag, 5, 3, 64) for tag in (2, 4)
)  # three fractions of nought by nought, for each coordinate
add_bytes(
    "exif-no-denominator.jpg",
    "read",
    with_segments(
        jpeg(124),
        segment(0xE1, b"Exif\0\0" + tiff([(0x8825, 4, 1, 26)], tail=_NOWHERE + bytes(40))),
    ),
)
add_bytes("xmp-laughs.jpg", "read", with_segments(jpeg(125), xmp_segment(LAUGHS)))
add_bytes(
    "xmp-outside.jpg", "read", with_segments(jpeg(126), xmp_segment(outside(f"/{makers.SECRET}")))
)
add_bytes("xmp-deep.jpg", "read", with_segments(jpeg(127), xmp_segment(b"<a>" * 21000)))
add_bytes("profile-noise.jpg", "read", jpeg(128, icc_profile=noise(4000)))
add_bytes("profile-cut.jpg", "read", jpeg(129, icc_profile=makers.display_p3()[:200]))
add_bytes(
    "photoshop-noise.jpg",
    "read",
    with_segments(jpeg(130), segment(0xED, b"Photoshop 3.0\x008BIM" + noise(500))),
)
# ── PNG ───────────────────────────────────────────────────────────────────────────────────────
add_bytes(
    "60000-squared.png",
    "pixels",
    lambda: png_header(60000, 60000) + chunk(b"IDAT", squeezed(40)) + chunk(b"IEND", b""),
)
add_bytes(
    "two-thousand-million-wide.png",
    "pixels damaged",
    lambda: png_header(2**31 - 1, 1) + chunk(b"IDAT", squeezed(1)) + chunk(b"IEND", b""),
)
add_bytes("no-size.png", "damaged pixels", png_header(0, 0) + chunk(b"IEND", b""))
add_bytes(
    "text-bomb.png",
    "damaged read",
    lambda: with_chunks(png(131), chunk(b"zTXt", b"k\0\0" + squeezed(40))),
)
add_bytes(
    "international-bomb.png",
    "damaged read",
    lambda: with_chunks(png(132), chunk(b"iTXt", b"k\0\1\0\0\0" + squeezed(40))),
)
add_bytes(
    "profile-bomb.png",
    "damaged read",
    lambda: with_chunks(png(133), chunk(b"iCCP", b"k\0\0" + squeezed(40))),
)
add_bytes(
    "pixels-bomb.png",
    "read damaged",
    lambda: png_header(50, 50) + chunk(b"IDAT", squeezed(40)) + chunk(b"IEND", b""),
)
add_bytes(
    "thirty-thousand-texts.png",
    "read",
    with_chunks(png(134), *[chunk(b"tEXt", b"k%d\0v" % n) for n in range(30000)]),
)
add_bytes("wrong-checksum.png", "damaged", png(135)[:29] + b"\0\0\0\0" + png(135)[33:])
add_bytes("cut.png", "damaged", png(136, 200, 200)[:-300])
add_bytes("magic-only.png", "damaged", b"\x89PNG\r\n\x1a\n")
add_bytes(
    "animated.png",
    "animated",
    lambda: encoded(picture(137), "PNG", save_all=True, append_images=[picture(138)]),
)
add_bytes("sixteen-bit.png", "read", lambda: encoded(Image.new("I;16", (60, 40), 40000), "PNG"))
add_bytes(
    "palette-alpha.png", "read", lambda: encoded(picture(139).quantize(16), "PNG", transparency=3)
)
add_bytes("one-bit.png", "read", lambda: encoded(picture(140).convert("1"), "PNG"))
add_bytes("one-pixel.png", "read", lambda: png(141, 1, 1))
add_bytes("hair.png", "read", lambda: png(142, 9000, 1))
# ── WebP, GIF, TIFF ───────────────────────────────────────────────────────────────────────────
_WEBP = encoded(picture(143, 300, 200), "WEBP", quality=80)
add_bytes("cut.webp", "damaged", _WEBP[: len(_WEBP) // 2])
add_bytes("noise.webp", "damaged", b"RIFF\xff\xff\0\0WEBPVP8 " + noise(3000))
add_bytes(
    "animated.webp",
    "animated",
    lambda: encoded(picture(144), "WEBP", save_all=True, append_images=[picture(145)], duration=99),
)
add_bytes(  # of one colour, and whole
    "16383-squared.webp",
    "pixels",
    bytes.fromhex("524946461e000000574542505650384c110000002ffebfff0f07d0842634a1ff8188e87f0000"),
)
add_bytes(
    "claims-16383-squared.webp",
    "damaged memory pixels",
    b"RIFF"
    + struct.pack("<I", 30)
    + b"WEBPVP8X"
    + struct.pack("<I", 10)
    + b"\0\0\0\0"
    + b"\xfe\x3f\0\xfe\x3f\0"
    + b"VP8 \0\0\0\0",
)
add_bytes(
    "animated.gif",
    "foreign",
    lambda: encoded(picture(146), "GIF", save_all=True, append_images=[picture(147)]),
)
add_bytes("gif-called.jpg", "foreign", lambda: encoded(picture(148), "GIF"))
_TIFF = encoded(picture(149, 200, 100), "TIFF", compression="tiff_lzw")
add_bytes("cut.tif", "damaged", _TIFF[: len(_TIFF) // 2])
add_bytes(
    "bent-lzw.tif", "damaged", _TIFF[:60] + noise(len(_TIFF) - 500) + _TIFF[len(_TIFF) - 440 :]
)
add_bytes("directory-loop.tif", "damaged animated", tiff([(0x100, 3, 1, 10)], following=8))
add_bytes(
    "huge-tags.tif", "damaged", tiff([(tag, 2, 0xFFFFFFFF, 8) for tag in range(0x100, 0x120)])
)
add_bytes(
    "100000-squared.tif",
    "pixels damaged memory",
    tiff(
        [
            (0x100, 4, 1, 100000),
            (0x101, 4, 1, 100000),
            (0x102, 3, 1, 8),
            (0x103, 3, 1, 5),
            (0x106, 3, 1, 1),
            (0x111, 4, 1, 8),
            (0x115, 3, 1, 1),
            (0x116, 4, 1, 100000),
            (0x117, 4, 1, 99),
        ]
    ),
)
add_bytes(
    "strips-nowhere.tif",
    "damaged",
    tiff(
        [
            (0x100, 4, 1, 100),
            (0x101, 4, 1, 100),
            (0x102, 3, 1, 8),
            (0x103, 3, 1, 1),
            (0x106, 3, 1, 1),
            (0x111, 4, 1, 0xFFFF0000),
            (0x115, 3, 1, 1),
            (0x116, 4, 1, 100),
            (0x117, 4, 1, 10000),
        ]
    ),
)
add_bytes(
    "two-pages.tif",
    "animated",
    lambda: encoded(picture(150), "TIFF", save_all=True, append_images=[picture(151)]),
)
add_bytes("heights.tif", "unsupported", lambda: encoded(Image.new("F", (50, 50), 0.5), "TIFF"))
add_bytes("lab.tif", "read", lambda: encoded(Image.new("LAB", (50, 50), (120, 140, 90)), "TIFF"))
add_bytes(
    "raw-in-disguise.tif",
    "raw",
    tiff(
        [
            (0xFE, 4, 1, 1),
            (0x100, 4, 1, 2),
            (0x101, 4, 1, 2),
            (0x102, 3, 1, 8),
            (0x103, 3, 1, 1),
            (0x106, 3, 1, 1),
            (0x111, 4, 1, 8),
            (0x116, 4, 1, 2),
            (0x117, 4, 1, 4),
        ]
    ),
)
# ── HEIC and AVIF ─────────────────────────────────────────────────────────────────────────────
_HEIC = (DATA / "phone.heic").read_bytes()
for _share in (5, 50, 90):
    add_bytes(f"cut-at-{_share}-percent.heic", "damaged", _HEIC[: len(_HEIC) * _share // 100])
_TURNED = (DATA / "turned.heic").read_bytes()
# One byte in the name of an item: enough to crash pi-heif 1.4.0 outright.
CRASHING = _TURNED[:176] + b"\xff" + _TURNED[177:]
add_bytes("crashing.heic", "crash damaged read", CRASHING)
add_bytes("noise.heic", "damaged", box(b"ftyp", b"heic\0\0\0\0mif1heic") + noise(4000))
add_bytes("bent.heic", "read damaged", _HEIC[:-400] + noise(400))
add_bytes("jpeg-called.heic", "read", jpeg(152))
add_bytes("two-pictures.heic", "read", (DATA / "two.heic").read_bytes())
_AVIF = encoded(picture(153), "AVIF", quality=60)
add_bytes("cut.avif", "damaged", _AVIF[: len(_AVIF) * 2 // 3])
add_bytes("noise.avif", "damaged", box(b"ftyp", b"avif\0\0\0\0mif1avif") + noise(4000))
add_bytes(
    "animated.avif",
    "animated",
    lambda: encoded(picture(154), "AVIF", save_all=True, append_images=[picture(155)]),
)
# ── other kinds ───────────────────────────────────────────────────────────────────────────────
add_bytes("raw.nef", "raw", tiff([(0x100, 4, 1, 9)]) + noise(3000))
add_bytes("raw.cr3", "raw", box(b"ftyp", b"crx \0\0\0\1crx isom") + noise(3000))
add_bytes("raw.raf", "raw", b"FUJIFILMCCD-RAW 0201" + noise(3000))
add_bytes("film.mov", "video", VIDEO)
add_bytes("film-called.jpg", "video", MP4)
add_bytes("film.avi", "video", b"RIFF\0\0\1\0AVI LIST" + noise(99))
add_bytes("zip-called.jpg", "foreign", b"PK\x03\x04" + noise(999))
add_bytes("gzip-called.png", "foreign", lambda: gzip.compress(bytes(1 << 20), mtime=0))
add_bytes("page-called.jpg", "foreign", b"<html><script>alert(1)</script>")
add_bytes("paper-called.jpg", "foreign", b"%PDF-1.7\n" + noise(99))
add_bytes("bitmap.bmp", "foreign", lambda: encoded(picture(156), "BMP"))
add_bytes("noise.jpg", "foreign", b"\0\0" + noise(5000, 7))
add_bytes("notes.txt", "foreign", b"dear diary\n")
