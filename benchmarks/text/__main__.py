"""`python -m benchmarks.text`: signs found, read and resolved, by script and height; time; memory.

    python -m benchmarks.text                     drawn signs: 12 scripts, 8 heights, 4 conditions
    python -m benchmarks.text --names 1           the same with one name a script
    python -m benchmarks.text --photos FOLDER     your photos: how many have text, how many a place
    python -m benchmarks.text --mirrored FOLDER   500 photos of a folder's archives, as in a mirror
    python -m benchmarks.text --job               what reading adds to the whole job

What is written on a mirrored photo cannot be read, so that every place in it is a false alarm.

Scripts need fonts: those of this machine are used, and those in the folders of ELSEWHERE_FONTS. If
tesseract is installed, it is measured beside our reader: alone, told the right language, and as
elsewhere uses it, on the lines that our reader cannot read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.text.signs import SIZE, Sheet, Sign, font_file, sheets

from benchmarks.machine import machine
from elsewhere.album import Photo, Recipe, album_workers, read_album
from elsewhere.album.metadata import Metadata
from elsewhere.album.renditions import (
    MAX_SIDE,
    Rendition,
    Spool,
    accept_rendition,
    encode_jpeg,
)
from elsewhere.globe import between_km, places
from elsewhere.globe.gazetteer import name_key
from elsewhere.platform.machine import worker_count
from elsewhere.service.photo_texts import TextReader
from elsewhere.text import tesseract
from elsewhere.values.photo_text import PhotoText, TextBox

_NEAR_KM = 50.0
"""A sign is resolved when a certain clue is so near to the town that it names."""
_TESSERACT = {
    "Latin": "eng", "Greek": "ell", "Cyrillic": "rus", "Han": "chi_sim", "Kana": "jpn",
    "Hangul": "kor", "Arabic": "ara", "Hebrew": "heb", "Thai": "tha", "Devanagari": "hin",
    "Georgian": "kat", "Armenian": "hye",
}  # fmt: skip


@dataclass
class Rates:
    """How many signs there were, and what came of them."""

    signs: int = 0
    found: int = 0
    read: int = 0
    resolved: int = 0
    alone_found: int = 0
    alone_read: int = 0

    def add(self, found: bool, read: bool, resolved: bool, alone: tuple[bool, bool]) -> None:
        """Count one sign; `alone` is what tesseract alone makes of it."""
        self.signs += 1
        self.found += found
        self.read += read
        self.resolved += resolved
        self.alone_found += alone[0]
        self.alone_read += alone[1]


@dataclass
class Results:
    """The rates by script, height and condition, and the times."""

    groups: dict[str, dict[str, Rates]] = field(
        default_factory=lambda: {"script": {}, "height": {}, "condition": {}}
    )
    seconds: float = 0.0
    processor_seconds: float = 0.0
    photos: int = 0


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks.text")
    parser.add_argument("--names", type=int, default=3, help="names of each script (3)")
    parser.add_argument("--photos", type=Path, help="measure these photos instead")
    parser.add_argument(
        "--mirrored", type=Path, help="count false alarms in a folder of .tar files"
    )
    parser.add_argument("--count", type=int, default=500, help="photos for --mirrored (500)")
    parser.add_argument("--job", action="store_true", help="time the example album's whole job")
    parser.add_argument("--out", type=Path, help="also write the figures, as JSON")
    asked = parser.parse_args()
    document: dict[str, Any] = {"machine": machine(), "tesseract": tesseract.installed()[1]}
    print(document["machine"], flush=True)
    if asked.job:
        document |= measure_job()
    elif asked.mirrored:
        document |= measure_mirrored(asked.mirrored, asked.count)
    elif asked.photos:
        document |= measure_photos(asked.photos)
    else:
        results = measure_signs(sheets(limit=asked.names))
        for name, groups in results.groups.items():
            document[name] = {group: vars(rates) for group, rates in groups.items()}
            print(table(name, groups))
        missing = [script for script in _TESSERACT if font_file(script) is None]
        print(f"no font: {', '.join(missing) or 'none missing'}")
        size = f"{SIZE[0]} × {SIZE[1]}"
        document["photos"] = results.photos
        document["processor seconds"] = results.processor_seconds
        document["milliseconds a photo"] = round(1000 * results.seconds / max(1, results.photos))
        print(f"{document['milliseconds a photo']} ms a photo of {size}, {worker_count()} workers")
    if "processor seconds" in document:
        share = 1000 * document.pop("processor seconds") / max(1, document["photos"])
        document["processor milliseconds a photo"] = round(share)
        print(f"{share:.0f} ms a photo on one processor, with the start of the workers")
    document["MB of the largest worker"] = peak_megabytes()
    print(f"{document['MB of the largest worker']} MB for the largest worker")
    if asked.out:
        asked.out.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


def children_seconds() -> float:
    """The processor time of the processes that were started from here and have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_megabytes() -> int:
    """The most memory that any process started from here held; they have ended."""
    import resource

    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // unit


