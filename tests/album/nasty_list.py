"""The list of nasty files, and how one is put on it."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Nasty:
    """One nasty thing.

    `ends` says how it may end: "read", or kinds of left.KINDS; several only where the version of
    a decoder decides. None at all stands for what is no file.
    """

    name: str
    ends: frozenset[str]
    make: Callable[[Path], object]


ALL: list[Nasty] = []


def add_bytes(name: str, ends: str, content: bytes | Callable[[], bytes]) -> None:
    def make(path: Path) -> None:
        path.write_bytes(content() if callable(content) else content)

    ALL.append(Nasty(name, frozenset(ends.split()), make))


def add_thing(name: str, ends: str, make: Callable[[Path], object]) -> None:
    ALL.append(Nasty(name, frozenset(ends.split()), make))


def noise(count: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(count)


@lru_cache
def squeezed(megabytes: int) -> bytes:
    """Zeros, a thousand times smaller than they are."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join(packer.compress(block) for _ in range(megabytes)) + packer.flush()
