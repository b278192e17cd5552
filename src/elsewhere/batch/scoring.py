"""Photos → partial rows: decoded in limited workers, scored by warm sessions, both at once.

A scorer lives as long as its worker. A photo that cannot be read, decoded or scored costs only
itself: its row gives the reason, and its scores are empty. What every photo would meet, such as an
unreachable store or a full disk, ends the run.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.crash_blame import Attempt
from elsewhere.batch.input_rows import (
    CARRIED,
    CARRIED_COLUMNS,
    LOST,
    VIEWS,
    MangledText,
    attackers_metadata,
    concat_tables,
    text_values,
)
from elsewhere.batch.photo_files import PhotoFiles
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import LARGE_COLUMNS
from elsewhere.batch.storage import HaltError, Storage
from elsewhere.batch.unchanged import with_digests
from elsewhere.errors import DeviceError, ElsewhereError, FileError, InputError
from elsewhere.platform.threads import ThreadPool
from elsewhere.service import MAX_BYTES, PhotoOutcome, PhotoScorer

_log = logging.getLogger(__name__)
_MAX_PENDING = 2  # photos under way at once, for each thread
CHUNK_ROWS = 16  # photos whose bytes are read together


class RowScorer(AbstractContextManager["RowScorer"]):
    """Scores the photos of a dataset's rows; use it in a `with` block."""

    def __init__(self, settings: Settings) -> None:
        # two workers: the next photo is decoded while one is scored; a GPU is fed by more
        self._scorer = PhotoScorer(
            settings.scorers,
            settings.max_side,
            workers=settings.decoders,
            gpu=settings.gpu,
        )
        self.attackers = self._scorer.models
        self._files = PhotoFiles(settings.input)
        # with a GPU as many photos wait for its next batch as are being decoded
        threads = 2 * settings.decoders if settings.gpu else settings.decoders
        self._threads = ThreadPool(threads)
        self._pending = _MAX_PENDING * threads

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._scorer.close()

    def __call__(
        self, pieces: Iterable[Any], skip_reason: str = "", attempt: Attempt | None = None
    ) -> Any:
        """A table of the same photos, in order, with scores instead of pixels.

        `pieces` are small tables, for rows may hold photos. With `skip_reason` nothing is scored;
        `attempt` knows which albums to skip.
        """
        pa = arrow()
        small: list[Any] = []
        digested = (with_digests(piece, self._files) for piece in pieces)
        rows = _rows(digested, small)
        if skip_reason:
            outcomes = [PhotoOutcome(kind="crash", reason=skip_reason) for _ in rows]
        elif attempt is not None and attempt.careful:
            outcomes = [self._score_carefully(row, attempt) for row in rows]
        else:
            outcomes = list(self._score_in_order(rows))
        table = concat_tables(small)
        names = [name for name in CARRIED_COLUMNS if name in table.column_names]
        names += [name for name in table.column_names if name.startswith(CARRIED)]
        columns = {name: table.column(name) for name in names}
        for name in ("metadata", "digest", "kind", "reason"):
            columns[name] = pa.array([getattr(outcome, name) for outcome in outcomes], pa.string())
        for number, attacker in enumerate(self.attackers):
            made = attacker.about.features  # much smaller than the scores that are made of them
            width = attacker.about.cells if made is None else made.width
            prefix = "scores" if made is None else "features"
            zeros = np.zeros(width, np.float32)
            numbers = [outcome.rows[number] if outcome.rows else zeros for outcome in outcomes]
            flat = np.concatenate(numbers) if numbers else np.zeros(0, np.float32)
            columns[f"{prefix}_{number}"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), width)
        if self._scorer.keeps_views:
            columns[VIEWS] = pa.array([outcome.view for outcome in outcomes], pa.large_binary())
        return pa.table(columns).replace_schema_metadata(attackers_metadata(self.attackers))

    def _score_in_order(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[PhotoOutcome]:
        """Score several photos at once; the results come in order."""
        pending: deque[Future[PhotoOutcome]] = deque()
        for row in rows:
            pending.append(self._threads.submit(self._score_row, row))
            if len(pending) >= self._pending:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _score_carefully(self, row: Mapping[str, Any], attempt: Attempt) -> PhotoOutcome:
        """Score one photo alone, so that a death can be blamed on its album."""
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
        except (HaltError, DeviceError):
            raise
        except ElsewhereError as problem:
            return PhotoOutcome(kind="unreadable", reason=str(problem))
        except Exception as problem:  # a bug must cost this photo and no other
            _log.debug("photo %r", name, exc_info=True)
            reason = f"a mistake of ours ({type(problem).__name__}) kept it from being looked at"
            return PhotoOutcome(kind="crash", reason=f"{reason}: please report it")

    def _locate(self, row: Mapping[str, Any]) -> tuple[Path, bytes | None]:
        """The photo's local file; or a name and its bytes.

        The bytes never become a file, which a killed run could not delete.
        """
        path, content = row.get("path"), row.get("content")
        if content is None and not path:
            raise InputError("neither a path nor its content is given: give one of them")
        if content is None and (isinstance(path, MangledText) or "\0" in str(path)):
            raise InputError("its path cannot be a path of a file: write it as it is on the disk")
        if content is None:
            storage, name = self._files.find(str(path))
            if storage.is_local:
                return Path(storage.path(name)), None
            content = self._read(storage, name)
        if len(content) > MAX_BYTES:
            raise InputError(f"it has more than {MAX_BYTES >> 20} MiB: make it smaller")
        suffix = Path(str(path or row["photo"] or "")).suffix[:8].replace("\0", "")
        return Path(f"photo{suffix}"), content

    def _read(self, storage: Storage, name: str) -> bytes:
        """A photo's bytes; HaltError where the dataset itself cannot be reached any more.

        Then no photo could be read, and each would be blamed.
        """
        try:
            return storage.read(name, MAX_BYTES + 1)
        except FileError:
            try:
                self._files.input.is_file()
            except FileError as away:
                raise HaltError(f"{away}; repeat the command later to resume") from None
            raise


def _rows(pieces: Iterable[Any], small: list[Any]) -> Iterator[dict[str, Any]]:
    """The columns needed to score each photo; `small` collects the small ones of each piece."""
    for piece in pieces:
        names = piece.column_names
        small.append(piece.select([name for name in names if name not in LARGE_COLUMNS]))
        wanted = [name for name in ("album", "photo", "path", "content", LOST) if name in names]
        columns = [text_values(piece.column(name)) for name in wanted]
        for row in zip(*columns, strict=True):
            yield dict(zip(wanted, row, strict=True))
