"""Sizes that an Arrow file (IPC) declares, read before anything is unpacked.

pyarrow unpacks a record batch when it is asked for its length. What that takes is declared by the
footer, by the header of each batch (both are FlatBuffers) and, where buffers are compressed, by
their first eight bytes. Only these are read here.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

_MAGIC = b"ARROW1"
_MAX_FOOTER = 16 << 20
_MAX_HEADER = 1 << 20  # bytes of the header of one batch: thousands of columns
_DICTIONARY, _BATCH = 2, 3  # kinds of messages


@dataclass(frozen=True)
class BatchSize:
    """What one record batch declares."""

    rows: int
    packed: int
    unpacked: int


@dataclass(frozen=True)
class ArrowSizes:
    """What an Arrow file declares."""

    batches: tuple[BatchSize, ...]
    dictionaries: int
    """Unpacked bytes of all dictionaries; pyarrow reads them all with the first batch."""


def arrow_sizes(stream: BinaryIO, size: int) -> ArrowSizes:
    """The sizes in an Arrow file of `size` bytes; ValueError where they cannot be read."""
    try:
        footer = _footer(stream, size)
        dictionaries = [_batch_size(stream, block, size) for block in _blocks(footer, 2)]
        batches = tuple(_batch_size(stream, block, size) for block in _blocks(footer, 3))
    except struct.error:
        raise ValueError("a header is cut short") from None
    if sum(batch.packed for batch in (*dictionaries, *batches)) > size:
        raise ValueError("its record batches overlap")
    return ArrowSizes(batches, sum(batch.unpacked for batch in dictionaries))


def _footer(stream: BinaryIO, size: int) -> _Table:
    stream.seek(max(0, size - 10))
    length, magic = struct.unpack("<i6s", stream.read(10))
    if magic != _MAGIC or not 0 < length <= min(_MAX_FOOTER, size):
        raise ValueError("it has no footer")
    stream.seek(size - 10 - length)
    return _Table.root(stream.read(length))


def _blocks(footer: _Table, field: int) -> list[tuple[int, int, int]]:
    """Start, length of the header and length of the body of each block that the footer lists."""
    start, count = footer.vector(field)
    end = start + 24 * count
    return list(struct.iter_unpack("<qi4xq", footer.content[start:end])) if count else []


def _batch_size(stream: BinaryIO, block: tuple[int, int, int], size: int) -> BatchSize:
    start, header, body = block
    if start < 0 or body < 0 or not 8 <= header <= _MAX_HEADER or start + header + body > size:
        raise ValueError("a record batch lies outside of the file")
    stream.seek(start)
    content = stream.read(header)
    prefix = 8 if content[:4] == b"\xff\xff\xff\xff" else 4  # older files have no marker
    message = _Table.root(content[prefix:])
    kind, batch = message.byte(1), message.table(2)
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    elif kind != _BATCH:
        batch = None
    rows = batch.long(0) if batch else -1
    if batch is None or rows < 0:
        raise ValueError("a record batch has no rows")
    first, count = batch.vector(2)
    unpacked = 0
    for offset, length in struct.iter_unpack("<qq", batch.content[first : first + 16 * count]):
        if offset < 0 or length < 0 or offset + length > body:
            raise ValueError("a buffer lies outside of its record batch")
        declared = length
        if length and batch.table(3) is not None:  # compressed
            stream.seek(start + header + offset)
            (declared,) = struct.unpack("<q", stream.read(8))
        unpacked += max(declared, length)
    return BatchSize(rows, header + body, unpacked)


@dataclass(frozen=True)
class _Table:
    """A table in FlatBuffers' layout; struct.error where it leaves its bytes."""

    content: bytes
    position: int

    @classmethod
    def root(cls, content: bytes) -> _Table:
        return cls(content, *struct.unpack_from("<I", content))

    def _field(self, number: int) -> int:
        """Where a field is; 0 where it is left out."""
        (back,) = struct.unpack_from("<i", self.content, self.position)
        layout = self.position - back
        if layout < 0:
            raise ValueError("a header is damaged")
        (length,) = struct.unpack_from("<H", self.content, layout)
        if 6 + 2 * number > length:
            return 0
        (offset,) = struct.unpack_from("<H", self.content, layout + 4 + 2 * number)
        return self.position + offset if offset else 0

    def byte(self, number: int) -> int:
        field = self._field(number)
        return struct.unpack_from("<B", self.content, field)[0] if field else 0

    def long(self, number: int) -> int:
        field = self._field(number)
        return struct.unpack_from("<q", self.content, field)[0] if field else 0

    def table(self, number: int) -> _Table | None:
        field = self._field(number)
        if not field:
            return None
        return _Table(self.content, field + struct.unpack_from("<I", self.content, field)[0])

    def vector(self, number: int) -> tuple[int, int]:
        """Where the members of a vector begin, and how many there are."""
        field = self._field(number)
        if not field:
            return 0, 0
        start = field + struct.unpack_from("<I", self.content, field)[0]
        return start + 4, struct.unpack_from("<I", self.content, start)[0]
