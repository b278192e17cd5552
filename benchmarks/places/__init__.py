"""Plans for places on all leaves: time with the check, and memory of a large album."""
