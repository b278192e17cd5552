"""The earth: equal-count cells, distances, zones, place names.

from elsewhere.globe import Cells, place, zone_of_place

cells = Cells.default()
home = place("Lisbon")
hidden = zone_of_place(cells, home, radius_km=25)
"""

from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import between_km
from elsewhere.globe.names import cell_names, cell_towns, chief_town, nearest_town
from elsewhere.globe.outlines import Outline, countries, ground
from elsewhere.globe.places import Place, place, places
from elsewhere.globe.zones import Zone, across_km, distance_km, zone, zone_of_cells, zone_of_place

__all__ = [
    "Cells",
    "Outline",
    "Place",
    "Zone",
    "across_km",
    "between_km",
    "cell_names",
    "cell_towns",
    "chief_town",
    "countries",
    "distance_km",
    "ground",
    "nearest_town",
    "place",
    "places",
    "zone",
    "zone_of_cells",
    "zone_of_place",
]
