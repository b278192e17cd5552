"""Run by test_gpu.py where PyTorch is: the features of photos by the tower's form for GPUs."""

from __future__ import annotations

import json
import sys

import numpy as np

from elsewhere.scorers.gpu import TorchTower
from elsewhere.scorers.onnx_graph import float_form, read_graph
from elsewhere.scorers.tower import WEIGHTS, preprocess_file, read_record

content = (WEIGHTS / read_record()["tower"]["file"]).read_bytes()
tower = TorchTower(float_form(read_graph(content)), "cpu", half=False)
photos = np.stack([preprocess_file(path) for path in sys.argv[1:]])
print(json.dumps(tower(photos).tolist()))
