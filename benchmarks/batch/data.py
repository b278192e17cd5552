"""Datasets to measure with: scores as a model of middling skill gives them, and real JPEGs."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import ipc, parquet

from elsewhere.batch.columns import photos_in, scores_in
from elsewhere_lab.simulator import World, world

PHOTOS = 16
"""Photos an album."""
CELLS = 512
_BATCH = 64
"""Albums a record batch."""


def write_scores(file: Path, albums: int, seed: int = 0) -> Path:
    """An Arrow file of so many albums, written a batch at a time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    sight = world("w1")
    schema = scores_in(CELLS)
    with ipc.new_file(str(file), schema) as out:
        for batch in _batches(sight, albums, seed, schema):
            out.write_batch(batch)
    return file


def _batches(sight: World, albums: int, seed: int, schema: Any) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    for first in range(0, albums, _BATCH):
        many = min(_BATCH, albums - first)
        truths = rng.integers(CELLS, size=many)
        rows = [sight.photos(int(truth), PHOTOS, rng) for truth in truths]
        flat = np.concatenate(rows).astype(np.float32).reshape(-1)
        names = [f"album-{first + n:07}" for n in range(many) for _ in range(PHOTOS)]
        nothing = [None] * len(names)
        empty = ("version", "version_cost", "lat", "lon", "place", "wishes")
        columns: dict[str, Any] = {
            "album": names,
            "photo": [f"{n:02}.jpg" for n in range(PHOTOS)] * many,
            "scores": pa.FixedSizeListArray.from_arrays(pa.array(flat), CELLS),
            "truth": [[int(truth)] for truth in truths for _ in range(PHOTOS)],
            **dict.fromkeys(empty, nothing),
        }
        arrays = [
            values if isinstance(values, pa.Array) else pa.array(values, field.type)
            for field, values in ((field, columns[field.name]) for field in schema)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def write_small(file: Path, photos: int, album: int, seed: int = 0) -> Path:
    """A Parquet file that holds its photos, of a quarter of a megapixel, all taken in Lisbon."""
    rng = np.random.default_rng(seed)
    file.parent.mkdir(parents=True, exist_ok=True)
    with parquet.ParquetWriter(file, photos_in()) as out:
        for first in range(0, photos, 64):
            rows = [
                {
                    "album": f"album-{number // album:05}",
                    "photo": f"{number:05}.jpg",
                    "content": _jpeg(rng),
                    "lat": 38.72,
                    "lon": -9.14,
                }
                for number in range(first, min(first + 64, photos))
            ]
            out.write_table(pa.Table.from_pylist(rows, photos_in()))
    return file


def _jpeg(rng: np.random.Generator) -> bytes:
    from PIL import Image

    content = io.BytesIO()
    noise = rng.integers(0, 256, (384, 640, 3), dtype=np.uint8)
    Image.fromarray(noise).save(content, "JPEG", quality=85)
    return content.getvalue()


def write_photos(file: Path, paths: Sequence[Path], album: int) -> Path:
    """A Parquet file that names photos, so many an album, all taken in Lisbon."""
    rows = [
        {
            "album": f"album-{number // album:05}",
            "photo": path.name,
            "path": str(path.absolute()),
            "lat": 38.72,
            "lon": -9.14,
        }
        for number, path in enumerate(paths)
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows, photos_in()), file, row_group_size=64)
    return file
