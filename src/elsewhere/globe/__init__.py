"""The earth: cells, distances, zones, place names.

coordinates  one spelling for each place, and distances
cells        Cells, their files, and their making: equally many photos in each cell
gazetteer    names of countries, regions and towns
places       from text to a place, and names for cells and coordinates
areas        the cells around a place, distances to cells, ground of countries and regions
"""

from elsewhere.globe.areas import (
    Outline,
    Zone,
    across_km,
    countries,
    distance_km,
    ground,
    zone,
    zone_of_cells,
    zone_of_place,
)
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import between_km
from elsewhere.globe.places import (
    Place,
    cell_names,
    cell_towns,
    chief_town,
    nearest_town,
    place,
    place_label,
    places,
)

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
    "place_label",
    "places",
    "zone",
    "zone_of_cells",
    "zone_of_place",
]
