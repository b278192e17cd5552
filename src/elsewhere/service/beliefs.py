"""What attackers believe, quickly: the parts of an audit that change with every click.

A whole audit takes longer than a click may. Here are its ranks, probabilities and shares, by its
own functions, for the threats of one choice of places. What does not depend on the plan is
computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elsewhere.audit import Guess
from elsewhere.audit.inference import Floats, basis, gains, own_ranks, rank
from elsewhere.globe import Cells, cell_names, cell_towns
from elsewhere.messages import threat_name
from elsewhere.scorers.protocol import combine_rows, exponent, log_softmax
from elsewhere.service.album_audit import possible_cells
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat

ScoreCache = dict[tuple[str, tuple[str, ...]], Floats]
"""Scores by model, and by what is posted beside the album's own photos."""
GUESS_COUNT = 5
"""Guesses that are named in a belief."""


@dataclass(frozen=True)
class Belief:
    """What one attacker believes of one hidden place, from some photos."""

    threat: Threat
    scorer: str
    photos: int
    cells: int
    rank: int
    probability: float
    guesses: tuple[Guess, ...]


class Beliefs:
    """The threats of one choice of places, each over any set of shared photos."""

    def __init__(
        self,
        scored: ScoredAlbum,
        threats: Sequence[Threat],
        posted: Posted,
        cache: ScoreCache | None = None,
    ) -> None:
        """`cache` is shared by all beliefs about one album, for it is large."""
        self.scored, self.threats, self.posted = scored, tuple(threats), posted
        self._photos = len(scored.photos)
        self._cache: ScoreCache = {} if cache is None else cache

    @cached_property
    def before(self) -> tuple[Belief, ...]:
        """Every belief from the album as it is."""
        return self.after(None)

    def after(self, kept: Sequence[int] | None) -> tuple[Belief, ...]:
        """Every belief from what would be shared; threats that see no photo are left out."""
        beliefs = (self.belief(number, kept) for number in range(len(self.threats)))
        return tuple(belief for belief in beliefs if belief is not None)

    @cached_property
    def names(self) -> list[str]:
        """The threats for people."""
        several = len(self.scored.models) > 1
        models = [model.spec if several else "" for model in self.scored.models]
        return [threat_name(one.hidden_name, one.own, models[one.model]) for one in self.threats]

    @cached_property
    def own_ranks(self) -> list[int | None]:
        """For each photo, the rank of its place by that photo alone, for the first model."""
        ranks: list[int | None] = [None] * self._photos
        for number in self._first_threats:
            by_photo = own_ranks(self._rows(number), self.threats[number].zone.cells)
            for photo in self._visible(number):
                if photo < self._photos and ranks[photo] is None:
                    ranks[photo] = int(by_photo[photo])
        return ranks

    def shares(self, plan: AlbumPlan | None) -> list[float | None]:
        """What each photo does against the plan's decoys, by the first threat that sees it."""
        shares: list[float | None] = [None] * self._photos
        for number in self._first_threats:
            visible = self._visible(number)
            rivals, margin = None, 0.0
            if plan is not None and plan.plan.views:
                named_rivals = plan.plan.views[number].rivals
                top = plan.wishes.top
                rivals = (named_rivals if top is None else named_rivals[:top]) or None
                margin = plan.plan.promise.against[number].margin
            measured = basis(self._rows(number, visible), self.threats[number].zone.cells, rivals)
            for photo, gain in zip(visible, gains(measured, margin).tolist(), strict=True):
                if photo < self._photos and shares[photo] is None:
                    shares[photo] = round(gain, 4)
        return shares

    def belief(self, number: int, kept: Sequence[int] | None) -> Belief | None:
        """What one threat believes; None where it sees no photo at all."""
        threat, photos = self.threats[number], self._shared(number, kept)
        if not photos:
            return None
        rows, attack = self._rows(number, photos), self.scored.models[threat.model]
        probabilities = np.exp(combine_rows(rows, attack.about.exponents))
        return Belief(
            threat=threat,
            scorer=attack.spec,
            photos=len(photos),
            cells=attack.about.cells,
            rank=rank(rows, threat.zone.cells),
            probability=min(1.0, float(probabilities[threat.zone.cells].sum())),
            guesses=likeliest_cells(probabilities, attack.about.globe, GUESS_COUNT),
        )

    def probabilities(self, number: int, kept: Sequence[int] | None) -> Floats | None:
        """How probable one threat finds every cell; None where it sees no photo at all."""
        photos = self._shared(number, kept)
        if not photos:
            return None
        about = self.scored.models[self.threats[number].model].about
        probabilities: Floats = np.exp(combine_rows(self._rows(number, photos), about.exponents))
        return probabilities

    def first_model_threats(self, photo: int) -> list[int]:
        """The first model's threats that see a photo, by number."""
        return [
            number
            for number, threat in enumerate(self.threats)
            if threat.model == 0 and (threat.sees is None or photo in threat.sees)
        ]

    @cached_property
    def _first_threats(self) -> list[int]:
        """The first model's threat over each place's own photos."""
        first: dict[str, int] = {}
        for number, threat in enumerate(self.threats):
            if threat.model == 0:
                first.setdefault(threat.place.label, number)
        return list(first.values())

    def _visible(self, number: int) -> list[int]:
        visible = self.threats[number].sees
        return list(range(self._photos + len(self.posted.ids)) if visible is None else visible)

    def _shared(self, number: int, kept: Sequence[int] | None) -> list[int]:
        visible = self._visible(number)
        if kept is None:
            return visible
        public = {*kept, *self.posted.already}
        return [photo for photo in visible if photo >= self._photos or photo in public]

    def _rows(self, number: int, photos: list[int] | None = None) -> Floats:
        """The rows of some photos, or of all, without the cells that the audience rules out."""
        attack = self.threats[number].model
        key = self.scored.models[attack].spec, self.posted.ids
        if key not in self._cache:
            scores = self.posted.append_to(self.scored.models[attack].scores, attack)
            self._cache[key] = scores.values.astype(np.float64)
        rows = self._cache[key]
        if photos is not None and len(photos) < len(rows):
            rows = rows[photos]
        possible = self._possible[attack]
        return rows if possible is None else np.where(possible, rows, -np.inf)

    @cached_property
    def _possible(self) -> dict[int, NDArray[np.bool_] | None]:
        """By model: the cells that are possible at all; None where every cell is."""
        masks: dict[int, NDArray[np.bool_] | None] = {}
        for threat in self.threats:
            if threat.model in masks:
                continue
            masks[threat.model] = None
            cells = possible_cells(self.threats, threat)
            if cells is not None:
                mask = np.zeros(self.scored.models[threat.model].about.cells, dtype=bool)
                mask[list(cells)] = True
                masks[threat.model] = mask
        return masks