def measure_signs(drawn: Iterable[Sheet]) -> Results:
    """Read every sheet with all workers, and count what came of each sign."""
    results, spool = Results(), Spool()
    every = list(drawn)
    photos = [
        Photo(str(number), Path(f"{number}.jpg"), _rendition(sheet.content, spool), Metadata())
        for number, sheet in enumerate(every)
    ]
    with TextReader() as reader:
        reader(photos[0])  # the workers start
        results.seconds = _timed(reader, photos)
    results.photos, results.processor_seconds = len(photos), children_seconds()
    for photo, sheet in zip(photos, every, strict=True):
        alone = read_alone(sheet)
        for sign in sheet.signs:
            outcome = judge(sign, reader.texts[photo.id])
            for group, key in (
                ("script", sheet.script),
                ("height", f"{sign.height} px"),
                ("condition", sheet.condition),
            ):
                rates = results.groups[group].setdefault(key, Rates())
                rates.add(*outcome, _judge_words(sign, alone))
    return results


def _rendition(content: bytes, spool: Spool) -> Rendition:
    from hashlib import sha256

    digest = sha256(content).hexdigest()
    return Rendition(digest, *SIZE, len(content), spool, spool.put(content))


def _timed(read: Callable[[Photo], None], photos: Sequence[Photo]) -> float:
    start = time.perf_counter()
    with ThreadPoolExecutor(worker_count()) as pool:
        list(pool.map(read, photos))
    return time.perf_counter() - start


def judge(sign: Sign, text: PhotoText) -> tuple[bool, bool, bool]:
    """Whether a sign was found, read and resolved."""
    found = read = resolved = False
    town = places(sign.name)[0]
    for line in text.lines:
        if not covers(line.box, sign):
            continue
        found = True
        read |= line.is_read and _compact(sign.name) in _compact(line.text)
        resolved |= any(
            between_km(town.lat, town.lon, *clue.positions[0]) <= _NEAR_KM
            for clue in line.clues
            if clue.certain and clue.positions
        )
    return found, read, resolved


def covers(box: TextBox, sign: Sign) -> bool:
    """Whether a rectangle holds at least half of a sign."""
    left, top, right, bottom = sign.box
    width = min(right, box.right) - max(left, box.left)
    height = min(bottom, box.bottom) - max(top, box.top)
    return min(width, height) > 0 and 2 * width * height >= (right - left) * (bottom - top)


def read_alone(sheet: Sheet) -> list[tuple[str, TextBox]]:
    """The words that tesseract alone reads on a sheet, told its language."""
    program, _ = tesseract.installed()
    if not program:
        return []
    command = [program, "stdin", "stdout", "--psm", "11", "-l", _TESSERACT[sheet.script], "tsv"]
    run = subprocess.run(command, input=sheet.content, capture_output=True, check=False)
    words = []
    for row in run.stdout.decode("utf-8", "replace").splitlines():
        columns = row.split("\t")
        if len(columns) == 12 and columns[0] == "5" and columns[11].strip():
            left, top, width, height = map(int, columns[6:10])
            words.append((columns[11], TextBox(left, top, left + width, top + height)))
    return words


def _judge_words(sign: Sign, words: Sequence[tuple[str, TextBox]]) -> tuple[bool, bool]:
    texts = [text for text, box in words if covers(box, sign)]
    return bool(texts), any(_compact(sign.name) in _compact(text) for text in texts)


def _compact(text: str) -> str:
    return name_key(text).replace(" ", "")


def table(name: str, groups: dict[str, Rates]) -> str:
    """The rates as a table of Markdown, in percent."""
    head = [name, "signs", "found", "read", "resolved", "tesseract found", "tesseract read"]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for key, rates in groups.items():
        counts = (rates.found, rates.read, rates.resolved, rates.alone_found, rates.alone_read)
        shares = [f"{100 * count / rates.signs:.0f} %" for count in counts]
        if not tesseract.installed()[0]:
            shares[3:] = ["", ""]
        rows.append(f"| {key} | {rates.signs} | {' | '.join(shares)} |")
    return "\n".join(rows) + "\n"


