"""The recogniser of trained landmarks: linear, with a class for "none of them".

Heads that generalise have to be held back so far that they forget the few places of which there
are many photos. A linear recogniser remembers those; "none of them" is trained on everything else,
so that it stays silent elsewhere. It only ever lifts a landmark's cell, by its log-odds against
"none of them" where these are positive, and changes the order of no other two cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.heads import Material, sampling_weights, standardisation

EPOCHS, RATE, BATCH, DECAY = 20, 3e-3, 512, 0.1


@dataclass
class Recognisers:
    """K linear classifiers over L landmarks and "none of them", last."""

    w: Tensor  # (K, D, L + 1)
    b: Tensor  # (K, 1, L + 1)
    cell: Tensor  # (L,)
    mean: Tensor
    std: Tensor

    def odds(self, x: Tensor) -> Tensor:
        """(K, N, L) log-odds of each landmark against "none of them", 0 where negative."""
        x = ((x - self.mean) / self.std).expand(len(self.w), -1, -1)
        logits = torch.baddbmm(self.b, x, self.w)
        return (logits[..., :-1] - logits[..., -1:]).clamp(min=0)

    def lift(self, x: Tensor, cells: int) -> Tensor:
        """(K, N, cells): what is added to the heads' scores, in nats."""
        odds = self.odds(x)
        out = torch.zeros(*odds.shape[:2], cells, device=x.device)
        return out.scatter_reduce_(2, self.cell.expand(*odds.shape[:2], -1), odds, "amax")


def train_recognisers(
    data: Material, train: Tensor, landmark: Tensor, landmark_cell: Tensor, seed: int
) -> Recognisers:
    """Train K recognisers; ``landmark`` (N,) numbers the landmarks and is L for other photos."""
    torch.manual_seed(seed)
    device, k, d = data.x.device, len(train), data.x.shape[1]
    count = len(landmark_cell)
    mean, std = standardisation(data.x, train, True)
    x_all = (data.x - mean) / std
    w = torch.zeros(k, d, count + 1, device=device, requires_grad=True)
    b = torch.zeros(k, 1, count + 1, device=device, requires_grad=True)
    optimiser = torch.optim.AdamW(
        [{"params": [w], "weight_decay": DECAY}, {"params": [b], "weight_decay": 0.0}], lr=RATE
    )
    ones = torch.ones(len(landmark), device=device)
    known = train & (landmark < count)
    inside = sampling_weights(known, landmark, ones, 1.0)
    outside = sampling_weights(train & (landmark == count), data.group, ones, 0.5)
    steps = int(EPOCHS * max(float(known.sum(dim=1).float().mean()), 1000.0) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, RATE, total_steps=steps + 1, pct_start=0.1, cycle_momentum=False
    )
    for _ in range(steps):
        idx = torch.cat(
            [torch.multinomial(part, BATCH // 2, replacement=True) for part in (inside, outside)],
            dim=1,
        )
        said = torch.baddbmm(b, x_all[idx], w)
        loss = k * functional.cross_entropy(said.flatten(0, 1), landmark[idx].flatten())
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        schedule.step()
    return Recognisers(w.detach(), b.detach(), landmark_cell, mean, std)
