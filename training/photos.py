"""The manifest of the training photos, as rows of plain values."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

CONTINENTS = {
    "AF": "Africa", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania",
    "SA": "South America",
}  # fmt: skip
"""The manifest's continents, and what they are called."""


@dataclass(frozen=True)
class Photo:
    """One photo of a shard: where it was taken, how surely, and where it came from."""

    shard: str
    name: str
    lat: float
    lon: float
    radius_km: float
    source: str
    place: str
    country: str
    continent: str
    licence: str


def read_manifest(path: Path) -> list[Photo]:
    """Read ``manifest.csv``, in its own order."""
    with path.open(encoding="utf-8", newline="") as handle:
        return [
            Photo(
                shard=row["shard"],
                name=row["name"],
                lat=float(row["lat"]),
                lon=float(row["lon"]),
                radius_km=float(row["radius_km"] or "nan"),
                source=row["source"],
                place=row["place"],
                country=row["country"],
                continent=row["continent"],
                licence=row["licence"],
            )
            for row in csv.DictReader(handle)
        ]
