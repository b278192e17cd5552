"""Albums known by scores and metadata alone: planned and audited without their photos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np

from elsewhere.album import Album, Photo, Recipe, Rendition, SkippedFile
from elsewhere.album.metadata import Metadata
from elsewhere.album.places import places_of
from elsewhere.album.renditions import Spool, Ticket
from elsewhere.audit.inference import rank, within
from elsewhere.errors import InputError
from elsewhere.globe import cell_names, place as find_place
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.album_audit import possible_cells
from elsewhere.service.photo_scoring import AttackerInfo
from elsewhere.service.photo_selection import budget_of, select_pinned
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.service.scores import solve_and_check
from elsewhere.service.secret_top import candidate_tops, solve_with_secret_top
from elsewhere.solver.plans import read_limits
from elsewhere.solver.requests import read_request
from elsewhere.values.plan import Plan
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes, margin

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


@dataclass(frozen=True)
class UnreadPhoto:
    """A photo whose pixels are not at hand."""

    id: str
    digest: str
    metadata: Metadata


def plan_cells(
    scores: Scores, truth: Sequence[int], wishes: Wishes, draw: Callable[[], Random]
) -> Plan:
    """A plan where the truth is given as cells, and nothing is known of places."""
    for name in _MAPPED:
        if getattr(wishes, name) != getattr(Wishes(), name):
            raise InputError(f"the wish {name} needs a place, but the truth is given as cells")
    keep, drop = select_pinned(wishes.keep, wishes.drop, scores.ids)
    budget = None if wishes.budget is None else budget_of(wishes.budget, scores.photos)
    request = read_request(
        scores,
        list(truth),
        top=wishes.top if budget is None else None,
        budget=budget,
        keep=keep,
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=wishes.values,
        each_photo=(wishes.top or 5) if wishes.each_photo else False,
        strict=wishes.strict,
    )
    limits = read_limits(None, wishes.work_limit)
    if budget is not None:
        return solve_and_check(request, limits, explain=None)
    least = request.promise.against[0].top
    assert least is not None
    tops = iter([least])
    if not wishes.exact_top:
        tops = candidate_tops(least, scores.cells - len(truth), draw())
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
    values = table.astype(np.float64)
    if among is not None:
        impossible = np.ones(scores.cells, dtype=bool)
        impossible[list(among)] = False
        values[:, impossible] = -np.inf
    cells = np.array(truth, dtype=np.int64)
    likely = np.exp(combine_rows(values, model.about.exponents))
    best, globe = int(np.argmax(likely)), model.about.globe
    near = within(likely, globe, positions)[0].chance if globe is not None and positions else None
    return AuditNumbers(
        scorer=model.spec,
        place=place,
        photos=len(values),
        rank=rank(values, cells),
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
) -> tuple[AlbumPlan, list[Scores], list[AuditNumbers]]:
    """Plan as `protect_album` does; with the scores and the audit numbers of each threat."""
    gone = Ticket(_spool(), 0, 0)
    read = tuple(
        Photo(photo.id, Path(photo.id), Rendition(photo.digest, 0, 0, 0, gone), photo.metadata)
        for photo in photos
    )
    attacks = tuple(
        ModelScores(model.spec, model.about, table)
        for model, table in zip(models, scores, strict=True)
    )
    album = Album(read, tuple(skipped), Recipe(), _spool())
    scored = ScoredAlbum(album, read, attacks, tuple(skipped))
    places = places_of(read, at=None if place is None else [find_place(place)])
    plan = plan_album(scored, places, wishes, draw=draw, reasons=False)
    audits = [
        audit_cells(
            models[threat.model],
            scores[threat.model],
            threat.zone.cells.tolist(),
            threat.place.label,
            sees=threat.sees,
            among=possible_cells(plan.threats, threat),
            positions=threat.place.positions,
        )
        for threat in plan.threats
    ]
    return plan, [scores[threat.model] for threat in plan.threats], audits


@lru_cache(maxsize=1)
def _spool() -> Spool:
    return Spool()
