"""The columns of the input and of the output.

docs/batch.md describes the same, and a test compares the two. No output depends on a clock, on the
engine or on the order in which albums are done.
"""

from __future__ import annotations

from typing import Any

from elsewhere.errors import FileError
from elsewhere.values.wording import installed_by

FORMAT = "elsewhere-batch/2"
ALBUMS, DEAD = "albums", "dead"  # folders of the output
BLOCKS, LETTERS = "_work/blocks", "_work/letters"  # the same, of each block, until they are merged


def arrow() -> Any:
    """pyarrow; FileError with the remedy where it is missing."""
    try:
        import pyarrow
    except ImportError:
        raise FileError(f"batch needs pyarrow: {installed_by('parquet')}") from None
    return pyarrow


def photos_in() -> Any:
    """One row a photo, with a path or content; the rest may be null.

    `lat` and `lon` are where the photo was taken (where null, the file's own position), `place` is
    where the album was taken, in words, `wishes` a JSON object with fields of `Wishes`. A row with
    a `version` is the photo as somebody edited it, at a cost.
    """
    pa = arrow()
    content = [pa.field("path", pa.string()), pa.field("content", pa.binary())]
    return pa.schema(_with_common_columns(content))


def scores_in(cells: int, *, scorer: str = "", grid: str = "") -> Any:
    """One row a photo that was scored elsewhere; the fingerprints are metadata of the schema.

    `truth` are the cells to hide, where no position or place is known.
    """
    pa = arrow()
    metadata = {"elsewhere.scorer": scorer, "elsewhere.grid": grid}
    scores = pa.field("scores", pa.list_(pa.float32(), cells), nullable=False)
    truth = pa.field("truth", pa.list_(pa.int32()))
    return pa.schema(_with_common_columns([scores, truth]), metadata)


def _with_common_columns(content: list[Any]) -> list[Any]:
    pa = arrow()
    return [
        pa.field("album", pa.string(), nullable=False),
        pa.field("photo", pa.string(), nullable=False),
        pa.field("version", pa.string()),
        pa.field("version_cost", pa.float64()),
        *content,
        pa.field("lat", pa.float64()),
        pa.field("lon", pa.float64()),
        pa.field("place", pa.string()),
        pa.field("wishes", pa.string()),
    ]


def _list_of(kind: Any) -> Any:
    """A list with Parquet's own name for its members, so that it reads back as written."""
    return arrow().list_(arrow().field("element", kind))


def audit() -> Any:
    """What one attacker infers of one place from an album's photos."""
    pa = arrow()
    return pa.struct([
        pa.field("scorer", pa.string()),
        pa.field("place", pa.string()),
        pa.field("photos", pa.int32()),  # how many it adds up
        pa.field("rank", pa.int32()),  # 1 is its first guess
        pa.field("probability", pa.float64()),
        pa.field("guess", pa.string()),  # its first guess
        pa.field("guess_probability", pa.float64()),
        pa.field("within_25_km", pa.float64()),  # null where cells are not known on the globe
        pa.field("radius_km", pa.float64()),  # of places; null where cells are meant
        pa.field("shared_probability", pa.float64()),  # of what is shared; null without a plan
    ])  # fmt: skip


def version() -> Any:
    """A version of a photo that somebody gave."""
    pa = arrow()
    return pa.struct([pa.field("photo", pa.string()), pa.field("version", pa.string())])


def albums_out() -> Any:
    """One row for each album of the input."""
    pa = arrow()
    return pa.schema([
        pa.field("album", pa.string(), nullable=False),
        # a plan's status; exposed: its budget does not hide the place; broken: no result
        pa.field("status", pa.string(), nullable=False),
        pa.field("photos", pa.int32(), nullable=False),  # that were read
        pa.field("left", pa.int32(), nullable=False),  # that were not: see dead letters
        pa.field("withheld", _list_of(pa.string())),  # null without a plan
        # all that may be shared as it is; null without a plan
        pa.field("share", _list_of(pa.string())),
        # all other versions that may be shared; null without a plan
        pa.field("share_versions", _list_of(version())),
        pa.field("cost", pa.string()),  # exact: a whole number or a fraction
        pa.field("bound", pa.string()),
        pa.field("top", pa.int32()),  # as wished; the k used is secret
        pa.field("budget", pa.int32()),
        pa.field("margin", pa.float64()),
        pa.field("audit", _list_of(audit())),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("work", pa.int64()),
        pa.field("certificate_digest", pa.string()),  # null without a plan
        pa.field("certificate", pa.string()),  # only where wished; names the secret k
        # of all that the row depends on; null where another attempt may come to another row
        pa.field("input_digest", pa.string()),
        # what became of a plan from a GPU's scores: proved, failed, none; null without a GPU
        pa.field("gpu_plan", pa.string()),
    ], metadata={"elsewhere.format": FORMAT})  # fmt: skip


def dead_letters() -> Any:
    """What could not be used, and why: a photo, or a whole album (photo is null)."""
    pa = arrow()
    return pa.schema([
        pa.field("album", pa.string(), nullable=False),
        pa.field("photo", pa.string()),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("version", pa.string()),  # null where the photo as it is, or the album, is meant
        pa.field("input_digest", pa.string()),  # that of its album's row
    ], metadata={"elsewhere.format": FORMAT})  # fmt: skip
