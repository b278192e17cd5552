"""A file of edits that a user drew: JSON, by the photo's name or pattern.

    {"beach.jpg": {"crop": [0, 120, 1000, 1000], "covers": [[400, 300, 550, 380]]},
     "street*.jpg": {"covers": [[0, 0, 1000, 90]]}}

A rectangle is left, top, right, bottom in thousandths of the upright picture. A list of rectangles
instead of an object means covers.
"""

from __future__ import annotations

from typing import Any

from elsewhere.errors import InputError
from elsewhere.formats.validation import parse, wrong
from elsewhere.values.versions import Edit, Rectangle

MAX_PHOTOS = 100_000


def read_edits(text: str | bytes) -> dict[str, Edit]:
    """The edits in a text, by name or pattern; InputError where it does not hold any.

    >>> read_edits('{"a.jpg": [[0, 0, 500, 100]]}')["a.jpg"].covers[0].right
    500
    """
    values = parse(text)
    if not isinstance(values, dict) or not 0 < len(values) <= MAX_PHOTOS:
        raise wrong("it", 'an object such as {"beach.jpg": [[0, 0, 1000, 90]]}')
    return {name: _read_edit(value, repr(name)) for name, value in values.items()}


def _read_edit(value: Any, where: str) -> Edit:
    if isinstance(value, list):
        value = {"covers": value}
    if not isinstance(value, dict) or not value.keys() <= {"crop", "covers"}:
        raise wrong(where, "a list of rectangles, or an object with crop and covers")
    crop, covers = value.get("crop"), value.get("covers", [])
    if not isinstance(covers, list):
        raise wrong(f"covers of {where}", "a list of rectangles")
    try:
        return Edit(
            None if crop is None else _read_rectangle(crop, f"the crop of {where}"),
            tuple(_read_rectangle(cover, f"a cover of {where}") for cover in covers),
        )
    except InputError as problem:
        raise InputError(f"{where}: {problem}") from None


def _read_rectangle(value: Any, where: str) -> Rectangle:
    if not isinstance(value, list) or len(value) != 4:
        raise wrong(where, "four numbers: left, top, right and bottom in thousandths")
    return Rectangle(*value)
