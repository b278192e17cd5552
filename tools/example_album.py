"""Make the example album: src/elsewhere/example/album/, from photos in two Debian packages.

    apt-get download lomiri-wallpapers-16.04 gcompris-qt-data
    python tools/example_album.py lomiri-wallpapers-16.04_*.deb gcompris-qt-data_*.deb FOLDER

needs `dpkg-deb`, and the Python packages pillow 13.0.0 and pillow-heif 1.8.1 (the program itself
never writes HEIC). Every source is named by its SHA-256, so that nothing else can slip in.

The photos are real, the weekend is not: they are by nine photographers, and only the three
monuments were taken where the album says. Positions, times, comments, a serial number and notes
beside the photos are planted, so that the cleaning has something to clean. Who took what, and under
which licence, is in NOTICE and in each file's own EXIF.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

CAMERA = ("Elsewhere", "Example Phone 1")
OWNER = "Camille Exemple"
SERIAL = "EX-0815-4711-0042"
LONGEST = 1600


@dataclass(frozen=True)
class Made:
    """One photo of the album: where its pixels come from, and what is planted beside them."""

    name: str
    sha256: str
    """Of the source file, as it lies in its package."""
    artist: str
    licence: str
    at: tuple[float, float] | None
    time: str | None
    describes: str = ""
    comment: str = ""
    gps: bool = True
    """Whether the position stands in the file's EXIF (or in a note beside it, or nowhere)."""
    stars: int = 0
    crop: tuple[float, float, float, float] | None = None
    """The part of the source that is shown, as shares of its width and height; None for all."""


PUBLIC_DOMAIN = "public domain"
BY = "CC BY 4.0"
BY_SA = "CC BY-SA 4.0"

ALBUM = (
    Made(
        "arles-arches.jpg",
        "62d80a80ca5e5040bdb87c6f2fb57fa333d9b190c9a41066e4017cd4268656d9",
        "(WT-fr) OT Arles",
        PUBLIC_DOMAIN,
        (43.6779, 4.6306),
        "2025:10:18 10:14:02",
        crop=(0.0, 0.0, 0.5, 1.0),
    ),
    Made(
        "arles-arena.jpg",
        "62d80a80ca5e5040bdb87c6f2fb57fa333d9b190c9a41066e4017cd4268656d9",
        "(WT-fr) OT Arles",
        PUBLIC_DOMAIN,
        (43.6777, 4.6310),
        "2025:10:18 10:12:31",
        describes="Saturday morning in Arles",
    ),
    Made(
        "bird-lamp.jpg",
        "85a5453c2fed514c75973016f3d862aca62eb7ca087618822469274ac1092373",
        "Peter Nerlich",
        BY_SA,
        None,
        "2025:10:18 21:40:05",
    ),
    Made(
        "bridge.jpg",
        "bd86b081f9975e2b83527f71e49b9271a8ab40885428395969d9f7d834d7f050",
        "Sander Klootwijk",
        BY_SA,
        (43.8060, 4.6550),
        "2025:10:19 09:20:44",
    ),
    Made(
        "dragonfly.webp",
        "af5af17841009732def24b09bb1e669a1b09d2b4bdeee7812c371101c30d2bb3",
        "Bolly",
        BY_SA,
        (43.9520, 4.4780),
        "2025:10:19 14:33:20",
    ),
    Made(
        "fig.jpg",
        "c8c0ab18e48d9e0419fe42881112137f3afafc27dfddc29ec3a6d54c56d225ad",
        'Trevor "Freespace"',
        BY,
        (43.7890, 4.8322),
        "2025:10:18 17:05:49",
        describes="Figs from Odile's garden",
        comment="Odile, 12 rue de la Commune",
        stars=5,
    ),
    Made(
        "hills.jpg",
        "66268e7b48f8854d36a28765fac6e23ec1aee251daa6da1f64715f201020ad36",
        "Aitzol Berasategi",
        BY,
        (43.7461, 4.8370),
        "2025:10:18 15:10:03",
    ),
    Made(
        "palais-des-papes.jpg",
        "fded6367850d2fafaf5ecad961ba51efbdc0c3d3171f7cc058d2ccfd2e6897e6",
        "Tognopop",
        PUBLIC_DOMAIN,
        (43.9509, 4.8075),
        "2025:10:19 10:48:26",
        describes="Avignon",
        stars=4,
    ),
    Made(
        "pont-du-gard.jpg",
        "b9e560a9ae2fd919baec7f5ceb08877d57194e614481b25058693a88c232897f",
        "Mimova",
        PUBLIC_DOMAIN,
        (43.9475, 4.5350),
        "2025:10:19 13:05:11",
        comment="Sunday, before lunch",
        stars=5,
    ),
    Made(
        "stream.heic",
        "4c119350ead80201fe256850c3d316309ddfb4bdf10b235ce982dcde0c667c05",
        "Aitzol Berasategi",
        BY,
        (43.9550, 4.4700),
        "2025:10:19 15:20:38",
        gps=False,
    ),
    Made(
        "sunset.jpg",
        "474dab6a4b9f94dc76c29dfe30e9f5db4af0fd2e33fe5d695f8152b371efca18",
        "Aitzol Berasategi",
        BY,
        (43.7440, 4.7950),
        "2025:10:18 18:41:16",
    ),
    Made(
        "wine.jpg",
        "d2e96e6d4da40dd804b3d0ce295e94de04a2d7d9b6785d42cd9d92ba58bced74",
        "Jakub Mede",
        BY,
        (43.8372, 4.3600),
        "2025:10:18 22:15:30",
        gps=False,
    ),
)


