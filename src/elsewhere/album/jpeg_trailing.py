"""Whether the coded pixels of a JPEG end where its picture does.

Between the last pixel and the end of image a decoder skips whatever there is. No marker tells that
something is there, so it is found by decoding: all but the last byte is given to a decoder that
waits for more where it needs it. The encoder fills no byte with nothing, so the last rows of an
honest picture are still to come; if they are there already, they were not the end.
"""

from __future__ import annotations

import os
from typing import Any

from elsewhere.album.jpeg import NotJpegError

_SCALE = 8
"""Of each block one pixel is made, which is all that has to be seen of it."""
_END = 2
"""Bytes of the end of image."""


def reject_trailing_data(content: bytes, size: tuple[int, int]) -> None:
    """Raise NotJpegError where something follows the pixels of a bare JPEG of this size.

    The decoder reads a few bytes ahead, so that fewer than eight may go unseen.
    """
    from PIL import Image

    canvas = Image.new("RGB", (-(-size[0] // _SCALE), -(-size[1] // _SCALE)))
    last = (0, canvas.height - 1, canvas.width, canvas.height)
    untouched = Image.frombytes("RGB", (canvas.width, 1), os.urandom(3 * canvas.width))
    canvas.paste(untouched, last)
    decoder: Any = Image._getdecoder("RGB", "jpeg", ("RGB", ""), (_SCALE, 0))
    decoder.setimage(canvas.im, (0, 0, *canvas.size))
    try:
        _, problem = decoder.decode(content[: -_END - 1])
    finally:
        decoder.cleanup()
    if problem:
        raise NotJpegError("its pixels cannot be decoded")
    if canvas.crop(last).tobytes() != untouched.tobytes():
        raise NotJpegError("something lies between its last pixel and its end")
