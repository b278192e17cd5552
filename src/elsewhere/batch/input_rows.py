"""Rows of the dataset: their columns, one album's photos, and what of them cannot be used.

A bad row costs its own photo or album and no other: scores that are missing, cut short or not
finite, text that is not UTF-8 (Arrow does not check it), rows of a damaged file. Where a page of a
Parquet file cannot be decoded, its whole row group is lost: every album with a row in it is
reported as damaged, by the column LOST, and all others are planned as usual.

Between scoring and planning, rows travel as Arrow bytes, through Ray's store or as the file of a
slice, with a description of the attackers. Models that make features have these travel instead of
scores, which are seventy times as large, and planning makes the scores.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.errors import FileError, InputError
from elsewhere.service import (
    AttackerInfo,
    Metadata,
    ScorerInfo,
    cells_of_grid,
    describe_scorer,
    read_metadata,
    rows_of_features,
)
from elsewhere.values.scores import FloatMatrix
from elsewhere.values.versions import ScoredVersion


def score_matrix(column: Any) -> tuple[FloatMatrix, dict[int, str]]:
    """One row a photo, and by number the fault of a row that cannot be used; it is zeros.

    A single piece without faults stays mapped.
    """
    from pyarrow import compute

    lists = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if hasattr(lists, "chunks"):  # empty, or still in several pieces
        lists = lists.chunk(0)
    lengths = np.asarray(compute.fill_null(compute.list_value_length(lists), -1))
    if lists.null_count:  # missing lists of a fixed size count, too
        lengths = np.where(np.asarray(lists.is_null()), -1, lengths)
    widths, counts = np.unique(lengths[lengths > 0], return_counts=True)
    if not len(widths):
        raise InputError("none of its photos has scores: give them some")
    # the most frequent width; of several the largest
    width = int(widths[len(counts) - 1 - int(np.argmax(counts[::-1]))])
    faults = {int(n): "it has no scores: give it some" for n in np.flatnonzero(lengths < 1)}
    for n in np.flatnonzero((lengths >= 1) & (lengths != width)).tolist():
        faults[n] = f"it has scores over {lengths[n]} cells, and other photos over {width}"
    if faults:
        good = np.flatnonzero(lengths == width)
        flat = lists.take(good).flatten().to_numpy(zero_copy_only=False)
        matrix: FloatMatrix = np.zeros((len(lists), width), dtype=flat.dtype)
        matrix[good] = flat.reshape(len(good), width)
    else:
        matrix = lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), width)
    invalid = np.flatnonzero(~(matrix < np.inf).all(axis=1)).tolist()
    if invalid:
        matrix = matrix.copy()
        matrix[invalid] = 0
        faults.update(dict.fromkeys(invalid, "one of its scores is NaN, null or infinite"))
    return matrix, faults


class MangledText(str):
    """Text that is not UTF-8: its other bytes are written as \\xNN."""

    __slots__ = ()


def text_values(column: Any) -> list[str | None]:
    """The values of a column of strings, whatever is in it.

    >>> import pyarrow as pa
    >>> text_values(pa.array([b"a", b"\\xff", None]).cast(pa.string(), safe=False))
    ['a', '\\\\xff', None]
    """
    try:
        values: list[str | None] = column.to_pylist()
    except UnicodeDecodeError:
        raw_values = column.cast(arrow().large_binary()).to_pylist()
        return [None if raw is None else _decode(raw) for raw in raw_values]
    return values


def storable(text: str) -> str:
    """Text that a file can hold: JSON can hold half characters, UTF-8 cannot.

    >>> storable("caf\\u00e9 \\ud800")
    'café ?'
    """
    return text.encode("utf-8", "replace").decode()


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return MangledText(raw.decode(errors="backslashreplace"))


CARRIED = "carried:"  # before the names of columns that go to the output as they are
VIEWS = "elsewhere.views"  # the column with PNGs of what a GPU's tower saw of each photo
INPUT = "elsewhere.input"  # the column with a digest of each row as it came
LOST = "elsewhere.lost"  # the column with the reason why a row cannot be read; null where it can


class LostRowsError(FileError):
    """Rows of an album cannot be read."""


def lost_field() -> Any:
    """LOST as a field of a schema."""
    return arrow().field(LOST, arrow().string())


def lost_rows(
    schema: Any, columns: Sequence[str], albums: Any, span: tuple[int, int], reason: str
) -> Any:
    """A table for rows that cannot be read, and the reason.

    `span` is the first row and their number; without the names of `albums` they have no id.
    """
    pa = arrow()
    start, rows = span
    fields = [schema.field(name) for name in columns if name != LOST]
    data = {field.name: pa.nulls(rows, field.type) for field in fields}
    if albums is not None:
        data["album"] = albums.slice(start, rows)
    data[LOST] = pa.repeat(pa.scalar(reason), rows)
    return pa.Table.from_arrays(list(data.values()), schema=pa.schema([*fields, lost_field()]))


def concat_tables(parts: Sequence[Any]) -> Any:
    """Join tables of one dataset; some may have lost rows."""
    pa = arrow()
    if all(part.schema.equals(parts[0].schema) for part in parts):
        return pa.concat_tables(parts)
    whole = pa.concat_tables(parts, promote_options="default")
    return whole.replace_schema_metadata(parts[0].schema.metadata)


def with_lost_column(batch: Any) -> Any:
    """A batch as a table that has the column LOST."""
    table = arrow().Table.from_batches([batch])
    if LOST in table.column_names:
        return table
    return table.append_column(lost_field(), arrow().nulls(batch.num_rows, arrow().string()))


def check_not_lost(table: Any) -> None:
    """LostRowsError where rows of an album cannot be read."""
    if LOST not in table.column_names:
        return
    reasons = dict.fromkeys(reason for reason in table.column(LOST).to_pylist() if reason)
    if reasons:
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise LostRowsError(f"some of its rows are lost: {next(iter(reasons))}{more}")


class DeadLetter(NamedTuple):
    """A dead letter: what could not be used, and why."""

    album: str
    photo: str | None
    kind: str
    reason: str
    version: str | None = None


@dataclass(frozen=True)
class AlbumRows:
    """One album, ready to be planned."""

    album: str
    ids: tuple[str, ...]
    scores: tuple[FloatMatrix, ...]  # for each attacker, one row a photo
    metadata: tuple[Metadata, ...]
    digests: tuple[str, ...]
    place: str | None
    wishes: Mapping[str, Any]
    truth: tuple[int, ...] | None
    letters: tuple[DeadLetter, ...]
    versions: Mapping[int, tuple[ScoredVersion, ...]]  # by photo's number, where some are given
    table_rows: tuple[int, ...]  # the table's row of each photo, or of each of its versions


def split_albums(table: Any) -> Iterator[tuple[str, Any]]:
    """Every album of a table with its rows, which lie together."""
    names = [name or "" for name in text_values(table.column("album"))]
    start = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            yield names[start], table.slice(start, end - start)
            start = end


def carried_values(table: Any) -> dict[str, Any]:
    """The value of each carried column that all rows of an album have; else null.

    Each is an Arrow array of one value: not every value of a dataset exists in Python (text that is
    not UTF-8, dates after the year 9999, times of unknown zones).
    """
    names = [name for name in table.column_names if name.startswith(CARRIED)]
    values = {name: table.column(name).unique() for name in names}
    return {
        name.removeprefix(CARRIED): value
        if len(value) == 1
        else arrow().nulls(1, table.schema.field(name).type)
        for name, value in values.items()
    }


def read_album(album: str, table: Any, attackers: Sequence[AttackerInfo]) -> AlbumRows:
    """One album's photos and wishes; InputError where they contradict each other.

    Where photos have features instead of scores, the attackers make scores of them.
    """
    check_not_lost(table)
    if not album:
        raise InputError("the album has no id: give every row one")
    if isinstance(album, MangledText):
        raise InputError("the album's id is not UTF-8 text: give it another")
    large = ("scores", "features")
    others = (*large, CARRIED, INPUT, VIEWS)
    small = [name for name in table.column_names if not name.startswith(others)]
    columns = [text_values(table.column(name)) for name in small]
    records = [dict(zip(small, row, strict=True)) for row in zip(*columns, strict=True)]
    names = [name for name in table.column_names if name.startswith(large)]
    names.sort(key=lambda name: int(name.partition("_")[2] or 0))
    matrices: list[FloatMatrix] = []
    unscored: dict[int, str] = {}
    for name in names:
        matrix, faults = score_matrix(table.column(name))
        matrices.append(matrix)
        unscored |= faults
    usable, letters = _split_usable(album, records, unscored)
    tables = [matrix[usable] for matrix in matrices]
    for number, name in enumerate(names):
        if name.startswith("features"):
            tables[number] = rows_of_features(attackers[number], tables[number])
    records_used = [records[n] for n in usable]
    first, versions, numbers = _read_versions(records_used, tables)
    photos = [records_used[n] for n in first]
    scores = tables if len(first) == len(usable) else [table[first] for table in tables]
    wishes = _single([_normalized_wishes(row.get("wishes")) for row in records], "wishes")
    return AlbumRows(
        album=album,
        ids=tuple(str(row["photo"]) for row in photos),
        scores=tuple(scores),
        metadata=tuple(map(_metadata, photos)),
        digests=tuple(row.get("digest") or "" for row in photos),
        place=_single([row.get("place") for row in records], "place"),
        wishes=json.loads(wishes) if wishes else {},
        truth=_single([_cells(row.get("truth")) for row in records], "truth"),
        letters=tuple(letters),
        versions=versions,
        table_rows=tuple(usable[n] for n in numbers),
    )


def _read_versions(
    records: Sequence[Mapping[str, Any]], tables: Sequence[FloatMatrix]
) -> tuple[list[int], dict[int, tuple[ScoredVersion, ...]], list[int]]:
    """The row that stands for each photo, the versions of those that have some, and all rows.

    That is the photo as it is, or else its cheapest version. All rows come photo by photo.
    """
    rows: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        rows.setdefault(str(record["photo"]), []).append(number)

    def cost(row: int) -> Fraction:
        return Fraction(str(records[row].get("version_cost") or 0))

    first: list[int] = []
    versions = {}
    for photo, own in enumerate(rows.values()):
        own.sort(key=lambda row: (cost(row), str(records[row].get("version") or "")))
        first.append(own[0])
        if len(own) > 1 or records[own[0]].get("version"):
            versions[photo] = tuple(
                ScoredVersion(
                    None,
                    cost(row),
                    tuple(table[row] for table in tables),
                    name=str(records[row].get("version") or ""),
                )
                for row in own
            )
    return first, versions, [row for own in rows.values() for row in own]


def _split_usable(
    album: str, records: Sequence[Mapping[str, Any]], unscored: Mapping[int, str]
) -> tuple[list[int], list[DeadLetter]]:
    """The numbers of the usable rows, and dead letters for the others.

    Where a version of a photo has several rows, none is used: it must not be both shared and a dead
    letter.
    """
    usable: list[int] = []
    letters: list[DeadLetter] = []
    faults = [_version_fault(row.get("version"), row.get("version_cost")) for row in records]
    counts = Counter((row.get("photo") or "", row.get("version") or "") for row in records)
    pictures: dict[str, str] = {}
    for number, row in enumerate(records):
        name, version, digest = row.get("photo"), row.get("version"), row.get("digest") or ""
        if row.get("kind"):
            kind, reason = row["kind"], row["reason"]
        elif not name:
            name = None
            kind, reason = "unnamed", f"photo {number} has no id: give it one"
        elif isinstance(name, MangledText):
            kind, reason = "unnamed", "its id is not UTF-8 text: give it another"
        elif isinstance(version, MangledText):
            kind, reason = "unnamed", "the name of its version is not UTF-8 text: give it another"
        elif faults[number]:
            kind, reason = "version", faults[number]
        elif counts[name, version or ""] > 1:
            kind = "twice"
            reason = (
                "its id comes more than once in the album: give every photo its own, and one row"
            )
        elif number in unscored:
            kind, reason = "unscored", unscored[number]
        elif digest and digest in pictures:
            kind = "duplicate"
            reason = f"it shows exactly the same picture as {pictures[digest]}, which is read"
        else:
            usable.append(number)
            pictures[digest] = name
            continue
        letters.append(DeadLetter(album, name, kind, reason, version or None))
    return usable, letters


def _version_fault(version: str | None, cost: float | None) -> str:
    """Why a row cannot be used as a version; empty where it can."""
    if not version and cost:
        return "it has a cost and no version: name the version, or give no cost"
    if version and not (cost is not None and 0 < cost <= 1):
        return (
            f"its version {version} costs {cost}: give the share of the photo's worth that is "
            "lost, above 0 and at most 1"
        )
    return ""


def _metadata(row: Mapping[str, Any]) -> Metadata:
    """The file's metadata, with the dataset's position where it gives one."""
    lat, lon = row.get("lat"), row.get("lon")
    position = None if lat is None or lon is None or math.isnan(lat + lon) else (lat, lon)
    try:
        return read_metadata(row.get("metadata") or "", position)
    except InputError:
        reason = f"{row['photo']} has a position that is none on earth: {lat}, {lon}"
        raise InputError(reason) from None


def _single(values: Sequence[Any], name: str) -> Any:
    """The one value that an album's rows have; None where they have none."""
    distinct = list(dict.fromkeys(value for value in values if value not in (None, "", ())))
    if len(distinct) > 1:
        raise InputError(f"its rows have different {name}: an album has one")
    if distinct and isinstance(distinct[0], MangledText):
        raise InputError(f"its {name} is not UTF-8 text: {distinct[0][:80]}")
    return distinct[0] if distinct else None


