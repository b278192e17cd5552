"""A plan that edits photos instead of withholding them, where that loses less.

The plan by withholding comes first. Versions are looked for only of photos that it withholds, the
plan is made again with these, and so on with what the new plan withholds. Where photos are then
still withheld for what all of them tell together, versions of the shared ones that tell most are
looked for too, while that improves the plan: an edit of one may save another.
Where there is no plan at all, versions of every photo are looked for.

Models that confirm edits judge each edited photo alone. A plan that shares several is shown to them
as a whole: while one of them has the place among its first guesses, the version that tells it most
is dropped, with those that lose less, and the plan is made again. Plans that are only shown while
the search goes on are not confirmed, and no such plan is exported.

A photo that is withheld for a readable name gets versions that cover it (`text_covers`).
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.album import Step
from elsewhere.album.workers import Workers
from elsewhere.errors import InputError
from elsewhere.scorers import RowCache
from elsewhere.service.edits import FIRST, EditSearch
from elsewhere.service.photo_texts import hides_text, photos_with_telling_text
from elsewhere.service.planning import (
    AlbumPlan,
    plan_album,
    plan_versions,
    shared_by_telling,
    withheld_together,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import photo_values, select_edits, select_pinned
from elsewhere.service.text_covers import TextRule, find_text_covers
from elsewhere.values.margins import margin
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion

MAX_ROUNDS = 3
"""How often a plan is made again with more versions."""
FEWEST = 2
"""Shared photos whose versions are looked for at a time, where no more are withheld."""
MAX_PHOTOS = 100
"""Photos of an album that versions are looked for."""
SHOWN_SECONDS = 0.5
"""For a plan that is shown while the search goes on."""


def plan_with_edits(
    scored: ScoredAlbum,
    plan: AlbumPlan,
    *,
    confirm: Sequence[str] = (),
    workers: Workers | None = None,
    cache: RowCache | None = None,
    known: MutableMapping[int, tuple[ScoredVersion, ...]] | None = None,
    publish: Callable[[AlbumPlan], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> AlbumPlan:
    """The plan with the least loss over versions as well; `plan` is the one by withholding.

    It is `plan` itself where its wishes allow no edits, or none helps. `confirm` names models that
    must confirm what edits hide, beside those of the album. The renditions must be kept.

    `known` has the versions of photos that need no search, by number; what is found is added, and
    nothing for a photo that no edit helps. `publish` gets better plans as they are found. Where
    `stopped` returns True, the plan is made with the versions found so far; it may also raise.
    """
    wishes, posted = plan.wishes, plan.posted
    ids = [photo.id for photo in scored.photos]
    drawn, as_is = select_edits(wishes, ids, scored.skipped)
    if wishes.edits == "none" and not drawn:
        return plan
    _, dropped = select_pinned(wishes.keep, wishes.drop, ids, scored.skipped)
    fixed = {*dropped, *as_is, *posted.already}
    values = photo_values(scored.photos, wishes.values, stars=wishes.stars, skipped=scored.skipped)
    telling = photos_with_telling_text(scored, plan.hidden, wishes, posted)
    versions = {} if known is None else known
    shown = plan
    refused: list[str] = []  # photos that the user wants edited only, and whose edits all tell
    search = EditSearch(
        scored,
        plan.threats,
        confirm=confirm,
        kind=wishes.edits,
        max_loss=wishes.max_loss,
        first=wishes.top or FIRST,
        margin=margin(wishes.margin).theta,
        workers=workers,
        cache=cache,
    )

    def cover_texts(numbers: Sequence[int]) -> dict[int, tuple[Rectangle, ...]]:
        if wishes.edits not in {"both", "cover"} or not numbers:
            return {}
        return find_text_covers(
            scored,
            TextRule(plan.hidden, wishes.width),
            numbers,
            max_loss=wishes.max_loss,
            workers=search.workers,
            cache=cache,
            progress=check_stopped,
        )

    def hides(number: int, edit: Edit) -> bool:
        return hides_text(scored, number, edit, plan.hidden, wishes.width)

    def improve(plan: AlbumPlan, *, quickly: bool = False, ended: bool = False) -> AlbumPlan:
        """A better plan whose edits were confirmed together, unless it is made quickly."""
        nonlocal shown
        candidates = usable_versions()
        if not candidates or (plan.versions and plan.versions.candidates == candidates):
            return plan
        before = replace(plan, wishes=replace(wishes, drop=(*wishes.drop, *refused)))
        if quickly:
            hasty = replace(before.wishes, time_limit=SHOWN_SECONDS)
            before = replace(before, wishes=hasty, attacked=False)
        halt = None if ended else stopped
        better = plan_versions(scored, before, candidates, stopped=halt)
        while better is not before and not quickly:
            number = find_unconfirmed(better)
            if number is None:
                break
            refuse(better, number)
            before = replace(plan, wishes=replace(wishes, drop=(*wishes.drop, *refused)))
            better = plan_versions(scored, before, usable_versions(), stopped=halt)
        if better is before:
            return plan
        better = replace(better, wishes=wishes, confirmed=not quickly)
        if publish is not None:
            publish(better)
            shown = better
        return better

    def usable_versions() -> dict[int, tuple[ScoredVersion, ...]]:
        return {n: versions[n] for n in sorted(versions) if versions[n] and n not in fixed}

    def refuse(plan: AlbumPlan, number: int) -> None:
        """Drop a photo's version; one that is only shared edited is withheld without any."""
        assert plan.versions is not None
        edit, only_edited = plan.edits[ids[number]], plan.versions.always_edited(number)
        versions[number] = without(plan.versions.candidates[number], edit)
        if only_edited and not versions[number] and number not in telling:
            if number in plan.plan.promise.keep:
                raise InputError(
                    f"{ids[number]} must stay as you drew it, and another model then finds the "
                    "place in all photos together: cover more of it, or withhold it"
                )
            refused.append(ids[number])

    def find_unconfirmed(plan: AlbumPlan) -> int | None:
        return _find_unconfirmed(search, plan, check_stopped) if confirm else None

    def begin(plan: AlbumPlan) -> AlbumPlan:
        """The plan if its edits are confirmed together, or another one without any."""
        if not plan.unconfirmed:
            return plan
        number = find_unconfirmed(plan)
        if number is None:
            return replace(plan, confirmed=True)
        refuse(plan, number)
        only_edited = {
            n: found
            for n, found in usable_versions().items()
            if not any(version.as_is for version in found)
        }
        pinned = {n: only_edited[n] for n in only_edited if n in plan.plan.promise.keep}
        drawn_only = [ids[n] for n in only_edited if n not in pinned and n not in telling]
        hidden = replace(wishes, drop=tuple(dict.fromkeys((*wishes.drop, *refused, *drawn_only))))
        withheld = plan_album(
            scored,
            plan.places,
            hidden,
            posted=posted,
            near=plan.plan,
            top=plan.top,
            stopped=stopped,
            attacked=plan.attacked,
            candidates=pinned,
        )
        return replace(withheld, wishes=wishes)

    def show(plan: AlbumPlan) -> AlbumPlan:
        """Take back a plan that was shown and is not the last one."""
        if publish is not None and plan is not shown:
            publish(plan)
        return plan

    def check_stopped(runs: int) -> None:
        if stopped is not None:
            stopped()  # it may raise

    with search:
        searched = 0
        plan = improve(begin(plan))
        for _ in range(MAX_ROUNDS):
            done_with = fixed | versions.keys()
            editable = plan.editable if wishes.edits != "none" else ()
            fresh = sorted({*editable, *drawn} - done_with)
            withheld_only = bool(fresh)
            if not fresh and plan.plan.found and wishes.edits != "none":
                saved = {*withheld_together(scored, plan)} - fixed
                others = [n for n in shared_by_telling(scored, plan) if n not in done_with]
                fresh = sorted(others[: max(FEWEST, len(saved))]) if saved else []
            if len(fresh) > MAX_PHOTOS - searched and withheld_only:
                dearest = sorted(fresh, key=lambda number: -values.get(number, Fraction(1)))
                fresh = sorted(dearest[: MAX_PHOTOS - searched])
            fresh = fresh[: MAX_PHOTOS - searched]
            if not fresh:
                break
            covers = cover_texts([number for number in fresh if number in telling])
            for done, number in enumerate(fresh):
                if stopped is not None and stopped():
                    return show(improve(plan, ended=True))
                progress(Step("planning", done, len(fresh), ids[number]))
                if publish is not None and done:
                    improve(plan, quickly=True)
                uncovered = number in telling and number not in covers
                wanted = drawn.get(number, ())
                if uncovered:  # only the user may know how to cover its text
                    wanted = tuple(edit for edit in wanted if hides(number, edit))
                    if not wanted:
                        versions[number] = ()
                        continue
                found = search.versions(
                    number,
                    required=covers.get(number, ()),
                    wanted=wanted,
                    kind="none" if uncovered else None,
                    progress=check_stopped,
                )
                edited = any(version.edit is not None for version in found)
                versions[number] = found if edited else ()
            searched += len(fresh)
            better = improve(plan)
            if better is plan and not withheld_only:
                break
            plan = better
        left = {*plan.editable} - fixed - versions.keys() if wishes.edits != "none" else ()
        if left:
            note = Note(NoteKind.EDITS_LIMITED, count=len(left), photo_count=MAX_PHOTOS)
            before = (known for known in plan.notes if known.kind is not note.kind)
            plan = replace(plan, notes=(*before, note))
        return show(plan)


