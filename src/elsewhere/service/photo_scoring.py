"""Single photos, from files or bytes: decoded in limited workers, scored by warm models.

A photo that cannot be read, decoded or scored costs itself: its outcome says why.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.discovery import sidecars_in_folder
from elsewhere.album.files import MAX_BYTES, REASONS, known_kind, one_line
from elsewhere.album.renditions import NotJpegError, size_if_bare
from elsewhere.album.workers import Reply, Workers
from elsewhere.errors import InputError
from elsewhere.scorers import CachedScorer, Photo, Row, ScorerInfo, find
from elsewhere.scorers.sessions import Device, set_device

__all__ = ["MAX_BYTES", "AttackerInfo", "Device", "PhotoOutcome", "PhotoScorer", "ScorerInfo"]

_FOLDERS = 16
"""Folders whose sidecar files are remembered."""


@dataclass(frozen=True)
class PhotoOutcome:
    """The scores of one photo, or the reason why there are none."""

    rows: tuple[Row, ...] = ()
    """One row a model; empty where something went wrong."""
    metadata: str = ""
    """What its file says, as JSON."""
    digest: str = ""
    kind: str = ""
    """Empty, or the kind of what went wrong."""
    reason: str = ""


@dataclass(frozen=True)
class AttackerInfo:
    """One scorer: how it was named, and what is known of it."""

    spec: str
    about: ScorerInfo


class PhotoScorer:
    """Warm workers and models; close it when done."""

    def __init__(
        self, scorers: Sequence[str], max_side: int | None, *, workers: int, device: Device
    ) -> None:
        specs = tuple(dict.fromkeys(scorers))
        if not specs:
            raise InputError("no scorer was given: name at least one, such as embedded")
        self._workers = Workers("elsewhere.album.worker:read", count=workers)
        try:
            set_device(device)
            self._scorers = tuple(CachedScorer(find(spec)) for spec in specs)
        except BaseException:
            self._workers.close()
            raise
        pairs = zip(specs, self._scorers, strict=True)
        self.models = tuple(AttackerInfo(spec, scorer.about) for spec, scorer in pairs)
        self._max_side = max_side
        self._sidecars = lru_cache(maxsize=_FOLDERS)(sidecars_in_folder)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    def score(self, name: str, path: Path, content: bytes | None = None) -> PhotoOutcome:
        """Score the photo at `path`, or `content` under that name; from several threads at once."""
        sidecars = self._sidecars(path.parent).get(path.name, ()) if content is None else ()
        request: dict[str, Any] = {
            "path": str(path),
            "sidecars": [str(sidecar) for sidecar in sidecars],
            "max_side": self._max_side,
            "pixels": MAX_PIXELS,
        }
        return self._scored(name, self._workers.ask(request, content))

    def _scored(self, name: str, reply: Reply) -> PhotoOutcome:
        """A worker's answer, believed as far as it can be checked, scored by every model."""
        if reply.failed or len(reply.blobs) != 1:
            kind = known_kind(reply.failed, "crash")
            detail = one_line(str(reply.answer.get("detail", "")))
            return PhotoOutcome(kind=kind, reason=detail or REASONS[kind])
        content = reply.blobs[0]
        try:
            size_if_bare(content)
        except NotJpegError as problem:
            reason = f"its rendition is not a bare picture: {problem}"
            return PhotoOutcome(kind="crash", reason=reason)
        rows = []
        for scorer in self._scorers:
            outcome = scorer(Photo(name, Path(name), content))
            if outcome.row is None:
                return PhotoOutcome(kind="unscored", reason=outcome.problem)
            rows.append(outcome.row)
        metadata = json.dumps(reply.answer.get("metadata"))
        return PhotoOutcome(tuple(rows), metadata, sha256(content).hexdigest())
