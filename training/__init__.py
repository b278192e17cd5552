"""How the embedded scorer was made, from photos to the shipped weights."""
