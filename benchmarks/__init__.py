"""Side-by-side measurements against peers; each prints a table and writes JSON."""
