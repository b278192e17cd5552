"""A form of files, written to a folder piece by piece as it arrives.

The web framework would write every file to a temporary one first, and leave it open where a body
is cut off. Two gigabytes would be on the disk twice. Here each byte is written once.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from contextlib import suppress
from typing import BinaryIO

from elsewhere.app.sessions.uploads import UploadFolder
from elsewhere.errors import InputError

FIELD = b"files"
_NOT_A_FORM = "what was sent is no form of files: drop the photos again"
_MAX_HEADER, _MAX_HEADERS, _MAX_BOUNDARY = 8192, 16, 200


async def save_form(content_type: str, body: AsyncIterable[bytes], upload: UploadFolder) -> int:
    """Write the files of a form into a folder; returns how many there were."""
    from python_multipart.exceptions import FormParserError
    from starlette.concurrency import run_in_threadpool

    form = _Form(content_type, upload)
    try:
        async for piece in body:
            if piece:
                await run_in_threadpool(form.write, piece)
        form.finish()
    except FormParserError:
        raise InputError(_NOT_A_FORM) from None
    finally:
        form.close_file()
    return form.count


class _Form:
    """The parts of one form, by the parser's callbacks."""

    def __init__(self, content_type: str, upload: UploadFolder) -> None:
        from python_multipart.multipart import MultipartParser, parse_options_header

        media_type, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if media_type != b"multipart/form-data" or not 0 < len(boundary) <= _MAX_BOUNDARY:
            raise InputError(_NOT_A_FORM)
        self.count = 0
        self._upload = upload
        self._file: BinaryIO | None = None
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value = b"", b""
        self._complete = False
        self._parse_options = parse_options_header
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._headers.clear,
                "on_header_field": self._on_header_name,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_headers_finished": self._on_headers,
                "on_part_data": self._on_data,
                "on_part_end": self.close_file,
                "on_end": self._on_end,
            },
        )

    def write(self, piece: bytes) -> None:
        """Parse the next piece of the body."""
        self._parser.write(piece)

    def finish(self) -> None:
        """The body is over: so must the form be."""
        self._parser.finalize()
        if not self._complete:
            raise InputError(_NOT_A_FORM)

    def close_file(self) -> None:
        """Close the file of the current part."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _on_header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]
        self._check_header_size()

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._check_header_size()

    def _check_header_size(self) -> None:
        if len(self._name) + len(self._value) > _MAX_HEADER:
            raise InputError(_NOT_A_FORM)

    def _on_header_end(self) -> None:
        if len(self._headers) > _MAX_HEADERS:
            raise InputError(_NOT_A_FORM)
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _on_headers(self) -> None:
        self.close_file()
        options: Mapping[bytes, bytes]
        _, options = self._parse_options(self._headers.get(b"content-disposition", b""))
        file_name = options.get(b"filename")
        if options.get(b"name") == FIELD and file_name is not None:
            self.count += 1
            self._file = self._upload.create(file_name.decode("utf-8", "replace"))

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._upload.write(self._file, data[start:end])

    def _on_end(self) -> None:
        self._complete = True
