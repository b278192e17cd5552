"""Refuse what cannot be as early as it is known, with the error that the plan would raise.

Slips in what was typed are known at once; how many cells there are, once the scorers are loaded;
the album's places, once the photos are read and long before all are scored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from elsewhere.album import Album, Photo
from elsewhere.album.places import AlbumPlace, Places, places_of
from elsewhere.errors import InputError, PlaceError
from elsewhere.globe import Place, place, places as called
from elsewhere.scorers import ScorerInfo
from elsewhere.service.photo_selection import budget_of, photo_values, select_pinned
from elsewhere.service.places import select_places
from elsewhere.service.threats import check_top, zones_and_rivals
from elsewhere.solver.plans import read_limits
from elsewhere.values.wishes import Wishes, margin
from elsewhere.values.wording import printable

_WORDS = {"all", "home"}
_NUMBERED = re.compile(r".*\(\d+\)\s*")
"""How places of one name are told apart in an album; no gazetteer knows them by it."""


def check_wishes(wishes: Wishes) -> None:
    """Refuse what is wrong whatever the photos are."""
    margin(wishes.margin)
    _ = wishes.width  # refuses a level that is none, and a radius beside one
    if wishes.top is not None and (isinstance(wishes.top, bool) or wishes.top < 1):
        raise InputError(f"top is a number of guesses from 1 on, not {wishes.top}")
    if wishes.budget is not None:
        budget_of(wishes.budget, 0)
    if wishes.time_limit is not None and not wishes.time_limit >= 0:
        raise InputError(f"a time limit is a number of seconds, not {wishes.time_limit:g}")
    read_limits(wishes.time_limit, wishes.work_limit)
    if wishes.prior is not None:
        place(wishes.prior)
    for text in wishes.hide:
        known = text.strip().lower() in _WORDS or _NUMBERED.fullmatch(text)
        if not known and not called(text):
            raise PlaceError(f"no place is called {text.strip()!r}: nothing can be hidden by it")


def check_paths(paths: Sequence[Path]) -> None:
    """Refuse what is counted as public and is not there."""
    for path in paths:
        if not path.exists():
            raise InputError(
                f"{printable(path)} does not exist: name what is public already, or leave it out"
            )


@dataclass
class EarlyChecks:
    """Called twice by `score_album`: when the scorers are loaded, and when the album is read."""

    wishes: Wishes
    at: Sequence[Place] | None = None
    _scorers: Sequence[tuple[str, ScorerInfo]] = field(default=(), init=False)
    _photos: Sequence[Photo] = field(default=(), init=False)
    _places: Places = field(default_factory=lambda: Places(()), init=False)

    def loaded(self, scorers: Sequence[tuple[str, ScorerInfo]]) -> None:
        """Refuse a top that these scorers have no cells for, with what is told of the place."""
        self._scorers = scorers
        for _, about in scorers:
            check_top(self.wishes.top, about.cells - 1)
        if self.at and all(text.strip().lower() == "all" for text in self.wishes.hide):
            # photos may make what is hidden wider, never narrower
            self._check_rivals(places_of((), at=self.at).places)

    def read(self, album: Album) -> None:
        """Refuse photos and places that the album does not have, and what leaves no rivals."""
        if not album.photos:
            return  # why there is none is what the user has to hear
        wishes, places = self.wishes, self.places_of(album.photos)
        if places:
            chosen = select_places(places, album.photos, wishes.hide)
            self._check_rivals(chosen.hidden)
        select_pinned(wishes.keep, wishes.drop, [photo.id for photo in album.photos], album.left)
        photo_values(album.photos, wishes.values, stars=wishes.stars, left=album.left)

    def _check_rivals(self, hidden: Sequence[AlbumPlace]) -> None:
        """Refuse what leaves too few rivals."""
        wishes = self.wishes
        prior = None if wishes.prior is None else place(wishes.prior)
        for spec, about in self._scorers:
            _, rivals = zones_and_rivals(spec, about, hidden, wishes.width, prior)
            check_top(wishes.top, len(rivals))

    def places_of(self, photos: Sequence[Photo]) -> Places:
        """The places of these photos; of those that were read, as they were found before."""
        if self._photos != photos:
            self._photos, self._places = photos, places_of(photos, at=self.at)
        return self._places