def _cells(value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    cells = [value] if isinstance(value, int) else list(value)
    if any(cell is None for cell in cells):
        raise InputError("a cell of its truth is null: leave it out")
    return tuple(int(cell) for cell in cells)


def _normalized_wishes(text: str | None) -> str | None:
    """The wishes of a row, in one form."""
    if not text:
        return None
    try:
        wishes = json.loads(text)
    except (ValueError, RecursionError):
        wishes = None
    if not isinstance(wishes, dict):
        raise InputError(f"its wishes are not a JSON object: {text[:80]}")
    return json.dumps(wishes, sort_keys=True)


ATTACKERS_KEY = "elsewhere.attackers"
CARRIED_COLUMNS = (
    "album", "photo", "version", "version_cost", "lat", "lon", "place", "wishes", LOST, INPUT,
)  # fmt: skip
"""Columns of the input that are needed to plan."""


def pack(table: Any) -> Any:
    """A table as bytes."""
    from pyarrow import ipc

    sink = arrow().BufferOutputStream()
    with ipc.new_file(sink, table.schema) as out:
        out.write_table(table.combine_chunks())
    return sink.getvalue()


def unpack(content: Any) -> Any:
    """The table from its bytes, which are not copied."""
    from pyarrow import ipc

    return ipc.open_file(arrow().BufferReader(content)).read_all()


def attackers_metadata(attackers: Sequence[AttackerInfo]) -> dict[str, str]:
    """The attackers, as metadata of a schema."""
    names = ("name", "fingerprint", "cells", "grid", "exponents", "accuracy")
    records = [
        {"word": attacker.spec, **{name: getattr(attacker.about, name) for name in names}}
        for attacker in attackers
    ]
    return {ATTACKERS_KEY: json.dumps(records, default=dict)}


def read_attackers(schema: Any, cells: int = 0) -> tuple[AttackerInfo, ...]:
    """The attackers in a schema's metadata; one without a name for scores of a dataset.

    `cells` is how many such scores a photo has; 0 where that is not known.
    """
    metadata: Mapping[bytes, bytes] = schema.metadata or {}
    if ATTACKERS_KEY.encode() in metadata:
        return tuple(map(_read_attacker, json.loads(metadata[ATTACKERS_KEY.encode()])))
    scorer, grid = (
        metadata.get(f"elsewhere.{name}".encode(), b"").decode(errors="replace")
        for name in ("scorer", "grid")
    )
    cells = cells or getattr(schema.field("scores").type, "list_size", 0)
    about = ScorerInfo("the scores", scorer, cells, grid, cells_of_grid(grid))
    return (AttackerInfo("the scores", about),)


def _read_attacker(record: dict[str, Any]) -> AttackerInfo:
    globe = cells_of_grid(record["grid"])
    spec = record.pop("word")
    if globe is None and record["grid"]:  # only the model knows its cells
        return AttackerInfo(spec, describe_scorer(spec))
    record["exponents"] = {int(size): e for size, e in record["exponents"].items()}
    record["accuracy"] = {
        part: {int(km): share for km, share in shares.items()}
        for part, shares in record["accuracy"].items()
    }
    return AttackerInfo(spec, ScorerInfo(globe=globe, **record))
