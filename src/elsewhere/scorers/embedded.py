"""The scorer `embedded`, the default: CLIP ViT-B/16 and our head, on the CPU, offline.

Behind a colon stands another head for the same tower, at almost no cost where the tower has run on
the photo already: `half_a` and `half_b`, each trained on half of the photos, are second opinions;
`512` is the head of earlier versions, on the paper's 512 cells, which old certificates and ledgers
name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elsewhere.errors import InputError
from elsewhere.scorers.tower import TowerScorer

HALVES = ("half_a", "half_b")
"""Heads trained on disjoint halves of the photos."""
PAPER = "512"
"""The head of earlier versions, on the paper's cells."""


def make(argument: str) -> EmbeddedScorer:
    """The scorer `embedded`, or with another head behind a colon."""
    others = (PAPER, *HALVES)
    if argument and argument not in others:
        raise InputError(
            f"the scorer embedded takes only {', '.join(others[:-1])} or {others[-1]} "
            f'after a colon, not "{argument}"'
        )
    return EmbeddedScorer(head=argument or "head")


@dataclass(eq=False)
class EmbeddedScorer(TowerScorer):
    """CLIP with one of its heads."""

    NAME, RECORD = "embedded", "model.json"

    def choose_part(self, record: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """The head on the paper's cells has a part of its own."""
        return (record[PAPER], "head") if self.head == PAPER else (record, self.head)