def measure_photos(folder: Path) -> dict[str, Any]:
    """How many photos of a folder have text, and how many name a place; time a photo."""
    with album_workers() as workers:
        album = read_album([folder], recipe=Recipe(), workers=workers)
    times: list[float] = []
    before = children_seconds()

    def read(photo: Photo) -> None:
        start = time.perf_counter()
        reader(photo)
        times.append(time.perf_counter() - start)

    with TextReader() as reader:
        reader(album.photos[0])
        seconds = _timed(read, album.photos)
    texts = list(reader.texts.values())
    named = [
        text
        for text in texts
        if any(clue.certain and clue.kind == "name" for line in text.lines for clue in line.clues)
    ]
    count = len(album.photos)
    document = {
        "photos": count,
        "with text found": sum(bool(text.lines) for text in texts),
        "with text read": sum(any(line.is_read for line in text.lines) for text in texts),
        "with a place": len(named),
        "milliseconds a photo": round(1000 * seconds / count),
        "milliseconds, median of one worker": round(1000 * median(times)),
        "processor seconds": children_seconds() - before,
    }
    for key, value in document.items():
        print(f"{key}: {value}")
    album.close()
    return document


def mirrored_photos(folder: Path, count: int) -> Iterator[bytes]:
    """Photos from all archives of a folder, evenly, as in a mirror and of a rendition's size."""
    import io
    import tarfile

    from PIL import Image, ImageOps

    archives = [archive for archive in sorted(folder.glob("*.tar")) if archive.stat().st_size]
    for number, archive in enumerate(archives):
        wanted = count * (number + 1) // len(archives) - count * number // len(archives)
        with tarfile.open(archive) as opened:
            names = [
                member
                for member in opened.getmembers()
                if member.name.lower().endswith((".jpg", ".jpeg"))
            ]
            for at in range(min(wanted, len(names))):
                file = opened.extractfile(names[at * len(names) // wanted])
                assert file is not None
                with Image.open(io.BytesIO(file.read())) as photo:
                    picture = ImageOps.mirror(ImageOps.exif_transpose(photo).convert("RGB"))
                picture.thumbnail((MAX_SIDE, MAX_SIDE))
                yield encode_jpeg(picture)


def measure_mirrored(folder: Path, count: int) -> dict[str, Any]:
    """How many photos seem to name a place although nothing on them can be read."""
    spool, places_found, done, times = Spool(), [], 0, []
    before = children_seconds()
    with TextReader() as reader:
        for number, content in enumerate(mirrored_photos(folder, count)):
            rendition = accept_rendition(content, Recipe(), spool)
            start = time.perf_counter()
            text = reader.read(str(number), rendition)
            times.append(time.perf_counter() - start)
            rendition.forget()
            done += 1
            clues = [clue for line in text.lines for clue in line.clues]
            places_found += [clue.label for clue in clues if clue.certain and clue.kind == "name"][
                :1
            ]
            if done % 50 == 0:
                print(f"{done} photos, {len(places_found)} with a place", flush=True)
    share = 100 * len(places_found) / max(1, done)
    print(f"of {done} mirrored photos {len(places_found)} yield a place ({share:.1f} %)")
    for label in places_found:
        print(f"  {label}")
    return {
        "photos": done,
        "with a place": len(places_found),
        "milliseconds, median of one worker": round(1000 * median(times)),
        "processor seconds": children_seconds() - before,
    }


def measure_job() -> dict[str, Any]:
    """Processor seconds of the example album's whole job, with and without reading."""
    from elsewhere.example import ALBUM
    from elsewhere.service import protect_album
    from elsewhere.values.wishes import Wishes

    seconds = {}
    for read in (False, True, False, True):  # the first of each warms up
        start = time.process_time() + children_seconds()
        protect_album([ALBUM], None, Wishes(), cache=False, read_text=read)
        seconds[read] = time.process_time() + children_seconds() - start
    share = 1 - seconds[False] / seconds[True]
    percent = f"{100 * share:.0f} %"
    print(f"the whole job takes {seconds[True]:.1f} s of a processor, {percent} of it for text")
    return {"seconds with text": seconds[True], "seconds without": seconds[False]}


if __name__ == "__main__":
    sys.exit(main())
