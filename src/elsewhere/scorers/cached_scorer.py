"""Many photos through one scorer: with all cores, in order, in constant memory.

As many threads as cores each take one photo all the way: read, look up, decode, infer, store.
Decoding and inference both release the interpreter, so while one core decodes another infers. Only
a few photos are in progress at once, whatever the album's size; what remains of each is its row. A
photo that cannot be read costs itself, not the run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from elsewhere.errors import ElsewhereError, FileError
from elsewhere.platform.machine import worker_count
from elsewhere.scorers.cache import RowCache
from elsewhere.scorers.protocol import Photo, Row, Scorer, check_row
from elsewhere.values.scores import Scores

_LIBRARIES = ("elsewhere", "onnxruntime", "pillow", "pi-heif", "numpy", "torch", "transformers")
"""Libraries whose updates may change a row's last bits."""


@dataclass(frozen=True)
class Outcome:
    """The row of one photo, or the sentence that says why there is none."""

    photo: Photo
    row: Row | None
    problem: str = ""
    cached: bool = False


class CachedScorer:
    """One loaded scorer with its cache: call it with a photo, from any thread."""

    def __init__(self, scorer: Scorer, cache: RowCache | None = None) -> None:
        self.about = scorer.load()
        self._scorer = scorer
        self._cache = cache if self.about.cacheable else None
        if self._cache is not None:
            # what besides the photo decides a row's bits: the scorer and the libraries under it
            parts = [self.about.fingerprint, self.about.grid]
            for library in _LIBRARIES:
                try:
                    parts.append(f"{library} {version(library)}")
                except PackageNotFoundError:
                    parts.append(f"{library} none")
            self._context = "\n".join(parts)

    def __call__(self, photo: Photo) -> Outcome:
        """The outcome of one photo; a problem comes back as a sentence."""
        without_bytes, key = Photo(photo.name, photo.path), ""
        try:
            if self._cache is not None:
                photo = photo.read()
                key = self._cache.key(photo.content(), self._context)
                row = self._cache.get(key, self.about.cells)
                if row is not None:
                    return Outcome(without_bytes, row, cached=True)
            row = self._scorer.score(photo)
            row = check_row(row, self.about.cells, self.about.name, photo.name)
        except ElsewhereError as problem:
            return Outcome(without_bytes, None, str(problem))
        if self._cache is not None:
            self._cache.put(key, row)
        return Outcome(without_bytes, row)


def each(
    scorer: Scorer,
    photos: Iterable[Photo],
    *,
    cache: RowCache | None = None,
    threads: int | None = None,
) -> Iterator[Outcome]:
    """The outcome of every photo, in the order given, as soon as it and those before are done."""
    cached_scorer = CachedScorer(scorer, cache)
    count = threads or worker_count()
    in_progress: deque[Future[Outcome]] = deque()
    pool = ThreadPoolExecutor(count, thread_name_prefix="elsewhere-score")
    try:
        for photo in photos:
            in_progress.append(pool.submit(cached_scorer, photo))
            # Twice the threads: none is idle while the oldest photo is still being scored.
            if len(in_progress) >= 2 * count:
                yield in_progress.popleft().result()
        while in_progress:
            yield in_progress.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def score(
    scorer: Scorer,
    photos: Sequence[Photo],
    *,
    cache: RowCache | None = None,
    threads: int | None = None,
    seen: Callable[[Outcome], None] = lambda outcome: None,
) -> tuple[Scores, tuple[Outcome, ...]]:
    """Scores of all photos that can be scored, and the outcomes of those that cannot.

    `seen` is called with each outcome as it comes, for a progress bar. When no photo at all can
    be scored, a FileError says why.
    """
    about = scorer.load()
    rows = np.empty((len(photos), about.cells), dtype=np.float32)
    ids: list[str] = []
    failed: list[Outcome] = []
    for outcome in each(scorer, photos, cache=cache, threads=threads):
        if outcome.row is None:
            failed.append(outcome)
        else:
            rows[len(ids)] = outcome.row
            ids.append(outcome.photo.name)
        seen(outcome)
    if not ids:
        if not failed:
            raise FileError("there is no photo to score: give at least one")
        first = failed[0].problem
        count = len(failed)
        raise FileError(
            first
            if count == 1
            else f"none of the {count} photos can be scored; of the first, {first}"
        )
    return Scores(rows[: len(ids)], ids, scorer=about.fingerprint, grid=about.grid), tuple(failed)
