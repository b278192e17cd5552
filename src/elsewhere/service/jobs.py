"""Whole jobs on an album, from its files to the result, for every surface alike.

Errors come as early as possible, with the plan's own sentence: slips in the wishes at once, too few
cells once the scorers are loaded, wrong places once the photos are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from elsewhere.album import Album, Photo, Recipe, Step
from elsewhere.album.export import Names, Order
from elsewhere.album.places import WIDEST_KM, Places, km_away, places_of
from elsewhere.errors import ElsewhereError, InputError, PlaceError
from elsewhere.globe import Place, place, place_label, places as called
from elsewhere.scorers import RowCache, ScorerInfo
from elsewhere.service.album_audit import (
    Beliefs,
    Opinions,
    second_opinions,
    with_second_heads,
)
from elsewhere.service.edit_planning import confirm_edits, plan_with_edits
from elsewhere.service.edited_album import apply_edits, with_public_versions
from elsewhere.service.export import Export, check_copy_target, export_album
from elsewhere.service.ledger import Ledger
from elsewhere.service.photo_texts import TextReader, inspect_all
from elsewhere.service.planning import AlbumPlan, evaluate_alternatives, plan_album, price_wishes
from elsewhere.service.posted import NOTHING_POSTED, Posted, Sketches, find_posted
from elsewhere.service.scored_album import ScoredAlbum, score_album
from elsewhere.service.scores import prove_plan
from elsewhere.service.selection import (
    NowhereError,
    budget_of,
    guesses,
    photo_values,
    select_edits,
    select_pinned,
    select_places,
)
from elsewhere.service.threats import check_top, threat_scores, zones_and_rivals
from elsewhere.solver.plans import read_limits
from elsewhere.values.margins import margin
from elsewhere.values.outcome import KeyNumbers
from elsewhere.values.proof import Proof
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import printable

Progress = Callable[[Step], None]

CONFIRMING = ("dino",)
"""Models of another kind, which must confirm how much an edit hides."""


def confirming(specs: Sequence[str]) -> tuple[str, ...]:
    """What must confirm the edits of an album that these models see.

    Models of another kind, and other heads of its own ones, trained on other photos.

    >>> confirming(["embedded"])
    ('dino', 'embedded:half_a', 'embedded:half_b')
    """
    return (*CONFIRMING, *(head for head in with_second_heads(specs) if head not in specs))


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
    numbers: KeyNumbers | None = None
    """What is said first."""
    proof: Proof | None = None
    """Why no plan is better, checked; None where it was not asked for or could not be written."""

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
    at_anyway: bool = False,
    scorers: Sequence[str] = ("embedded",),
    recipe: Recipe | None = None,
    cache: bool = True,
    posted: Sequence[Path] = (),
    ledger: Ledger | None = None,
    keep: bool = True,
    need_place: bool = True,
    opinions: bool = False,
    read_text: bool = True,
    progress: Progress = lambda step: None,
) -> Iterator[OpenedAlbum]:
    """Read and score an album, find its places and what is public; close it in the end.

    What cannot be is refused as early as it is known. `posted` are files that are public already;
    the `ledger` knows others. Whoever exports nothing does not `keep` the renditions. Without a
    place a NowhereError carries what the models guess, unless none is needed. `opinions` asks
    the other heads of the scorers too; `read_text` reads the signs and labels on the photos. Where
    the photos' own positions contradict `at`, that is an error, unless it is meant `at_anyway`.
    """
    check_wishes(wishes, posted)
    early = EarlyChecks(wishes, at, at_anyway=at_anyway)
    rows, sketches = RowCache() if cache else None, Sketches()
    specs = tuple(dict.fromkeys(scorers))
    with TextReader(rows) if read_text else nullcontext() as reader:
        scored = score_album(
            paths,
            scorers=with_second_heads(specs) if opinions else specs,
            recipe=recipe,
            cache=rows,
            progress=progress,
            check_scorers=early.check_scorers,
            check_album=early.check_album,
            keep=keep,
            inspect=inspect_all(sketches if posted else None, reader),
        )
    if reader is not None:
        scored = replace(scored, texts=reader.texts)
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
        scored = with_public_versions(scored, public.versions)
        yield OpenedAlbum(scored, places, public, second)
    finally:
        scored.close()


def protect_album(
    paths: Sequence[Path],
    target: Path | None,
    wishes: Wishes,
    *,
    at: Sequence[Place] | None = None,
    at_anyway: bool = False,
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
    read_text: bool = True,
    prove: bool = False,
    enough: Callable[[], bool] | None = None,
    progress: Progress = lambda step: None,
) -> ProtectedAlbum:
    """The whole job: open an album, plan, write the proved copy and its report.

    Without a `target` all but the copy. `remember` writes the copy down in the ledger. With a
    `command` there is a report that names it. Where the wishes allow it, photos are edited instead
    of withheld; no more edits are looked for once `enough` says so. `prove` also makes a proof that
    no plan is better.
    """
    check_wishes(wishes)
    editing = wishes.edits != "none" or bool(wishes.rectangles)
    if target is not None:  # nobody waits for what cannot be written
        folders = [path for path in paths if path.is_dir()]
        check_copy_target(folders, target, private, order=order, names=names)
    with open_album(
        paths,
        wishes,
        at=at,
        at_anyway=at_anyway,
        scorers=scorers,
        recipe=recipe,
        cache=cache,
        posted=posted,
        ledger=ledger,
        keep=target is not None or editing,
        read_text=read_text,
        progress=progress,
    ) as album:
        progress(Step("planning", 0, 0))
        plan = plan_album(album.scored, album.places, wishes, posted=album.posted, attacked=True)
        if editing:
            plan = plan_with_edits(
                album.scored,
                plan,
                confirm=confirming(scorers),
                cache=RowCache() if cache else None,
                stopped=enough,
                progress=progress,
            )
        if plan.advice is not None:
            plan = evaluate_alternatives(album.scored, plan)
        numbers = Beliefs(album.scored, plan.threats, plan.posted).key_numbers(plan)
        plan = price_wishes(album.scored, plan, numbers.by_ease)
        progress(Step("planning", 1, 1))
        planned = ProtectedAlbum(album.scored, plan, numbers=numbers)
        if prove:
            rows = threat_scores(album.scored, plan.threats, plan.posted, plan.versions)
            planned = replace(planned, proof=prove_plan(plan.plan, rows))
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
    cache: RowCache | None = None,
    progress: Progress = lambda step: None,
) -> ProtectedAlbum:
    """The copy with its report, or with why there is none.

    A plan whose edits were not confirmed together is shown to the models that confirm edits first,
    and refused where one of them finds the place.

    Once the copy is proved and has its name, whatever goes wrong costs the report and not the copy:
    Ctrl-C too, and while the report's own modules are being loaded.
    """
    scored = planned.scored
    plan = confirm_edits(
        scored,
        planned.plan,
        confirm=confirming([model.spec for model in scored.models]),
        cache=cache,
        progress=lambda runs: progress(Step("planning", 0, 0)),
    )
    planned_on = None
    if plan.versions is not None:
        planned_on = threat_scores(scored, plan.threats, plan.posted, plan.versions)
    edited = apply_edits(scored, plan.edits)
    export = export_album(
        edited,
        plan,
        target,
        planned_on=planned_on,
        private=private,
        order=order,
        names=names,
        remember=ledger,
        progress=progress,
    )
    if plan.text is not None:  # edited photos were read again
        plan = replace(plan, text=replace(plan.text, unread=export.unread))
    done = replace(planned, plan=plan, export=export)
    if command is None:
        return done
    try:
        progress(Step("telling", 0, 0))
        from elsewhere.service.report import write_report

        report = write_report(
            done.scored,
            done.plan,
            export.private,
            edited=edited,
            shared=export,
            proved=done.proof is not None,
            command=command,
        )
        progress(Step("telling", 1, 1))
    except (ElsewhereError, OSError, MemoryError, KeyboardInterrupt) as error:
        return replace(done, report_error=error)
    return replace(done, report=report)


_WORDS = {"all", "home"}
_OWN_LABEL = re.compile(r".*\(\d+\)\s*|a place [\d,]+ km from .*")
"""What an album's places may be called that no gazetteer knows: the second of one name, or one far
from any town."""


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
        known = text.strip().lower() in _WORDS or _OWN_LABEL.fullmatch(text)
        if not known and not called(text):
            raise PlaceError(
                f"no place is called {text.strip()!r}: check the name, or give coordinates"
            )
    for path in posted:
        if not path.exists():
            raise InputError(
                f"{printable(path)} does not exist: name what is public already, or leave it out"
            )


class ContradictionError(InputError):
    """The photos' own positions lie far from where they are said to be taken."""


