"""An album as its attackers see it: renditions are scored, and nothing is lost in silence."""

from __future__ import annotations

import threading
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from elsewhere.album import Album, Recipe, SkippedFile, album_workers
from elsewhere.album.workers import Workers
from elsewhere.errors import FileError, InputError, NoPhotoError, ScorerError
from elsewhere.formats.score_files import write_scores
from elsewhere.scorers import Photo, Row, RowCache, ScorerInfo, find
from elsewhere.service import Step, score_album, scored_album as module
from elsewhere.values.scores import Scores
from tests.album.makers import GPS, exif, jpeg, png

CELLS = 4


class Watching:
    """A scorer that keeps what it was shown; the row follows from the bytes."""

    def __init__(self) -> None:
        self.shown: dict[str, bytes] = {}
        self.refused: set[str] = set()

    def load(self) -> ScorerInfo:
        return ScorerInfo("watching", "watching 1", CELLS)

    def score(self, photo: Photo) -> Row:
        if photo.name in self.refused:
            raise ScorerError(f"watching will not look at {photo.name}")
        self.shown[photo.name] = photo.content()
        logits = np.frombuffer(sha256(photo.content()).digest()[:CELLS], np.uint8) / 64
        return np.asarray(logits - np.log(np.exp(logits).sum()), dtype=np.float32)


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Watching:
    scorer = Watching()
    monkeypatch.setattr(module, "find", lambda word: scorer if word == "watching" else find(word))
    return scorer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three photos, one file cut short, and one that is none."""
    place = tmp_path / "trip"
    place.mkdir()
    (place / "IMG_2.jpg").write_bytes(jpeg(2, 400, 300, exif=exif()))
    (place / "IMG_10.png").write_bytes(png(10))
    (place / "IMG_11.jpg").write_bytes(jpeg(11))
    (place / "short.jpg").write_bytes(jpeg(12)[:300])
    (place / "notes.txt").write_bytes(b"not a photo")
    return place


def table(path: Path, *names: str) -> str:
    rows = np.log(np.full((len(names), CELLS), 1 / CELLS, dtype=np.float32))
    write_scores(path, Scores(rows, names))
    return f"table:{path}"


def test_the_renditions_are_scored_and_not_the_files(
    folder: Path, pool: Workers, watching: Watching
) -> None:
    seen = score_album([folder], scorers=["watching"], recipe=Recipe(256), workers=pool)
    assert [photo.id for photo in seen.photos] == ["IMG_2.jpg", "IMG_10.png", "IMG_11.jpg"]
    assert seen.photos == seen.album.photos
    for photo in seen.photos:
        assert watching.shown[photo.id] == photo.rendition.content
        assert max(photo.rendition.width, photo.rendition.height) <= 256
    (attack,) = seen.models
    assert (attack.spec, attack.about.name, attack.cached) == ("watching", "watching", 0)
    assert attack.scores.ids == tuple(photo.id for photo in seen.photos)
    again = Watching()
    for photo, row in zip(seen.photos, attack.scores.values, strict=True):
        assert np.array_equal(row, again.score(Photo("", photo.path, photo.rendition.content)))
    assert seen.photos[0].metadata.position == pytest.approx(GPS, abs=1e-4)
    assert [(one.name, one.kind) for one in seen.skipped] == [
        ("notes.txt", "foreign"),
        ("short.jpg", "damaged"),
    ]
    seen.close()


def test_every_scorer_sees_the_same_photos(
    folder: Path, tmp_path: Path, pool: Workers, watching: Watching
) -> None:
    """A photo that one of them cannot score is nobody's, for a promise is against all of them."""
    known = table(tmp_path / "known.npz", "IMG_2.jpg", "IMG_11.jpg")
    watching.refused = {"IMG_11.jpg"}
    seen = score_album([folder], scorers=["watching", known], workers=pool)
    assert [photo.id for photo in seen.photos] == ["IMG_2.jpg"]
    assert [attack.scores.ids for attack in seen.models] == [("IMG_2.jpg",)] * 2
    assert [attack.spec for attack in seen.models] == ["watching", known]
    reasons = {one.name: one.reason for one in seen.skipped if one.kind == "unscored"}
    assert reasons == {
        "IMG_10.png": "known.npz has no row for IMG_10.png: add one or leave the photo out",
        "IMG_11.jpg": "watching will not look at IMG_11.jpg",
    }
    assert len(seen.album.photos) == 3
    seen.close()


def test_steps_are_told_on_the_callers_thread_and_name_all(
    folder: Path, pool: Workers, watching: Watching
) -> None:
    steps: list[Step] = []
    threads = set()

    def told(step: Step) -> None:
        steps.append(step)
        threads.add(threading.get_ident())

    watching.refused = {"IMG_10.png"}
    seen = score_album([folder], scorers=["watching"], workers=pool, progress=told)
    assert threads == {threading.get_ident()}
    reading = [step for step in steps if step.stage == "reading"]
    scoring = [step for step in steps if step.stage == "scoring"]
    assert [(step.done, step.total) for step in reading] == [(n, 4) for n in range(5)]
    assert [step.name for step in reading] == [
        "",
        "IMG_2.jpg",
        "IMG_10.png",
        "IMG_11.jpg",
        "short.jpg",
    ]
    assert [step.done for step in scoring if step.name] == [1, 2, 3]
    assert (scoring[-1].done, scoring[-1].total) == (3, 3)
    assert {step.name for step in scoring if step.name} == {"IMG_2.jpg", "IMG_10.png", "IMG_11.jpg"}
    assert {one for step in steps for one in step.skipped} == set(seen.skipped)
    seen.close()


