"""From the text of photos to probabilities over cells, and the rule about names.

Each clue multiplies the probability of the cells that it speaks for by at most its ratio, and a
photo as a whole by at most `MAX_RATIO`: a sign may quote a place, a shirt may praise it, and the
reader may err. The same clue on one photo counts once.

**A planted sign never helps.** Somebody may hold a wrong sign into a photo, or print one on the
wall, so that an attacker who believes it looks elsewhere. A plan must not rely on that: another
attacker may see through it, and who put the sign there may be the attacker. Therefore a plan uses
text one-sidedly (`one_sided_row`). A clue gives every hidden cell as much as the one that it gives
most, and is cut off there: it may lower rivals below the hidden cells, never lift one above any of
them. So:

- A clue that does not speak for the hidden cells has the same value everywhere and changes no
  comparison of a rival with them. With or without a wrong sign, the row is the same.
- A clue that speaks for them lowers every rival that it does not speak for as much. It can only
  make a promise harder to keep, never easier.
- Clues are cut off one by one, before they are added up. A wrong sign beside a right one on the
  same photo does not make up for it.
- An attacker who adds these rows to a model's rows leaves each rival at most where the model alone
  puts it. A plan that holds against that attacker holds against the model alone.

A wrong sign adds to what must be withheld at most, under the rule below, and never takes away from
it: the rule asks for any name that is near, whatever else is written. Lines beyond those that can
be read make the rule hold for the photo too, so that a wall of text cannot push a sign out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe import Cells, between_km
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import nearest_town, towns_by_cell
from elsewhere.globe.villages import villages_named
from elsewhere.text.names import village_label
from elsewhere.values.photo_text import Clue, PhotoText, Position, TextLine

Floats = NDArray[np.float64]

RULE_KM = 100.0
"""A readable name of a place so near to what is hidden is not shared."""
MAX_RATIO = 1_000.0
"""How many times as likely as another cell a cell can become by the text of one photo."""
_NEAR_KM = 40.0
"""Over this distance a name's weight falls by the factor e."""
_FAR_KM = 300.0
"""Farther off a name says nothing."""
_COUNTRY_SHARE = 0.05
"""How much of a name's weight holds for the rest of its country."""


def clues_of(text: PhotoText) -> tuple[Clue, ...]:
    """The distinct certain clues of a photo, the strongest first."""
    found: dict[tuple[object, ...], Clue] = {}
    for line in text.lines:
        for clue in line.clues:
            key = clue.kind, clue.label, clue.positions, clue.countries
            if clue.certain and (key not in found or found[key].ratio < clue.ratio):
                found[key] = clue
    return tuple(sorted(found.values(), key=lambda clue: (-clue.ratio, clue.kind, clue.label)))


def text_row(text: PhotoText, cells: Cells) -> Floats:
    """Log-probabilities over the cells from the text of one photo alone; without clues uniform.

    >>> from elsewhere.globe import Cells
    >>> from elsewhere.values.photo_text import PhotoText
    >>> row = text_row(PhotoText("a.jpg"), Cells.default())
    >>> len(set(row.tolist())), round(float(np.exp(row).sum()), 9)
    (1, 1.0)
    """
    row = _limited(_clue_rows(text, cells).sum(axis=0))
    normal: Floats = row - np.log(np.exp(row).sum())
    return normal


def one_sided_row(text: PhotoText, cells: Cells, hidden: Sequence[int]) -> Floats:
    """The same for a plan: what the text says for the hidden cells, and nothing for others.

    As much as must be added to a model's log-probabilities: nothing to those of the hidden cells,
    and nothing above that to any other. The module says why.
    """
    rows = _clue_rows(text, cells)
    highest = rows[:, list(hidden)].max(axis=1, keepdims=True)
    rows = np.minimum(rows, highest)
    rows[:, list(hidden)] = highest
    return _limited(rows.sum(axis=0))


def _clue_rows(text: PhotoText, cells: Cells) -> Floats:
    """The logarithm of how many times as likely each clue is in each cell."""
    rows = [_clue_row(clue, cells) for clue in clues_of(text)]
    return np.array(rows).reshape(len(rows), cells.count)


@lru_cache(maxsize=256)
def _clue_row(clue: Clue, cells: Cells) -> Floats:
    weight = np.zeros(cells.count)
    of_country = np.isin(_countries(cells), clue.countries)
    if clue.positions:
        lat, lon = cells.centres
        weight[of_country] = _COUNTRY_SHARE
        for rank, position in enumerate(clue.positions):
            km = between_km(lat, lon, position.lat, position.lon)
            km[cells.locate(position.lat, position.lon)] = 0.0
            # the likeliest meaning counts in full, the others by their rank
            near = np.where(km <= _FAR_KM, np.exp(-km / _NEAR_KM), 0.0)
            np.maximum(weight, near / (1 + rank), out=weight)
    else:
        weight[of_country] = 1.0
    row: Floats = np.log1p((clue.ratio - 1) * weight)
    return row


@lru_cache(maxsize=8)
def _countries(cells: Cells) -> NDArray[np.str_]:
    """The country of each cell, by its two letters."""
    table = gazetteer()
    codes = np.array(table.codes)
    found: NDArray[np.str_] = codes[table.country[towns_by_cell(cells).largest]]
    return found


def _limited(row: Floats) -> Floats:
    """How far each cell is behind the first, and no further than `MAX_RATIO` allows.

    Those behind are lifted, rather than the first lowered: then a clue more never brings a rival
    nearer to the hidden cells.
    """
    limited: Floats = np.maximum(row - row.max(), -np.log(MAX_RATIO))
    return limited


def telling_lines(
    text: PhotoText, lats: Iterable[float], lons: Iterable[float], km: float = RULE_KM
) -> tuple[tuple[TextLine, Clue], ...]:
    """The lines of a photo that name a place within `km` of any of these positions.

    A name counts with each of the places that it may mean, also the unlikely ones; the clue is
    named after the near one.
    """
    latitudes, longitudes = np.array(list(lats)), np.array(list(lons))
    found = []
    for line in text.lines:
        for clue in line.clues:
            near = [
                position
                for position in clue.positions
                if (between_km(latitudes, longitudes, position.lat, position.lon) <= km).any()
            ]
            if near:
                found.append((line, named_after(clue, near[0])))
    return tuple(found)


def named_after(clue: Clue, position: Position) -> Clue:
    """The clue with the name of that of its places which is meant here."""
    for village in villages_named(clue.excerpt):
        if (village.lat, village.lon) == position:
            return replace(clue, label=village_label(village))
    return replace(clue, label=nearest_town(position.lat, position.lon)[0].label)
