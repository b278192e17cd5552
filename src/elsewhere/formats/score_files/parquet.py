"""Parquet: one row per photo, with the columns photo (text) and scores (a list of numbers).

For those who already have pyarrow; it is never imported otherwise. The fingerprints are metadata
of the schema.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files.limits import refuse_bomb
from elsewhere.values.scores import Scores
from elsewhere.values.wording import installed_by

if TYPE_CHECKING:
    from types import ModuleType

_FORMAT = "elsewhere-scores/1"
_COLUMNS = {"photo", "scores"}


def read(file: Path) -> Scores:
    """The scores in a Parquet file."""
    arrow, parquet = _pyarrow(file)
    try:
        with file.open("rb") as stream, parquet.ParquetFile(stream) as table:
            schema = table.schema_arrow
            _expect_columns(file, arrow, schema)
            width = schema.field("scores").type.value_type.bit_width // 8
            _refuse_large(file, table.metadata, width)
            rows = table.read(columns=["photo", "scores"], use_threads=False)
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(f"{file} is damaged and cannot be read as Parquet ({why})") from None
    metadata = schema.metadata or {}
    if metadata.get(b"elsewhere.format", _FORMAT.encode()) != _FORMAT.encode():
        stated = metadata[b"elsewhere.format"].decode(errors="replace")
        raise FileError(f"{file} has the format {stated}, but this version reads {_FORMAT}")
    return Scores(
        _matrix(file, rows.column("scores").combine_chunks()),
        _names(file, rows.column("photo")),
        scorer=metadata.get(b"elsewhere.scorer", b"").decode(errors="replace"),
        grid=metadata.get(b"elsewhere.grid", b"").decode(errors="replace"),
    )


def write(stream: BinaryIO, scores: Scores) -> None:
    """Write `scores` as Parquet; the same scores and pyarrow always give the same bytes."""
    arrow, parquet = _pyarrow(Path("The Parquet file"))
    try:
        names = arrow.array(scores.ids, type=arrow.string())
        metadata = {
            "elsewhere.format": _FORMAT,
            "elsewhere.scorer": scores.scorer.encode(),
            "elsewhere.grid": scores.grid.encode(),
        }
    except UnicodeEncodeError:
        raise InputError("a name is not valid Unicode: rename it, or use .npz") from None
    flat = arrow.array(np.ascontiguousarray(scores.values).reshape(-1))
    rows = arrow.FixedSizeListArray.from_arrays(flat, scores.cells)
    fields = [
        arrow.field("photo", names.type, nullable=False),
        arrow.field("scores", rows.type, nullable=False),
    ]
    table = arrow.Table.from_arrays([names, rows], schema=arrow.schema(fields, metadata=metadata))
    parquet.write_table(table, stream, use_dictionary=False, compression="zstd")


def ready(file: Path) -> None:
    """Raise a FileError if pyarrow is missing, before there is anything to write."""
    _pyarrow(file)


def _pyarrow(file: Path) -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise FileError(f"{file} needs pyarrow: {installed_by('parquet')}, or use .npz") from None
    return pyarrow, pyarrow.parquet


def _expect_columns(file: Path, arrow: ModuleType, schema: Any) -> None:
    if set(schema.names) != _COLUMNS or len(schema.names) != len(_COLUMNS):
        found = ", ".join(repr(name) for name in schema.names[:6]) or "none"
        raise FileError(f"{file} must have the columns 'photo' and 'scores', but has {found}")
    types = arrow.types
    photo, scores = schema.field("photo").type, schema.field("scores").type
    if not (types.is_string(photo) or types.is_large_string(photo)):
        raise FileError(f"{file} has a column 'photo' of type {photo}, which is not text")
    lists = (types.is_fixed_size_list, types.is_list, types.is_large_list)
    if not any(is_list(scores) for is_list in lists) or scores.value_type not in (
        arrow.float32(),
        arrow.float64(),
    ):
        raise FileError(
            f"{file} has a column 'scores' of type {scores}: it must be a list of floats or doubles"
        )


def _refuse_large(file: Path, metadata: Any, width: int) -> None:
    """Compare the number of values that the footer claims with the size of the file."""
    claimed = 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for column in range(row_group.num_columns):
            chunk = row_group.column(column)
            claimed += max(chunk.num_values * width, chunk.total_uncompressed_size, 0)
    refuse_bomb(file, max(claimed, metadata.num_rows * width))


def _matrix(file: Path, lists: Any) -> Any:
    """The list column as a matrix; every list must be there and have the same length."""
    if lists.null_count or lists.flatten().null_count:
        raise FileError(f"{file} has a score that is missing (null): fill every cell")
    if len(lists) == 0:
        raise FileError(f"{file} holds no photo: give at least one row")
    sizes = set(lists.value_lengths().to_pylist())
    if len(sizes) != 1:
        raise FileError(
            f"{file} has photos with {min(sizes)} and with {max(sizes)} scores: give every photo "
            "one score for each cell"
        )
    return lists.flatten().to_numpy(zero_copy_only=False).reshape(len(lists), sizes.pop())


def _names(file: Path, column: Any) -> list[str]:
    if column.null_count:
        raise FileError(f"{file} has a photo without a name: fill the column 'photo'")
    names: list[str] = column.to_pylist()
    return names
