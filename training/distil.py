"""A cheaper form of the tower, trained on to repeat today's features.

The student starts with today's weights. It sees photos and parts of them, mirrored and in other
light, and learns today's features of the same view, each weighed as the heads weigh it: by its
deviation over the photos. No position takes part.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from elsewhere.scorers.tower import MEAN, STD
from training.variants import SIDE, V, Variant, Weights, embed, position_embedding

BATCH, RATE, DECAY, LEAST_SHARE = 256, 1e-5, 0.01, 0.35


def normalised(values: Tensor) -> Tensor:
    """Colours of 0 to 1 (B, 3, side, side) as CLIP takes them."""
    mean, std = (torch.tensor(part, device=values.device).view(1, 3, 1, 1) for part in (MEAN, STD))
    return (values - mean.to(values.dtype)) / std.to(values.dtype)


def scaled(features: Tensor) -> Tensor:
    """Features of length √D, as heads take them."""
    return functional.normalize(features.float(), dim=1) * features.shape[1] ** 0.5


def altered(squares: Tensor) -> Tensor:
    """Half of the photos (B, 224, 224, 3) whole, half in part; some mirrored, all in other light.

    Returns colours of 0 to 1, channels first.
    """
    x = squares.permute(0, 3, 1, 2).float() / 255
    count = len(x)

    def drawn(low: float, high: float) -> Tensor:
        return torch.empty(count, device=x.device).uniform_(low, high)

    whole = drawn(0, 1) < 0.5
    share = torch.where(whole, 1.0, drawn(LEAST_SHARE, 1).sqrt())
    mirrored = torch.where(drawn(0, 1) < 0.5, -1.0, 1.0)
    turn = torch.zeros(count, 2, 3, device=x.device)
    turn[:, 0, 0], turn[:, 1, 1] = share * mirrored, share
    turn[:, 0, 2], turn[:, 1, 2] = (1 - share) * drawn(-1, 1), (1 - share) * drawn(-1, 1)
    grid = functional.affine_grid(turn, list(x.shape), align_corners=False)
    x = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
    light, shift = drawn(0.8, 1.2).view(-1, 1, 1, 1), drawn(-0.1, 0.1).view(-1, 1, 1, 1)
    return (x * light + shift).clamp(0, 1)


def distil(
    weights: Weights,
    squares: Tensor,
    variant: Variant,
    deviation: Tensor,
    steps: int,
    *,
    batch: int = BATCH,
    rate: float = RATE,
    seed: int = 0,
) -> Weights:
    """The variant's own weights, from photos (N, 224, 224, 3) in bytes on the weights' device."""
    torch.manual_seed(seed)
    device = squares.device
    half = torch.float16 if device.type == "cuda" else torch.float32
    teacher = {name: value.to(half) for name, value in weights.items()}
    student = {name: value.float().clone() for name, value in weights.items()}
    position = f"{V}.embeddings.position_embedding.weight"
    student[position] = position_embedding(student, variant.side).clone()
    # norms and biases stay: the constants of training.smooth make some of them tiny, and steps of
    # one length may move those far (not tried apart)
    free = [value.requires_grad_(True) for value in student.values() if value.ndim > 1]
    optimiser = torch.optim.AdamW(free, lr=rate, weight_decay=DECAY, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=steps + 1, pct_start=0.1, cycle_momentum=False
    )
    late = torch.zeros((), device=device)
    for step in range(1, steps + 1):
        view = altered(squares[torch.randint(len(squares), (batch,), device=device)])
        with torch.no_grad():
            aim = scaled(embed(teacher, normalised(view).to(half)))
        if variant.side != SIDE:
            view = functional.interpolate(
                view, (variant.side, variant.side), mode="bicubic", antialias=True
            ).clamp(0, 1)
        with torch.autocast(device.type, torch.bfloat16):
            said = embed(student, normalised(view), variant)
        loss = ((scaled(said) - aim) / deviation).square().mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([value for value in free if value.grad is not None], 1.0)
        optimiser.step()
        schedule.step()
        late = loss.detach() if step == 1 else 0.95 * late + 0.05 * loss.detach()
        if step % 100 == 0 or step in (1, 20, steps):
            print(f"  step {step} of {steps}: {float(late):.4f}", flush=True)
    return {name: value.detach() for name, value in student.items()}
