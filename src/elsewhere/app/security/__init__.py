"""Who may talk to the server."""
