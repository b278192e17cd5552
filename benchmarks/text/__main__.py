"""`python -m benchmarks.text`: signs found, read and resolved, by script and height; time; memory.

    python -m benchmarks.text                     drawn signs: 12 scripts, 8 heights, 4 conditions
    python -m benchmarks.text --scripts Thai      the same of some scripts; --out FILE keeps it
    python -m benchmarks.text --join FILE...      the tables of such files together
    python -m benchmarks.text --photos FOLDER     your photos: how many have text, how many a place
    python -m benchmarks.text --mirrored FOLDER   500 photos of a folder's archives, as in a mirror
    python -m benchmarks.text --job               what reading adds to the whole job

What is written on a mirrored photo cannot be read, so that every place in it is a false alarm.
Where a table in the folder (.csv with `name`, `lat` and `lon`) says where photos were taken, the
rule is tried too: whether it withholds a photo whose own place is hidden.

Scripts need fonts: those of this machine are used, and those in the folders of ELSEWHERE_FONTS. If
tesseract is installed, it is measured beside our reader: alone, told the right language, and as
elsewhere uses it, on the lines that our reader cannot read.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tests.text.signs import NAMES, SIZE, Sheet, Sign, font_file, sheets

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
from elsewhere.scorers import RowCache
from elsewhere.service.photo_texts import TextReader
from elsewhere.text import tesseract
from elsewhere.text.evidence import RULE_KM, telling_lines
from elsewhere.values.photo_text import Clue, PhotoText, Position, TextBox

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
    parser.add_argument("--scripts", nargs="+", choices=NAMES, default=list(NAMES))
    parser.add_argument("--join", nargs="+", type=Path, help="files of --out, one table for all")
    parser.add_argument("--photos", type=Path, help="measure these photos instead")
    parser.add_argument(
        "--mirrored", type=Path, help="count false alarms in a folder of .tar files"
    )
    parser.add_argument("--count", type=int, default=500, help="photos for --mirrored (500)")
    parser.add_argument("--sample", type=int, choices=(0, 1), default=0, help="of two (0)")
    parser.add_argument("--cache", type=Path, help="keep what is read here, to go on later")
    parser.add_argument("--job", action="store_true", help="time the example album's whole job")
    parser.add_argument("--out", type=Path, help="also write the figures, as JSON")
    asked = parser.parse_args()
    document: dict[str, Any] = {"machine": machine(), "tesseract": tesseract.installed()[1]}
    print(document["machine"], flush=True)
    if asked.job:
        document |= measure_job()
    elif asked.mirrored:
        document |= measure_mirrored(asked.mirrored, asked.count, asked.sample, asked.cache)
    elif asked.photos:
        document |= measure_photos(asked.photos, asked.cache)
    elif asked.join:
        join([json.loads(path.read_text("utf-8")) for path in asked.join])
        return 0
    else:
        results = measure_signs(sheets(asked.scripts, asked.names))
        for name, groups in results.groups.items():
            document[name] = {group: vars(rates) for group, rates in groups.items()}
            print(table(name, groups))
        missing = [script for script in asked.scripts if font_file(script) is None]
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


def join(documents: Sequence[dict[str, Any]]) -> None:
    """Print the tables of several runs with different scripts as one."""
    for name in Results().groups:
        groups: dict[str, Rates] = {}
        for document in documents:
            for key, counts in document[name].items():
                total = groups.setdefault(key, Rates())
                for what, count in counts.items():
                    setattr(total, what, getattr(total, what) + count)
        print(table(name, groups))
    photos = sum(document["photos"] for document in documents)
    for key in ("milliseconds a photo", "processor milliseconds a photo"):
        total_ms = sum(document[key] * document["photos"] for document in documents)
        print(f"{key}: {total_ms / photos:.0f}")
    largest = max(document["MB of the largest worker"] for document in documents)
    print(f"{largest} MB for the largest worker")


def measure_photos(folder: Path, cache: Path | None = None) -> dict[str, Any]:
    """What is written on the photos of a folder; time a photo."""
    with album_workers() as workers:
        album = read_album([folder], recipe=Recipe(), workers=workers)
    times: list[float] = []
    before = children_seconds()

    def read(photo: Photo) -> None:
        start = time.perf_counter()
        reader(photo)
        times.append(time.perf_counter() - start)

    with TextReader(_rows(cache)) as reader:
        seconds = _timed(read, album.photos)
    document = summary(reader.texts, positions_in(folder)) | {
        "milliseconds a photo": round(1000 * seconds / len(album.photos)),
        "milliseconds, median of one worker": round(1000 * median(times)),
    }
    for key, value in document.items():
        print(f"{key}: {value}")
    album.close()
    return document | {"processor seconds": children_seconds() - before}


def _rows(folder: Path | None) -> RowCache | None:
    return None if folder is None else RowCache(folder)


def positions_in(folder: Path) -> dict[str, Position]:
    """Where the photos were taken that the tables of a folder name."""
    found = {}
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[row["name"]] = Position(float(row["lat"]), float(row["lon"]))
    return found


def summary(texts: Mapping[str, PhotoText], positions: Mapping[str, Position]) -> dict[str, Any]:
    """How many photos have text and how many name a place, and where that is."""
    lines = [line for text in texts.values() for line in text.lines]
    named = {photo: clues for photo, text in texts.items() if (clues := certain_names(text))}
    document = {
        "photos": len(texts),
        "with text found": sum(bool(text.lines) for text in texts.values()),
        "with text read": sum(any(line.is_read for line in t.lines) for t in texts.values()),
        "lines found": len(lines),
        "lines looked up": sum(bool(line.text) for line in lines),
        "lines read": sum(line.is_read for line in lines),
        "with a place": len(named),
    }
    known = {photo: positions[photo] for photo in texts if photo in positions}
    if known:
        where = {photo: (position.lat, position.lon) for photo, position in known.items()}
        telling = {n: telling_lines(texts[n], [lat], [lon]) for n, (lat, lon) in where.items()}
        near = [
            photo
            for photo in named.keys() & where.keys()
            if any(
                between_km(*where[photo], *position) <= RULE_KM
                for clue in named[photo]
                for position in clue.positions
            )
        ]
        document |= {
            "with a place within 100 km of the true one": len(near),
            "with such a name, also a village's": sum(map(bool, telling.values())),
        }
    return document


def certain_names(text: PhotoText) -> list[Clue]:
    """The names that an audit tells of a photo."""
    clues = [clue for line in text.lines for clue in line.clues]
    return [clue for clue in clues if clue.certain and clue.kind == "name"]


def mirrored_photos(folder: Path, count: int, sample: int = 0) -> Iterator[tuple[str, bytes]]:
    """Photos from all archives of a folder, evenly, as in a mirror and of a rendition's size.

    The second sample lies half a step beside the first.
    """
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
                member = names[(2 * at + sample) * len(names) // (2 * wanted)]
                file = opened.extractfile(member)
                assert file is not None
                with Image.open(io.BytesIO(file.read())) as photo:
                    picture = ImageOps.mirror(ImageOps.exif_transpose(photo).convert("RGB"))
                picture.thumbnail((MAX_SIDE, MAX_SIDE))
                yield member.name, encode_jpeg(picture)


def measure_mirrored(
    folder: Path, count: int, sample: int = 0, cache: Path | None = None
) -> dict[str, Any]:
    """How many photos seem to name a place although nothing on them can be read."""
    spool, times, before = Spool(), [], children_seconds()
    with TextReader(_rows(cache)) as reader:
        for name, content in mirrored_photos(folder, count, sample):
            rendition = accept_rendition(content, Recipe(), spool)
            start = time.perf_counter()
            reader.texts[name] = reader.read(name, rendition)
            times.append(time.perf_counter() - start)
            rendition.forget()
            if len(times) % 50 == 0:
                print(f"{len(times)} photos", flush=True)
    positions = positions_in(folder)
    document = summary(reader.texts, positions)
    for key, value in document.items():
        print(f"{key}: {value}")
    for name, text in reader.texts.items():
        clues = certain_names(text)
        if name in positions:
            lat, lon = positions[name]
            clues += [clue for _, clue in telling_lines(text, [lat], [lon])]
        if clues:
            print("  " + ", ".join({f"{clue.excerpt}: {clue.label}": 0 for clue in clues}))
    return document | {
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
