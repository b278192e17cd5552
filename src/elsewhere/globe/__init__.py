"""The earth: cells, distances, zones, place names.

coordinates  one spelling for each place, and distances
cells        Cells, and their files · partition (equally many photos in each cell)
zones        the cells around a place, and distances to cells
gazetteer    names of countries, regions and towns · places (from text to a place)
names        names for cells and coordinates
outlines     ground of countries and regions

>>> from elsewhere.globe import Cells, place, zone_of_place
>>> len(zone_of_place(Cells.default(), place("Lisbon"), radius_km=25)) > 0
True
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
