"""One wish, one file: each rewrites the canonical problem and translates the answer back.

The table of DESIGN, as code: `reduce` starts from the paper's plain problem for every attacker and
applies, in this order, what the promise asks for. `Chain.invert` runs backwards over the answer.
The order matters in two places: photos are judged alone (`each_photo`) before they are joined into
groups, and groups are formed before their values are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elsewhere.solver.problem import Answer, Problem, plain
from elsewhere.solver.reductions.chain import (
    Attackers,
    Budget,
    Contradiction,
    Decoys,
    Margin,
    Places,
    Reduction,
    Strict,
    Thresholds,
    Zone,
)
from elsewhere.solver.reductions.photos import EachPhoto, Groups, Pins, Values
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

__all__ = ["Chain", "Contradiction", "Reduction", "reduce"]


@dataclass(frozen=True)
class Chain:
    """A canonical problem and the reductions that led to it."""

    problem: Problem
    steps: tuple[Reduction, ...]

    def invert(self, answer: Answer) -> Answer:
        """What the solver said, in photos and values again."""
        for step in reversed(self.steps):
            answer = step.invert(answer)
        return answer


def wanted(promise: Promise, scores: Sequence[Scores]) -> list[Reduction]:
    """The reductions that a promise calls for, in order; those not needed are left out."""
    against = promise.against
    steps: list[Reduction] = []
    if len(scores) > 1:
        rest = [
            plain(s.values, a.truth[0], a.top or 0)
            for s, a in zip(scores[1:], against[1:], strict=True)
        ]
        steps.append(Attackers(tuple(rest)))
    if any(len(a.truth) > 1 for a in against):
        steps.append(Zone(tuple(a.truth for a in against)))
    if any(a.rivals is not None for a in against):
        steps.append(Decoys(tuple(a.rivals for a in against)))
    if any(a.lead or a.prior is not None for a in against):
        steps.append(Thresholds(tuple((a.lead, a.prior) for a in against)))
    if any(a.margin for a in against):
        steps.append(Margin(tuple(a.margin for a in against)))
    if any(a.sees is not None for a in against):
        steps.append(Places(tuple(a.sees for a in against)))
    if promise.strict:
        steps.append(Strict())
    if promise.budget is not None:
        steps.append(Budget(promise.budget))
    if promise.keep or promise.drop:
        steps.append(Pins(promise.keep, promise.drop))
    if any(a.each_photo is not None for a in against):
        steps.append(EachPhoto(tuple(a.each_photo or 0 for a in against)))
    if promise.groups:
        steps.append(Groups(promise.groups))
    if promise.values is not None:
        steps.append(Values(promise.values))
    return steps


def reduce(promise: Promise, scores: Sequence[Scores]) -> Chain:
    """The canonical problem for a promise; Contradiction where it cannot be fulfilled at all."""
    first = promise.against[0]
    problem = plain(scores[0].values, first.truth[0], first.top or 0)
    steps = wanted(promise, scores)
    for step in steps:
        problem = step.apply(problem)
    return Chain(problem, tuple(steps))