def sources(packages: list[Path]) -> dict[str, bytes]:
    """Every photo of the packages by its SHA-256, also those inside Qt's resource files."""
    found: dict[str, bytes] = {}
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", str(package), folder], check=True)
            for file in Path(folder).rglob("*"):
                if file.suffix == ".jpg" and file.is_file():
                    content = file.read_bytes()
                    found[hashlib.sha256(content).hexdigest()] = content
                elif file.name == "explore_monuments.rcc":
                    for content in pictures_in(file.read_bytes()):
                        found[hashlib.sha256(content).hexdigest()] = content
    return found


def pictures_in(resource: bytes) -> list[bytes]:
    """The WebP pictures of a resource file, which lie in it as they are."""
    starts = [match.start() for match in re.finditer(b"RIFF....WEBP", resource, re.DOTALL)]
    sizes = [struct.unpack_from("<I", resource, start + 4)[0] + 8 for start in starts]
    return [resource[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def degrees(value: float) -> tuple[Fraction, Fraction, Fraction]:
    """Degrees, minutes and seconds, as EXIF has them."""
    minutes = Fraction(round(abs(value) * 3600 * 100), 6000)
    whole = int(minutes // 60)
    left = minutes - 60 * whole
    return Fraction(whole), Fraction(int(left)), (left - int(left)) * 60


def exif_of(made: Made) -> Image.Exif:
    """Who took it, with what, where and when."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = CAMERA
    exif[0x013B] = made.artist
    exif[0x8298] = f"{made.artist}, {made.licence}; resized, metadata made up"
    if made.describes:
        exif[0x010E] = made.describes
    if made.stars:
        exif[0x4746] = made.stars
    inner = exif.get_ifd(0x8769)
    inner[0xA431], inner[0xA430] = SERIAL, OWNER
    if made.time:
        exif[0x0132] = inner[0x9003] = made.time
        inner[0x9011] = "+02:00"
    if made.at and made.gps:
        lat, lon = made.at
        gps = exif.get_ifd(0x8825)
        gps[0], gps[1], gps[2] = b"\2\3\0\0", "N" if lat >= 0 else "S", degrees(lat)
        gps[3], gps[4] = "E" if lon >= 0 else "W", degrees(lon)
    return exif


def write(made: Made, content: bytes, folder: Path) -> None:
    """The photo at its size, with what is planted, in the kind that its name says."""
    with Image.open(BytesIO(content)) as opened:
        image = ImageOps.exif_transpose(opened).convert("RGB")
    if made.crop:
        left, top, right, bottom = made.crop
        box = (left * image.width, top * image.height, right * image.width, bottom * image.height)
        image = image.crop(tuple(round(side) for side in box))
    image.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
    exif = exif_of(made).tobytes()
    path = folder / made.name
    if path.suffix == ".heic":
        import pillow_heif

        pillow_heif.register_heif_opener()
        image.save(path, quality=60, exif=exif)
    elif path.suffix == ".webp":
        image.save(path, quality=80, method=6, exif=exif)
    else:
        comment = {"comment": made.comment.encode()} if made.comment else {}
        image.save(path, quality=84, optimize=True, exif=exif, **comment)


def write_notes(folder: Path) -> None:
    """What lies beside photos: an editor's note about one, Google Takeout's about another."""
    by_name = {Path(made.name).stem: made for made in ALBUM}
    stream, wine = by_name["stream"], by_name["wine"]
    assert stream.at and wine.at and wine.time
    lat, lon = (
        f"{int(value)},{(value - int(value)) * 60:.4f}{side}"
        for value, side in zip(stream.at, "NE", strict=True)
    )
    (folder / f"{stream.name}.xmp").write_text(
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">\n'
        ' <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
        '  <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/"\n'
        '    xmlns:xmp="http://ns.adobe.com/xap/1.0/"\n'
        f'    exif:GPSLatitude="{lat}" exif:GPSLongitude="{lon}" xmp:Rating="4"/>\n'
        " </rdf:RDF>\n</x:xmpmeta>\n",
        encoding="utf-8",
    )
    taken = datetime.strptime(wine.time, "%Y:%m:%d %H:%M:%S").replace(tzinfo=UTC)
    seconds = int(taken.timestamp()) - 2 * 3600
    note = {
        "title": wine.name,
        "description": "",
        "photoTakenTime": {"timestamp": str(seconds)},
        "geoData": {"latitude": wine.at[0], "longitude": wine.at[1], "altitude": 10.0},
        "people": [{"name": OWNER}],
    }
    (folder / f"{wine.name}.supplemental-metadata.json").write_text(
        json.dumps(note, indent=2) + "\n", encoding="utf-8"
    )


def main() -> None:
    """Make the album in the folder that is named last."""
    *packages, folder = (Path(argument) for argument in sys.argv[1:])
    found = sources(packages)
    folder.mkdir(parents=True, exist_ok=True)
    for made in ALBUM:
        write(made, found[made.sha256], folder)
    write_notes(folder)
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"{folder}: {len(ALBUM)} photos, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
