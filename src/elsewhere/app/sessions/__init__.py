"""The open album: its state, its plans and its jobs."""
