"""Heads on frozen features: many of them trained at once, as one stack of small networks.

A head is an MLP into GeoCLIP's location space; its logits are the cosines with the cells' vectors,
times a learned scale. There is no bias a cell: it would be a prior, counted once a photo. Stacking
(splits × seeds) makes a search affordable.

The cross-entropy with a target over all cells is the logits' log-sum-exp less the query times the
target's mean vector, which never changes and is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from training.locations import EARTH_KM

GOOD_TO_KM = 5.0
"""Positions at least this exact may name one cell for certain."""


@dataclass(frozen=True)
class Recipe:
    """Everything that decides how a head is trained."""

    hidden: int = 512
    dropout: float = 0.7
    weight_decay: float = 0.3
    rate: float = 3e-4
    epochs: float = 16
    batch: int = 256
    hard: float = 0.6
    """Share of the target that is the photo's own cell, where its position is good to 5 km."""
    spread: tuple[tuple[float, float], ...] = ((1.0, 60.0),)
    """Shares of the rest of the target, and the kilometres over which each is smeared."""
    by_radius: bool = False
    """Whether a target is smeared at least as far as its photo's position is unsure."""
    balance: float = 1.0
    """Photos are drawn by 1 / (photos in the group) to this power."""
    scale: float = 20.0
    """Where the learned scale starts."""
    altered: float = 0.0
    """Share of the draws that take an altered copy of the photo, where there are any."""
    standardise: bool = True
    source_weight: tuple[tuple[str, float], ...] = field(default=())
    """Sources drawn more or less often than the balance says."""

    def but(self, **changes: Any) -> Recipe:
        """This recipe with some fields changed."""
        return replace(self, **changes)


@dataclass
class Material:
    """What every stack learns from, on one device."""

    x: Tensor  # (N, D) features of length √D
    cell: Tensor  # (N,)
    group: Tensor  # (N,) the cell of the 512, by which photos are drawn
    radius: Tensor  # (N,) how exact the position is, in km
    where: Tensor  # (N, 3) unit vectors
    centres: Tensor  # (cells, 3) unit vectors
    km: Tensor | None  # (N, cells) where cells are large; None: to the centres
    cells: Tensor  # (cells, 512) unit vectors
    copies: Tensor | None = None  # (N, copies, D) features of altered copies, else the photo's own
    aims: dict[Recipe, Tensor] = field(default_factory=dict)  # target vectors, once computed

    def distances(self, idx: Tensor) -> Tensor:
        """Kilometres from photos to every cell."""
        if self.km is not None:
            return self.km[idx]
        cosine = self.where[idx] @ self.centres.T
        return EARTH_KM * (2 - 2 * cosine).clamp(min=0).sqrt()  # chords, near enough for a target


@dataclass
class Stack:
    """K trained heads."""

    w1: Tensor
    b1: Tensor
    w2: Tensor
    b2: Tensor
    log_scale: Tensor
    cells: Tensor
    mean: Tensor
    std: Tensor

    def log_probabilities(self, x: Tensor) -> Tensor:
        """(K, N, cells) of features (N, D)."""
        return functional.log_softmax(self.queries(x) @ self.cells.T, dim=2)

    def queries(self, x: Tensor) -> Tensor:
        """(K, N, 512): a cell's logit is its vector times this."""
        x = ((x - self.mean) / self.std).expand(len(self.w1), -1, -1)
        h = functional.gelu(torch.baddbmm(self.b1, x, self.w1), approximate="tanh")
        return (
            functional.normalize(torch.baddbmm(self.b2, h, self.w2), dim=2) * self.log_scale.exp()
        )


def sampling_weights(train: Tensor, group: Tensor, weight: Tensor, balance: float) -> Tensor:
    """(K, N) weights with which photos are drawn: groups alike, whatever they hold."""
    total = torch.zeros(len(train), int(group.max()) + 1, device=train.device)
    total.index_add_(1, group, train.float())
    return train.float() * weight * total.clamp(min=1)[:, group].pow(-balance)


