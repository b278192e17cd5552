"""`python -m benchmarks.trips`: how near first guesses come on two people's own trips.

No model was trained on these photos, so `attackers.npz` has there what the shipped built-in model
makes of each. A first guess is the middle of the likeliest circle of 25 km that is centred on a
leaf. `far` are photos that have no known photo of the look-up within 25 km.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe import Cells
from elsewhere.globe.circles import Circles
from elsewhere.globe.coordinates import EARTH_KM, unit_vector
from elsewhere_lab.trips import ATTACKERS, DINO, EMBEDDED, Trips

KM = (1, 25, 200, 750, 2500)
RADIUS_KM = 25.0
OWN = "trips of "
"""How the sources of their photos begin."""
FOLDER = Path(__file__).parent
Floats = NDArray[np.float64]


def main() -> int:
    """Print the table."""
    print(table(Trips(FOLDER)))
    return 0


def table(trips: Trips) -> str:
    """Of each source and attacker, the shares of first guesses within so many km, in Markdown."""
    sources: dict[str, list[int]] = {}
    for source, rows in trips.entries():
        if source.startswith(OWN):
            sources.setdefault(source, []).extend(rows)
    sources["both"] = [row for rows in sources.values() for row in rows]
    far = nearest_known_km(trips)
    head = ["source", "photos", "first guess", *(f"{km:,} km" for km in KM)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for source, rows in sources.items():
        some = np.array(rows)
        for name, chosen in ((source, some), (f"{source}, far", some[far[some] > RADIUS_KM])):
            if not len(chosen):
                continue
            for attacker in (EMBEDDED, DINO):
                km = first_guess_km(trips, attacker, chosen.tolist())
                shares = (f"{(km <= within).mean():.3f}" for within in KM)
                cells = [name, str(len(chosen)), attacker, *shares]
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def first_guess_km(trips: Trips, attacker: str, rows: list[int]) -> Floats:
    """How far the first guess is from each photo."""
    circles = Circles(Cells.leaves().points, RADIUS_KM)
    guesses = [
        int(circles.masses(np.exp(trips.scores(attacker, [row])[0])).argmax()) for row in rows
    ]
    here = unit_vector(*trips.positions(rows).T)
    return _km((here * circles.unit[guesses]).sum(axis=1))


def nearest_known_km(trips: Trips) -> Floats:
    """How far the nearest known photo is from each photo, of those that resemble photos most."""
    with np.load(trips.folder / ATTACKERS) as stored:
        known, position = stored["known"] / 100, stored["position"] / 100
    there = unit_vector(*known.T)
    return _km((unit_vector(*position.T) @ there.T).max(axis=1))


def _km(cosine: NDArray[Any]) -> Floats:
    return np.asarray(np.arccos(np.clip(cosine, -1, 1)) * EARTH_KM)


if __name__ == "__main__":
    sys.exit(main())