def refuse_contradiction(photos: Sequence[Photo], at: Sequence[Place], radius_km: float) -> None:
    """Ask back where photos say that they were taken far from every place in `at`."""
    away = km_away([photo.metadata.position for photo in photos], at)
    far = [number for number, km in away.items() if km > max(WIDEST_KM, 2 * radius_km)]
    if not far:
        return
    position = photos[far[0]].metadata.position
    assert position is not None
    town, said = place_label(*position), " or ".join(place.label for place in at)
    count, all_of = len(far), len(away)
    they = "the photo's own position says" if all_of == 1 else (
        f"{count} of {all_of} photos with a position say"
    )  # fmt: skip
    raise ContradictionError(
        f"{they} {town}, {away[far[0]]:,.0f} km from {said}: leave out --at to go by the photos, "
        "or add --at-anyway if they are wrong"
    )


@dataclass
class EarlyChecks:
    """Called twice by `score_album`: when the scorers are loaded, and when the album is read."""

    wishes: Wishes
    at: Sequence[Place] | None = None
    at_anyway: bool = False
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
        if self.at and not self.at_anyway:
            refuse_contradiction(album.photos, self.at, wishes.width.radius_km)
        if self.places:
            chosen = select_places(self.places, album.photos, wishes.hide)
            for spec, about in self._scorers:
                zones_and_rivals(spec, about, chosen.hidden, wishes)
        ids = [photo.id for photo in album.photos]
        select_pinned(wishes.keep, wishes.drop, ids, album.skipped)
        select_edits(wishes, ids, album.skipped)
        photo_values(album.photos, wishes.values, stars=wishes.stars, skipped=album.skipped)
