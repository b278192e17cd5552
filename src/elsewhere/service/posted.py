"""Photos that are public already: an attacker adds them up with whatever is shared next.

They cannot be withheld, so a plan pins them: their rows stand behind the album's in the scores that
the solver gets, and they are never exported. A public photo of the album is pinned in place.

Public photos are read and scored as the album is. One is a photo of the album when the file is its
original or an exported rendition, byte for byte, or when both render to the same picture. An edited
one is known again by the ledger or by its certificate: the photo is pinned with the row of that
version (`with_public_versions`), and not shared in any other. A copy that a platform compressed
anew counts as one more photo; where small grey versions nearly agree, a note asks the user to
compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Metadata, Photo, SkippedFile, Step
from elsewhere.album.files import LOST_KINDS, file_digest
from elsewhere.album.places import Places, places_by_time
from elsewhere.album.workers import Workers
from elsewhere.errors import InputError
from elsewhere.scorers import RowCache
from elsewhere.service.ledger import Ledger, Remembered, concatenate_known, remembered
from elsewhere.service.public_versions import find_exported, last_exported, see_edited
from elsewhere.service.scored_album import PublicVersion, ScoredAlbum, score_album
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.versions import Edit
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import apart_only


@dataclass(frozen=True)
class Posted:
    """What is public already, as every attacker of an album sees it."""

    ids: tuple[str, ...] = ()
    """One name for each photo beyond the album: "posted/…" for a file, "remembered/…" for a row
    of the ledger; none of them is the name of a photo of the album."""
    rows_by_model: tuple[Scores, ...] = ()
    """One for each attack of the album, in its order: the rows of `ids`. Empty where `ids` is."""
    metadata: tuple[Metadata, ...] = ()
    """What is known of each of `ids`: its position and time say which place it belongs to."""
    already: tuple[int, ...] = ()
    """Photos of the album, by number and ascending, that are out already: pinned and not exported
    again. They are not among `ids`, for nobody is to count them twice."""
    notes: tuple[Note, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    """Files among the posted ones that could not be counted, and why."""
    features_by_model: tuple[FloatMatrix | None, ...] = ()
    """What the rows were made from, for each attack; None where that is not known of all."""
    versions: Mapping[int, PublicVersion] = field(default_factory=dict)
    """Of `already`, by number, those that are public in another version than as they are."""

    def __bool__(self) -> bool:
        return bool(self.ids or self.already)

    def append_to(self, scores: Scores, attack: int) -> Scores:
        """The album's scores by one attack with the posted rows appended behind them."""
        if not self.ids:
            return scores
        rows = self.rows_by_model[attack]
        if rows.cells != scores.cells or rows.scorer != scores.scorer:
            raise InputError(
                "the posted photos were scored by another model than the album: score them anew"
            )
        return Scores(
            np.concatenate([scores.values, rows.values]),
            ids=(*scores.ids, *rows.ids),
            scorer=scores.scorer,
            grid=scores.grid,
            points=scores.points,
        )

    def append_features(self, features: FloatMatrix | None, attack: int) -> FloatMatrix | None:
        """The features of the album's photos with the posted ones behind them, if all are known."""
        if not self.ids or features is None:
            return features
        known = self.features_by_model[attack] if self.features_by_model else None
        if known is None or len(known) != len(self.ids):
            return None
        return np.concatenate([features, known])

    def pinned(self, photos: int) -> tuple[int, ...]:
        """What to pin, by number, where the album has `photos` photos: ascending."""
        return (*self.already, *range(photos, photos + len(self.ids)))

    def without(self, down: Iterable[int], photos: int) -> Posted:
        """What stays public where some are taken down, by number as in `pinned`."""
        gone = set(down)
        left = [n for n in range(len(self.ids)) if photos + n not in gone]
        return replace(
            self,
            ids=tuple(self.ids[n] for n in left),
            rows_by_model=tuple(
                replace(rows, values=rows.values[left], ids=tuple(rows.ids[n] for n in left))
                for rows in (self.rows_by_model if left else ())
            ),
            metadata=tuple(self.metadata[n] for n in left),
            already=tuple(n for n in self.already if n not in gone),
            versions={n: v for n, v in self.versions.items() if n not in gone},
            features_by_model=tuple(
                None if known is None or len(known) != len(self.ids) else known[left]
                for known in self.features_by_model
            ),
        )

    def newly_shared(self, kept: Iterable[int], photos: int) -> list[int]:
        """Of some kept photos those that would be shared: of the album, and not out already."""
        return [n for n in kept if n < photos and n not in self.already]


NOTHING_POSTED = Posted()


SIDE = 24
ALIKE = 0.985
"""Correlation of the small versions from which on two photos look like one."""
_FLAT = 1e-3


Sketch: TypeAlias = NDArray[np.float64]
"""A picture in a few grey points."""


