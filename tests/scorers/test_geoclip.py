"""The scorer geoclip, with all of the real GeoCLIP that is in its wheel.

It runs in an environment of its own, because PyTorch is large and no dependency of ours:
`make geoclip` builds it. Where it is missing the run's closing line says so.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from elsewhere.scorers.geoclip import _pool
from tests.scorers.models import save_picture

PYTHON = ".venv-geoclip/bin/python"


@pytest.mark.needs(PYTHON)
@pytest.mark.timeout(600)
def test_the_real_location_encoder_pools_into_our_cells(tmp_path: Path) -> None:
    for number in range(3):
        save_picture(tmp_path / "album" / f"{number}.jpg", number, 300, 200)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [str(root / PYTHON), str(Path(__file__).with_name("geoclip_run.py")),
         str(tmp_path / "album"), str(tmp_path / "cache")],
        capture_output=True, text=True, check=False, cwd=root,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    saw = json.loads(done.stdout)
    assert saw["shape"] == [3, 512]
    assert saw["grid_is_ours"]
    assert np.abs(np.array(saw["sums"]) - 1).max() < 1e-4
    assert saw["spread"] > 1
    assert saw["off_reference"] < 0.01, "GeoCLIP's own forward agrees"
    assert saw["rows_differ"] > 0.1, "the photo matters"
    assert saw["same_alone"] and saw["same_when_recalled"]
    assert len(saw["kept"]) == 1
    assert saw["seconds"][1] < saw["seconds"][0] / 3, "location features are not computed twice"


def test_pooling_is_log_sum_exp_by_cell_and_does_not_overflow() -> None:
    logits = np.array([1.0, 2.0, 900.0, 899.0, -900.0], dtype=np.float32)
    pooled = _pool(logits, np.array([0, 2, 4]))
    assert pooled == pytest.approx(
        [np.log(np.exp(1) + np.exp(2)), 900 + np.log1p(np.exp(-1)), -900]
    )
