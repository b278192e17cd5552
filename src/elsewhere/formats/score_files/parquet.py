"""Parquet: one row per photo, with the columns photo (text) and scores (a list of numbers).

For those who already have pyarrow; it is never imported otherwise. The fingerprints are metadata
of the schema.

A dictionary can stand for one long name thousands of times. So what the pages declare is added up
before they are unpacked, and names are read as numbers into their dictionary, which are replaced by
the names only when all of them together are small enough.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files.limits import ROW_BYTES, refuse_bomb, refuse_long_name
from elsewhere.formats.score_files.pages import DELTA_BYTE_ARRAY, Chunk, chunk_size, footer_chunks
from elsewhere.values.scores import Scores
from elsewhere.values.wording import first_line, installed_by

if TYPE_CHECKING:
    from types import ModuleType

_FORMAT = "elsewhere-scores/1"
_COLUMNS = {"photo", "scores"}
_MAX_GROUPS = 10_000  # row groups, or other lists in the footer
_MAX_FOOTER = 1 << 20  # a thousand row groups take a third of that
_BATCH_BYTES = 16 << 20  # of scores that are decoded at a time


def read(file: Path) -> Scores:
    """The scores in a Parquet file."""
    arrow, parquet = _pyarrow(file)
    try:
        with file.open("rb") as stream:
            chunks = footer_chunks(stream, file.stat().st_size, _MAX_FOOTER)
            stream.seek(0)
            table = parquet.ParquetFile(stream, thrift_container_size_limit=_MAX_GROUPS)
            schema = table.schema_arrow
            _expect_columns(file, arrow, schema)
            width = schema.field("scores").type.value_type.bit_width // 8
            if not _refuse_large(file, stream, table.metadata, chunks, width):
                table = parquet.ParquetFile(stream, read_dictionary=["photo"])
            names = _names(file, table)
            values = sum(chunk.values for group in chunks for chunk in group)
            matrix = _matrix(file, table, values, width)
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise FileError(
            f"{file} is damaged and cannot be read as Parquet ({first_line(error)})"
        ) from None
    metadata = schema.metadata or {}
    if metadata.get(b"elsewhere.format", _FORMAT.encode()) != _FORMAT.encode():
        stated = metadata[b"elsewhere.format"].decode(errors="replace")
        raise FileError(f"{file} has the format {stated}, but this version reads {_FORMAT}")
    return Scores(
        matrix,
        names,
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


def _refuse_large(
    file: Path, stream: BinaryIO, metadata: Any, chunks: list[list[Chunk]], width: int
) -> bool:
    """Compare what footer and pages claim with the size of the file.

    Returns whether names repeat each other's beginnings; pyarrow reads those without a dictionary.
    """
    if len(chunks) != metadata.num_row_groups:
        raise ValueError("its footer contradicts itself")
    claimed = 0
    has_prefixes = False
    paths = [metadata.schema.column(column).path for column in range(metadata.num_columns)]
    for number, group in enumerate(chunks):
        rows = metadata.row_group(number).num_rows
        for path, chunk in zip(paths, group, strict=True):
            size = chunk_size(stream, chunk)
            unpacked = max(size.unpacked, chunk.unpacked)
            values = max(size.values, chunk.values, rows)
            if path == "photo":
                prefixes = DELTA_BYTE_ARRAY in size.encodings
                has_prefixes |= prefixes
                claimed += unpacked * (values if prefixes else 1) + values * ROW_BYTES
            else:
                claimed += max(values * width, unpacked)
    stream.seek(0)
    refuse_bomb(file, max(claimed, metadata.num_rows * ROW_BYTES))
    return has_prefixes


def _names(file: Path, table: Any) -> list[str]:
    """The names, each looked up in its dictionary."""
    from pyarrow import compute

    names: list[str] = []
    for batch in table.iter_batches(columns=["photo"], use_threads=False):
        column = batch.column(0)
        if column.null_count:
            raise FileError(f"{file} has a photo without a name: fill the column 'photo'")
        texts = getattr(column, "dictionary", column)
        refuse_long_name(file, compute.max(compute.binary_length(texts)).as_py() or 0)
        names.extend(column.to_pylist())
    return names


def _matrix(file: Path, table: Any, values: int, width: int) -> Any:
    """The list column as a matrix; every list must be there and have the same length.

    `values` is about how many scores there are.
    """
    rows = table.metadata.num_rows
    if rows == 0:
        raise FileError(f"{file} holds no photo: give at least one row")
    batch_rows = max(1, _BATCH_BYTES * rows // (max(values, rows) * width))
    parts = []
    sizes: set[int] = set()
    for batch in table.iter_batches(batch_rows, columns=["scores"], use_threads=False):
        lists = batch.column(0)
        flat = lists.flatten()
        if lists.null_count or flat.null_count:
            raise FileError(f"{file} has a score that is missing (null): fill every cell")
        sizes.update(lists.value_lengths().unique().to_pylist())
        if len(sizes) > 1:
            raise FileError(
                f"{file} has photos with {min(sizes)} and with {max(sizes)} scores: give every "
                "photo one score for each cell"
            )
        parts.append(flat.to_numpy(zero_copy_only=False).reshape(len(lists), -1))
    return np.concatenate(parts)
