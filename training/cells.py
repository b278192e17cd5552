"""Make the default cells from the coordinates that come with GeoCLIP.

    pip download --no-deps geoclip==1.3.0
    python -m training.cells geoclip-1.3.0-py3-none-any.whl

The wheel (MIT) holds 100,000 coordinates of shared photos. Only the cells cut from them are
shipped; running this again writes the same bytes.
"""

from __future__ import annotations

import argparse
import io
import sys
import zipfile
from pathlib import Path

import numpy as np

from elsewhere.globe.cells import Cells

COORDINATES = "geoclip/model/gps_gallery/coordinates_100K.csv"
TARGET = Path(__file__).parent.parent / "src/elsewhere/globe/data/cells_512.json"


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the default cells.")
    parser.add_argument("wheel", type=Path, help="geoclip-1.3.0-py3-none-any.whl")
    parser.add_argument("-o", "--output", type=Path, default=TARGET)
    given = parser.parse_args()
    text = zipfile.ZipFile(given.wheel).read(COORDINATES).decode()
    lat, lon = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, unpack=True)
    cells = Cells.build(lat, lon, count=512)
    cells.save(given.output)
    photos = np.bincount(cells.locate(lat, lon), minlength=512)
    sys.stdout.write(
        f"{given.output}: {cells.count} cells of {photos.min()} to {photos.max()} photos, "
        f"fingerprint {cells.fingerprint}\n"
    )


if __name__ == "__main__":
    main()
