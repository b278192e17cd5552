"""Photos on disk: finding and decoding them, their metadata, their renditions, and exports.

album       Album, and read_album, which makes one; render_versions, for photos that are edited
discovery   which files are photos, and why the others are not
files       reading files safely, their kinds and names; files that are skipped, and why
workers     decoding in processes with limits · worker (their inside and their messages)
decode      from bytes to pixels · edits (from pixels to those of an edited version)
metadata    what is known and what leaks · metadata_readers (EXIF, XMP, IPTC, Takeout)
places      where photos were taken
renditions  the bytes that are scored and exported: the JPEG encoder and the proof of its results
export      a copy, proved before it gets its name · copies (reading one again)
"""

from elsewhere.album.album import Album, Photo, Step, album_workers, read_album, render_versions
from elsewhere.album.files import SkippedFile
from elsewhere.album.metadata import Leak, Metadata
from elsewhere.album.renditions import Recipe, Rendition
from elsewhere.album.workers import Limits

__all__ = [
    "Album",
    "Leak",
    "Limits",
    "Metadata",
    "Photo",
    "Recipe",
    "Rendition",
    "SkippedFile",
    "Step",
    "album_workers",
    "read_album",
    "render_versions",
]
