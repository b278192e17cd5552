"""A plan that edits photos instead of withholding them, where that loses less.

The plan by withholding comes first. Versions are looked for only of photos that it withholds, the
plan is made again with these, and so on with what the new plan withholds. Where photos are then
still withheld for what all of them tell together, versions of the shared ones that tell most are
looked for too, while that improves the plan: an edit of one may save another.
Where there is no plan at all, versions of every photo are looked for.

Models that confirm edits judge each edited photo alone. A plan that shares several is shown to them
as a whole: while one of them has the place among its first guesses, the version that tells it most
is dropped, with those that lose less, and the plan is made again.

A photo that is withheld for a readable name gets versions that cover it (`text_covers`).
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace

from elsewhere.album import Step
from elsewhere.album.workers import Workers
from elsewhere.scorers import RowCache
from elsewhere.service.edits import FIRST, EditSearch
from elsewhere.service.photo_texts import photos_with_telling_text
from elsewhere.service.planning import (
    AlbumPlan,
    plan_versions,
    shared_by_telling,
    withheld_together,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.selection import select_edits, select_pinned
from elsewhere.service.text_covers import TextRule, find_text_covers
from elsewhere.values.margins import margin
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
    telling = photos_with_telling_text(scored, plan.hidden, wishes, posted)
    versions = {} if known is None else known
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

    def improve(plan: AlbumPlan, *, quickly: bool = False, ended: bool = False) -> AlbumPlan:
        candidates = {n: versions[n] for n in sorted(versions) if versions[n] and n not in fixed}
        if not candidates or (plan.versions and plan.versions.candidates == candidates):
            return plan
        before = plan
        if quickly:
            hasty = replace(wishes, time_limit=SHOWN_SECONDS)
            before = replace(plan, wishes=hasty, attacked=False)
        better = plan_versions(scored, before, candidates, stopped=None if ended else stopped)
        while better is not before and not (quickly or ended):
            number = find_unconfirmed(better)
            if number is None:
                break
            edit = better.edits[ids[number]]
            versions[number] = without(versions[number], edit)
            candidates = {**candidates, number: versions[number]}
            if not versions[number]:
                del candidates[number]
            better = plan_versions(scored, before, candidates, stopped=stopped)
        if better is before:
            return plan
        better = replace(better, wishes=wishes)
        if publish is not None:
            publish(better)
        return better

    def find_unconfirmed(plan: AlbumPlan) -> int | None:
        """An edited photo by which a model that confirms edits finds the place in all photos."""
        if not confirm or not plan.edits:
            return None
        numbers = posted.newly_shared(plan.plan.kept, len(ids))
        shared = {number: plan.edits.get(ids[number]) for number in numbers}
        return search.find_telling_edit(shared, plan.threats)

    def check_stopped(runs: int) -> None:
        if stopped is not None:
            stopped()  # it may raise

    with search:
        searched = 0
        plan = improve(plan)
        for _ in range(MAX_ROUNDS):
            done_with = fixed | versions.keys()
            fresh = sorted({*plan.editable, *drawn} - done_with)
            withheld_only = bool(fresh)
            if not fresh and plan.plan.found:
                saved = {*withheld_together(scored, plan)} - fixed
                others = [n for n in shared_by_telling(scored, plan) if n not in done_with]
                fresh = sorted(others[: max(FEWEST, len(saved))]) if saved else []
            fresh = fresh[: MAX_PHOTOS - searched]
            if not fresh:
                break
            covers = cover_texts([number for number in fresh if number in telling])
            for done, number in enumerate(fresh):
                if stopped is not None and stopped():
                    return improve(plan, ended=True)
                progress(Step("planning", done, len(fresh), ids[number]))
                if publish is not None and done:
                    improve(plan, quickly=True)
                if number in telling and number not in covers:
                    versions[number] = ()
                    continue
                found = search.versions(
                    number,
                    required=covers.get(number, ()),
                    wanted=drawn.get(number, ()),
                    progress=check_stopped,
                )
                edited = any(version.edit is not None for version in found)
                versions[number] = found if edited else ()
            searched += len(fresh)
            better = improve(plan)
            if better is plan and not withheld_only:
                break
            plan = better
    return plan


def without(versions: tuple[ScoredVersion, ...], edit: Edit) -> tuple[ScoredVersion, ...]:
    """The versions that lose more than one, and the photo as it is; none where no edit is left."""
    cost = next(version.cost for version in versions if version.edit == edit)
    left = tuple(version for version in versions if version.as_is or version.cost > cost)
    return left if any(version.edit is not None for version in left) else ()
