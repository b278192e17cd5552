"""What attackers believe, quickly: the parts of an audit that change with every click.

An audit says much more, and takes longer than a click may. Here are its ranks, probabilities and
shares, by its own functions, for the watches of one choice of places; what does not depend on the
plan is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elsewhere.app.api import models
from elsewhere.audit.inference import Floats, basis, gains, own_ranks, rank
from elsewhere.globe import Cells, cell_names, cell_towns
from elsewhere.scorers.calibration import combine_rows
from elsewhere.service import ScoredAlbum
from elsewhere.service.album_audit import world
from elsewhere.service.infeasibility import named
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import Posted
from elsewhere.service.threats import Threat

Mask = NDArray[np.bool_]
Tables = dict[tuple[str, tuple[str, ...]], Floats]
"""By scorer, and by what is posted behind the album's own rows."""
FEW = 5
"""Guesses that are named in a view."""


class BeliefView:
    """The watches of one choice of places, each looked through at any set of shared photos."""

    def __init__(
        self,
        seen: ScoredAlbum,
        watches: Sequence[Threat],
        posted: Posted,
        tables: Tables | None = None,
    ) -> None:
        """`tables` are shared by all looks at one album, for they are large."""
        self.seen, self.watches, self.posted = seen, tuple(watches), posted
        self._photos = len(seen.photos)
        self._tables: Tables = {} if tables is None else tables

    @cached_property
    def before(self) -> list[models.ViewModel]:
        """Every view of the album as it is."""
        found = [self.view(number, None) for number in range(len(self.watches))]
        return [one for one in found if one is not None]

    @cached_property
    def names(self) -> list[str]:
        """The watches for people."""
        words = [attack.word for attack in self.seen.attacks]
        return [named(watch, words) for watch in self.watches]

    @cached_property
    def own_ranks(self) -> list[int | None]:
        """For each photo, where its place stands by it alone, by the first scorer."""
        found: list[int | None] = [None] * self._photos
        for number in self._shown:
            watch = self.watches[number]
            stands = own_ranks(self._rows(number), watch.zone.cells)
            for photo in self._sees(number):
                if photo < self._photos and found[photo] is None:
                    found[photo] = int(stands[photo])
        return found

    def after(self, kept: Sequence[int]) -> list[models.ViewModel]:
        """Every view of what would be shared."""
        found = [self.view(number, kept) for number in range(len(self.watches))]
        return [one for one in found if one is not None]

    def shares(self, plan: AlbumPlan | None) -> list[float | None]:
        """What each photo does against the plan's decoys, by the first scorer that sees it."""
        found: list[float | None] = [None] * self._photos
        for number in self._shown:
            watch, sees = self.watches[number], self._sees(number)
            rivals, margin = None, 0.0
            if plan is not None and plan.plan.views:
                held = plan.plan.views[number].rivals
                rivals = (held[: plan.wishes.top] if plan.wishes.top is not None else held) or None
                margin = plan.plan.promise.against[number].margin
            measured = basis(self._rows(number, sees), watch.zone.cells, rivals)
            for photo, gain in zip(sees, gains(measured, margin).tolist(), strict=True):
                if photo < self._photos and found[photo] is None:
                    found[photo] = round(gain, 4)
        return found

    def view(self, number: int, kept: Sequence[int] | None) -> models.ViewModel | None:
        """One watch; None where it sees no photo at all."""
        watch, seen = self.watches[number], self._public(number, kept)
        if not seen:
            return None
        values, attack = self._rows(number, seen), self.seen.attacks[watch.attack]
        likely = np.exp(combine_rows(values, attack.about.exponents))
        return models.ViewModel(
            scorer=attack.word,
            hides=watch.hides,
            whole=watch.whole,
            photos=len(seen),
            cells=attack.about.cells,
            rank=rank(values, watch.zone.cells),
            p=min(1.0, float(likely[watch.zone.cells].sum())),
            guesses=guesses(likely, attack.about.globe, FEW),
        )

    def likely(self, number: int, kept: Sequence[int] | None) -> Floats | None:
        """What one watch believes of every cell."""
        seen = self._public(number, kept)
        if not seen:
            return None
        about = self.seen.attacks[self.watches[number].attack].about
        found: Floats = np.exp(combine_rows(self._rows(number, seen), about.exponents))
        return found

    @cached_property
    def _shown(self) -> list[int]:
        """The first scorer's view of each place's own photos."""
        first: dict[str, int] = {}
        for number, watch in enumerate(self.watches):
            if watch.attack == 0:
                first.setdefault(watch.place.label, number)
        return list(first.values())

    def _sees(self, number: int) -> list[int]:
        sees = self.watches[number].sees
        return list(range(self._photos + len(self.posted.ids)) if sees is None else sees)

    def _public(self, number: int, kept: Sequence[int] | None) -> list[int]:
        sees = self._sees(number)
        if kept is None:
            return sees
        public = {*kept, *self.posted.already}
        return [photo for photo in sees if photo >= self._photos or photo in public]

    def _rows(self, number: int, photos: list[int] | None = None) -> Floats:
        """The rows of some photos, or of all, without the cells that a watch's audience rules
        out."""
        attack = self.watches[number].attack
        key = self.seen.attacks[attack].word, self.posted.ids
        if key not in self._tables:
            table = self.posted.behind(self.seen.attacks[attack].scores, attack)
            self._tables[key] = table.values.astype(np.float64)
        values = self._tables[key]
        if photos is not None and len(photos) < len(values):
            values = values[photos]
        possible = self._possible[attack]
        return values if possible is None else np.where(possible, values, -np.inf)

    @cached_property
    def _possible(self) -> dict[int, Mask | None]:
        """By attack: the cells that are possible at all; None where every one is."""
        found: dict[int, Mask | None] = {}
        for watch in self.watches:
            if watch.attack in found:
                continue
            cells = world(self.watches, watch)
            found[watch.attack] = None
            if cells is not None:
                possible = np.zeros(self.seen.attacks[watch.attack].about.cells, dtype=bool)
                possible[list(cells)] = True
                found[watch.attack] = possible
        return found


def guesses(likely: Floats, cells: Cells | None, many: int) -> list[models.GuessModel]:
    """The likeliest cells, by name."""
    first = np.argsort(-likely, kind="stable")[:many].tolist()
    return [guess(cell, cells, float(likely[cell])) for cell in first]


def guess(cell: int, cells: Cells | None, chance: float) -> models.GuessModel:
    """A cell by its name."""
    chance = min(1.0, max(0.0, chance))
    if cells is None:
        return models.GuessModel(cell=cell, name=f"cell {cell}", lat=None, lon=None, p=chance)
    lat, lon = cell_towns(cells)
    return models.GuessModel(
        cell=cell,
        name=cell_names(cells)[cell],
        lat=float(lat[cell]),
        lon=float(lon[cell]),
        p=chance,
    )
