"""One table of everything the heads learn from: features, cells, distances, provenance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.locations import km_between
from training.photos import Photo, read_manifest

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

LANDMARK_SOURCES = ("gldv2_50", "landmarks44")
"""Many photos each of a few famous places: what "trained landmarks" means throughout."""


TRAVELLERS = (
    "gen_cities", "europe_travel", "us_cities284", "travel_ves", "travel_kanhar", "travel_kth",
    "travel_more", "kiki_photos", "kunigami_wander", "photomap_gural", "gps_misc",
)  # fmt: skip
"""Sources of photos as travellers take them, which teach the most."""


@dataclass
class Dataset:
    """Photos in the order of the manifest, less those without features."""

    photos: list[Photo]
    embeds: Floats
    cell: Ints
    group: Ints
    """The cell of the 512."""
    km: Floats | None
    """Kilometres from each photo to each cell's nearest gallery point, 0 to its own cell; None for
    leaves, whose centres are near enough."""
    cell_embedding: Floats
    cell_centre: npt.NDArray[np.float64]

    @property
    def source(self) -> npt.NDArray[np.str_]:
        """Where each photo came from."""
        return np.array([p.source for p in self.photos])

    @property
    def radius(self) -> Floats:
        """How exact each position is, in km."""
        return np.array([p.radius_km for p in self.photos], dtype=np.float32)

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """Latitude and longitude."""
        return np.array([(p.lat, p.lon) for p in self.photos])


def km_to_cells(points: npt.NDArray[np.float64], cells: Any, own: Ints) -> Floats:
    """Distance to each cell's nearest gallery point; photos share places, so each is done once."""
    where, back = np.unique(points, axis=0, return_inverse=True)
    order = np.argsort(cells["cell"], kind="stable")
    starts = np.searchsorted(cells["cell"][order], np.arange(len(cells["embedding"])))
    near = np.empty((len(where), len(starts)), dtype=np.float32)
    gallery = cells["points"][order]
    for i in range(0, len(where), 256):
        km = km_between(where[i : i + 256], gallery)
        near[i : i + 256] = np.minimum.reduceat(km, starts, axis=1)
    out = near[back.ravel()]
    out[np.arange(len(points)), own] = 0
    return out


def load(manifest: Path, features: Path, cells_path: Path) -> Dataset:
    """Join the manifest, the features and the cells."""
    with np.load(features) as f:
        row = {str(n): i for i, n in enumerate(f["names"])}
        photos = [p for p in read_manifest(manifest) if p.name in row]
        take = [row[p.name] for p in photos]
        embeds = f["embeds"][take]
    with np.load(cells_path) as c:
        cells = {k: c[k] for k in c.files}
    points = np.array([(p.lat, p.lon) for p in photos])
    group = locate(points)
    own, leaves = group, "scale" in cells
    if leaves:
        from elsewhere.globe import Cells

        own = np.asarray(Cells.leaves().locate(points[:, 0], points[:, 1]), dtype=np.int64)
        cells["embedding"] = cells["embedding"] * cells["scale"][:, None]
    return Dataset(
        photos=photos,
        embeds=embeds.astype(np.float32),
        cell=own,
        group=group,
        km=None if leaves else km_to_cells(points, cells, own),
        cell_embedding=cells["embedding"].astype(np.float32),
        cell_centre=cells["centre"],
    )


def locate(points: npt.NDArray[np.float64]) -> Ints:
    """The cell of each point, of the 512."""
    from elsewhere.globe import Cells

    return np.asarray(Cells.paper().locate(points[:, 0], points[:, 1]), dtype=np.int64)
