"""Where a model is sure of another place than the one that the user said: perhaps it was a slip.

What is typed is believed, and a promise about the wrong place is kept easily: the model does not
find it, for the photos are of somewhere else. A name that two towns have, or a wrong country, would
then pass for good news. Positions in the files are not doubted: a model may be wrong of those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere.globe import cell_names
from elsewhere.globe.distance import distance_km
from elsewhere.scorers.calibration import together
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import Threat

SURE = 0.5
FAR_KM = 750.0


def place_mismatches(seen: ScoredAlbum, watched: Sequence[Threat]) -> Iterator[str]:
    """A note for each place that was told, from whose photos a model is sure of one far away."""
    in_files = {photo.metadata.position for photo in seen.photos}
    for watch in watched:
        place, attack = watch.place, seen.attacks[watch.attack]
        cells = attack.about.globe
        if not watch.own or cells is None or (place.lat, place.lon) in in_files:
            continue
        own = range(len(seen.photos)) if watch.sees is None else watch.sees
        rows = attack.scores.values[[n for n in own if n < len(seen.photos)]]
        if not len(rows):
            continue
        belief = together(rows, attack.about.exponents)
        best = int(np.argmax(belief))
        sure, away = float(np.exp(belief[best])), distance_km(cells, place.lat, place.lon)[best]
        if sure > SURE and away > FAR_KM and best not in watch.zone:
            yield (
                f"{attack.called} places these photos near {cell_names(cells)[best]} "
                f"({100 * sure:.0f} %), {away:,.0f} km from {place.label}: see whether they were "
                "taken where you said (--at)"
            )
