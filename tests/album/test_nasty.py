"""Files from strangers, one by one and all together: each ends in a word, and nothing else breaks.

What is asked of each: it is read or named with a reason; the good photos beside it are read as if
it were not there; the whole folder is afterwards as it was, byte for byte, mode for mode, time for
time.
"""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from elsewhere.album import Album, Limits, read_album
from elsewhere.album.files import REASONS
from elsewhere.album.workers import Workers
from tests.album.makers import (
    chunk,
    encoded,
    jpeg,
    many_scans,
    outside,
    picture,
    png,
    png_header,
    sized,
    with_segments,
    xmp_segment,
)
from tests.album.nasty import make_all, snapshot
from tests.album.nasty_formats import CRASHING
from tests.album.nasty_list import ALL, Nasty, squeezed

linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept on Linux")
GOOD = ("good-1.jpg", "good-2.png")


def good_ones(folder: Path) -> None:
    (folder / GOOD[0]).write_bytes(jpeg(1, 200, 150))
    (folder / GOOD[1]).write_bytes(png(2, 150, 200))


def ends_of(nasty: Nasty, album: Album, folder: Path) -> set[str]:
    """How everything below the nasty name ended."""

    def below(path: Path) -> bool:
        return path.relative_to(folder).parts[0] == nasty.name

    ends = {"read" for photo in album.photos if below(photo.path)}
    return ends | {one.kind for one in album.skipped if below(one.path)}


def check_words(album: Album) -> None:
    for one in album.skipped:
        assert one.kind in REASONS
        assert len(one.reason) > 10
        # what a decoder says of it, often a number, helps nobody
        assert one.kind != "damaged" or not re.search(r"-?\d|decoder|error", one.reason)
        for text in (one.name, one.reason):
            assert "\n" not in text
            assert all(unicodedata.category(mark) not in ("Cc", "Cf", "Cs") for mark in text)
    assert len({photo.id for photo in album.photos}) == len(album.photos)


@pytest.mark.parametrize("nasty", ALL, ids=lambda nasty: ascii(nasty.name)[:40])
def test_alone(nasty: Nasty, tmp_path: Path, pool: Workers) -> None:
    folder = tmp_path / "album"
    folder.mkdir()
    good_ones(folder)
    try:
        nasty.make(folder / nasty.name)
    except (OSError, AttributeError, UnicodeError) as problem:
        pytest.skip(f"this system cannot have such a file: {problem}")
    before = snapshot(folder)
    album = read_album([folder], workers=pool)
    assert snapshot(folder) == before
    check_words(album)
    ends = ends_of(nasty, album, folder)
    if nasty.ends:
        assert len(ends) == 1 and ends <= nasty.ends
    else:
        assert not ends
    assert [photo.id for photo in album.photos if photo.id.startswith("good")] == list(GOOD)


def test_there_are_enough_of_them() -> None:
    assert len({nasty.name for nasty in ALL}) == len(ALL) >= 60


def test_all_together(tmp_path: Path, pool: Workers) -> None:
    folder = tmp_path / "album"
    folder.mkdir()
    good_ones(folder)
    impossible = make_all(folder)
    before = snapshot(folder)
    album = read_album([folder], workers=pool)
    assert snapshot(folder) == before
    check_words(album)
    for nasty in ALL:
        if nasty not in impossible and nasty.ends:
            assert ends_of(nasty, album, folder) <= nasty.ends, nasty.name
            assert ends_of(nasty, album, folder), nasty.name
    assert {photo.id for photo in album.photos} >= set(GOOD)


def test_the_time_limit_on_a_file_that_exceeds_it(tmp_path: Path) -> None:
    """A few hundred kilobytes that decode for minutes, and a good photo beside them."""
    good_ones(tmp_path)
    (tmp_path / "scans.jpg").write_bytes(many_scans(3000, 20_000))
    album = read_album([tmp_path], limits=Limits(seconds=3))
    assert [(one.name, one.kind) for one in album.skipped] == [("scans.jpg", "time")]
    assert [photo.id for photo in album.photos] == list(GOOD)


