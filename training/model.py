"""The whole model on features: an ensemble of heads and the landmark recogniser, per split."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from training.dataset import LANDMARK_SOURCES, TRAVELLERS, Dataset
from training.heads import Material, Recipe, Stack, train_stack
from training.landmarks import Recognisers, train_recognisers
from training.locations import unit_vectors

Mask = npt.NDArray[np.bool_]

SHIPPED = Recipe(epochs=24, source_weight=(("documerica_us", 0.4),))
"""The head on 512 cells."""
LEAVES = Recipe(
    hidden=1024,
    dropout=0.65,
    rate=5e-4,
    epochs=24,
    hard=0.3,
    spread=((0.4, 10.0), (0.35, 60.0), (0.25, 300.0)),
    by_radius=True,
    source_weight=(
        ("documerica_us", 0.4),
        ("gldv2_50", 0.3),
        ("landmarks44", 0.3),
        ("oxford5k", 0.5),
        *((source, 2.0) for source in TRAVELLERS),
    ),
)
"""The head on leaves."""
DINO = LEAVES.but(hidden=512, dropout=0.5, epochs=36, balance=0.75, altered=0.8)
"""The head on leaves for the DINOv2 tower."""

MEMBERS = 4
HALF_MEMBERS = 2
DINO_MEMBERS = 4


@dataclass
class Trained:
    """For each of S splits: an ensemble of heads and a recogniser."""

    heads: Stack
    recognisers: Recognisers
    members: int

    def log_probabilities(self, x: Tensor, split: int) -> npt.NDArray[np.float32]:
        """(N, cells) by one split's model: the heads' geometric mean, lifted."""
        out = []
        for part in x.split(2048):
            said = self.heads.log_probabilities(part).unflatten(0, (self.members, -1))[:, split]
            lift = self.recognisers.lift(part, said.shape[-1])[split]
            out.append(functional.log_softmax(said.mean(dim=0) + lift, dim=1))
        scores: npt.NDArray[np.float32] = torch.cat(out).cpu().numpy()
        return scores

    def queries(
        self, x: Tensor, split: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """What decides the scores, without the cells: (N, 512) queries and (N, L) landmark odds.

        A cell's score is its vector times the query, and at least that of its landmark's odds more.
        """
        query = self.heads.queries(x).unflatten(0, (self.members, -1))[:, split].mean(dim=0)
        return query.cpu().numpy(), self.recognisers.odds(x)[split].cpu().numpy()

    def export(self, split: int, path: Path, *, with_cells: bool = True) -> None:
        """One split's model as plain arrays, as ``elsewhere.scorers.heads`` reads them."""
        every = slice(split, None, len(self.recognisers.w))
        half, h, r = np.float16, self.heads, self.recognisers

        def plain(t: Tensor, kind: Any = np.float32) -> npt.NDArray[Any]:
            return np.ascontiguousarray(t.cpu().numpy().astype(kind))

        zeros = np.zeros((len(h.w1[every]), len(h.cells)), dtype=np.float32)
        cells: dict[str, Any] = {"cells": plain(h.cells.T, half), "bias": zeros}
        np.savez_compressed(
            path,
            format=np.array(1 if with_cells else 2),
            mean=plain(h.mean),
            std=plain(h.std),
            w1=plain(h.w1[every], half),
            b1=plain(h.b1[every, 0]),
            w2=plain(h.w2[every], half),
            b2=plain(h.b2[every, 0]),
            scale=plain(h.log_scale[every, 0, 0].exp()),
            landmark_w=plain(r.w[split], half),
            landmark_b=plain(r.b[split, 0]),
            landmark_cell=plain(r.cell, np.int64),
            gate=np.array([1.0, 0.0], dtype=np.float32),
            temperature=np.array(1.0, dtype=np.float32),
            **(cells if with_cells else {}),
        )


def material(data: Dataset, device: str, altered: Path | None = None) -> Material:
    """The dataset on a device, with the features of altered copies where a file has them."""

    def there(a: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(a)).to(device)

    def scaled(features: Tensor) -> Tensor:
        return functional.normalize(features, dim=-1) * features.shape[-1] ** 0.5

    x, copies = scaled(there(data.embeds)), None
    if altered is not None:
        with np.load(altered) as f:
            row = {photo.name: i for i, photo in enumerate(data.photos)}
            mine, embeds = [row[name] for name in f["names"].tolist()], f["embeds"]
        copies = x[:, None].repeat(1, embeds.shape[1], 1)
        copies[there(np.array(mine))] = scaled(there(embeds.astype(np.float32)))
    return Material(
        x=x,
        copies=copies,
        cell=there(data.cell),
        group=there(data.group),
        radius=there(data.radius),
        where=there(unit_vectors(data.points).astype(np.float32)),
        centres=there(unit_vectors(data.cell_centre).astype(np.float32)),
        km=None if data.km is None else there(data.km),
        cells=functional.normalize(there(data.cell_embedding), dim=1),
    )


def landmarks(data: Dataset) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number each photo's landmark (the count of them for other photos), and each one's cell."""
    place = np.array([f"{p.source}/{p.place}" for p in data.photos])
    names, number = np.unique(
        np.where(np.isin(data.source, LANDMARK_SOURCES), place, "~"), return_inverse=True
    )
    assert names[-1] == "~"
    cells = [np.bincount(data.cell[number == i]).argmax() for i in range(len(names) - 1)]
    return number.astype(np.int64), np.array(cells, dtype=np.int64)


def train(
    data: Dataset,
    on: Material,
    splits: Mask,
    *,
    recipe: Recipe = SHIPPED,
    members: int = MEMBERS,
    seed: int = 0,
) -> Trained:
    """Train one model per row of ``splits`` (S, N): who may be trained on."""
    device = on.x.device
    weight = np.ones(len(data.photos), dtype=np.float32)
    for source, factor in recipe.source_weight:
        weight[data.source == source] = factor
    allowed = torch.from_numpy(splits).to(device)
    heads = train_stack(
        on, allowed.repeat(members, 1), torch.from_numpy(weight).to(device), recipe, seed
    )
    number, cells = (torch.from_numpy(a).to(device) for a in landmarks(data))
    return Trained(heads, train_recognisers(on, allowed, number, cells, seed), members)
