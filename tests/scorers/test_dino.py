"""The second built-in scorer: DINOv2-S with its head, on the leaves of the first."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers import protocol
from elsewhere.scorers.cached_scorer import score
from elsewhere.scorers.dino import DinoScorer
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.protocol import Photo
from elsewhere.scorers.tower import WEIGHTS, read_record
from tests.scorers.models import photos_of, save_picture

RECORD = "dino.json"
FEATURES = np.random.default_rng(5).normal(size=768).astype(np.float32)
FIRST_SCORES = (-16.3283, -15.5096, -14.9055, -14.2604)
"""Of a row of the shipped head on these features."""


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> list[Photo]:
    folder = tmp_path_factory.mktemp("album")
    save_picture(folder / "wide.jpg", 1, 1600, 900, quality=90)
    save_picture(folder / "tall.jpg", 2, 300, 500, quality=90)
    save_picture(folder / "tiny.png", 3, 1, 1)
    return photos_of(folder)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A copy of its files, to be damaged."""
    record = read_record(file=RECORD)
    for name in (RECORD, *(record[part]["file"] for part in ("tower", "head", "leaves"))):
        shutil.copy(WEIGHTS / name, tmp_path)
    return tmp_path


def test_the_record_names_every_file_and_our_leaves() -> None:
    record = read_record(file=RECORD)
    for part in ("tower", "head", "leaves"):
        content = (WEIGHTS / record[part]["file"]).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        assert (digest, len(content)) == (record[part]["sha256"], record[part]["bytes"])
    assert record["cells"] == Cells.leaves().fingerprint
    assert record["leaves"] == read_record()["leaves"]
    assert record["preprocessing"] == read_record()["preprocessing"]
    assert record["tower"]["bytes"] <= 25_000_000
    assert all(0 < value <= 1.5 for value in record["album_exponents"].values())


def test_rows_are_normalised_finite_different_and_the_same_bits_alone(album: list[Photo]) -> None:
    scores, failed = score(protocol.find("dino"), album, threads=3)
    assert not failed
    assert scores.values.shape == (3, 36_000)
    assert np.isfinite(scores.values).all()
    assert np.abs(np.exp(scores.values.astype(float)).sum(axis=1) - 1).max() < 1e-4
    assert len({row.tobytes() for row in scores.values}) == 3
    assert scores.grid == Cells.leaves().fingerprint
    for number, photo in enumerate(album):
        alone, _ = score(DinoScorer(), [photo], threads=1)
        assert alone.values[0].tobytes() == scores.values[number].tobytes()


def test_a_row_of_the_shipped_head() -> None:
    """When this fails because the head was trained anew, write the new numbers here."""
    scorer = DinoScorer()
    scorer.load()
    assert scorer.row(FEATURES)[:4].tolist() == pytest.approx(FIRST_SCORES, abs=1e-3)


def test_it_has_features_a_fingerprint_and_accuracy_of_its_own(album: list[Photo]) -> None:
    first, second = EmbeddedScorer(), DinoScorer()
    about, own = first.load(), second.load()
    assert own.name == "dino"
    assert own.features is not None and about.features is not None
    assert own.features.width == 768
    assert own.features.fingerprint != about.features.fingerprint
    assert own.fingerprint != about.fingerprint
    assert own.globe == about.globe and own.grid == about.grid
    assert 0 < own.accuracy[""][750] < about.accuracy[""][750], "it knows places less well"
    held = album[0].read()
    assert first.features(held).shape == (512,)
    seen = second.features(held)
    assert seen.shape == (768,) and second.features(held) is seen, "remembered"
    assert second.row(seen).tobytes() == second.score(album[0]).tobytes()


def test_both_built_in_models_hold_the_leaves_once() -> None:
    first, second = EmbeddedScorer(), DinoScorer()
    first.load()
    second.load()
    assert first._head.leaves is second._head.leaves  # type: ignore[attr-defined]


def test_photos_that_are_none_cost_themselves_only(album: list[Photo], tmp_path: Path) -> None:
    content = album[0].content()
    harmful = {"empty": b"", "text": b"no photo", "cut": content[:200], "kind": b"GIF89a" + content}
    for name, data in harmful.items():
        (tmp_path / name).write_bytes(data)
    photos = [Photo(name, tmp_path / name) for name in harmful]
    scores, failed = score(DinoScorer(), [*photos, album[2]])
    assert scores.ids == (album[2].name,)
    assert {failure.photo.name for failure in failed} == set(harmful)


@pytest.mark.parametrize("part", ["tower", "head", "leaves"])
def test_damaged_weights_are_refused_before_use(weights: Path, part: str) -> None:
    path = weights / read_record(file=RECORD)[part]["file"]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ScorerError, match=f"{path.name} are damaged .*SHA-256"):
        DinoScorer(weights).load()


def test_a_missing_record_and_other_cells_are_one_sentence(weights: Path) -> None:
    record = json.loads((weights / RECORD).read_text("utf-8"))
    (weights / RECORD).write_text(json.dumps(record | {"cells": "0" * 64}), "utf-8")
    with pytest.raises(ScorerError, match="the dino model was trained on other cells"):
        DinoScorer(weights).load()
    (weights / RECORD).unlink()
    with pytest.raises(FileError, match=r"dino\.json is missing or damaged"):
        DinoScorer(weights).load()


def test_it_takes_nothing_behind_a_colon() -> None:
    with pytest.raises(InputError, match='takes nothing after a colon, but has ":half_a"'):
        protocol.find("dino:half_a")