def confirm_edits(
    scored: ScoredAlbum,
    plan: AlbumPlan,
    *,
    confirm: Sequence[str],
    cache: RowCache | None = None,
    progress: Callable[[int], None] = lambda runs: None,
) -> AlbumPlan:
    """The plan, with its edits confirmed together; InputError where they are not."""
    if not plan.unconfirmed:
        return plan
    if confirm:
        with EditSearch(scored, plan.threats, confirm=confirm, cache=cache) as search:
            number = _find_unconfirmed(search, plan, progress)
        if number is not None:
            raise InputError(
                "another model still finds the place in all photos together, most of all by the "
                f"edit of {plan.ids[number]}: withhold that photo, or let the search for edits end"
            )
    return replace(plan, confirmed=True)


def _find_unconfirmed(
    search: EditSearch, plan: AlbumPlan, progress: Callable[[int], None]
) -> int | None:
    """An edited photo by which a model that confirms edits finds the place in all photos.

    What is public already is added, as whoever looks for the place would.
    """
    posted = plan.posted
    shared = {n: plan.edits.get(plan.ids[n]) for n in plan.plan.kept if n < plan.photos}
    public = {
        plan.photos + n: tuple(table.values[n] for table in posted.rows_by_model)
        for n in range(len(posted.ids))
    }
    return search.find_telling_edit(shared, plan.threats, public=public, progress=progress)


def without(versions: tuple[ScoredVersion, ...], edit: Edit) -> tuple[ScoredVersion, ...]:
    """The versions that lose more than one, and the photo as it is; none where no edit is left."""
    cost = next(version.cost for version in versions if version.edit == edit)
    left = tuple(version for version in versions if version.as_is or version.cost > cost)
    return left if any(version.edit is not None for version in left) else ()