@dataclass
class Sketches:
    """Photos in small, drawn while their renditions are there: when scored, or when needed."""

    _drawn: dict[str, Sketch] = field(default_factory=dict)

    def __call__(self, photo: Photo) -> None:
        """Draw one, to be found when its rendition is given up; from any thread."""
        self._drawn[photo.rendition.digest] = _small(photo)

    def of(self, photo: Photo) -> Sketch:
        """The photo in small; drawn now, where nobody has and its rendition is kept."""
        known = self._drawn.get(photo.rendition.digest)
        return _small(photo) if known is None else known


def alike(
    posted: Sequence[Photo], album: Sequence[Photo], sketches: Sketches
) -> list[tuple[int, int]]:
    """Pairs, by number, of a posted photo and the one of the album that it looks like."""
    if not posted or not album:
        return []
    ours = np.stack([sketches.of(photo) for photo in album])
    found = []
    for number, photo in enumerate(posted):
        agreement = ours @ sketches.of(photo)
        best = int(np.argmax(agreement))
        if agreement[best] >= ALIKE:
            found.append((number, best))
    return found


def _small(photo: Photo) -> Sketch:
    """The picture in a few grey points, its brightness and contrast taken out; of length one.

    All shapes become one square: a platform may have cut a few rows off.
    """
    from PIL import Image

    with photo.rendition.open_image() as image:
        image.draft("L", (4 * SIDE, 4 * SIDE))
        grey = image.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    points = np.asarray(grey, dtype=np.float64).ravel() / 255
    points -= points.mean()
    length = float(np.linalg.norm(points))
    return points / length if length > _FLAT * SIDE else np.zeros_like(points)


_MAX_PAIRS = 3
_MAY_SHOW_A_PLACE = LOST_KINDS | {"video"}
"""Why something that may show the place cannot be counted."""


def find_posted(
    scored: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    paths: Iterable[str | Path] = (),
    *,
    marked: Iterable[int] = (),
    ledger: Ledger | None = None,
    workers: Workers | None = None,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
    sketches: Sketches | None = None,
) -> Posted:
    """What is public already beside an album: the photos at `paths`, and what the ledger has.

    `places` and `wishes` say what is hidden: only what the ledger remembers of those places counts.
    `marked` are photos of the album, by number, that somebody says are out: in the version of their
    last export, if there is one. `sketches` are of the
    album's photos, where their renditions are given up already.
    """
    paths, marked = list(paths), set(marked)
    sketches = sketches or Sketches()
    public = None
    if paths:
        public = score_album(
            paths,
            scorers=[model.spec for model in scored.models],
            recipe=scored.album.recipe,
            workers=workers,
            cache=cache,
            progress=progress,
            keep=False,  # nothing of it is ever exported
            inspect=sketches,
        )
    try:
        photos = public.photos if public else ()
        contents = {photo.id: _digest(photo.path) for photo in photos}
        again = _known_again(scored.photos, photos, contents)
        shared_before = None
        if ledger is not None:
            digests = {*contents.values(), *(photo.rendition.digest for photo in photos)}
            shared_before = remembered(
                ledger, scored, places, wishes, known=digests, as_is=[*again.values()]
            )
        if public is None and shared_before is None and not marked:
            return NOTHING_POSTED
        versions = dict(shared_before.versions) if shared_before else {}
        recognized = shared_before.recognized if shared_before else {}
        as_is = {*again.values(), *(shared_before.already if shared_before else ())}
        again |= {p.id: recognized[d] for p in photos if (d := contents[p.id]) in recognized}
        unknown = {contents[p.id]: p for p in photos if p.id not in again and contents[p.id]}
        found = find_exported(scored, unknown, workers=workers) if unknown else {}
        edits: dict[int, Edit] = {}
        for digest, (number, edit) in found.items():
            if number not in as_is and number not in versions and number not in edits:
                again[unknown[digest].id] = number  # a second version of it is one more photo
                edits[number] = edit
        if unsure := marked - as_is - versions.keys() - edits.keys():
            edits |= last_exported(scored, unsure, workers=workers)
        versions |= see_edited(scored, edits, workers=workers, cache=cache)
        return _combined(
            scored,
            places,
            public,
            again=again,
            shared_before=shared_before,
            marked=marked,
            versions=versions,
            sketches=sketches,
        )
    finally:
        if public is not None:
            public.close()


