"""The earth: equal-count cells, distances, zones, place names."""
