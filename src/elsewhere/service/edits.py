"""Versions of photos: edits that hide a place, found by what models see.

For one photo the search covers tiles and crops sides, one at a time, and sees how much of the
probability near what is hidden goes. From the most telling parts it makes rectangles as people draw
them: one or two covers, a crop, or both. Most photos are withheld for what they tell alone, so the
search is for a version that does not: where none of these is one, deep crops and the best of them
together are tried; then the cheapest that does is shrunk. What parts hide does not add up, so every
version is scored as the bytes that would be exported. The search takes the same steps each time,
and at most `MAX_RUNS` runs of each model for a photo.

An edit fits the model that chose it. So a version counts only as far as every model confirms it:
`confirm` names models that are asked beside those that a plan is about. Of the fall of the log of
the odds of what is hidden, the smallest of all models counts (of heads that share a tower, their
mean), and the row of a version is drawn back towards the row of the photo as it is until it shows
no more than that. Where no second model is asked, nobody confirms an edit, and it counts as it was
scored. A second model that does not have what is hidden among its first places in a version, or
that sees no more of it than by guessing blindly, has no say: of a photo that is shared as it is
nothing more is asked.

A row that is drawn back never promises more than the bytes keep. Near what is hidden it has the
larger of both numbers, elsewhere the smaller. A rival that is ahead by such rows is ahead by the
rows of the bytes too, so a copy can be proved by its bytes alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import cast

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Photo, Rendition, album_workers, render_versions
from elsewhere.album.filled_covers import fill_covers
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.globe.circles import Circles, cosine, find_circles
from elsewhere.globe.coordinates import unit_vector
from elsewhere.scorers import Photo as Scored, RowCache, Scorer, ScorerInfo, each, find
from elsewhere.scorers.protocol import Features, FeatureScorer, Row
from elsewhere.service.attacks import guesses_near
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import cells_of, hidden_zone
from elsewhere.service.threats import Threat
from elsewhere.values.versions import (
    DEFAULT_WEIGHTS,
    FULL,
    MAX_COVERS,
    MAX_LOSS,
    Edit,
    Rectangle,
    ScoredVersion,
    WeightMap,
    edit_cost,
    merge,
)
from elsewhere.values.wishes import EditKind

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST = 5
"""Places of a model that a single photo is to keep what is hidden out of."""
MAX_RUNS = 48
"""Versions of a photo that each model scores."""
MAX_VERSIONS = 8
"""Versions of a photo that a plan chooses from, as it is included."""
_TILES = 4
"""Tiles across and down a picture."""
_TILE = FULL // _TILES
_KEPT = 800
"""Of each side, by a crop towards a corner or the middle."""
_DEEP = 680
"""Of each side, by a crop of a photo that smaller edits do not help."""
_STRIP = 250
"""What is cut off at one side."""
_STEP = _TILE // 2
"""By how much a cover is shrunk at one side."""
MAX_OWN_COVERS = 2
"""Covers that the search puts on a photo."""
_BISECTIONS = 20
_TINY = 1e-300
"""A probability instead of zero, to have a log."""


@dataclass(frozen=True)
class HiddenCells:
    """What is hidden, in the cells of one model."""

    inside: Ints
    """The cells within the radius of what is hidden: their probability should fall."""
    near: Ints
    """The cells that a circle near what is hidden may hold: no rival's circle holds any of them."""
    beyond: Ints
    """The cells that rivals' circles are centred on."""
    circles: Circles | None = field(default=None, repr=False)
    """None where the model's cells are coarse."""

    @classmethod
    def of(cls, about: ScorerInfo, threats: Iterable[Threat], *, own: bool = True) -> HiddenCells:
        """What threats of a model are about; or those of another, in the cells of this one."""
        inside, near, beyond = (np.zeros(about.cells, dtype=bool) for _ in range(3))
        circles = None
        for threat in threats:
            hidden = threat.circles
            if hidden is None or about.points is None:
                zone = threat.zone
                if not own:
                    zone = hidden_zone(cells_of(about.name, about), threat.place, threat.width)
                inside[zone.cells] = True
                continue
            circles = find_circles(about.points, hidden.radius_km)
            places = unit_vector(*np.array(hidden.positions).T)
            inside[circles.within(places, hidden.radius_km)] = True
            for place in places:  # where no point is that near, the nearest stands for it
                inside[np.argmax(circles.unit @ place)] = True
            near[circles.within(places, 2 * hidden.radius_km)] = True
            beyond[circles.within(places, 3 * hidden.radius_km)] = True
        near |= inside
        beyond |= near
        return cls(np.flatnonzero(inside), np.flatnonzero(near), np.flatnonzero(~beyond), circles)

    def odds(self, row: Row | Floats) -> float:
        """The log of the odds that a row gives for what is hidden.

        Where it is unlikely, the log of its probability; but odds also tell sure from very sure.
        """
        weights = np.exp(row - row.max(), dtype=np.float64)
        hidden = weights[self.inside].sum()
        weights[self.inside] = 0.0
        return float(np.log(max(hidden, _TINY)) - np.log(max(weights.sum(), _TINY)))

    def lead(self, row: Row | Floats, first: int = 1) -> float:
        """By how much, in logs, the likeliest hidden circle or cell leads the others' `first`."""
        weights = np.exp(row - row.max(), dtype=np.float64)
        if self.circles is not None:
            weights = self.circles.masses(weights)
        hidden = weights[self.inside].max(initial=0.0)
        return float(np.log(max(hidden, _TINY)) - np.log(max(self._other(weights, first), _TINY)))

    def _other(self, weights: Floats, first: int) -> float:
        """The weight of the `first` likeliest place beyond what is hidden; 0 without so many."""
        others = np.zeros_like(weights)
        others[self.beyond] = weights[self.beyond]
        for _ in range(first - 1):  # strike out the likeliest, and what is too near to be another
            best = int(np.argmax(others))
            if self.circles is None:
                others[best] = 0.0
            else:
                unit, apart = self.circles.unit, cosine(2 * self.circles.radius_km)
                others[unit @ unit[best] >= apart] = 0.0
        return float(others.max())