def album_guesses(scored: ScoredAlbum, count: int) -> tuple[Guess, ...]:
    """What the first model thinks of the whole album."""
    attack = scored.models[0]
    probabilities = np.exp(combine_rows(attack.scores.values, attack.about.exponents))
    return likeliest_cells(probabilities, attack.about.globe, count)


def photo_probabilities(scored: ScoredAlbum, photo: int) -> Floats:
    """How probable the first model finds every cell by one photo alone."""
    attack = scored.models[0]
    row = attack.scores.values[photo].astype(np.float64)
    probabilities: Floats = np.exp(log_softmax(exponent(attack.about.exponents, 1) * row))
    return probabilities


def likeliest_cells(probabilities: Floats, cells: Cells | None, count: int) -> tuple[Guess, ...]:
    """The likeliest cells, by name."""
    first = np.argsort(-probabilities, kind="stable")[:count].tolist()
    return tuple(named_cell(cell, cells, float(probabilities[cell])) for cell in first)


def named_cell(cell: int, cells: Cells | None, probability: float = 0.0) -> Guess:
    """A cell by its name."""
    probability = min(1.0, max(0.0, probability))
    if cells is None:
        return Guess(cell, f"cell {cell}", None, None, probability)
    lat, lon = cell_towns(cells)
    return Guess(cell, cell_names(cells)[cell], float(lat[cell]), float(lon[cell]), probability)
