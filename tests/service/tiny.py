"""A scorer that is quick and looks at pixels, and small albums on the disk that it can score."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.album.workers import Workers
from elsewhere.globe import Zone
from elsewhere.scorers import Photo, Row, ScorerInfo, protocol
from elsewhere.scorers.protocol import normalise_row
from elsewhere.service.planning import AlbumPlan
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum, model_name, score_album
from elsewhere.service.threats import Threat
from elsewhere.values.plan import Plan
from elsewhere.values.wishes import Wishes
from tests.album.makers import jpeg

CELLS = 12


def make(about: str) -> TinyScorer:
    return TinyScorer(about)


class TinyScorer:
    """Sixteen colours of a photo, thrown onto the cells by fixed random numbers.

    `tiny:seed=2` is another model; `tiny:slow` takes its time; `tiny:bits` is the same model on
    another machine, whose last bits differ; `tiny:keen` has learnt something since.
    """

    def __init__(self, about: str) -> None:
        self._slow, self._bits, self._keen = (word in about for word in ("slow", "bits", "keen"))
        self._seed = int(about.rpartition("seed=")[2] or 1) if "seed=" in about else 1

    def load(self) -> ScorerInfo:
        return ScorerInfo(f"tiny{self._seed}", sha256(b"tiny %d" % self._seed).hexdigest(), CELLS)

    def score(self, photo: Photo) -> Row:
        if self._slow:
            time.sleep(0.004)
        small = photo.image((8, 8)).resize((4, 4))
        seen = np.asarray(small, dtype=np.float64).reshape(-1) / 255 - 0.5
        weights = np.random.default_rng(self._seed).normal(size=(CELLS, seen.size))
        logits = weights @ seen + 0.7 * (np.arange(CELLS) == truth_of(self._seed))
        if self._bits:
            logits = logits + 1e-6 * np.arange(CELLS)
        if self._keen:
            logits = logits + 9.0 * (np.arange(CELLS) == truth_of(self._seed))
        return normalise_row(logits)


def truth_of(seed: int) -> int:
    return 3 + seed


@contextmanager
def known_scorers() -> Iterator[None]:
    """With the scorer `tiny` among those that can be typed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(protocol.BUILT_IN, "tiny", protocol.BuiltIn("tests.service.tiny", "tiny"))
        yield


def write_album(folder: Path, count: int = 10, first: int = 0) -> Path:
    """Some photos that differ."""
    folder.mkdir()
    for number in range(first, first + count):
        (folder / f"IMG_20230714_{number:04}.jpg").write_bytes(jpeg(number + 1))
    return folder


def see_tiny(folder: Path, *words: str, workers: Workers | None = None) -> ScoredAlbum:
    return score_album([folder], scorers=words or ("tiny",), workers=workers)


def planned(
    seen: ScoredAlbum, *, top: int = 4, posted: Posted = NOTHING_POSTED, **wishes: Any
) -> AlbumPlan:
    """A plan for a made-up place: each scorer watches all photos, and the even ones alone."""
    place = AlbumPlace("Lisbon, Portugal", 38.72, -9.14, (), ((38.72, -9.14),))
    watches = []
    tables, truths, sees = [], [], []
    even = tuple(range(0, len(seen.photos) + len(posted.ids), 2))
    for number in range(len(seen.models)):
        truth = (truth_of(number + 1),)
        rivals = np.array([cell for cell in range(CELLS) if cell not in truth])
        for whole in (True, False):
            zone = Zone(np.array(truth), rivals, 25.0)
            watches.append(
                Threat(number, place, whole, zone, None if whole else even, hidden_name=place.label)
            )
            tables.append(posted.append_to(seen.models[number].scores, number))
            truths.append(truth)
            sees.append(None if whole else even)
    asked: dict[str, Any] = {} if "budget" in wishes else {"top": top}
    plan: Plan = elsewhere.protect(
        tables,
        truths,
        sees=sees,
        keep=posted.pinned(len(seen.photos)),
        **asked,
        **wishes,
    )
    return AlbumPlan(
        plan=plan,
        threats=tuple(watches),
        hidden=(place,),
        public=(),
        places=Places((place,)),
        wishes=Wishes(top=min(top, 3)),
        posted=posted,
        top=top,
        hidden_names=(place.label,),
        models=tuple(model_name(model.spec) for model in seen.models),
        ids=tables[0].ids,
        photos=len(seen.photos),
        newly_shared=len(posted.newly_shared(plan.kept, len(seen.photos))),
    )
