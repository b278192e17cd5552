"""Many photos through one scorer: with all cores, in order, in constant memory.

As many threads as cores each take one photo all the way: read, look up, decode, infer, store.
Decoding and inference both release the interpreter. Only a few photos are in progress at once; what
remains of each is its row. A photo that cannot be read costs itself, not the run.

Rows are cached on disk; of scorers that make features, the features, from which a row is made anew:
they are small, and all scorers that share them share their entries. Either says where a photo was
taken, so the cache is private (0700 and 0600) and keyed: an entry's name is an HMAC of the photo's
bytes under a random key that never leaves this folder. Without the key nobody can ask the cache
whether a photo was ever scored here. Entries are sealed with the same key, so a damaged or foreign
one is ignored and computed anew. Where the cache cannot be used, scoring goes on without it.
"""

from __future__ import annotations

import hmac
import os
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import DeviceError, ElsewhereError, FileError
from elsewhere.platform.files import write_whole
from elsewhere.platform.machine import user_folder, worker_count
from elsewhere.platform.threads import ThreadPool
from elsewhere.scorers.protocol import Features, FeatureScorer, Photo, Row, Scorer, check_row
from elsewhere.values.scores import Scores

_LIBRARIES = ("elsewhere", "onnxruntime", "pillow", "pi-heif", "numpy", "torch", "transformers")
"""Libraries whose updates may change a row's last bits."""


@dataclass(frozen=True)
class ScoredPhoto:
    """The row of one photo, or the sentence that says why there is none."""

    photo: Photo
    row: Row | None
    problem: str = ""
    cached: bool = False
    features: Features | None = None
    """What the row was made from, where the scorer makes features."""


class CachedScorer:
    """One loaded scorer with its cache: call it with a photo, from any thread."""

    def __init__(self, scorer: Scorer, cache: RowCache | None = None) -> None:
        self.about = scorer.load()
        self._scorer = scorer
        self._cache = cache if self.about.cacheable else None
        if self._cache is not None:
            # what besides the photo decides the bits: the scorer and the libraries under it
            made = self.about.features
            parts = [self.about.fingerprint, self.about.grid]
            if made is not None:
                parts = ["features", made.fingerprint]
            for library in _LIBRARIES:
                try:
                    parts.append(f"{library} {version(library)}")
                except PackageNotFoundError:
                    parts.append(f"{library} none")
            self._context = "\n".join(parts)

    def __call__(self, photo: Photo) -> ScoredPhoto:
        """The outcome of one photo; a problem of its own comes back as a sentence."""
        cache, about, made = self._cache, self.about, self.about.features
        without_bytes, key, known = Photo(photo.name, photo.path), "", None
        try:
            if cache is not None:
                photo = photo.read()
                key = cache.key(photo.content(), self._context)
                known = cache.get(key, about.cells if made is None else made.width)
            if made is None:
                features, row = None, known if known is not None else self._scorer.score(photo)
            else:
                scorer = cast(FeatureScorer, self._scorer)
                features = known if known is not None else scorer.features(photo)
                row = scorer.row(features)
            check_row(row, about.cells, about.name, photo.name)
        except DeviceError:
            raise
        except ElsewhereError as problem:
            return ScoredPhoto(without_bytes, None, str(problem))
        if cache is not None and known is None:
            cache.put(key, row if features is None else features)
        return ScoredPhoto(without_bytes, row, cached=known is not None, features=features)


def each(
    scorer: Scorer,
    photos: Iterable[Photo],
    *,
    cache: RowCache | None = None,
    threads: int | None = None,
) -> Iterator[ScoredPhoto]:
    """The outcome of every photo, in the order given, as soon as it and those before are done."""
    cached_scorer = CachedScorer(scorer, cache)
    count = threads or worker_count()
    in_progress: deque[Future[ScoredPhoto]] = deque()
    pool = ThreadPool(count)
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
    progress: Callable[[ScoredPhoto], None] = lambda outcome: None,
) -> tuple[Scores, tuple[ScoredPhoto, ...]]:
    """Scores of all photos that can be scored, and the outcomes of those that cannot.

    `progress` is called with each outcome as it comes. When no photo at all can
    be scored, a FileError says why.
    """
    about = scorer.load()
    rows = np.empty((len(photos), about.cells), dtype=np.float32)
    ids: list[str] = []
    failed: list[ScoredPhoto] = []
    for outcome in each(scorer, photos, cache=cache, threads=threads):
        if outcome.row is None:
            failed.append(outcome)
        else:
            rows[len(ids)] = outcome.row
            ids.append(outcome.photo.name)
        progress(outcome)
    if not ids:
        if not failed:
            raise FileError("there is no photo to score: give at least one")
        of_the_first = f"none of the {len(failed)} photos can be scored; of the first, "
        raise FileError((of_the_first if len(failed) > 1 else "") + failed[0].problem)
    if failed:
        rows = rows[: len(ids)].copy()
    rows.flags.writeable = False
    scores = Scores(rows, ids, scorer=about.fingerprint, grid=about.grid, points=about.points)
    return scores, tuple(failed)


CAP_BYTES = 64 * 1024 * 1024
"""Most disk space that rows may take: about 16,000 photos over 512 cells."""
_BLOCK_BYTES = 4096
"""A small file takes a block of the disk, whatever its length."""
_KEY_BYTES = _SEAL_BYTES = 32


