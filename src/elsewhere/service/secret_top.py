"""The k that a plan withstands: drawn in secret, and the same each time for the same album.

It is drawn evenly from K, the one asked for, to 12/5 of K. A minimal plan leaves the truth just
behind the k-th guess, so whoever knew the k would look there; only the certificate knows it. Where
a k cannot be had a smaller one is drawn, down to K: the k in the end is drawn evenly among all that
can be had.

The draw comes from a key of the user's and from the album's originals: not from their names or
order, nor from wishes or what is posted. So a dry run, advice, the next photo, the app and a second
start agree, and nobody without the key can repeat the draw. Another album has a draw of its own,
also one that differs by a single photo.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random, SystemRandom

from elsewhere.album import Photo
from elsewhere.errors import FileError
from elsewhere.platform.files import new_file
from elsewhere.platform.machine import user_folder
from elsewhere.service.private_files import DRAW_KEY, make_private
from elsewhere.values.outcome import largest_secret_top

_KEY_BYTES = 32


def album_draw(photos: Sequence[Photo], key: bytes | None = None) -> Random:
    """The source of an album's secret k, by a key or by the user's own."""
    digests = [photo.original or photo.rendition.digest for photo in photos]
    return secret_draw(user_key() if key is None else key, digests)


def secret_draw(key: bytes, digests: Iterable[str]) -> Random:
    """Random numbers that are the same each time for a key and these contents, in any order."""
    content = "\n".join(sorted(digests)).encode("utf-8", "replace")
    return Random(hmac.new(key, b"draw\n" + content, "sha256").digest())


def user_key() -> bytes:
    """The user's own key for draws, made where there is none yet.

    Where it cannot be written, one for as long as this process lasts.
    """
    file = user_folder("data") / DRAW_KEY
    with suppress(OSError):
        if not file.exists():
            with suppress(FileError, FileExistsError):
                make_private(file.parent)
                _write_new(file)
        key = file.read_bytes()
        if len(key) == _KEY_BYTES:
            return key
    return _process_key()


def _write_new(file: Path) -> None:
    """Write a key; FileExistsError where another process was first."""
    part = file.with_name(f"{DRAW_KEY}.{secrets.token_hex(4)}")
    try:
        with new_file(part, private=True) as opened:
            opened.write(secrets.token_bytes(_KEY_BYTES))
        try:
            file.hardlink_to(part)
        except FileExistsError:
            raise
        except OSError:  # a disk without links
            if not file.exists():
                part.replace(file)
    finally:
        part.unlink(missing_ok=True)


@cache
def _process_key() -> bytes:
    return secrets.token_bytes(_KEY_BYTES)


def secret_tops(
    least: int, limit: int, draw: Random | None = None, first: int | None = None
) -> Iterator[int]:
    """The ks to try for an album, of which `limit` is the largest that can be asked for.

    For the same draw they grow with `least`. `first` is a k drawn before.

    >>> list(secret_tops(5, 5)), next(secret_tops(5, 99, first=11))
    ([5], 11)
    """
    draw = draw or SystemRandom()
    high = max(least, min(largest_secret_top(least), limit))
    drawn = least + int(draw.random() * (high + 1 - least))
    first = first if first is not None and least <= first <= high else drawn
    return candidate_tops(least, high, draw, first)


def candidate_tops(
    least: int, high: int, draw: Random | None = None, first: int | None = None
) -> Iterator[int]:
    """The ks to try, each smaller than the one before, the last of them `least`.

    They begin at most at `high`, with `first` where it is given.

    >>> list(candidate_tops(5, 5)), next(candidate_tops(5, 15, first=11))
    ([5], 11)
    """
    draw = draw or SystemRandom()
    k = draw.randint(least, max(least, high)) if first is None else first
    while True:
        yield k
        if k == least:
            return
        k = draw.randint(least, k - 1)
