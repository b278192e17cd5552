"""Rows under way: photos that were looked at, with each attacker's scores, until they are planned.

Between looking and planning rows travel as one piece of Arrow bytes: through Ray's store, where
others map them, or as the file of a giant's slice. What the attackers are travels along, so that
whoever plans needs no model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elsewhere.batch.corrupt_rows import LOST
from elsewhere.batch.schemas import arrow
from elsewhere.globe import Cells
from elsewhere.scorers import ScorerInfo, find

ABOUT = "elsewhere.attackers"
_CARRIED = ("album", "photo", "lat", "lon", "place", "wishes", LOST)
"""Columns of the input that go with a photo to the end."""


@dataclass(frozen=True)
class Attacker:
    """One scorer: what it was called, and what is known of it."""

    word: str
    about: ScorerInfo


def carried(rows: Any) -> dict[str, Any]:
    """The columns of the input that are still needed when the photos are not."""
    return {name: rows.column(name) for name in _CARRIED if name in rows.column_names}


def packed(table: Any) -> Any:
    """A table as bytes."""
    from pyarrow import ipc

    sink = arrow().BufferOutputStream()
    with ipc.new_file(sink, table.schema) as out:
        out.write_table(table.combine_chunks())
    return sink.getvalue()


def unpacked(content: Any) -> Any:
    """The table again; its numbers stay where the bytes are."""
    from pyarrow import ipc

    return ipc.open_file(arrow().BufferReader(content)).read_all()


def told(attackers: Sequence[Attacker]) -> dict[str, str]:
    """What the attackers are, as metadata of a schema."""
    return {
        ABOUT: json.dumps([
            {
                "word": one.word,
                "name": one.about.name,
                "fingerprint": one.about.fingerprint,
                "cells": one.about.cells,
                "grid": one.about.grid,
                "exponents": {str(size): e for size, e in one.about.exponents.items()},
                "accuracy": {
                    part: {str(km): share for km, share in shares.items()}
                    for part, shares in one.about.accuracy.items()
                },
            }
            for one in attackers
        ])
    }  # fmt: skip


def attackers(schema: Any) -> tuple[Attacker, ...]:
    """The attackers that a table's schema tells of; one without a name where scores came in."""
    metadata: Mapping[bytes, bytes] = schema.metadata or {}
    if ABOUT.encode() in metadata:
        return tuple(_attacker(one) for one in json.loads(metadata[ABOUT.encode()]))
    scorer, grid = (
        metadata.get(f"elsewhere.{name}".encode(), b"").decode(errors="replace")
        for name in ("scorer", "grid")
    )
    kind = schema.field("scores").type
    cells = getattr(kind, "list_size", 0)
    about = ScorerInfo("the scores", scorer, cells, grid, _globe(grid))
    return (Attacker("the scores", about),)


def _attacker(one: Mapping[str, Any]) -> Attacker:
    globe = _globe(one["grid"])
    if globe is None and one["grid"]:
        return Attacker(one["word"], find(one["word"]).load())  # only the model knows its cells
    about = ScorerInfo(
        name=one["name"],
        fingerprint=one["fingerprint"],
        cells=one["cells"],
        grid=one["grid"],
        globe=globe,
        exponents={int(size): e for size, e in one["exponents"].items()},
        accuracy={
            part: {int(km): share for km, share in shares.items()}
            for part, shares in one["accuracy"].items()
        },
    )
    return Attacker(one["word"], about)


def _globe(grid: str) -> Cells | None:
    """The cells of a fingerprint, if they are the default ones."""
    if not grid:
        return None
    default = Cells.default()
    return default if grid == default.fingerprint else None
