"""What `--truth` means: cells by number, or a place where the cells of the scores are known.

Numbers stand alone only if one knows the cells by heart. A score file that carries the fingerprint
of the default cells can be asked by name: its zone is found in the globe, as everywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere.cli.parse import cells
from elsewhere.errors import InputError
from elsewhere.values.scores import Scores

if TYPE_CHECKING:
    from elsewhere.globe import Cells

RADIUS_KM = 25.0
_NUMBERS = re.compile(r"\s*\d+(\s*[,-]\s*\d+)*\s*")
"""Cells, or what was meant to be cells; 38.72,-9.14 is none of them, but 38,9 is."""
_MOST_NUMBERS, _MOST_NAMES = 10, 5
"""Cells that are listed: a name takes more room than a number."""


@dataclass(frozen=True)
class Hidden:
    """The cells to hide from one attacker, and how they were asked for."""

    cells: frozenset[int]
    place: str = ""
    """The place by name, where one was given."""
    note: str = ""
    """What has to be said of its zone."""


def hidden(text: str, scores: Scores, file: Path, radius_km: float | None) -> Hidden:
    """What `text` means to the attacker whose scores are these."""
    if _NUMBERS.fullmatch(text):
        return Hidden(frozenset(cells(text, "--truth")))
    globe = known_cells(scores)
    if globe is None:
        raise InputError(
            f"--truth {text!r} is a place, but {file} does not say what its cells are on the "
            "globe: give cells such as 17 or 17,18,20-25"
        )
    from elsewhere.globe import place, zone_of_place

    found = place(text)
    radius = RADIUS_KM if radius_km is None else radius_km
    zone = zone_of_place(globe, found, radius)
    around = f" and {radius:g} km around" if found.kind in {"city", "coordinate"} and radius else ""
    return Hidden(frozenset(zone.cells.tolist()), f"{found.label}{around}", zone.note)


def all_hidden(
    texts: Sequence[str], tables: Sequence[Scores], files: Sequence[Path], radius_km: float | None
) -> list[Hidden]:
    """What is hidden from each attacker; one text stands for all of them."""
    if radius_km is not None and all(_NUMBERS.fullmatch(text) for text in texts):
        raise InputError("--radius is for a --truth that is a place, not for cells")
    each = list(texts) * len(tables) if len(texts) == 1 else texts
    widths = sorted({table.cells for table in tables})
    if len(texts) == 1 and len(widths) > 1 and _NUMBERS.fullmatch(texts[0]):
        raise InputError(
            f"the score files have {' and '.join(map(str, widths))} cells, so one --truth cannot "
            "mean the same place in all of them: give it once for each"
        )
    pairs = zip(each, tables, files, strict=True)
    return [hidden(text, table, file, radius_km) for text, table, file in pairs]


def known_cells(scores: Scores) -> Cells | None:
    """The globe's default cells, if these scores are over them."""
    if not scores.grid:
        return None
    from elsewhere.globe import Cells

    default = Cells.default()
    same = scores.grid == default.fingerprint and scores.cells == default.count
    return default if same else None


def named(which: Sequence[int], scores: Scores) -> str:
    """Cells for people: by place where the scores' cells are known, else by number.

    >>> named((3, 5), Scores([[0.0] * 6]))
    'cells 3, 5'
    """
    globe = known_cells(scores)
    most = _MOST_NUMBERS if globe is None else _MOST_NAMES
    shown, more = which[:most], len(which) - most
    tail = f" and {more} more" if more > 0 else ""
    if globe is None:
        return f"{'cell' if len(which) == 1 else 'cells'} {', '.join(map(str, shown))}{tail}"
    from elsewhere.globe import cell_names

    names = cell_names(globe)
    return "; ".join(f"{names[cell]} (cell {cell})" for cell in shown) + tail


def ranges(which: Sequence[int]) -> str:
    """Ascending cells as one would type them.

    >>> ranges((17, 18, 20, 21, 22, 40))
    '17,18,20-22,40'
    """
    runs: list[list[int]] = []
    for cell in which:
        if runs and cell == runs[-1][-1] + 1:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


def told(one: Hidden, truth: Sequence[int], scores: Scores) -> str:
    """What is hidden from one attacker, for people."""
    if len(truth) == 1 and not one.place:
        return named(truth, scores)
    zone = f"{'cell' if len(truth) == 1 else 'cells'} {ranges(truth)}"
    note = f" ({one.note})" if one.note else ""
    return f"{one.place}: {zone}{note}" if one.place else zone