@dataclass(frozen=True, eq=False)
class _Seen:
    """What all models see in one version."""

    edit: Edit
    cost: Fraction
    rows: tuple[Row, ...]
    falls: tuple[float, ...]
    """By how much the log of the odds of what is hidden falls, by model and by kind of those that
    confirm it."""
    lead: float
    """By how much the lead of what is hidden falls, by the model where it falls least."""
    harmless: bool
    """Whether no model of the plan has what is hidden among its first places by it alone."""

    @property
    def confirmed(self) -> float:
        """How much of the fall all models confirm."""
        return min(self.falls)

    def beats(self, other: _Seen) -> bool:
        """Whether it is as good in every way, and better in one."""
        if self.cost > other.cost or self.confirmed < other.confirmed or self.lead < other.lead:
            return False
        equal = (self.cost, self.confirmed, self.lead) == (other.cost, other.confirmed, other.lead)
        return not equal


class EditSearch:
    """Looks for versions of an album's photos that hide what the threats are about.

    Use it in a `with` block: at its end no worker of its own is left.
    """

    def __init__(
        self,
        scored: ScoredAlbum,
        threats: Sequence[Threat],
        *,
        confirm: Sequence[str] = (),
        kind: EditKind = "both",
        max_loss: Fraction = MAX_LOSS,
        weights: WeightMap = DEFAULT_WEIGHTS,
        first: int = FIRST,
        margin: float = 0.0,
        workers: Workers | None = None,
        cache: RowCache | None = None,
    ) -> None:
        """`confirm` are scorers beside the album's own; `kind` is what edits may do.

        What is hidden is to be outside the `first` places of each photo, by more than `margin`.
        """
        self.scored, self.kind, self.max_loss, self.weights = scored, kind, max_loss, weights
        self.first, self.margin = first, margin
        self._cache = cache
        own = [model.spec for model in scored.models]
        specs = [*own, *(spec for spec in confirm if spec not in own)]
        self._scorers: list[Scorer] = [find(spec) for spec in specs]
        self.hidden: list[HiddenCells] = []
        """What is hidden, in the cells of each model."""
        for number, scorer in enumerate(self._scorers):
            seen = [threat for threat in threats if threat.model == number]
            self.hidden.append(HiddenCells.of(scorer.load(), seen or threats, own=bool(seen)))
        self._pool = nullcontext(workers) if workers else album_workers()
        self._workers: Workers | None = None
        self._filled: dict[tuple[str, Edit], tuple[Row, ...]] = {}
        self._together: dict[tuple[int, Edit | None], tuple[Row, ...]] = {}
        """The rows of the photos that were last asked about together."""
        self.runs = 0
        """How often models were run so far."""

    def by_kind(self, falls: Sequence[float]) -> list[float]:
        """The mean fall of the confirming models of each kind: heads of one tower are one.

        A head that has no say does not count; where none has, neither does
        the kind.
        """
        groups: dict[str, list[float]] = {}
        for scorer, fall in zip(self._scorers[len(self.scored.models) :], falls, strict=True):
            tower = scorer.load().features
            key = str(id(scorer)) if tower is None else tower.fingerprint
            if math.isfinite(fall):
                groups.setdefault(key, []).append(fall)
        return [sum(group) / len(group) for group in groups.values()]

    def __enter__(self) -> EditSearch:
        self._workers = self._pool.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self._workers = None
        self._pool.__exit__(None, None, None)

    @property
    def workers(self) -> Workers:
        """The workers that render versions, in the `with` block."""
        assert self._workers is not None, "use the search in a with block"
        return self._workers

    def versions(
        self,
        number: int,
        *,
        required: Sequence[Rectangle] = (),
        wanted: Sequence[Edit] = (),
        kind: EditKind | None = None,
        progress: Callable[[int], None] = lambda runs: None,
    ) -> tuple[ScoredVersion, ...]:
        """The versions of a photo that are worth choosing from, the cheapest first.

        Every version covers what is `required`, such as readable names. `wanted` are edits that the
        user drew: these are among the versions whatever they lose or hide, but not where an edit
        can have no more covers. `kind` is what edits of this photo may do, that of the search
        unless told. `progress` is told after each step how often models were run.
        """
        search = _PhotoSearch(self, number, tuple(required), progress)
        return search.run(wanted, self.kind if kind is None else kind)

    def score(
        self, photo: Photo, edits: Sequence[Edit]
    ) -> tuple[list[Edit], list[tuple[Row, ...]]]:
        """The edits that leave something, and the row of each model for each of them."""
        kept = [
            (edit, rendition)
            for edit, rendition in zip(edits, self._render(photo, edits), strict=True)
            if rendition is not None
        ]

        def contents() -> Iterator[Scored]:
            for _, rendition in kept:
                yield Scored(photo.id, photo.path, rendition.content)

        columns: list[list[Row]] = []
        features: dict[str, list[Features]] = {}  # heads of one tower share what it sees
        try:
            for scorer in self._scorers:
                tower = scorer.load().features
                if tower is not None and tower.fingerprint in features:
                    head = cast(FeatureScorer, scorer)
                    columns.append([head.row(seen) for seen in features[tower.fingerprint]])
                    continue
                outcomes = list(each(scorer, contents(), cache=self._cache))
                columns.append([])
                for outcome in outcomes:
                    if outcome.row is None:
                        raise FileError(f"an edited version cannot be scored: {outcome.problem}")
                    self.runs += not outcome.cached
                    columns[-1].append(outcome.row)
                if tower is not None:
                    seen_by = [o.features for o in outcomes if o.features is not None]
                    features[tower.fingerprint] = seen_by
        finally:
            for _, rendition in kept:
                rendition.forget()
        return [edit for edit, _ in kept], list(zip(*columns, strict=True))

    def _render(self, photo: Photo, edits: Sequence[Edit]) -> list[Rendition | None]:
        album = self.scored.album
        assert album.spool is not None, "edits are made of albums whose renditions are kept"
        return render_versions(
            photo, edits, workers=self.workers, spool=album.spool, recipe=album.recipe
        )

    def find_telling_edit(
        self,
        shared: Mapping[int, Edit | None],
        threats: Sequence[Threat],
        public: Mapping[int, tuple[Row, ...]] | None = None,
        progress: Callable[[int], None] = lambda runs: None,
    ) -> int | None:
        """The edited photo that tells most, where the place is found in all photos together.

        Each edit is confirmed for its photo alone, and what photos tell adds up. So confirming
        models are asked about all of `shared`, the photos of a plan with their edits; and the
        plan's own models, as somebody who paints covers over would. `public` are the rows of these
        models, by number, for photos that are out already and of which nothing else is known. None
        where nobody has what is hidden among the first places, or has it by the unedited photos
        alone already.
        """
        own, public = len(self.scored.models), public or {}
        rows, known = {}, {}
        for number, edit in shared.items():
            key = number, edit
            if key not in self._together:
                self._together[key] = self._in_album(number, edit)
                progress(self.runs)
            known[key] = rows[number] = self._together[key]
        self._together = known
        for threat in threats:
            added = [n for n in shared if threat.sees is None or n in threat.sees]
            edited = [n for n in added if shared[n] is not None]
            for model in (threat.model, *range(own, len(self._scorers))) if edited else ():
                table = {n: rows[n][model] for n in added}
                if model < own:
                    out = [n for n in public if threat.sees is None or n in threat.sees]
                    table.update({n: public[n][model] for n in out})
                plain = [n for n in table if shared.get(n) is None]
                if self._finds(model, threat, table, [*table]) and not (
                    plain and self._finds(model, threat, table, plain)
                ):
                    cells = self.hidden[model]
                    return max(edited, key=lambda n: cells.lead(table[n], self.first))
        return None

    def _in_album(self, number: int, edit: Edit | None) -> tuple[Row, ...]:
        """The rows of a photo among those that are shared: of the plan's models, with its covers
        painted over."""
        if edit is None:
            return self.unedited(number)
        photo = self.scored.photos[number]
        (seen,) = self.score(photo, [edit])[1]
        if edit.covers:
            seen = (*self.score_filled(photo, edit), *seen[len(self.scored.models) :])
        return seen

    def score_filled(self, photo: Photo, edit: Edit) -> tuple[Row, ...]:
        """The rows of the plan's models for a version whose covers somebody paints over."""
        key = photo.id, edit
        if key not in self._filled:
            (rendition,) = self._render(photo, [edit])
            assert rendition is not None, "it was rendered before"
            try:
                content = fill_covers(rendition.content, edit)
            finally:
                rendition.forget()
            rows = []
            for scorer in self._scorers[: len(self.scored.models)]:
                painted = Scored(photo.id, photo.path, content)
                (outcome,) = each(scorer, [painted], cache=self._cache)
                if outcome.row is None:
                    raise FileError(f"an edited version cannot be scored: {outcome.problem}")
                self.runs += not outcome.cached
                rows.append(outcome.row)
            self._filled[key] = tuple(rows)
        return self._filled[key]

    def _finds(
        self, model: int, threat: Threat, rows: Mapping[int, Row], numbers: Sequence[int]
    ) -> bool:
        """Whether a model has what a threat is about among its first places, by these photos."""
        about = self._scorers[model].load()
        if threat.circles is None or about.points is None:
            return False
        table = np.array([rows[n] for n in numbers], dtype=np.float64)
        return guesses_near(about, table, threat.circles, self.first)

    def unedited(self, number: int) -> tuple[Row, ...]:
        """The rows of a photo as it is, by every model."""
        photo, models = self.scored.photos[number], self.scored.models
        rows = [model.scores.values[number].astype(np.float32) for model in models]
        for scorer in self._scorers[len(models) :]:
            content = Scored(photo.id, photo.path, photo.rendition.content)
            (outcome,) = each(scorer, [content], cache=self._cache)
            if outcome.row is None:
                raise FileError(f"a photo cannot be scored: {outcome.problem}")
            self.runs += not outcome.cached
            rows.append(outcome.row)
        return tuple(rows)


