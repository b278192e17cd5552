"""Results for the terminal and as JSON."""
