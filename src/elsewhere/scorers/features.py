"""What the tower said of the last photos, kept in memory so that other heads need not ask it again.

The tower is nearly all of the work and a head nearly none. Heads that look at the same rendition
in turn, such as second opinions, find its features here. Only bytes that are at hand are known
again, by their digest; nothing is written anywhere.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elsewhere.scorers.photos import Photo

Features = NDArray[np.float32]

MOST = 2048
"""Photos that are remembered, at 2 kB each."""

_known: OrderedDict[tuple[str, bytes], Features] = OrderedDict()
_lock = threading.Lock()


def features(tower: str, photo: Photo, infer: Callable[[Photo], Features]) -> Features:
    """The features of a photo by the tower with this digest: remembered, or inferred now."""
    if photo.held is None:
        return infer(photo)
    key = tower, hashlib.sha256(photo.held).digest()
    with _lock:
        found = _known.get(key)
        if found is not None:
            _known.move_to_end(key)
            return found
    found = infer(photo)
    with _lock:
        _known[key] = found
        while len(_known) > MOST:
            _known.popitem(last=False)
    return found


def forget() -> None:
    """Remember nothing any more."""
    with _lock:
        _known.clear()
