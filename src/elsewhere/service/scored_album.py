"""An album as its attackers see it: read, rendered, and scored by every scorer asked for.

What is scored is the rendition, the very bytes that would be shared. Worker processes render while
threads score. Where nothing will be exported, a rendition is deleted as soon as it is scored, and
reading waits for scoring, so that an album of any size needs little disk.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock

import numpy as np

from elsewhere.album import (
    Album,
    Photo,
    Recipe,
    SkippedFile,
    Step,
    album_workers,
    read_album,
)
from elsewhere.album.files import natural_key
from elsewhere.album.workers import Workers
from elsewhere.errors import InputError, NoPhotoError
from elsewhere.platform.machine import worker_count as cores
from elsewhere.platform.threads import ThreadPool
from elsewhere.scorers import CachedScorer, Photo as Scored, RowCache, ScoredPhoto, ScorerInfo, find
from elsewhere.scorers.protocol import Features, Row
from elsewhere.values.photo_text import PhotoText
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.versions import Edit
from elsewhere.values.wording import listed

_AHEAD = 8
"""So many photos may be rendered before they are scored, for each thread that scores, where no
rendition is kept: none of the threads waits, and what is ahead fits anywhere."""
_BLOCK_ROWS = 256
"""Rows that lie together. A block is large enough to get memory of its own from the system, which
takes it back as soon as it is free; the places of single rows would stay with this process."""


@dataclass(frozen=True)
class ModelScores:
    """One scorer's view of an album."""

    spec: str
    """The scorer as typed: "embedded", "onnx:streets.onnx"."""
    about: ScorerInfo
    scores: Scores
    """One row a photo, in the order of `ScoredAlbum.photos`; its ids are the photos'."""
    cached: int = 0
    """How many of the rows were known already."""
    features: FloatMatrix | None = None
    """What each row was made from, where the scorer makes features."""


MAX_NAMED = 5
"""Files that are named where there is no photo."""


def model_name(spec: str) -> str:
    """A scorer in a sentence for people: a model, whatever is typed for it, and no folder.

    >>> model_name("embedded"), model_name("onnx:models/streets.onnx")
    ('the built-in model', 'the model onnx:streets.onnx')
    """
    if spec == "embedded":
        return "the built-in model"
    kind, colon, file = spec.partition(":")
    return f"the model {kind}{colon}{Path(file).name}"


@dataclass(frozen=True, eq=False)
class PublicVersion:
    """The version of a photo that is public, where it is not the photo as it is."""

    rows: tuple[Row, ...]
    """What each model of the album sees in it."""
    features: tuple[Features | None, ...]
    """What the rows were made from; None where that is not known."""
    edit: Edit | None = None
    """None where it is not known."""


@dataclass(frozen=True)
class ScoredAlbum:
    """An album with what every attacker sees in it; at least one photo and one model."""

    album: Album
    photos: tuple[Photo, ...]
    """Those that every scorer could score, in the album's order."""
    models: tuple[ModelScores, ...]
    skipped: tuple[SkippedFile, ...]
    """Every file that is not among the photos, with its reason."""
    texts: Mapping[str, PhotoText] = field(default_factory=dict)
    """The text of each photo by its name, where the album's text was read."""
    edits: Mapping[str, Edit] = field(default_factory=dict)
    """How photos are edited, by name: their renditions and rows are those of the edited version."""

    def sources(self, number: int) -> tuple[str, ...]:
        """Digests by which a photo is known again in any version: its original, and as it is."""
        photo = self.photos[number]
        as_is = photo.rendition.digest
        if photo.id in self.edits:
            as_is = next(p.rendition.digest for p in self.album.photos if p.id == photo.id)
        return tuple(dict.fromkeys(filter(None, (photo.original, as_is))))

    def close(self) -> None:
        """Forget the renditions; they are gone at the latest when the program ends."""
        self.album.close()


