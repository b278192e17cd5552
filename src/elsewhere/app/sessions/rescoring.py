"""Other attackers for the album on the table: its photos are there, so they are only scored.

Nothing is read or rendered again, and scores that are there already are taken as they are. The
photos stay the same ones, by number: whatever was wished and planned before keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from elsewhere.album import Photo
from elsewhere.errors import InputError
from elsewhere.platform.machine import worker_count
from elsewhere.scorers import CachedScorer, Outcome, Photo as Scored, RowCache, find
from elsewhere.service import ScoredAlbum, Step
from elsewhere.service.scored_album import ModelScores
from elsewhere.values.scores import Scores


def scored_by(
    seen: ScoredAlbum,
    words: Sequence[str],
    *,
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> ScoredAlbum:
    """The same album as these scorers see it; InputError where one cannot score every photo."""
    known = {attack.word: attack for attack in seen.attacks}
    wanted = tuple(dict.fromkeys(words))
    lines = {word: CachedScorer(find(word), cache) for word in wanted if word not in known}
    total = len(lines) * len(seen.photos)
    for number, (word, line) in enumerate(lines.items()):
        known[word] = _attack(
            word,
            line,
            seen.photos,
            partial(_tell, progress, number * len(seen.photos), total),
        )
    return replace(seen, attacks=tuple(known[word] for word in wanted))


def _tell(progress: Callable[[Step], None], before: int, total: int, name: str, done: int) -> None:
    progress(Step("scoring", before + done, total, name))


def _attack(
    word: str, line: CachedScorer, photos: Sequence[Photo], tell: Callable[[str, int], None]
) -> ModelScores:
    """One scorer's rows for all photos."""

    def one(photo: Photo) -> Outcome:
        # the bytes of a photo are held no longer than it takes
        return line(Scored(photo.id, photo.path, photo.rendition.content))

    made: list[Outcome] = []
    pool = ThreadPoolExecutor(worker_count(), thread_name_prefix="elsewhere-score")
    try:
        for outcome in pool.map(one, photos):
            if outcome.row is None:
                raise InputError(
                    f"{word} cannot look at every photo, so it is no attacker of this album: "
                    f"{outcome.problem}"
                )
            made.append(outcome)
            tell(outcome.photo.name, len(made))
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    rows = np.stack([outcome.row for outcome in made if outcome.row is not None])
    ids = [photo.id for photo in photos]
    scores = Scores(rows, ids, scorer=line.about.fingerprint, grid=line.about.grid)
    return ModelScores(word, line.about, scores, sum(outcome.cached for outcome in made))
