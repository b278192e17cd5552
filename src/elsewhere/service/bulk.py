"""Many albums in two steps: photos scored one by one, albums planned from their rows later.

Photos come from files or bytes, are decoded in limited workers and scored by warm models. One that
cannot be read, decoded or scored costs itself: its outcome says why. An album is then planned and
audited by scores and metadata alone, without its photos.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from elsewhere.album import Album, Photo, Recipe, Rendition, SkippedFile
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.album.discovery import sidecars_in_folder
from elsewhere.album.files import REASONS, known_kind, one_line
from elsewhere.album.metadata import Metadata
from elsewhere.album.places import places_of
from elsewhere.album.renditions import NotJpegError, size_if_bare
from elsewhere.album.workers import Workers
from elsewhere.audit.inference import distances, rank
from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.globe import cell_names, place as find_place
from elsewhere.scorers import CachedScorer, Photo as ScorablePhoto, Row, ScorerInfo, find
from elsewhere.scorers.gpu import gpu_form, gpu_problem
from elsewhere.scorers.protocol import FeatureScorer, combine_rows
from elsewhere.scorers.tower import tower_view
from elsewhere.service.album_audit import Beliefs, possible_cells
from elsewhere.service.album_versions import AlbumVersions
from elsewhere.service.edited_album import with_chosen_rows
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.service.scores import solve_and_check, solve_with_secret_top
from elsewhere.service.secret_top import secret_tops
from elsewhere.service.selection import budget_of, select_pinned
from elsewhere.service.threats import threat_scores
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import read_photo, read_request, read_value
from elsewhere.values.margins import margin
from elsewhere.values.plan import Plan
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.versions import ScoredVersion
from elsewhere.values.wishes import Wishes

_FOLDERS = 16
"""Folders whose sidecar files are remembered."""


@dataclass(frozen=True)
class PhotoOutcome:
    """The scores of one photo, or the reason why there are none."""

    rows: tuple[Row, ...] = ()
    """One row a model, or its features where it makes some; empty where something went wrong."""
    metadata: str = ""
    """What its file says, as JSON."""
    digest: str = ""
    kind: str = ""
    """Empty, or the kind of what went wrong."""
    reason: str = ""
    view: bytes = b""
    """A PNG of what a GPU's tower saw of it; empty where none did."""


@dataclass(frozen=True)
class AttackerInfo:
    """One scorer: how it was named, and what is known of it."""

    spec: str
    about: ScorerInfo


def require_gpu() -> None:
    """ScorerError where this machine has no GPU that the embedded model can run on."""
    if problem := gpu_problem():
        raise ScorerError(f"embedded cannot run on a GPU, for {problem}, or use the device cpu")


class PhotoScorer:
    """Warm workers and models; close it when done."""

    def __init__(
        self,
        scorers: Sequence[str],
        max_side: int | None,
        *,
        workers: int,
        gpu: bool = False,
    ) -> None:
        """`gpu`: scorers that have a form for GPUs are used in that form."""
        specs = tuple(dict.fromkeys(scorers))
        if not specs:
            raise InputError("no scorer was given: name at least one, such as embedded")
        self._workers = Workers("elsewhere.album.worker:read", count=workers)
        try:
            found = [find(spec) for spec in specs]
            forms = [gpu_form(scorer) if gpu else None for scorer in found]
            self._on_gpu = tuple(form is not None for form in forms)
            self._scorers = tuple(
                CachedScorer(form or scorer) for form, scorer in zip(forms, found, strict=True)
            )
        except BaseException:
            self._workers.close()
            raise
        pairs = zip(specs, self._scorers, strict=True)
        self.models = tuple(AttackerInfo(spec, scorer.about) for spec, scorer in pairs)
        self._max_side = max_side
        self._sidecars = lru_cache(maxsize=_FOLDERS)(sidecars_in_folder)

    @property
    def keeps_views(self) -> bool:
        """Whether outcomes have views: a scorer runs on a GPU."""
        return any(self._on_gpu)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()

    def score(self, name: str, path: Path, content: bytes | None = None) -> PhotoOutcome:
        """Score the photo at `path`, or `content` under that name; from several threads at once."""
        sidecars = self._sidecars(path.parent).get(path.name, ()) if content is None else ()
        request: dict[str, Any] = {
            "files": [path, *sidecars],
            "max_side": self._max_side,
            "pixels": MAX_PIXELS,
        }
        reply = self._workers.ask(request, content)
        if reply.failed or len(reply.blobs) != 1:
            kind = known_kind(reply.failed, "crash")
            detail = one_line(str(reply.answer.get("detail", "")))
            return PhotoOutcome(kind=kind, reason=detail or REASONS[kind])
        rendition = reply.blobs[0]
        try:
            size_if_bare(rendition)
        except NotJpegError as problem:
            reason = f"its rendition is not a bare picture: {problem}"
            return PhotoOutcome(kind="crash", reason=reason)
        photo = ScorablePhoto(name, Path(name), rendition)
        rows, view = [], photo
        try:
            if self.keeps_views:
                view = replace(photo, held=tower_view(photo))
        except FileError as problem:
            return PhotoOutcome(kind="unscored", reason=str(problem))
        for scorer, on_gpu in zip(self._scorers, self._on_gpu, strict=True):
            outcome = scorer(view if on_gpu else photo)
            if outcome.row is None:
                return PhotoOutcome(kind="unscored", reason=outcome.problem)
            rows.append(outcome.row if outcome.features is None else outcome.features)
        metadata = json.dumps(reply.answer.get("metadata"))
        kept = view.content() if self.keeps_views else b""
        return PhotoOutcome(tuple(rows), metadata, sha256(rendition).hexdigest(), view=kept)