def test_where_no_photo_is_left_the_reason_is_told(
    tmp_path: Path, pool: Workers, watching: Watching
) -> None:
    (tmp_path / "a.jpg").write_bytes(jpeg(1)[:200])
    with pytest.raises(NoPhotoError, match=r"^a\.jpg: it is (cut short|damaged)"):
        score_album([tmp_path / "a.jpg"], scorers=["watching"], workers=pool)
    (tmp_path / "b.jpg").write_bytes(b"")
    with pytest.raises(
        NoPhotoError, match=r"none of the 2 photos can be looked at; of the first, a\.jpg"
    ):
        score_album([tmp_path], scorers=["watching"], workers=pool)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(NoPhotoError, match="there is no photo to look at"):
        score_album([empty], scorers=["watching"], workers=pool)
    (empty / "a.txt").write_text("no photo")
    with pytest.raises(NoPhotoError, match=r"^a\.txt: its type is not supported") as caught:
        score_album([empty], scorers=["watching"], workers=pool)
    assert [one.kind for one in caught.value.left if isinstance(one, SkippedFile)] == ["foreign"]
    (empty / "b.txt").write_text("no photo either")
    with pytest.raises(NoPhotoError, match="there is no photo to look at"):
        score_album([empty], scorers=["watching"], workers=pool)


def test_what_cannot_be_understood_is_told_before_a_photo_is_read(
    folder: Path, pool: Workers
) -> None:
    with pytest.raises(InputError, match="no scorer was given"):
        score_album([folder], scorers=[], workers=pool)
    with pytest.raises(ScorerError, match='no scorer "planet"'):
        score_album([folder], scorers=["planet"], workers=pool)


def test_an_album_can_be_refused_before_all_of_it_is_scored(
    folder: Path, watching: Watching, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = threading.Event()

    def slowly(photo: Photo) -> Row:
        assert read.wait(60)
        raise ScorerError("nobody waits for this")

    def refuse(album: Album) -> None:
        read.set()
        raise InputError(f"{len(album.photos)} photos are read")

    monkeypatch.setattr(watching, "score", slowly)
    with pytest.raises(InputError, match="3 photos are read"):
        score_album([folder], scorers=["watching"], workers=pool, check_album=refuse)


def test_rows_that_are_known_are_not_made_again(
    folder: Path, tmp_path: Path, pool: Workers, watching: Watching
) -> None:
    cache = RowCache(tmp_path / "cache")
    first = score_album([folder], scorers=["watching"], workers=pool, cache=cache)
    watching.shown.clear()
    second = score_album([folder], scorers=["watching", "watching"], workers=pool, cache=cache)
    assert not watching.shown
    assert (first.models[0].cached, second.models[0].cached) == (0, 3)
    assert len(second.models) == 1, "the same scorer twice is one attacker"
    assert first.models[0].scores == second.models[0].scores
    # Another size is another rendition, and so another row.
    small = score_album(
        [folder], scorers=["watching"], workers=pool, cache=cache, recipe=Recipe(64)
    )
    assert small.models[0].cached == 0
    for seen in (first, second, small):
        seen.close()


def test_who_stops_in_the_middle_leaves_no_worker_and_no_thread(
    folder: Path, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[Workers] = []

    def kept() -> Workers:
        pools.append(album_workers())
        return pools[-1]

    def stop(step: Step) -> None:
        if step.done:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "album_workers", kept)
    with pytest.raises(KeyboardInterrupt):
        score_album([folder], scorers=["watching"], progress=stop)
    assert not [one for one in threading.enumerate() if one.name.startswith("elsewhere-")]
    ended = [worker.process.poll() for pool in pools for worker in pool._all]
    assert ended and None not in ended


def test_renditions_that_nobody_keeps_take_little_room(
    tmp_path: Path, pool: Workers, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is scored only passes through: the file that it waits in does not grow with an album."""
    monkeypatch.setattr(module, "_AHEAD", 2)
    monkeypatch.setattr(module, "cores", lambda: 2)
    for number in range(40):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number + 1))
    kept = score_album([tmp_path], scorers=["watching"], workers=pool)
    passed = score_album([tmp_path], scorers=["watching"], workers=pool, keep=False)
    assert np.array_equal(passed.models[0].scores.values, kept.models[0].scores.values)
    sizes = [photo.rendition.size for photo in passed.photos]
    spools = kept.album.spool, passed.album.spool
    assert spools[0] is not None and spools[0].size == sum(sizes)
    assert spools[1] is not None
    assert spools[1].size <= 8 * max(sizes)  # four wait, one comes, gaps are not exact
    with pytest.raises(FileError, match="given up"):
        _ = passed.photos[0].rendition.content


def test_a_scorer_that_cannot_score_stops_nobody_who_waits(
    tmp_path: Path, pool: Workers, watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AHEAD", 1)
    for number in range(12):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number + 1))
    watching.refused = {f"{number}.jpg" for number in range(11)}
    seen = score_album([tmp_path], scorers=["watching"], workers=pool, keep=False)
    assert [photo.id for photo in seen.photos] == ["11.jpg"]


def test_a_glance_is_taken_while_the_rendition_is_there(
    tmp_path: Path, pool: Workers, watching: Watching
) -> None:
    for number in range(6):
        (tmp_path / f"{number}.jpg").write_bytes(jpeg(number + 1))
    taken: dict[str, bytes] = {}
    seen = score_album(
        [tmp_path],
        scorers=["watching"],
        workers=pool,
        keep=False,
        inspect=lambda photo: taken.update({photo.id: photo.rendition.content}),
    )
    assert taken == watching.shown
    assert set(taken) == {photo.id for photo in seen.photos}
