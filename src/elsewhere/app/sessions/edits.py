"""Edits of the open album's photos: searched in a job, drawn by hand, and shown as they would be.

What a search finds is kept for as long as the same places are hidden from the same models, so a
click does not search again. An edit that the user drew is scored at once. The decode workers start
with the first edit and stay until the album is closed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from elsewhere.app.api import models
from elsewhere.errors import FileError, InputError
from elsewhere.service import (
    AlbumPlan,
    EditSearch,
    Photo,
    RowCache,
    ScoredAlbum,
    Step,
    Threat,
    Workers,
    album_workers,
    confirming,
    matching,
    plan_with_edits,
    render_versions,
)
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion

if TYPE_CHECKING:
    from elsewhere.app.sessions.planning import PlannedAnswer

Versions = tuple[ScoredVersion, ...]
MAX_KEYS = 16  # choices of places whose versions are kept
MAX_DRAWN = 256  # drawn edits whose scores are kept
MAX_COMPLETE = 500  # wishes whose search need not be made again


def to_edit(edit: models.DrawnEditModel) -> Edit:
    """An edit as the service takes it."""
    crop = None if edit.crop is None else Rectangle(*edit.crop)
    return Edit(crop, tuple(Rectangle(*sides) for sides in edit.covers))


class AlbumEdits:
    """The versions of one album's photos; can be used from several threads."""

    def __init__(self, scored: ScoredAlbum, cache: RowCache | None = None) -> None:
        self._album = scored.album
        self.cache = cache
        self._lock = threading.RLock()
        self._workers: Workers | None = None
        self._closed = False
        self._found: OrderedDict[str, dict[int, Versions]] = OrderedDict()
        self._drawn: OrderedDict[tuple[str, int, Edit], ScoredVersion] = OrderedDict()
        self._complete: OrderedDict[str, None] = OrderedDict()  # wishes whose search ended
        self._search: tuple[str, EditSearch] | None = None

    def close(self) -> None:
        """End the workers; nothing is rendered any more."""
        with self._lock:
            self._closed = True
            workers, self._workers, self._search = self._workers, None, None
        if workers is not None:
            workers.close()

    def render(self, photo: Photo, edit: Edit, side: int) -> bytes:
        """The picture of a photo as it would go out edited, not larger than `side`."""
        spool = self._album.spool
        if spool is None:
            raise FileError("the album's pictures are not kept")
        recipe, workers = self._album.recipe, self._pool()
        try:
            (rendition,) = render_versions(
                photo, [edit], workers=workers, spool=spool, recipe=recipe
            )
        except FileError:
            if not workers.ended:
                raise
            # a job that uses the same workers was stopped
            (rendition,) = render_versions(
                photo, [edit], workers=self._pool(), spool=spool, recipe=recipe
            )
        if rendition is None:
            raise InputError(f"the crop leaves nothing of {photo.id}: crop less")
        try:
            return rendition.preview(side)
        finally:
            rendition.forget()

    def candidates(
        self, key: str, answer: PlannedAnswer, threats: Sequence[Threat]
    ) -> dict[int, Versions]:
        """The versions to choose among for these wishes; drawn edits are scored where need be."""
        drawn = self._score_drawn(key, answer, threats) if answer.wishes.rectangles else {}
        return self._usable(answer, {**self._known(key), **drawn})

    def may_help(self, answer: PlannedAnswer) -> bool:
        """Whether a search may change an answer: not where it ended, or nothing is withheld.

        A plan whose edits nobody confirmed together must be shown to the models that do.
        """
        plan, wishes = answer.plan, answer.wishes
        if plan is not None and plan.unconfirmed:
            return True
        if plan is None or wishes.edits == "none" or wishes.model_dump_json() in self._complete:
            return False
        return bool({*plan.editable} - _fixed(answer))

    def search(
        self,
        key: str,
        answer: PlannedAnswer,
        plan: AlbumPlan,
        *,
        stopped: Callable[[], bool],
        progress: Callable[[Step], None],
        publish: Callable[[AlbumPlan], None],
    ) -> None:
        """Look for versions of what the plan withholds, and publish better plans."""
        known, drawn = self._known(key), answer.wishes.rectangles
        ids = [photo.id for photo in answer.scored.photos]
        # what the user drew is not searched
        versions = {**known, **{n: v for n, v in answer.candidates.items() if ids[n] in drawn}}
        try:
            plan_with_edits(
                answer.scored,
                plan,
                confirm=confirming(answer.wishes.scorers),
                workers=self._pool(),
                cache=self.cache,
                known=versions,
                publish=publish,
                stopped=stopped,
                progress=progress,
            )
            with self._lock:
                self._complete[answer.wishes.model_dump_json()] = None
                while len(self._complete) > MAX_COMPLETE:
                    self._complete.popitem(last=False)
        finally:
            known.update({n: v for n, v in versions.items() if ids[n] not in drawn})

    def proposal(self, key: str, number: int) -> Edit | None:
        """The strongest edit that a search found for a photo."""
        versions = self._known(key).get(number, ())
        edited = [version for version in versions if version.edit is not None]
        return max(edited, key=lambda version: version.cost).edit if edited else None

    def _usable(
        self, answer: PlannedAnswer, versions: Mapping[int, Versions]
    ) -> dict[int, Versions]:
        """Those of photos that may be edited, where there are any."""
        fixed = _fixed(answer)
        return {n: versions[n] for n in sorted(versions) if versions[n] and n not in fixed}

    def _known(self, key: str) -> dict[int, Versions]:
        with self._lock:
            known = self._found.setdefault(key, {})
            self._found.move_to_end(key)
            while len(self._found) > MAX_KEYS:
                self._found.popitem(last=False)
            return known

    def _score_drawn(
        self, key: str, answer: PlannedAnswer, threats: Sequence[Threat]
    ) -> dict[int, Versions]:
        """By photo, the version that the user drew: it is shared so, or withheld."""
        ids = [photo.id for photo in answer.scored.photos]
        found: dict[int, Versions] = {}
        with self._lock:
            workers = self._pool()  # first: a search that was made with an ended pool is forgotten
            for name, model in answer.wishes.rectangles.items():
                if name not in ids:
                    raise InputError(f"there is no photo {name} to edit")
                number, edit = ids.index(name), to_edit(model)
                entry = key, number, edit
                if entry not in self._drawn:
                    if self._search is None or self._search[0] != key:
                        search = EditSearch(
                            answer.scored,
                            threats,
                            confirm=confirming(answer.wishes.scorers),
                            kind="none",
                            workers=workers,
                            cache=self.cache,
                        )
                        self._search = key, search.__enter__()
                    *_, version = self._search[1].versions(number, wanted=[edit])
                    if version.edit is None:
                        raise InputError(f"the crop leaves nothing of {name}: crop less")
                    self._drawn[entry] = version
                    while len(self._drawn) > MAX_DRAWN:
                        self._drawn.popitem(last=False)
                found[number] = (self._drawn[entry],)
        return found

    def _pool(self) -> Workers:
        """The workers; new ones where a click stopped a job that was waiting for the old ones."""
        with self._lock:
            if self._closed:
                raise FileError("the album was closed")
            if self._workers is None or self._workers.ended:
                self._search = None
                self._workers = album_workers()
            return self._workers


def _fixed(answer: PlannedAnswer) -> set[int]:
    """The photos that are never edited: dropped, public, or wanted as they are."""
    ids, wishes = [photo.id for photo in answer.scored.photos], answer.wishes
    chosen = matching([*wishes.drop, *wishes.as_is, *wishes.posted], ids, "as is")
    return {*chosen, *answer.posted.already}
