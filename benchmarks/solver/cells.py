"""The problems that are measured: a grid of cells, each an endless supply from seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.solver import edited
from benchmarks.solver.joint_problems import kinds
from elsewhere.solver.problem import Attacker, Problem, Versions, plain
from elsewhere_lab import simulator

SIZES = (16, 32, 64, 128)
TOPS = (1, 5, 10, 20)
SHARES = (12.5, 25.0, 37.5, 50.0)


@dataclass(frozen=True)
class Cell:
    """One kind of problem."""

    name: str
    family: str
    """paper, 256, zone, margin, large, versions, leaves, joint, unlike or hard."""
    photos: int
    make: Callable[[int], Problem]
    """From a seed to a problem."""
    top: int | None = None
    share: float | None = None
    """The budget in per cent of the photos."""

    @property
    def must_be_proved(self) -> bool:
        """Whether every problem of the cell has to be solved to a proof."""
        return self.family == "paper"


def grid() -> dict[str, Cell]:
    """All cells by name, in the order in which they are run."""
    cells = [
        *(_random(n, top=top) for n in SIZES for top in TOPS),
        *(_random(n, share=share) for n in SIZES for share in SHARES),
        *(_random(256, top=top) for top in TOPS),
        *(_random(256, share=share) for share in SHARES),
        *(_zone(n, top=5) for n in (32, 64, 128)),
        _zone(128, top=1),
        _zone(128, share=25.0),
        *(_random(n, top=5, margin=margin) for n in (64, 128) for margin in (0.1, 0.5)),
        *(_random(1000, top=top) for top in (1, 5, 10)),
        _random(1000, share=25.0),
        *(_random(5000, top=top) for top in (1, 5)),
        *(_versions(n, top=5) for n in (32, 64, 128)),
        *(_edited(128, top=5) for _ in range(edited.STORED.exists())),
        *(_leaves(n, top=5) for n in (32, 64)),
        *(
            Cell(
                f"joint {one.name}",
                "joint" if one.counted else "unlike",
                one.photos,
                one.make,
                one.top,
            )
            for one in kinds()
        ),
        *(_random(n, top=50) for n in (64, 128)),
        *(_random(n, share=75.0) for n in (64, 128)),
        _unstructured(64, top=5),
        _unstructured(32, share=50.0),
        _knapsack(20, largest=1_000),
        _knapsack(40, largest=100_000_000),
    ]
    return {cell.name: cell for cell in cells}


def seeds(base: int, cell: str, count: int) -> list[int]:
    """Seeds of the first `count` problems of a cell; other cells have others."""
    stream = np.random.SeedSequence([base, *cell.encode()])
    return [int(x) for x in stream.generate_state(count, np.uint64) >> np.uint64(12)]


def _wish(problem: Problem, share: float | None) -> Problem:
    if share is None:
        return problem
    return replace(problem, budget=int(problem.photos * share / 100))


def _kind(seed: int) -> str:
    return "w1" if seed % 2 else "w2"


def _suffix(top: int | None, share: float | None) -> str:
    return f"top-{top}" if share is None else f"budget-{share:g}%"


def _random(
    n: int, *, top: int | None = None, share: float | None = None, margin: float = 0.0
) -> Cell:
    """R-N: unrelated photos of one cell, half the problems from each kind of world."""

    def make(seed: int) -> Problem:
        scores, truth = simulator.collection(seed, photos=n, world=_kind(seed))
        problem = plain(scores.values, truth, top or 0)
        attacker = replace(problem.attackers[0], shift=margin)
        return _wish(replace(problem, attackers=(attacker,)), share)

    if margin:
        return Cell(f"R-{n} top-{top} margin-{margin:g}", "margin", n, make, top)
    hard = (top or 0) > 20 or (share or 0) > 50
    family = "large" if n > 256 else "hard" if hard else "256" if n > 128 else "paper"
    return Cell(f"R-{n} {_suffix(top, share)}", family, n, make, top, share)


def _zone(n: int, *, top: int | None = None, share: float | None = None) -> Cell:
    """A zone of 17 cells hidden from two attackers at once."""

    def make(seed: int) -> Problem:
        world = simulator.world(_kind(seed), seed)
        rng = np.random.default_rng([seed, 1])
        truth = int(rng.integers(simulator.CELLS))
        zone = np.array(sorted(world.zone(truth, 17)), np.intp)
        rivals = np.setdiff1d(np.arange(simulator.CELLS, dtype=np.intp), zone)
        views = world.views(truth, n, rng, attackers=2)
        problem = Problem(
            attackers=tuple(Attacker(bank, zone, rivals, need=top or 0) for bank in views),
            unit_of=np.arange(n, dtype=np.intp),
            weights=np.ones(n, np.int64),
            fixed=np.zeros(n, np.int8),
        )
        return _wish(problem, share)

    return Cell(f"zone R-{n} {_suffix(top, share)}", "zone", n, make, top, share)


LEAVES_OF_A_CELL = 70
"""So many leaves does the fine globe have for each of the simulator's cells."""


