"""The columns of a dataset: those that are needed are there, each of a type that is understood.

What is wrong with a column is wrong with every row, so it is said once, before anything is begun.
Columns of other names are the dataset's own business and are never looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elsewhere.batch.corrupt_rows import LOST
from elsewhere.batch.schemas import arrow, photos_in, scores_in
from elsewhere.errors import FileError

_NEEDED = ("album", "photo")


def understood(where: str, schema: Any) -> Any:
    """The part of a schema that is ours; FileError where it cannot be worked with."""
    for name in _NEEDED:
        if name not in schema.names:
            raise FileError(f"{where} has no column {name}: docs/batch.md says which are needed")
    scored = "scores" in schema.names
    ours = [*(scores_in(2) if scored else photos_in()).names, LOST]
    for name in ours:
        if schema.names.count(name) > 1:
            raise FileError(f"{where} has several columns called {name}: leave one of them")
        if name in schema.names:
            _expect(where, name, schema.field(name).type)
    if not scored and not {"path", "content"} & set(schema.names):
        raise FileError(f"{where} has no column path, content or scores: give one of them")
    fields = [schema.field(name) for name in schema.names if name in ours]
    return arrow().schema(fields, metadata=schema.metadata)


def _expect(where: str, name: str, kind: Any) -> None:
    types = arrow().types
    if types.is_null(kind) and name not in {*_NEEDED, "scores"}:
        return  # nothing is said in any row
    right, words = _kinds()[name]
    if not right(kind):
        raise FileError(f"{where} has {name} of type {kind}, which must be {words}")


def _kinds() -> dict[str, tuple[Callable[[Any], bool], str]]:
    types = arrow().types

    def is_text(kind: Any) -> bool:
        return bool(types.is_string(kind) or types.is_large_string(kind))

    def is_number(kind: Any) -> bool:
        return bool(types.is_floating(kind) or types.is_integer(kind))

    def is_bytes(kind: Any) -> bool:
        return bool(types.is_binary(kind) or types.is_large_binary(kind))

    def lists(is_member: Callable[[Any], bool]) -> Callable[[Any], bool]:
        ways = (types.is_list, types.is_large_list, types.is_fixed_size_list)
        return lambda kind: any(way(kind) for way in ways) and bool(is_member(kind.value_type))

    def is_cells(kind: Any) -> bool:
        return bool(types.is_integer(kind)) or lists(types.is_integer)(kind)

    text = (is_text, "text")
    number = (is_number, "a number")
    return {
        **dict.fromkeys(("album", "photo", "path", "place", "wishes", LOST), text),
        **dict.fromkeys(("lat", "lon"), number),
        "content": (is_bytes, "bytes (binary)"),
        "scores": (lists(types.is_floating), "a list of floats"),
        "truth": (is_cells, "a list of whole numbers"),
    }
