"""Photos on disk: finding and decoding them, their metadata, their renditions, and exports.

album       Album, and read_album, which makes one
discovery   which files are photos, and why the others are not
skipped     files that are not in the album, and why
files       reading files safely, their kinds and names
workers     decoding in processes with limits · worker (their inside) · frames (their messages)
decode      from bytes to pixels · jpeg (the encoder, and the proof of its results)
metadata    what is known and what leaks · metadata_readers (EXIF, XMP, IPTC, Takeout)
places      where photos were taken
renditions  the bytes that are scored and exported
export      a copy, proved before it gets its name · staging · copies (reading one again)
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
