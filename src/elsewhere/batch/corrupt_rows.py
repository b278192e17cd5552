"""Rows of a damaged file: named as far as they can be, so that they cost their albums and no more.

A page of a Parquet file that cannot be decoded takes its row group with it. The albums of that
group are read if their own column is whole; of nothing else in the group it is known whether it is
complete, not even an album's wishes. So every album with a row there is told as damaged, by a
column that no dataset has, and all others are planned as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from elsewhere.batch.schemas import arrow
from elsewhere.errors import FileError

LOST = "elsewhere.lost"
"""The column that says why a row cannot be read; null where it can."""


class LostRowsError(FileError):
    """Rows of an album cannot be read."""


def lost_field() -> Any:
    """LOST as a field of a schema."""
    return arrow().field(LOST, arrow().string())


def salvaged(
    read: Callable[[list[str]], Any], schema: Any, columns: Sequence[str], rows: int, where: str
) -> Any:
    """A row group that cannot be read: a table with its albums, if these can, and the reason.

    `read` reads some columns of the group, `where` says which rows of which file it holds.
    """
    pa = arrow()
    fields = [schema.field(name) for name in columns if name != LOST]
    made = {one.name: pa.nulls(rows, one.type) for one in fields}
    # where whose rows they are cannot be read either, they are those of an album without an id
    with suppress(pa.ArrowException, OSError):
        made["album"] = read(["album"]).column(0)
    reason = f"{where} cannot be read, for the file is damaged there: write it anew"
    made[LOST] = pa.array([reason] * rows, pa.string())
    return pa.Table.from_arrays(list(made.values()), schema=pa.schema([*fields, lost_field()]))


def joined(parts: Sequence[Any]) -> Any:
    """Tables of one dataset as one; in some of them rows may be lost."""
    pa = arrow()
    if all(part.schema.equals(parts[0].schema) for part in parts):
        return pa.concat_tables(parts)
    whole = pa.concat_tables(parts, promote_options="default")
    return whole.replace_schema_metadata(parts[0].schema.metadata)


def with_lost(batch: Any) -> Any:
    """A batch of whole rows as a table that has the column LOST."""
    table = arrow().Table.from_batches([batch])
    if LOST in table.column_names:
        return table
    return table.append_column(lost_field(), arrow().nulls(batch.num_rows, arrow().string()))


def refuse_lost(table: Any) -> None:
    """LostRowsError where rows of an album are not what they were."""
    if LOST not in table.column_names:
        return
    reasons = dict.fromkeys(one for one in table.column(LOST).to_pylist() if one)
    if reasons:
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise LostRowsError(f"some of its rows are lost: {next(iter(reasons))}{more}")