@dataclass(eq=False)
class RowCache:
    """Rows (or features) by photo and scorer; the least recently used go first. Thread-safe."""

    folder: Path = field(default_factory=lambda: user_folder("cache"))
    cap: int = CAP_BYTES
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _size: int | None = field(default=None, init=False)
    _secret: bytes | None = field(default=None, init=False)
    _usable: bool = field(default=True, init=False)

    def key(self, content: bytes, context: str) -> str:
        """The name of the entry for a photo's bytes, as scored in `context` (scorer, versions)."""
        secret = self._get_secret()
        if not secret:
            return ""
        inner = hmac.new(secret, content, "sha256").digest()
        return hmac.new(secret, inner + context.encode(), "sha256").hexdigest()

    def get(self, key: str, width: int) -> NDArray[np.float32] | None:
        """The row of `width` numbers under `key`; None when there is none, or it is damaged."""
        body = self.get_bytes(key)
        if body is None or len(body) != 4 * width:
            return None
        return np.frombuffer(body, dtype="<f4").astype(np.float32)

    def put(self, key: str, row: NDArray[np.float32]) -> None:
        """Store `row` under `key`, as `put_bytes` does."""
        self.put_bytes(key, row.astype("<f4").tobytes())

    def get_bytes(self, key: str) -> bytes | None:
        """The bytes under `key`; None when there are none, or they are damaged."""
        secret = self._get_secret()
        if not secret or not key:
            return None
        path = self.folder / "rows" / key[:2] / key[2:]
        try:
            content = path.read_bytes()
            seal, body = content[:_SEAL_BYTES], content[_SEAL_BYTES:]
            expected = hmac.digest(secret, b"row " + key.encode() + body, "sha256")
            if not hmac.compare_digest(seal, expected):
                return None
            os.utime(path)  # now the most recently used
        except OSError:
            return None
        return body

    def put_bytes(self, key: str, body: bytes) -> None:
        """Store `body` under `key`, and delete old entries when their size passes the cap.

        A full disk or a missing folder only ends the caching.
        """
        secret = self._get_secret()
        if not secret or not key:
            return
        seal = hmac.digest(secret, b"row " + key.encode() + body, "sha256")
        path = self.folder / "rows" / key[:2] / key[2:]
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            # the seal shows a row that a power cut damaged, so it need not be flushed
            write_whole(path, seal + body, private=True, lasting=False)
            with self._lock:
                if self._size is None:
                    self._size = sum(size for _, size, _ in _rows(self.folder))
                else:
                    self._size += -(-len(seal + body) // _BLOCK_BYTES) * _BLOCK_BYTES
                if self._size > self.cap:
                    rows = sorted(_rows(self.folder), key=lambda row: row[2])
                    self._size = sum(size for _, size, _ in rows)
                    for old, size, _ in rows:
                        if self._size <= self.cap * 0.9:  # not every row costs a sweep
                            break
                        old.unlink(missing_ok=True)
                        self._size -= size
        except OSError:
            self._usable = False

    def _get_secret(self) -> bytes:
        """The local random key, made when first needed; empty when the folder cannot be used.

        A damaged key is replaced, and its rows are then never found.
        """
        with self._lock:
            if self._secret is not None:
                return self._secret if self._usable else b""
            self._secret = b""
            with suppress(OSError):
                for private in (self.folder, self.folder / "rows"):
                    private.mkdir(mode=0o700, parents=True, exist_ok=True)
                    private.chmod(0o700)
                path = self.folder / "key"
                with suppress(FileNotFoundError):
                    path.chmod(0o600)
                    if len(path.read_bytes()) != _KEY_BYTES:
                        path.unlink()
                if not path.exists():
                    # Linked into place, not replaced: of two processes that start at once, one
                    # key wins.
                    part = self.folder / f".key.{secrets.token_hex(4)}"
                    write_whole(part, secrets.token_bytes(_KEY_BYTES), private=True)
                    try:
                        path.hardlink_to(part)
                    except FileExistsError:
                        pass
                    except OSError:  # a disk without links
                        part.replace(path)
                    finally:
                        part.unlink(missing_ok=True)
                self._secret = path.read_bytes()
            return self._secret


def clear(root: Path | None = None) -> int:
    """Delete every row, the key and all other cached files; returns the number of rows.

    Only files that this module makes are touched, in case the folder was set to a wrong one.
    """
    folder = root or user_folder("cache")
    count = 0
    try:
        for path, _, _ in _rows(folder):
            path.unlink(missing_ok=True)
            count += 1
        partial = [*folder.glob("rows/*/.*"), *folder.glob("features/.*"), *folder.glob(".*key.*")]
        for path in [*partial, *folder.glob("features/*.npz"), folder / "key"]:
            path.unlink(missing_ok=True)
        for empty in [*folder.glob("rows/*"), folder / "rows", folder / "features", folder]:
            with suppress(OSError):  # not empty: something in it is not ours
                empty.rmdir()
    except OSError as problem:
        raise FileError(
            f"the cache in {folder} cannot be cleared ({problem.strerror or problem}): "
            "check its permissions"
        ) from None
    return count


def disk_usage(root: Path | None = None) -> tuple[int, int]:
    """The number of rows, and how many bytes of the disk they take."""
    sizes = [size for _, size, _ in _rows(root or user_folder("cache"))]
    return len(sizes), sum(sizes)


def _rows(folder: Path) -> Iterator[tuple[Path, int, float]]:
    """Every row's path, size on the disk and time of last use."""
    for shard in sorted(folder.glob("rows/[0-9a-f][0-9a-f]")):
        with suppress(OSError), os.scandir(shard) as entries:
            for entry in entries:
                with suppress(OSError):
                    if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        size = -(-status.st_size // _BLOCK_BYTES) * _BLOCK_BYTES
                        yield Path(entry.path), size, status.st_mtime
