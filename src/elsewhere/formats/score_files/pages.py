"""Sizes that a Parquet file's footer and pages declare, read before anything is unpacked.

The footer of a file is a summary, and it can understate. What a reader allocates is declared by
the header of each page. Both are in Thrift's compact protocol. Only they are read here; the pages
are skipped. The footer is not asked of pyarrow, which ends the process where a column of a damaged
one contradicts itself (`RowGroupMetaData.column` lets an exception of C++ through).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

DELTA_BYTE_ARRAY = 7
"""Parquet's number for the encoding in which a text names how much it shares with the one before:
a few bytes can repeat a long text for every value."""
_MAX_PAGES = 100_000
_MAX_DEPTH = 8
_WINDOWS = (1 << 12, 1 << 20)  # bytes read for a header: usually, and at most

_BYTE_ARRAY = 6  # Parquet's number for texts and bytes of any length
_TYPE, _UNPACKED, _PACKED, _DATA, _DICTIONARY, _DATA_2 = 1, 2, 3, 5, 7, 8
_ENCODING = {_DATA: 2, _DICTIONARY: 2, _DATA_2: 4}


@dataclass(frozen=True)
class Chunk:
    """What the footer says of one column in one row group; none of it need be true."""

    is_bytes: bool
    """Whether its values are texts or bytes of any length."""
    values: int
    unpacked: int
    packed: int
    start: int


@dataclass(frozen=True)
class ChunkSize:
    """What the pages of one column chunk declare."""

    unpacked: int
    values: int
    encodings: frozenset[int]
    largest_page: int
    dictionary: int
    """Unpacked bytes of the dictionary, any of whose members each value may repeat."""


def footer_chunks(stream: BinaryIO, size: int, limit: int) -> list[list[Chunk]]:
    """The columns of each row group in a file of `size` bytes, whose footer has at most `limit`.

    ValueError where the footer cannot be read.
    """
    stream.seek(max(0, size - 8))
    length = int.from_bytes(stream.read(4), "little")
    if length > min(limit, size):
        raise ValueError(f"its footer has {length:,} bytes, but {limit:,} is the limit")
    stream.seek(max(0, size - 8 - length))
    try:
        footer = _Compact(stream.read(length)).struct()
        return [[_chunk(column) for column in group[1]] for group in footer.get(4, [])]
    except (IndexError, KeyError, TypeError, AttributeError):
        raise ValueError("its footer is damaged") from None


def _chunk(column: dict[int, Any]) -> Chunk:
    about = column[3]
    start, dictionary = about[9], about.get(11)
    numbers = (about[1], about[5], about[6], about[7], start, dictionary or 0)
    if not all(isinstance(number, int) for number in numbers):
        raise TypeError
    if dictionary is not None and 0 < dictionary < start:
        start = dictionary
    return Chunk(about[1] == _BYTE_ARRAY, about[5], about[6], about[7], start)


def chunk_size(stream: BinaryIO, chunk: Chunk) -> ChunkSize:
    """The sum over all pages of a column chunk; ValueError where a header cannot be read."""
    start = chunk.start
    end = start + chunk.packed
    unpacked = values = pages = largest = dictionary = 0
    encodings = set()
    while start < end:
        pages += 1
        if pages > _MAX_PAGES:
            raise ValueError("it has too many pages")
        header, length = _page_header(stream, start)
        page = _size(header, _UNPACKED)
        unpacked += page
        largest = max(largest, page)
        start += length + _size(header, _PACKED)
        for kind, encoding in _ENCODING.items():
            fields = header.get(kind)
            if isinstance(fields, dict):
                encodings.add(_size(fields, encoding))
                if kind == _DICTIONARY:
                    dictionary += page
                else:
                    values += _size(fields, 1)
    return ChunkSize(unpacked, values, frozenset(encodings), largest, dictionary)


def _size(fields: dict[int, Any], number: int) -> int:
    size = fields.get(number)
    if not isinstance(size, int) or size < 0:
        raise ValueError("a page does not declare its size")
    return size


def _page_header(stream: BinaryIO, start: int) -> tuple[dict[int, Any], int]:
    """The fields of the page header at `start`, and its length."""
    for window in _WINDOWS:
        stream.seek(start)
        reader = _Compact(stream.read(window))
        try:
            return reader.struct(), reader.position
        except IndexError:
            continue
    raise ValueError("a page has no header")


class _Compact:
    """Thrift's compact protocol; IndexError where the bytes end."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.position = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct by their numbers. Texts are skipped."""
        if depth > _MAX_DEPTH:
            raise ValueError("a header is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._integer()
            if number in fields:
                raise ValueError("a header states a field twice")
            fields[number] = self._value(byte & 0x0F, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):  # a boolean is its own kind
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind == 7:
            return self._skip(8)
        if kind == 8:
            return self._skip(self._varint())
        if kind in (9, 10):
            return self._list(depth)
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError("a header has a field of an unknown kind")

    def _list(self, depth: int) -> list[Any]:
        header = self._byte()
        length, kind = header >> 4, header & 0x0F
        if length == 15:
            length = self._varint()
        if length > len(self._content):  # a member has a byte or more
            raise IndexError
        if kind in (1, 2):  # here a boolean is a byte
            kind = 3
        return [self._value(kind, depth + 1) for _ in range(length)]

    def _byte(self) -> int:
        byte = self._content[self.position]
        self.position += 1
        return byte

    def _varint(self) -> int:
        number = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
        raise ValueError("a header has a number that does not end")

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _skip(self, length: int) -> None:
        self.position += length
        if self.position > len(self._content):
            raise IndexError
