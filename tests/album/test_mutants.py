"""Good photos with a few bytes changed, as many as time allows: each ends in a word.

The long run makes fifty times as many. A mutant that finds a decoder's crash costs its worker and
is told as "crash"; what must not happen is a hang, a failure of the pool, or a rendition that is
not bare.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from elsewhere.album import Photo, Recipe
from elsewhere.album.album import _photo
from elsewhere.album.discovery import Candidate
from elsewhere.album.files import REASONS
from elsewhere.album.renditions import Spool, size_if_bare
from elsewhere.album.workers import Workers
from tests.album import makers
from tests.album.makers import display_p3, encoded, exif, jpeg, picture, png

DATA = Path(__file__).parent / "data"
TAGS = exif().tobytes()
SEEDS = {
    "full.jpg": makers.with_segments(
        jpeg(1, 200, 150, exif=exif(), icc_profile=display_p3(), comment=b"x"),
        makers.xmp_segment(makers.xmp()),
        makers.iptc_segment(),
    ),
    "progressive.jpg": jpeg(2, 200, 150, progressive=True),
    "stereo.mpo": encoded(picture(1), "MPO", save_all=True, append_images=[picture(2)]),
    "full.png": png(3, exif=TAGS, icc_profile=display_p3()),
    "full.webp": encoded(picture(4), "WEBP", exif=TAGS, icc_profile=display_p3()),
    "full.tif": encoded(picture(5), "TIFF", exif=TAGS),
    "lzw.tif": encoded(picture(5), "TIFF", compression="tiff_lzw"),
    "jpeg.tif": encoded(picture(5), "TIFF", compression="jpeg"),
    "full.avif": encoded(picture(6), "AVIF", exif=TAGS),
    "phone.heic": (DATA / "phone.heic").read_bytes(),
    "two.heic": (DATA / "two.heic").read_bytes(),
}
EXTREME = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\0")


def mutant(content: bytes, draw: random.Random) -> bytes:
    """A few bytes changed, removed or added, mostly where the headers are."""
    changed = bytearray(content)
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        reach = len(changed) if draw.random() < 0.5 else min(len(changed), 600)
        at = draw.randrange(12, max(13, reach))
        way = draw.random()
        if way < 0.5:
            changed[at : at + 1] = bytes([draw.choice([0, 127, 128, 255, draw.randrange(256)])])
        elif way < 0.7:
            changed[at : at + 4] = draw.choice(EXTREME)
        elif way < 0.8:
            del changed[at : at + draw.randrange(1, 50)]
        elif way < 0.9:
            changed[at:at] = draw.randbytes(draw.randrange(1, 50))
        else:
            del changed[at:]
    return bytes(changed)


def check_mutants(folder: Path, pool: Workers, count: int, seed: int) -> Counter[str]:
    draw = random.Random(seed)
    made: list[Candidate] = []

    def requests() -> Iterator[dict[str, object]]:
        for number in range(count):
            name = draw.choice(list(SEEDS))
            path = folder / f"{number}-{name}"
            path.write_bytes(mutant(SEEDS[name], draw))
            made.append(Candidate(path, path.name, ""))
            limits = {"max_side": Recipe().max_side, "pixels": 10_000_000}
            yield {"files": [path], **limits}

    ends: Counter[str] = Counter()
    for number, reply in enumerate(pool.each(requests())):
        spool = Spool()
        end = _photo(made[number], reply, Recipe(), spool)
        if isinstance(end, Photo):
            assert size_if_bare(end.rendition.content)
            ends["read"] += 1
        else:
            assert end.kind in REASONS
            ends[end.kind] += 1
        spool.close()
        made[number].path.unlink()
    return ends


def test_some(tmp_path: Path, pool: Workers) -> None:
    ends = check_mutants(tmp_path, pool, 400, seed=1)
    assert ends.total() == 400
    assert ends["read"] > 50 and ends["damaged"] > 50  # neither is what always happens
    assert ends["time"] == 0


@pytest.mark.long
def test_many(tmp_path: Path, pool: Workers) -> None:
    assert check_mutants(tmp_path, pool, 20_000, seed=2)["time"] == 0
