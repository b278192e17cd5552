"""Datasets of albums, small and made here: scores with a truth in cells, and photos with pixels."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from elsewhere.batch.blocks import JobResult, perform
from elsewhere.batch.columns import BLOCKS, LETTERS, photos_in, scores_in
from elsewhere.batch.grouping import Job
from elsewhere.batch.local_engine import NextJobs
from elsewhere.batch.runner import Engine
from elsewhere.batch.scoring import RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.globe import Cells
from tests.album.makers import jpeg
from tests.scorers.models import described

CELLS = 40
BROKEN = b"\xff\xd8\xff\xe0 this is no photo"
HIDDEN = json.dumps({"top": 3, "margin": "none"})
IMPOSSIBLE = json.dumps({"top": 39, "keep": ["*"], "margin": 50.0})
"""Every photo is to be kept, and every cell to come before the truth."""


def rows_of(rng: np.random.Generator, photos: int, truth: int, cells: int) -> NDArray[np.float32]:
    """Scores that lean towards the truth, more or less."""
    logits = rng.normal(size=(photos, cells)) * 2
    logits[:, truth] += rng.normal(1.2, 1.5, size=photos)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits.astype(np.float32)


def scored(
    albums: int,
    *,
    photos: tuple[int, int] = (4, 12),
    cells: int = CELLS,
    seed: int = 0,
    impossible: Sequence[int] = (),
    first: int = 0,
) -> Any:
    """A table of scores, every album's rows together."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list[Any]] = {name: [] for name in ("album", "photo", "truth", "wishes")}
    matrices = []
    for number in range(first, first + albums):
        count, truth = int(rng.integers(*photos)), int(rng.integers(cells))
        matrices.append(rows_of(rng, count, truth, cells))
        columns["album"] += [f"album-{number:06}"] * count
        columns["photo"] += [f"{n:04}.jpg" for n in range(count)]
        columns["truth"] += [[truth]] * count
        columns["wishes"] += [IMPOSSIBLE if number in impossible else None] * count
    flat = np.concatenate(matrices).reshape(-1)
    nothing = [None] * len(columns["album"])
    return pa.table(
        {
            **columns,
            "scores": pa.FixedSizeListArray.from_arrays(pa.array(flat), cells),
            "version": nothing,
            "version_cost": nothing,
            "lat": nothing,
            "lon": nothing,
            "place": nothing,
        }
    ).select(scores_in(cells).names).cast(scores_in(cells))  # fmt: skip


def with_versions(table: Any) -> Any:
    """A table of scores with two more versions of every photo, which tell less of the truth."""
    records = []
    for row in table.to_pylist():
        records.append(row)
        for name, cost, less in (("loose", 0.1, 1.0), ("tight", 0.3, 4.0)):
            scores = np.array(row["scores"], np.float32)
            scores[row["truth"]] -= less
            edit = {"version": name, "version_cost": cost, "scores": scores.tolist()}
            records.append(row | edit)
    return pa.Table.from_pylist(records, table.schema)


def write(table: Any, file: Path, group: int = 256) -> Path:
    """A table as .parquet or .arrow."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        parquet.write_table(table, file, row_group_size=group)
    else:
        with ipc.new_file(str(file), table.schema) as out:
            out.write_table(table, max_chunksize=group)
    return file


def pixels(
    albums: int,
    *,
    photos: int = 4,
    broken: Sequence[tuple[int, int]] = (),
    impossible: Sequence[int] = (),
    first: int = 0,
) -> Any:
    """A table of tiny JPEGs; `broken` are pairs of album and photo."""
    rows = []
    for number in range(first, first + albums):
        for n in range(photos):
            bad = (number, n) in broken
            rows.append(
                {
                    "album": f"album-{number:06}",
                    "photo": f"{n:04}.jpg",
                    "content": BROKEN if bad else jpeg(number * 97 + n, 32, 24),
                    "lat": 38.72 + 0.001 * n,
                    "lon": -9.14,
                    "wishes": IMPOSSIBLE if number in impossible else HIDDEN,
                }
            )
    return pa.Table.from_pylist(rows, photos_in())


def model(folder: Path) -> str:
    """A tiny model over the default cells, as it is typed."""
    return f"onnx:{described(folder, Cells.paper())}"


class Here(Engine):
    """An engine without processes: all jobs one after the other, here, where tests can look."""

    def run(
        self, jobs: Sequence[Job], source: Source, settings: Settings, next_jobs: NextJobs
    ) -> Generator[JobResult]:
        """Do the jobs."""
        looking = None
        if not source.scored:
            looking = RowScorer(settings)
        waiting = deque(jobs)
        try:
            while waiting:
                done = perform(waiting.popleft(), source.storage.address, settings, looking)
                waiting.extend(next_jobs(done))
                yield done
        finally:
            if looking is not None:
                looking.close()


def damage(file: Path, group: int, column: str) -> None:
    """Make one page of a Parquet file unreadable; its length stays."""
    data = parquet.ParquetFile(file).metadata.row_group(group)
    for number in range(data.num_columns):
        chunk = data.column(number)
        if chunk.path_in_schema.partition(".")[0] == column:
            start = chunk.dictionary_page_offset or chunk.data_page_offset
            with file.open("r+b") as stream:
                stream.seek(start)
                stream.write(b"\xff" * 16)
            return
    raise AssertionError(column)


def albums_in(output: Path) -> list[dict[str, Any]]:
    """All rows that came out, by album."""
    return _rows(output, ("albums", BLOCKS), lambda row: row["album"])


def dead_in(output: Path) -> list[dict[str, Any]]:
    """All dead letters, by album and photo."""
    return _rows(output, ("dead", LETTERS), lambda row: (row["album"], row["photo"] or ""))


def _rows(output: Path, folders: tuple[str, str], key: Any) -> list[dict[str, Any]]:
    """The rows of a run that is over, or of its blocks."""
    folder = output / folders[(output / BLOCKS).is_dir()]
    found = [
        row
        for file in folder.rglob("*.parquet")
        for row in parquet.ParquetFile(file).read().to_pylist()
    ]
    return sorted(found, key=key)
