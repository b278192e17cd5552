"""Covers over readable names, so that a photo with a telling sign can be shared.

A cover is the line's rectangle with a border. The covered picture is read again, at its size and
enlarged: what is still telling gets a cover, too. Where that does not help after a few rounds, or
too much of the picture would be lost, the photo stays as it is, and the rule withholds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from elsewhere.album import render_versions
from elsewhere.album.places import AlbumPlace
from elsewhere.album.renditions import Rendition
from elsewhere.album.workers import Workers
from elsewhere.scorers import RowCache
from elsewhere.service.edits import MAX_OWN_COVERS
from elsewhere.service.photo_texts import TextReader, breaks_rule, telling_text
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.text_rows import rectangle_around
from elsewhere.values.photo_text import PhotoText, TextBox
from elsewhere.values.versions import DEFAULT_WEIGHTS, MAX_COVERS, Edit, Rectangle
from elsewhere.values.wishes import HideScope

ENLARGED = 2
"""How many times its size a covered picture is read at, beside its own size."""
_ROUNDS = 3
_BORDER = 0.35
"""Around a line, as a share of its height."""
_MIN_BORDER = 4
"""In pixels."""


@dataclass(frozen=True)
class TextRule:
    """What no readable text of a shared photo may name."""

    places: tuple[AlbumPlace, ...]
    width: HideScope

    def is_broken(self, texts: Iterable[PhotoText]) -> bool:
        """Whether any of these readings of a photo breaks it."""
        return any(breaks_rule(text, self.places, self.width) for text in texts)


def find_text_covers(
    scored: ScoredAlbum,
    rule: TextRule,
    numbers: Sequence[int],
    *,
    max_loss: Fraction,
    workers: Workers,
    cache: RowCache | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[int, tuple[Rectangle, ...]]:
    """By photo, the covers after which nothing telling can be read; not where none are enough."""
    found: dict[int, tuple[Rectangle, ...]] = {}
    with TextReader(cache) as reader:
        for done, number in enumerate(numbers):
            progress(done)
            covers = _find_covers(scored, number, rule, max_loss, (reader, workers))
            if covers:
                found[number] = covers
    return found


def _find_covers(
    scored: ScoredAlbum,
    number: int,
    rule: TextRule,
    max_loss: Fraction,
    pools: tuple[TextReader, Workers],
) -> tuple[Rectangle, ...]:
    """The covers that leave nothing telling; empty where none do."""
    album, photo, covers = scored.album, scored.photos[number], set[Rectangle]()
    reader, workers = pools
    assert album.spool is not None, "covers are made in albums whose renditions are kept"
    readings: list[PhotoText] = [scored.texts[photo.id]]
    for _ in range(_ROUNDS):
        if any(text.failed or text.more for text in readings):
            return ()  # what is not known cannot be covered
        for text in readings:
            for line, _ in telling_text(text, rule.places, rule.width):
                covers.add(cover_of(line.box, photo.rendition))
        if not 0 < len(covers) <= MAX_COVERS - MAX_OWN_COVERS:
            return ()  # the search adds its own
        edit = Edit(covers=tuple(covers))
        if DEFAULT_WEIGHTS.loss(edit) > max_loss:
            return ()
        (rendition,) = render_versions(
            photo, [edit], workers=workers, spool=album.spool, recipe=album.recipe
        )
        assert rendition is not None, "covers leave a picture its size"
        readings = read_twice(reader, photo.id, rendition)
        rendition.forget()
        if not rule.is_broken(readings):
            return edit.covers
    return ()


def read_twice(reader: TextReader, name: str, rendition: Rendition) -> list[PhotoText]:
    """The text of a picture at its size, and enlarged."""
    return [reader.read(name, rendition), reader.read(name, rendition, ENLARGED)]


def cover_of(box: TextBox, rendition: Rendition) -> Rectangle:
    """A rectangle with a border around a line, in thousandths of the picture."""
    border = max(_MIN_BORDER, round(_BORDER * min(box.right - box.left, box.bottom - box.top)))
    wider = TextBox(box.left - border, box.top - border, box.right + border, box.bottom + border)
    return rectangle_around(wider, (rendition.width, rendition.height))