def rows_of_features(attacker: AttackerInfo, features: FloatMatrix) -> FloatMatrix:
    """The rows that a scorer makes of photos' features."""
    scorer = _feature_scorer(attacker.spec, attacker.about.fingerprint)
    rows = np.empty((len(features), attacker.about.cells), np.float32)
    for row, own in zip(rows, features, strict=True):
        row[:] = scorer.row(own)
    rows.flags.writeable = False
    return rows


@lru_cache(maxsize=4)
def _feature_scorer(spec: str, fingerprint: str) -> FeatureScorer:
    """The scorer with this fingerprint, in whichever form; a GPU is not needed for rows."""
    scorer = find(spec)
    for form in (scorer, gpu_form(scorer)):
        if form is not None and form.load().fingerprint == fingerprint:
            return cast(FeatureScorer, form)
    raise InputError(f"the scorer {spec} changed since the photos were scored: start the run anew")


Candidates = Mapping[int, tuple[ScoredVersion, ...]]
NO_CANDIDATES: Candidates = MappingProxyType({})
_MAPPED = ("hide", "radius_km", "hide_level", "prior", "stars", "bursts")
"""Wishes that need to know where or when photos were taken."""


@dataclass(frozen=True)
class AuditNumbers:
    """What one attacker infers of one place from all photos together."""

    scorer: str
    place: str
    photos: int
    rank: int
    probability: float
    guess: str
    guess_probability: float
    within_25_km: float | None
    radius_km: float | None = None
    """How far around the photos `rank` and `probability` look; None where they are about cells."""
    shared_probability: float | None = None
    """The probability from the shared photos; None without any that are seen."""


@dataclass(frozen=True)
class UnreadPhoto:
    """A photo whose pixels are not at hand."""

    id: str
    digest: str
    metadata: Metadata


def plan_cells(
    scores: Scores,
    truth: Sequence[int],
    wishes: Wishes,
    draw: Callable[[], Random],
    candidates: Candidates = NO_CANDIDATES,
) -> Plan:
    """A plan where the truth is given as cells, and nothing is known of places.

    `candidates` are versions of photos, by number.
    """
    for name in _MAPPED:
        if getattr(wishes, name) != getattr(Wishes(), name):
            raise InputError(f"the wish {name} needs a place, but the truth is given as cells")
    keep, drop = select_pinned(wishes.keep, wishes.drop, scores.ids)
    budget: int | Fraction | None = None
    if wishes.budget is not None:
        budget = budget_of(wishes.budget, scores.photos)
    versions = AlbumVersions(candidates, scores.photos) if candidates else None
    values = [Fraction(1)] * scores.photos
    if versions is not None and wishes.values is not None:
        for photo, value in wishes.values.items():
            values[read_photo(photo, scores, "values")] = read_value(value)
    if versions is not None and budget is not None:  # so many photos of average value
        budget = budget * sum(values, Fraction(0)) / scores.photos
    request = read_request(
        with_versions(scores, candidates),
        list(truth),
        top=wishes.top if budget is None else None,
        budget=budget,
        keep=keep,
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=wishes.values,
        each_photo=(wishes.top or 5) if wishes.each_photo else False,
        strict=wishes.strict,
        versions=None if versions is None else versions.costs(values),
    )
    limits = read_limits(None, wishes.work_limit)
    if budget is not None:
        return solve_and_check(request, limits, explain=None)
    least = request.promise.against[0].top
    assert least is not None
    tops = iter([least])
    if not wishes.exact_top:
        tops = secret_tops(least, scores.cells - len(truth), draw())
    return solve_with_secret_top(request, least, tops, limits, explain=None)[0]


