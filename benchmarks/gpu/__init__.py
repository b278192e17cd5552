"""The embedded tower on a GPU: its float form, how fast it is, and how far its rows are off."""
