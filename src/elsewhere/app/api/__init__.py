"""HTTP: the server, its routes and its JSON."""