def audit_cells(
    model: AttackerInfo,
    scores: Scores,
    truth: Sequence[int],
    place: str,
    *,
    sees: Sequence[int] | None = None,
    among: Sequence[int] | None = None,
    positions: Sequence[tuple[float, float]] = (),
) -> AuditNumbers:
    """The numbers of the audit for all photos together, without the steps that lead there."""
    table = scores.values if sees is None else scores.values[list(sees)]
    values: FloatMatrix = table
    if among is not None:
        impossible = np.ones(scores.cells, dtype=bool)
        impossible[list(among)] = False
        values = table.astype(np.float64)
        values[:, impossible] = -np.inf
    cells = np.array(truth, dtype=np.int64)
    likely = np.exp(combine_rows(values, model.about.exponents))
    best, globe = int(np.argmax(likely)), model.about.globe
    near = None
    if globe is not None and positions:
        near = distances(likely, globe, positions)[0][0].chance
    return AuditNumbers(
        scorer=model.spec,
        place=place,
        photos=len(values),
        rank=rank(values.astype(np.float64, copy=False), cells),
        probability=min(1.0, float(likely[cells].sum())),
        guess=f"cell {best}" if globe is None else cell_names(globe)[best],
        guess_probability=float(likely[best]),
        within_25_km=near,
    )


def plan_unread_album(
    photos: Sequence[UnreadPhoto],
    skipped: Sequence[SkippedFile],
    scores: Sequence[Scores],
    models: Sequence[AttackerInfo],
    wishes: Wishes,
    *,
    place: str | None = None,
    draw: Random | None = None,
    candidates: Candidates = NO_CANDIDATES,
) -> tuple[AlbumPlan, list[Scores], list[AuditNumbers]]:
    """Plan as `protect_album` does; with the scores and the audit numbers of each threat.

    `candidates` are versions of photos, by number.
    """
    read = tuple(
        Photo(photo.id, Path(photo.id), Rendition(photo.digest, 0, 0, 0), photo.metadata)
        for photo in photos
    )
    attacks = tuple(
        ModelScores(model.spec, model.about, table)
        for model, table in zip(models, scores, strict=True)
    )
    album = Album(read, tuple(skipped), Recipe())
    scored = ScoredAlbum(album, read, attacks, tuple(skipped))
    places = places_of(read, at=None if place is None else [find_place(place)])
    plan = plan_album(scored, places, wishes, draw=draw, reasons=False, candidates=candidates)
    beliefs = Beliefs(scored, plan.threats, NOTHING_POSTED)
    chosen = beliefs
    if plan.versions is not None:
        chosen = Beliefs(with_chosen_rows(scored, plan), plan.threats, NOTHING_POSTED)
    audits = []
    for number, threat in enumerate(plan.threats):
        model, label = models[threat.model], threat.place.label
        found = (
            audit_cells(
                model,
                scores[threat.model],
                threat.zone.cells.tolist(),
                label,
                sees=threat.sees,
                among=possible_cells(plan.threats, threat),
                positions=threat.place.positions,
            )
            if threat.circles is None
            else _audit_places(beliefs, number, model)
        )
        shared = chosen.belief(number, plan.plan.kept) if plan.plan.found else None
        after = None if shared is None else shared.probability
        audits.append(replace(found, shared_probability=after))
    tables = threat_scores(scored, plan.threats, NOTHING_POSTED, plan.versions)
    return plan, list(tables), audits


def with_versions(scores: Scores, candidates: Candidates, model: int = 0) -> Scores:
    """A model's scores with a row for each version of each photo."""
    return AlbumVersions(candidates, scores.photos).expand(scores, model) if candidates else scores


def shared_versions(plan: Plan, candidates: Candidates, photos: int) -> dict[int, str]:
    """By photo's number, the name of the version that a plan shares, where that is not as it is."""
    return AlbumVersions(candidates, photos).names(plan.choices) if candidates else {}


def _audit_places(beliefs: Beliefs, number: int, model: AttackerInfo) -> AuditNumbers:
    """The numbers of the audit for one threat, in places."""
    probabilities, belief = beliefs.probabilities(number, None), beliefs.belief(number, None)
    threat = beliefs.threats[number]
    assert belief is not None and probabilities is not None and threat.circles is not None
    assert model.about.globe is not None
    chances = distances(probabilities, model.about.globe, threat.place.positions)[0]
    return AuditNumbers(
        scorer=model.spec,
        place=threat.place.label,
        photos=belief.photos,
        rank=belief.rank,
        probability=belief.probability,
        guess=belief.guesses[0].name,
        guess_probability=belief.guesses[0].probability,
        within_25_km=chances[0].chance,
        radius_km=threat.circles.radius_km,
    )