class _PhotoSearch:
    """The search for versions of one photo."""

    def __init__(
        self,
        search: EditSearch,
        number: int,
        required: tuple[Rectangle, ...],
        progress: Callable[[int], None],
    ) -> None:
        self._search, self._required, self._progress = search, required, progress
        self._photo = search.scored.photos[number]
        self._unedited = search.unedited(number)
        hidden = search.hidden
        pairs = list(zip(hidden, self._unedited, strict=True))
        self._odds = [cells.odds(row) for cells, row in pairs]
        self._lead = [cells.lead(row, search.first) for cells, row in pairs]
        self._seen: dict[Edit, _Seen] = {}
        self._runs = 0

    def run(self, wanted: Sequence[Edit], kind: EditKind) -> tuple[ScoredVersion, ...]:
        drawn = [
            self._edit(edit.crop, *edit.covers)
            for edit in wanted
            if len({*edit.covers, *self._required}) <= MAX_COVERS
        ]
        least = [self._edit(None)] if self._required else []
        self._try([*least, *drawn], any_loss=True)
        if kind != "none":
            covers = [self._edit(None, tile) for tile in _tiles()] if kind != "crop" else []
            crops = [self._edit(crop) for crop in _crops()] if kind != "cover" else []
            self._try([*covers, *crops])
            self._try([*self._joined(), *self._deeper_crops()])
            if not self._cheapest:
                deep = [self._edit(crop) for crop in _deep_crops()] if kind != "cover" else []
                self._try([*self._combined(), *deep])
            self._try(self._shrunk())
        return self._choose({*least, *drawn})

    def _edit(self, crop: Rectangle | None, *covers: Rectangle) -> Edit:
        return Edit(crop, (*covers, *self._required))

    def _try(self, edits: Sequence[Edit], *, any_loss: bool = False) -> None:
        """Score what was not scored yet, loses no more than it may, and fits the limit of runs."""
        weights, limit = self._search.weights, self._search.max_loss
        own = len(self._search.scored.models)
        fresh = [
            edit
            for edit in dict.fromkeys(edits)
            if edit not in self._seen and (any_loss or weights.loss(edit) <= limit)
        ]
        fresh = fresh[: max(0, MAX_RUNS - self._runs)]
        if not fresh:
            return
        self._runs += len(fresh)
        for edit, rows in zip(*self._search.score(self._photo, fresh), strict=True):
            pairs = list(zip(self._search.hidden, rows, strict=True))
            falls = [m - cells.odds(row) for m, (cells, row) in zip(self._odds, pairs, strict=True)]
            leads = [cells.lead(row, self._search.first) for cells, row in pairs]
            for number in range(own, len(falls)):
                cells, row = pairs[number]
                if leads[number] <= 0 or cells.odds(row) <= cells.odds(np.zeros(len(row))):
                    falls[number] = math.inf
            falls = [*falls[:own], *self._search.by_kind(falls[own:])]
            less = [m - lead for m, lead in zip(self._lead, leads, strict=True)]
            cost = edit_cost(weights.loss(edit))
            harmless = max(leads[:own]) < -self._search.margin and self._is_harmless(
                rows, min(falls)
            )
            self._seen[edit] = _Seen(edit, cost, rows, tuple(falls), min(less), harmless)
        self._progress(self._search.runs)

    def _is_harmless(self, rows: Sequence[Row], confirmed: float) -> bool:
        """Whether a version does not tell what is hidden alone, as far as it is confirmed."""
        pairs = zip(self._search.hidden, self._discounted(rows, confirmed), strict=False)
        leads = [cells.lead(row, self._search.first) for cells, row in pairs]
        return max(leads) < -self._search.margin

    def _discounted(self, rows: Sequence[Row], confirmed: float) -> tuple[Row, ...]:
        """What the plan's models see in a version, as far as it is confirmed."""
        own = len(self._search.scored.models)
        return tuple(
            discounted_row(cells, unedited, row, max(confirmed, 0.0))
            for cells, unedited, row in zip(
                self._search.hidden[:own], self._unedited, rows, strict=False
            )
        )

    @property
    def _cheapest(self) -> list[_Seen]:
        """The versions that do not tell what is hidden alone, the cheapest first."""
        harmless = [seen for seen in self._seen.values() if seen.harmless]
        return sorted(harmless, key=lambda seen: (seen.cost, -seen.confirmed))

    def _best(self, candidates: Iterable[_Seen], count: int) -> list[_Seen]:
        """Those that hide most, and those that hide most for what they cost, in turn."""
        useful = [seen for seen in candidates if seen.confirmed > 0]
        by_fall = sorted(useful, key=lambda seen: -seen.confirmed)
        by_price = sorted(useful, key=lambda seen: -seen.confirmed / float(seen.cost))
        turns = [seen for pair in zip(by_price, by_fall, strict=True) for seen in pair]
        return list(dict.fromkeys(turns))[:count]

    def _joined(self) -> list[Edit]:
        """Rectangles of several tiles, two covers, and a crop with a cover, most promising first.

        The sum of what tiles hide alone is only a guide to what is worth scoring.
        """
        fall = {
            tile: seen.confirmed
            for tile in _tiles()
            if (seen := self._seen.get(self._edit(None, tile))) is not None
        }
        best_tiles = sorted((tile for tile in fall if fall[tile] > 0), key=lambda t: -fall[t])
        if not best_tiles:
            return []
        areas = sorted({merge([first, last]) for first in fall for last in fall})
        joined: dict[int, list[tuple[float, Rectangle]]] = {2: [], 4: [], 8: []}
        for area in areas:
            parts = [tile for tile in fall if area.contains(tile)]
            size = next((size for size in joined if 1 < len(parts) <= size), None)
            if size is not None:
                joined[size].append((-sum(fall[tile] for tile in parts), area))
        edits = [self._edit(None, min(group)[1]) for group in joined.values() if group]
        apart = [tile for tile in best_tiles[1:] if not tile.overlaps(best_tiles[0])]
        edits += [self._edit(None, best_tiles[0], tile) for tile in apart[:1]]
        crops = self._best((s for s in self._seen.values() if s.edit.crop is not None), 1)
        edits += [self._edit(seen.edit.crop, best_tiles[0]) for seen in crops]
        return edits

    def _deeper_crops(self) -> list[Edit]:
        """The two best crops at once, and the best one half as deep."""
        crops = [
            seen.edit.crop
            for seen in self._best((s for s in self._seen.values() if s.edit.crop is not None), 2)
            if seen.edit.crop is not None
        ]
        edits = []
        if len(crops) == 2:
            first, second = crops
            left, top = max(first.left, second.left), max(first.top, second.top)
            right, bottom = min(first.right, second.right), min(first.bottom, second.bottom)
            edits.append(self._edit(Rectangle(left, top, right, bottom)))
        for crop in crops[:1]:
            sides = (crop.left, crop.top, FULL - crop.right, FULL - crop.bottom)
            left, top, right, bottom = (side // 2 for side in sides)
            edits.append(self._edit(Rectangle(left, top, FULL - right, FULL - bottom)))
        return edits

    def _combined(self) -> list[Edit]:
        """The versions that hide most, two at a time: for photos that no single part tells."""
        useful = [seen for seen in self._seen.values() if seen.confirmed > 0]
        strongest = sorted(useful, key=lambda seen: -seen.confirmed)
        covers = [seen.edit for seen in strongest if seen.edit.crop is None]
        crops = [seen.edit.crop for seen in strongest if seen.edit.crop is not None]
        edits = []
        for first, second in pairwise(covers[:3]):
            parts = {*self._own_covers(first), *self._own_covers(second)}
            parts = {p for p in parts if not any(o != p and o.contains(p) for o in parts)}
            if len(parts) > MAX_OWN_COVERS:
                parts = {merge(parts)}
            edits.append(self._edit(None, *parts))
        if crops and covers:
            edits.append(self._edit(crops[0], *self._own_covers(covers[0])))
        return edits

    def _shrunk(self) -> list[Edit]:
        """The best covers with one side drawn in."""
        covered = (seen for seen in self._seen.values() if self._own_covers(seen.edit))
        edits = []
        harmless = [seen for seen in self._cheapest if self._own_covers(seen.edit)]
        for seen in harmless[:2] or self._best(covered, 2):
            for cover in self._own_covers(seen.edit):
                others = [other for other in self._own_covers(seen.edit) if other != cover]
                width, height = cover.right - cover.left, cover.bottom - cover.top
                for left, top, right, bottom in (
                    (_STEP, 0, 0, 0), (0, _STEP, 0, 0), (0, 0, _STEP, 0), (0, 0, 0, _STEP),
                ):  # fmt: skip
                    if left + right < width and top + bottom < height:
                        smaller = Rectangle(
                            cover.left + left,
                            cover.top + top,
                            cover.right - right,
                            cover.bottom - bottom,
                        )
                        edits.append(self._edit(seen.edit.crop, smaller, *others))
        return edits

    def _own_covers(self, edit: Edit) -> list[Rectangle]:
        return [cover for cover in edit.covers if cover not in self._required]

    def _choose(self, always: set[Edit]) -> tuple[ScoredVersion, ...]:
        """The versions that no other beats, thinned out where there are too many."""
        seen = list(self._seen.values())
        front = [
            one
            for one in seen
            if one.edit in always
            or (one.confirmed > 0 and not any(other.beats(one) for other in seen))
        ]
        front.sort(key=lambda one: (one.cost, -one.confirmed, one.edit in always))
        needed = {*always, *(one.edit for one in self._cheapest[:1])}
        count = MAX_VERSIONS - (not self._required)
        while len(front) > count:
            # the one that adds least to those before it
            steps = [
                (front[n].confirmed - max((e.confirmed for e in front[:n]), default=0.0), n)
                for n in range(len(front))
                if front[n].edit not in needed
            ]
            if not steps:
                break
            del front[min(steps)[1]]
        own = len(self._search.scored.models)
        versions = [
            ScoredVersion(
                one.edit, one.cost, self._discounted(one.rows, one.confirmed), one.rows[:own]
            )
            for one in front
        ]
        if not self._required:
            versions.insert(0, ScoredVersion(None, Fraction(0), self._unedited[:own]))
        return tuple(versions)


def discounted_row(hidden: HiddenCells, unedited: Row, edited: Row, confirmed: float) -> Row:
    """The row of a version by which the log of the odds falls by no more than `confirmed`.

    It lies between the rows of the photo as it is and as edited, near the first where little is
    confirmed. Near what is hidden it is never below the edited row, elsewhere never above.
    """
    start = hidden.odds(unedited)
    if start - hidden.odds(edited) <= confirmed:
        return edited
    difference = edited - unedited

    def between(share: float) -> Row:
        mixed: Row = (unedited + share * difference).astype(np.float32)
        row = np.minimum(mixed, edited)
        row[hidden.near] = np.maximum(mixed, edited)[hidden.near]
        return row

    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if start - hidden.odds(between(middle)) > confirmed:
            high = middle
        else:
            low = middle
    return between(low)


def _tiles() -> list[Rectangle]:
    return [
        Rectangle(left, top, left + _TILE, top + _TILE)
        for top in range(0, FULL, _TILE)
        for left in range(0, FULL, _TILE)
    ]


def _crops() -> list[Rectangle]:
    """Towards the middle and each corner, and a strip off each side."""
    cut = FULL - _KEPT
    inward = [
        Rectangle(left, top, left + _KEPT, top + _KEPT)
        for left, top in ((cut // 2, cut // 2), (0, 0), (cut, 0), (0, cut), (cut, cut))
    ]
    strips = [
        Rectangle(0, _STRIP, FULL, FULL),
        Rectangle(0, 0, FULL, FULL - _STRIP),
        Rectangle(_STRIP, 0, FULL, FULL),
        Rectangle(0, 0, FULL - _STRIP, FULL),
    ]
    return [*inward, *strips]


def _deep_crops() -> list[Rectangle]:
    """The middle, each corner and each half, as much of them as loses half of a picture."""
    cut, half = FULL - _DEEP, FULL // 2
    middle = Rectangle(cut // 2, cut // 2, FULL - cut // 2, FULL - cut // 2)
    corners = [
        Rectangle(left, top, left + _DEEP, top + _DEEP) for left in (0, cut) for top in (0, cut)
    ]
    halves = [
        Rectangle(0, 0, half, FULL),
        Rectangle(half, 0, FULL, FULL),
        Rectangle(0, half, FULL, FULL),
    ]
    return [middle, *corners, *halves]
