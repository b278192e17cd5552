"""Made-up albums whose photos are real pictures, for what shows them."""

from __future__ import annotations

import io
from dataclasses import replace
from hashlib import sha256

import numpy as np
from PIL import Image

from elsewhere.album import Photo, Rendition
from elsewhere.album.renditions import encode_jpeg
from elsewhere.service.scored_album import ScoredAlbum
from tests.album.makers import picture
from tests.service.makers import SPOOL


def drawn(image: Image.Image) -> Rendition:
    """A picture as a rendition."""
    content = encode_jpeg(image)
    start = SPOOL.put(content)
    return Rendition(sha256(content).hexdigest(), *image.size, len(content), SPOOL, start)


def with_pictures(seen: ScoredAlbum) -> ScoredAlbum:
    """The same album with something to see in every photo."""
    photos = tuple(
        replace(photo, rendition=drawn(picture(n + 1))) for n, photo in enumerate(seen.photos)
    )
    return replace(seen, photos=photos, album=replace(seen.album, photos=photos))


def noise(side: int = 640) -> Image.Image:
    """The picture that compresses worst."""
    pixels = np.random.default_rng(1).integers(0, 256, (side * 3 // 4, side, 3), dtype=np.uint8)
    return Image.fromarray(pixels)


def size_of(content: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(content)).size


def named(photo: Photo, name: str) -> Photo:
    return replace(photo, id=name)
