"""Many photos: in order, bit for bit the same alone and together, flat, and never half lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError
from elsewhere.formats.score_files import read_scores, write_scores
from elsewhere.scorers import protocol
from elsewhere.scorers.cached_scorer import RowCache, ScoredPhoto, each, score
from elsewhere.scorers.protocol import (
    FeatureInfo,
    Features,
    Photo,
    Row,
    Scorer,
    ScorerInfo,
    normalise_row,
)
from tests.scorers.models import described, photos_of, save_picture


@pytest.fixture
def scorer(tmp_path: Path) -> Scorer:
    (tmp_path / "model").mkdir()
    return protocol.find(f"onnx:{described(tmp_path / 'model')}")


@pytest.fixture
def album(tmp_path: Path) -> list[Photo]:
    for number in range(12):
        save_picture(tmp_path / "album" / f"IMG_{number}.jpg", number)
    return photos_of(tmp_path / "album")


def test_rows_sum_to_one_and_come_in_order(scorer: Scorer, album: list[Photo]) -> None:
    scores, failed = score(scorer, album, threads=3)
    assert not failed
    assert scores.ids == tuple(f"IMG_{number}.jpg" for number in range(12))
    assert np.isfinite(scores.values).all()
    sums = np.exp(scores.values.astype(np.float64)).sum(axis=1)
    assert np.abs(sums - 1).max() < 1e-4
    assert (scores.scorer, scores.grid) == (scorer.load().fingerprint, scorer.load().grid)


def test_a_row_does_not_depend_on_its_neighbours(scorer: Scorer, album: list[Photo]) -> None:
    together, _ = score(scorer, album, threads=4)
    backwards, _ = score(scorer, album[::-1], threads=2)
    for number, photo in enumerate(album):
        alone, _ = score(scorer, [photo], threads=1)
        assert alone.values[0].tobytes() == together.values[number].tobytes()
        assert alone.values[0].tobytes() == backwards.values[-1 - number].tobytes()


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_scores_survive_saving_bit_for_bit(
    tmp_path: Path, scorer: Scorer, album: list[Photo], suffix: str
) -> None:
    scores, _ = score(scorer, album)
    write_scores(tmp_path / f"s{suffix}", scores)
    again = read_scores(tmp_path / f"s{suffix}")
    assert again == scores
    assert np.array_equal(again.values, scores.values)


def test_a_bad_photo_costs_itself_and_not_the_run(scorer: Scorer, album: list[Photo]) -> None:
    album[3].path.write_bytes(b"no photo")
    album[5].path.unlink()
    seen: list[ScoredPhoto] = []
    scores, failed = score(scorer, album, progress=seen.append)
    assert [outcome.photo.name for outcome in failed] == ["IMG_3.jpg", "IMG_5.jpg"]
    assert "IMG_3.jpg is not a rendition" in failed[0].problem
    assert "IMG_5.jpg does not exist" in failed[1].problem
    assert scores.photos == 10 and "IMG_3.jpg" not in scores.ids
    assert [outcome.photo for outcome in seen] == album


def test_when_every_photo_is_bad_there_are_no_scores(scorer: Scorer, album: list[Photo]) -> None:
    for photo in album:
        photo.path.write_bytes(b"no photo")
    with pytest.raises(FileError, match=r"^none of the 12 photos .* IMG_0\.jpg is not a rendition"):
        score(scorer, album)
    with pytest.raises(FileError, match=r"^IMG_0\.jpg is not a rendition"):
        score(scorer, album[:1])
    with pytest.raises(FileError, match="there is no photo to score"):
        score(scorer, [])


def test_the_cache_gives_the_same_bits(tmp_path: Path, scorer: Scorer, album: list[Photo]) -> None:
    plain, _ = score(scorer, album)
    for expected in (0, 12):
        found: list[ScoredPhoto] = []
        cached, _ = score(scorer, album, cache=RowCache(tmp_path / "c"), progress=found.append)
        assert cached == plain
        assert sum(outcome.cached for outcome in found) == expected
    assert all(outcome.photo.held is None for outcome in found)


def test_another_model_does_not_meet_the_rows_of_the_first(
    tmp_path: Path, scorer: Scorer, album: list[Photo]
) -> None:
    score(scorer, album, cache=RowCache(tmp_path / "c"))
    (tmp_path / "other").mkdir()
    other = protocol.find(f"onnx:{described(tmp_path / 'other', mean=[0.5, 0.5, 0.5])}")
    assert score(other, album, cache=RowCache(tmp_path / "c"))[0] == score(other, album)[0]


def test_damaged_entries_are_computed_anew(
    tmp_path: Path, scorer: Scorer, album: list[Photo]
) -> None:
    plain, _ = score(scorer, album, cache=RowCache(tmp_path / "c"))
    for entry in (tmp_path / "c" / "rows").glob("*/*"):
        entry.write_bytes(entry.read_bytes()[::-1])
    assert score(scorer, album, cache=RowCache(tmp_path / "c"))[0] == plain


class Stepwise:
    """A scorer in two steps, with one of several heads."""

    def __init__(self, head: int = 1, eyes: str = "eyes") -> None:
        self.head, self.eyes, self.runs = head, eyes, 0

    def load(self) -> ScorerInfo:
        made = FeatureInfo(self.eyes, 3)
        return ScorerInfo(f"stepwise {self.head}", f"head {self.head}", 5000, features=made)

    def score(self, photo: Photo) -> Row:
        return self.row(self.features(photo))

    def features(self, photo: Photo) -> Features:
        self.runs += 1
        return np.array([len(photo.content()), self.runs, 0.1], dtype=np.float32)

    def row(self, features: Features) -> Row:
        return normalise_row(np.cos(self.head * features.sum() * np.arange(5000)))


def test_features_are_cached_instead_of_rows_for_every_head(
    tmp_path: Path, album: list[Photo]
) -> None:
    first, other, new_eyes = Stepwise(), Stepwise(head=2), Stepwise(eyes="other eyes")
    made: list[ScoredPhoto] = []
    plain, _ = score(first, album, cache=RowCache(tmp_path / "c"), progress=made.append)
    entries = list((tmp_path / "c" / "rows").glob("*/*"))
    assert len(entries) == 12
    assert {entry.stat().st_size for entry in entries} == {32 + 4 * 3}
    found: list[ScoredPhoto] = []
    again, _ = score(first, album, cache=RowCache(tmp_path / "c"), progress=found.append)
    assert again == plain
    assert all(outcome.cached for outcome in found)
    for outcome, before in zip(found, made, strict=True):
        assert outcome.features is not None and before.features is not None
        assert outcome.features.tobytes() == before.features.tobytes()
    rows, _ = score(other, album, cache=RowCache(tmp_path / "c"))
    assert (other.runs, first.runs) == (0, 12)
    assert rows.values[3].tobytes() == other.row(found[3].features).tobytes()  # type: ignore[arg-type]
    score(new_eyes, album, cache=RowCache(tmp_path / "c"))
    assert new_eyes.runs == 12


def test_a_row_that_was_cached_before_is_not_taken_for_features(
    tmp_path: Path, album: list[Photo]
) -> None:
    """Even one of the same width: an entry's name says what is in it."""

    class Whole(Stepwise):
        def load(self) -> ScorerInfo:
            return ScorerInfo("whole", self.eyes, 3)

        def score(self, photo: Photo) -> Row:
            return normalise_row(np.arange(3))

    score(Whole(), album, cache=RowCache(tmp_path / "c"))
    scorer = Stepwise()
    score(scorer, album, cache=RowCache(tmp_path / "c"))
    assert scorer.runs == 12


class Counting:
    """A scorer that notices how many photos are under way, and how far the reader is ahead."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = self.taken = 0

    def load(self) -> ScorerInfo:
        return ScorerInfo("counting", "", 2)

    def score(self, photo: Photo) -> Row:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        threading.Event().wait(0.002)
        with self.lock:
            self.now -= 1
        return np.log(np.array([0.5, 0.5], dtype=np.float32))


def test_only_a_few_photos_are_under_way_at_once() -> None:
    scorer = Counting()
    ahead = 0

    def photos() -> Iterator[Photo]:
        for number in range(200):
            scorer.taken = number + 1
            yield Photo(str(number), Path("nowhere"))

    for done, outcome in enumerate(each(scorer, photos(), threads=3)):
        assert outcome.photo.name == str(done)
        ahead = max(ahead, scorer.taken - done)
    assert scorer.most == 3, "photos are worked on side by side"
    assert ahead <= 7, "and only as many as there are hands"


def test_stopping_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    photos = (Photo(str(number), Path("nowhere")) for number in range(10_000))
    outcomes = each(Counting(), photos, threads=2)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
