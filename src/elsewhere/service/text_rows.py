"""What the photos' texts say, added to each model's scores: a plan holds for both together.

Two signs that are harmless alone may say the place together. So each photo's row is the model's
plus what its text says for the hidden places (`text.evidence.one_sided_row`). That only lowers what
is not hidden. A plan that holds with the texts therefore holds for the model alone, and one
attacker does for both; where no text says anything, the tables are the model's own.

A version of a photo says what its edits leave visible: a line counts unless one cover holds all of
it, or the crop leaves all of it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from elsewhere.checker.circles import directions, with_nearest
from elsewhere.globe import Cells
from elsewhere.scorers.protocol import exponent
from elsewhere.service.album_versions import AlbumVersions
from elsewhere.service.attacks import MARGIN_KM, points_of
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.text.evidence import clues_of, one_sided_row, text_row
from elsewhere.values.photo_text import PhotoText, TextBox
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores
from elsewhere.values.versions import FULL, Edit, Rectangle

Answer = tuple[Mapping[str, PhotoText], tuple[int, ...], Scores | None]
_LAST: WeakKeyDictionary[Scores, Answer] = WeakKeyDictionary()
"""By scores: the texts and hidden cells, and the answer, where it is not the scores themselves."""


def add_texts(
    scores: Scores,
    scored: ScoredAlbum,
    cells: Cells,
    hidden: tuple[int, ...],
    versions: AlbumVersions | None = None,
) -> Scores:
    """One model's scores, a row for each photo or version, with what the texts say for `hidden`.

    The same scores where they say nothing. The last answer for the same scores is remembered, for
    every click in the app asks again.
    """
    texts, last = scored.texts, _LAST.get(scores)
    if last is not None and last[0] is texts and last[1] == hidden:
        return last[2] or scores
    found = _with_texts(scores, scored, cells, hidden, versions) if hidden else scores
    _LAST[scores] = texts, hidden, None if found is scores else found
    return found


def read_and_seen(scored: ScoredAlbum, model: int) -> Scores | None:
    """One model's scores with all that the photos' texts say, for the hidden places and others.

    It is what somebody believes who sees and reads, for an audit; no plan may rest on it. Signs do
    not say the same as each other, as photos of an album do: what they say counts in full, whatever
    exponent the sum gets. None where no text says anything.
    """
    scores, about = scored.models[model].scores, scored.models[model].about
    if about.globe is None:
        return None
    power = exponent(about.exponents, len(scored.photos))
    said = {
        number: text
        for number, photo in enumerate(scored.photos)
        if (text := scored.texts.get(photo.id)) is not None and clues_of(text)
    }
    if not said:
        return None
    table = scores.values.copy()
    for number, text in said.items():
        table[number] += (text_row(text, about.globe) / power).astype(table.dtype)
    return Scores(table, scores.ids, scorer=scores.scorer, grid=scores.grid, points=scores.points)


def _with_texts(
    scores: Scores,
    scored: ScoredAlbum,
    cells: Cells,
    hidden: tuple[int, ...],
    versions: AlbumVersions | None,
) -> Scores:
    rows: Sequence[tuple[int, Edit | None]] = [(n, None) for n in range(len(scored.photos))]
    if versions is not None:
        rows = [(n, None if v is None else v.edit) for n, v in versions.rows]
    table = None
    for row, (number, edit) in enumerate(rows):
        photo = scored.photos[number]
        text = scored.texts.get(photo.id)
        if text is None or not text.lines:
            continue
        size = photo.rendition.width, photo.rendition.height
        visible = text if edit is None else visible_text(text, edit, size)
        if not clues_of(visible):
            continue
        said = one_sided_row(visible, cells, hidden)
        if said.any():
            table = scores.values.copy() if table is None else table
            table[row] += said.astype(table.dtype)
    if table is None:
        return scores
    table.flags.writeable = False
    return Scores(table, scores.ids, scorer=scores.scorer, grid=scores.grid, points=scores.points)


def hidden_cells(
    cells: Cells, circles: HiddenCircles | None, zones: Sequence[NDArray[np.int64]]
) -> tuple[int, ...]:
    """The cells that a guess near a hidden place may hold: of circles, or of all zones."""
    if circles is None:
        return tuple(np.unique(np.concatenate(zones)).tolist())
    points, reach = points_of(cells), 2 * circles.radius_km + MARGIN_KM
    places = directions(*np.array(circles.positions).T)
    near = [points.near(place, reach) for place in with_nearest(points, places, circles.radius_km)]
    return tuple(np.unique(np.concatenate(near)).tolist())


def visible_text(text: PhotoText, edit: Edit, size: tuple[int, int]) -> PhotoText:
    """The text of a photo that an edit leaves, of a picture so many pixels wide and high."""

    def is_hidden(box: TextBox) -> bool:
        line = rectangle_around(box, size)
        outside = edit.crop is not None and not edit.crop.overlaps(line)
        return outside or any(cover.contains(line) for cover in edit.covers)

    return replace(text, lines=tuple(line for line in text.lines if not is_hidden(line.box)))


def rectangle_around(box: TextBox, size: tuple[int, int]) -> Rectangle:
    """All pixels of a box, in thousandths of a picture so many pixels wide and high."""
    left, right = _span(box.left, box.right, size[0])
    top, bottom = _span(box.top, box.bottom, size[1])
    return Rectangle(left, top, right, bottom)


def _span(start: int, end: int, pixels: int) -> tuple[int, int]:
    """The thousandths that hold all pixels from `start` to `end`; at least one."""
    first = min(max(0, start * FULL // pixels), FULL - 1)
    return first, max(first + 1, min(FULL, -(-end * FULL // pixels)))
