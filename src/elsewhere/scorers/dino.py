"""The scorer `dino`: DINOv2-S and a head of its own on the same leaves, on the CPU, offline.

It sees differently from `embedded`: its tower was trained on pictures alone, without a word. It
knows places far less well, and is half as large a computation: a second opinion, asked beside
`embedded`. Both towers take the same tensor, and both heads share the leaves' vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

from elsewhere.errors import InputError
from elsewhere.scorers.tower import TowerScorer


def make(argument: str) -> DinoScorer:
    """The scorer `dino`."""
    if argument:
        raise InputError(f'the scorer dino takes nothing after a colon, but has ":{argument}"')
    return DinoScorer()


@dataclass(eq=False)
class DinoScorer(TowerScorer):
    """DINOv2-S with its head."""

    NAME, RECORD = "dino", "dino.json"
