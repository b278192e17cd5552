"""The readable text of an album's photos, and the rule that it makes for plans.

Photos are read as they would be shared, in worker processes with the cage of the decoders: the
models see untrusted pixels. What is read is cached like scores, by the rendition's bytes. A worker
opens no file and hands over plain lines, which are checked here.

The rule: a photo with a readable name of a place within 100 km of what is hidden is withheld, and
so is one that could not be searched, or that has more text than is read. The user keeps such a
photo by naming it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager
from importlib.metadata import version
from typing import Any, TypeVar

from elsewhere.album import Photo, Step
from elsewhere.album.places import AlbumPlace
from elsewhere.album.renditions import Rendition
from elsewhere.album.workers import Limits, Workers
from elsewhere.platform.machine import worker_count
from elsewhere.platform.threads import ThreadPool
from elsewhere.scorers import RowCache
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import hidden_areas, inside
from elsewhere.service.text_rows import visible_text
from elsewhere.text import tesseract
from elsewhere.text.evidence import RULE_KM, named_after, telling_lines
from elsewhere.text.reader import DIGESTS, GUESSED, LINE_HEIGHT, MAX_LINES, SCRIPTS, VERSION
from elsewhere.text.understanding import understand
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.photo_text import Clue, PhotoText, TextBox, TextCheck, TextLine
from elsewhere.values.plan import Plan
from elsewhere.values.versions import Edit
from elsewhere.values.wishes import HideScope, Wishes

Item = TypeVar("Item")

LIMITS = Limits(seconds=120.0)
"""For one photo."""
TASK = "elsewhere.text.reader:read"
_ASK_SECONDS = 0.2
"""How often it is asked, while a photo is read, whether anybody still wants to know."""
_MAX_TEXT, _MAX_OTHERS = 2_000, 4
"""Letters of a line that a worker may hand over, and its further readings."""


class TextReader(AbstractContextManager["TextReader"]):
    """Reads one photo after another, from any thread; `texts` has the results by the photo's name.

    The workers are started when the first photo is not in the cache, and end with the `with` block.
    """

    def __init__(self, cache: RowCache | None = None) -> None:
        self.texts: dict[str, PhotoText] = {}
        self._cache = cache
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        parts = [f"text {VERSION}", *DIGESTS.values(), *tesseract.installed()[1]]
        parts += [f"{library} {version(library)}" for library in ("onnxruntime", "pillow", "numpy")]
        self._context = "\n".join(parts)

    def __call__(self, photo: Photo) -> None:
        """Read a photo whose rendition is there."""
        self.texts[photo.id] = self.read(photo.id, photo.rendition)

    def read(self, name: str, rendition: Rendition, enlarged: int = 1) -> PhotoText:
        """The text of a rendition, read at its size or at so many times that."""
        content, key, record = rendition.content, "", None
        if self._cache is not None:
            context = self._context if enlarged == 1 else f"{self._context}\n× {enlarged}"
            key = self._cache.key(content, context)
            stored = self._cache.get_bytes(key)
            record = None if stored is None else json.loads(stored)
        if record is None:
            record = self._read(content, enlarged)
            if self._cache is not None and not record["failed"]:
                self._cache.put_bytes(key, json.dumps(record).encode())
        if record["failed"]:
            return PhotoText(name, failed=record["failed"])
        size = rendition.width, rendition.height
        lines = [_checked_line(line, size) for line in record["lines"]]
        return understand(name, lines, record["more"])

    def _read(self, content: bytes, enlarged: int) -> dict[str, Any]:
        """The lines of a picture as they are cached, or why there are none."""
        with self._lock:
            if self._workers is None:
                self._workers = Workers(TASK, LIMITS)
        wanted = tesseract.MAX_LINES if tesseract.installed()[1] else 0
        request = {"files": ["rendition.jpg"], "crops": wanted, "enlarged": enlarged}
        reply = self._workers.ask(request, content)
        if reply.failed:
            return {"failed": reply.failed}
        try:
            lines = [list(line) for line in reply.answer["lines"]][:MAX_LINES]
            others: dict[int, list[tuple[str, float]]] = {}
            for number, text, confidence in reply.answer.get("others", ()):
                others.setdefault(int(number), []).append((text, float(confidence)))
            lines = [[*line[:7], others.get(number, [])] for number, line in enumerate(lines)]
            for line in lines:
                _checked_line(line, (1 << 20, 1 << 20))
            numbers = [int(number) for number in reply.answer["crops"]]
            _read_with_tesseract(lines, numbers, reply.blobs)
            return {"lines": lines, "more": max(0, int(reply.answer["more"])), "failed": ""}
        except (KeyError, TypeError, ValueError, IndexError, OverflowError):
            return {"failed": "crash"}  # no worker of ours answers so

    def __exit__(self, *problem: object) -> None:
        """End the workers."""
        if self._workers is not None:
            self._workers.close()


def read_texts(
    photos: Sequence[Photo],
    *,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> dict[str, PhotoText]:
    """The text of photos whose renditions are kept, by name; `progress` may raise to stop it.

    One core stays free for what is done beside it.
    """

    def read(reader: TextReader, photo: Photo) -> PhotoText:
        return reader.read(photo.id, photo.rendition)

    threads = max(1, worker_count() - 1)
    texts = read_each(read, photos, threads, cache=cache, progress=progress)
    return {text.photo: text for text in texts}


def read_each(
    read: Callable[[TextReader, Item], PhotoText],
    items: Sequence[Item],
    threads: int,
    *,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> list[PhotoText]:
    """The text of each item, as `read` reads it; `progress` may raise to stop it.

    It is asked again while an item is read, which may take seconds.
    """
    texts, total = [], len(items)
    with TextReader(cache) as reader, ThreadPool(threads) as pool:
        try:
            progress(Step("text", 0, total))
            for done, text in enumerate([pool.submit(read, reader, item) for item in items], 1):
                while not wait([text], _ASK_SECONDS).done:
                    progress(Step("text", done - 1, total))
                texts.append(text.result())
                progress(Step("text", done, total))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            reader.__exit__()  # a photo that nobody wants is not waited for
            raise
    return texts


def _checked_line(line: Sequence[Any], size: tuple[int, int]) -> TextLine:
    """A line from a worker, with its rectangle inside the picture."""
    text, confidence, left, top, right, bottom, _, others = line
    readings = [(text, confidence), *others]
    if not all(isinstance(text, str) and len(text) <= _MAX_TEXT for text, _ in readings):
        raise ValueError("a line is no text")
    edges = [
        min(max(0, int(value)), size[at % 2]) for at, value in enumerate((left, top, right, bottom))
    ]
    sure = [(text, min(1.0, max(0.0, float(confidence)))) for text, confidence in readings]
    return TextLine(*sure[0], TextBox(*edges), others=tuple(sure[1 : 1 + _MAX_OTHERS]))


def _read_with_tesseract(
    lines: list[list[Any]], numbers: Sequence[int], blobs: Sequence[bytes]
) -> None:
    """Let tesseract read the lines whose pictures came along, where it is installed.

    The surer reading of a line comes first; the other one counts, too.
    """
    from PIL import Image

    pictures = [
        Image.frombytes("L", (len(blob) // LINE_HEIGHT, LINE_HEIGHT), blob) for blob in blobs
    ]
    found = tesseract.read_lines(pictures)
    for number, (text, confidence) in zip(numbers, found, strict=True):
        if confidence < GUESSED:
            continue
        line = lines[number]
        known = [(line[0], line[1])] if line[0] else []
        readings = [*known, (text, round(confidence, 4)), *line[7]]
        (line[0], line[1]), *line[7] = sorted(readings, key=lambda reading: -reading[1])


def inspect_all(*inspectors: Callable[[Photo], None] | None) -> Callable[[Photo], None] | None:
    """One inspector of `score_album` for several."""
    present = [inspector for inspector in inspectors if inspector is not None]

    def inspect(photo: Photo) -> None:
        for inspector in present:
            inspector(photo)

    return inspect if present else None


def telling_text(
    text: PhotoText, places: Iterable[AlbumPlace], width: HideScope
) -> tuple[tuple[TextLine, Clue], ...]:
    """The lines of a photo that the rule is about: what they name is near or in what is hidden."""
    found: dict[tuple[TextLine, Clue], None] = {}
    for place in places:
        lats, lons = zip(*place.positions, strict=True)
        found.update(dict.fromkeys(telling_lines(text, lats, lons)))
        areas = hidden_areas(place, width) if text.lines else ()
        codes = {area.code for area in areas if area.kind == "country"}
        for line in text.lines:
            for clue in line.clues:
                near = inside(place, width, clue.positions)
                if near.any():
                    found[line, named_after(clue, clue.positions[int(near.argmax())])] = None
                elif codes & set(clue.named_countries):
                    found[line, clue] = None
    return tuple(found)


def photos_with_telling_text(
    scored: ScoredAlbum,
    places: Sequence[AlbumPlace],
    wishes: Wishes,
    posted: Posted,
) -> tuple[int, ...]:
    """The photos that the rule is about, by number; not those that are public already."""
    found = []
    for number, photo in enumerate(scored.photos):
        text = scored.texts.get(photo.id)
        if text is None or number in posted.already:
            continue
        if breaks_rule(text, places, wishes.width):
            found.append(number)
    return tuple(found)


def hides_text(
    scored: ScoredAlbum,
    number: int,
    edit: Edit | None,
    places: Sequence[AlbumPlace],
    width: HideScope,
) -> bool:
    """Whether a photo does not break the rule after this edit, as far as its text was read."""
    photo = scored.photos[number]
    text = scored.texts.get(photo.id)
    if text is None:
        return True
    if edit is not None:
        text = visible_text(text, edit, (photo.rendition.width, photo.rendition.height))
    return not breaks_rule(text, places, width)


def breaks_rule(text: PhotoText, places: Iterable[AlbumPlace], width: HideScope) -> bool:
    """Whether a photo with this text is withheld."""
    return bool(text.failed or text.more or telling_text(text, places, width))


def known_scripts() -> tuple[str, ...]:
    """The scripts that are read on this machine."""
    others = (tesseract.SCRIPTS[language] for language in tesseract.installed()[1])
    return tuple(dict.fromkeys((*SCRIPTS, *others)))


def check_texts(
    scored: ScoredAlbum,
    telling: Sequence[int],
    plan: Plan,
    edited: Mapping[int, Edit],
    still_telling: Collection[int] = (),
) -> TextCheck | None:
    """What reading the album's text came to for a plan; `telling` are the photos of the rule.

    Of an edited photo the lines count that its edit leaves: only an export reads it again. After
    the edits of those `still_telling` the rule is still about them.
    """
    if not scored.texts:
        return None
    shared = set(plan.kept) if plan.found else set()
    left = [number for number in telling if number in shared]
    covered = sum(number in edited and number not in still_telling for number in left)
    kept = len(left) - covered
    unread = 0
    for number, photo in enumerate(scored.photos):
        text = scored.texts.get(photo.id)
        if number in shared and text is not None:
            size = photo.rendition.width, photo.rendition.height
            edit = edited.get(number)
            unread += (text if edit is None else visible_text(text, edit, size)).unread
    return TextCheck(
        known_scripts(),
        unread,
        covered,
        len(telling) - covered - kept,
        kept,
    )


def telling_text_notes(
    scored: ScoredAlbum, telling: Sequence[int], kept: Sequence[int], dropped: Sequence[int]
) -> list[Note]:
    """Which photos the rule withholds, and which are shared against it as the user asked."""
    withheld = set(telling) - {*kept, *dropped}
    notes = []
    for kind, numbers in (
        (NoteKind.TELLING_TEXT, withheld),
        (NoteKind.TELLING_TEXT_KEPT, set(telling) & set(kept)),
    ):
        if numbers:
            names = tuple(scored.photos[number].id for number in sorted(numbers))
            notes.append(Note(kind, photos=names, km=RULE_KM))
    return notes
