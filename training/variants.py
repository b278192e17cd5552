"""Cheaper forms of the tower: smaller inputs, fewer layers, merged or pruned tokens.

All run the weights of the shipped file, in float and in batches. Merging is that of Bolya et al.,
"Token Merging: Your ViT But Faster" (arXiv 2210.09461); pruning is that of Liang et al., "Not All
Patches are What You Need" (arXiv 2202.07800): what is left out becomes one token, its mean by the
attention that the class token gave it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from training.tower import HEADS, LAYERS, WIDTH, dequantised

Weights = dict[str, Tensor]

SIDE, PATCH, OUT = 224, 16, 512
V = "vision_model"


@dataclass(frozen=True)
class Variant:
    """One form of the tower."""

    name: str
    side: int = SIDE
    skipped: tuple[int, ...] = ()
    """Layers left out, counted from 1."""
    merged: int = 0
    """Tokens merged into others in each layer."""
    kept: float = 1.0
    """Share of the patches that stay after each layer of ``kept_after``; the others become one."""
    kept_after: tuple[int, ...] = ()
    distilled: bool = False
    """Trained on to repeat today's features, before heads are trained on its own."""

    @property
    def layers(self) -> list[int]:
        """The layers that are run, counted from 1."""
        return [i for i in range(1, LAYERS + 1) if i not in self.skipped]

    def tokens(self) -> list[tuple[int, int]]:
        """Tokens in the attention and in the MLP of each layer that is run."""
        now = (self.side // PATCH) ** 2 + 1
        out = []
        for layer in self.layers:
            before = now
            now -= min(self.merged, (now - 1) // 2)
            if layer in self.kept_after:
                now = round(self.kept * (now - 1)) + 2
            out.append((before, now))
        return out

    def cost(self) -> int:
        """Multiply-adds of one photo, norms and activations left out."""
        patches = (self.side // PATCH) ** 2
        total = patches * WIDTH * 3 * PATCH**2 + WIDTH * OUT
        for attention, mlp in self.tokens():
            total += 4 * attention * WIDTH**2 + 2 * attention**2 * WIDTH + 8 * mlp * WIDTH**2
        return total


TODAY = Variant("today")
_PLAIN = (
    *(Variant(f"{side} px", side=side) for side in (192, 176, 160, 144, 128)),
    *(Variant(f"merge {count}", merged=count) for count in (8, 12, 16)),
    *(
        Variant(f"keep {kept:.0%} after {after[0]}", kept=kept, kept_after=after)
        for after in ((3,), (6,))
        for kept in (0.7, 0.5)
    ),
    *(
        Variant(f"keep {kept:.0%} after 3, 6, 9", kept=kept, kept_after=(3, 6, 9))
        for kept in (0.7, 0.6)
    ),
    Variant("192 px, keep 70% after 3", side=192, kept=0.7, kept_after=(3,)),
    Variant("without 12", skipped=(12,)),
    Variant("without 11, 12", skipped=(11, 12)),
    Variant("without 10 to 12", skipped=(10, 11, 12)),
    Variant("without 6", skipped=(6,)),
    Variant("without 6, 7", skipped=(6, 7)),
    Variant("without 5 to 7", skipped=(5, 6, 7)),
    Variant("without 3, 5, 7, 9, 11", skipped=(3, 5, 7, 9, 11)),
)
_DISTILLED = (
    "keep 60% after 3, 6, 9",
    "192 px, keep 70% after 3",
    "176 px",
    "160 px",
    "merge 16",
    "without 3, 5, 7, 9, 11",
)
VARIANTS = {
    each.name: each
    for each in (
        TODAY,
        *_PLAIN,
        *(
            replace(each, name=f"{each.name}, distilled", distilled=True)
            for name in _DISTILLED
            for each in _PLAIN
            if each.name == name
        ),
    )
}


def float_weights(path: Path) -> Weights:
    """The shipped tower's weights, the constants of ``training.smooth`` multiplied in."""
    weights = dequantised(path)
    for name in [name for name in weights if name.endswith(".input_scale")]:
        weights[name.removesuffix("input_scale") + "weight"] *= weights.pop(name)
    return weights


def position_embedding(weights: Weights, side: int) -> Tensor:
    """The positions' vectors for another number of patches, by bicubic interpolation."""
    stored = weights[f"{V}.embeddings.position_embedding.weight"]
    there, here = SIDE // PATCH, side // PATCH
    if len(stored) == here**2 + 1:
        return stored
    grid = stored[1:].T.reshape(1, WIDTH, there, there).float()
    grid = functional.interpolate(
        grid, (here, here), mode="bicubic", align_corners=False, antialias=True
    )
    return torch.cat([stored[:1], grid.reshape(WIDTH, -1).T.to(stored.dtype)])


def embed(weights: Weights, pixels: Tensor, variant: Variant = TODAY) -> Tensor:
    """Features (B, 512) of normalised pixels (B, 3, side, side)."""

    def linear(name: str, x: Tensor) -> Tensor:
        return functional.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))

    def norm(name: str, x: Tensor) -> Tensor:
        scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.layer_norm(x, (WIDTH,), scale, shift, 1e-5)

    patches = functional.conv2d(
        pixels, weights[f"{V}.embeddings.patch_embedding.weight"], stride=PATCH
    )
    first = weights[f"{V}.embeddings.class_embedding"].expand(len(pixels), 1, -1)
    x = torch.cat([first, patches.flatten(2).transpose(1, 2).to(first.dtype)], dim=1)
    x = norm(f"{V}.pre_layrnorm", x + position_embedding(weights, variant.side))
    size = None
    for layer in variant.layers:
        block = f"{V}.encoder.layers.{layer - 1}"
        h = norm(f"{block}.layer_norm1", x)
        q, k, v = (
            linear(f"{block}.self_attn.{part}_proj", h).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for part in "qkv"
        )
        mask = None if size is None else size.log().to(q.dtype)[:, None, None, :, 0]
        if mask is not None:
            mask = mask.expand(-1, HEADS, q.shape[2], -1)
        h = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + linear(f"{block}.self_attn.out_proj", h.transpose(1, 2).flatten(2))
        if variant.merged:
            x, size = merge(x, size, k.mean(dim=1), variant.merged)
        if layer in variant.kept_after:
            seen = (q[:, :, :1] @ k.transpose(2, 3) * q.shape[-1] ** -0.5).softmax(dim=3)
            x = prune(x, seen.mean(dim=1)[:, 0, 1:], variant.kept)
        h = linear(f"{block}.mlp.fc1", norm(f"{block}.layer_norm2", x))
        x = x + linear(f"{block}.mlp.fc2", h * torch.sigmoid(1.702 * h))
    return linear("visual_projection", norm(f"{V}.post_layernorm", x[:, 0]))


def merge(x: Tensor, size: Tensor | None, key: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Merge the ``count`` tokens of every other place that are most like one in between.

    Returns the tokens and how many patches each stands for. The class token, first, stays alone.
    """
    if size is None:
        size = torch.ones_like(x[..., :1])
    count = min(count, (x.shape[1] - 1) // 2)
    if not count:
        return x, size
    with torch.no_grad():
        unit = functional.normalize(key.float(), dim=2)
        likeness = unit[:, ::2] @ unit[:, 1::2].transpose(1, 2)
        likeness[:, 0] = -torch.inf
        best, partner = likeness.max(dim=2)
        order = best.argsort(dim=1, descending=True)
        gone, stay = order[:, :count], order[:, count:].sort(dim=1).values
        partner = partner.gather(1, gone)

    def take(values: Tensor, index: Tensor) -> Tensor:
        return values.gather(1, index[..., None].expand(-1, -1, values.shape[2]))

    def add(values: Tensor) -> Tensor:
        even, odd = values[:, ::2], values[:, 1::2]
        where = partner[..., None].expand(-1, -1, values.shape[2])
        return torch.cat([take(even, stay), odd.scatter_add(1, where, take(even, gone))], dim=1)

    total = add(size)
    return add(x * size) / total, total


def prune(x: Tensor, attention: Tensor, kept: float) -> Tensor:
    """Keep the class token and the patches that it looks at most; the others become one token."""
    count = round(kept * attention.shape[1])
    order = attention.argsort(dim=1, descending=True)
    chosen = order[:, :count].sort(dim=1).values[..., None].expand(-1, -1, x.shape[2])
    rest = order[:, count:]
    weight = attention.gather(1, rest)[..., None]
    others = x[:, 1:].gather(1, rest[..., None].expand(-1, -1, x.shape[2]))
    one = (others * weight).sum(dim=1, keepdim=True) / weight.sum(dim=1, keepdim=True)
    return torch.cat([x[:, :1], x[:, 1:].gather(1, chosen), one.to(x.dtype)], dim=1)
