"""Photos that went out edited: known again, pinned as they are public, never offered again."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from elsewhere.album.places import Places, places_of
from elsewhere.album.workers import Workers
from elsewhere.service.edited_album import apply_edits, with_public_versions
from elsewhere.service.export import Export, export_album
from elsewhere.service.ledger import Ledger, new_entries
from elsewhere.service.planning import plan_album
from elsewhere.service.posted import Posted, find_posted
from elsewhere.service.scored_album import PublicVersion, ScoredAlbum
from elsewhere.service.threats import threat_scores
from elsewhere.values.notes import NoteKind
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, photo, seen, texts, trip
from tests.service.tiny import known_scorers, planned, see_tiny, write_album

NOWHERE = Places((), ())
COVER = Edit(covers=(Rectangle(250, 250, 600, 700),))
LEFT = Edit(Rectangle(0, 0, 900, 1000))
CROP = Edit(Rectangle(0, 200, 1000, 1000))
EXACT = Wishes(top=2, exact_top=True, margin="none", each_photo=False)


@pytest.fixture
def album(tmp_path: Path, pool: Workers) -> Iterator[ScoredAlbum]:
    with known_scorers():
        scored = see_tiny(write_album(tmp_path / "album", 6), workers=pool)
        yield scored
        scored.close()


def share(
    album: ScoredAlbum,
    target: Path,
    pool: Workers,
    ledger: Ledger | None = None,
    **edits: Edit,
) -> tuple[ScoredAlbum, Export]:
    """Export all of an album, some photos edited, by the last digit of their names."""
    edited = apply_edits(
        album, {album.photos[int(n[1:])].id: edit for n, edit in edits.items()}, workers=pool
    )
    places = places_of(album.photos, at=None)
    plan = replace(planned(edited, top=1), places=replace(places, unplaced=()))
    return edited, export_album(edited, plan, target, remember=ledger, order="album")


def test_a_photo_that_was_shared_edited_is_known_by_its_original(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    plain = trip([Stay("Lisbon", 5, 0)])
    photos = [replace(one, original=sha256(one.id.encode()).hexdigest()) for one in plain.photos]
    album = seen(photos, plain.models[0])
    rows = plain.models[0].scores.values.copy()
    rows[0] = rows[0, ::-1]
    edited = replace(
        seen([replace(photos[0], rendition=photo("edited").rendition), *photos[1:]], rows),
        album=album.album,
        edits={photos[0].id: COVER},
    )
    with ledger.recording(new_entries(edited, places_of(photos), [0, 2]), tmp_path / "out"):
        pass
    posted = find_posted(album, places_of(photos), EXACT, ledger=ledger)
    assert (posted.already, posted.ids, list(posted.versions)) == ((0, 2), (), [0])
    assert np.array_equal(posted.versions[0].rows[0], rows[0])
    assert [note.kind for note in posted.notes] == [
        NoteKind.ALREADY_POSTED,
        NoteKind.POSTED_VERSIONS,
    ]
    assert texts(posted.notes)[1] == (
        "IMG_0000.jpg is public edited or in another size: that version counts, and no second "
        "one is shared"
    )
    public = with_public_versions(album, posted.versions)
    offered = {0: [ScoredVersion(CROP, Fraction(1, 10), (rows[1],), (rows[1],))]}
    plan = plan_album(public, places_of(photos), EXACT, posted=posted, candidates=offered)
    assert {0, 2} <= set(plan.plan.kept) and not plan.edits
    assert not {0, 2} & set(posted.newly_shared(plan.plan.kept, 5))
    (table, *_) = threat_scores(public, plan.threats, posted, plan.versions)
    assert np.array_equal(table.values[0], rows[0]) and table.photos == 5
    # the photo was also posted as it is: that is pinned, and the edited one is one more photo
    with ledger.recording(new_entries(album, places_of(photos), [0]), tmp_path / "again"):
        pass
    both = find_posted(album, places_of(photos), EXACT, ledger=ledger)
    assert (both.already, both.ids, both.versions) == ((0, 2), ("remembered/1",), {})


def test_an_original_that_was_tagged_since_is_known_by_its_picture(tmp_path: Path) -> None:
    ledger, album = Ledger(tmp_path), trip([Stay("Lisbon", 3, 0)])
    rows = album.models[0].scores.values[::-1]
    shown = [replace(album.photos[1], rendition=photo("cropped").rendition), album.photos[2]]
    edited = seen([album.photos[0], *shown], rows)
    edited = replace(edited, album=album.album, edits={album.photos[1].id: CROP})
    with ledger.recording(new_entries(edited, places_of(album.photos), [1]), tmp_path / "out"):
        pass
    tagged = seen([replace(one, original="0" * 64) for one in album.photos], album.models[0])
    posted = find_posted(tagged, places_of(album.photos), Wishes(), ledger=ledger)
    assert list(posted.versions) == [1]
    assert np.array_equal(posted.versions[1].rows[0], rows[1])


def test_an_edited_copy_is_known_by_its_certificate(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    edited, copy = share(album, tmp_path / "out", pool, n1=CROP, n2=COVER)
    online = tmp_path / "online"
    online.mkdir()
    for file in copy.files:
        if file.number in {0, 2}:
            shutil.copy(tmp_path / "out" / file.name, online / f"renamed-{file.name}")
    posted = find_posted(album, NOWHERE, Wishes(), [online], workers=pool)
    kept = {file.number for file in copy.files} & {0, 2}
    assert posted.already == tuple(sorted(kept)) and not posted.ids
    assert 2 in kept and posted.versions[2].edit == COVER
    assert np.array_equal(posted.versions[2].rows[0], edited.models[0].scores.values[2])
    # another album with a photo of that name is not taken for it
    (tmp_path / "other").mkdir()
    other = write_album(tmp_path / "other" / "album", 1, first=2)
    (next(other.iterdir())).write_bytes(album.photos[4].path.read_bytes())
    stranger = see_tiny(other, workers=pool)
    try:
        assert stranger.photos[0].id == album.photos[2].id
        outside = find_posted(stranger, NOWHERE, Wishes(), [online], workers=pool)
        assert outside.already == () and len(outside.ids) == len(kept)
    finally:
        stranger.close()


def test_a_photo_that_is_marked_is_out_as_it_was_exported_last(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    edited, copy = share(album, tmp_path / "out", pool, n0=COVER, n1=CROP, n2=CROP, n3=CROP)
    shared = sorted(file.number for file in copy.files if file.edit is not None)[0]
    marked = find_posted(album, NOWHERE, Wishes(), marked=[shared, 5], workers=pool)
    assert marked.already == (shared, 5) and list(marked.versions) == [shared]
    assert np.array_equal(marked.versions[shared].rows[0], edited.models[0].scores.values[shared])
    public = with_public_versions(album, marked.versions).models[0].scores.values
    assert np.array_equal(public[shared], edited.models[0].scores.values[shared])
    assert np.array_equal(public[5], album.models[0].scores.values[5])


def test_the_text_of_a_public_version_counts_as_far_as_it_is_seen() -> None:
    album = trip([Stay("Lisbon", 2, 0)])
    line = TextLine("Praça", 0.9, TextBox(1, 1, 2, 2), ())
    read = {one.id: PhotoText(one.id, (line,)) for one in album.photos}
    album = replace(album, texts=read)
    (row,) = album.models[0].scores.values[:1]
    for edit, lines in ((None, None), (COVER, 0), (LEFT, 1)):
        public = with_public_versions(album, {0: PublicVersion((row,), (None,), edit)})
        text = public.texts.get(album.photos[0].id)
        assert (None if text is None else len(text.lines)) == lines
        assert public.texts[album.photos[1].id] is read[album.photos[1].id]


def test_what_is_taken_down_is_no_version_any_more() -> None:
    album = trip([Stay("Lisbon", 2, 0)])
    version = PublicVersion((album.models[0].scores.values[0],), (None,))
    posted = Posted(already=(0, 1), versions={0: version})
    assert posted.without([0], 2).versions == {}
    assert posted.without([1], 2).versions == {0: version}
