"""Plans and certificates as files: strict, lossless JSON with versioned schemas."""
