"""From a word to a scorer, ours or anyone's."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.scorers import protocol
from elsewhere.scorers.cached_scorer import score
from elsewhere.scorers.protocol import FeatureInfo, Features, Photo, Row, ScorerInfo


class Coin:
    """A third party's scorer: two cells, whatever the photo."""

    def __init__(self, about: str) -> None:
        self.heads = float(about or 0.5)

    def load(self) -> ScorerInfo:
        return ScorerInfo("coin", "coin 1", 2)

    def score(self, photo: Photo) -> Row:
        return np.log(np.array([self.heads, 1 - self.heads], dtype=np.float32))


class Moody(Coin):
    """Fails on some photos."""

    def score(self, photo: Photo) -> Row:
        if photo.name == "b":
            raise KeyError("moody")
        return super().score(photo)


class Stepwise(Coin):
    """In two steps."""

    def load(self) -> ScorerInfo:
        return ScorerInfo("stepwise", "stepwise 1", 2, features=FeatureInfo("eyes 1", 1))

    def features(self, photo: Photo) -> Features:
        return np.array([self.heads], dtype=np.float32)

    def row(self, features: Features) -> Row:
        return np.log(np.array([features[0], 1 - features[0]], dtype=np.float32))


class Unfinished(Stepwise):
    """Says that it has features, and has none."""

    features = None  # type: ignore[assignment]


def broken(about: str) -> Coin:
    raise RuntimeError("no luck")


def nothing(about: str) -> object:
    return object()


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    def points(group: str) -> list[EntryPoint]:
        assert group == "elsewhere.scorers"
        names = {
            "coin": "Coin",
            "moody": "Moody",
            "stepwise": "Stepwise",
            "unfinished": "Unfinished",
            "broken": "broken",
            "nothing": "nothing",
            "embedded": "Coin",
        }
        return [EntryPoint(name, f"{__name__}:{what}", group) for name, what in names.items()]

    monkeypatch.setattr(protocol, "entry_points", points)


@pytest.mark.usefixtures("foreign")
def test_a_third_partys_scorer_works_like_ours(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"anything")
    scores, failed = score(protocol.find("coin:0.75"), [Photo("a", tmp_path / "a.jpg")])
    assert np.exp(scores.values) == pytest.approx(np.array([[0.75, 0.25]]), abs=1e-6)
    assert not failed
    assert "coin" in protocol.available()


@pytest.mark.usefixtures("foreign")
def test_a_third_partys_scorer_may_make_features(tmp_path: Path) -> None:
    scores, _ = score(protocol.find("stepwise:0.75"), [Photo("a", tmp_path / "a.jpg")])
    assert np.exp(scores.values) == pytest.approx(np.array([[0.75, 0.25]]), abs=1e-6)
    with pytest.raises(FileError, match=r'"unfinished" .* failed on a .*update or remove'):
        score(protocol.find("unfinished"), [Photo("a", tmp_path / "a.jpg")])


@pytest.mark.usefixtures("foreign")
def test_a_third_partys_fault_is_told_as_theirs() -> None:
    with pytest.raises(ScorerError, match=r'"broken" .* \(no luck\): update or remove'):
        protocol.find("broken")
    with pytest.raises(ScorerError, match=r'"nothing" .* has no load method'):
        protocol.find("nothing")


@pytest.mark.usefixtures("foreign")
def test_a_third_partys_fault_costs_one_photo_and_not_the_run(tmp_path: Path) -> None:
    photos = [Photo(name, tmp_path / name) for name in "abc"]
    scores, failed = score(protocol.find("moody"), photos)
    assert scores.ids == ("a", "c")
    assert "failed on b ('moody'): update or remove the package" in failed[0].problem


@pytest.mark.usefixtures("foreign")
def test_nobody_can_take_a_name_of_ours() -> None:
    assert not isinstance(protocol.find("embedded"), Coin)


def test_an_unknown_scorer_lists_those_there_are_and_what_to_install() -> None:
    with pytest.raises(ScorerError) as caught:
        protocol.find("gps:x")
    told = str(caught.value)
    for word in ('"gps"', "embedded", "onnx:MODEL.onnx", "table:SCORES.npz"):
        assert word in told
    assert "geoclip (pip install '.[geoclip]' in a clone of elsewhere)" in told


def test_geoclip_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as where it was never installed
    with pytest.raises(ScorerError, match=r"not installed \(.*pip install '\.\[geoclip"):
        protocol.find("geoclip").load()


def test_scorers_that_take_nothing_say_so() -> None:
    with pytest.raises(InputError, match='takes nothing after a colon, but has ":x"'):
        protocol.find("geoclip:x")
    with pytest.raises(InputError, match='takes only 512, half_a or half_b after a colon, not "x"'):
        protocol.find("embedded:x")
