"""Real trips, and what attackers know of their photos who never saw their sources."""
