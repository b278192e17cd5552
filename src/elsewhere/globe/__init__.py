"""The earth: equal-count cells, distances, zones, place names."""

from elsewhere.globe.cells import Cells
from elsewhere.globe.distance import across_km, between_km, distance_km
from elsewhere.globe.zones import Zone, zone

__all__ = ["Cells", "Zone", "across_km", "between_km", "distance_km", "zone"]
