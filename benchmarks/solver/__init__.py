"""The solver against its peers: `python -m benchmarks.solver --help`."""
