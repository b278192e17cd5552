"""One photo, looked at closely: its own places, what it changes, what its file tells."""

from __future__ import annotations

import numpy as np

from elsewhere.app import contract
from elsewhere.app.desk import Entry
from elsewhere.app.looks import guesses
from elsewhere.app.table import Table
from elsewhere.app.thumbs import SIDES
from elsewhere.audit.file_names import places_in
from elsewhere.errors import InputError
from elsewhere.job import Seen
from elsewhere.posterior import exponent, log_softmax
from elsewhere.report.words import ordinal

ALONE = 5


def details_of(table: Table, n: int) -> contract.PhotoDetails:
    """The photo with this number on the table."""
    desk = table.desk
    entry, seen = desk.now, desk.seen
    if not 0 <= n < len(seen.photos):
        raise InputError(f"there is no photo {n} on the table: it has {len(seen.photos)}")
    photo, attack = seen.photos[n], seen.attacks[0]
    row = attack.scores.values[n].astype(np.float64)
    likely = np.exp(log_softmax(exponent(attack.about.exponents, 1) * row))
    known = photo.metadata
    own = None
    if entry.looks is not None:
        zone = entry.looks.watches[0].zone.cells
        own = min(1.0, float(likely[zone].sum()))
    named = [("file name", f"{place} in {photo.id}") for place in places_in(photo.id)]
    return contract.PhotoDetails(
        photo=table.photos()[n],
        picture=table.link(photo, SIDES[1]),
        guesses=guesses(likely, attack.about.globe, ALONE),
        own_p=own,
        changes=_changes(seen, entry, n),
        leaks=[*named, *((leak.kind, leak.text) for leak in known.leaks)],
        time=known.time.isoformat() if known.time else None,
        rating=known.rating,
    )


def _changes(seen: Seen, entry: Entry, n: int) -> list[str]:
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
        scope = "the whole album" if watch.whole else "its own photos"
        place = watch.place.label
        if now is None or then is None:
            told.append(f"It is the only photo of {place} that would be shared.")
        elif now.rank == then.rank:
            told.append(f"It moves {place} no place up or down, from {scope}.")
        else:
            verb = "Without it" if shared else "With it"
            told.append(
                f"{verb} {place} goes from {ordinal(now.rank)} to {ordinal(then.rank)} "
                f"from {scope}."
            )
    return told