def standardisation(x: Tensor, train: Tensor, wanted: bool) -> tuple[Tensor, Tensor]:
    """Mean and deviation of the features that every head of the stack may see."""
    if not wanted:
        return torch.zeros_like(x[0]), torch.ones_like(x[0])
    common = x[train.all(dim=0)]
    return common.mean(dim=0), common.std(dim=0)


def target_vectors(data: Material, recipe: Recipe) -> Tensor:
    """(N, 512) mean vectors of what photos should say: partly their cell, partly those around."""
    if recipe in data.aims:
        return data.aims[recipe]
    found = []
    # photos share places, so each is done once
    spots = torch.cat([data.where, data.radius[:, None]], dim=1)
    _, back = torch.unique(spots, dim=0, return_inverse=True)
    first = torch.empty(int(back.max()) + 1, dtype=torch.long, device=data.x.device)
    first[back] = torch.arange(len(back), device=data.x.device)
    for idx in first.split(256):
        radius = data.radius[idx, None]
        share = recipe.hard * (radius <= GOOD_TO_KM).float()
        km = data.distances(idx)
        soft = torch.zeros_like(km)
        for part, reach in recipe.spread:
            wide = radius.clamp(min=reach) if recipe.by_radius else reach
            soft += part * torch.softmax(-km / wide, dim=1)
        target = (soft * (1 - share)).scatter_add_(1, data.cell[idx, None], share)
        found.append(target @ data.cells)
    return data.aims.setdefault(recipe, torch.cat(found)[back])


def train_stack(data: Material, train: Tensor, weight: Tensor, recipe: Recipe, seed: int) -> Stack:
    """Train K heads; ``train`` (K, N) says which photos each may see."""
    torch.manual_seed(seed)
    device, k, d = data.x.device, len(train), data.x.shape[1]
    mean, std = standardisation(data.x, train, recipe.standardise)
    x_all = (data.x - mean) / std
    out = data.cells.shape[1]
    w1 = torch.randn(k, d, recipe.hidden, device=device) * d**-0.5
    w2 = torch.randn(k, recipe.hidden, out, device=device) * recipe.hidden**-0.5
    b1 = torch.zeros(k, 1, recipe.hidden, device=device)
    b2 = torch.zeros(k, 1, out, device=device)
    log_scale = torch.full((k, 1, 1), recipe.scale, device=device).log()
    free = [b1, b2, log_scale]
    for p in (w1, w2, *free):
        p.requires_grad_(True)
    optimiser = torch.optim.AdamW(
        [
            {"params": [w1, w2], "weight_decay": recipe.weight_decay},
            {"params": free, "weight_decay": 0.0},
        ],
        lr=recipe.rate,
        betas=(0.9, 0.99),
    )
    drawn = sampling_weights(train, data.group, weight, recipe.balance)
    steps = int(recipe.epochs * float(train.sum(dim=1).float().mean()) / recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=steps + 1, pct_start=0.1, cycle_momentum=False
    )
    aim = target_vectors(data, recipe)
    copies = None if data.copies is None else (data.copies - mean) / std
    for _ in range(steps):
        idx = torch.multinomial(drawn, recipe.batch, replacement=True)
        x = x_all[idx]
        if recipe.altered and copies is not None:
            copy = copies[idx, torch.randint(copies.shape[1], idx.shape, device=device)]
            x = torch.where(torch.rand(*idx.shape, 1, device=device) < recipe.altered, copy, x)
        h = functional.gelu(torch.baddbmm(b1, x, w1), approximate="tanh")
        h = functional.dropout(h, recipe.dropout)
        query = functional.normalize(torch.baddbmm(b2, h, w2), dim=2) * log_scale.exp()
        logits = query @ data.cells.T
        total = torch.logsumexp(logits, dim=2)
        # summed over heads: each has its own parameters, so each sees its own mean gradient
        loss = (total - (query * aim[idx]).sum(dim=2)).mean(dim=1).sum()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
    return Stack(
        w1=w1.detach(),
        b1=b1.detach(),
        w2=w2.detach(),
        b2=b2.detach(),
        log_scale=log_scale.detach(),
        cells=data.cells,
        mean=mean,
        std=std,
    )
