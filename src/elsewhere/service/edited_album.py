"""An album with some of its photos edited, and what a plan's versions tell of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from elsewhere.album import Photo, album_workers, render_versions
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError, InputError
from elsewhere.scorers import Photo as Scored, RowCache, each, find
from elsewhere.service.scored_album import ModelScores, PublicVersion, ScoredAlbum
from elsewhere.service.text_rows import visible_text
from elsewhere.values.scores import Scores
from elsewhere.values.versions import Edit

if TYPE_CHECKING:
    from elsewhere.service.planning import AlbumPlan


def apply_edits(
    scored: ScoredAlbum,
    edits: Mapping[str, Edit],
    *,
    workers: Workers | None = None,
    cache: RowCache | None = None,
) -> ScoredAlbum:
    """The album with some photos edited, by name: their renditions and rows are the edited ones."""
    unknown = set(edits) - {photo.id for photo in scored.photos}
    if unknown:
        raise InputError(f"there is no photo {min(unknown)} to edit: name photos of the album")
    if not edits:
        return scored
    album = scored.album
    assert album.spool is not None, "edits are made of albums whose renditions are kept"
    photos = list(scored.photos)
    changed = [n for n, photo in enumerate(photos) if photo.id in edits]
    with nullcontext(workers) if workers else album_workers() as pool:
        for number in changed:
            photo = photos[number]
            (rendition,) = render_versions(
                photo,
                [edits[photo.id]],
                workers=pool,
                spool=album.spool,
                recipe=album.recipe,
            )
            if rendition is None:
                raise InputError(
                    f"the crop of {photo.id} leaves nothing of a photo this small: crop less"
                )
            photos[number] = replace(photo, rendition=rendition)
    edited = [photos[number] for number in changed]
    models = [_rescored(model, edited, changed, cache) for model in scored.models]
    return replace(
        scored,
        photos=tuple(photos),
        models=tuple(models),
        edits={**scored.edits, **edits},
    )


def with_chosen_rows(scored: ScoredAlbum, plan: AlbumPlan) -> ScoredAlbum:
    """The album with the rows of the versions that a plan chose, as their bytes were scored."""
    if plan.versions is None:
        return scored
    chosen = [plan.versions.rows[row] for row in plan.plan.choices if row < len(plan.versions.rows)]
    models = []
    for number, model in enumerate(scored.models):
        table, known = model.scores.values.copy(), model.scores
        for photo, version in chosen:
            if version is not None and not version.as_is:
                table[photo] = (version.scored or version.rows)[number]
        scores = Scores(table, known.ids, scorer=known.scorer, grid=known.grid, points=known.points)
        models.append(replace(model, scores=scores, features=None))
    return replace(scored, models=tuple(models))


def with_public_versions(scored: ScoredAlbum, versions: Mapping[int, PublicVersion]) -> ScoredAlbum:
    """The album with the rows of the versions that are public, for photos by number.

    The text of such a photo counts as far as its edit leaves it; where the edit is not known it
    does not count, as that of no photo does that is public beside the album.
    """
    if not versions:
        return scored
    models = []
    for number, model in enumerate(scored.models):
        table, known = model.scores.values.copy(), model.scores
        features = None if model.features is None else model.features.copy()
        for row, version in versions.items():
            table[row] = version.rows[number]
            seen = version.features[number]
            if features is not None and seen is not None:
                features[row] = seen
            else:
                features = None
        table.flags.writeable = False
        scores = Scores(table, known.ids, scorer=known.scorer, grid=known.grid, points=known.points)
        models.append(replace(model, scores=scores, features=features))
    texts = dict(scored.texts)
    for number, version in versions.items():
        photo = scored.photos[number]
        text = texts.pop(photo.id, None)
        if text is not None and version.edit is not None:
            size = photo.rendition.width, photo.rendition.height
            texts[photo.id] = visible_text(text, version.edit, size)
    return replace(scored, models=tuple(models), texts=texts)


def _rescored(
    model: ModelScores, photos: Sequence[Photo], numbers: Sequence[int], cache: RowCache | None
) -> ModelScores:
    """A model's scores with those of some photos replaced."""
    table = model.scores.values.copy()
    features = None if model.features is None else model.features.copy()
    contents = (Scored(photo.id, photo.path, photo.rendition.content) for photo in photos)
    for number, outcome in zip(numbers, each(find(model.spec), contents, cache=cache), strict=True):
        if outcome.row is None:
            raise FileError(f"an edited version cannot be scored: {outcome.problem}")
        table[number] = outcome.row
        if features is not None and outcome.features is not None:
            features[number] = outcome.features
    known = model.scores
    scores = Scores(table, known.ids, scorer=known.scorer, grid=known.grid, points=known.points)
    return replace(model, scores=scores, features=features)
