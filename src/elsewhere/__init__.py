"""elsewhere: share the photos, not the place."""
