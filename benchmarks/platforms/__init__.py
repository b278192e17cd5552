"""What stays of a promise when a platform encodes the shared photos again."""