@linux
@pytest.mark.parametrize("watch", [False, True])
def test_the_memory_limit_on_files_that_exceed_it(tmp_path: Path, watch: bool) -> None:
    """Bombs whose sizes are believed: only the limit on memory stands between them and us.

    Run in a process of its own, so that the largest of its children can be asked for.
    """
    good_ones(tmp_path)
    flat = png_header(8000, 8000, colour=2) + chunk(b"IDAT", squeezed(192))
    (tmp_path / "flat.png").write_bytes(flat + chunk(b"IEND", b""))
    lie = sized(jpeg(3, progressive=True), 20000, 20000) + bytes(1 << 20)
    (tmp_path / "lie.jpg").write_bytes(lie)
    code = (
        "import resource, sys\n"
        "from elsewhere.album import Limits, read_album\n"
        f"limits = Limits(memory=200 << 20, watch={watch})\n"
        "album = read_album([sys.argv[1]], limits=limits, pixels=10**10)\n"
        "print(*[f'{one.name}:{one.kind}' for one in album.skipped])\n"
        "print(*[photo.id for photo in album.photos])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    # libjpeg reports its want of memory like any damage; the PNG's is told as what it is
    assert told[0] in ("flat.png:memory lie.jpg:damaged", "flat.png:memory lie.jpg:memory")
    assert told[1].split() == list(GOOD)
    # a watched worker may outgrow its limit by what it grabs between two looks
    assert int(told[2]) <= (350 if watch else 200)


@linux
def test_those_files_would_exceed_the_limit(tmp_path: Path) -> None:
    """The same bombs with memory enough, so that the test above is one of the limit."""
    flat = png_header(8000, 8000, colour=2) + chunk(b"IDAT", squeezed(192))
    (tmp_path / "flat.png").write_bytes(flat + chunk(b"IEND", b""))
    album = read_album([tmp_path], limits=Limits(memory=1 << 30))
    assert [photo.id for photo in album.photos] == ["flat.png"]


def test_a_file_that_crashes_the_decoder(tmp_path: Path, pool: Workers) -> None:
    """Proved on a file that does crash it, as long as there is a version that crashes."""
    good_ones(tmp_path)
    path = tmp_path / "crashing.heic"
    path.write_bytes(CRASHING)
    direct = "import pi_heif, sys; pi_heif.open_heif(sys.argv[1])"
    alone = subprocess.run(
        [sys.executable, "-c", direct, str(path)], capture_output=True, check=False
    )
    album = read_album([tmp_path], workers=pool)
    ends = {one.name: one.kind for one in album.skipped} | {one.id: "read" for one in album.photos}
    assert (ends["crashing.heic"] == "crash") == (alone.returncode < 0)
    assert ends[GOOD[0]] == ends[GOOD[1]] == "read"


def test_decoders_chatter_never_reaches_the_terminal(tmp_path: Path) -> None:
    """libtiff prints to standard error, whoever listens: proved on a file that makes it print."""
    whole = encoded(picture(4, 200, 100), "TIFF", compression="tiff_lzw")
    bent = whole[:60] + b"\xff\x00\x55" * 300 + whole[960:]
    (tmp_path / "bent.tif").write_bytes(bent)
    direct = "import sys; from PIL import Image; Image.open(sys.argv[1]).load()"
    ours = (
        "import sys; from elsewhere.album import read_album\n"
        "print([one.kind for one in read_album([sys.argv[1]]).skipped])"
    )
    loud, quiet = (
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "bent.tif")],
            capture_output=True,
            text=True,
            check=False,
        )
        for code in (direct, ours)
    )
    assert "tempfile.tif: " in loud.stderr.splitlines()[0]
    assert quiet.stderr == ""
    assert quiet.stdout.strip() == "['damaged']"


def test_a_secret_beside_the_album_is_not_fetched(tmp_path: Path, pool: Workers) -> None:
    """An XMP that asks for another file gets nothing, and says so."""
    secret = tmp_path / "secret.txt"
    secret.write_text("THE SECRET")
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(with_segments(jpeg(5), xmp_segment(outside(str(secret)))))
    (read,) = read_album([photo], workers=pool).photos
    assert not any("SECRET" in leak.text for leak in read.metadata.leaks)
    assert ("XMP", f"unreadable ({len(outside(str(secret)))} bytes)") in read.metadata.leaks
