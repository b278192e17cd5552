"""How fast photos are scored, in how much memory, and how soon the first one is."""
