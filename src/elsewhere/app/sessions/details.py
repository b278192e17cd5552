"""One photo, looked at closely: its own places, what it changes, what its file tells."""

from __future__ import annotations

import numpy as np

from elsewhere.app.api import models
from elsewhere.app.sessions import sentences
from elsewhere.app.sessions.answers import PlannedAnswer
from elsewhere.app.sessions.beliefs import guesses
from elsewhere.app.sessions.presenter import photos_of
from elsewhere.app.sessions.thumbnails import SIDES
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.audit.name_hints import places_in
from elsewhere.errors import InputError
from elsewhere.scorers.calibration import exponent, log_softmax
from elsewhere.service.threats import Threat

ALONE = 5


def details_of(table: Workspace, n: int) -> models.PhotoDetails:
    """The photo with this number on the table."""
    entry = table.desk.now
    seen = entry.seen
    if not 0 <= n < len(seen.photos):
        raise InputError(f"there is no photo {n} on the table: it has {len(seen.photos)}")
    photo, attack = seen.photos[n], seen.attacks[0]
    row = attack.scores.values[n].astype(np.float64)
    likely = np.exp(log_softmax(exponent(attack.about.exponents, 1) * row))
    known = photo.metadata
    own, alone = None, ""
    watch = _watching(entry, n)
    if watch is not None and entry.looks is not None:
        own = min(1.0, float(likely[watch.zone.cells].sum()))
        rank = entry.looks.own_ranks[n]
        alone = "" if rank is None else sentences.alone_sentence(watch, rank, own)
    named = [("file name", f"{place} in {photo.id}") for place in places_in(photo.id)]
    return models.PhotoDetails(
        photo=photos_of(entry, table.link, n)[0],
        picture=table.link(photo, SIDES[1]),
        guesses=guesses(likely, attack.about.globe, ALONE),
        own_p=own,
        alone=alone,
        changes=_changes(entry, n),
        leaks=[*named, *((leak.kind, leak.text) for leak in known.leaks)],
        time=known.time.isoformat() if known.time else None,
        rating=known.rating,
    )


def _watching(entry: PlannedAnswer, n: int) -> Threat | None:
    """The first scorer's watch over the hidden place that the photo speaks of."""
    watches = () if entry.looks is None else entry.looks.watches
    mine = (one for one in watches if one.attack == 0 and (one.sees is None or n in one.sees))
    return next(mine, None)


def _changes(entry: PlannedAnswer, n: int) -> list[str]:
    """What it would change if this one photo went the other way."""
    looks, plan = entry.looks, entry.plan
    if looks is None or plan is None or not plan.plan.found:
        return []
    kept = list(plan.plan.kept)
    shared = n in kept
    other = [one for one in kept if one != n] if shared else sorted([*kept, n])
    told = []
    for number, watch in enumerate(looks.watches):
        if watch.attack or (watch.sees is not None and n not in watch.sees):
            continue
        now, then = looks.view(number, kept), looks.view(number, other)
        told.append(sentences.change(watch, now, then, shared=shared))
    return list(dict.fromkeys(told))