def _leaves(n: int, *, top: int) -> Cell:
    """R-N on a fine globe: each cell divided, the truth a zone of 17 leaves of one of them."""

    def make(seed: int) -> Problem:
        scores, truth = simulator.collection(seed, photos=n, world=_kind(seed))
        rng = np.random.default_rng([seed, 9])
        bank = np.repeat(scores.values.astype(np.float64), LEAVES_OF_A_CELL, axis=1)
        bank += 0.3 * rng.standard_t(4, bank.shape)
        bank -= np.logaddexp.reduce(bank, axis=1, keepdims=True)
        zone = np.arange(17, dtype=np.intp) + truth * LEAVES_OF_A_CELL
        rivals = np.setdiff1d(np.arange(bank.shape[1], dtype=np.intp), zone)
        attacker = Attacker(bank, zone, rivals, need=top)
        weights, fixed = np.ones(n, np.int64), np.zeros(n, np.int8)
        return Problem((attacker,), np.arange(n, dtype=np.intp), weights, fixed)

    return Cell(f"leaves R-{n} top-{top}", "leaves", n, make, top)


LOSSES = (6, 12, 25, 38, 44, 50)
"""What an edit takes of a picture, in per cent; the study of edits tried these."""


def _versions(n: int, *, top: int, count: int = 8) -> Cell:
    """R-N with eight versions of each photo: as it is, and edits that make its scores flatter.

    How much flatter is drawn, more for edits that lose more, and not monotone; noise is added. An
    edit costs what it loses and 2 per cent.
    """

    def make(seed: int) -> Problem:
        scores, truth = simulator.collection(seed, photos=n, world=_kind(seed))
        rng = np.random.default_rng([seed, 7])
        photo_of = np.repeat(np.arange(n, dtype=np.intp), count)
        edited = np.append(False, photo_of[1:] == photo_of[:-1])
        loss = np.where(edited, rng.choice(LOSSES, len(photo_of)), 0)
        effect = 1.2 * rng.beta(1.2, 1.5, len(photo_of)) * np.sqrt(loss / 50)
        bank = scores.values[photo_of].astype(np.float64)
        noise = 0.25 * rng.standard_t(4, bank.shape)
        bank = np.where(
            edited[:, None], bank * np.clip(1 - effect, 0.05, 1.0)[:, None] + noise, bank
        )
        bank -= np.logaddexp.reduce(bank, axis=1, keepdims=True)
        return Problem(
            attackers=plain(bank, truth, top).attackers,
            unit_of=photo_of,
            weights=np.full(n, 100, np.int64),
            fixed=np.zeros(n, np.int8),
            versions=Versions(
                photo_of,
                np.where(edited, loss + 2, 0).astype(np.int64),
                np.ones(len(photo_of), bool),
            ),
        )

    return Cell(f"versions R-{n} top-{top}", "versions", n, make, top)


def _edited(n: int, *, top: int, count: int = 8) -> Cell:
    """R-N of real photos with the versions that the product's edit search found of them.

    Photos of different places stand for photos of one: the columns are the truth and the cells by
    their distance from it (`edited.py`). A head of the model counts as a photo of its own.
    """

    def make(seed: int) -> Problem:
        stored, rng = edited.stored(), np.random.default_rng([seed, 8])
        starts = np.flatnonzero(np.diff(stored["photo"], prepend=-1))
        ends = np.append(starts[1:], len(stored["photo"]))
        drawn = rng.permutation(len(starts))[:n]
        chosen = [np.arange(starts[i], min(ends[i], starts[i] + count)) for i in drawn]
        rows = np.concatenate(chosen)
        photo_of = np.repeat(np.arange(n, dtype=np.intp), [len(own) for own in chosen])
        bank = stored["scores"][rows] / edited.STEPS
        bank -= np.logaddexp.reduce(bank, axis=1, keepdims=True)
        return Problem(
            attackers=plain(bank, 0, top).attackers,
            unit_of=photo_of,
            weights=np.full(n, edited.PERCENT, np.int64),
            fixed=np.zeros(n, np.int8),
            versions=Versions(
                photo_of, stored["cost"][rows].astype(np.int64), np.ones(len(rows), bool)
            ),
        )

    return Cell(f"edited R-{n} top-{top}", "versions", n, make, top)


def _unstructured(n: int, *, top: int | None = None, share: float | None = None) -> Cell:
    """Gains without any structure, independent normal with mean −.6: nothing to hold on to."""

    def make(seed: int) -> Problem:
        bank = np.random.default_rng(seed).normal(-0.6, 1.0, (n, simulator.CELLS))
        bank[:, 0] = 0.0
        return _wish(plain(bank, 0, top or 0), share)

    return Cell(f"iid N={n} {_suffix(top, share)}", "hard", n, make, top, share)


def _knapsack(n: int, *, largest: int) -> Cell:
    """The paper's first hardness proof: two rivals, a knapsack with value = weight, one planted."""

    def make(seed: int) -> Problem:
        rng = np.random.default_rng(seed)
        weights = rng.integers(1, largest, n)
        planted = int(weights[rng.permutation(n)[: n // 2]].sum())
        bank = np.zeros((n + 1, 3))
        bank[:n, 1], bank[:n, 2] = weights, -weights
        bank[n, 1], bank[n, 2] = -planted, planted
        return plain(bank, 0, 2)

    return Cell(f"knapsack N={n}", "hard", n, make, 2)
