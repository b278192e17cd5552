"""Whole jobs on an album, from its files to the result, for every surface alike.

Errors come as early as possible, with the plan's own sentence: slips in the wishes at once, too few
cells once the scorers are loaded, wrong places once the photos are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from elsewhere.album import Album, Photo, Recipe, Step
from elsewhere.album.export import Names, Order
from elsewhere.album.places import Places, places_of
from elsewhere.errors import ElsewhereError, InputError, PlaceError
from elsewhere.globe import Place, place, places as called
from elsewhere.scorers import RowCache, ScorerInfo
from elsewhere.service.album_audit import Opinions, second_opinions, with_second_heads
from elsewhere.service.export import Export, check_copy_target, export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.planning import AlbumPlan, evaluate_alternatives, plan_album
from elsewhere.service.posted import NOTHING_POSTED, Posted, Sketches, find_posted
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.selection import (
    NowhereError,
    budget_of,
    guesses,
    photo_values,
    select_pinned,
    select_places,
)
from elsewhere.service.threats import check_top, zones_and_rivals
from elsewhere.solver.plans import read_limits
from elsewhere.values.margins import margin
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import printable

Progress = Callable[[Step], None]


@dataclass(frozen=True)
class OpenedAlbum:
    """An album that was read and scored, with its places and what is public already."""

    scored: ScoredAlbum
    places: Places
    posted: Posted
    opinions: Opinions


@dataclass(frozen=True)
class ProtectedAlbum:
    """All that came of one album."""

    scored: ScoredAlbum
    plan: AlbumPlan
    export: Export | None = None
    """The copy; None on a dry run, and where there is no plan."""
    report: Path | None = None
    """The private report, where one was written."""
    report_error: BaseException | None = None
    """Why there is no report although one was wanted; the copy is there and proved."""

    @property
    def withheld(self) -> list[str]:
        """The names of the photos that are not in the copy; none where there is to be no copy."""
        photos = self.scored.photos
        if self.plan.empty:
            return []
        return [photos[n].id for n in self.plan.plan.withheld if n < len(photos)]

    @property
    def kept(self) -> list[str]:
        """The names of the photos that are in the copy, or would be."""
        photos = self.scored.photos
        if self.plan.empty:
            return []
        return [
            photos[n].id for n in self.plan.posted.newly_shared(self.plan.plan.kept, len(photos))
        ]


@contextmanager
def open_album(
    paths: Sequence[Path],
    wishes: Wishes,
    *,
    at: Sequence[Place] | None = None,
    scorers: Sequence[str] = ("embedded",),
    recipe: Recipe | None = None,
    cache: bool = True,
    posted: Sequence[Path] = (),
    ledger: Ledger | None = None,
    keep: bool = True,
    need_place: bool = True,
    opinions: bool = False,
    progress: Progress = lambda step: None,
) -> Iterator[OpenedAlbum]:
    """Read and score an album, find its places and what is public; close it in the end.

    What cannot be is refused as early as it is known. `posted` are files that are public already;
    the `ledger` knows others. Whoever exports nothing does not `keep` the renditions. Without a
    place a NowhereError carries what the models guess, unless none is needed. `opinions` asks
    the other heads of the scorers too.
    """
    check_wishes(wishes, posted)
    early = EarlyChecks(wishes, at)
    rows, sketches = RowCache() if cache else None, Sketches()
    specs = tuple(dict.fromkeys(scorers))
    scored = score_album(
        paths,
        scorers=with_second_heads(specs) if opinions else specs,
        recipe=recipe,
        cache=rows,
        progress=progress,
        check_scorers=early.check_scorers,
        check_album=early.check_album,
        keep=keep,
        inspect=sketches if posted else None,
    )
    try:
        second: Opinions = {}
        if opinions:
            scored, second = second_opinions(scored, specs)
        places = early.places
        if early.photos != scored.photos:  # some could not be scored
            places = places_of(scored.photos, at=at)
        if need_place and not places:
            raise NowhereError(guesses(scored))
        public = NOTHING_POSTED
        if posted or ledger is not None:
            public = find_posted(
                scored, places, wishes, posted, ledger=ledger, cache=rows, sketches=sketches
            )
        yield OpenedAlbum(scored, places, public, second)
    finally:
        scored.close()


def protect_album(
    paths: Sequence[Path],
    target: Path | None,
    wishes: Wishes,
    *,
    at: Sequence[Place] | None = None,
    scorers: Sequence[str] = ("embedded",),
    recipe: Recipe | None = None,
    cache: bool = True,
    posted: Sequence[Path] = (),
    ledger: Ledger | None = None,
    remember: bool = False,
    private: Path | None = None,
    order: Order = "shuffled",
    names: Names = "neutral",
    command: str | None = None,
    progress: Progress = lambda step: None,
) -> ProtectedAlbum:
    """The whole job: open an album, plan, write the proved copy and its report.

    Without a `target` all but the copy. `remember` writes the copy down in the ledger. With a
    `command` there is a report that names it.
    """
    check_wishes(wishes)
    if target is not None:  # nobody waits for what cannot be written
        folders = [path for path in paths if path.is_dir()]
        check_copy_target(folders, target, private, order=order, names=names)
    with open_album(
        paths,
        wishes,
        at=at,
        scorers=scorers,
        recipe=recipe,
        cache=cache,
        posted=posted,
        ledger=ledger,
        keep=target is not None,
        progress=progress,
    ) as album:
        progress(Step("planning", 0, 0))
        plan = plan_album(album.scored, album.places, wishes, posted=album.posted)
        if plan.advice is not None:
            plan = evaluate_alternatives(album.scored, plan)
        progress(Step("planning", 1, 1))
        planned = ProtectedAlbum(album.scored, plan)
        if target is None or not planned.kept:
            return planned
        return export_with_report(
            planned,
            target,
            private=private,
            order=order,
            names=names,
            ledger=ledger if remember else None,
            command=command,
            progress=progress,
        )


def export_with_report(
    planned: ProtectedAlbum,
    target: Path,
    *,
    private: Path | None = None,
    order: Order = "shuffled",
    names: Names = "neutral",
    ledger: Ledger | None = None,
    command: str | None = None,
    progress: Progress = lambda step: None,
) -> ProtectedAlbum:
    """The copy with its report, or with why there is none.

    Once the copy is proved and has its name, whatever goes wrong costs the report and not the copy:
    Ctrl-C too, and while the report's own modules are being loaded.
    """
    export = export_album(
        planned.scored,
        planned.plan,
        target,
        private=private,
        order=order,
        names=names,
        remember=ledger,
        progress=progress,
    )
    done = replace(planned, export=export)
    if command is None:
        return done
    try:
        progress(Step("telling", 0, 0))
        from elsewhere.service.report import write_report

        report = write_report(
            done.scored, done.plan, export.private, shared=export, command=command
        )
        progress(Step("telling", 1, 1))
    except (ElsewhereError, OSError, MemoryError, KeyboardInterrupt) as error:
        return replace(done, report_error=error)
    return replace(done, report=report)


_WORDS = {"all", "home"}
_NUMBERED = re.compile(r".*\(\d+\)\s*")
"""How places of one name are told apart in an album; no gazetteer knows them by it."""


def check_wishes(wishes: Wishes, posted: Sequence[Path] = ()) -> None:
    """Refuse what is wrong whatever the photos are; `posted` are files that are public already."""
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
            raise PlaceError(
                f"no place is called {text.strip()!r}: check the name, or give coordinates"
            )
    for path in posted:
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
    photos: Sequence[Photo] = field(default=(), init=False)
    places: Places = field(default_factory=lambda: Places(()), init=False)
    """The places of `photos`."""

    def check_scorers(self, scorers: Sequence[tuple[str, ScorerInfo]]) -> None:
        """Refuse a top that these scorers have no cells for, with what is told of the place."""
        self._scorers = scorers
        for _, about in scorers:
            check_top(self.wishes.top, about.cells - 1)
        if self.at and all(text.strip().lower() == "all" for text in self.wishes.hide):
            # photos may make what is hidden wider, never narrower
            places = places_of((), at=self.at).places
            for spec, about in scorers:
                zones_and_rivals(spec, about, places, self.wishes)

    def check_album(self, album: Album) -> None:
        """Refuse photos and places that the album does not have, and what leaves no rivals."""
        if not album.photos:
            return  # why there is none is what the user has to hear
        wishes, self.photos = self.wishes, album.photos
        self.places = places_of(album.photos, at=self.at)
        if self.places:
            chosen = select_places(self.places, album.photos, wishes.hide)
            for spec, about in self._scorers:
                zones_and_rivals(spec, about, chosen.hidden, wishes)
        select_pinned(wishes.keep, wishes.drop, [photo.id for photo in album.photos], album.skipped)
        photo_values(album.photos, wishes.values, stars=wishes.stars, skipped=album.skipped)
