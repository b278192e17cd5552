"""Both towers in half precision on a GPU, one photo at a time, for studies of many edits.

Heads, the search and plans are the product's. Features differ from the packaged towers', which
round activations to bytes (the mean cosine is .996), so no time or certificate comes from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.scorers import Photo
from elsewhere.scorers.gpu import TorchTower
from elsewhere.scorers.onnx_graph import Attribute, float_form, read_graph
from elsewhere.scorers.protocol import Features
from elsewhere.scorers.sessions import read_verified
from elsewhere.scorers.tower import SIDE, TowerScorer, cached_features, preprocess, read_record


class EveryTower(TorchTower):
    """With the operators that DINOv2's file has beside CLIP's."""

    def _run(self, kind: str, x: list[Any], about: Mapping[str, Attribute]) -> Any:
        functional = self._torch.nn.functional
        if kind == "Erf":
            return self._torch.erf(x[0])
        if kind == "AveragePool":
            return functional.avg_pool2d(x[0], about["kernel_shape"], about["strides"])
        if kind == "Conv":
            bias = x[2] if len(x) > 2 else None
            return functional.conv2d(x[0], x[1], bias, stride=about["strides"])
        if kind == "Slice" and not isinstance(x[0], np.ndarray):
            (start,), (end,), (axis,) = (np.ravel(each).tolist() for each in x[1:4])
            return x[0].narrow(axis, start, min(end, x[0].shape[axis]) - start)
        return super()._run(kind, x, about)


@lru_cache(maxsize=2)
def open_tower(path: Path, sha256: str, device: str) -> EveryTower:
    """The tower of a file."""
    graph = float_form(read_graph(read_verified(path, sha256)))
    return EveryTower(graph, device, half=device != "cpu")


def use(device: str) -> None:
    """From now on, towers run there."""

    def features(self: TowerScorer, photo: Photo) -> Features:
        record = read_record(self.weights, self.RECORD)["tower"]
        path = (self.weights / record["file"]).resolve()
        tower = open_tower(path, record["sha256"], device)

        def infer(photo: Photo) -> Features:
            return tower(preprocess(photo.image((SIDE, SIDE)))[None]).reshape(-1)

        return cached_features(f"{device} {record['sha256']}", photo, infer)

    TowerScorer.features = features  # type: ignore[method-assign]
