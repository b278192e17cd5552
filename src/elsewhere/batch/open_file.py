"""One open Parquet or Arrow file, whose row groups are decoded a few rows at a time.

A few bytes can stand for gigabytes: a dictionary repeats a long text, a list has millions of equal
scores, a buffer is zeros. So before a row group is decoded, the sizes that its pages declare are
compared with its bytes in the file; where a size is known only afterwards, so few rows are decoded
at a time that they fit, and what has been decoded is added up. Offsets in Arrow files may point
anywhere, so they are checked before anything follows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from io import BufferedReader
from typing import Any, BinaryIO, cast

from elsewhere.batch.columns import arrow
from elsewhere.batch.storage import Storage, store_errors
from elsewhere.errors import FileError
from elsewhere.service import (
    DELTA_BYTE_ARRAY,
    arrow_sizes,
    chunk_size,
    footer_chunks,
    plausible_bytes,
)
from elsewhere.values.wording import first_line

_BUFFER_BYTES = 1 << 20  # bytes of a Parquet file read at a time
_HEADER_BYTES = 1 << 16  # bytes read at a time where only headers are wanted
_MAX_FOOTER = 16 << 20  # bytes; decoded, it takes many times as much
_BATCH_BYTES = 16 << 20  # bytes that repeated values may take in the rows decoded at a time
_VALUE_BYTES = 8  # of a number, at most
_ROW_BYTES = 16  # of a row, at least


class LargeGroupError(Exception):
    """Rows that unpack to more than their bytes in the file make plausible."""


class OpenFile:
    """One open file of either kind."""

    def __init__(self, address: str, name: str) -> None:
        self._stream: Any = None
        self._storage = Storage(address)
        self._path = self._storage.path(name)
        self._bytes = self._storage.size(name)
        self._checked: dict[tuple[int, tuple[str, ...]], int] = {}
        try:
            if self._path.lower().endswith(".parquet"):
                self._open_parquet()
            else:
                self._open_arrow()
            _ = self.schema.names  # decodes them
        except (arrow().ArrowException, OSError, ValueError) as error:
            raise FileError(
                f"{self._path} is damaged and cannot be read ({first_line(error)})"
            ) from None
        self._refuse_implausible_rows()

    def __del__(self) -> None:
        """Close a file that others have pushed out of the cache; mapped ones close themselves."""
        if self._stream is not None:
            self._stream.close()

    def _open_parquet(self) -> None:
        from pyarrow import parquet

        with self._headers() as stream:
            self._chunks = footer_chunks(cast(BinaryIO, stream), self._bytes, _MAX_FOOTER)
        self._stream = self._storage.fs.open_input_file(self._path)
        self._parquet = parquet.ParquetFile(
            self._stream,
            page_checksum_verification=True,
            buffer_size=_BUFFER_BYTES,  # or all photos of a row group would be read at once
        )
        self.schema = self._parquet.schema_arrow
        about = self._parquet.metadata
        self.groups = tuple(about.row_group(g).num_rows for g in range(about.num_row_groups))
        self._packed = [sum(chunk.packed for chunk in group) for group in self._chunks]
        columns = {len(group) for group in self._chunks}
        if len(self._chunks) != len(self.groups) or columns - {about.num_columns}:
            raise ValueError("its footer contradicts itself")
        if min(*self._packed, *self.groups, 0) < 0 or sum(self._packed) > self._bytes:
            raise ValueError("its row groups overlap")

    def _open_arrow(self) -> None:
        from pyarrow import ipc

        self._parquet = None
        with self._headers() as stream:
            sizes = arrow_sizes(cast(BinaryIO, stream), self._bytes)
        if sizes.dictionaries > plausible_bytes(self._bytes):
            raise ValueError(f"its dictionaries unpack to {sizes.dictionaries:,} bytes")
        self.groups = tuple(batch.rows for batch in sizes.batches)
        self._packed = [batch.packed for batch in sizes.batches]
        self._unpacked = [batch.unpacked for batch in sizes.batches]
        self._arrow = ipc.open_file(
            arrow().memory_map(self._path)
            if self._storage.is_local
            else self._storage.fs.open_input_file(self._path)
        )
        self.schema = self._arrow.schema

    def _headers(self) -> BufferedReader:
        """The file, for reading few bytes here and there."""
        return BufferedReader(self._storage.fs.open_input_file(self._path), _HEADER_BYTES)

    def _refuse_implausible_rows(self) -> None:
        """FileError where so many rows, or lists of a fixed size, cannot be in so few bytes."""
        cells = max((getattr(field.type, "list_size", 0) for field in self.schema), default=0)
        rows = sum(self.groups) * _ROW_BYTES
        if max(rows, max(self.groups, default=0) * cells * 4) > plausible_bytes(self._bytes):
            raise FileError(
                f"{self._path} claims to hold {sum(self.groups):,} rows of {cells:,} cells, which "
                "is too much for a file of its size: write it anew"
            )

    def batches(self, number: int, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """One row group or record batch, at most so many rows at a time.

        LargeGroupError where the rows unpack to more than is plausible.
        """
        limit = plausible_bytes(self._packed[number], len(self.groups))
        if self._parquet is None:
            if self._unpacked[number] > limit:
                raise LargeGroupError
            batch = self._checked_batch(number, columns)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)
            return
        key = number, tuple(columns)
        if key not in self._checked:
            self._checked[key] = self._rows_at_once(number, columns, limit)
        decoded = 0
        for batch in self._parquet.iter_batches(
            min(rows, self._checked[key]), row_groups=[number], columns=columns, use_threads=False
        ):
            decoded += batch.nbytes
            if decoded > limit:
                raise LargeGroupError
            yield batch

    def _checked_batch(self, number: int, columns: Sequence[str]) -> Any:
        """A record batch whose offsets stay within its buffers; text may be anything."""
        pa = arrow()
        batch = self._arrow.get_batch(number).select(list(columns))
        if (number, ()) not in self._checked:
            whole = self._arrow.get_batch(number)
            whole.validate()
            for column in whole.columns:
                if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
                    is_large = pa.types.is_large_string(column.type)
                    column = column.view(pa.large_binary() if is_large else pa.binary())  # noqa: PLW2901
                column.validate(full=True)
            self._checked[number, ()] = batch.num_rows
        return batch

    def _rows_at_once(self, number: int, columns: Sequence[str], limit: int) -> int:
        """So many rows that repeated values fit; LargeGroupError where it is clear that none do."""
        claimed = repeated = 0
        with self._headers() as stream:
            for column, chunk in enumerate(self._chunks[number]):
                # readers go by the number of a chunk, whatever path it gives
                path = self._parquet.schema.column(column).path
                if path.partition(".")[0] not in columns:
                    continue
                try:
                    size = chunk_size(cast(BinaryIO, stream), chunk)
                except (ValueError, OverflowError) as error:
                    raise OSError(str(error)) from None
                unpacked = max(size.unpacked, chunk.unpacked)
                if chunk.is_bytes:
                    claimed += unpacked
                    repeated += size.dictionary
                    repeated += size.largest_page if DELTA_BYTE_ARRAY in size.encodings else 0
                else:
                    values = max(size.values, chunk.values)
                    claimed += max(unpacked, values * _VALUE_BYTES)
        if claimed > limit:
            raise LargeGroupError
        return max(1, _BATCH_BYTES // max(1, repeated))

    def check_reachable(self, number: int, error: Exception) -> None:
        """FileError where the bytes of a row group cannot be reached: its rows may be intact."""
        if self._parquet is None:
            if isinstance(error, OSError) and not self._storage.is_local:
                raise FileError(f"{self._path} cannot be reached: repeat the command when it can")
            return
        with store_errors(self._path), self._storage.fs.open_input_file(self._path) as file:
            for chunk in self._chunks[number]:
                if not 0 <= chunk.start < self._bytes:
                    continue  # the footer is damaged
                file.seek(chunk.start)
                remaining = chunk.packed
                while remaining > 0:
                    read = len(file.read(min(remaining, 1 << 20)))
                    remaining = remaining - read if read else 0


@lru_cache(maxsize=8)
def open_file(address: str, name: str, modified: int | None = None) -> OpenFile:
    """A file of the dataset as it was at that time; the last few stay open."""
    return OpenFile(address, name)
