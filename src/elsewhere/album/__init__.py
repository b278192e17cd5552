"""Photos on disk: finding them, decoding them safely, what they carry, and their renditions.

album       the value Album, and read_album, which makes one
finding     which files are photos, and why the others are not · companions · kinds · left · names
workers     decoding in processes with limits · worker (their inside) · frames (what is said)
reading     what a worker does with one file · decode · colour · files
metadata    what is known and what leaks · exif · xmp · takeout
places      where photos were taken · clustering (by position) · timing (by time)
renditions  the bytes that are scored and exported · jpeg (their proof) · spool (where they wait)
export      a copy: staging (until it is proved) · renaming · archive · copies · export_names
"""

from elsewhere.album.album import Album, Photo, Progress, album_workers, read_album
from elsewhere.album.metadata import Leak, Metadata
from elsewhere.album.renditions import Recipe, Rendition
from elsewhere.album.skipped import SkippedFile
from elsewhere.album.workers import Limits

__all__ = [
    "Album",
    "Leak",
    "Limits",
    "Metadata",
    "Photo",
    "Progress",
    "Recipe",
    "Rendition",
    "SkippedFile",
    "album_workers",
    "read_album",
]
