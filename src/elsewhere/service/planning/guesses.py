"""Nothing is known of where an album was taken: what the models guess, so that the user can say.

A plan hides a place; without one there is nothing to plan. The guesses of a model are shown, never
taken: hiding what the model believes would leave what it does not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.errors import InputError
from elsewhere.globe import cell_names
from elsewhere.scorers.calibration import together
from elsewhere.service.scored_album import ModelScores, ScoredAlbum

GUESSES = 5


@dataclass(frozen=True)
class Guess:
    """One place that a model thinks of."""

    scorer: str
    place: str
    share: float
    """How probable the model finds it, for all photos together."""


class NowhereError(InputError):
    """No photo says where it was taken and neither did the user; `guesses` are the models'."""

    def __init__(self, guesses: tuple[Guess, ...]) -> None:
        self.guesses = guesses
        super().__init__(
            "no photo says where it was taken, so there is nothing to hide yet: "
            "say it with --at (a town, a region, a country or coordinates)"
        )


def guesses(seen: ScoredAlbum, many: int = GUESSES) -> tuple[Guess, ...]:
    """What each scorer thinks of the album as a whole, likeliest first."""
    return tuple(guess for attack in seen.attacks for guess in _of(attack, many))


def _of(attack: ModelScores, many: int) -> list[Guess]:
    if attack.about.globe is None:
        return []
    row = together(attack.scores.values, attack.about.exponents)
    names = cell_names(attack.about.globe)
    best = np.argsort(-row, kind="stable")[:many].tolist()
    return [Guess(attack.word, names[cell], float(np.exp(row[cell]))) for cell in best]