def score_album(
    paths: Iterable[str | Path],
    *,
    scorers: Sequence[str] = ("embedded",),
    recipe: Recipe | None = None,
    workers: Workers | None = None,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
    check_scorers: Callable[[Sequence[tuple[str, ScorerInfo]]], None] = lambda scorers: None,
    check_album: Callable[[Album], None] = lambda album: None,
    keep: bool = True,
    inspect: Callable[[Photo], None] | None = None,
) -> ScoredAlbum:
    """Read folders and files as one album, and score each rendition with every scorer.

    `check_scorers` may refuse the scorers before any photo is read, and `check_album` the album as
    soon as all is read.
    A file that cannot be read or scored costs itself; where none is left, a NoPhotoError says why.
    Whoever reads several albums gives `workers` that are warm already (`album_workers`); who
    exports nothing does not `keep` the renditions, so that any number of photos needs little disk.
    What else is wanted of each is done by `inspect`, while its rendition is there: on the threads
    that score, several at once.
    """
    specs = tuple(dict.fromkeys(scorers))
    if not specs:
        raise InputError("no scorer was given: name at least one, such as embedded")
    with nullcontext(workers) if workers else album_workers() as pool:
        cached_scorers = tuple(
            CachedScorer(find(spec), cache) for spec in specs
        )  # while the workers warm up
        check_scorers(
            [(spec, scorer.about) for spec, scorer in zip(specs, cached_scorers, strict=True)]
        )
        with closing(_Scoring(cached_scorers, progress, inspect, keep=keep)) as scoring:
            album = read_album(paths, recipe=recipe, workers=pool, progress=scoring.read)
            try:
                check_album(album)
                outcomes = scoring.outcomes()
                # a photo that some scorer failed on is no photo of the album
                skipped = [*album.skipped, *scoring.skipped]
                skipped.sort(key=lambda file: natural_key(file.name))
                unscored = {file.name for file in scoring.skipped}
                photos = tuple(photo for photo in album.photos if photo.id not in unscored)
                if not photos:
                    raise NoPhotoError(no_photo_reason(skipped), skipped)
                models = _model_scores(specs, cached_scorers, photos, outcomes)
                return ScoredAlbum(album, photos, models, tuple(skipped))
            except BaseException:
                album.close()
                raise


