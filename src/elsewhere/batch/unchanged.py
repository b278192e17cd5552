"""Albums that need no new plan: an earlier run in the same output has planned them as they are.

Every row of the output has a digest of all that it depends on: the rows of its album, the wishes,
the models, the program's version. Where the digest is still the same, the row stays. For photos
behind a `path`, size and time stand for their content.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np

from elsewhere.batch.columns import ALBUMS, DEAD, albums_out, arrow, dead_letters
from elsewhere.batch.grouping import Grouping, Job, Range, hash_album
from elsewhere.batch.input_rows import (
    CARRIED,
    INPUT,
    LOST,
    DeadLetter,
    carried_values,
    concat_tables,
    pack,
    split_albums,
    text_values,
    unpack,
)
from elsewhere.batch.output_rows import Row, rows_table
from elsewhere.batch.photo_files import PhotoFiles
from elsewhere.batch.source import LARGE_COLUMNS, Source
from elsewhere.batch.storage import Storage, store_errors
from elsewhere.errors import FileError

_COLUMNS = (
    "album", "content", "lat", "lon", "path", "photo", "place", "scores", "truth", "version",
    "version_cost", "wishes",
)  # fmt: skip
"""What a plan depends on."""
_DIGEST_BYTES = 16
_LARGE_ROWS = 16  # rows of a large album that are compared at a time
_KEPT, _KEPT_LETTERS = b"elsewhere.kept", b"elsewhere.kept_letters"
"""Metadata of scored rows: results of albums that need no new plan."""
AlbumResult = tuple[Row, list[DeadLetter]]


def with_digests(table: Any, files: PhotoFiles) -> Any:
    """A table with a digest of each row in the column INPUT; null where a row is lost."""
    pa = arrow()
    hashers = [blake2b(digest_size=_DIGEST_BYTES) for _ in range(table.num_rows)]
    for name in _COLUMNS:
        if name not in table.column_names:
            continue
        for hasher, value in zip(hashers, _values(name, table.column(name), files), strict=True):
            if value is not None:
                hasher.update(f"{name} {len(value)} ".encode())
                hasher.update(value)
    digests: list[bytes | None] = [hasher.digest() for hasher in hashers]
    if LOST in table.column_names:
        reasons = table.column(LOST).to_pylist()
        digests = [None if r else d for d, r in zip(digests, reasons, strict=True)]
    return table.append_column(INPUT, pa.array(digests, pa.binary()))


def _values(name: str, column: Any, files: PhotoFiles) -> Iterator[Any]:
    """The values of a column as bytes."""
    if name == "content":
        yield from (memoryview(v.as_buffer()) if v.is_valid else None for v in column)
    elif name == "scores":
        for value in column:
            numbers = value.values.to_numpy(zero_copy_only=False) if value.is_valid else None
            yield None if numbers is None else numbers.tobytes()
    elif name in {"lat", "lon", "version_cost"}:
        yield from (None if v is None else repr(float(v)).encode() for v in column.to_pylist())
    else:
        for value in text_values(column):
            text = value
            if name == "path" and value is not None:
                text = f"{value} {files.version(value)}"
            yield None if text is None else str(text).encode("utf-8", "replace")


def album_digest(basis: str, rows: Any) -> str | None:
    """The digest of all that an album's plan depends on; None where it is not known.

    The order of the rows is no part of it: where they come in another order, the plan still holds.
    """
    if INPUT not in rows.column_names:
        return None
    digests = rows.column(INPUT).to_pylist()
    if None in digests:
        return None
    content = basis.encode() + b"".join(sorted(digests))
    return blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


def find_unchanged(
    job: Job, source: Source, output: Storage, basis: str, files: PhotoFiles, *, rows_at_once: int
) -> tuple[list[AlbumResult], tuple[Range, ...]]:
    """Results of an earlier run that are still right, and the ranges of all other albums."""
    if not job.previous:
        return [], job.ranges
    pieces = []
    for part in job.ranges:
        for piece in source.pieces(*part, rows_at_once):
            digested = with_digests(piece, files)
            small = [name for name in digested.column_names if name not in LARGE_COLUMNS]
            pieces.append(digested.select(small))
    rows: dict[tuple[str, str], Row] = {}
    for row in _read_ranges(output, ALBUMS, albums_out().names, job.previous):
        rows[row["album"], row["input_digest"]] = row
    letters: dict[tuple[str, str], dict[DeadLetter, None]] = {}
    for letter in _read_ranges(output, DEAD, dead_letters().names, job.previous_letters):
        digest = letter.pop("input_digest")
        letters.setdefault((letter["album"], digest), {})[DeadLetter(**letter)] = None
    kept: list[AlbumResult] = []
    changed: list[tuple[int, int]] = []
    start = 0
    for album, part in split_albums(concat_tables(pieces)):
        digest = album_digest(basis, part)
        if digest is not None and (album, digest) in rows:
            row = rows[album, digest] | carried_values(part)
            kept.append((row, list(letters.get((album, digest), ()))))
        else:
            changed.append((start, start + part.num_rows))
        start += part.num_rows
    return kept, tuple(_sub_ranges(job.ranges, changed))


def _sub_ranges(ranges: Sequence[Range], spans: Sequence[tuple[int, int]]) -> Iterator[Range]:
    """Some rows of a job, by their positions in it, as ranges."""
    before = 0
    for file, start, rows in ranges:
        for first, last in spans:
            low, high = max(first - before, 0), min(last - before, rows)
            if low < high:
                yield file, start + low, high - low
        before += rows


def _read_ranges(
    output: Storage, folder: str, columns: Sequence[str], ranges: Sequence[Range]
) -> Iterator[dict[str, Any]]:
    """Some rows of the output; ids of albums as text."""
    names = output.names(folder, recursive=True)
    for number in dict.fromkeys(file for file, _, _ in ranges):
        with _open_part(output, f"{folder}/{names[number]}") as opened:
            about, before = opened.metadata, 0
            for group in range(about.num_row_groups):
                rows = about.row_group(group).num_rows
                wanted = [(max(start - before, 0), min(start + count - before, rows))
                          for file, start, count in ranges if file == number]  # fmt: skip
                wanted = [(low, high) for low, high in wanted if low < high]
                if wanted:
                    table = opened.read_row_group(group, columns=list(columns), use_threads=False)
                    for low, high in wanted:
                        part = table.slice(low, high - low)
                        ids = _texts(part.column("album"))
                        for album, row in zip(ids, part.to_pylist(), strict=True):
                            yield row | {"album": album}
                before += rows


def _open_part(output: Storage, name: str) -> Any:
    """A file of the output."""
    from pyarrow import parquet

    path = output.path(name)
    with store_errors(path):
        try:
            return parquet.ParquetFile(output.fs.open_input_file(path))
        except arrow().ArrowInvalid:
            raise FileError(
                f"{path} is damaged: delete it and summary.json, and repeat the command"
            ) from None


def _texts(column: Any) -> list[str]:
    if not arrow().types.is_string(column.type):
        column = column.cast(arrow().string())
    return [name or "" for name in text_values(column)]


class _Index:
    """Where the albums of an earlier run are, in 16 bytes for each."""

    def __init__(self, output: Storage, folder: str) -> None:
        hashes, files, rows = array("Q"), array("i"), array("i")
        for number, name in enumerate(output.names(folder, recursive=True)):
            with _open_part(output, f"{folder}/{name}") as opened:
                albums = _texts(opened.read(columns=["album"], use_threads=False).column("album"))
            hashes.extend(map(hash_album, albums))
            files.extend([number] * len(albums))
            rows.extend(range(len(albums)))
        self._hashes = np.frombuffer(hashes, np.uint64) if hashes else np.zeros(0, np.uint64)
        self._order = np.argsort(self._hashes, kind="stable")
        self._hashes = self._hashes[self._order]
        self._files, self._rows = files, rows

    def ranges(self, hashes: Sequence[int]) -> tuple[Range, ...]:
        """The rows of these albums."""
        wanted = np.array(hashes, np.uint64)
        first = np.searchsorted(self._hashes, wanted, side="left")
        last = np.searchsorted(self._hashes, wanted, side="right")
        spans = [self._order[a:b] for a, b in zip(first, last, strict=True) if a < b]
        result: list[Range] = []
        for position in sorted(int(n) for span in spans for n in span):
            file, row = self._files[position], self._rows[position]
            if result and result[-1][0] == file and sum(result[-1][1:]) == row:
                result[-1] = (file, result[-1][1], result[-1][2] + 1)
            else:
                result.append((file, row, 1))
        return tuple(result)


def attach_previous(
    grouping: Grouping, output: Storage, source: Source, basis: str, files: PhotoFiles
) -> None:
    """Tell each job where an earlier run has put its albums; large ones are compared here."""
    if not output.names(ALBUMS, recursive=True):
        return
    albums, letters = _Index(output, ALBUMS), _Index(output, DEAD)

    def informed(job: Job, hashes: Sequence[int]) -> Job:
        return replace(job, previous=albums.ranges(hashes), previous_letters=letters.ranges(hashes))

    jobs: list[Job] = []
    large: dict[str, list[Job]] = {}
    hash_of: dict[str, int] = {}
    position = 0
    for job in grouping.jobs:
        if job.kind == "albums":
            jobs.append(informed(job, grouping.hashes[position : position + job.albums]))
            position += job.albums
            continue
        if job.join_name not in large:
            hash_of[job.join_name] = grouping.hashes[position]
            position += 1
        large.setdefault(job.join_name, []).append(job)
    joins = []
    for join in grouping.joins:
        slices = large[join.name]
        ranges = tuple(part for job in slices for part in job.ranges)
        whole = replace(join, kind="albums", ranges=ranges, slices=())
        whole = informed(whole, [hash_of[join.name]])
        if not find_unchanged(whole, source, output, basis, files, rows_at_once=_LARGE_ROWS)[1]:
            jobs.append(whole)
        else:
            jobs += slices
            joins.append(join)
    grouping.jobs, grouping.joins = jobs, joins


def add_kept(table: Any, kept: Sequence[AlbumResult]) -> Any:
    """Scored rows with the results that need no new plan."""
    if not kept:
        return table
    carried = [field for field in table.schema if field.name.startswith(CARRIED)]
    rows = rows_table([row for row, _ in kept], carried)
    letters = json.dumps([[letter._asdict() for letter in letters] for _, letters in kept])
    metadata = {_KEPT: pack(rows).to_pybytes(), _KEPT_LETTERS: letters.encode()}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **metadata})


def read_kept(table: Any) -> list[AlbumResult]:
    """The results that need no new plan."""
    metadata = table.schema.metadata or {}
    if _KEPT not in metadata:
        return []
    letters = json.loads(metadata[_KEPT_LETTERS])
    kept = unpack(metadata[_KEPT]).combine_chunks()
    names = albums_out().names
    carried = [name for name in kept.column_names if name not in names]
    results: list[AlbumResult] = []
    for number, row in enumerate(kept.select(names).to_pylist()):
        values = {name: kept.column(name).chunk(0).slice(number, 1) for name in carried}
        results.append((row | values, [DeadLetter(**letter) for letter in letters[number]]))
    return results
