"""A form of files as it arrives: each goes into its folder piece by piece, and never into memory.

The web framework would keep every file in a temporary one first, and leave it open where a body
is cut off; two gigabytes are then on the disk twice. Here each byte is written once.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from contextlib import suppress
from typing import BinaryIO

from elsewhere.app.sessions.uploads import UploadFolder
from elsewhere.errors import InputError

FIELD = "files"
_NO_FORM = "what was sent is no form of files: drop the photos again"
_MOST_HEADER = 8192


async def take_form(kind: str, body: AsyncIterable[bytes], dropped: UploadFolder) -> int:
    """Write the files of a form into a folder; how many they were."""
    from python_multipart.exceptions import FormParserError
    from starlette.concurrency import run_in_threadpool

    form = _Form(kind, dropped)
    try:
        async for piece in body:
            if piece:
                await run_in_threadpool(form.write, piece)
        form.finish()
    except FormParserError:
        raise InputError(_NO_FORM) from None
    finally:
        form.close()
    return form.count


class _Form:
    """The parts of one form, told by the parser's callbacks."""

    def __init__(self, kind: str, dropped: UploadFolder) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        told, options = parse_options_header(kind)
        boundary = options.get(b"boundary", b"")
        if told != b"multipart/form-data" or not 0 < len(boundary) <= 200:
            raise InputError(_NO_FORM)
        self.count = 0
        self._dropped = dropped
        self._file: BinaryIO | None = None
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value = b"", b""
        self._ended = False
        self._options = parse_options_header
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._headers.clear,
                "on_header_field": self._on_name,
                "on_header_value": self._on_value,
                "on_header_end": self._on_header,
                "on_headers_finished": self._on_headers,
                "on_part_data": self._on_data,
                "on_part_end": self.close,
                "on_end": self._on_end,
            },
        )

    def write(self, piece: bytes) -> None:
        """The next piece of the body."""
        self._parser.write(piece)

    def finish(self) -> None:
        """The body is over: so must the form be."""
        self._parser.finalize()
        if not self._ended:
            raise InputError(_NO_FORM)

    def close(self) -> None:
        """The part is over."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _on_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._bounded()

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._bounded()

    def _bounded(self) -> None:
        if len(self._name) + len(self._value) > _MOST_HEADER:
            raise InputError(_NO_FORM)

    def _on_header(self) -> None:
        if len(self._headers) > 16:
            raise InputError(_NO_FORM)
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _on_headers(self) -> None:
        self.close()
        told: Mapping[bytes, bytes]
        _, told = self._options(self._headers.get(b"content-disposition", b""))
        name = told.get(b"filename")
        if told.get(b"name") == FIELD.encode() and name is not None:
            self.count += 1
            self._file = self._dropped.create(name.decode("utf-8", "replace"))

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._dropped.write(self._file, data[start:end])

    def _on_end(self) -> None:
        self._ended = True
