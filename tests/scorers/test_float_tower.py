"""The embedded tower's float form: the same network, and each row from its photo alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.sessions import onnx_runtime
from elsewhere.scorers.tower import WEIGHTS, preprocess_file, read_record

pytest.importorskip("onnx")
ALBUM = Path(__file__).parents[2] / "src" / "elsewhere" / "example" / "album"


def test_it_is_the_packaged_tower_without_rounding() -> None:
    from benchmarks.gpu.float_tower import float_form

    model = float_form(WEIGHTS / read_record()["tower"]["file"])
    kinds = {node.op_type for node in model.graph.node}
    assert not kinds & {"MatMulInteger", "DynamicQuantizeLinear"}
    engine = onnx_runtime()
    session = engine.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    scorer = EmbeddedScorer()
    scorer.load()
    photos = np.stack([preprocess_file(path) for path in sorted(ALBUM.glob("*.jpg"))[:2]])
    name = session.get_inputs()[0].name
    together = session.run(None, {name: photos})[0]
    for photo, features in zip(photos, together, strict=True):
        alone = session.run(None, {name: photo[None]})[0][0]
        assert np.allclose(alone, features, atol=1e-4)
        packaged = scorer._session(photo[None], *scorer._ends)[0]
        lengths = np.linalg.norm(packaged) * np.linalg.norm(features)
        assert packaged @ features > 0.97 * lengths
