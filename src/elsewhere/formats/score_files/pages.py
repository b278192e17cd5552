"""Sizes that a Parquet file's pages declare, read before anything is unpacked.

The footer of a file is a summary, and it can understate. What a reader allocates is declared by
the header of each page: a few fields in Thrift's compact protocol. Only headers are read here;
their pages are skipped.
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

_TYPE, _UNPACKED, _PACKED, _DATA, _DICTIONARY, _DATA_2 = 1, 2, 3, 5, 7, 8
_ENCODING = {_DATA: 2, _DICTIONARY: 2, _DATA_2: 4}


@dataclass(frozen=True)
class ChunkSize:
    """What the pages of one column chunk declare."""

    unpacked: int
    values: int
    encodings: frozenset[int]


def chunk_size(stream: BinaryIO, chunk: Any) -> ChunkSize:
    """The sum over all pages of a column chunk; ValueError where a header cannot be read."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    unpacked = values = pages = 0
    encodings = set()
    while start < end:
        pages += 1
        if pages > _MAX_PAGES:
            raise ValueError("it has too many pages")
        header, length = _page_header(stream, start)
        unpacked += _size(header, _UNPACKED)
        start += length + _size(header, _PACKED)
        for kind, encoding in _ENCODING.items():
            fields = header.get(kind)
            if isinstance(fields, dict):
                encodings.add(_size(fields, encoding))
                if kind != _DICTIONARY:
                    values += _size(fields, 1)
    return ChunkSize(unpacked, values, frozenset(encodings))


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
        """The fields of a struct by their numbers. Texts and lists are skipped."""
        if depth > _MAX_DEPTH:
            raise ValueError("a page's header is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._integer()
            if number in fields:
                raise ValueError("a page's header states a field twice")
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
        if kind == 12:
            return self.struct(depth + 1)
        raise ValueError("a page's header has a field of an unknown kind")

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
        raise ValueError("a page's header has a number that does not end")

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)

    def _skip(self, length: int) -> None:
        self.position += length
        if self.position > len(self._content):
            raise IndexError
