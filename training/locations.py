"""Cells to vectors: where each cell lies in GeoCLIP's location space.

    python -m training.locations GEOCLIP_FOLDER OUT.npz [--leaves POINTS.npz] [--device cuda]
    python -m training.locations WEIGHTS_FOLDER OUT.npz --shipped

Of the 512 cells, or of the leaves with the points that ``training.leaves --points`` wrote; a leaf's
vector is kept in bytes with a scale of its own, a leaf without points has that of its middle.
With ``--shipped`` the leaves' vectors are taken from the package, for a machine without GeoCLIP.
GEOCLIP_FOLDER is the unpacked wheel geoclip==1.3.0. Its location encoder learned, from millions of
geotagged photos, which places look alike; a head that maps pictures into that space inherits
this for cells it has few photos of, which is why it generalises.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

EARTH_KM = 6371.0088
# the Equal Earth projection's published polynomial; GeoCLIP scales it by 66.50336 / 180
_EQUAL_EARTH = (1.340264, -0.081106, 0.000893, 0.003796)
_GEOCLIP_SCALE = 66.50336 / 180


def gallery(folder: Path) -> Floats:
    """The 100,000 coordinates (lat, lon) that ship with GeoCLIP."""
    path = folder / "geoclip" / "model" / "gps_gallery" / "coordinates_100K.csv"
    return np.loadtxt(path, delimiter=",", skiprows=1)


def _project(points: Floats) -> Floats:
    a1, a2, a3, a4 = _EQUAL_EARTH
    lat, lon = np.radians(points).T
    t = np.arcsin(np.sqrt(3) / 2 * np.sin(lat))
    x = 2 * np.sqrt(3) * lon * np.cos(t)
    x /= 3 * (9 * a4 * t**8 + 7 * a3 * t**6 + 3 * a2 * t**2 + a1)
    y = a4 * t**9 + a3 * t**7 + a2 * t**3 + a1 * t
    return np.stack([x, y], axis=1) * _GEOCLIP_SCALE


def encode_locations(folder: Path, points: Floats, device: str = "cpu") -> npt.NDArray[np.float32]:
    """GeoCLIP's unit location embedding (512) of each point."""
    import torch

    weights: dict[str, Any] = torch.load(
        folder / "geoclip" / "model" / "weights" / "location_encoder_weights.pth",
        map_location=device,
        weights_only=True,
    )
    xy = torch.from_numpy(_project(points)).float().to(device)
    out = []
    with torch.no_grad():
        for part in xy.split(4096):
            total = torch.zeros(len(part), 512, device=device)
            for capsule in ("LocEnc0", "LocEnc1", "LocEnc2"):
                phase = 2 * np.pi * part @ weights[f"{capsule}.capsule.0.b"].T
                h = torch.cat([phase.cos(), phase.sin()], dim=1)
                for layer in (1, 3, 5):
                    w = weights[f"{capsule}.capsule.{layer}.weight"]
                    h = torch.relu(h @ w.T + weights[f"{capsule}.capsule.{layer}.bias"])
                total += h @ weights[f"{capsule}.head.0.weight"].T
                total += weights[f"{capsule}.head.0.bias"]
            out.append(torch.nn.functional.normalize(total, dim=1))
    embedding: npt.NDArray[np.float32] = torch.cat(out).cpu().numpy()
    return embedding


def unit_vectors(points: Floats) -> Floats:
    """Points (lat, lon) as unit vectors."""
    lat, lon = np.radians(points).T
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def km_between(a: Floats, b: Floats) -> Floats:
    """Great-circle distances between each of ``a`` and each of ``b``."""
    chord = unit_vectors(a) @ unit_vectors(b).T
    return EARTH_KM * np.arccos(np.clip(chord, -1, 1))


def medoid(points: Floats) -> Floats:
    """The point among these with the least total distance to the others: a cell's one guess."""
    best: Floats = points[int(np.argmin(km_between(points, points).sum(axis=1)))]
    return best


def main() -> None:
    from elsewhere.globe import Cells

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("geoclip", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--leaves", type=Path)
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    if args.shipped:
        shipped_leaves(args.out, args.geoclip)
        return
    if args.leaves is not None:
        save_leaves(args.out, args.geoclip, args.leaves, args.device)
        return
    cells = Cells.paper()
    points = gallery(args.geoclip)
    save_cells(args.out, args.geoclip, points, cells.locate(points[:, 0], points[:, 1]))


def save_leaves(out: Path, geoclip: Path, points_file: Path, device: str) -> None:
    """Write each leaf's mean location embedding in bytes, its scale, and its point."""
    from elsewhere.globe import Cells

    with np.load(points_file) as stored:
        points, leaf = stored["points"], stored["cell"]
    centre = np.stack(Cells.leaves().points, axis=1)
    order = np.argsort(leaf, kind="stable")
    first = np.searchsorted(leaf[order], np.arange(len(centre) + 1))
    embedding = encode_locations(geoclip, points[order], device)
    mean = encode_locations(geoclip, centre, device).astype(np.float64)
    for i in np.flatnonzero(np.diff(first)):
        mean[i] = embedding[first[i] : first[i + 1]].mean(axis=0)
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    scale = np.abs(mean).max(axis=1) / 127
    quantised = np.round(mean / scale[:, None]).astype(np.int8)
    np.savez(out, embedding=quantised, scale=scale.astype(np.float32), centre=centre)
    kept = quantised / np.linalg.norm(quantised, axis=1, keepdims=True)
    cosine = (kept * mean).sum(axis=1).min()
    print(f"{len(centre)} leaves, cosine of a rounded vector at least {cosine:.5f}")


def shipped_leaves(out: Path, weights: Path | None = None) -> None:
    """Write the leaves' vectors as ``save_leaves`` does, from the file in the package.

    The package keeps no scales, for a vector's length does not count: all come out of length 1.
    """
    from elsewhere.globe import Cells
    from elsewhere.scorers.tower import WEIGHTS

    with np.load((weights or WEIGHTS) / "leaves.npz") as stored:
        vectors = stored["embedding"]
    centre = np.stack(Cells.leaves().points, axis=1)
    assert len(vectors) == len(centre), "one vector a leaf"
    scale = 1 / np.linalg.norm(vectors.astype(np.float32), axis=1)
    np.savez(out, embedding=vectors, scale=scale.astype(np.float32), centre=centre)


def save_cells(out: Path, geoclip: Path, points: Floats, cell: npt.NDArray[Any]) -> None:
    """Write each cell's mean location embedding and its central gallery point."""
    embedding = encode_locations(geoclip, points)
    count = int(cell.max()) + 1
    mean = np.stack([embedding[cell == c].mean(axis=0) for c in range(count)])
    mean /= np.linalg.norm(mean, axis=1, keepdims=True)
    centre = np.stack([medoid(points[cell == c]) for c in range(count)])
    np.savez(out, points=points, cell=cell.astype(np.int32), embedding=mean, centre=centre)
    print(f"{count} cells, {np.bincount(cell).min()} to {np.bincount(cell).max()} points each")


if __name__ == "__main__":
    main()
