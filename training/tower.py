"""The shipped int8 tower, dequantised into PyTorch: for features of many augmented views at once.

The runtime never uses this; it is the training-time reference, run in batches on a GPU. Its
weights are read straight out of the ONNX file, so there is one source of truth.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

HEADS, WIDTH, LAYERS = 12, 768, 12


def dequantised(path: Path) -> dict[str, Tensor]:
    """Every weight of the tower in float32, linear maps under their module's name + '.weight'."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    raw = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    out = {k: torch.from_numpy(np.array(v)) for k, v in raw.items() if k.startswith("vision_model")}
    for node in model.graph.node:
        if node.op_type != "MatMulInteger":
            continue
        stem = node.input[1].removesuffix("_quantized")
        scale, zero = raw[f"{stem}_scale"], raw[f"{stem}_zero_point"].astype(np.float32)
        weight = (raw[node.input[1]].astype(np.float32) - zero) * scale
        module = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
        out[f"{module}.weight"] = torch.from_numpy(weight.astype(np.float32).T.copy())
    return out


class Tower:
    """CLIP ViT-B/16's image side: pixels (B, 3, 224, 224) to embeddings (B, 512)."""

    def __init__(self, path: Path, device: str, dtype: Any = torch.float32) -> None:
        self.w = {k: v.to(device, dtype) for k, v in dequantised(path).items()}
        self.device, self.dtype = device, dtype

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return functional.linear(x, self.w[f"{name}.weight"], self.w.get(f"{name}.bias"))

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return functional.layer_norm(
            x, (WIDTH,), self.w[f"{name}.weight"], self.w[f"{name}.bias"], 1e-5
        )

    def __call__(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        """Return the projected embedding and the last hidden states."""
        with torch.no_grad():
            return self._run(pixels)

    def _run(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        v = "vision_model"
        pixels = pixels.to(self.device, self.dtype)
        patches = functional.conv2d(
            pixels, self.w[f"{v}.embeddings.patch_embedding.weight"], stride=16
        )
        x = patches.flatten(2).transpose(1, 2)
        cls = self.w[f"{v}.embeddings.class_embedding"].expand(len(x), 1, -1)
        x = torch.cat([cls, x], dim=1) + self.w[f"{v}.embeddings.position_embedding.weight"]
        x = self._norm(f"{v}.pre_layrnorm", x)
        for i in range(LAYERS):
            block = f"{v}.encoder.layers.{i}"
            h = self._norm(f"{block}.layer_norm1", x)
            q, k, val = (
                self._linear(f"{block}.self_attn.{p}_proj", h)
                .unflatten(2, (HEADS, -1))
                .transpose(1, 2)
                for p in "qkv"
            )
            h = functional.scaled_dot_product_attention(q, k, val).transpose(1, 2).flatten(2)
            x = x + self._linear(f"{block}.self_attn.out_proj", h)
            h = self._linear(f"{block}.mlp.fc1", self._norm(f"{block}.layer_norm2", x))
            x = x + self._linear(f"{block}.mlp.fc2", h * torch.sigmoid(1.702 * h))
        pooled = self._norm(f"{v}.post_layernorm", x[:, 0])
        return self._linear("visual_projection", pooled), x
