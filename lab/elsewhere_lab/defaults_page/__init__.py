"""The page about `protect`'s defaults: a text whose every figure is a field, filled from runs."""