def rescore_album(
    scored: ScoredAlbum,
    scorers: Sequence[str],
    *,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> ScoredAlbum:
    """The same photos as these scorers see them; what was scored before is not scored again.

    The photos stay the same, by number: a scorer that cannot score each of them raises InputError.
    """
    specs = tuple(dict.fromkeys(scorers))
    models = {model.spec: model for model in scored.models}
    added = [spec for spec in specs if spec not in models]
    cached_scorers = tuple(CachedScorer(find(spec), cache) for spec in added)

    def report(step: Step) -> None:
        progress(replace(step, skipped=()))  # no photo leaves the album

    with closing(_Scoring(cached_scorers, report, None, keep=True)) as scoring:
        outcomes = scoring.score(scored.photos)
    for number, spec in enumerate(added):
        results = [outcomes[photo.id][number] for photo in scored.photos]
        problem = next((result.problem for result in results if result.problem), "")
        if problem:
            raise InputError(
                f"{spec} cannot score every photo, so it cannot be an attacker of this album: "
                f"{problem}"
            )
    for model in _model_scores(added, cached_scorers, scored.photos, outcomes):
        models[model.spec] = model
    return replace(scored, models=tuple(models[spec] for spec in specs))


class _Scoring:
    """Threads that score photos as they come out of the workers."""

    def __init__(
        self,
        cached_scorers: Sequence[CachedScorer],
        progress: Callable[[Step], None],
        inspect: Callable[[Photo], None] | None,
        *,
        keep: bool,
    ) -> None:
        self._scorers = cached_scorers
        self._progress = progress
        self._inspect = inspect
        self._keep = keep
        self._pool = ThreadPool(cores())
        self._under_way: dict[str, Future[list[ScoredPhoto]]] = {}
        self._done: SimpleQueue[Photo] = SimpleQueue()
        self._lock = Lock()
        self._free_rows: list[list[Row]] = [[] for _ in cached_scorers]
        self._finished = 0
        self._expected = 0
        self._total = 0
        self.skipped: list[SkippedFile] = []
        """The photos that some scorer could not score."""

    def close(self) -> None:
        """End the threads; what they have not begun is dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def read(self, step: Step) -> None:
        """Pass on a step of the reading, and begin to score the photo that was read."""
        self._expected = step.total if not step.name else self._expected - len(step.skipped)
        self._progress(step)
        if step.photo is not None:
            self._submit(step.photo)
        self._report(math.inf if self._keep else _AHEAD * cores())

    def score(self, photos: Sequence[Photo]) -> dict[str, list[ScoredPhoto]]:
        """Score photos that were read before."""
        self._expected = self._total = len(photos)
        for photo in photos:
            self._submit(photo)
        return self.outcomes()

    def _submit(self, photo: Photo) -> None:
        self._under_way[photo.id] = self._pool.submit(self._score, photo)

    def outcomes(self) -> dict[str, list[ScoredPhoto]]:
        """Wait for the rest; by photo, what each scorer made of it."""
        self._report(0)
        if self._total != self._expected:  # the last file of all was no photo after all
            self._progress(Step("scoring", self._finished, self._expected))
        results = {name: future.result() for name, future in self._under_way.items()}
        self._under_way.clear()
        return results

    def _score(self, photo: Photo) -> list[ScoredPhoto]:
        """Every scorer's outcome for one photo, whose bytes are held no longer than that."""
        try:
            rendition = Scored(photo.id, photo.path, photo.rendition.content)
            outcomes = [
                self._in_block(n, scorer(rendition)) for n, scorer in enumerate(self._scorers)
            ]
            if self._inspect is not None:
                self._inspect(photo)
            if not self._keep:
                photo.rendition.forget()
            return outcomes
        finally:
            self._done.put(photo)

    def _in_block(self, scorer: int, outcome: ScoredPhoto) -> ScoredPhoto:
        """The same outcome with its row in a block."""
        if outcome.row is None:
            return outcome
        with self._lock:
            free = self._free_rows[scorer]
            if not free:
                free.extend(np.empty((_BLOCK_ROWS, len(outcome.row)), np.float32))
            row = free.pop(0)
        row[:] = outcome.row
        return replace(outcome, row=row)

    def _report(self, limit: float) -> None:
        """Report the photos that are scored; wait while more than `limit` are under way."""
        while pending := len(self._under_way) - self._finished:
            try:
                photo = self._done.get(block=pending > limit)
            except Empty:
                return
            outcomes = self._under_way[photo.id].result()
            problem = next((outcome.problem for outcome in outcomes if outcome.problem), "")
            skipped = (SkippedFile(photo.path, photo.id, "unscored", problem),) if problem else ()
            self._finished += 1
            self._total = self._expected
            self.skipped += skipped
            self._progress(Step("scoring", self._finished, self._expected, photo.id, skipped))


def _model_scores(
    specs: Sequence[str],
    scorers: Sequence[CachedScorer],
    photos: Sequence[Photo],
    outcomes: dict[str, list[ScoredPhoto]],
) -> tuple[ModelScores, ...]:
    """Each scorer's rows for all photos, which are taken out of `outcomes`.

    Rows are most of the memory of a large album, so no row is there twice.
    """
    tables = [np.empty((len(photos), scorer.about.cells), np.float32) for scorer in scorers]
    features: list[list[Features]] = [[] for _ in scorers]
    cached = [0] * len(scorers)
    for row, photo in enumerate(photos):
        for number, result in enumerate(outcomes.pop(photo.id)):
            assert result.row is not None, "photos without a row were taken out before"
            tables[number][row] = result.row
            cached[number] += result.cached
            if result.features is not None:
                features[number].append(result.features)
    models = []
    for spec, scorer, table, seen, known in zip(
        specs, scorers, tables, features, cached, strict=True
    ):
        table.flags.writeable = False
        scores = Scores(
            table,
            [photo.id for photo in photos],
            scorer=scorer.about.fingerprint,
            grid=scorer.about.grid,
            points=scorer.about.points,
        )
        models.append(
            ModelScores(spec, scorer.about, scores, known, np.stack(seen) if seen else None)
        )
    return tuple(models)


def no_photo_reason(skipped: Sequence[SkippedFile]) -> str:
    """Why there is no photo at all."""
    missed = [file for file in skipped if file.lost] or (skipped if len(skipped) == 1 else ())
    if not missed:
        names = [file.name for file in skipped]
        there = f"only {listed(names, MAX_NAMED)}; " if names else ""
        return (
            "there is no photo to look at (JPEG, PNG, WebP, TIFF, AVIF or HEIC): "
            f"{there}give a folder that holds some"
        )
    first = f"{missed[0].name}: {missed[0].reason}"
    if len(missed) == 1:
        return first
    return f"none of the {len(missed)} photos can be looked at; of the first, {first}"
