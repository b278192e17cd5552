"""Photos → partial rows: decoded in limited workers, scored by warm sessions, both at once.

One of these lives as long as the worker that it is in. A photo that cannot be read, decoded or
scored costs itself: its row says why, and its scores are empty.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from elsewhere.album.companions import notes_in
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.jpeg import NotJpegError, size_if_bare
from elsewhere.album.left import KINDS
from elsewhere.album.names import shortened
from elsewhere.album.workers import Reply, Workers
from elsewhere.batch.partial import Attacker, carried, told
from elsewhere.batch.schemas import arrow
from elsewhere.batch.storage import Storage
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.scorers import Line, Photo, Row, find
from elsewhere.scorers.sessions import Device, run_on

_FOLDERS = 16
"""Folders of which it is remembered which notes lie in them."""
_AT_A_TIME = 64
"""Photos whose bytes are taken out of the dataset together."""


@dataclass(frozen=True)
class _Looked:
    """What became of one photo."""

    rows: tuple[Row, ...] = ()
    metadata: str = ""
    digest: str = ""
    kind: str = ""
    """Empty, or the word for what went wrong."""
    reason: str = ""


class Look:
    """Warm workers and sessions; use it in a `with` block."""

    def __init__(
        self,
        scorers: tuple[str, ...],
        max_side: int | None,
        input: str,
        *,
        threads: int = 1,
        device: Device = "auto",
    ) -> None:
        words = tuple(dict.fromkeys(scorers))
        if not words:
            raise InputError("no scorer was given: name at least one, such as embedded")
        # one more than threads: while a photo is scored the next one is decoded
        self._workers = Workers("elsewhere.album.reading:read", count=threads + 1)
        try:
            run_on(device)
            self._lines = tuple(Line(find(word)) for word in words)
        except BaseException:
            self._workers.close()
            raise
        self.attackers = tuple(
            Attacker(word, line.about) for word, line in zip(words, self._lines, strict=True)
        )
        self._max_side = max_side
        self._base = _folder(input)
        self._notes = lru_cache(maxsize=_FOLDERS)(notes_in)
        self._threads = ThreadPoolExecutor(threads + 1, thread_name_prefix="elsewhere-batch")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._workers.close()

    def __call__(self, rows: Any, hopeless: str | None = None) -> Any:
        """The same photos with scores instead of pixels, as a table in the same order.

        `hopeless` is why they are not looked at at all, where that killed whoever tried.
        """
        pa = arrow()
        if hopeless is None:
            looked = self._looked(rows)
        else:
            looked = [_Looked(kind="crash", reason=hopeless)] * rows.num_rows
        columns = carried(rows)
        for name in ("metadata", "digest", "kind", "reason"):
            columns[name] = pa.array([getattr(one, name) for one in looked], pa.string())
        for number, attacker in enumerate(self.attackers):
            cells = attacker.about.cells
            nothing = np.zeros(cells, np.float32)
            each = [one.rows[number] if one.rows else nothing for one in looked]
            flat = np.concatenate(each) if each else np.zeros(0, np.float32)
            columns[f"scores_{number}"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), cells)
        return pa.table(columns).replace_schema_metadata(told(self.attackers))

    def _looked(self, rows: Any) -> list[_Looked]:
        """A few photos at a time: what is held of each is its row."""
        wanted = [name for name in ("photo", "path", "content") if name in rows.column_names]
        found: list[_Looked] = []
        for start in range(0, rows.num_rows, _AT_A_TIME):
            part = rows.select(wanted).slice(start, _AT_A_TIME).to_pylist()
            found += self._threads.map(self._one, part)
        return found

    def _one(self, row: Mapping[str, Any]) -> _Looked:
        name = row["photo"] or ""
        try:
            with self._file(row) as (path, notes):
                request: dict[str, Any] = {
                    "path": str(path),
                    "sidecars": [str(note) for note in notes],
                    "max_side": self._max_side,
                    "pixels": MAX_PIXELS,
                }
                reply = self._workers.ask(request)
            return self._scored(name, reply)
        except ElsewhereError as problem:
            return _Looked(kind="unreadable", reason=str(problem))

    def _scored(self, name: str, reply: Reply) -> _Looked:
        """A worker's answer, believed as far as it can be checked, as every scorer sees it."""
        if reply.failed or len(reply.blobs) != 1:
            kind = reply.failed if reply.failed in KINDS else "crash"
            return _Looked(
                kind=kind, reason=shortened(str(reply.told.get("detail", ""))) or KINDS[kind]
            )
        content = reply.blobs[0]
        try:
            size_if_bare(content)
        except NotJpegError as problem:
            return _Looked(kind="crash", reason=f"its rendition is not a bare picture: {problem}")
        made = []
        for line in self._lines:
            outcome = line(Photo(name, Path(name), content))
            if outcome.row is None:
                return _Looked(kind="unscored", reason=outcome.problem)
            made.append(outcome.row)
        metadata = json.dumps(reply.told.get("metadata"))
        return _Looked(tuple(made), metadata, sha256(content).hexdigest())

    @contextmanager
    def _file(self, row: Mapping[str, Any]) -> Iterator[tuple[Path, tuple[Path, ...]]]:
        """The photo as a file that a worker can open, and the notes that lie beside it.

        What is not a file is one while it is read; beside that nothing lies.
        """
        path, content = row.get("path"), row.get("content")
        if content is None and path and "://" not in path:
            file = self._base / path if self._base else Path(path).absolute()
            yield file, self._notes(file.parent).get(file.name, ())
            return
        if content is None and not path:
            raise InputError("neither a path nor its content is given: give one of them")
        if content is None:
            content = Storage(str(path)).read("")
        ending = Path(str(path or row["photo"] or "")).suffix[:8]
        with tempfile.TemporaryDirectory(prefix="elsewhere-batch-") as folder:
            file = Path(folder, f"photo{ending}")
            file.write_bytes(content)
            yield file, ()


def _folder(input: str) -> Path | None:
    """Where paths of photos begin: beside the dataset, if that lies here."""
    if "://" in input:
        return None
    where = Path(input).absolute()
    return where.parent if where.is_file() else where
