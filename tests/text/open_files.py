"""The reader of texts as a worker, asked what it has open."""

from elsewhere.text.reader import warm_up
from tests.album.escapes import list_descriptors

__all__ = ["list_descriptors", "warm_up"]
