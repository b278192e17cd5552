"""Anyone's ONNX classifier: what it says, and each way its files can be wrong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from elsewhere.errors import ElsewhereError, FileError, InputError, ScorerError
from elsewhere.scorers import protocol
from elsewhere.scorers.protocol import Photo
from tests.scorers.models import classifier, described, picture, quarters, save_picture


@pytest.mark.parametrize("output", ["logits", "log-probabilities"])
def test_rows_are_the_models_own(tmp_path: Path, output: str) -> None:
    import onnxruntime

    model = described(tmp_path, output=output, mean=[0.5, 0.4, 0.3], std=[0.2, 0.3, 0.4])
    path = save_picture(tmp_path / "a.png", 1, 8, 8)
    scorer = protocol.find(f"onnx:{model}")
    about = scorer.load()
    row = scorer.score(Photo("a.png", path))

    pixels = (picture(1, 8, 8) / 255 - [0.5, 0.4, 0.3]) / [0.2, 0.3, 0.4]
    tensor = pixels.transpose(2, 0, 1)[None].astype(np.float32)
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    logits = session.run(None, {"photo": tensor})[0][0]
    expected = np.exp(logits) / np.exp(logits).sum()
    assert np.exp(row) == pytest.approx(expected, abs=1e-5)
    assert (about.cells, about.grid, about.name) == (4, quarters().fingerprint, "onnx:tiny.onnx")


def test_squash_sees_the_whole_photo_and_crop_its_middle(tmp_path: Path) -> None:
    wide = np.zeros((8, 40, 3), np.uint8)
    wide[:, :16] = 255
    Image.fromarray(wide).save(tmp_path / "wide.png")
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(tmp_path / "black.png")
    rows = {}
    for fit in ("squash", "crop"):
        (tmp_path / fit).mkdir()
        scorer = protocol.find(f"onnx:{described(tmp_path / fit, fit=fit)}")
        scorer.load()
        for name in ("wide", "black"):
            rows[fit, name] = scorer.score(Photo(name, tmp_path / f"{name}.png"))
    assert np.array_equal(rows["crop", "wide"], rows["crop", "black"])
    assert not np.allclose(rows["squash", "wide"], rows["squash", "black"])


def test_the_fingerprint_follows_model_preparation_and_cells(tmp_path: Path) -> None:
    prints = set()
    variants: list[dict[str, Any]] = [{}, {"mean": [0.1, 0, 0]}, {"fit": "crop"}]
    for number, told in enumerate(variants):
        (tmp_path / str(number)).mkdir()
        model = described(tmp_path / str(number), **told)
        prints.add(protocol.find(f"onnx:{model}").load().fingerprint)
    classifier(model, 4, log_probabilities=True)
    prints.add(protocol.find(f"onnx:{model}").load().fingerprint)
    assert len(prints) == 4


def test_a_recorded_hash_is_held_against_the_file(tmp_path: Path) -> None:
    model = described(tmp_path)
    right = hashlib.sha256(model.read_bytes()).hexdigest()
    described(tmp_path, sha256=right)
    assert protocol.find(f"onnx:{model}").load().cells == 4
    described(tmp_path, sha256="0" * 64)
    with pytest.raises(ScorerError, match=r"tiny\.onnx are damaged"):
        protocol.find(f"onnx:{model}").load()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"outputs": 5}, r"gives n × 5, but its cells file needs 1 × 4"),
        ({"side": 16}, r"wants an input of n × 3 × 16 × 16, but .* 1 × 3 × 8 × 8"),
        ({"channels": 1}, r"wants an input of n × 1 × 8 × 8"),
        ({"nan": True}, "gives numbers that are not finite"),
    ],
)
def test_a_model_of_the_wrong_shape_is_refused_by_load(
    tmp_path: Path, wrong: dict[str, Any], sentence: str
) -> None:
    model = described(tmp_path)
    classifier(model, **({"outputs": 4} | wrong))
    scorer = protocol.find(f"onnx:{model}")
    for _ in range(2):  # and again, not only the first time
        with pytest.raises(ScorerError, match=rf"tiny\.onnx {sentence}") as caught:
            scorer.load()
        assert "\n" not in str(caught.value)


def test_logits_are_not_taken_for_log_probabilities(tmp_path: Path) -> None:
    model = described(tmp_path, output="log-probabilities")
    classifier(model, 4)
    with pytest.raises(ScorerError, match='write "output": "logits"'):
        protocol.find(f"onnx:{model}").load()


def test_what_is_no_onnx_file_is_refused(tmp_path: Path) -> None:
    model = described(tmp_path)
    model.write_bytes(b"nothing of the kind")
    with pytest.raises(ScorerError, match=r"tiny\.onnx is not an ONNX model"):
        protocol.find(f"onnx:{model}").load()
    model.unlink()
    with pytest.raises(FileError, match=r"tiny\.onnx cannot be read"):
        protocol.find(f"onnx:{model}").load()


def test_cells_that_do_not_cover_the_globe_are_refused(tmp_path: Path) -> None:
    model = described(tmp_path)
    cells = json.loads((tmp_path / "tiny.cells.json").read_text())
    cells["boxes"] = cells["boxes"][:-1]
    del cells["fingerprint"], cells["nested"]
    (tmp_path / "tiny.cells.json").write_text(json.dumps(cells))
    with pytest.raises(FileError, match="do not cover the globe"):
        protocol.find(f"onnx:{model}").load()


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("{", "is not JSON"),
        ("[]", "must be one JSON object"),
        ('{"size": 8}', "must name the cells file"),
        ('{"cells": "c"}', "must give the input size"),
        ('{"cells": "c", "size": [8, 0]}', "must give the input size"),
        ('{"cells": "c", "size": true}', "must give the input size"),
        ('{"cells": "c", "size": 8, "mean": [1, 2]}', '"mean" as three numbers'),
        ('{"cells": "c", "size": 8, "std": [1, 0, 1]}', '"std" as three numbers'),
        ('{"cells": "c", "size": 8, "fit": "pad"}', '"fit" as "squash" or "crop"'),
        ('{"cells": "c", "size": 8, "output": "probabilities"}', '"output" as "logits"'),
        ('{"cells": "c", "size": 8, "sha256": 5}', '"sha256" as text'),
        ('{"cells": "c", "size": 8, "sizes": 8}', 'unknown entry "sizes"'),
    ],
)
def test_a_bad_description_is_one_sentence(tmp_path: Path, told: str, sentence: str) -> None:
    model = described(tmp_path)
    (tmp_path / "tiny.json").write_text(told)
    with pytest.raises(FileError, match=sentence) as caught:
        protocol.find(f"onnx:{model}")
    assert "\n" not in str(caught.value)


def test_a_model_without_description_or_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"write onnx:MODEL\.onnx"):
        protocol.find("onnx")
    with pytest.raises(ElsewhereError, match="needs a description beside it"):
        protocol.find(f"onnx:{classifier(tmp_path / 'lone.onnx', 4)}")
