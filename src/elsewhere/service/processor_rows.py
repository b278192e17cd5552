"""Plans made from a GPU's rows, held against the processor's: the check proves each of them again.

A GPU's rows are not bit by bit those of the model that promises are about. So no plan made from
them is final before it holds on the rows that the processor makes of the photos to be shared. What
the tower saw of each photo is kept until then, as a small PNG.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from elsewhere.audit.places import PlaceGuesses
from elsewhere.checker.proof import prove_kept
from elsewhere.errors import FileError
from elsewhere.scorers import Photo, ScoredPhoto, Scorer, each, find
from elsewhere.scorers.gpu import gpu_form
from elsewhere.scorers.protocol import log_softmax
from elsewhere.service.bulk import AttackerInfo
from elsewhere.service.planning import AlbumPlan
from elsewhere.values.scores import FloatMatrix, Scores


def processor_form(attacker: AttackerInfo) -> AttackerInfo | None:
    """The same attacker on the processor; None where its rows are the processor's already."""
    scorer = _on_processor(attacker.spec)
    if gpu_form(scorer) is None or scorer.load().fingerprint == attacker.about.fingerprint:
        return None
    return AttackerInfo(attacker.spec, scorer.load())


class ProcessorRows:
    """What the processor makes of an album's photos, each worked out when first asked for.

    `views` are PNGs of what the tower saw (`PhotoOutcome.view`), by number.
    """

    def __init__(self, attacker: AttackerInfo, views: Sequence[bytes], threads: int) -> None:
        self._scorer, self._threads = _on_processor(attacker.spec), threads
        self._views = views
        self._known: dict[int, ScoredPhoto] = {}

    def rows(self, numbers: Sequence[int]) -> FloatMatrix:
        """The rows of some photos."""
        found = [outcome.row for outcome in self._scored(numbers) if outcome.row is not None]
        return np.stack(found)

    def features(self, numbers: Sequence[int]) -> FloatMatrix:
        """The features of some photos."""
        found = [each.features for each in self._scored(numbers) if each.features is not None]
        return np.stack(found)

    def _scored(self, numbers: Sequence[int]) -> list[ScoredPhoto]:
        missing = [number for number in numbers if number not in self._known]
        photos = [Photo(str(n), Path(str(n)), self._views[n]) for n in missing]
        outcomes = each(self._scorer, photos, threads=self._threads)
        for number, outcome in zip(missing, outcomes, strict=True):
            if outcome.row is None:
                raise FileError(f"a photo cannot be scored on the processor: {outcome.problem}")
            self._known[number] = outcome
        return [self._known[number] for number in numbers]


def holds_on(plan: AlbumPlan, scores: Sequence[Scores], models: Sequence[AttackerInfo]) -> bool:
    """Whether a plan keeps its promise on other scores of what it shares, one for each model."""
    tables = [scores[threat.model] for threat in plan.threats]
    if any(_finds_place(plan, number, tables[number], models) for number in range(len(tables))):
        return False
    return prove_kept(plan.plan, tables, unchanged=False).holds


def _finds_place(
    plan: AlbumPlan, number: int, scores: Scores, models: Sequence[AttackerInfo]
) -> bool:
    """Whether an attacker plainly has a hidden place among his first.

    The check says so too, but tries for seconds to prove the opposite. What this misses it finds;
    what this finds is planned anew, and no promise rests on it.
    """
    against, view = plan.plan.promise.against[number], plan.plan.views[number]
    globe = models[plan.threats[number].model].about.globe
    sees = None if against.sees is None else set(against.sees)
    rows = [n for n, photo in enumerate(plan.plan.kept) if sees is None or photo in sees]
    if against.circles is None or against.rivals is not None or globe is None or not rows:
        return False
    circles, top = against.circles, against.top or view.protected_k
    places = PlaceGuesses(globe, circles.radius_km, circles.positions)
    total = scores.values[rows].sum(axis=0, dtype=np.float64)
    for exponent in (circles.exponent, 1.0, 1 / len(rows)):  # all between are promised
        probabilities = np.exp(log_softmax(exponent * total))
        if places.rank(places.first(probabilities, top)[0]) <= top:
            return True
    return False


@lru_cache(maxsize=4)
def _on_processor(spec: str) -> Scorer:
    return find(spec)
