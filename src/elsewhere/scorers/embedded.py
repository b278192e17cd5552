"""The scorer `embedded`, the default: CLIP ViT-B/16 and our head, on the CPU, offline.

The weights lie in the package. `model.json` beside them records the SHA-256 of each file, the
cells they were trained on and how albums are calibrated; a file that does not match is refused
before it is used.

Behind a colon stands one of two other heads for the same tower, each trained on half of the photos:
second opinions, nearly for free where the tower has seen the photo already.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers.features import Features, features
from elsewhere.scorers.head import Head
from elsewhere.scorers.photos import Photo
from elsewhere.scorers.preprocess import SIDE, view
from elsewhere.scorers.protocol import Row, ScorerInfo
from elsewhere.scorers.sessions import Session, session, verified

WEIGHTS = Path(__file__).parent / "weights"
PREPARATION = 1
"""Counts up when decoding or preparing a photo changes on purpose, so that old rows are not met."""


HALVES = ("half_a", "half_b")
"""Heads trained on disjoint halves of the photos."""


def make(about: str) -> EmbeddedScorer:
    """The scorer behind the word `embedded`, or `embedded:half_a`, `embedded:half_b`."""
    if about and about not in HALVES:
        raise InputError(
            f"the scorer embedded takes nothing behind a colon but {' or '.join(HALVES)}, "
            f'and has ":{about}"'
        )
    return EmbeddedScorer(head=about or "head")


class EmbeddedScorer:
    """Tower and head from one folder."""

    def __init__(self, weights: Path = WEIGHTS, head: str = "head") -> None:
        self._weights = weights
        self._which = head
        self._about: ScorerInfo | None = None

    def load(self) -> ScorerInfo:
        """Verify and read everything; the session is shared with every other one like it."""
        if self._about is None:
            told = record(self._weights)
            cells = Cells.default()
            if told["cells"] != cells.fingerprint:
                raise ScorerError(
                    "the embedded model was trained on other cells than this version has: "
                    "install elsewhere again"
                )
            tower, head = told["tower"], told[self._which]
            self._session: Session = session(self._weights / tower["file"], tower["sha256"])
            self._ends = tower["input"], tower["output"]
            self._head = Head.read(verified(self._weights / head["file"], head["sha256"]))
            self._about = ScorerInfo(
                name="embedded" if self._which == "head" else f"embedded:{self._which}",
                fingerprint=_fingerprint(told, self._which),
                cells=cells.count,
                grid=cells.fingerprint,
                globe=cells,
                exponents={int(n): float(e) for n, e in told["album_exponents"].items()},
                # the halves were made to be compared with, and are not measured by continent
                accuracy=_accuracy(told) if self._which == "head" else {},
            )
        return self._about

    def score(self, photo: Photo) -> Row:
        """Decode, one forward pass, head."""
        return self._head.log_probabilities(features(self._session.sha256, photo, self._features))

    def _features(self, photo: Photo) -> Features:
        tensor = view(photo.image((SIDE, SIDE)))[None]
        return np.asarray(self._session(tensor, *self._ends)[0])


def record(weights: Path = WEIGHTS) -> dict[str, Any]:
    """What `model.json` records about the files beside it."""
    path = weights / "model.json"
    try:
        told: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        raise FileError(
            f"the embedded model's record {path.name} is missing or damaged: "
            "install elsewhere again"
        ) from None
    return told


def _accuracy(told: dict[str, Any]) -> dict[str, dict[int, float]]:
    """How often the model is right about places that it has never seen."""
    measured = told["accuracy"]
    parts = {"": measured["never_seen"], **measured["never_seen_by_region"]}
    return {
        part: {
            int(name.removeprefix("within_")): float(share)
            for name, share in shares.items()
            if name.startswith("within_")
        }
        for part, shares in parts.items()
    }


def _fingerprint(told: dict[str, Any], head: str) -> str:
    """Over what makes the rows, and not over what is merely told about them."""
    parts = told["tower"]["sha256"], told[head]["sha256"], told["cells"]
    seal = f"embedded {PREPARATION} {' '.join(parts)}"
    return hashlib.sha256(seal.encode()).hexdigest()
