"""From a rendition to log-probabilities over cells: one small file per scorer."""
