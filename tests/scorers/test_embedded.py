"""The default scorer: a small stand-in for what can go wrong, the shipped weights for the rest."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from elsewhere.errors import FileError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers import protocol
from elsewhere.scorers.cached_scorer import score
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.heads import PaperHead
from elsewhere.scorers.protocol import Photo
from elsewhere.scorers.tower import PREPARATION, WEIGHTS, preprocess, read_record
from tests.scorers.models import classifier, photos_of, picture, save_picture
from tests.scorers.test_head import features, leaf_head, packed


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """The real head and record, with a tower that is small enough to be copied and damaged."""
    place = tmp_path / "weights"
    place.mkdir()
    told = read_record()
    for entry in (told["head"], told["leaves"], told["512"]["head"]):
        shutil.copy(WEIGHTS / entry["file"], place)
    classifier(place / "tower.onnx", 512, side=224)
    told["tower"] = {
        "file": "tower.onnx",
        "sha256": sha256(place / "tower.onnx"),
        "input": "photo",
        "output": "logits",
    }
    (place / "model.json").write_text(json.dumps(told))
    return place


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> list[Photo]:
    folder = tmp_path_factory.mktemp("album")
    save_picture(folder / "wide.jpg", 1, 1600, 900, quality=90)
    save_picture(folder / "tall.jpg", 2, 300, 500, quality=90)
    save_picture(folder / "tiny.png", 3, 20, 12)
    save_picture(folder / "square.jpg", 4, 224, 224)
    return photos_of(folder)


def test_the_record_names_every_file_and_our_cells() -> None:
    told = read_record()
    parts = [told[part] for part in ("tower", "head", "half_a", "half_b", "leaves")]
    for entry in (*parts, told["512"]["head"]):
        path = WEIGHTS / entry["file"]
        assert (sha256(path), path.stat().st_size) == (entry["sha256"], entry["bytes"])
    assert told["cells"] == Cells.default().fingerprint
    assert told["512"]["cells"] == Cells.paper().fingerprint
    for part in (told, told["512"]):
        assert all(0 < value <= 1.5 for value in part["album_exponents"].values())


def test_the_tower_fits_the_repository() -> None:
    assert (WEIGHTS / read_record()["tower"]["file"]).stat().st_size <= 90_000_000
    assert (WEIGHTS / read_record()["leaves"]["file"]).stat().st_size <= 20_000_000


def test_rows_are_normalised_finite_and_different(album: list[Photo]) -> None:
    scores, failed = score(EmbeddedScorer(), album)
    assert not failed
    assert scores.values.shape == (4, 36_000)
    assert np.isfinite(scores.values).all()
    assert np.abs(np.exp(scores.values.astype(float)).sum(axis=1) - 1).max() < 1e-4
    assert len({row.tobytes() for row in scores.values}) == 4
    assert scores.grid == Cells.default().fingerprint


def test_a_row_is_the_same_bits_alone_together_and_in_another_session(album: list[Photo]) -> None:
    together, _ = score(EmbeddedScorer(), album, threads=3)
    for number, photo in enumerate(album):
        alone, _ = score(protocol.find("embedded"), [photo], threads=1)
        assert alone.values[0].tobytes() == together.values[number].tobytes()
    backwards, _ = score(EmbeddedScorer(), album[::-1], threads=2)
    assert backwards.values[::-1].tobytes() == together.values.tobytes()


def test_the_former_head_has_its_former_rows_and_fingerprint(album: list[Photo]) -> None:
    """Certificates and ledgers of earlier versions name this fingerprint."""
    scorer = protocol.find("embedded:512")
    about = scorer.load()
    assert about.fingerprint == "06520bd4b8c1f7df7ee15ccc567fb2429d631f17c70c6ad88f0548594bdf67f5"
    assert (about.name, about.globe) == ("embedded:512", Cells.paper())
    row = PaperHead.read((WEIGHTS / "head_512.npz").read_bytes()).log_probabilities(FEATURES)
    assert row[:4].tolist() == pytest.approx(FORMER_ROW, abs=1e-4)
    assert scorer.score(album[0]).shape == (512,)


def test_heads_of_one_tower_share_features(album: list[Photo]) -> None:
    scorers = [EmbeddedScorer(head=head) for head in ("head", "512", "half_a")]
    made = {scorer.load().features for scorer in scorers}
    assert len(made) == 1
    (info,) = made
    assert info is not None and info.width == 512
    seen = scorers[0].features(album[0])
    for scorer in scorers:
        assert scorer.row(seen).tobytes() == scorer.score(album[0]).tobytes()


def test_the_session_is_shared(album: list[Photo]) -> None:
    first, second = EmbeddedScorer(), EmbeddedScorer()
    first.load()
    second.load()
    assert first._session is second._session


@pytest.mark.parametrize("part", ["tower", "head", "leaves"])
@pytest.mark.parametrize("harm", ["flip", "cut"])
def test_damaged_weights_are_refused_before_use(weights: Path, part: str, harm: str) -> None:
    path = weights / json.loads((weights / "model.json").read_text())[part]["file"]
    content = bytearray(path.read_bytes())
    if harm == "flip":
        content[len(content) // 2] ^= 1
    else:
        del content[-1:]
    path.write_bytes(bytes(content))
    with pytest.raises(ScorerError, match=f"{path.name} are damaged .*SHA-256"):
        EmbeddedScorer(weights).load()


def test_missing_weights_are_one_sentence(weights: Path) -> None:
    (weights / "tower.onnx").unlink()
    with pytest.raises(FileError, match=r"tower\.onnx cannot be read"):
        EmbeddedScorer(weights).load()
    (weights / "model.json").write_text("{")
    with pytest.raises(FileError, match=r"model\.json is missing or damaged"):
        EmbeddedScorer(weights).load()


def test_other_cells_are_refused(weights: Path) -> None:
    told = json.loads((weights / "model.json").read_text())
    told["cells"] = "0" * 64
    (weights / "model.json").write_text(json.dumps(told))
    with pytest.raises(ScorerError, match="trained on other cells"):
        EmbeddedScorer(weights).load()


def test_the_fingerprint_follows_what_makes_the_rows(weights: Path) -> None:
    before = EmbeddedScorer(weights).load().fingerprint
    assert before != EmbeddedScorer().load().fingerprint, "another tower"
    told = json.loads((weights / "model.json").read_text())
    told["accuracy"]["when"] = "measured anew"
    (weights / "model.json").write_text(json.dumps(told))
    assert EmbeddedScorer(weights).load().fingerprint == before


def test_no_network_is_asked(album: list[Photo], monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert score(EmbeddedScorer(), album)[0].photos == 4


def test_a_change_of_what_makes_rows_is_counted() -> None:
    """Cached rows and score files are told apart by the fingerprint, so it must follow the code.

    When this fails on purpose, count `PREPARATION` up and write the new numbers here.
    """
    row = PaperHead.read(packed()).log_probabilities(features(1)[0])
    seen = preprocess(Image.fromarray(picture(7, 300, 200)))
    leaf_row = leaf_head().log_probabilities(features(1)[0])
    made = (*row[:3].tolist(), *seen[:, 100, 50].tolist(), *leaf_row[:3].tolist())
    assert {PREPARATION: made} == {PREPARATION: pytest.approx(ROWS_MADE[PREPARATION], abs=1e-4)}


FEATURES = np.random.default_rng(5).normal(size=512).astype(np.float32)
FORMER_ROW = (-6.1579, -7.3899, -6.0434, -6.7546)
ROWS_MADE = {
    1: (-10.3958, -3.2892, -4.2501, 1.5946, -1.7371, 0.3826, -4.2268, -3.2386, -9.2139),
}
