"""Attackers that never saw the source of a trip, in place of the shipped ones.

`training.trip_heads` writes a folder of weights for each group of sources, and the known photos
that a look-up compares with.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from training.trip_attackers import NEIGHBOURS

from elsewhere.scorers import Photo, ScorerInfo, dino, embedded
from elsewhere.scorers.dino import DinoScorer
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.protocol import BUILT_IN, BuiltIn, Features, Row
from elsewhere_lab.trips import look_up

LOOK_UP = "look-up"
SHIPPED = "shipped"

_now: dict[str, Any] = {}
"""The weights and known photos in use."""


def folders_by_source(heads: Path) -> dict[str, Path]:
    """The folder of weights for the trips of each source; others have the shipped ones."""
    with (heads / "groups.csv").open(encoding="utf-8", newline="") as lines:
        return {row["source"]: heads / row["folder"] for row in csv.DictReader(lines)}


def use(heads: Path, source: str) -> None:
    """From now on, scorers have heads that never saw this source."""
    folder = folders_by_source(heads).get(source, heads / SHIPPED)
    embedded.make = lambda argument: EmbeddedScorer(weights=folder, head=argument or "head")
    dino.make = lambda argument: DinoScorer(weights=folder)
    BUILT_IN[LOOK_UP] = BuiltIn(__name__, LOOK_UP)
    _now.update(folder=folder, known=_known_but(heads, source))


def make(argument: str) -> LookUpScorer:
    """The look-up among the known photos of other sources."""
    return LookUpScorer(EmbeddedScorer(weights=_now["folder"]), _now["known"])


@dataclass(frozen=True)
class Known:
    """Photos whose place is known, as the tower sees them."""

    mean: NDArray[np.float32]
    std: NDArray[np.float32]
    unit: NDArray[np.float32]
    position: NDArray[np.float64]

    @classmethod
    def of(cls, embeds: NDArray[np.float32], position: NDArray[np.float64]) -> Known:
        """Features are compared after each was brought to one scale."""
        mean, std = embeds.mean(axis=0), embeds.std(axis=0)
        unit = (embeds - mean) / std
        return cls(mean, std, unit / np.linalg.norm(unit, axis=1, keepdims=True), position)

    def row(self, features: Features) -> Row:
        """Log-probabilities of leaves for a photo with these features."""
        feature = (features - self.mean) / self.std
        alike = self.unit @ (feature / np.linalg.norm(feature))
        nearest = np.argsort(-alike, kind="stable")[:NEIGHBOURS]
        return np.log(look_up(self.position[nearest], alike[nearest])).astype(np.float32)


@lru_cache(maxsize=1)
def _known_but(heads: Path, source: str) -> Known:
    with np.load(heads / "known.npz") as stored:
        others = stored["source"] != source
        return Known.of(stored["embeds"][others], stored["position"][others])


@dataclass(eq=False)
class LookUpScorer:
    """A photo is where the known photos are that it resembles."""

    tower: EmbeddedScorer
    known: Known
    _about: ScorerInfo | None = field(default=None, init=False)

    def load(self) -> ScorerInfo:
        """It shares the embedded model's features, and the exponents of its albums."""
        if self._about is None:
            self._about = replace(
                self.tower.load(), name=LOOK_UP, fingerprint="look-up", accuracy={}
            )
        return self._about

    def features(self, photo: Photo) -> Features:
        """Those of the embedded model."""
        return self.tower.features(photo)

    def row(self, features: Features) -> Row:
        """What the known photos say of features."""
        return self.known.row(features)

    def score(self, photo: Photo) -> Row:
        """Features, then known photos."""
        return self.row(self.features(photo))


def specs(attackers: Sequence[str]) -> tuple[str, ...]:
    """The attackers, and the look-up where there are known photos."""
    return (*attackers, LOOK_UP) if "known" in _now else tuple(attackers)
