"""One album, planned by withholding and with edits, and what attackers make of each plan."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from benchmarks.edits.held_out import specs
from elsewhere.album import Step
from elsewhere.album.filled_covers import fill_covers
from elsewhere.album.places import places_of
from elsewhere.globe.coordinates import EARTH_KM, unit_vector
from elsewhere.scorers import Photo as Scored, RowCache, each, find
from elsewhere.service.attacks import comes_near, first_places
from elsewhere.service.edit_planning import plan_with_edits
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores
from elsewhere.values.versions import DEFAULT_WEIGHTS, Edit
from elsewhere.values.wishes import Wishes

OWN = "embedded"
ATTACKERS = (OWN, "dino", "embedded:half_a", "embedded:half_b")
"""The plan is about the first. The others are asked where they confirm edits, and else never."""
FIRST = 5
"""Circles of an attacker, as wide as the plan's, that are looked at."""
FAR_KM = 100.0
"""The radius of plans that hide the region."""
KM = (1, 25, 200, 750, 2500)
"""Distances of first guesses."""
SHARED = "everything shared"
PLAIN, FILLED, COMPARED = "as shared", "covers filled in", "two versions compared"


OTHER_WAYS = (
    ("withholding, from embedded and dino", 2, 25.0),
    ("withholding, 100 km", 1, FAR_KM),
)
"""Further plans by withholding: the name, how many of the attackers are asked, and the radius."""


@dataclass(frozen=True)
class Outcome:
    """What one way to plan made of one album."""

    way: str
    photos: int
    found: bool
    as_is: int
    losses: tuple[float, ...] = ()
    """What each edited photo loses."""
    searched: int = 0
    """Photos that versions were looked for."""
    versions: int = 0
    """Versions that the plan chose from, photos without any edit not counted."""
    runs: int = 0
    """How often a model saw a version, or a photo for the first time in the search."""
    seconds: float | None = None
    """Processor time of the search and its plans; None where earlier runs had been cached."""
    hits: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """By attack and attacker, whether the place is among the first circles."""
    first_km: Mapping[str, float] = field(default_factory=dict)
    """By attacker, how far the first guess is from the nearest photo; none shared, no guess."""

    @property
    def withheld(self) -> int:
        """Photos that are not shared at all."""
        return self.photos - self.as_is - len(self.losses)

    @property
    def lost(self) -> float:
        """Pictures that are lost, a withheld one counted as 1."""
        return self.withheld + sum(self.losses)


@dataclass(eq=False)
class CountingCache(RowCache):
    """A cache that counts what models are asked."""

    asked: int = field(default=0, init=False)
    known: int = field(default=0, init=False)
    _counting: threading.Lock = field(default_factory=threading.Lock, init=False)

    def get(self, key: str, width: int) -> NDArray[np.float32] | None:
        """The row, counted."""
        row = super().get(key, width)
        with self._counting:
            self.asked += 1
            self.known += row is not None
        return row


def processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def measure(
    folder: Path,
    confirming: Sequence[Sequence[str]],
    *,
    seed: int = 0,
    endangered: bool = False,
    kept: Path | None = None,
    others: bool = False,
) -> Iterator[Outcome]:
    """Everything shared, the plan by withholding, and one with edits for each set of models.

    Nothing for an album that is not `endangered`, where only such albums are wanted. What models
    see is kept in the folder `kept`, where one is given. `others` adds `OTHER_WAYS`.
    """
    wishes = Wishes(edits="both")
    with TemporaryDirectory() as cached:
        cache = CountingCache(kept or Path(cached))
        scored = score_album([folder], scorers=specs(ATTACKERS), cache=cache)
        count = len(scored.photos)
        try:
            places = places_of(scored.photos)
            positions = tuple(position for place in places.places for position in place.positions)
            circles = HiddenCircles(positions, wishes.radius_km)
            everything = _find(scored, circles, range(count))
            if endangered and not everything[OWN]:
                return
            yield Outcome(
                SHARED,
                count,
                True,
                count,
                hits={PLAIN: everything},
                first_km=_first_km(scored, circles, range(count)),
            )
            own = replace(scored, models=scored.models[:1])
            plan = plan_album(own, places, wishes, draw=Random(seed), attacked=True)
            yield _withheld("withholding", scored, plan, circles)
            for name, models, radius in OTHER_WAYS if others else ():
                seen = replace(scored, models=scored.models[:models])
                wider = replace(wishes, radius_km=radius)
                other = plan_album(seen, places, wider, draw=Random(seed), attacked=True)
                yield _withheld(name, scored, other, circles)
            for confirm in confirming:
                cache.asked = cache.known = 0
                searched: set[str] = set()

                def note(step: Step, searched: set[str] = searched) -> None:
                    searched.add(step.name)

                start = processor_seconds()
                edited = plan_with_edits(own, plan, confirm=confirm, cache=cache, progress=note)
                seconds = processor_seconds() - start
                outcome = _outcome(scored, edited, circles, cache)
                yield replace(
                    outcome,
                    way=f"edits, confirmed by {name_of(confirm)}",
                    searched=len(searched),
                    seconds=seconds if confirm == confirming[0] and kept is None else None,
                )
        finally:
            scored.close()