def _combined(
    scored: ScoredAlbum,
    places: Places,
    public: ScoredAlbum | None,
    *,
    again: Mapping[str, int],
    shared_before: Remembered | None,
    marked: set[int],
    versions: Mapping[int, PublicVersion],
    sketches: Sketches,
) -> Posted:
    """The posted files, what the ledger has and what is marked, as one.

    `again` has the posted files that are photos of the album, `versions` the photos of the album
    that are public in another version.
    """
    photos = public.photos if public else ()
    others = [n for n, photo in enumerate(photos) if photo.id not in again]
    empty = tuple(model.scores.values[:0] for model in scored.models)
    kept = shared_before or Remembered((), empty, (), ())
    already = tuple(sorted({*marked, *again.values(), *kept.already, *versions}))
    names = [f"posted/{photos[n].id}" for n in others]
    ids = _distinct([*names, *kept.ids], {photo.id for photo in scored.photos})
    known = [photos[n].metadata for n in others]
    metadata = (*_placed_by_time(scored.photos, known, places), *kept.metadata)
    rows, features = [], []
    for number, model in enumerate(scored.models):
        parts = [kept.rows[number]]
        seen = [kept.features[number]] if kept.ids else []
        if public is not None:
            parts.insert(0, public.models[number].scores.values[others])
            made = public.models[number].features
            seen.insert(0, None if made is None else made[others])
        features.append(concatenate_known(seen))
        whole = np.concatenate(parts)
        if len(whole):
            scores = model.scores
            rows.append(Scores(whole, ids, scorer=scores.scorer, grid=scores.grid))
    skipped = public.skipped if public else ()
    pairs = alike([photos[n] for n in others], scored.photos, sketches)
    looks = [(ids[n], scored.photos[other].id) for n, other in pairs if other not in already]
    told = _notes(scored, already, versions, others=len(others), skipped=skipped, pairs=looks)
    notes = (*told, *kept.notes)
    return Posted(
        tuple(ids), tuple(rows), metadata, already, notes, skipped, tuple(features), versions
    )


def _known_again(
    album: Sequence[Photo], posted: Sequence[Photo], contents: dict[str, str]
) -> dict[str, int]:
    """By the posted photo's id, the photo of the album that it is."""
    renditions = {photo.rendition.digest: n for n, photo in enumerate(album)}
    sizes = {_size(photo.path) for photo in posted}
    originals = {
        _digest(photo.path): n for n, photo in enumerate(album) if _size(photo.path) in sizes
    }
    found = {}
    for photo in posted:
        content = contents[photo.id]
        for table, mark in (
            (renditions, photo.rendition.digest),
            (renditions, content),
            (originals, content),
        ):
            if mark and mark in table:
                found[photo.id] = table[mark]
                break
    return found


def _placed_by_time(
    album: Sequence[Photo], posted: Sequence[Metadata], places: Places
) -> list[Metadata]:
    """The same with a position where only the time tells it, beside photos of the album."""
    known = [*(photo.metadata for photo in album), *posted]
    place_of = {n: number for number, place in enumerate(places.places) for n in place.photos}
    with_position = {n: p for n, p in place_of.items() if known[n].position is not None}
    with_position.update(
        {n: -1 for n in range(len(album), len(known)) if known[n].position is not None}
    )
    timed = places_by_time(known, with_position)
    result = []
    for number, metadata in enumerate(posted, len(album)):
        nearest = timed.get(number, -1)
        if metadata.position is None and nearest >= 0:
            position = places.places[nearest].positions[0]
            result.append(replace(metadata, position=position))
        else:
            result.append(metadata)
    return result


def _notes(
    scored: ScoredAlbum,
    already: Sequence[int],
    versions: Collection[int],
    *,
    others: int,
    skipped: Sequence[SkippedFile],
    pairs: Sequence[tuple[str, str]],
) -> list[Note]:
    """What was counted, what could not be, and which photos a person should compare."""
    found = []
    if already:
        names = apart_only([photo.id for photo in scored.photos])
        found.append(Note(NoteKind.ALREADY_POSTED, photos=tuple(names[n] for n in already)))
        if versions:
            edited = tuple(names[n] for n in sorted(versions))
            found.append(Note(NoteKind.POSTED_VERSIONS, photos=edited))
    if others:
        found.append(Note(NoteKind.POSTED_COUNTED, count=others))
    unreadable = tuple(file.name for file in skipped if file.kind in _MAY_SHOW_A_PLACE)
    if unreadable:
        found.append(Note(NoteKind.POSTED_UNREADABLE, photos=unreadable))
    found += [Note(NoteKind.LOOKS_ALIKE, photos=pair) for pair in pairs[:_MAX_PAIRS]]
    if len(pairs) > _MAX_PAIRS:
        found.append(Note(NoteKind.MORE_LOOK_ALIKE, count=len(pairs) - _MAX_PAIRS))
    return found


def _distinct(names: Sequence[str], taken: set[str]) -> list[str]:
    """The names, of which none is another's or the album's."""
    used = set(taken)
    result = []
    for name in names:
        free, number = name, 2
        while free in used:
            free, number = f"{name} ({number})", number + 1
        used.add(free)
        result.append(free)
    return result


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _digest(path: Path) -> str:
    """SHA-256 of a file, read as the album reads; empty where it cannot be read any more."""
    try:
        return file_digest(path)
    except OSError:
        return ""
