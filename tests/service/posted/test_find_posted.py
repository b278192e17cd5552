"""Photos that are out already, from the disk: known again, counted, never taken for nothing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from elsewhere.album import Metadata
from elsewhere.album.places import AlbumPlace, Places, places_of
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError
from elsewhere.service.posted import _placed_by_time, find_posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.album.makers import jpeg
from tests.service.makers import photo, texts
from tests.service.tiny import known_scorers, see_tiny, write_album

NOWHERE = Places((), ())


@pytest.fixture(scope="module")
def scorers() -> Iterator[None]:
    with known_scorers():
        yield


@pytest.fixture
def album(tmp_path: Path, scorers: None, pool: Workers) -> Iterator[ScoredAlbum]:
    seen = see_tiny(write_album(tmp_path / "album", 4), "tiny", "tiny:seed=2", workers=pool)
    yield seen
    seen.close()


def posted_at(album: ScoredAlbum, *paths: Path, pool: Workers):  # type: ignore[no-untyped-def]
    return find_posted(album, NOWHERE, Wishes(), paths, workers=pool)


def test_photos_beyond_the_album_are_scored_as_the_album_is(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    folder = write_album(tmp_path / "online", 2, first=50)
    posted = posted_at(album, folder, pool=pool)
    alone = see_tiny(folder, "tiny", "tiny:seed=2", workers=pool)
    assert posted.ids == tuple(f"posted/{one.id}" for one in alone.photos)
    for number, attack in enumerate(alone.models):
        rows = posted.rows_by_model[number]
        assert np.array_equal(rows.values, attack.scores.values)
        assert rows.scorer == album.models[number].scores.scorer
        joint = posted.append_to(album.models[number].scores, number)
        assert joint.photos == 6
    assert posted.already == ()
    assert texts(posted.notes) == ("2 posted photos from outside the album counted",)


def test_the_original_and_the_exported_rendition_are_known_again(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    online = tmp_path / "online"
    online.mkdir()
    shutil.copy(album.photos[2].path, online / "renamed.jpg")
    (online / "photo-1.jpg").write_bytes(album.photos[0].rendition.content)
    posted = posted_at(album, online, pool=pool)
    assert posted.already == (0, 2)
    assert posted.ids == ()
    assert posted
    assert posted.pinned(4) == (0, 2)
    assert "2 photos of the album" in texts(posted.notes)[0]
    assert "not exported again" in texts(posted.notes)[0]


def test_the_same_picture_in_another_file_is_known_again(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    content = album.photos[1].path.read_bytes()
    (tmp_path / "noted.jpg").write_bytes(content[:2] + b"\xff\xfe\x00\x06hey!" + content[2:])
    posted = posted_at(album, tmp_path / "noted.jpg", pool=pool)
    assert (posted.already, posted.ids) == ((1,), ())


def test_names_never_clash_with_the_albums(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for seed, folder in ((60, "a"), (61, "b")):
        (tmp_path / folder / "one.jpg").write_bytes(jpeg(seed))
    posted = posted_at(album, tmp_path / "a", tmp_path / "b", pool=pool)
    assert len(set(posted.ids)) == 2
    assert not set(posted.ids) & {one.id for one in album.photos}


def test_what_cannot_be_looked_at_is_said(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    folder = write_album(tmp_path / "online", 1, first=70)
    (folder / "broken.jpg").write_bytes(jpeg(3)[:200])
    (folder / "clip.mp4").write_bytes(b"\x00\x00\x00\x18ftypmp42" + bytes(64))
    (folder / "notes.txt").write_bytes(b"hello")
    posted = posted_at(album, folder, pool=pool)
    assert len(posted.ids) == 1
    assert {one.name for one in posted.skipped} == {"broken.jpg", "clip.mp4", "notes.txt"}
    assert "2 posted files (broken.jpg and clip.mp4) could not be read" in texts(posted.notes)[1]


def test_a_folder_without_photos_is_an_error(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError):
        posted_at(album, tmp_path / "empty", pool=pool)


def test_nothing_given_is_nothing_posted(album: ScoredAlbum, pool: Workers) -> None:
    assert not posted_at(album, pool=pool)


def test_photos_that_somebody_marks_are_out_wherever_their_files_are(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    marked = find_posted(album, NOWHERE, Wishes(), marked=[2, 0])
    assert marked.already == (0, 2) and not marked.ids
    names = f"{album.photos[0].id} and {album.photos[2].id}"
    assert texts(marked.notes) == (
        f"2 photos of the album ({names}) are public already: counted, and not exported again",
    )
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(album.photos[0].path, again)
    both = find_posted(album, NOWHERE, Wishes(), [again], marked=[0, 1], workers=pool)
    assert both.already == (0, 1) and not both.ids, "nobody is counted twice"


def test_a_posted_photo_with_a_time_only_goes_where_its_neighbours_in_time_are() -> None:
    lisbon, oslo = (38.72, -9.14), (59.91, 10.75)
    album = [
        photo("a", lisbon, datetime(2024, 5, 1, 12)),
        photo("b", oslo, datetime(2024, 5, 9, 12)),
    ]
    places = places_of(album)
    told = _placed_by_time(
        album,
        [
            Metadata(time=datetime(2024, 5, 1, 13)),
            Metadata(time=datetime(2024, 5, 9, 11)),
            Metadata(time=datetime(2024, 5, 5, 12)),
            Metadata(),
            Metadata(position=oslo),
        ],
        places,
    )
    assert [one.position for one in told] == [lisbon, oslo, None, None, oslo]


def test_a_place_that_was_told_has_no_times() -> None:
    place = AlbumPlace("Lisbon", 38.72, -9.14, (0,), ((38.72, -9.14),))
    (told,) = _placed_by_time([photo("a")], [Metadata()], Places((place,)))
    assert told.position is None


def test_a_copy_compressed_anew_is_pointed_out_and_counts(
    album: ScoredAlbum, tmp_path: Path, pool: Workers
) -> None:
    from PIL import Image

    with Image.open(album.photos[3].path) as image:
        width, height = image.size
        smaller = image.convert("RGB").resize((width * 3 // 4, height * 3 // 4))
        smaller.save(tmp_path / "download.jpg", quality=60)
    (tmp_path / "other.jpg").write_bytes(jpeg(80))
    posted = posted_at(album, tmp_path / "download.jpg", tmp_path / "other.jpg", pool=pool)
    assert len(posted.ids) == 2
    assert posted.already == ()
    told = [note for note in texts(posted.notes) if "looks like" in note]
    own = album.photos[3].id
    assert told == [
        f"posted/download.jpg looks like {own}: if it is the same picture, drop {own}, or "
        "it is posted twice"
    ]