def name_of(confirm: Sequence[str]) -> str:
    """The models that confirm edits, in a sentence."""
    return " and ".join(spec.removeprefix("embedded:") for spec in confirm) or "none"


def _withheld(way: str, scored: ScoredAlbum, plan: AlbumPlan, circles: HiddenCircles) -> Outcome:
    """What a plan by withholding shares, and who finds the place."""
    shared = plan.plan.kept if plan.plan.found else ()
    return Outcome(
        way,
        len(scored.photos),
        plan.plan.found,
        len(shared),
        hits={PLAIN: _find(scored, circles, shared)},
        first_km=_first_km(scored, circles, shared),
    )


def _outcome(
    scored: ScoredAlbum, plan: AlbumPlan, circles: HiddenCircles, cache: CountingCache
) -> Outcome:
    """What a plan with edits shares, and what attackers make of it."""
    runs = cache.asked
    count = len(scored.photos)
    shared = [n for n in plan.plan.kept if n < count] if plan.plan.found else []
    edits = plan.edits if plan.plan.found else {}
    versions = {} if plan.versions is None else plan.versions.candidates
    seen = apply_edits(scored, edits, cache=cache)
    hits = {PLAIN: _find(seen, circles, shared)}
    if edits:
        hits[FILLED] = _find(_with_covers_filled(seen, edits, cache), circles, shared)
        others = _other_versions(plan, edits)
        second = apply_edits(scored, others, cache=cache)
        again = [n for n in shared if scored.photos[n].id in others]
        hits[COMPARED] = _find(seen, circles, shared, second, again)
    return Outcome(
        "",
        count,
        plan.plan.found,
        len(shared) - len(edits),
        tuple(float(DEFAULT_WEIGHTS.loss(edit)) for edit in edits.values()),
        versions=sum(v.edit is not None for found in versions.values() for v in found),
        runs=runs,
        hits=hits,
        first_km=_first_km(seen, circles, shared),
    )


def _find(
    scored: ScoredAlbum,
    circles: HiddenCircles,
    shared: Sequence[int],
    second: ScoredAlbum | None = None,
    again: Sequence[int] = (),
) -> dict[str, bool]:
    """By attacker, whether the place is among the first circles; `again` are second versions."""
    hits: dict[str, bool] = {}
    for number, model in enumerate(scored.models):
        rows = model.scores.values[list(shared)].astype(np.float64)
        if second is not None:
            rows = np.concatenate((rows, second.models[number].scores.values[list(again)]))
        if not len(rows):  # nothing is shared
            hits[model.spec] = False
            continue
        names = [str(row) for row in range(len(rows))]
        known = model.scores
        scores = Scores(rows, names, scorer=known.scorer, grid=known.grid, points=known.points)
        hits[model.spec] = comes_near(model.about, scores, circles, FIRST)
    return hits


def _first_km(
    scored: ScoredAlbum, circles: HiddenCircles, shared: Sequence[int]
) -> dict[str, float]:
    """By attacker, how far the middle of the likeliest circle is from the nearest photo."""
    if not len(shared):
        return {}
    photos = unit_vector(*np.array(circles.positions).T)
    found = {}
    for model in scored.models:
        rows = model.scores.values[list(shared)].astype(np.float64)
        first = first_places(model.about, rows, circles.radius_km, 1)
        cosine = min(1.0, float((photos @ first.T).max()))
        found[model.spec] = float(np.arccos(cosine)) * EARTH_KM
    return found


def _other_versions(plan: AlbumPlan, edits: Mapping[str, Edit]) -> dict[str, Edit]:
    """For each edited photo the cheapest other edit of it, where there is one."""
    assert plan.versions is not None
    others = {}
    for number, versions in plan.versions.candidates.items():
        name = plan.ids[number]
        if name in edits:
            edited = [v for v in versions if v.edit is not None and v.edit != edits[name]]
            for version in sorted(edited, key=lambda version: version.cost)[:1]:
                assert version.edit is not None
                others[name] = version.edit
    return others


def _with_covers_filled(
    scored: ScoredAlbum, edits: Mapping[str, Edit], cache: RowCache
) -> ScoredAlbum:
    """The album as it is for somebody who paints the covers over by what is around them."""
    numbers = [
        n for n, photo in enumerate(scored.photos) if photo.id in edits and edits[photo.id].covers
    ]
    filled = [
        fill_covers(scored.photos[n].rendition.content, edits[scored.photos[n].id]) for n in numbers
    ]
    models = []
    for model in scored.models:
        table, known = model.scores.values.copy(), model.scores
        photos = (
            Scored(scored.photos[n].id, scored.photos[n].path, content)
            for n, content in zip(numbers, filled, strict=True)
        )
        for number, outcome in zip(
            numbers, each(find(model.spec), photos, cache=cache), strict=True
        ):
            assert outcome.row is not None, outcome.problem
            table[number] = outcome.row
        scores = Scores(table, known.ids, scorer=known.scorer, grid=known.grid, points=known.points)
        models.append(replace(model, scores=scores))
    return replace(scored, models=tuple(models))
