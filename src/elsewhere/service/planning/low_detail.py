"""Kept pictures that show hardly anything although the promise leans on them.

A model has an opinion of a plain grey screen, too, and may take it for anywhere else: the planner
then keeps it as a decoy. People who guess are not fooled, and leave it out. Whether it should stay
is for the user to say; here it is only named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere.album import Photo
from elsewhere.service.posted.values import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat
from elsewhere.values.plan import Plan

LEAST = 0.03
"""Bytes per pixel of a rendition: a grey screen takes about half of that, even a sunset or a bird
before a plain wall twice as much."""
FOREMOST = 3
"""So many of a watch's kept photos carry its promise most."""


def low_detail_notes(
    seen: ScoredAlbum, watched: Sequence[Threat], plan: Plan, posted: Posted, top: int | None
) -> Iterator[str]:
    """A note for each such photo; `top` is the one asked for, so that the secret one stays so."""
    kept = posted.fresh(plan.kept, len(seen.photos))
    plain = {number for number in kept if shows_little(seen.photos[number])}
    if not plain:
        return
    found: set[int] = set()
    for watch, view in zip(watched, plan.views, strict=True):
        numbers = [n for n in plan.kept if watch.sees is None or n in watch.sees]
        rivals = list(view.rivals[:top])
        if not numbers or not rivals or plain.isdisjoint(numbers):
            continue
        rows = posted.behind(seen.attacks[watch.attack].scores, watch.attack).values[numbers]
        rows = np.maximum(rows.astype(np.float64), -1e6)  # what is ruled out stays a number
        gains = (rows[:, rivals] - rows[:, watch.zone.cells].max(axis=1, keepdims=True)).sum(axis=1)
        first = np.argsort(-gains, kind="stable")[:FOREMOST]
        found |= plain & {numbers[place] for place in first.tolist() if gains[place] > 0}
    for number in sorted(found):
        name = seen.photos[number].id
        yield (
            f"{name} shows hardly anything, yet the promise leans on it: an attacker may leave it "
            f"out; you may drop it (--drop {name})"
        )


def shows_little(photo: Photo) -> bool:
    """Whether a picture is all but plain, by how few bytes it takes."""
    rendition = photo.rendition
    return rendition.size < LEAST * rendition.width * rendition.height
