"""How long an album takes from its files to its plan, beside bare inference on the same photos."""
