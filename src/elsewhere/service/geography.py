"""What callers of the service need of the globe: places by name, cells and their names."""

from __future__ import annotations

from elsewhere.globe import Cells, Place, cell_names, cell_towns, place, zone_of_place
from elsewhere.globe.areas import countries

__all__ = ["Cells", "Place", "cell_names", "cell_towns", "countries", "place", "zone_of_place"]
