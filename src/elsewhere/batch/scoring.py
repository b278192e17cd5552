"""Photos → partial rows: decoded in limited workers, scored by warm sessions, both at once.

One of these lives as long as the worker that it is in. A photo that cannot be read, decoded or
scored costs itself: its row says why, and its scores are empty. What every photo would meet, a
store that is away or a full disk, costs none of them and ends the run.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.crash_blame import Attempt
from elsewhere.batch.input_rows import (
    LOST,
    MangledText,
    attackers_metadata,
    carried_columns,
    concat_tables,
    text_values,
)
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import LARGE_COLUMNS
from elsewhere.batch.storage import HaltError, Storage
from elsewhere.errors import ElsewhereError, FileError, InputError
from elsewhere.service import MAX_BYTES, Device, PhotoOutcome, PhotoScorer

_log = logging.getLogger(__name__)
_MAX_FOLDERS = 16
"""Folders outside the dataset that are kept open."""
CHUNK_ROWS = 16
"""Photos whose bytes are taken out of the dataset together."""


class RowScorer(AbstractContextManager["RowScorer"]):
    """Photos of a dataset's rows, scored; use it in a `with` block."""

    def __init__(
        self,
        scorers: tuple[str, ...],
        max_side: int | None,
        input: str,
        *,
        threads: int = 1,
        device: Device = "auto",
    ) -> None:
        # one worker more than threads: while a photo is scored the next one is decoded
        self._scorer = PhotoScorer(scorers, max_side, workers=threads + 1, device=device)
        self.attackers = self._scorer.models
        self._photos = _PhotoFinder(input)
        self._threads = ThreadPoolExecutor(threads + 1, thread_name_prefix="elsewhere-batch")
        self._max_pending = 2 * (threads + 1)

    @classmethod
    def of(cls, settings: Settings) -> RowScorer:
        """As a run's settings have it."""
        return cls(settings.scorers, settings.max_side, settings.input, device=settings.device)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._scorer.close()

    def __call__(
        self, pieces: Iterable[Any], skip_reason: str = "", attempt: Attempt | None = None
    ) -> Any:
        """The same photos with scores instead of pixels, as a table in the same order.

        They come as tables of a few rows, for rows may hold photos. `hopeless` is why they are
        not looked at at all, where that killed whoever tried; `tried` knows of single albums.
        """
        pa = arrow()
        small: list[Any] = []
        rows = _rows(pieces, small)
        if skip_reason:
            outcomes = [PhotoOutcome(kind="crash", reason=skip_reason) for _ in rows]
        elif attempt is not None and attempt.careful:
            outcomes = [self._score_carefully(row, attempt) for row in rows]
        else:
            outcomes = list(self._score_in_order(rows))
        columns = carried_columns(concat_tables(small))
        for name in ("metadata", "digest", "kind", "reason"):
            columns[name] = pa.array([getattr(outcome, name) for outcome in outcomes], pa.string())
        for number, attacker in enumerate(self.attackers):
            cells = attacker.about.cells
            zeros = np.zeros(cells, np.float32)
            scores = [outcome.rows[number] if outcome.rows else zeros for outcome in outcomes]
            flat = np.concatenate(scores) if scores else np.zeros(0, np.float32)
            columns[f"scores_{number}"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), cells)
        return pa.table(columns).replace_schema_metadata(attackers_metadata(self.attackers))

    def _score_in_order(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[PhotoOutcome]:
        """In order; a few photos are under way at once, and what is held of each is its row."""
        pending: deque[Future[PhotoOutcome]] = deque()
        for row in rows:
            pending.append(self._threads.submit(self._score_row, row))
            if len(pending) >= self._max_pending:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _score_carefully(self, row: Mapping[str, Any], attempt: Attempt) -> PhotoOutcome:
        """One photo and no other meanwhile: whoever dies of it has said of which album it is."""
        album = str(row["album"] or "")
        reason = attempt.reason_to_skip(album)
        if reason is not None:
            return PhotoOutcome(kind="crash", reason=reason)
        attempt.start_album(album)
        return self._score_row(row)

    def _score_row(self, row: Mapping[str, Any]) -> PhotoOutcome:
        name = row["photo"] or ""
        if row.get(LOST):
            return PhotoOutcome(kind="damaged", reason=row[LOST])
        try:
            path, content = self._locate(row)
            return self._scorer.score(name, path, content)
        except HaltError:
            raise
        except ElsewhereError as problem:
            return PhotoOutcome(kind="unreadable", reason=str(problem))
        except Exception as problem:  # a bug must cost this photo and no other
            _log.debug("photo %r", name, exc_info=True)
            reason = f"a mistake of ours ({type(problem).__name__}) kept it from being looked at"
            return PhotoOutcome(kind="crash", reason=f"{reason}: please report it")

    def _locate(self, row: Mapping[str, Any]) -> tuple[Path, bytes | None]:
        """The photo's file; or a name for it and its bytes, where it is none on this machine.

        Such bytes never become a file: a run that is killed could not take it away again.
        """
        path, content = row.get("path"), row.get("content")
        if content is None and not path:
            raise InputError("neither a path nor its content is given: give one of them")
        if content is None and (isinstance(path, MangledText) or "\0" in str(path)):
            raise InputError("its path is none that a file can have: write it as it is")
        if content is None:
            storage, name = self._photos.find(str(path))
            if storage.is_local:
                return Path(storage.path(name)), None
            content = self._photos.read(storage, name, MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(f"it has more than {MAX_BYTES >> 20} MiB: make it smaller")
        suffix = Path(str(path or row["photo"] or "")).suffix[:8].replace("\0", "")
        return Path(f"photo{suffix}"), content


def _rows(pieces: Iterable[Any], small: list[Any]) -> Iterator[dict[str, Any]]:
    """What is needed to look at each photo; `kept` gets the rest of each piece."""
    for piece in pieces:
        names = piece.column_names
        small.append(piece.select([name for name in names if name not in LARGE_COLUMNS]))
        wanted = [name for name in ("album", "photo", "path", "content", LOST) if name in names]
        for start in range(0, piece.num_rows, CHUNK_ROWS):
            chunk = piece.select(wanted).slice(start, CHUNK_ROWS)
            columns = [text_values(chunk.column(name)) for name in wanted]
            for row in zip(*columns, strict=True):
                yield dict(zip(wanted, row, strict=True))


class _PhotoFinder:
    """Where photos lie: below the dataset's own folder, wherever that is, or where they say."""

    def __init__(self, dataset: str) -> None:
        self._input = storage = Storage(dataset)
        self._dataset = storage.parent_folder() if storage.is_file() else storage
        self._folder = lru_cache(maxsize=_MAX_FOLDERS)(Storage)  # to open one may take a connection

    def find(self, path: str) -> tuple[Storage, str]:
        """A filesystem, and the photo's name on it."""
        if "://" not in path and not Path(path).is_absolute():
            return self._dataset, path
        if "://" not in path:
            return self._folder(str(Path(path).parent)), Path(path).name
        if path.startswith("http") or "::" in path:  # of these only the whole address is known
            return Storage(path), ""
        address, mark, options = path.partition("?")
        folder, _, name = address.rpartition("/")
        return self._folder(f"{folder}{mark}{options}"), name

    def read(self, storage: Storage, name: str, most: int) -> bytes:
        """A photo's bytes; HaltError where it is not the photo's fault that there are none.

        A photo may be missing, or lie where nobody answers, and costs itself. But where not even
        the dataset can be asked for any more, none could be read, and each would be blamed.
        """
        try:
            return storage.read(name, most)
        except FileError:
            try:
                self._input.is_file()
            except FileError as away:
                raise HaltError(f"{away}; the same command goes on when it can be") from None
            raise
