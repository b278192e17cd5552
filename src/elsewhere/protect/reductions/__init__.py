"""One wish, one file: each rewrites the canonical problem and translates the answer back."""
